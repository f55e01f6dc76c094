//! Games between players below full strength depend only on the players, the seeds and the game
//! number. The record contains everything needed to repeat every choice.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use stopdown::arena::{Book, ContestantSpec, GameRecord, Order, Pairing, Schedule, Tournament};
use stopdown::board::Game;
use stopdown::config::built_in_settings;
use stopdown::games::pgn::read_pgn;
use stopdown::math::streams::Occasion;
use stopdown::player::{Engine, choose};
use stopdown::search::{Controls, EvaluationRequest, NoObserver};

use crate::common::Folder;
use crate::{journal, play, play_all, spec, tournament};

/// The player tags, moves and comments of each game, by game number and without times.
fn without_times(records: &[GameRecord]) -> BTreeMap<usize, String> {
    let lines = |pgn: &str| {
        let kept = pgn.lines().filter(|line| !line.starts_with('[') || line.contains("Profile"));
        let is_time =
            |word: &&str| word.strip_suffix("s,").is_some_and(|t| t.parse::<f64>().is_ok());
        let words = kept.flat_map(str::split_whitespace).filter(|word| !is_time(word));
        words.collect::<Vec<&str>>().join(" ")
    };
    records.iter().map(|record| (record.game, lines(&record.pgn))).collect()
}

#[test]
fn seeds_give_the_same_games_whatever_the_concurrency() {
    let players = [
        "self profile=moody depth=2 seed=3",
        "self curve=regan sensitivity=0.2 consistency=0.45 depth=1",
    ];
    let alone = without_times(&play(&tournament(players, 12, 1), 12));
    assert_eq!(alone.len(), 12);
    assert_eq!(alone, without_times(&play(&tournament(players, 12, 4), 12)));
    let other_seed = ["self profile=moody depth=2 seed=4", players[1]];
    let others = without_times(&play(&tournament(other_seed, 12, 4), 12));
    assert!(alone.values().zip(others.values()).all(|(one, other)| one != other));
}

#[test]
fn without_memory_an_imitator_knows_nothing_of_other_games() {
    let players = ["self imitator=-100 memory=false depth=1", "self competence=4 depth=1"];
    let short = |concurrency| {
        let mut tournament = tournament(players, 4, concurrency);
        tournament.rules.max_moves = Some(20);
        without_times(&play(&tournament, 4))
    };
    let alone = short(1);
    assert_eq!(alone, short(4));
    for (number, colour) in [(1, "White"), (2, "Black"), (3, "White")] {
        let style = "at the opponent's level -100 Elo: p=1 human";
        let tag = format!("[{colour}Profile \"{style}, seed 1, game {number}\"]");
        assert!(alone[&number].contains(&tag), "{}", alone[&number]);
    }
}

#[test]
fn an_imitator_remembers_each_opponent_whatever_the_concurrency() {
    let words =
        ["self imitator=0 depth=1", "self competence=4 depth=1", "self imitator=100 depth=1"];
    let schedule = Schedule::round_robin(words.len());
    let pairings = schedule.pairings(4);
    let play = |concurrency| {
        let mut tournament = tournament([words[0]; 2], 4, concurrency);
        tournament.players = words.map(spec).to_vec();
        tournament.names = words.map(str::to_owned).to_vec();
        let openings = Book::built_in().select(Order::Sequential, Some(2), 6);
        tournament.openings = openings.expect("valid");
        tournament.rules.max_moves = Some(6);
        play_all(&tournament, &pairings)
    };
    let records = play(1);
    let order: Vec<usize> = records.iter().map(|record| record.game).collect();
    assert_eq!(order, (1..=pairings.len()).collect::<Vec<usize>>());
    assert_eq!(without_times(&records), without_times(&play(3)));
    for (number, record) in without_times(&records) {
        let Pairing { white, black, .. } = pairings[number - 1];
        let imitators = [white, black].iter().filter(|&&player| player != 1).count();
        // There are three pairs of players, so the first round has six games.
        let is_first = number <= 6 && number % 2 == 1;
        let estimates = if is_first { 0 } else { imitators };
        assert_eq!(record.matches("opponent estimated at").count(), estimates, "{record}");
    }
}

