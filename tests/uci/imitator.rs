//! The real program imitates its opponent. It recognises the opponent's moves regardless of what
//! the GUI does, remembers the opponent, and changes its level in small steps.

use std::fs;

use crate::common::{Engine, Folder, Search, word_after};
use stopdown::board::Game;
use stopdown::player::Levels;

const CLOCK: &str = "wtime 600000 btime 600000";

fn imitator() -> Engine {
    imitator_in(Folder::new())
}

fn imitator_in(folder: Folder) -> Engine {
    let mut engine = Engine::start_in(folder, &[]);
    engine.send("setoption name Imitator value true\nsetoption name Depth value 2");
    engine.send("setoption name Explain value true\nsetoption name Seed value 5");
    engine.send("setoption name Pace value Instant");
    engine
}

fn go(engine: &mut Engine, moves: &str) -> Search {
    engine.send(&format!("position startpos moves {moves}"));
    engine.go(CLOCK)
}

/// The reported estimate of the opponent's rating, and the imitator's own level.
fn estimate(search: &Search) -> (String, f64) {
    let line = search.0.iter().find(|line| {
        line.contains("Your moves suggest a rating") || line.contains("No informative moves")
    });
    let line = line.expect("it says so");
    let (belief, _) = line.split_once(". Plays at").expect("it follows the estimate");
    let level = word_after(line, ". Plays at").trim_end_matches(['.', ',']);
    (belief.to_owned(), level.parse().expect("a rating"))
}

fn belief(search: &Search) -> String {
    estimate(search).0
}

/// The number of informative moves in this game and in earlier ones.
fn counts(search: &Search) -> (usize, usize) {
    let belief = belief(search);
    if belief.contains("No informative moves") {
        return (0, 0);
    }
    let number = |key| match word_after(&belief, key) {
        "none" => 0,
        number => number.parse().expect("a number"),
    };
    (number("based on"), number("this game and"))
}

