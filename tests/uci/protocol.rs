//! The real program follows the UCI protocol in everything that GUIs are known to do.

use crate::common::{Engine, Folder, run_with_input, word_after};

#[test]
fn it_introduces_itself() {
    let mut engine = Engine::start();
    // Arena tries this protocol first.
    engine.send("xboard\nuci");
    let lines = engine.until("uciok");
    assert!(lines[0].starts_with("id name Stopdown "), "{lines:?}");
    assert!(lines[1].starts_with("id author "), "{lines:?}");
    for expected in [
        "option name Hash type spin default 16 min 1 max 1048576",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max 512",
        "option name Ponder type check default false",
        "option name MultiPV type spin default 1 min 1 max 256",
        "option name Move Overhead type spin default 20 min 0 max 10000",
        "option name UCI_Chess960 type check default false",
        "option name UCI_AnalyseMode type check default false",
        "option name UCI_ShowWDL type check default false",
        "option name UCI_Opponent type string default <empty>",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected} is not in {lines:#?}");
    }
    // Cute Chess drops a spin option whose default is out of range.
    for line in lines.iter().filter(|line| line.contains(" type spin ")) {
        let number = |key| word_after(line, key).parse::<i64>().expect(line);
        assert!((number(" min")..=number(" max")).contains(&number(" default")), "{line}");
    }
    assert!(engine.quit().is_empty());
}

/// A script may send everything at once and read the last line.
#[test]
fn answers_come_in_the_order_of_the_commands() {
    for (commands, expected) in [
        ("isready\ngo depth 1", "bestmove "),
        ("uci\nposition startpos\ngo depth 2", "bestmove "),
        ("setoption name UCI_Elo value 1500\nucinewgame\nisready\ngo depth 1", "bestmove "),
        ("go infinite\nucinewgame\nisready", "readyok"),
        ("go infinite\nposition startpos moves e2e4\nisready", "readyok"),
        ("go infinite\nucinewgame\nisready\nquit", "readyok"),
    ] {
        let finished = run_with_input(&Folder::new(), &[], commands.as_bytes()).out;
        let last = finished.lines().last().unwrap_or_default();
        assert!(last.starts_with(expected), "{commands:?}: {finished}");
    }
}

#[test]
fn isready_is_answered_whatever_runs() {
    let mut engine = Engine::start();
    for go in ["go infinite", "go ponder wtime 1000 btime 1000", "go perft 12"] {
        engine.send(go);
        engine.send("isready");
        let lines = engine.until("readyok");
        assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{go}: {lines:?}");
        engine.send("stop");
        if go.contains("perft") {
            engine.until("info string perft was stopped");
        } else {
            engine.answer();
        }
    }
    assert_eq!(engine.sync(), Vec::<String>::new());
    // A perft is not a search: it prints counts and no move.
    engine.send("go perft 3");
    assert_eq!(engine.until("Nodes searched: 8902").len(), 22);
}

#[test]
fn every_kind_of_limit_ends_a_search() {
    let mut engine = Engine::start();
    for limits in [
        "depth 5",
        "nodes 2000",
        "movetime 20",
        "wtime 100",
        "btime 100",
        "winc 10",
        "wtime 60000 btime 60000 winc 100 binc 100 movestogo 40 depth 4",
        "wtime 1000 btime 1000 movestogo 0",
        "wtime -50 btime -50 winc 0 binc 0",
        "mate 1 nodes 5000",
        "depth 3 foo bar",
        "depth 3 movetime 1000000 nodes 100000000",
        "searchmoves a2a3 h2h4 depth 4",
        "depth 0",
        "depth -1",
        "depth 100000 nodes 3000",
        "nodes 0",
        "movetime 0",
        "movetime 1.5",
        "depth",
        "nodes x",
        "depth 4\t",
    ] {
        engine.send("position startpos");
        let search = engine.go(limits);
        assert_eq!(search.best().len(), 4, "{limits}: {search:?}");
        assert_eq!(search.best(), search.last_shown(), "{limits}");
    }
}

