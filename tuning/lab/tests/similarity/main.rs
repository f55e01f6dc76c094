//! The similarity study reproduces the published figures, and no engine can spoil it.

#[path = "../../../../tests/common/mod.rs"]
mod common;
mod mock;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use common::{Folder, data, list, mock_command, mock_words, number, program, run_with_input};
use serde_json::Value as Json;
use stopdown::arena::ContestantSpec;
use stopdown::player::Roster;
use stopdown::report::text;
use stopdown_lab::report::similarity_report;
use stopdown_lab::study::similarity::upgma::cluster;
use stopdown_lab::study::similarity::{
    Answer, Column, DataLine, Interviewee, SimilarityStudy, Suite, interview, one_in, read_data,
    scaled_time, write_data,
};

fn figures() -> Json {
    serde_json::from_str(include_str!("../../../../tests/data/hair2012.json"))
        .expect("the figures are JSON")
}

#[test]
fn odds_match_the_paper() {
    let figures = figures();
    let (mean, deviation) = (number(&figures["mean"]), number(&figures["sd"]));
    for row in list(&figures["odds"]) {
        let z = number(&row["k"]);
        let published = number(&row["published_one_in"]);
        match z < 6.0 {
            true => assert_eq!(one_in(z).round(), published, "{z} deviations"),
            // The published values were computed as 1/(1 - Φ), which loses precision here.
            false => assert!((one_in(z) / published - 1.0).abs() < 1e-4, "{z} deviations"),
        }
        assert!((one_in(z) / number(&row["exact_one_in"]) - 1.0).abs() < 1e-6, "{z} deviations");
        let percent = mean + z * deviation;
        assert!((percent - number(&row["percent"])).abs() < 0.005, "{z} deviations");
    }
    assert_eq!(number(&figures["threshold_5sigma"]), 59.46);
    for outlier in list(&figures["outlier_z"]) {
        let z = (number(&outlier["pct"]) - mean) / deviation;
        assert!((z - number(&outlier["z"])).abs() < 1e-6 && z > 5.0);
    }
}

#[test]
fn trees_match_the_worked_examples() {
    for example in list(&figures()["upgma"]["examples"]) {
        let names: Vec<String> = list(&example["names"])
            .iter()
            .map(|name| name.as_str().expect("a name").to_owned())
            .collect();
        let rows = list(&example["distance"]).iter();
        let distances: Vec<Vec<f64>> =
            rows.map(|row| list(row).iter().map(number).collect()).collect();
        let tree = cluster(&distances).expect("there are leaves");
        assert_eq!(tree.newick(&names), example["newick"].as_str().expect("a tree"));
    }
}

#[test]
fn times_match_the_paper() {
    let figures = figures();
    let base = Duration::from_millis(20);
    for row in list(&figures["time_formula"]["forward"]) {
        let time = scaled_time(base, number(&row["delta"]));
        assert_eq!(time.as_millis() as f64, number(&row["ms_rounded"]));
    }
    for row in list(&figures["time_formula"]["inverse"]) {
        for difference in list(&row["integer_elo"]) {
            let time = scaled_time(base, number(difference));
            assert_eq!(time.as_millis() as f64, number(&row["ms"]), "{}", row["engine"]);
        }
    }
}

#[test]
fn the_published_matrix_of_36_engines_is_reproduced() {
    let Some(file) = data("suites/sim03/similarity.data") else { return };
    let text = std::fs::read_to_string(file).expect("suites are text");
    let lines = read_data(&text).expect("valid");
    assert_eq!(read_data(&write_data(&lines)), Ok(lines.clone()), "the data changed");
    let columns: Vec<Column> = lines.into_iter().map(Column::of_data).collect();
    let study = SimilarityStudy::new(&columns, 0, 1);
    let place = |name: &str| {
        let place = study.names.iter().position(|full| full.starts_with(name));
        place.unwrap_or_else(|| panic!("no {name}"))
    };
    let printed = include_str!("../../../../tests/data/similarity_36.txt");
    let rows = printed.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<(&str, &str)> =
        rows.map(|line| line.split_once(':').unwrap_or((line, ""))).collect();
    let mut compared = 0;
    for (name, percents) in &rows {
        for ((other, _), printed) in rows.iter().zip(percents.split_whitespace()) {
            let found = study.percents[place(name)][place(other)];
            assert_eq!(format!("{found:.2}"), printed, "{name} / {other}");
            compared += 1;
        }
    }
    assert_eq!(compared, 36 * 35 / 2);
}

