//! The calibration recovers the true ratings, and loses no games.

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::collections::HashSet;
use std::fs;

use common::{Finished, Folder, run_with_input};
use serde_json::Value as Json;
use stopdown::arena::{Effort, GameRecord, Pairing};
use stopdown::games::GameResult;
use stopdown::math::outcomes::outcome_rates;
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::{Levels, TableOrigin};
use stopdown::report::html;
use stopdown_lab::calibrate::people::PoolResults;
use stopdown_lab::calibrate::{Entrant, Ladder, Lineup, MeasuredLevel, Rounds, Scores, zero};
use stopdown_lab::report::{calibration_report, levels_text};

/// The true ratings in the simulation, which differ from the guesses.
fn truth(entrant: &Entrant) -> f64 {
    let off = if entrant.name.len().is_multiple_of(2) { 200.0 } else { -200.0 };
    entrant.guess + if entrant.is_anchor { off } else { off / 4.0 }
}

/// The fraction of a rating difference that shows in results. It is smaller between players on
/// different paths, because they choose their moves in different ways.
fn part(lineup: &Lineup, one: usize, other: usize) -> f64 {
    let mut paths = lineup.paths.iter().map(|path| &path.entrants);
    if paths.any(|path| path.contains(&one) && path.contains(&other)) { 1.0 } else { 0.82 }
}

/// Simulates a game between players of known strength.
fn simulate(lineup: &Lineup, pairing: Pairing) -> GameRecord {
    let Pairing { game, pair, white, black, .. } = pairing;
    let difference = truth(&lineup.entrants[white]) - truth(&lineup.entrants[black]);
    let rates = outcome_rates(expected(part(lineup, white, black) * difference), 0.3);
    let occasion = Occasion { seed: 9, game: game as u64, ply: 0 };
    let drawn = Stream::new(occasion, Purpose::Simulation).index(&rates);
    let results = [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins];
    GameRecord {
        game,
        pair,
        white,
        black,
        result: results[drawn.expect("rates have a sum")],
        reason: String::new(),
        termination: "normal".to_owned(),
        effort: [Effort::default(); 2],
        estimates: [None, None],
        pgn: String::new(),
    }
}

fn simulate_all(lineup: &Lineup, count: usize) -> Vec<GameRecord> {
    let rounds = Rounds { entrants: &lineup.entrants, seed: 1, count };
    let mut records = Vec::new();
    for round in 0..count {
        let pairings = rounds.pairings(round, &records);
        records.extend(pairings.into_iter().map(|pairing| simulate(lineup, pairing)));
    }
    records
}

fn origin() -> TableOrigin {
    TableOrigin::current("stopdown \"calibrate\"".to_owned(), 1000)
}

#[test]
fn a_killed_study_resumes_to_the_same_result() {
    let lineup = Lineup::full(8);
    let rounds = Rounds { entrants: &lineup.entrants, seed: 1, count: 8 };
    let all = simulate_all(&lineup, rounds.count);
    assert_eq!(all.len(), rounds.games());
    let numbers: HashSet<usize> = all.iter().map(|record| record.game).collect();
    assert_eq!(numbers.len(), all.len(), "two games share a number");
    // The study is killed during a round. Games may have finished in a different order.
    assert!(all.len() > 110);
    for kept in [0, 1, 77, 110] {
        let mut records = all[..kept].to_vec();
        records.reverse();
        for round in 0..rounds.count {
            let there: HashSet<usize> = records.iter().map(|record| record.game).collect();
            let pairings = rounds.pairings(round, &records);
            let outstanding = pairings.into_iter().filter(|p| !there.contains(&p.game));
            records.extend(outstanding.map(|pairing| simulate(&lineup, pairing)));
        }
        records.sort_by_key(|record| record.game);
        assert_eq!(records, all, "killed after {kept} games");
    }
}

#[test]
fn ratings_of_simulated_games_are_recovered_within_their_errors() {
    let lineup = Lineup::full(8).with_anchors();
    let records = simulate_all(&lineup, 120);
    let ladder = Ladder::of_scores(&lineup, 8, &Scores::of_records(&records), origin());
    // The true ratings, shifted to the zero of the scale.
    let human = &lineup.paths[0];
    let (shares, middle) = (zero::shares(&human.places), zero::middle());
    let at = |entrant: &usize| truth(&lineup.entrants[*entrant]);
    let mean: f64 = shares.iter().zip(&human.entrants).map(|(share, one)| share * at(one)).sum();
    // The errors in standard deviations.
    let z = |entrant: usize, measured: f64, error: f64| {
        1.96 * (measured - (at(&entrant) + middle - mean)) / error
    };
    let mut all = Vec::new();
    for (path, found) in lineup.paths.iter().zip(&ladder.paths) {
        for (&entrant, level) in path.entrants.iter().zip(&found.levels) {
            assert!(level.error < 250.0, "{}: {}", level.name, level.error);
            all.push(z(entrant, level.measured, level.error));
        }
    }
    let anchors = (0..).zip(&lineup.entrants).filter(|(_, entrant)| entrant.is_anchor);
    for ((entrant, _), anchor) in anchors.zip(&ladder.anchors) {
        all.push(z(entrant, anchor.elo, anchor.error));
    }
    let most = all.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
    let spread = (all.iter().map(|z| z * z).sum::<f64>() / all.len() as f64).sqrt();
    assert!(most < 4.5 && (0.6..1.3).contains(&spread), "{most} {spread} {all:?}");
}

