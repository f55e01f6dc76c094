//! The `analyse` command, tested by running the program.

use std::io::{BufRead, BufReader};

use crate::common::{Engine, Finished, Folder, program, run_with_input};
use serde_json::Value as Json;

const GAME: &str = "[Event \"Test\"]\n[White \"Morphy, Paul\"]\n[Black \"Allies\"]\n[WhiteElo \"2300\"]\n\
    [BlackElo \"1500\"]\n[Date \"1858.??.??\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6\n\
    9. Bg5 {[%clk 0:01]} b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6\n\
    15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0\n\n";

/// A scale that does not need the policy network, which would take most of the time.
const QUICK_SCALE: [&str; 2] = ["--scale", "Regan-Fitted"];

fn analyse(folder: &Folder, words: &[&str]) -> Finished {
    analyse_on_default_scale(folder, &[words, &QUICK_SCALE].concat())
}

fn analyse_on_default_scale(folder: &Folder, words: &[&str]) -> Finished {
    run_with_input(folder, &[&["analyse", "--depth", "2", "--threads", "2"], words].concat(), b"")
}

/// The same game, renumbered so that it is not a duplicate.
fn renumbered(game: &str, round: usize) -> String {
    game.replace("[Event \"Test\"]\n", &format!("[Event \"Test\"]\n[Round \"{round}\"]\n"))
}

/// Repeats the two test games `rounds` times, with different numbers.
fn many(rounds: usize) -> String {
    (0..rounds).map(|round| renumbered(&format!("{GAME}{OTHER}"), round)).collect()
}

fn reports(finished: &Finished) -> Vec<Json> {
    let parse = |line: &str| serde_json::from_str(line).expect(line);
    finished.out.lines().map(parse).collect()
}

#[test]
fn both_players_get_a_report_and_excluded_moves_are_counted() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let finished = analyse(&folder, &[&games, "--json", "--skip", "3", "--advantage", "20"]);
    assert_eq!(finished.code, 0, "{}", finished.error);
    let reports = reports(&finished);
    let names: Vec<&str> = reports.iter().filter_map(|report| report["name"].as_str()).collect();
    assert_eq!(names, ["Morphy, Paul", "Allies"]);
    let morphy = &reports[0];
    assert_eq!((&morphy["version"], &morphy["pgn_rating"]), (&1.into(), &2300.0.into()));
    // Counting best moves needs no fitted curve.
    assert!(reports.iter().all(|report| report["best_move_share"].is_f64()), "{reports:?}");
    // Fourteen of the seventeen moves come after move 3, and none of them was forced.
    assert_eq!(morphy["moves"], 14);
    assert_eq!(morphy["left_out"]["opening"], 3);
    assert_eq!(morphy["competence"][0]["depth"], 2);
    assert_eq!(morphy["comparison"]["projection"]["moves"], 14);
    // Fourteen moves are too few for a rating.
    assert!(morphy["rating"].is_null(), "{morphy}");
    let alone = ["--skip", "3", "--advantage", "20", "--window", "5", "--json"];
    let report = &self::reports(&analyse(&folder, &[&[games.as_str()], &alone[..]].concat()))[0];
    let window = &report["comparison"]["window"];
    assert_eq!(
        (&window["game"], &window["moves"]),
        (&"Morphy, Paul - Allies, 1858.??.??".into(), &5.into())
    );
    let morphy = |words: &[&str]| {
        let usual = [games.as_str(), "--player", "morphy", "--skip", "3", "--advantage", "20"];
        analyse(&folder, &[&usual[..], words].concat())
    };
    let few = morphy(&[]).out;
    assert!(
        few.starts_with(
            "Morphy, Paul: not enough moves to estimate a rating (14 of the 20 needed).\n"
        ),
        "{few}"
    );
}

#[test]
fn a_report_leads_with_the_rating_and_its_range() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(2));
    let morphy = |words: &[&str]| {
        let usual = [games.as_str(), "--player", "morphy", "--skip", "3", "--advantage", "20"];
        analyse_on_default_scale(&folder, &[&usual[..], words].concat())
    };
    let brief = morphy(&[]).out;
    let sentence = "Morphy, Paul played like a player rated ";
    let first = brief.split("\n\n").next().expect("a sentence").replace('\n', " ");
    assert!(first.starts_with(sentence) && first.contains(" FIDE (80% range: "), "{first}");
    let results = "(2 points from 2 games against opponents rated 1500 on average), the rating is ";
    assert!(first.contains(" moves in 4 games. Counting results as well "), "{first}");
    assert!(first.contains(results), "{first}");
    // A table, the mistakes and the accuracy follow, but no figures for researchers.
    let parts =
        ["\nplayer ", "\nCostliest mistakes: Morphy, Paul\n", "\nAccuracy\n", "\nA few games say"];
    let places = parts.map(|part| brief.find(part).unwrap_or_else(|| panic!("{part:?}: {brief}")));
    assert!(places.is_sorted(), "{brief}");
    assert!(
        !brief.contains("\nAllies") && !brief.contains("nats") && !brief.contains("c ="),
        "{brief}"
    );
    // The option `--full` adds the figures for researchers.
    let full = morphy(&["--full"]).out;
    assert!(
        full.starts_with(sentence)
            && full.contains(" of 1000 honest players would match the engine "),
        "{full}"
    );
    let at = morphy(&["--at", "1"]).out;
    assert!(at.contains("at depth 1: c ="), "{at}");
    let caution = at.lines().rev().take_while(|line| !line.is_empty());
    let caution: Vec<&str> = caution.collect();
    let begins = caution.last().is_some_and(|line| line.starts_with("These figures do not prove"));
    assert!(begins && caution.iter().all(|line| line.len() <= 100), "{at}");
    let group = analyse_on_default_scale(
        &folder,
        &[&games, "--by", "year", "--skip", "3", "--advantage", "20"],
    )
    .out;
    assert!(group.starts_with("1858: the moves are like those of players rated "), "{group}");
    // With more than two players, the report has tables only.
    let names = ["Ann", "Bob", "Cid"].map(|name| GAME.replace("Allies", name));
    let games = folder.write("more.pgn", &names.concat());
    let many = analyse_on_default_scale(&folder, &[&games, "--skip", "3"]).out;
    assert!(many.starts_with("player ") && !many.contains("Costliest"), "{many}");
}