/// A column of letters. A dot stands for a missing answer.
fn column(name: &str, moves: &str) -> Column {
    let moves = moves.chars().map(|c| (c != '.').then(|| c.to_string())).collect();
    Column::of_data(DataLine { name: name.to_owned(), moves })
}

#[test]
fn matches_means_and_odds_agree_with_a_calculation_by_hand() {
    let mut columns = vec![
        column("A", "aaaaaaaa"),
        column("B", "aaaabbbb"),
        column("C", "aabbccc."),
        column("silent", "........"),
        column("A2", "aaaaaaab"),
    ];
    for index in [0, 4] {
        columns[index].families.push("A".to_owned());
    }
    let study = SimilarityStudy::new(&columns, 200, 7);
    assert_eq!(study.names, ["A", "B", "C", "A2"]);
    // C has seven answers: two match A's, and two match B's.
    let percents = [50.0, 200.0 / 7.0, 200.0 / 7.0, 62.5, 200.0 / 7.0];
    let mean = percents.iter().sum::<f64>() / 5.0;
    assert_eq!(study.unrelated, 5);
    assert!((study.mean - mean).abs() < 1e-9);
    let squares: f64 = percents.iter().map(|p| (p - mean) * (p - mean)).sum();
    assert!((study.deviation - (squares / 4.0).sqrt()).abs() < 1e-9);
    let first = study.pairs[0];
    assert!((first.one, first.other, first.related) == (0, 3, true) && first.percent == 87.5);
    assert!((first.z - (87.5 - mean) / study.deviation).abs() < 1e-9);
    assert!(first.interval[0] < 87.5 && first.interval[1] > 87.5);
    let again = SimilarityStudy::new(&columns, 200, 7);
    assert_eq!(study.pairs, again.pairs, "the same seed gives other intervals");
    assert!(text::render(&similarity_report(&study, &[]), 100).contains("(related)"));
}

#[test]
fn bootstrap_intervals_are_as_wide_as_the_binomial_law_says() {
    let moves = |period: usize| -> String {
        (0..2000).map(|n| if n % period == 0 { 'x' } else { 'a' }).collect()
    };
    let columns = [column("A", &moves(10_000)), column("B", &moves(4)), column("C", &moves(3))];
    let study = SimilarityStudy::new(&columns, 400, 3);
    for pair in &study.pairs {
        let share = pair.percent / 100.0;
        let reach = 196.0 * (share * (1.0 - share) / 2000.0).sqrt();
        let [low, high] = pair.interval;
        assert!(((high - low) / (2.0 * reach) - 1.0).abs() < 0.15, "{pair:?}");
    }
}

/// Not a test: starts this program as the mock engine for the next test.
#[test]
fn mock_engine() {
    if let Some((vice, file)) = mock_words().as_deref().and_then(|words| words.split_once(',')) {
        mock::run(vice, file).expect("pipes");
    }
}

fn mock_player(vice: &str, folder: &Folder) -> String {
    let mock = mock_command(&format!("{vice},{}", folder.path().join(vice).display()));
    // One millisecond and no margin, so that an engine that waits for `stop` is late but does not
    // delay the test.
    format!("cmd='{mock}' st=0.001 margin=0 patience=60")
}