fn contains_line(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

/// Plays varied moves as White. Returns the list of moves.
fn wander(engine: &mut Engine, plies: usize) -> String {
    let mut game = Game::default();
    let mut moves: Vec<String> = Vec::new();
    while moves.len() < plies && game.ending().is_none() {
        let legal = game.position().legal_moves();
        let mv = legal[(7 * moves.len() + 3) % legal.len()];
        moves.push(game.position().uci(mv));
        game.play(mv);
        if game.ending().is_some() {
            break;
        }
        let search = go(engine, &moves.join(" "));
        game.play(game.position().parse_uci(search.best()).expect("a legal move"));
        moves.push(search.best().to_owned());
    }
    moves.join(" ")
}

#[test]
fn a_game_loaded_in_the_middle_counts_the_opponents_moves() {
    let spanish = "e2e4 e7e5 g1f3 b8c6 f1b5";
    assert_eq!(counts(&go(&mut imitator(), spanish)), (3, 0));
    assert_eq!(counts(&go(&mut imitator(), &format!("{spanish} a7a6"))), (3, 0));
    assert_eq!(counts(&go(&mut imitator(), "")), (0, 0));
    let mut engine = imitator();
    let fen = "r3k2r/pp3ppp/2n2n2/3q4/3P4/2N2N2/PP3PPP/R2QK2R b KQkq - 3 12";
    engine.send(&format!("position fen {fen} moves d5h5 e1g1 e8c8"));
    assert_eq!(counts(&engine.go(CLOCK)), (2, 0));
}

#[test]
fn takebacks_and_jumps_leave_no_trace() {
    let mut wandering = imitator();
    go(&mut wandering, "e2e4 e7e5 d1h5");
    go(&mut wandering, "e2e4 e7e5 d1h5 b8c6 f1c4 g7g6 h5f3 g8f6 b1c3");
    go(&mut wandering, "e2e4 e7e5 g1f3");
    let there = "e2e4 e7e5 g1f3 b8c6 f1b5";
    assert_eq!(belief(&go(&mut wandering, there)), belief(&go(&mut imitator(), there)));
}

#[test]
fn swapping_colours_keeps_each_move_with_its_player() {
    let mut engine = imitator();
    let first = go(&mut engine, "e2e4");
    let reply = first.best().to_owned();
    // The opponent is White until the second move, then Black. The moves differ from the engine's
    // own choice.
    let moves = format!("e2e4 {reply} d2d4");
    let ours = go(&mut engine, &moves).best().to_owned();
    let game = Game::from_uci(None, moves.split(' '), false).expect("legal moves");
    let legal = game.position().legal_moves();
    let mut expected_moves = legal.iter().map(|&m| game.position().uci(m)).filter(|mv| *mv != ours);
    let now = format!("{moves} {}", expected_moves.next().expect("there are several"));
    assert_eq!(counts(&go(&mut engine, &now)), (3, 0));
    // Without the earlier commands, only the colour identifies the opponent.
    assert_eq!(counts(&go(&mut imitator(), &now)), (2, 0));
}

#[test]
fn a_new_game_is_detected_without_ucinewgame() {
    let next = |is_announced: bool| {
        let mut engine = imitator();
        wander(&mut engine, 24);
        if is_announced {
            engine.send("ucinewgame");
        }
        let search = go(&mut engine, "d2d4");
        (counts(&search), belief(&search))
    };
    let ((now, earlier), untold) = next(false);
    assert_eq!(now, 1);
    assert!((6..=12).contains(&earlier), "{earlier}");
    assert_eq!(untold, next(true).1);
}

#[test]
fn a_wrong_guess_while_pondering_teaches_nothing() {
    let after_one_move = |ponders: bool| {
        let mut engine = imitator();
        engine.send("setoption name Ponder value true");
        go(&mut engine, "e2e4");
        if ponders {
            engine.send("position startpos moves e2e4 e7e5 g1f3");
            engine.send(&format!("go ponder {CLOCK}\nstop"));
            engine.until("bestmove");
        }
        engine.send("ucinewgame");
        counts(&go(&mut engine, "d2d4"))
    };
    assert_eq!(after_one_move(true), after_one_move(false));
}

#[test]
fn an_opponent_is_not_forgotten_while_the_time_control_is_unknown() {
    let mut engine = imitator();
    engine.send("setoption name Elo Scale value Lichess");
    go(&mut engine, "e2e4 e7e5 g1f3 b8c6 f1b5");
    engine.send("ucinewgame");
    assert_eq!(counts(&go(&mut engine, "d2d4")), (1, 3));
}

#[test]
fn the_level_follows_in_small_steps() {
    let mut engine = imitator();
    engine.send("setoption name UCI_Opponent value none 2400 human Bob");
    let mut game: Vec<String> = Vec::new();
    let mut last = None;
    // The opponent hangs every piece.
    for mv in ["g2g4", "f2f3", "h2h4", "b2b4", "a2a4", "e1f2"] {
        game.push(mv.to_owned());
        let legal = Game::from_uci(None, game.iter().map(String::as_str), false);
        if legal.is_err() {
            break;
        }
        let search = go(&mut engine, &game.join(" "));
        let (_, level) = estimate(&search);
        if let Some(last) = last.replace(level) {
            assert!((level - last).abs() <= 101.0, "{last} to {level}");
        }
        game.push(search.best().to_owned());
    }
    assert!(last.expect("some moves") < 2400.0);
}

#[test]
fn the_depth_is_the_one_at_which_ratings_were_measured() {
    let mut engine = Engine::start();
    engine.send("setoption name Strength value Imitator\nsetoption name Explain value true");
    engine.send("ucinewgame");
    let lines = engine.drain();
    let depth = Levels::built_in().depth;
    let level = format!("info string Curve human, {depth} plies.");
    assert!(contains_line(&lines, &level), "{lines:?}");
}

#[test]
fn the_target_is_reported_and_takes_precedence() {
    for (options, because, level) in [
        ("", "Plays at your level.", 1300.0),
        ("setoption name Imitator Offset value -300", "Plays 300 Elo below your level.", 1000.0),
        (
            "setoption name Imitator Offset value -300\nsetoption name Imitator Score value 25",
            "Aims to score 25% against you.",
            1109.0,
        ),
        ("setoption name Imitator Offset value 9999", "Plays 2000 Elo above your level.", 3300.0),
    ] {
        let mut engine = imitator();
        engine.send("setoption name UCI_Opponent value none 1300 human Bob");
        engine.send("setoption name UCI_LimitStrength value true");
        engine.send(options);
        let search = go(&mut engine, "");
        assert!(contains_line(&search.0, because), "{search:?}");
        let (_, played) = estimate(&search);
        assert!((played - level).abs() <= 25.0, "{level}: {search:?}");
    }
}

#[test]
fn evaluations_that_exceed_the_limits_are_skipped() {
    let mut engine = imitator();
    engine.send("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5");
    let search = engine.go("nodes 1");
    assert!(contains_line(&search.0, "moves of the opponent not evaluated yet: 3 "), "{search:?}");
    assert_eq!(counts(&search), (0, 0));
    let search = engine.go("nodes 100000");
    assert_eq!(counts(&search), (3, 0), "{search:?}");
}

#[test]
fn pondering_is_used_and_every_go_is_answered_once() {
    let mut engine = imitator();
    engine.send("setoption name Ponder value true");
    let search = go(&mut engine, "e2e4");
    // The GUI did not request the background search, so it prints nothing and gives way to other
    // commands.
    engine.send("setoption name MultiPV value 2");
    assert_eq!(engine.sync(), Vec::<String>::new());
    let (reply, game) = (search.best().to_owned(), "position startpos moves e2e4");
    engine.send(&format!("{game} {reply} d2d4\ngo ponder {CLOCK}"));
    engine.until("info string Your moves suggest");
    assert!(!contains_line(&engine.sync(), "bestmove"));
    engine.send("ponderhit");
    engine.answer();
    // The expected move counts only after it has been played.
    engine.send(&format!("{game} {reply} g1f3\ngo ponder {CLOCK}\nstop"));
    engine.answer();
    assert_eq!(counts(&go(&mut engine, &format!("e2e4 {reply} b1c3"))), (2, 0));
    engine.send("stop\nponderhit");
    assert!(!contains_line(&engine.sync(), "bestmove"));
    engine.quit();
}

#[test]
fn an_opponent_is_remembered_in_the_next_session() {
    let folder = Folder::new();
    let file = folder.path().join("opponents.json");
    let keep = format!("setoption name Imitator Memory value {}", file.display());
    let meet = |name: &str| {
        let mut engine = imitator();
        engine.send(&keep);
        engine.send(&format!("setoption name UCI_Opponent value none none human {name}"));
        engine
    };
    let mut engine = meet("Anna B");
    let search = go(&mut engine, "e2e4 e7e5 g1f3 b8c6 f1b5");
    assert_eq!(counts(&search), (3, 0));
    engine.quit();
    let known = "Anna B's rating is assumed to be about ";
    let mut engine = meet("Anna B");
    engine.send("ucinewgame");
    let output = engine.drain();
    assert!(
        contains_line(&output, known)
            && contains_line(&output, "3 informative moves in earlier games"),
        "{output:?}"
    );
    // The same game is sent again, as after a lost connection. Its moves do not count twice.
    let again = go(&mut engine, "e2e4 e7e5 g1f3 b8c6 f1b5");
    assert_eq!(counts(&again), (0, 3));
    assert_eq!(counts(&go(&mut engine, "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4")), (1, 3));
    engine.quit();
    // Another engine process adds a different opponent to the same file.
    let mut engine = meet("Carl");
    assert_eq!(counts(&go(&mut engine, "d2d4")), (1, 0));
    engine.quit();
    let text = fs::read_to_string(&file).expect("the file is there");
    assert!(text.contains("\"Anna B\"") && text.contains("\"Carl\""), "{text}");
    let mut engine = meet("Anna B");
    assert!(contains_line(&go(&mut engine, "").0, "4 informative moves in earlier games"));
}

#[test]
fn processes_that_share_a_memory_lose_no_update() {
    let folder = Folder::new();
    let file = folder.path().join("opponents.json");
    let keep = format!("setoption name Imitator Memory value {}", file.display());
    // Two processes play against each opponent.
    let names = ["Anna", "Bob", "Carl", "Anna", "Bob", "Carl"];
    let mut engines = names.map(|name| {
        let mut engine = imitator();
        engine.send(&keep);
        engine.send(&format!("setoption name UCI_Opponent value none none human {name}"));
        engine.send("ucinewgame");
        engine
    });
    engines.iter_mut().for_each(|engine| drop(engine.drain()));
    let game = "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5";
    for engine in &mut engines {
        engine.send(&format!("{game}\ngo {CLOCK}"));
    }
    for mut engine in engines {
        engine.answer();
        engine.quit();
    }
    for name in ["Anna", "Bob", "Carl"] {
        let mut engine = imitator();
        engine.send(&keep);
        engine.send(&format!("setoption name UCI_Opponent value none none human {name}"));
        engine.send("ucinewgame");
        let output = engine.drain();
        let known = "6 informative moves in earlier games";
        assert!(contains_line(&output, known), "{name}: {output:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_bare_file_name_is_stored_in_the_user_data_folder_and_reported() {
    let folder = Folder::new();
    let path = folder.path().to_owned();
    let mut engine = imitator_in(folder);
    engine.send("setoption name Imitator Memory value opponents.json");
    engine.send("setoption name UCI_Opponent value none none human Anna");
    go(&mut engine, "e2e4");
    let file = path.join("data/stopdown/opponents.json");
    let notice = format!("remembered in {}", file.display());
    assert!(contains_line(&engine.drain(), &notice));
    assert!(fs::read_to_string(&file).expect("the file is there").contains("\"Anna\""));
    assert!(!path.join("opponents.json").exists(), "a file was left in the working directory");
    let search = go(&mut engine, "e2e4 e7e5 g1f3");
    assert!(
        !contains_line(&search.0, &notice) && !contains_line(&engine.drain(), &notice),
        "not reported exactly once: {search:?}"
    );
}

#[test]
fn estimates_on_different_scales_are_not_mixed() {
    let folder = Folder::new();
    let file = folder.path().join("opponents.json");
    let mut engine = imitator_in(folder);
    engine.send(&format!("setoption name Imitator Memory value {}", file.display()));
    engine.send("setoption name UCI_Opponent value none 1300 human Anna");
    let game = "e2e4 e7e5 g1f3";
    let is_given = |search: &Search, scale: &str| {
        let line = search.0.iter().find(|line| line.contains("Anna's rating is assumed"));
        line.is_some_and(|line| word_after(line, "to be about") == "1300")
            && contains_line(&search.0, &format!(" {scale} (90% range: "))
            && contains_line(&search.0, "based on the announced rating of 1300")
    };
    let search = go(&mut engine, game);
    assert!(is_given(&search, "FIDE"), "{search:?}");
    for (option, given, suffix) in [
        ("Elo Scale value Lichess-Blitz", Some("Lichess-Blitz"), "lichess"),
        ("Curve value Regan", Some("Lichess-Blitz"), "regan.lichess"),
        ("Elo Scale value FIDE", Some("FIDE"), "regan"),
        ("Curve value Auto", None, ""),
    ] {
        engine.send(&format!("setoption name {option}"));
        let search = go(&mut engine, game);
        let is_known = match given {
            Some(scale) => is_given(&search, scale),
            None => contains_line(&search.0, "2 informative moves in earlier games"),
        };
        assert!(is_known, "{option}: {search:?}");
        // If the scale changes during a game, the moves are evaluated again. Moves that were saved
        // in a file count only once.
        let expected = if suffix.is_empty() { (0, 2) } else { (2, 0) };
        assert_eq!(counts(&search), expected, "{option}");
        // The file is saved after the move is sent.
        engine.drain();
        let suffix = if suffix.is_empty() { String::new() } else { format!(".{suffix}") };
        assert!(fs::exists(format!("{}{suffix}", file.display())).expect("it can be checked"));
    }
}

#[test]
fn an_unusable_file_is_set_aside() {
    let folder = Folder::new();
    let good = r#"{"format":"Stopdown's opponents","version":3,"program":"","ratings":[600.0],"opponents":{}}"#;
    let cases = [
        (&good[..70], "corrupt"),
        ("{\"format\":\"Stopdown's opponents\",\"version\":1}", "it has version 1"),
        (good, "another scale"),
        (&good.replace("\"opponents\":{}", "\"opponents\":{\"A\":3}"), "corrupt"),
    ];
    for (number, (text, why)) in cases.into_iter().enumerate() {
        let name = format!("opponents {number}.json");
        let path = folder.write(&name, text);
        let mut engine = imitator();
        engine.send(&format!("setoption name Imitator Memory value {path}"));
        engine.send("setoption name UCI_Opponent value none none human Anna");
        let Search(lines) = go(&mut engine, "e2e4");
        assert!(
            contains_line(&lines, why) && contains_line(&lines, "unusable-1"),
            "{why}: {lines:?}"
        );
        engine.quit();
        let aside = fs::read_to_string(format!("{path}.unusable-1")).expect("it is kept");
        assert_eq!(aside, text);
        assert!(fs::read_to_string(&path).expect("a new one").contains("\"Anna\""));
    }
    // Other files are not changed, and an empty file is filled.
    for (text, is_ours) in
        [("not a file of ours", false), ("{\"format\":\"something\"}", false), ("\n", true)]
    {
        let path = folder.write("other.json", text);
        let mut engine = imitator();
        engine.send(&format!("setoption name Imitator Memory value {path}"));
        engine.send("setoption name UCI_Opponent value none none human Anna");
        let Search(lines) = go(&mut engine, "e2e4");
        assert_eq!(contains_line(&lines, "was not changed"), !is_ours, "{text}: {lines:?}");
        engine.quit();
        let now = fs::read_to_string(&path).expect("it exists");
        assert_eq!((now == text, now.contains("\"Anna\"")), (!is_ours, is_ours), "{text}");
    }
    // Files that cannot be read or written are not changed.
    let mut engine = imitator();
    engine.send(&format!("setoption name Imitator Memory value {}", folder.path().display()));
    engine.send("setoption name UCI_Opponent value none none human Anna");
    let Search(lines) = go(&mut engine, "e2e4");
    assert!(contains_line(&lines, "only until the program ends"), "{lines:?}");
    go(&mut engine, "e2e4 e7e5 g1f3");
}