#[test]
fn go_mate_finds_mates_that_start_with_a_sacrifice() {
    let mut engine = Engine::start();
    // The solution sacrifices a rook and relies on zugzwang. With all its pruning, the normal
    // search takes more than ten times as long to find it, but still less than a second.
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    for go in ["mate 2 nodes 10000", "mate 3 nodes 10000", "nodes 1000000"] {
        engine.send(&format!("ucinewgame\nposition fen {fen}"));
        let search = engine.go(go);
        let last = search.scored().last().map(|line| line.contains(" score mate 2 "));
        assert_eq!((search.best(), last), ("a1a6", Some(true)), "{go}: {search:?}");
    }
}

#[test]
fn a_search_without_nodes_plays_the_best_move_found_before() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4 e7e5");
    let best = engine.go("depth 6").best().to_owned();
    assert_eq!(engine.go("nodes 0").best(), best);
}

#[test]
fn a_node_limit_counts_all_threads() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 4");
    let search = engine.go("nodes 200000");
    let last = search.0.iter().rev().find_map(|line| line.split(" nodes ").nth(1));
    let nodes = last.and_then(|rest| rest.split(' ').next()?.parse::<u64>().ok());
    assert!(nodes.is_some_and(|nodes| nodes < 300_000), "{search:?}");
}

#[test]
fn search_lines_contain_integers() {
    let mut engine = Engine::start();
    let search = engine.go("wtime 100");
    let lines = search.scored();
    assert!(!lines.is_empty(), "{search:?}");
    for line in lines {
        let score = if line.contains(" score cp ") { "score cp" } else { "score mate" };
        for key in [score, " depth", " seldepth", " nodes", " nps", " time", " hashfull"] {
            word_after(line, key).parse::<i64>().expect(line);
        }
    }
}

#[test]
fn searchmoves_restricts_the_search() {
    let mut engine = Engine::start();
    let search = engine.go("depth 4 searchmoves a2a3");
    assert_eq!(search.best(), "a2a3");
    // A duplicate move, followed directly by the keyword of the next limit.
    assert_eq!(engine.go("searchmoves h2h3 h2h3 depth 3").best(), "h2h3");
    // Illegal moves are reported and ignored.
    let search = engine.go("searchmoves e2e5 a2a3 depth 3");
    assert_eq!(search.best(), "a2a3");
    assert!(search.0[0].contains("\"e2e5\""), "{search:?}");
    // python-chess writes this for an empty list.
    assert_eq!(engine.go("searchmoves 0000 depth 3").best(), "(none)");
}

#[test]
fn an_infinite_search_waits_for_stop() {
    let mut engine = Engine::start();
    for fen in [
        "8/8/8/8/8/1k6/8/K2r4 w - - 0 1",
        // One legal move; two moves to mate.
        "7k/5K2/6P1/8/8/8/8/8 b - - 0 1",
        "8/8/8/8/8/2k5/2p5/2K5 b - - 0 1",
    ] {
        engine.send(&format!("position fen {fen}"));
        engine.send("go infinite depth 2");
        let output = engine.sync();
        assert!(!output.iter().any(|line| line.starts_with("bestmove")), "{fen}: {output:?}");
        engine.send("stop");
        engine.answer();
    }
}

#[test]
fn pondering_waits_for_ponderhit_or_stop() {
    let mut engine = Engine::start();
    for end in ["ponderhit", "stop"] {
        engine.send("position startpos moves e2e4 e7e5");
        engine.send("go ponder depth 1 wtime 10 btime 10");
        let output = engine.sync();
        assert!(!output.iter().any(|line| line.starts_with("bestmove")), "{output:?}");
        engine.send(end);
        engine.answer();
    }
    // Not even a mate on the board ends pondering.
    engine.send("position fen R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1\ngo ponder wtime 10 btime 10");
    assert_eq!(engine.sync(), Vec::<String>::new());
    engine.send("ponderhit");
    assert_eq!(engine.answer().best(), "(none)");
    // If the search is still running, `ponderhit` starts the clock.
    engine.send("position startpos\ngo ponder wtime 50 btime 50\nponderhit");
    engine.answer();
}