#[test]
fn a_store_changes_nothing_but_the_time_and_serves_evaluate_too() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let alone = analyse(&folder, &[&games, "--json"]);
    let store = ["--json", "--store", "values.db"];
    let first = analyse(&folder, &[&[games.as_str()], &store[..]].concat());
    let again = analyse(&folder, &[&[games.as_str()], &store[..], &["--threads", "1"]].concat());
    // A repeated `--threads` is a command-line error, not a problem with the store.
    assert_eq!(again.code, 2);
    let again = run_with_input(
        &folder,
        &[
            &["analyse", "--depth", "2", "--threads", "1", &games, "--json"][..],
            &["--store", "values.db"],
            &QUICK_SCALE,
        ]
        .concat(),
        b"",
    );
    assert_eq!(alone.out, first.out);
    assert_eq!(alone.out, again.out);
    let fen = "4kb1r/p2rqppp/5n2/1B2p1B1/4P3/1Q6/PPP2PPP/2K4R w k - 0 14";
    let words = ["evaluate", "--depth", "2", "--store", "values.db", "--json", "--fen", fen];
    let evaluated = run_with_input(&folder, &words, b"");
    // If only one player is studied, only that player's positions are evaluated, unless the
    // positions after the player's moves are needed too.
    let held = |words: &[&str], store: &str| {
        let words = [&[games.as_str(), "--player", "morphy", "--store", store], words].concat();
        assert_eq!(analyse(&folder, &words).code, 0);
        let held = run_with_input(&folder, &["store", store, "--export", "json"], b"");
        held.out.lines().count()
    };
    let (own, both) = (held(&[], "own.db"), held(&["--gain", "across"], "both.db"));
    assert!(2 * own <= both + 1, "{own} of {both}");
    assert!(evaluated.error.starts_with("evaluations: 1 from the cache"), "{}", evaluated.error);
}

#[test]
fn groups_follow_the_options() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &(GAME.to_owned() + &renumbered(GAME, 2)));
    for (by, names) in [
        ("event", &["Test"][..]),
        ("rating-band", &["1500-1599", "2300-2399"]),
        ("colour", &["Black", "White"]),
        ("year", &["1858"]),
    ] {
        let finished = analyse(&folder, &[&games, "--json", "--by", by]);
        let reports = reports(&finished);
        let mut found: Vec<&str> =
            reports.iter().filter_map(|report| report["name"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, names, "{by}");
        assert!(reports.iter().all(|report| report["games"] == 2), "{by}");
    }
}

#[test]
fn bad_games_are_named_and_the_rest_are_analysed() {
    let folder = Folder::new();
    let broken = GAME.replace("Bg4", "Bh4");
    let open = "[Event \"open\"]\n\n1. e4 {never closed\n\n";
    let games = folder.write("games.pgn", &format!("{broken}{open}{GAME}"));
    let finished = analyse(&folder, &[&games, "--json"]);
    assert_eq!(finished.code, 2);
    assert_eq!(reports(&finished).len(), 2, "{}", finished.error);
    assert!(finished.error.contains(&format!("{games}:1: illegal move")), "{}", finished.error);
    assert!(finished.error.contains("Bh4"));
    assert!(finished.error.contains(&format!("{games}:15: this comment")), "{}", finished.error);
    assert!(finished.error.contains("skipped 2 unreadable games"), "{}", finished.error);
    for (words, complaint) in [
        (&["nowhere.pgn"][..], "nowhere.pgn"),
        (&["."], "this is a folder"),
        (&[&games, "--by", "moon"], "rating-band"),
        (&[&games, "--noise=-1"], "--noise"),
    ] {
        let finished = analyse(&folder, words);
        assert_eq!(finished.code, 2, "{words:?}");
        assert!(finished.error.contains(complaint), "{words:?}: {}", finished.error);
    }
    let nameless = folder.write("nameless.pgn", GAME.split("\n\n").nth(1).expect("its moves"));
    let finished = analyse(&folder, &[&nameless, "--json"]);
    let names: Vec<Json> = reports(&finished).iter().map(|report| report["name"].clone()).collect();
    assert_eq!(names, ["White (no name)", "Black (no name)"]);
    let nothing = folder.write("empty.pgn", "");
    let finished = analyse(&folder, &[&nothing]);
    assert_eq!(finished.code, 1);
    assert!(finished.error.contains("no moves in these games count"), "{}", finished.error);
    assert_eq!(analyse(&folder, &[&nothing, "--per-game"]).code, 0);
}

/// A different game, to which a different exclusion rule applies.
const OTHER: &str = "[Event \"Test\"]\n[White \"Allies\"]\n[Black \"Morphy, Paul\"]\n[Result \"*\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8\n\
    10. d4 Nbd7 11. c4 c6 *\n\n";

/// The options for analysing the whole file and its halves.
const WORDS: [&str; 7] = ["--json", "--skip", "4", "--at", "1", "--noise", "0.04"];

