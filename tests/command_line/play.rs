//! A game in the terminal works through a pipe, can be repeated with a seed, and is saved.

use std::fs;
use std::thread;

use crate::common::{Engine, Finished, Folder, run, run_with_input};
use stopdown::games::pgn::read_pgn;
use stopdown::player::EloScale;

/// An opponent that replies at once.
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
fn a_won_game_continues_only_after_a_takeback() {
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let out = play(&["--fen", fen, "--seed", "1"], "Ra8\nKf2\npgn\nundo\nKf2\nquit\nquit\nKf1\n");
    assert!(out.contains("Checkmate: you win, 1-0.\n"), "{out}");
    assert!(out.contains("> Kf2\nThe game is over"), "{out}");
    assert!(out.contains("1. Ra8# 1-0\n"), "{out}");
    assert!(out.contains("\n1. Kf2\n1... "), "{out}");
    assert!(!out.contains("Kf1\n"), "input after quit was read: {out}");
}

#[test]
fn a_human_may_have_black_and_resign_or_be_refused_a_draw() {
    let out = play(&["--colour", "black", "--seed", "1"], "draw\nhint\nresign\nhelp\n");
    assert!(out.starts_with("Your opponent plays like a player rated about 1200 (FIDE)."), "{out}");
    assert!(out.contains("\nYou play Black against Stopdown (1200 d1)."), "{out}");
    assert!(out.contains("\n1. "), "{out}");
    assert!(out.contains("1... draw\nStopdown (1200 d1) declines the draw\n"), "{out}");
    assert!(out.contains(", score "), "{out}");
    assert!(out.contains("You resigned, 1-0.\n"), "{out}");
    // In the starting position, Black is not losing, so the opponent declines a draw.
    let out = play(&["--seed", "1"], "draw\n");
    assert!(out.contains("declines the draw\n"), "{out}");
    let lost = "4k3/8/8/8/8/8/PPPP4/QR2K3 w - - 0 1";
    let out = play(&["--fen", lost, "--seed", "1"], "draw\n");
    assert!(out.contains("Draw agreed, 1/2-1/2.\n"), "{out}");
}

#[test]
fn a_rating_is_shown_after_twenty_moves_in_all_games() {
    // Regardless of the replies, many of these moves are legal, and the illegal ones do no harm.
    // The opponent does not fall so far behind that it resigns.
    let moves = "a3 h3 b3 g3 c3 d3 e3 f3 Ra2 Rh2 Nd2 Bb2 Bg2 Ne2 Kf2 Kf1 Ke1 a4 h4 b4 g4 Ra1 Rh1";
    let game = format!("{}\nresign\n", moves.replace(' ', "\n"));
    let games = [&*game; 6].join("new white\n");
    let arguments = ["play", "--imitator", "--depth", "1", "--seed", "5"];
    let out = run_with_input(&Folder::new(), &arguments, games.as_bytes()).out;
    let verdicts: Vec<&str> = out
        .lines()
        .skip_while(|line| {
            !line.starts_with("There are not enough moves to estimate your rating (")
        })
        .filter(|line| line.contains(" moves to estimate ") || line.starts_with("You played like "))
        .collect();
    let [first, .., last] = &verdicts[..] else { panic!("{out}") };
    assert!(first.ends_with(" of the 20 needed)."), "{first}");
    assert!(last.starts_with("You played like a player rated "), "{last}");
}

#[test]
fn an_imitator_remembers_the_person_in_the_next_game() {
    let game = "e4\nd4\nNc3\nNf3\nBe2\n";
    let games = format!("{game}pgn\nresign\nnew white\n{game}pgn\n");
    let arguments = ["play", "--imitator", "--depth", "1", "--seed", "2", "--details"];
    let out = run_with_input(&Folder::new(), &arguments, games.as_bytes()).out;
    let tags: Vec<&str> = out.lines().filter(|line| line.starts_with("[BlackProfile ")).collect();
    let [first, second] = tags[..] else { panic!("{out}") };
    assert!(!first.contains("opponent estimated at"), "{first}");
    assert!(second.contains("opponent estimated at"), "{second}");
}