#[test]
fn every_go_is_answered_once_and_in_order() {
    let mut engine = Engine::start();
    engine.send("go infinite\nposition startpos moves e2e4\ngo infinite\nucinewgame");
    engine.send("position fen 7k/8/8/8/8/8/R7/K7 w - - 0 1\ngo infinite\ngo depth 3");
    let answers: Vec<String> = (0..4).map(|_| engine.answer().best().to_owned()).collect();
    // The starting position with White to move, the position after 1. e4, and then the rook ending
    // twice.
    assert!(["1", "2"].contains(&&answers[0][1..2]), "{answers:?}");
    assert!(["7", "8"].contains(&&answers[1][1..2]), "{answers:?}");
    for answer in &answers[2..] {
        assert!(answer.starts_with("a1") || answer.starts_with("a2"), "{answers:?}");
    }
    assert_eq!(engine.sync(), Vec::<String>::new());
}

#[test]
fn a_stop_reaches_a_queued_search() {
    let mut engine = Engine::start();
    engine.send("go infinite\nposition startpos moves d2d4\ngo infinite\nstop");
    engine.answer();
    engine.answer();
    // If there is no search, `stop` and `ponderhit` do nothing.
    engine.send("stop\nponderhit\nstop");
    assert_eq!(engine.sync(), Vec::<String>::new());
}

#[test]
fn options_set_during_a_search_apply_to_the_next() {
    let mut engine = Engine::start();
    engine.send("go infinite\nsetoption name MultiPV value 2\nsetoption name Hash value 1");
    engine.send("setoption name Clear Hash");
    let output = engine.sync();
    let notices = output.iter().filter(|line| line.contains("after the current search")).count();
    assert_eq!(notices, 3, "{output:?}");
    engine.send("stop");
    engine.answer();
    let search = engine.go("depth 4");
    assert!(search.0.iter().any(|line| line.contains(" multipv 2 ")), "{search:?}");
}

#[test]
fn nothing_outlives_quit() {
    for go in ["infinite", "ponder wtime 9999999", "perft 20", "movetime 9999999"] {
        let mut engine = Engine::start();
        engine.send(&format!("go {go}"));
        engine.quit();
    }
}

#[test]
fn commands_before_the_end_of_input_are_answered() {
    let is_answer = |line: &&String| line.starts_with("bestmove ");
    // An infinite search is stopped. The others are completed.
    for (go, deepest) in [
        ("infinite", None),
        ("ponder wtime 9999999", None),
        ("", None),
        ("mate 1", Some(" depth 14 ")),
        ("depth 7", Some(" depth 7 ")),
        ("nodes 3000", None),
        ("depth 6\nposition startpos moves e2e4\nucinewgame\ngo depth 7", Some(" depth 7 ")),
    ] {
        let mut engine = Engine::start();
        engine.send(&format!("go {go}"));
        engine.close_input();
        let (code, output) = engine.end();
        assert_eq!(code, 0, "{go}");
        assert!(output.last().as_ref().is_some_and(is_answer), "{go}: {output:?}");
        assert_eq!(output.iter().filter(is_answer).count(), go.matches("go").count() + 1, "{go}");
        let reaches = |depth: &str| output.iter().any(|line| line.contains(depth));
        assert!(deepest.is_none_or(reaches), "{go}: {output:?}");
    }
    let mut engine = Engine::start();
    engine.send("go perft 3");
    engine.close_input();
    assert!(engine.end().1.contains(&"Nodes searched: 8902".to_owned()));
}

#[test]
fn the_end_of_the_game_has_no_move() {
    let mut engine = Engine::start();
    engine.send("position startpos moves f2f3 e7e5 g2g4 d8h4");
    let search = engine.go("wtime 1000 btime 1000");
    assert_eq!(search.0, ["info depth 0 score mate 0", "bestmove (none)"]);
    engine.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(engine.go("depth 5").0, ["info depth 0 score cp 0", "bestmove (none)"]);
}

#[test]
fn multipv_sets_the_number_of_lines() {
    let mut engine = Engine::start();
    engine.send("setoption name multipv value 256");
    let search = engine.go("depth 2");
    for number in 1..=20 {
        let key = format!(" multipv {number} ");
        assert!(search.0.iter().any(|line| line.contains(&key)), "{key}: {search:?}");
    }
    assert_eq!(search.best(), search.last_shown());
    // More lines are requested than there are legal moves.
    engine.send("position fen 7k/8/8/8/8/8/8/K7 w - - 0 1");
    engine.go("depth 3");
}