#[test]
fn the_statistics_of_halves_are_reported_as_one_run() {
    let folder = Folder::new();
    let halves = [format!("{GAME}{OTHER}"), renumbered(GAME, 2)];
    let whole = folder.write("whole.pgn", &halves.concat());
    let [a, b] = ["a.pgn", "b.pgn"];
    folder.write(a, &halves[0]);
    folder.write(b, &halves[1]);
    let words = ["--tournament", "--skip", "4", "--at", "1", "--noise", "0.04"];
    let report = |words: &[&str]| run_with_input(&folder, &[&["report"], words].concat(), b"");
    let measure = |games: &str, file: &str, words: &[&str]| {
        let finished = analyse(&folder, &[&[games, "--statistics", file], words].concat());
        assert_eq!((finished.code, &*finished.out), (0, ""), "{}", finished.error);
    };
    measure(a, "a.stats", &words);
    measure(b, "b.stats", &words);
    for text in [&["--json"][..], &[]] {
        let mut expected = analyse(&folder, &[&[whole.as_str()], &words[..], text].concat());
        assert_eq!(expected.code, 0, "{}", expected.error);
        // The mistakes come from the games themselves, which are not in the statistics.
        if let Some((before, rest)) = expected.out.split_once("\nCostliest mistakes: ") {
            let accuracy = rest.find("\nAccuracy\n").expect("a section");
            expected.out = format!("{before}{}", &rest[accuracy..]);
        }
        for files in [["a.stats", "b.stats"], ["b.stats", "a.stats"]] {
            let found = report(&[&files[..], &["--tournament"], text].concat());
            assert_eq!((&found.out, found.code), (&expected.out, 0), "{}", found.error);
        }
    }
    // One line for each player, as printed by `rate`.
    let rated = ["rate", "--depth", "2", "--skip", "4", &whole];
    let rated = run_with_input(&folder, &[&rated[..], &QUICK_SCALE].concat(), b"");
    let listed = report(&["a.stats", "b.stats", "--rate"]);
    assert_eq!(listed.out, rated.out, "{}", listed.error);
    // Adding up the statistics files gives the same sums as a single run. The header of the result
    // names both parts.
    assert_eq!(report(&["b.stats", "a.stats", "--sum", "sum.stats"]).code, 0);
    assert_eq!(report(&["a.stats", "b.stats", "--sum", "again.stats"]).code, 0);
    measure("whole.pgn", "whole.stats", &words);
    let bytes = |file: &str| std::fs::read(folder.path().join(file)).expect("it was written");
    assert_eq!(bytes("sum.stats"), bytes("again.stats"));
    let sums = |file: &str| {
        let bytes = bytes(file);
        let header = bytes.splitn(3, |&byte| byte == b'\n').take(2).map(|line| line.len() + 1);
        bytes[header.sum()..bytes.len() - 4].to_vec()
    };
    assert_eq!(sums("sum.stats"), sums("whole.stats"));
    // Statistics can also be written to standard output, even if the input contains no games.
    let words = ["analyse", "-", "--depth", "2", "--statistics", "-"];
    let piped = program(&folder, &words).stdin(std::process::Stdio::null()).output();
    assert!(piped.expect("it runs").stdout.starts_with(b"stopdown statistics 8\n{"));

    // Statistics that do not match, or are incomplete, are reported.
    measure(a, "other.stats", &["--skip", "5"]);
    folder.write("torn.stats", "stopdown statistics 8\n{}\n");
    folder.write("old.stats", "stopdown statistics 3\n{}\n");
    std::fs::copy(folder.path().join("a.stats"), folder.path().join("copy.stats"))
        .expect("writable");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("writable");
    };
    let whole = bytes("a.stats");
    write("short.stats", &whole[..2000]);
    write("joined.stats", &[whole.clone(), bytes("b.stats")].concat());
    let text = String::from_utf8_lossy(&whole);
    let games = text.find("\"games\":").expect("the header is text");
    // A flipped bit is detected anywhere in the file, from the number of games to the last sum.
    for (name, at) in
        [("games.stats", games + "\"games\":".len()), ("last.stats", whole.len() - 20)]
    {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        write(name, &damaged);
    }
    for at in (0..whole.len()).step_by(whole.len() / 16) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        write("bit.stats", &damaged);
        assert_eq!(report(&["bit.stats"]).code, 2, "a bit at {at} changed");
    }
    for (words, complaint) in [
        (&["a.stats", "other.stats"][..], "other.stats: its "),
        (
            &["b.stats", "short.stats"],
            "short.stats: the file is truncated; create it again with analyse --statistics",
        ),
        (&["torn.stats"], "torn.stats: the file is corrupt"),
        (
            &["old.stats"],
            "old.stats: the file has statistics format 3, but this version reads format 8",
        ),
        (
            &["a.stats", "copy.stats"],
            "copy.stats: it has the same games as a.stats; give only one of them",
        ),
        (&["sum.stats", "copy.stats"], "copy.stats: it has the same games as sum.stats"),
        (&["joined.stats"], "joined.stats: there is extra data after the end mark"),
        (&["games.stats"], "games.stats: the file is corrupt"),
        (&["last.stats"], "last.stats: "),
        (&["a.pgn"], "a.pgn: not a statistics file"),
        (&["nowhere.stats"], "nowhere.stats"),
        (
            &["other.stats", "--tournament"],
            "--tournament needs statistics written by analyse --tournament",
        ),
        (&["a.stats", "--sum", "a.stats"], "is also an input or another output"),
    ] {
        let finished = report(words);
        assert_eq!(finished.code, 2, "{words:?}: {}", finished.out);
        assert!(finished.error.contains(complaint), "{words:?}: {}", finished.error);
    }
}

#[test]
fn shards_hold_every_game_once_across_files() {
    let folder = Folder::new();
    let names = ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"];
    let games: Vec<String> = names.iter().map(|name| GAME.replace("Allies", name)).collect();
    let forward = folder.write("forward.pgn", &games.concat());
    let backward: Vec<String> = games.iter().rev().cloned().collect();
    let backward = folder.write("backward.pgn", &backward.concat());
    let measure = |games: &str, shard: &str, file: &str| {
        let finished = analyse(&folder, &[games, "--shard", shard, "--statistics", file]);
        assert_eq!(finished.code, 0, "{}", finished.error);
        std::fs::read(folder.path().join(file)).expect("it was written")
    };
    let whole = measure(&forward, "1/1", "whole.stats");
    let mut used = 0;
    for shard in ["1/3", "2/3", "3/3"] {
        let file = format!("{}.stats", &shard[..1]);
        assert_eq!(measure(&forward, shard, &file), measure(&backward, shard, "again.stats"));
        let manifest = folder.path().join(format!("{file}.manifest.json"));
        let manifest = std::fs::read_to_string(manifest).expect("a manifest");
        let manifest: Json = serde_json::from_str(&manifest).expect("JSON");
        assert_eq!(manifest["shard"], shard);
        used += manifest["games"].as_u64().expect("a number");
    }
    assert_eq!(used, 6);
    let words = ["report", "3.stats", "1.stats", "2.stats", "--sum", "sum.stats"];
    assert_eq!(run_with_input(&folder, &words, b"").code, 0);
    assert_eq!(std::fs::read(folder.path().join("sum.stats")).expect("the sum"), whole);
    assert_eq!(analyse(&folder, &[&forward, "--shard", "4/3"]).code, 2);

    // A missing shard is detected, even in a sum of sums.
    let report = |words: &[&str]| run_with_input(&folder, &[&["report"], words].concat(), b"");
    assert_eq!(report(&["3.stats", "1.stats", "--sum", "some.stats"]).code, 0);
    for files in [&["3.stats", "1.stats"][..], &["some.stats"]] {
        let refused = report(files);
        assert_eq!((refused.code, &*refused.out), (2, ""));
        assert!(
            refused
                .error
                .contains("shard 2 of 3 is missing; to report on the others, use --partial"),
            "{}",
            refused.error
        );
        let partial = report(&[files, &["--partial"]].concat());
        assert_eq!(partial.code, 0, "{}", partial.error);
        assert!(partial.error.contains("shard 2 of 3 is missing"), "{}", partial.error);
    }
    let twice = report(&["1.stats", "again.stats", "2.stats", "3.stats"]);
    assert!(
        twice.error.contains("3.stats: it has the same games as again.stats"),
        "{}",
        twice.error
    );
    assert_eq!(report(&["some.stats", "2.stats", "--sum", "all.stats"]).code, 0);
    assert_eq!(std::fs::read(folder.path().join("all.stats")).expect("the sum"), whole);
}

