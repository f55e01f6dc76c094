//! A game in the terminal can be played through a pipe, is the same for the same seed, and is kept.

mod common;

use std::fs;

use common::{Engine, Finished, Folder, run, run_with_input};
use stopdown::games::pgn::read_pgn;
use stopdown::player::{Dial, Elo, EloScale};

/// A player who answers at once.
const QUICK: [&str; 5] = ["play", "--elo", "1200", "--depth", "1"];

fn play(arguments: &[&str], input: &str) -> String {
    let folder = Folder::new();
    let Finished { code, out, error } =
        run_with_input(&folder, &[&QUICK, arguments].concat(), input.as_bytes());
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
    out
}

#[test]
fn the_same_seed_and_moves_give_the_same_game() {
    let input = "Nf3\ng3\nBg2\nO-O\n";
    let game = play(&["--seed", "7"], input);
    assert_eq!(game, play(&["--seed", "7"], input));
    assert_ne!(game, play(&["--seed", "8"], input));
    assert!(game.contains("\n4. O-O\n4... "), "{game}");
    let taken_back = play(&["--seed", "7"], "Nf3\ng3\nundo\nd4\nundo\ng3\nBg2\nO-O\n");
    assert!(taken_back.ends_with(&game[game.rfind("4. O-O").expect("played")..]), "{taken_back}");
}

#[test]
fn a_won_game_is_won_and_goes_on_only_by_taking_back() {
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let out = play(&["--fen", fen, "--seed", "1"], "Ra8\nKf2\npgn\nundo\nKf2\nquit\nKf1\n");
    assert!(out.contains("Checkmate: you win, 1-0.\n"), "{out}");
    assert!(out.contains("> Kf2\nThe game is over"), "{out}");
    assert!(out.contains("1. Ra8# 1-0\n"), "{out}");
    assert!(out.contains("\n1. Kf2\n1... "), "{out}");
    assert!(!out.contains("Kf1\n"), "nothing is read after quit: {out}");
}

#[test]
fn a_human_may_have_black_and_resign_or_be_refused_a_draw() {
    let out = play(&["--colour", "black", "--seed", "1"], "draw\nhint\nresign\nhelp\n");
    assert!(out.starts_with("Your opponent is about 1200 +- "), "{out}");
    assert!(out.contains("\nStopdown (1200 d1) plays White; you have Black."), "{out}");
    assert!(out.contains("\n1. "), "{out}");
    assert!(out.contains("1... draw\nStopdown (1200 d1) plays on\n"), "{out}");
    assert!(out.contains(", which is worth "), "{out}");
    assert!(out.contains("You resign: you lose, 1-0.\n"), "{out}");
    // To have White is not to be lost for the other.
    let out = play(&["--seed", "1"], "draw\n");
    assert!(out.contains("plays on\n"), "{out}");
    let lost = "4k3/8/8/8/8/8/PPPP4/QR2K3 w - - 0 1";
    let out = play(&["--fen", lost, "--seed", "1"], "draw\n");
    assert!(out.contains("A draw is agreed: drawn, 1/2-1/2.\n"), "{out}");
}

#[test]
fn an_imitator_says_whom_it_takes_its_opponent_for() {
    // The pawns keep the kings apart: whatever is answered, these moves are legal. They tell something,
    // for the queen could have had the pawns.
    let fen = "k7/8/8/p1p1p1p1/P1P1P1P1/Q7/8/K7 w - - 0 1";
    let moves = "Kb1\nKc1\nKd1\nKe1\nKf1\nKg1\nKh1\nKh2\nKg2\nKf2\nKe2\nKd2\n";
    let arguments = ["play", "--imitator", "--depth", "1", "--seed", "2", "--fen", fen];
    let out = run_with_input(&Folder::new(), &arguments, moves.as_bytes()).out;
    assert!(out.contains("telling moves are most like those of a player of "), "{out}");
}

#[test]
fn games_are_added_to_a_file_that_is_whole_after_every_move() {
    let folder = Folder::new();
    let earlier = "[Event \"Earlier\"]\n\n1. e4 e5 1-0\n";
    let path = folder.write("games.pgn", earlier);
    let arguments = [&QUICK[..], &["--seed", "3", "--save", &path]].concat();
    let mut session = Engine::start_in(folder, &arguments);
    for (sent, answered) in [("e4", "1... "), ("Nf3", "2... "), ("undo", "  8 "), ("Nc3", "2... ")]
    {
        session.send(sent);
        session.until(answered);
        let text = fs::read_to_string(&path).expect("the file is there");
        assert!(text.starts_with(earlier), "{text}");
        let games = read_pgn(&text);
        assert_eq!(games.len(), 2, "{text}");
        games[1].replay(None).expect("legal moves");
    }
    // Killed, it loses nothing.
    let text = fs::read_to_string(&path).expect("the file is there");
    drop(session);
    assert_eq!(read_pgn(&text)[1].moves[2], "Nc3");
    assert!(text.contains("[BlackProfile \"Ep(c): p=1 "), "{text}");
}