#[test]
fn a_ladder_rises_respects_its_zero_and_survives_a_round_trip() {
    let lineup = Lineup::full(8);
    let records = simulate_all(&lineup, 4);
    let ladder = Ladder::of_scores(&lineup, 8, &Scores::of_records(&records), origin());
    for path in &ladder.paths {
        assert!(path.levels.windows(2).all(|pair| pair[0].elo < pair[1].elo), "{}", path.family);
    }
    let path = ladder.paths.iter().find(|path| path.family == zero::FAMILY.name());
    let levels: &[MeasuredLevel] = &path.expect("the path was played").levels;
    let places: Vec<f64> = levels.iter().map(|level| level.place).collect();
    let disagreement =
        |level: &MeasuredLevel| level.disagreement.expect("human-like players have one");
    let shares = zero::shares(&places);
    let mean: f64 = shares.iter().zip(levels).map(|(s, level)| s * disagreement(level)).sum();
    assert!(mean.abs() < 1e-6, "{mean}");
    // Within the range of the data, a level's rating equals the human rating that it imitates.
    let levels = ladder.levels();
    let people = levels.families["human"].iter().filter(|l| (600.0..=2800.0).contains(&l.place));
    people.for_each(|level| assert_eq!(level.elo, level.place));
    let levels: Levels = levels_text(&ladder.levels()).parse().expect("a table");
    assert_eq!((&levels.made, levels.depth), (&ladder.made, 8));
    for (family, written) in &ladder.levels().families {
        for (read, written) in levels.families[family].iter().zip(written) {
            assert_eq!(read.place, written.place);
            assert!((read.elo - written.elo).abs() <= 0.06, "{family}");
        }
    }
}

#[test]
fn games_of_an_earlier_ladder_count_for_the_same_players() {
    let mut lineup = Lineup::coarse(8);
    let guest =
        Entrant { name: "a guest".to_owned(), is_anchor: true, ..lineup.entrants[0].clone() };
    lineup.entrants.push(guest);
    let records = simulate_all(&lineup, 6);
    let (before, later) = records.split_at(records.len() / 2);
    let earlier = Ladder::of_scores(&lineup, 8, &Scores::of_records(before), origin());
    let mut scores = earlier.counted(&lineup, 8, &origin()).expect("the same players");
    scores.add_records(later);
    assert_eq!(scores, Scores::of_records(&records));
    let refused = |lineup: &Lineup, depth, origin: &TableOrigin| {
        earlier.counted(lineup, depth, origin).expect_err("other players").to_string()
    };
    let other = TableOrigin { engine: "another".to_owned(), ..origin() };
    assert!(refused(&lineup, 8, &other).contains("but this program has another"));
    assert!(refused(&lineup, 9, &origin()).contains("search 8 plies instead of 9"));
    let message = refused(&Lineup::coarse(8), 8, &origin());
    assert!(message.contains("games of \"a guest\"") && message.contains("--coarse"), "{message}");
}

#[test]
fn players_who_win_or_lose_every_game_have_finite_ratings() {
    let lineup = Lineup::coarse(8);
    let mut scores = Scores::default();
    for player in 1..lineup.entrants.len() {
        scores.add(player, player - 1, 10.0, 10.0);
    }
    let ladder = Ladder::of_scores(&lineup, 8, &scores, origin());
    let levels = || ladder.paths.iter().flat_map(|path| &path.levels);
    assert!(levels().all(|level| level.elo.is_finite() && level.error.is_finite()));
    assert!(levels_text(&ladder.levels()).parse::<Levels>().is_ok());
}

/// The expected score for this rating difference.
fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-difference / 400.0))
}

#[test]
fn the_shipped_calibration_can_be_read_and_shown() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../calibration/");
    let read = |name: &str| fs::read_to_string(format!("{folder}{name}")).expect(name);
    let ladder: Ladder = serde_json::from_str(&read("ladder.json")).expect("a ladder");
    assert_eq!(ladder.made, Levels::built_in().made);
    let people: Vec<PoolResults> = serde_json::from_str(&read("people.json")).expect("results");
    assert!(people.len() > 1 && people.iter().all(|of| of.models.len() > 5));
    // The page was made from these files with the present wording.
    let prose = |page: &str| {
        let is_prose = |line: &&str| line.starts_with("<p>") || line.starts_with("<h2>");
        page.lines().filter(is_prose).map(str::to_owned).collect::<Vec<String>>()
    };
    let report = calibration_report(Some(&ladder), &people);
    assert_eq!(prose(&read("card.html")), prose(&html::page(&report, "")));
}