#[test]
fn an_interrupted_match_with_an_imitator_resumes_to_the_same_games() {
    let folder = Folder::new();
    let run = |name: &str| {
        let pgn = folder.path().join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_stopdown"));
        command.args(["match", "--a", "self imitator=0", "--b", "self elo=900", "--depth", "1"]);
        command.args(["--games", "4", "--max-moves", "6", "--concurrency", "2", "--details"]);
        let output = command
            .args(["--plies", "2", "--resume", "--pgn"])
            .arg(&pgn)
            .output()
            .expect("the program runs");
        (pgn, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (whole, told) = run("whole.pgn");
    assert!(told.contains("one game at a time"), "{told}");
    let path = |pgn: &Path| format!("{}.jsonl", pgn.display());
    let lines = fs::read_to_string(path(&whole)).expect("a journal");
    let records = journal(&whole);
    let (_, estimate) = records[1].pgn.split_once(" opponent estimated at ").expect("an estimate");
    let informative = estimate.split_whitespace().nth(2).and_then(|text| text.parse().ok());
    // The moves of the opening do not count.
    assert!(
        informative.is_some_and(|moves: u64| moves <= records[0].effort[1].moves),
        "{estimate}"
    );
    let whole = without_times(&records);
    assert_eq!(whole.len(), 4);
    // The first line has the settings. The last one is incomplete, as if the program was killed.
    for games in [1, 2] {
        let kept: String = lines.split_inclusive('\n').take(1 + games).collect();
        let next = lines.lines().nth(1 + games).expect("a game");
        let cut = folder.path().join(format!("cut{games}.pgn"));
        fs::write(path(&cut), kept + &next[..next.len() / 2]).expect("writable");
        let (cut, told) = run(&cut.display().to_string());
        assert_eq!(without_times(&journal(&cut)), whole, "{told}");
    }
    // Without the estimates, the next game would not be the same.
    let forgotten = folder.path().join("forgotten.pgn");
    let first: String = lines.split_inclusive('\n').take(2).collect();
    fs::write(path(&forgotten), first.replacen("\"estimates\"", "\"other\"", 1)).expect("writable");
    let (_, told) = run("forgotten.pgn");
    let expected = "the estimate that player 1 made of its opponent is missing or not valid";
    assert!(told.contains("forgotten.pgn.jsonl:2") && told.contains(expected), "{told}");
}

#[test]
fn games_from_one_opening_differ_by_their_number() {
    let mut tournament =
        tournament(["self competence=5 depth=1", "self competence=5 depth=1"], 8, 1);
    tournament.openings.truncate(1);
    let games = without_times(&play(&tournament, 8));
    let moves = games.values().map(|game| game.split_once("1.").expect("moves").1);
    let distinct: std::collections::HashSet<&str> = moves.collect();
    assert_eq!(distinct.len(), 8);
}

#[test]
fn a_move_can_be_redrawn_from_the_game_record() {
    let players = [
        "self profile=sleepy depth=2 seed=11 option.Hash=1",
        "self elo=1500 depth=2 option.Hash=1",
    ];
    let record = play(&tournament(players, 2, 1), 2).swap_remove(0);
    let white = built_in_settings().profiles.get("sleepy").expect("it is shipped").clone();
    let game = read_pgn(&record.pgn)[0].replay(None).expect("legal");
    let number = record.game as u64;
    let tag =
        format!("[WhiteProfile \"sleepy, {white}, at most 2 plies, seed 11, game {number}\"]");
    assert!(record.pgn.contains(&tag), "{tag}\n{}", record.pgn);
    assert!(record.pgn.contains("[BlackProfile \"Ep(c): p=2 human competence="));
    let plain = Tournament { is_detailed: false, ..tournament(players, 2, 1) };
    let plain = play(&plain, 2).swap_remove(0);
    assert!(!plain.pgn.contains("Profile"), "{}", plain.pgn);

    let mut searcher = Engine::built_in(1);
    let mut before = Game::new(game.start().clone());
    let mut comments = record.pgn.split('{').skip(1);
    let mut drawn = 0;
    for &mv in game.moves() {
        let position = before.position();
        if position.of_colour(!position.turn()).single_square().is_some() {
            // Against a bare king, no moves are drawn at random.
            break;
        }
        let comment = comments.next().expect("every move has a comment");
        let comment = comment.split_whitespace().collect::<Vec<&str>>().join(" ");
        if record.white == 0 && before.position().turn().is_white() && !comment.starts_with("book")
        {
            let occasion = Occasion { seed: 11, game: number, ply: before.ply() as u64 };
            let request = EvaluationRequest::depth(2);
            let evaluation =
                searcher.evaluate(&before, &request, &Controls::new(), &mut NoObserver);
            let choice = choose(&before, &evaluation, &white, occasion).expect("there is a move");
            assert_eq!(choice.mv, mv);
            let c = white.parts()[choice.part].1.selector.curve.competence();
            let probability = choice.distribution.probability(choice.index);
            let note = format!("p={probability:.4} c={:.3} seed=11", c.get());
            assert!(comment.contains(&note), "{note}: {comment}");
            drawn += 1;
        }
        before.play(mv);
    }
    assert!(drawn > 5);
}

#[test]
fn invalid_player_settings_are_named() {
    let cases = [
        ("self profile=nobody", "unknown profile \"nobody\""),
        ("self profile=club competence=3", "competence cannot be combined with profile"),
        ("self imitator=0 elo=1500", "elo cannot be combined with imitator"),
        ("self elo=1500 competence=3", "competence cannot be combined with elo"),
        ("self elo=99999", "99999 is out of range: FIDE ratings must be from 400 to 3400"),
        ("self elo=399 scale=lichess-bullet", "Lichess-Bullet ratings must be from 400 to 3400"),
        ("self elo=1500 scale=USCF", "scale: unknown rating scale \"USCF\"; use FIDE"),
        (
            "self profil=club",
            "unknown word \"profil=club\" in a player's description; did you mean \"profile\"?",
        ),
        ("self depth", "unknown word \"depth\" in a player's description; write depth=VALUE"),
        ("selff elo=1500", "did you mean \"self\"?"),
        ("stockfish depth=1", "to play against a program, write cmd=stockfish"),
        ("self elo=nan", "elo cannot be \"nan\""),
        ("self elo=99999 curve=regan", "with the curve \"regan\""),
        ("self curve=softmax", "softmax"),
        ("self curve=regan competence=3", "competence is not a parameter of the curve \"regan\""),
        ("self competence=high", "competence cannot be \"high\""),
        ("self competence=3 depth=2 depth-weights=1,1,1", "3 depth weights"),
        ("self competence=3 nodes=100", "depth= instead of nodes="),
        ("self seed=-1", "seed=-1"),
        ("self imitator=0 memory=off", "memory cannot be \"off\"; write true or false"),
        ("self elo=1500 memory=true", "only an imitator remembers its opponent"),
        ("cmd=x memory=true", "\"memory=true\" works only with self"),
        ("cmd=x elo=1500", "elo=1500"),
    ];
    for (text, expected) in cases {
        let message = ContestantSpec::parse(text, &built_in_settings().profiles).expect_err(text);
        assert!(message.to_string().contains(expected), "{text}: {message}");
    }
    assert_eq!(spec("self profile=glance").limits.to_string(), "4 plies");
    assert_eq!(spec("self profile=glance depth=3").limits.to_string(), "3 plies");
}