#[test]
fn a_sample_is_repeatable_and_reports_what_it_omitted() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &format!("{GAME}{OTHER}"));
    let words = [games.as_str(), "--sample", "5", "--skip", "2", "--advantage", "20", "--json"];
    let sampled = analyse(&folder, &words);
    assert_eq!(sampled.out, analyse(&folder, &words).out);
    let (mut used, mut left) = (0, 0);
    for report in reports(&sampled) {
        used += report["moves"].as_u64().expect("a number");
        used += report["left_out"]["forced"].as_u64().expect("a number");
        left += report["left_out"]["sample"].as_u64().expect("a number");
    }
    assert!((6..=10).contains(&used) && left > 20, "{used} {left}");
    // Outputs that need more positions would change the sample.
    let refused = analyse(&folder, &[&words[..], &["--csv", "moves.csv"]].concat());
    assert_eq!(refused.code, 2);
    assert!(refused.error.contains("--sample cannot be combined with"), "{}", refused.error);
}

#[test]
fn ratings_on_another_scale_are_converted_to_the_scale_of_the_report() {
    let folder = Folder::new();
    let online = GAME.replace("[Event ", "[RatingScale \"Chesscom-Blitz\"]\n[Event ");
    let games = folder.write("games.pgn", &online);
    let finished = analyse(&folder, &[&games, "--json"]);
    // A rating of 2300 there is halfway between those of players rated 2055 and 2210 by FIDE.
    let rating = reports(&finished)[0]["pgn_rating"].as_f64().expect("a rating");
    assert!((rating - 2132.5).abs() < 1.0, "{rating}");
}

#[test]
fn some_broken_games_are_tolerated_and_recorded() {
    let folder = Folder::new();
    let broken = GAME.replace("Bg4", "Bh4");
    let games = folder.write("games.pgn", &format!("{broken}{GAME}{}", renumbered(&broken, 2)));
    let measure = |tolerate: &str| {
        analyse(&folder, &[&games, "--statistics", "a.stats", "--tolerate", tolerate])
    };
    let refused = measure("1");
    assert_eq!(refused.code, 2);
    assert!(refused.error.contains("skipped 2 unreadable games; to accept that, use --tolerate 2"));
    assert!(refused.error.contains("or rename a.stats.incomplete"), "{}", refused.error);
    let read = |name: &str| std::fs::read(folder.path().join(name));
    assert!(read("a.stats").is_err() && read("a.stats.manifest.json").is_err());
    assert_eq!(measure("2").code, 0);
    assert_eq!(
        read("a.stats").expect("statistics"),
        read("a.stats.incomplete").expect("statistics")
    );
    let manifest = std::fs::read_to_string(folder.path().join("a.stats.manifest.json"));
    let manifest: Json = serde_json::from_str(&manifest.expect("a manifest")).expect("JSON");
    let left_out = manifest["left_out"].as_array().expect("a list");
    assert!(left_out.len() == 2 && left_out[0].as_str().is_some_and(|said| said.contains("Bh4")));
}

#[test]
fn a_line_for_a_game_says_the_same_as_a_report_on_it() {
    let folder = Folder::new();
    let words = ["--skip", "0", "--advantage", "30", "--window", "3", "--noise", "0.02"];
    let one = folder.write("one.pgn", GAME);
    let two = folder.write("two.pgn", &format!("{OTHER}{GAME}"));
    let whole = reports(&analyse(&folder, &[&[&*one, "--json"], &words[..]].concat()));
    let lines = reports(&analyse(&folder, &[&[&*two, "--per-game"], &words[..]].concat()));
    let players = lines[1]["reports"].as_array().expect("a list");
    for report in &whole {
        let same = players.iter().find(|player| player["name"] == report["name"]);
        let same = same.expect("the player is in the line");
        for key in ["comparison", "with_results", "competence_with_noise", "rating"] {
            assert_eq!(same[key], report[key], "{key} of {}", report["name"]);
        }
    }
    assert!(!whole[0]["comparison"]["window"].is_null(), "{:?}", whole[0]);
}

#[test]
fn moves_without_a_tag_are_reported_too() {
    let folder = Folder::new();
    let unrated = renumbered(GAME, 2).replace("[WhiteElo \"2300\"]\n", "");
    let games = folder.write("games.pgn", &format!("{GAME}{unrated}"));
    let found = reports(&analyse(&folder, &[&games, "--by", "rating-band", "--json"]));
    let mut names: Vec<&str> = found.iter().filter_map(|r| r["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["1500-1599", "2300-2399", "unknown"]);
}

#[test]
fn a_killed_run_resumes_to_the_same_result() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(4));
    let expected = analyse(&folder, &[&[games.as_str()], &WORDS[..]].concat());
    let lines = analyse(&folder, &[&games, "--per-game"]).out;
    let words = ["analyse", "--depth", "2", "--threads", "2", &games, "--per-game"];
    let words = [&words[..], &QUICK_SCALE, &["--store"]].concat();
    for seen in [1, 6] {
        let store = format!("{seen}.db");
        let words = [&words[..], &[&store]].concat();
        let mut child = program(&folder, &words).spawn().expect("the program starts");
        let printed = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        assert_eq!(printed.map_while(Result::ok).take(seen).count(), seen);
        child.kill().expect("it runs or has just exited");
        child.wait().expect("the child process");
        assert_eq!(run_with_input(&folder, &words, b"").out, lines);
        let again = analyse(&folder, &[&[&games, "--store", &store], &WORDS[..]].concat());
        assert_eq!((&again.out, again.code), (&expected.out, 0), "{}", again.error);
    }
}