#[test]
fn games_are_appended_to_a_file_that_is_valid_after_every_move() {
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
    // If the program is killed, no moves are lost.
    let text = fs::read_to_string(&path).expect("the file is there");
    drop(session);
    assert_eq!(read_pgn(&text)[1].moves[2], "Nc3");
    assert!(!text.contains("Profile"), "{text}");
}

#[test]
fn only_a_detailed_game_describes_the_opponent_in_a_tag() {
    let profile = "[BlackProfile \"Ep(c): p=1 ";
    let plain = play(&["--seed", "3"], "e4\npgn\n");
    assert!(plain.contains("[Black ") && !plain.contains("Profile"), "{plain}");
    let detailed = play(&["--seed", "3", "--details"], "e4\npgn\n");
    assert!(detailed.contains(profile), "{detailed}");
}

#[test]
fn only_the_named_file_is_written() {
    let folder = Folder::new();
    let others: Vec<String> =
        ["games.pgn.new", "games.pgn.bak"].map(|name| folder.write(name, "somebody's")).into();
    let arguments = [&QUICK[..], &["--seed", "3", "--save", "games.pgn"]].concat();
    assert_eq!(run_with_input(&folder, &arguments, b"e4\nd4\n").code, 0);
    for other in others {
        assert_eq!(fs::read_to_string(&other).expect("it exists"), "somebody's", "{other}");
    }
    let entries = fs::read_dir(folder.path()).expect("it exists").map_while(Result::ok);
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().contains("games"));
    assert_eq!(ours.count(), 3, "another file was left");
}

#[test]
fn games_saved_at_the_same_time_are_all_in_the_file() {
    let folder = Folder::new();
    let words = ["play", "--profile", "coin-flipper", "--depth", "1", "--save", "games.pgn"];
    let games = 4;
    thread::scope(|scope| {
        for _ in 0..games {
            scope.spawn(|| {
                let input = b"e4\na3\nh3\nundo\ng3\nquit\nquit\n";
                let Finished { code, out, error } = run_with_input(&folder, &words, input);
                assert_eq!((code, error.as_str()), (0, ""), "{out}");
            });
        }
    });
    let text = fs::read_to_string(folder.path().join("games.pgn")).expect("the file is there");
    let saved = read_pgn(&text);
    assert_eq!((saved.len(), text.matches("[Event ").count()), (games, games), "{text}");
    assert!(saved.iter().all(|game| game.moves[0] == "e4" && game.moves.len() > 2), "{text}");
    assert!(saved.iter().all(|game| game.replay(None).is_ok()), "{text}");
}

#[test]
fn a_file_that_becomes_unwritable_does_not_end_the_game() {
    let start = |folder: Folder| {
        fs::create_dir(folder.path().join("there")).expect("the folder is writable");
        let words = [&QUICK[..], &["--seed", "3", "--save", "there/games.pgn"]].concat();
        let lost = folder.path().join("there");
        let mut session = Engine::start_in(folder, &words);
        session.until("Type a move");
        fs::remove_dir(lost).expect("it is empty");
        session.send("e4");
        session.until("The game could not be saved in there/games.pgn");
        session
    };
    let mut session = start(Folder::new());
    session.send("pgn here.pgn\nd4");
    session.until("2... ");
    session.close_input();
    let (code, rest) = session.end();
    assert_eq!(code, 0);
    assert_eq!(rest.last().map(String::as_str), Some("The game is saved in here.pgn"));
}