#[test]
fn win_draw_loss_is_shown_on_request() {
    let mut engine = Engine::start();
    assert!(!engine.go("depth 2").0.iter().any(|line| line.contains(" wdl ")));
    engine.send("setoption name UCI_ShowWDL value true");
    for line in engine.go("depth 2").scored() {
        let (_, rest) = line.split_once(" wdl ").expect(line);
        let words = rest.split(' ').take(3).map(|word| word.parse::<u32>().expect(line));
        assert_eq!(words.sum::<u32>(), 1000, "{line}");
    }
}

#[test]
fn castling_notation_follows_the_variant() {
    let mut engine = Engine::start();
    // The search is restricted to castling, in either notation.
    let castle = "depth 2 searchmoves e1g1";
    let fen = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    engine.send(fen);
    assert_eq!(engine.go(castle).best(), "e1g1");
    engine.send("setoption name UCI_Chess960 value true");
    engine.send(fen);
    assert_eq!(engine.go("depth 2 searchmoves e1h1").best(), "e1h1");
    // Shredder-FEN and X-FEN, with rooks off their usual squares.
    for rights in ["GBgb", "KQkq"] {
        let start = "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w";
        engine.send(&format!("position fen {start} {rights} - 0 1 moves a1b3 h8g6"));
        assert_eq!(engine.go("depth 3").best().len(), 4);
    }
    // Double Fischer random: the two sides start differently.
    engine.send("position fen bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN w GBhf - 0 1");
    engine.go("depth 3");
    assert_eq!(engine.sync(), Vec::<String>::new());
}

#[test]
fn a_repeated_position_is_still_searched() {
    let mut engine = Engine::start();
    let dance = " g1f3 g8f6 f3g1 f6g8".repeat(60);
    engine.send(&format!("position startpos moves{dance}"));
    assert_eq!(engine.go("depth 4").best().len(), 4);
}

#[test]
fn a_new_game_reports_the_player() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Opponent value GM 2800 human Gary Kasparov");
    engine.send("ucinewgame");
    assert_eq!(engine.drain(), ["info string Plays at full strength."]);
}

#[test]
fn a_game_from_a_position_is_announced_once() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_LimitStrength value true");
    engine.send("setoption name Depth value 1");
    engine.send("ucinewgame");
    let mut output = engine.drain();
    engine.send("position fen 8/8/8/8/8/5k2/7R/K7 w - - 0 1");
    output.extend(engine.go("depth 1").0);
    let games: Vec<&String> = output.iter().filter(|line| line.contains(", game ")).collect();
    assert_eq!(games.len(), 1, "{games:?}");
}

#[test]
fn defaults_come_from_the_file() {
    let folder = Folder::new();
    folder.write("engine.toml", "[options]\nHash = 3\nUCI_ShowWDL = true\n");
    let mut engine = Engine::start_in(folder, &[]);
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines.iter().any(|line| line.starts_with("option name Hash type spin default 3 ")));
    assert!(engine.go("depth 1").0.iter().any(|line| line.contains(" wdl ")));
}

#[test]
fn an_error_in_the_file_is_reported_and_the_game_continues() {
    let folder = Folder::new();
    let path = folder.write("mine.toml", "[options]\n\nThreads = 0\n");
    let mut engine = Engine::start_in(folder, &["--config", &path]);
    let line = engine.line();
    assert!(
        line.starts_with("info string ")
            && line.contains("mine.toml:3: 0 is out of range: Threads must be from 1 to 512"),
        "{line}"
    );
    engine.go("depth 2");
}

#[test]
fn debug_reports_unknown_input() {
    let mut engine = Engine::start();
    engine.send("frobnicate");
    assert_eq!(engine.sync(), Vec::<String>::new());
    engine.send("joho debug on\nfrobnicate\nregister later");
    assert_eq!(engine.sync().len(), 2);
    engine.send("debug off\nfrobnicate");
    assert_eq!(engine.sync(), Vec::<String>::new());
}