#[test]
fn engines_that_spoil_the_test_are_handled() {
    let folder = Folder::new();
    let suite =
        Suite::parse("test", "e2e4 | e7e5 | g1f3 | b8c6 | f1b5 | a7a6 | b5a4 |").expect("ok");
    let interviewee = |vice: &&str| Interviewee {
        name: (*vice).to_owned(),
        identity: "a mock".to_owned(),
        spec: ContestantSpec::parse(&mock_player(vice, &folder), &Roster::default())
            .expect("valid"),
        questions: (0..suite.positions.len()).collect(),
    };
    let vices = ["sound", "early", "crash", "mute"];
    let interviewees: Vec<Interviewee> = vices.iter().map(interviewee).collect();
    let mut answers: Vec<Answer> = Vec::new();
    let asked = interview(&suite, &interviewees, 1, None, |answer| {
        answers.push(answer);
        ControlFlow::Continue(())
    });
    asked.expect("threads can be started");
    let columns: BTreeMap<&str, Column> = vices
        .into_iter()
        .map(|vice| {
            let own: Vec<Answer> = answers.iter().filter(|a| a.player == vice).cloned().collect();
            (vice, Column::of_answers(vice, suite.positions.len(), &own))
        })
        .collect();
    for vice in ["sound", "early", "crash"] {
        assert_eq!(columns[vice].record.answers, 7, "{vice} did not answer every position");
        assert_eq!(columns[vice].moves, columns["sound"].moves);
    }
    assert_eq!(columns["crash"].record.faults, 3, "not restarted after every crash");
    assert!(columns["crash"].warnings(true).concat().contains("disconnects"));
    assert_eq!(columns["sound"].record.late, 7);
    assert!(columns["sound"].warnings(true).concat().contains("late"));
    assert_eq!(columns["mute"].record.answers, 0);
    assert!(columns["mute"].warnings(true).concat().contains("does not analyse"));
    let asked = answers.iter().filter(|answer| answer.player == "mute").count();
    assert_eq!(asked, 5, "asked again after five failures");
}

#[test]
fn identical_players_draw_independent_moves() {
    let mut suite = Suite::built_in().expect("a list");
    suite.positions.truncate(20);
    let words = "self competence=1 curve=levelled depth=1";
    let interviewee = |name: &str| Interviewee {
        name: name.to_owned(),
        identity: String::new(),
        spec: ContestantSpec::parse(words, &Roster::default()).expect("valid"),
        questions: (0..suite.positions.len()).collect(),
    };
    let mut answers: [Vec<Option<String>>; 2] = Default::default();
    let asked = interview(&suite, &["one", "other"].map(interviewee), 1, None, |answer| {
        answers[usize::from(answer.player == "other")].push(answer.mv);
        ControlFlow::Continue(())
    });
    asked.expect("threads can be started");
    assert_eq!(answers.each_ref().map(Vec::len), [20, 20]);
    assert_ne!(answers[0], answers[1]);
}

#[test]
fn engines_that_answer_before_half_their_time_are_named() {
    let answer = |position| Answer {
        player: "quick".to_owned(),
        words: String::new(),
        position,
        mv: Some("e2e4".to_owned()),
        ms: 1.0,
        depth: 2,
        early: true,
        late: false,
        faults: Vec::new(),
        distribution: None,
    };
    let column = Column::of_answers("quick", 3, &[answer(0), answer(1)]);
    assert!(column.warnings(true).concat().contains("depth=PLIES"));
    assert_eq!(column.moves.iter().flatten().count(), 2);
}

fn arguments<'a>(answers: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let own = ["similarity", "--player", "self depth=1", "--player", "self depth=2"];
    let rest = ["--each", "option.Hash=1", "--answers", answers, "--resume", "--json"];
    [&own[..], &rest, more].concat()
}

/// Writes the first games of the built-in list to a file. Returns its path and the number of positions.
fn positions(folder: &Folder, games: usize) -> (String, usize) {
    let list = include_str!("../../../similarity-positions.txt");
    let lines = list.lines().filter(|line| !line.starts_with('#')).take(games);
    let text = lines.collect::<Vec<_>>().join("\n");
    let count = Suite::parse("the first games", &text).expect("legal").positions.len();
    (folder.write("positions", &text), count)
}