#[cfg(unix)]
#[test]
fn a_killed_shard_writes_the_same_bytes_when_rerun() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(4));
    let words = |file: &'static str, store: &'static str| {
        let words = ["analyse", "--depth", "2", "--statistics", file, "--store", store];
        [&words[..], &QUICK_SCALE, &[&games]]
            .concat()
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let run = |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(run_with_input(&folder, &words, b"").code, 0);
    };
    run(&words("whole.stats", "whole.db"));
    let killed = words("killed.stats", "killed.db");
    let as_str: Vec<&str> = killed.iter().map(String::as_str).collect();
    let mut child = program(&folder, &as_str).spawn().expect("the program starts");
    // Once the store exists, the analysis is running.
    while !folder.path().join("killed.db").exists() {
        std::thread::yield_now();
    }
    child.kill().expect("it runs or has just exited");
    child.wait().expect("the child process");
    run(&killed);
    for ending in ["stats", "stats.manifest.json"] {
        let read = |name: &str| std::fs::read(folder.path().join(format!("{name}.{ending}")));
        assert_eq!(read("killed").expect("written"), read("whole").expect("written"), "{ending}");
    }
}

#[test]
fn files_are_written_after_the_reader_closes_the_pipe() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(6));
    let words = ["analyse", "--depth", "1", "--html", "a.html", "--csv", "a.csv"];
    let words = [&words[..], &QUICK_SCALE].concat();
    let mut child = program(&folder, &[&words[..], &["--by", "phase", &games]].concat())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("the program runs");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("the child process").code(), Some(0));
    for file in ["a.html", "a.csv"] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
}

#[test]
fn results_that_cannot_be_written_are_refused_before_the_work() {
    let folder = Folder::new();
    folder.write("games.pgn", GAME);
    let player = ["--player", "self depth=1", "--player", "self depth=2"];
    for words in [
        [&["ladder", "--games", "2", "--pgn", "l.pgn", "--html", "no/x.html"], &player[..]]
            .concat(),
        vec!["profile", "games.pgn", "--player", "Morphy", "-o", "no/x.toml"],
    ] {
        let finished = run_with_input(&folder, &words, b"");
        assert_eq!(finished.code, 2, "{words:?}");
        assert!(finished.error.contains("no/x"), "{words:?}: {}", finished.error);
        let left = std::fs::read_dir(folder.path()).expect("it exists").count();
        assert_eq!(left, 1, "{words:?}: a file was written");
    }
}

#[test]
fn only_named_files_are_written() {
    let folder = Folder::new();
    folder.write("games.pgn", GAME);
    for name in ["page.html.new", "moves.csv.new"] {
        folder.write(name, "somebody's");
    }
    let words =
        ["analyse", "games.pgn", "--depth", "1", "--html", "page.html", "--csv", "moves.csv"];
    let finished = run_with_input(&folder, &words, b"");
    assert!(finished.code < 2, "{finished:?}");
    let left = |name| std::fs::read_to_string(folder.path().join(name)).expect("it exists");
    for name in ["page.html.new", "moves.csv.new"] {
        assert_eq!(left(name), "somebody's");
    }
    assert!(left("moves.csv").lines().count() > 1 && left("page.html").contains("<html"));
}

#[test]
fn inputs_are_never_overwritten_and_outputs_must_differ() {
    let folder = Folder::new();
    folder.write("games.pgn", GAME);
    folder.write("new.html.new", "somebody's");
    for words in [
        &["analyse", "games.pgn", "--depth", "1", "--csv", "games.pgn"][..],
        &["analyse", "games.pgn", "--depth", "1", "--html", "./games.pgn"],
        &["analyse", "games.pgn", "--depth", "1", "--html", "new.html", "--csv", "new.html"],
        &["ladder", "--pgn", "games.pgn", "--html", "games.pgn"],
    ] {
        let finished = run_with_input(&folder, words, b"");
        assert_eq!(finished.code, 2, "{words:?}");
        assert!(
            finished.error.contains("is also an input or another output"),
            "{words:?}: {}",
            finished.error
        );
        let left = |name| std::fs::read_to_string(folder.path().join(name)).expect("it exists");
        assert_eq!(left("games.pgn"), GAME, "{words:?}");
        assert_eq!(left("new.html.new"), "somebody's", "{words:?}");
    }
}

#[test]
fn files_without_chess_games_are_named() {
    let folder = Folder::new();
    let other = GAME.replace("[Date", "[Variant \"King of the Hill\"]\n[Date");
    let usual = GAME.replace("[Date", "[Variant \"From Position\"]\n[Date");
    let games = folder.write("games.pgn", &format!("{other}{usual}"));
    let finished = analyse(&folder, &[&games, "--json"]);
    assert_eq!((finished.code, reports(&finished).len()), (2, 2), "{}", finished.error);
    assert!(
        finished.error.contains("games.pgn:1: the variant \"King of the Hill\" is not supported")
    );
    for (text, said) in [
        (&b"\n\n"[..], "no games in"),
        (b"\xff\xfe[\0E\0v\0", "UTF-16"),
        (b"1. e4 e\x1b5 1-0", "unreadable move at move 1"),
    ] {
        std::fs::write(&games, text).expect("it can be written");
        let finished = analyse(&folder, &[&games]);
        assert!(finished.error.contains(said), "{said}: {}", finished.error);
        assert!(!finished.error.contains('\x1b'), "the escape character was printed");
    }
}

#[test]
fn tournament_figures_add_up() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &format!("{GAME}{OTHER}"));
    let finished = analyse(&folder, &[&games, "--json", "--skip", "4", "--tournament"]);
    let last = reports(&finished).pop().expect("a table after the reports");
    let players = last["tournament"]["players"].as_array().expect("players").clone();
    assert_eq!(players.len(), 2);
    let against = |row: usize, column: usize| {
        let name = players[column]["name"].as_str().expect("a name");
        players[row]["scores"][name].as_f64().expect("a score")
    };
    assert!((against(0, 1) + against(1, 0) - 1.0).abs() < 1e-12);
    let number = |row: usize, field: &str| players[row][field].as_f64().expect(field);
    assert!(number(0, "score_against_engine") >= number(1, "score_against_engine"));
    // For each player, the rating minus the difference from the engine gives a rating for the
    // engine. The report has the mean of these ratings.
    let mean =
        (0..2).map(|row| number(row, "rating") - number(row, "difference")).sum::<f64>() / 2.0;
    let engine = last["tournament"]["engine"]["rating"].as_f64().expect("a rating");
    assert!((engine - mean).abs() < 1e-9);
    assert!((number(0, "performance") - engine - number(0, "difference")).abs() < 1e-9);
}