#[test]
fn only_the_file_that_is_named_is_written() {
    let folder = Folder::new();
    let others: Vec<String> =
        ["games.pgn.new", "games.pgn.bak"].map(|name| folder.write(name, "somebody's")).into();
    let arguments = [&QUICK[..], &["--seed", "3", "--save", "games.pgn"]].concat();
    assert_eq!(run_with_input(&folder, &arguments, b"e4\nd4\n").code, 0);
    for other in others {
        assert_eq!(fs::read_to_string(&other).expect("it is left"), "somebody's", "{other}");
    }
    let entries = fs::read_dir(folder.path()).expect("it is there").map_while(Result::ok);
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().contains("games"));
    assert_eq!(ours.count(), 3, "nothing is left over");
}

#[test]
fn a_file_that_cannot_be_written_costs_no_game() {
    let out = play(&["--seed", "3", "--save", "nowhere/games.pgn"], "e4\npgn here.pgn\nd4\n");
    assert!(out.contains("could not be saved in nowhere/games.pgn"), "{out}");
    assert!(out.ends_with("The game is in here.pgn\n"), "{out}");
    assert!(out.contains("\n2. d4\n2... "), "{out}");
    let folder = Folder::new();
    let words = ["play", "--depth", "1", "--save", "nowhere/games.pgn"];
    let finished = run_with_input(&folder, &words, b"e4\nquit\n");
    assert_eq!(finished.code, 2, "what is not saved is no success");
    assert!(!finished.out.contains("The game is in"), "{}", finished.out);
    assert!(finished.error.contains("is not in nowhere/games.pgn"), "{}", finished.error);
}

#[test]
fn nonsense_is_answered_and_does_no_harm() {
    let folder = Folder::new();
    let input = b"\xff\xfe\n\n  \ne9\nNf3 please\nKe2\nO-O\n\x1b[A\ne4\n";
    let arguments = [&QUICK[..], &["--seed", "1"]].concat();
    let Finished { code, out, .. } = run_with_input(&folder, &arguments, input);
    assert_eq!(code, 0);
    assert!(out.contains("Ke2 is not legal: no king can move"), "{out}");
    assert!(out.contains("\n1... "), "{out}");
}

#[test]
fn a_player_who_does_not_exist_is_refused() {
    for (arguments, expected) in [
        (["play", "--profile", "nobody"], "no profile called \"nobody\""),
        (["play", "--elo", "nan"], "no player of NaN Elo"),
        (["play", "--fen", "nonsense"], "\"nonsense\" is not a FEN"),
    ] {
        let Finished { code, error, .. } = run(&arguments);
        assert_eq!(code, 2);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn who_keeps_results_by_the_tables_keeps_them_here_too() {
    let folder = Folder::new();
    let win = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for seed in 1..=6 {
        let seed = seed.to_string();
        let who = ["play", "--profile", "coin-flipper", "--colour", "black", "--fen", win];
        let played = run_with_input(&folder, &[&who[..], &["--seed", &seed]].concat(), b"quit\n");
        let keeps = ["1. Kd2", "1. Kf2"].iter().any(|kept| played.out.contains(kept));
        assert!(keeps, "{seed}: {}", played.out);
    }
}

#[test]
fn of_a_rating_that_nobody_has_the_nearest_is_taken_and_said() {
    for (scale, name) in [(EloScale::Fide, "fide"), (EloScale::Lichess, "lichess")] {
        for elo in [9999.0, -9999.0] {
            let nearest = Dial::new(Elo(elo), None, scale).nearest();
            let elo = format!("--elo={elo}");
            let words = ["play", &elo, "--elo-scale", name, "--depth", "1"];
            let Finished { out, .. } = run_with_input(&Folder::new(), &words, b"e4\n");
            assert!(out.starts_with(&format!("Your opponent is about {nearest} +- ")), "{out}");
            assert!(out.contains("; nobody plays human"), "{out}");
            assert!(out.contains("\n1... "), "{out}");
            let name = match scale {
                EloScale::Fide => format!("Stopdown ({nearest} d1)"),
                EloScale::Lichess => format!("Stopdown (Lichess {nearest})"),
            };
            assert!(out.contains(&name), "{name}: {out}");
        }
    }
}