#[test]
fn a_place_that_cannot_be_written_is_refused_at_the_start() {
    for path in ["nowhere/games.pgn", "."] {
        let folder = Folder::new();
        let Finished { code, out, error } =
            run_with_input(&folder, &["play", "--save", path], b"1500\ne4\n");
        assert_eq!((code, out.as_str()), (2, ""), "{error}");
        assert!(error.contains(&format!("cannot write {path}: ")), "{error}");
        assert_eq!(fs::read_dir(folder.path()).expect("it exists").count(), 0, "{path}");
    }
}

#[test]
fn a_failed_pgn_command_keeps_the_file_that_was_being_saved() {
    let folder = Folder::new();
    let words = [&QUICK[..], &["--seed", "3", "--save", "games.pgn"]].concat();
    let input = b"pgn nowhere/new.pgn\ne4\npgn nowhere/new.pgn\nd4\n";
    let Finished { code, out, error } = run_with_input(&folder, &words, input);
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
    let failed = "The game could not be saved in nowhere/new.pgn: ";
    assert_eq!(out.matches(failed).count(), 2, "{out}");
    assert!(out.contains(". It is saved in games.pgn.\n"), "{out}");
    assert!(out.ends_with("The game is saved in games.pgn\n"), "{out}");
    let text = fs::read_to_string(folder.path().join("games.pgn")).expect("the file is there");
    assert_eq!(read_pgn(&text)[0].moves[2], "d4", "{text}");
}

#[test]
fn the_rating_is_asked_once_and_remembered() {
    let folder = Folder::new();
    let play = |words: &[&str], input: &str| {
        let words = [&["play", "--seed", "3"], words].concat();
        let Finished { code, out, error } = run_with_input(&folder, &words, input.as_bytes());
        assert_eq!((code, error.as_str()), (0, ""), "{out}");
        out
    };
    let question = "Your rating? ";
    assert!(play(&[], "").ends_with("Your rating? \n"), "no question was asked");
    let out = play(&[], "e4\n99\n1700 lichess-blitz\nfen\n");
    assert!(
        out.contains("\"e4\" is not a rating; type a number such as 1500, none or full"),
        "{out}"
    );
    assert!(out.contains("99 is out of range: FIDE ratings must be from 400 to 3400"), "{out}");
    let blitz = "Your opponent plays like a player rated about 1700 (Lichess-Blitz).";
    assert!(out.contains(blitz), "{out}");
    let again = play(&[], "fen\n");
    assert!(again.starts_with(blitz) && !again.contains(question), "{again}");
    // A named opponent takes precedence, and the remembered rating does not change.
    assert!(play(&["--elo", "1200"], "").contains("rated about 1200 (FIDE)"));
    assert!(play(&["--full"], "").starts_with("Your opponent plays at full strength."));
    assert!(play(&["--depth", "3"], "").starts_with("Your opponent searches 3 plies."));
    assert!(play(&[], "").starts_with(blitz));
    let out = play(&["--rating", "1650"], "");
    assert!(out.contains("rated about 1650 (FIDE)"), "{out}");
    assert!(play(&[], "").contains("rated about 1650 (FIDE)"));
    let out = play(&["--rating", "none"], "");
    assert!(out.contains("Your opponent adapts to your strength."), "{out}");
    assert!(play(&[], "").starts_with("Your opponent adapts to your strength."));
    let wrong = run_with_input(&folder, &["play", "--rating", "e4"], b"");
    assert_eq!(wrong.code, 2);
    assert!(wrong.error.contains("--rating: \"e4\" is not a rating"), "{}", wrong.error);
}