#[test]
fn rate_prints_one_line_for_each_player() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(2));
    let rate = |words: &[&str]| {
        run_with_input(&folder, &[&["rate", "--depth", "1", &games], words].concat(), b"")
    };
    let text = rate(&["--skip", "4"]);
    assert_eq!(text.code, 0, "{}", text.error);
    let lines: Vec<&str> = text.out.lines().collect();
    let columns = "player rating 95% range moves rating with results 95% range";
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>().join(" "), columns);
    assert!(text.out.contains("The last two columns also count the results"), "{}", text.out);
    assert_eq!(lines.iter().filter(|line| line.starts_with("Allies")).count(), 1);
    // The scale was not fitted to evaluations at one ply.
    let departure = "ratings are less reliable, because the analysis differs from the calibration: \
        depth 1 instead of at least 8";
    let words = text.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.ends_with(&format!("Scale: FIDE; {departure}.")), "{}", text.out);
    assert!(text.error.contains(departure), "{}", text.error);
    let json = reports(&rate(&["--skip", "4", "--json", "--player", "morphy"]));
    assert_eq!(json.len(), 1);
    assert_eq!((&json[0]["version"], &json[0]["calibrated"]), (&1.into(), &true.into()));
    assert_eq!(json[0]["differences"][0], "depth 1 instead of at least 8");
    // Two of the four games give the opponent's rating. Both were won.
    let combined = &json[0]["with_results"];
    assert_eq!((&combined["games"], &combined["score"]), (&2.into(), &2.0.into()));
    assert!(combined["rating"].as_f64() != json[0]["rating"].as_f64(), "{combined}");
    let number = |field: &str| json[0][field].as_f64().expect(field);
    let bound = |index: usize| json[0]["range_95"][index].as_f64().expect("a bound");
    assert!(bound(0) < number("rating") && number("rating") < bound(1) && number("moves") > 5.0);
    let quick = |words: &[&str]| rate(&[words, &QUICK_SCALE].concat());
    assert_eq!(quick(&["--min-moves", "1000"]).code, 1);
    // With few moves, neither the text nor the JSON has a rating.
    let few = quick(&["--skip", "9"]).out;
    let line = few.lines().find(|line| line.starts_with("Allies")).expect("a line");
    assert_eq!(line.split_whitespace().collect::<Vec<_>>()[..3], ["Allies", "-", "-"]);
    assert!(few.contains("\nPlayers with fewer than 20 moves are not rated.\n"), "{few}");
    let few = reports(&quick(&["--skip", "9", "--json"]));
    assert!(few.iter().all(|player| player["rating"].is_null()), "{few:?}");
    let published = rate(&["--skip", "4", "--scale", "published"]);
    assert_eq!(published.error, "");
    assert!(published.out.ends_with("only differences are meaningful.\n"));
    // With the depth and rules used for the fit, no warning appears.
    let words = ["rate", "--skip", "12", "--advantage", "20", "--player", "morphy", &games];
    let usual = run_with_input(&folder, &words, b"");
    assert_eq!((usual.code, &*usual.error), (0, ""));
    assert!(!usual.out.contains("differs"), "{}", usual.out);
    let capped = run_with_input(&folder, &[&words[..], &["--cap", "4"]].concat(), b"");
    assert!(capped.error.contains("calibration: a cap of 4 instead of none"), "{}", capped.error);
    let boundless = [&words[..], &["--cap", "1e9"]].concat();
    assert_eq!(
        run_with_input(&folder, &boundless, b"").code,
        2,
        "a cap of a billion pawns was accepted"
    );
    let network = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/network.bin");
    let words = [&words[..], &["--eval-file", network, "--depth", "2"]].concat();
    let said = run_with_input(&folder, &words, b"").error;
    let text =
        format!("depth 2 instead of at least 8, the network {network} instead of the built-in one");
    assert!(said.contains(&text), "{said}");
}

#[test]
fn players_are_rated_on_the_human_scale() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(2));
    let on = |scale: &str, words: &[&str]| {
        let start = ["rate", "--depth", "2", "--skip", "4", &games, "--scale", scale];
        run_with_input(&folder, &[&start, words].concat(), b"")
    };
    let json = reports(&on("board", &["--json", "--player", "morphy"]));
    assert_eq!((&json[0]["calibrated"], json.len()), (&Json::Bool(true), 1));
    assert_eq!(json[0]["scale"], "FIDE");
    let rating = json[0]["rating"].as_f64().expect("a rating");
    assert!((600.0..=2800.0).contains(&rating), "{rating}");
    // Policy values are stored with the decisions, so `analyse` reports the same rating.
    let report =
        analyse_on_default_scale(&folder, &[&games, "--skip", "4", "--scale", "board", "--json"]);
    let morphy = &reports(&report)[0];
    let again = morphy["rating"]["elo"].as_f64().expect("a rating");
    assert!((again - rating).abs() < 1.0, "{again} {rating}");
    assert!(on("lichess-blitz", &[]).out.lines().count() >= 3);
    assert_eq!(on("chess", &[]).code, 2);
    let no_competence = analyse_on_default_scale(&folder, &[&games, "--curve", "human"]);
    assert!(no_competence.error.contains("has no competence"), "{}", no_competence.error);
}

#[test]
fn openings_count_for_ratings_if_the_players_chose_them() {
    let folder = Folder::new();
    let games = many(2);
    let rating = |text: &str, words: &[&str]| {
        let games = folder.write("games.pgn", text);
        let start = ["rate", "--depth", "1", "--skip", "4", "--scale", "FIDE", "--json", &games];
        let finished = run_with_input(&folder, &[&start, words].concat(), b"");
        reports(&finished)[0]["rating"].as_f64().expect("a rating")
    };
    let without = rating(&games, &["--no-openings"]);
    assert_ne!(rating(&games, &[]), without);
    // With `--sample`, openings do not count either, because the policy network would take longer
    // on the openings than on the sample.
    assert_eq!(rating(&games, &["--sample", "100"]), without);
    // The same moves from a position that was set up: the white king's rook cannot castle.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w Qkq - 0 1";
    let tags = format!("[SetUp \"1\"]\n[FEN \"{start}\"]\n[Event ");
    let set_up = games.replace("[Event ", &tags);
    assert_eq!(rating(&set_up, &[]), rating(&set_up, &["--no-openings"]));
}