/// The levels must be measured with the current network and search, because a table made with
/// others does not describe the strength of the players. If the table is stale, this test says so.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn the_built_in_table_was_made_with_the_built_in_weights() {
    let (table, here) = (&Levels::built_in().made, TableOrigin::current(String::new(), 0));
    if (&table.engine, &table.human) != (&here.engine, &here.human) {
        eprintln!(
            "skipped: tuning/calibration/levels.toml is stale; it was made with {}, but this build has {}; \
             run `stopdown-lab calibrate`",
            table.players(),
            here.players()
        );
    }
}

fn calibrate(folder: &Folder, words: &str) -> Finished {
    let words: Vec<&str> = words.split_whitespace().collect();
    run_with_input(
        folder,
        &[&["calibrate", "--work", "work", "--out", "out"], &words[..]].concat(),
        b"",
    )
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect(name)
}

#[test]
fn a_killed_run_gives_the_same_files() {
    let folder = Folder::new();
    let words = "--coarse --games 4 --depth 1 --ladder --card";
    let whole = calibrate(&folder, words);
    assert_eq!((whole.code, whole.error.as_str()), (0, ""));
    assert!(whole.out.contains("levelled") && whole.out.contains("play - rating"));
    let results = ["out/levels.toml", "out/ladder.json", "out/card.html"];
    let before = results.map(|name| read(&folder, name));
    assert!(
        before[0].parse::<Levels>().is_ok()
            && before[2].contains("Strength in games and rating of moves")
    );
    let journal = read(&folder, "work/ladder.pgn.jsonl");
    // A header, eight games in the first round, and four in the second, in which only the family
    // that target ratings use takes part.
    assert_eq!(journal.lines().count(), 1 + 8 + 4);
    // The state of the disk if power fails while the seventh game is being written.
    let end = journal.match_indices('\n').nth(6).expect("there are more lines").0;
    fs::write(folder.path().join("work/ladder.pgn.jsonl"), &journal[..end + 40]).expect("written");
    let games = read(&folder, "work/ladder.pgn");
    fs::write(folder.path().join("work/ladder.pgn"), &games[..games.len() / 9]).expect("written");
    results.iter().for_each(|name| fs::remove_file(folder.path().join(name)).expect(name));
    let again = calibrate(&folder, words);
    assert_eq!((again.code, &again.out), (0, &whole.out));
    assert_eq!(results.map(|name| read(&folder, name)), before);
    // Games outside the journal are kept.
    fs::write(folder.path().join("work/ladder.pgn"), "a foreign game").expect("written");
    let kept = calibrate(&folder, words);
    assert!(kept.error.contains("the old file was renamed to work/ladder.1.pgn"), "{}", kept.error);
    let aside = folder.path().join("work/ladder.1.pgn");
    assert_eq!(fs::read_to_string(&aside).expect("it exists"), "a foreign game");
    fs::remove_file(aside).expect("it exists");
    // Games with a different seed are not mixed in.
    let other = "--coarse --games 2 --depth 1 --ladder --json --seed 2";
    let refused = calibrate(&folder, other);
    assert_eq!(refused.code, 2);
    assert!(
        refused.error.contains("different settings: seed is \"1\" in the file"),
        "{}",
        refused.error
    );
    let [work, away] = ["work", "away"].map(|name| folder.path().join(name));
    fs::rename(&work, &away).expect("the folder can be renamed");
    let other = calibrate(&folder, other);
    let json: Json = serde_json::from_str(&other.out).expect("only JSON is printed");
    assert_eq!(json["ladder"]["made"]["games"], 8);
    // The games of both seeds can be counted together.
    let both = "--coarse --games 2 --depth 1 --ladder --json --seed 2 --after out/ladder.json";
    let twice = calibrate(&folder, both);
    assert!(twice.error.contains("give another --seed"), "{}", twice.error);
    fs::write(folder.path().join("out/ladder.json"), &before[1]).expect("written");
    let json: Json = serde_json::from_str(&calibrate(&folder, both).out).expect("JSON");
    assert_eq!(
        (&json["ladder"]["made"]["games"], &json["ladder"]["seeds"][1]),
        (&20.into(), &1.into())
    );
    // The output has replaced the file of the earlier ladder, but the run still continues from that
    // ladder.
    let json: Json = serde_json::from_str(&calibrate(&folder, both).out).expect("JSON");
    assert_eq!(json["ladder"]["made"]["games"], 20);
}

#[test]
fn impossible_options_are_reported_before_any_game() {
    let folder = Folder::new();
    for (words, expected) in [
        ("--games 3", "--games must be even"),
        ("--card", "--ladder first"),
        ("--games 0", "--games 0 needs --ladder"),
        ("--games 0 --ladder", "a ladder needs games"),
    ] {
        let refused = calibrate(&folder, words);
        assert_eq!(refused.code, 2);
        assert!(refused.error.contains(expected), "{}", refused.error);
    }
    fs::remove_dir_all(folder.path().join("work")).expect("it exists");
    folder.write("work", "a file");
    let refused = calibrate(&folder, "--ladder");
    assert_eq!(refused.code, 2);
    assert!(refused.error.contains("the folder work"), "{}", refused.error);
}