#[test]
fn games_are_saved_with_both_ratings_and_without_comments() {
    let saved = |words: &[&str]| {
        let folder = Folder::new();
        let words = [&QUICK[..], &["--seed", "3", "--save", "games.pgn"], words].concat();
        let finished = run_with_input(&folder, &words, b"e4\nd4\nresign\n");
        assert_eq!(finished.code, 0, "{}", finished.error);
        fs::read_to_string(folder.path().join("games.pgn")).expect("the file is there")
    };
    let text = saved(&["--rating", "1450"]);
    for tag in [
        "[WhiteElo \"1450\"]",
        "[BlackElo \"1200\"]",
        "[RatingScale \"FIDE\"]",
        "[TimeControl \"-\"]",
    ] {
        assert!(text.contains(tag), "{tag}: {text}");
    }
    assert!(!text.contains('{'), "{text}");
    // Ratings on different scales are converted to FIDE ratings.
    let text = saved(&["--rating", "1705 Lichess-Blitz"]);
    assert!(text.contains("[WhiteElo \"1650\"]\n[BlackElo \"1200\"]"), "{text}");
    // If a player has no rating, the tag contains a dash.
    let text = saved(&["--details"]);
    assert!(text.contains("[WhiteElo \"-\"]") && text.contains("s, n="), "{text}");
    assert!(text.contains(", p="), "{text}");
}

#[test]
fn bad_input_is_answered_and_harmless() {
    let folder = Folder::new();
    let input = b"\xff\xfe\n\n  \ne9\nNf3 please\nKe2\nO-O\n\x1b[A\ne4\n";
    let arguments = [&QUICK[..], &["--seed", "1"]].concat();
    let Finished { code, out, .. } = run_with_input(&folder, &arguments, input);
    assert_eq!(code, 0);
    assert!(out.contains("\"Ke2\" is not legal: your king has no legal move"), "{out}");
    assert!(out.contains("\n1... "), "{out}");
}