#[test]
fn a_player_profile_is_saved_and_played() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(2));
    let profile = |words: &[&str]| {
        let start = ["profile", "--depth", "1", "--skip", "4", "--advantage", "20", &games];
        run_with_input(&folder, &[&start, words].concat(), b"")
    };
    let saved = profile(&["--player", "morphy", "-o", "morphy.toml"]);
    assert_eq!(saved.code, 0, "{}", saved.error);
    assert!(saved.out.contains("Saved profile morphy-paul to morphy.toml"), "{}", saved.out);
    let text = std::fs::read_to_string(folder.path().join("morphy.toml")).expect("it was saved");
    assert!(text.contains("[profiles.morphy-paul]\n") && text.contains("\nelo = "), "{text}");
    assert!(saved.out.contains("  rating: "), "{}", saved.out);
    let mixed = profile(&["--player", "morphy", "-o", "mix.toml", "--curve", "levelled"]);
    assert!(mixed.out.starts_with("Morphy, Paul, based on "), "{}", mixed.out);
    let mixed = std::fs::read_to_string(folder.path().join("mix.toml")).expect("it was saved");
    assert_eq!(mixed.matches("[profiles.").count(), 1, "the mix is not a single profile: {mixed}");
    let few =
        ["profile", "--depth", "1", "--skip", "14", "--player", "morphy", "-o", "few.toml", &games];
    let few = run_with_input(&folder, &few, b"");
    assert!(few.code == 2 && few.error.contains("a profile needs at least 20"), "{}", few.error);
    // A second run writes the same profile. A file that someone else has written is not
    // overwritten.
    assert_eq!(profile(&["--player", "morphy", "-o", "morphy.toml"]).code, 0);
    folder.write("engine.toml", "[options]\nHash = 16\n");
    let spared = profile(&["--player", "morphy", "-o", "engine.toml"]);
    assert!(spared.code == 2 && spared.error.contains("engine.toml exists"), "{}", spared.error);
    for (words, complaint) in [
        (&["-o", "x.toml"][..], "--player NAME"),
        (&["--player", "", "-o", "x.toml"], "several players match"),
    ] {
        let finished = profile(words);
        assert!(finished.code == 2 && finished.error.contains(complaint), "{}", finished.error);
    }
    assert_eq!(profile(&["--player", "nobody", "-o", "x.toml"]).code, 1);

    let choose = ["--config", "morphy.toml", "choose", "--profile", "morphy-paul", "--json"];
    let chosen = run_with_input(&folder, &choose, b"");
    assert_eq!(chosen.code, 0, "{}", chosen.error);
    let mut engine = Engine::start_in(folder, &["--config", "morphy.toml"]);
    engine.send("setoption name Profile value morphy-paul");
    engine.send("setoption name Seed value 5");
    let answer = engine.go("wtime 60000 btime 60000");
    assert_eq!(answer.best().len(), 4);
    assert!(answer.0.iter().any(|line| line.contains("Plays as morphy-paul")), "{answer:?}");
}

#[test]
fn a_comparison_of_some_of_the_moves_says_how_many() {
    let folder = Folder::new();
    let mut games = many(2);
    let first = games.find("[WhiteElo").expect("a rating");
    games.replace_range(first.."[WhiteElo \"2300\"]\n".len() + first, "");
    let games = folder.write("games.pgn", &games);
    let words = [&*games, "--player", "Morphy", "--skip", "3", "--advantage", "20", "--full"];
    let out = analyse_on_default_scale(&folder, &words).out;
    assert!(out.contains("compared with players rated 2300 ("), "{out}");
    assert!(out.contains(" of the moves): "), "{out}");
}

#[test]
fn a_profile_with_a_rating_and_the_rating_itself_expect_the_same_moves() {
    let folder = Folder::new();
    let unrated: Vec<String> =
        many(1).lines().filter(|line| !line.contains("Elo \"")).map(str::to_owned).collect();
    let games = folder.write("games.pgn", &unrated.join("\n"));
    folder.write("rapid.toml", "[profiles.rapid]\nelo = 2000\nscale = \"Lichess-Rapid\"\n");
    let words = ["--config", "rapid.toml", "--scale", "Lichess-Rapid", "--skip", "3", "--json"];
    let compared = |with: &[&str]| {
        let words = [&[games.as_str()], &words[..], with].concat();
        let report = &reports(&analyse_on_default_scale(&folder, &words))[0];
        report["comparison"]["projection"].clone()
    };
    let [by_rating, by_profile] =
        [["--rating", "2000"], ["--against", "rapid"]].map(|with| compared(&with));
    assert!(by_rating["ln_likelihood"].is_number(), "{by_rating}");
    assert_eq!(by_rating["ln_likelihood"], by_profile["ln_likelihood"]);
    for figure in ["first_choice", "best_value", "average_loss", "average_loss_scaled"] {
        let [one, other] = [&by_rating, &by_profile].map(|found| &found[figure]);
        assert_eq!(one["expected"], other["expected"], "{figure}");
        // Players with the same rating differ, but a profile describes a single player.
        let deviation = |of: &serde_json::Value| of["standard_deviation"].as_f64();
        assert!(deviation(one) > deviation(other), "{figure}");
    }
}