#[test]
fn a_killed_and_resumed_study_gives_the_same_result() {
    let folder = Folder::new();
    let [file, other] = ["cut", "whole"].map(|name| folder.path().join(name).display().to_string());
    let (list, positions) = positions(&folder, 50);
    let first = ["--positions", &list];
    let lines = || std::fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    for wanted in [5, 60] {
        let mut child = program(&folder, &arguments(&file, &first)).spawn().expect("it starts");
        while lines() < wanted && child.try_wait().expect("the child process").is_none() {
            std::thread::yield_now();
        }
        child.kill().expect("it runs or has just exited");
        child.wait().expect("the child process");
    }
    // A line that is being written may be truncated.
    let text = std::fs::read(&file).expect("a journal");
    std::fs::write(&file, &text[..text.len() - 7]).expect("writable");
    let cut = run_with_input(&folder, &arguments(&file, &first), b"");
    let whole = run_with_input(&folder, &arguments(&other, &first), b"");
    assert_eq!((cut.code, whole.code), (0, 0), "{}", cut.error);
    let result = |text: &str| {
        let mut json: Json = serde_json::from_str(text).expect("JSON");
        for player in json["players"].as_array_mut().expect("a list") {
            player["mean_ms"] = Json::Null;
        }
        json
    };
    assert_eq!(result(&cut.out), result(&whole.out));
    assert_eq!(lines(), 1 + 2 * positions, "a position was asked twice");
    let json = result(&cut.out);
    assert_eq!(json["pairs"][0]["related"], true, "our own players are not related");
    assert!(json["pairs"][0]["distance"].as_f64().is_some_and(|d| d > 0.0 && d < 1.0));
}

#[test]
fn answers_under_other_conditions_are_not_mixed_in() {
    let folder = Folder::new();
    let file = folder.path().join("answers").display().to_string();
    let three = folder.write("three", "e2e4\nd2d4\nc2c4\n");
    let first = arguments(&file, &["--positions", &three]);
    assert_eq!(run_with_input(&folder, &first, b"").code, 0);
    let list = folder.write("list", "e2e4\nd2d4\n");
    let other = run_with_input(&folder, &arguments(&file, &["--positions", &list]), b"");
    assert!(other.code == 2 && other.error.contains("positions is \"3 ("), "{}", other.error);
    let same_name = [&first[..], &["--player", "self depth=3 name='Stopdown d9'"]].concat();
    assert_eq!(run_with_input(&folder, &same_name, b"").code, 0);
    let other = [&first[..], &["--player", "self depth=4 name='Stopdown d9'"]].concat();
    let other = run_with_input(&folder, &other, b"");
    assert!(other.code == 2 && other.error.contains("with different settings"), "{}", other.error);
    let without = [&first[..5], &["--answers", &file]].concat();
    assert_eq!(run_with_input(&folder, &without, b"").code, 2, "accepted without --resume");
    let data = folder.path().join("similarity.data").display().to_string();
    let saved = run_with_input(&folder, &[&first[..], &["--save-data", &data]].concat(), b"");
    assert_eq!(saved.code, 0);
    let lines = read_data(&std::fs::read_to_string(&data).expect("written")).expect("valid");
    assert_eq!((lines.len(), lines[0].moves.len()), (2, 3));
    let again = run_with_input(&folder, &["similarity", "--data", &data], b"");
    assert!(again.code == 0 && again.out.contains("3 positions"), "{}", again.error);
    // The same engines twice have different names in the tree.
    let tree = folder.path().join("tree").display().to_string();
    let twice =
        run_with_input(&folder, &["similarity", "--data", &data, &data, "--newick", &tree], b"");
    assert_eq!(twice.code, 0, "{}", twice.error);
    let tree = std::fs::read_to_string(&tree).expect("written");
    assert_eq!(tree.matches(" #2").count(), 2, "{tree}");
    for option in [["--rating", "X=3"], ["--each", "depth=1"], ["--answers", &file]] {
        let words = [&["similarity", "--data", &data][..], &option].concat();
        let refused = run_with_input(&folder, &words, b"");
        assert!(refused.code == 2 && refused.error.contains("no effect"), "{}", refused.error);
    }
}