#[test]
fn an_unknown_player_is_refused() {
    for (arguments, expected) in [
        (["play", "--profile", "nobody"], "unknown profile \"nobody\""),
        (["play", "--elo", "nan"], "write a number of Elo points"),
        (["play", "--fen", "nonsense"], "\"nonsense\" is not a FEN"),
    ] {
        let Finished { code, error, .. } = run(&arguments);
        assert_eq!(code, 2);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn tablebase_results_are_kept_in_terminal_games() {
    let folder = Folder::new();
    let win = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    for seed in 1..=6 {
        let seed = seed.to_string();
        let opponent_words =
            ["play", "--profile", "coin-flipper", "--colour", "black", "--fen", win];
        let played =
            run_with_input(&folder, &[&opponent_words[..], &["--seed", &seed]].concat(), b"quit\n");
        let keeps = ["1. Kd2", "1. Kf2"].iter().any(|kept| played.out.contains(kept));
        assert!(keeps, "{seed}: {}", played.out);
    }
}

#[test]
fn a_level_can_be_on_any_scale() {
    for scale in EloScale::ALL {
        for name in [scale.name().to_owned(), scale.name().to_lowercase()] {
            let words = ["play", "--elo", "3400", "--scale", &name, "--depth", "1"];
            let Finished { out, .. } = run_with_input(&Folder::new(), &words, b"e4\n");
            let message = format!("Your opponent plays at about 3400 ({scale}): the best move of");
            assert!(out.starts_with(&message), "{out}");
            assert!(out.contains("It searches at most to depth 1, which may weaken"), "{out}");
            assert!(out.contains("\n1... "), "{out}");
            let name = match scale {
                EloScale::Fide => "Stopdown (3400 d1)".to_owned(),
                scale => format!("Stopdown (3400 {scale} d1)"),
            };
            assert!(out.contains(&name), "{name}: {out}");
        }
    }
}

#[test]
fn a_rating_out_of_range_is_refused_with_the_range() {
    for (scale, elo) in [("FIDE", "99999"), ("FIDE", "-1"), ("Lichess-Blitz", "399")] {
        let words = ["play", "--elo", elo, "--scale", scale];
        let Finished { code, out, error } = run_with_input(&Folder::new(), &words, b"");
        let expected = format!("{elo} is out of range: {scale} ratings must be from 400 to 3400");
        assert!(error.contains(&expected), "{error}");
        assert_eq!((code, out.as_str()), (2, ""));
    }
    let old = ["play", "--elo", "1500", "--elo-scale", "lichess blitz", "--depth", "1"];
    let out = run_with_input(&Folder::new(), &old, b"").out;
    assert!(out.contains("rated about 1500 (Lichess-Blitz)"), "{out}");
}

#[test]
fn a_new_game_swaps_colours_and_is_appended() {
    let folder = Folder::new();
    let words = [&QUICK[..], &["--seed", "3", "--save", "games.pgn", "--details"]].concat();
    let input = b"e4\nnew\nnew white\nd4\nnew black\nresign\nnew\nc4\n";
    let Finished { code, out, error } = run_with_input(&folder, &words, input);
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
    let greetings: Vec<&str> = out.split("You play ").skip(1).map(|rest| &rest[..5]).collect();
    assert_eq!(greetings, ["White", "Black", "White", "Black", "White"], "{out}");
    let text = fs::read_to_string(folder.path().join("games.pgn")).expect("the file is there");
    let games = read_pgn(&text);
    let of_human = |colour: &str| text.matches(&format!("[{colour} \"Human\"]")).count();
    assert_eq!((games.len(), of_human("White"), of_human("Black")), (5, 3, 2), "{text}");
    let firsts: Vec<&str> = games.iter().map(|game| game.moves[0].as_str()).collect();
    assert_eq!([firsts[0], firsts[2], firsts[4]], ["e4", "d4", "c4"]);
    // The same opponent, but a different game.
    assert!(text.contains(", seed 3, game 2\"") && text.contains(", seed 3, game 5\""), "{text}");
}

#[test]
fn the_level_can_be_changed_for_players_with_one() {
    let input = "e4\nlevel 1800\nd4\nlevel high\nlevel 99999\nresign\nnew white\n";
    let out = play(&["--seed", "3"], input);
    assert!(
        out.contains(
            "From the next move on, your opponent plays like a player rated about 1800 (FIDE)."
        ),
        "{out}"
    );
    assert!(out.contains("Stopdown (1800 d1)") && out.contains("\n2. d4\n2... "), "{out}");
    assert!(out.contains("\"high\" is not a number"), "{out}");
    assert!(out.contains("99999 is out of range: FIDE ratings must be from 400 to 3400"), "{out}");
    assert!(out.contains("You play White against Stopdown (1800 d1)."), "the next game: {out}");
    let club = ["play", "--profile", "club", "--depth", "1"];
    let out = run_with_input(&Folder::new(), &club, b"level 1800\n").out;
    assert!(out.contains("The level of this opponent cannot be changed"), "{out}");
}

#[test]
fn the_configured_player_is_the_default_opponent() {
    let folder = Folder::new();
    folder.write(
        "mine.toml",
        "[options]\nUCI_LimitStrength = true\nUCI_Elo = 1500\n\"Elo Scale\" = \"Lichess Rapid\"\nDepth = 1\nSeed = 5\n",
    );
    let play = |words: &[&str]| {
        let words = [&["--config", "mine.toml", "play"], words].concat();
        run_with_input(&folder, &words, b"level 1700\nquit\n").out
    };
    let out = play(&[]);
    assert!(
        out.starts_with("Your opponent plays like a player rated about 1500 (Lichess-Rapid)."),
        "{out}"
    );
    assert!(out.contains("use --seed 5.") && out.contains("about 1700 (Lichess-Rapid)"), "{out}");
    assert!(
        play(&["--profile", "club"]).contains("club"),
        "the named profile does not take precedence"
    );
    folder.write("mine.toml", "[options]\nCompetence = 700\nDepth = 1\n");
    let out = play(&[]);
    assert!(out.starts_with("Your opponent plays as Ep(c): p=1 levelled competence=7"), "{out}");
    folder.write("mine.toml", "[options]\nStrength = \"Full\"\n");
    assert!(play(&[]).starts_with("Your opponent plays at full strength.\n"));
    // A profile is introduced by its description, if it has one.
    let profiles = "[profiles.ann]\nelo = 1500\ndescription = \"Ann Lee, rated 1500\"\n[profiles.bob]\nelo = 900\n";
    folder.write("mine.toml", profiles);
    let introduction = |name| play(&["--profile", name, "--depth", "1"]);
    assert!(introduction("ann").starts_with("Your opponent: Ann Lee, rated 1500.\n"));
    assert!(introduction("bob").starts_with("Your opponent plays like bob.\n"));
}

#[test]
fn an_unsaved_game_is_not_discarded_without_confirmation() {
    let out = play(&["--seed", "3"], "e4\nnew white\nnew white\nd4\n");
    assert!(out.contains("Abandon the game? It is not saved"), "{out}");
    // The moves in the second game depend on the first game.
    assert_eq!(out.matches("To repeat this game, use --seed 3.").count(), 1, "{out}");
    assert!(out.contains("To repeat these 2 games, use --seed 3."), "{out}");
}

#[test]
fn quitting_a_running_game_asks_once() {
    let asked = "Leave the game? It is ";
    assert!(!play(&["--seed", "3"], "quit\ne4\n").contains(asked), "it asked without a game");
    let out = play(&["--seed", "3"], "e4\nquit\nd4\nquit\nquit\nc4\n");
    let not_saved =
        "Leave the game? It is not saved (to save it, type pgn FILE). To leave, type quit again.\n";
    assert_eq!(out.matches(not_saved).count(), 2, "{out}");
    assert!(out.contains("\n2. d4\n2... ") && !out.contains("c4\n"), "{out}");
    let out = play(&["--seed", "3", "--save", "here.pgn"], "e4\nquit\nquit\nd4\n");
    assert!(
        out.contains("Leave the game? It is saved in here.pgn. To leave, type quit again.\n"),
        "{out}"
    );
    assert!(!out.contains("d4\n"), "{out}");
    assert!(
        !play(&["--seed", "3"], "e4\nresign\nquit\nd4\n").contains(asked),
        "it asked after the game"
    );
}

#[test]
fn a_hopelessly_lost_opponent_resigns_but_not_at_once() {
    let lost = "4k3/8/8/8/8/8/PPPP4/QR2K3 w - - 0 1";
    let out = play(&["--fen", lost, "--seed", "1"], "a3\na4\na5\na6\n");
    assert!(out.contains("\n3... "), "{out}");
    assert!(out.contains("Your opponent resigned: you win, 1-0.\n"), "{out}");
    assert!(!out.contains("\n4... "), "{out}");
    let out = play(&["--fen", lost, "--seed", "1"], "a3\na4\na5\na6\nundo\nd3\npgn\n");
    assert!(out.contains("4. d3 1-0"), "it does not resign again after a takeback: {out}");
}

#[test]
fn in_a_dead_drawn_position_the_opponent_offers_a_draw() {
    // Neither king can pass the pawns.
    let drawn = "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 60";
    let words = ["play", "--depth", "6", "--fen", drawn];
    let game = |moves: &str| run_with_input(&Folder::new(), &words, moves.as_bytes()).out;
    let walk = "Kf2\nKg3\nKh3\nKg2\nKf3\nKe3\n";
    let offer = "offers a draw. Type draw to accept it, or play a move to decline.\n";
    let out = game(&format!("{walk}draw\n"));
    assert_eq!(out.matches(offer).count(), 1, "{out}");
    assert!(out.contains("Draw agreed, 1/2-1/2.\n"), "{out}");
    // A declined offer is not repeated with every move.
    let out = game(&format!("{walk}Kd3\nKd2\nKc2\n"));
    assert_eq!(out.matches(offer).count(), 1, "{out}");
    assert!(out.contains("\n68. Kc2\n"), "{out}");
}