#[test]
fn a_player_is_compared_with_their_earlier_games() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &many(2));
    let words = ["profile", &games, "--player", "Morphy", "--depth", "2", "-o", "morphy.toml"];
    let words = [&words[..], &["--skip", "3", "--advantage", "20"]].concat();
    assert_eq!(run_with_input(&folder, &words, b"").code, 0);
    let words = ["--config", "morphy.toml", "--player", "Morphy", "--against"];
    let against = |name| {
        analyse_on_default_scale(&folder, &[&[games.as_str()], &words[..], &[name]].concat())
    };
    let finished = against("morphy-paul");
    assert!(
        finished.out.contains("  compared with morphy-paul: "),
        "{}{}",
        finished.out,
        finished.error
    );
    // The player plays in the same style, so the report finds no difference.
    let words = [&words[..], &["morphy-paul", "--json"]].concat();
    let report =
        &reports(&analyse_on_default_scale(&folder, &[&[games.as_str()], &words[..]].concat()))[0];
    let comparison = &report["comparison"];
    assert_eq!(comparison["profile"], "morphy-paul");
    let z = comparison["projection"]["first_choice"]["z"].as_f64().expect("a number");
    assert!(z.abs() < 3.0, "{z}");
    // A blitz profile cannot be compared with these games, which need a different policy network.
    folder.write("server.toml", "[profiles.server]\ncurve = \"human-blitz\"\nrating = 1600\n");
    let words = ["--config", "server.toml", "--against", "server", "--scale", "FIDE"];
    let finished = analyse_on_default_scale(&folder, &[&[games.as_str()], &words[..]].concat());
    assert_eq!(finished.code, 2);
    assert!(
        finished.error.contains("uses the curve \"human-blitz\"; set --scale Lichess-Blitz"),
        "{}",
        finished.error
    );
    let finished = against("nobody");
    assert_eq!(finished.code, 2);
    assert!(finished.error.contains("nobody"), "{}", finished.error);
}

#[test]
fn a_rating_beyond_the_scale_uses_its_end_and_says_so() {
    let folder = Folder::new();
    let against = |rating: &str| {
        let rated = GAME.replace("\"2300\"", &format!("\"{rating}\""));
        let games = folder.write("games.pgn", &rated);
        let text = analyse_on_default_scale(&folder, &[&games, "--player", "Morphy", "--full"]).out;
        let json = analyse_on_default_scale(&folder, &[&games, "--player", "Morphy", "--json"]);
        (text, reports(&json)[0]["comparison"]["rating"].clone())
    };
    let (text, rating) = against("2000");
    assert!(
        text.contains("  compared with players rated 2000: ") && rating == 2000.0,
        "{text} {rating}"
    );
    let (text, rating) = against("3000");
    let end = "  compared with players rated 2800, the end of the scale: ";
    assert!(text.contains(end) && rating == 2800.0, "{text} {rating}");
}

#[test]
fn another_engine_is_compared_with_ours() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    // Over UCI, the same program searches the moves differently, but its scores are mostly the
    // same.
    let own = format!("\"{}\"", env!("CARGO_BIN_EXE_stopdown"));
    let words = [&games, "--json", "--skip", "4", "--player", "morphy", "--beside", &own];
    let finished = analyse(&folder, &words);
    assert_eq!(finished.code, 0, "{}", finished.error);
    let [alone, beside] = &reports(&finished)[..] else { panic!("{}", finished.out) };
    let agreement = &beside["agreement"];
    assert!(agreement["positions"].as_u64().is_some_and(|count| count > 20), "{agreement}");
    assert_eq!(agreement["players"][0]["name"], "Morphy, Paul");
    assert!(agreement["same_first_choice"].as_f64().is_some_and(|share| share > 0.3));
    assert!(agreement["mean_difference"].as_f64().is_some_and(|pawns| pawns < 3.0), "{agreement}");
    assert!(alone["competence"][0]["c"].as_f64().is_some());
    let finished = analyse(&folder, &["-", "--beside", &own]);
    assert!(finished.code == 2 && finished.error.contains("give a file"), "{}", finished.error);
}

#[test]
fn duplicate_games_count_once() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let more = folder.write("more.pgn", &GAME.replace("1858", "1859"));
    let both = folder.write("both.pgn", &(GAME.to_owned() + &GAME.replace("1858", "1859")));
    let once = analyse(&folder, &[&games, &more, "--json"]);
    let twice = analyse(&folder, &[&games, &both, "--json"]);
    assert_eq!(twice.out, once.out);
    assert!(twice.error.contains("1 duplicate game was counted once"), "{}", twice.error);
    assert!(!once.error.contains("counted once"), "{}", once.error);
    let again = analyse(&folder, &[&games, &games]);
    assert!(again.code == 2 && again.error.contains("is given twice"), "{}", again.error);
}

#[test]
fn missing_engines_and_players_are_named_before_the_work_starts() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let beside = analyse(&folder, &[&games, "--beside", "/nowhere/engine"]);
    assert_eq!((beside.code, beside.out.as_str()), (2, ""));
    assert!(beside.error.contains("--beside /nowhere/engine: "), "{}", beside.error);
    let unknown = analyse(&folder, &[&games, "--player", "Mueller"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.error.contains("has a name that contains \"Mueller\""), "{}", unknown.error);
    let none = analyse(&folder, &[&games, "--player", "Morphy", "--skip", "30"]);
    assert!(none.error.contains("left out: 17 opening moves"), "{}", none.error);
    let output = analyse(&folder, &[&games, "--html", "-"]);
    assert!(output.code == 2 && output.error.contains("give a file"), "{}", output.error);
}

#[test]
fn player_names_cannot_send_terminal_escapes() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &GAME.replace("Allies", "All\u{1b}[2J\u{7}ies"));
    let text = analyse(&folder, &[&games, "--skip", "3"]).out;
    assert!(text.contains("All [2J ies") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn mistakes_are_listed_whoever_else_is_in_the_file() {
    let folder = Folder::new();
    let short = |name: &str| {
        format!("[White \"{name}\"]\n[Black \"B{name}\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n")
    };
    let games = folder.write("games.pgn", &(["X", "Y", "Z"].map(short).concat() + GAME));
    let words = ["--skip", "0", "--advantage", "100"];
    let listed = |min_moves: &str| {
        let words = [&[games.as_str(), "--min-moves", min_moves], &words[..]].concat();
        let out = analyse(&folder, &words).out;
        out.split("Costliest mistakes: Morphy, Paul\n").nth(1).map(|rest| rest.starts_with("move "))
    };
    assert_eq!(listed("10"), Some(true));
    assert_eq!(listed("0"), None, "there are more than two players");
}

#[cfg(unix)]
#[test]
fn games_from_a_pipe_are_read_once() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let command = format!(
        "'{}' rate --depth 1 --skip 3 --json /dev/fd/3 3<&0",
        env!("CARGO_BIN_EXE_stopdown")
    );
    let mut child = std::process::Command::new("sh");
    child.args(["-c", &format!("cat '{games}' | {command}")]).current_dir(folder.path());
    let output = child.output().expect("sh runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.lines().count(), 2, "{text}");
}
