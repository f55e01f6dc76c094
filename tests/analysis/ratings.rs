//! Ratings match those that Ordo computes for the same games, and their intervals have the
//! nominal coverage.

use crate::common::{Folder, run_with_input};
use serde_json::Value as Json;
use stopdown::arena::ratings::{
    Crosstable, PlayerRating, PointScale, RatingList, RatingRules, Strength,
};
use stopdown::games::GameResult;
use stopdown::math::outcomes::Outcomes;
use stopdown::math::outcomes::outcome_rates;
use stopdown::math::paired::{Encounter, Fit, GamePool, Uncertainty};
use stopdown::math::streams::{Occasion, Purpose, Stream};

/// Two engines against five opponents, with 700 games for each pairing: the wins, draws and losses
/// of the first player. The author of Zevra published them together with Ordo's ratings.
const GAUNTLET: [(&str, &str, [u64; 3]); 10] = [
    ("Zevra 1.8.6", "GreKo", [12, 48, 640]),
    ("Zevra 1.8.6", "Galjoen", [162, 155, 383]),
    ("Zevra 1.8.6", "CT800", [313, 142, 245]),
    ("Zevra 1.8.6", "Baislicka", [319, 157, 224]),
    ("Zevra 1.8.6", "Hedgehog", [368, 180, 152]),
    ("Zevra 1.8.5", "GreKo", [12, 38, 650]),
    ("Zevra 1.8.5", "Galjoen", [127, 134, 439]),
    ("Zevra 1.8.5", "CT800", [256, 162, 282]),
    ("Zevra 1.8.5", "Baislicka", [274, 149, 277]),
    ("Zevra 1.8.5", "Hedgehog", [312, 163, 225]),
];

/// The list printed by Ordo: ratings and errors.
const PRINTED: [(&str, f64, Option<f64>); 7] = [
    ("GreKo", 2804.4, Some(36.6)),
    ("Galjoen", 2418.8, Some(19.0)),
    ("Zevra 1.8.6", 2303.4, Some(16.2)),
    ("CT800", 2266.1, Some(17.6)),
    ("Baislicka", 2253.4, Some(18.7)),
    ("Zevra 1.8.5", 2250.0, None),
    ("Hedgehog", 2198.8, Some(18.9)),
];

/// The published results do not include colours. Since colours alternated, each player gets White
/// in half of the wins, draws and losses.
fn gauntlet() -> Crosstable {
    let mut table = Crosstable::default();
    for (one, other, [wins, draws, losses]) in GAUNTLET {
        for (count, as_white, as_black) in [
            (wins, GameResult::WhiteWins, GameResult::BlackWins),
            (draws, GameResult::Draw, GameResult::Draw),
            (losses, GameResult::BlackWins, GameResult::WhiteWins),
        ] {
            for game in 0..count {
                match game % 2 {
                    0 => table.add(one, other, as_white),
                    _ => table.add(other, one, as_black),
                }
            }
        }
    }
    table
}

fn published_rules() -> RatingRules {
    RatingRules {
        anchors: vec![("Zevra 1.8.5".to_owned(), 2250.0)],
        advantage: Some(26.71),
        ..RatingRules::default()
    }
}

#[test]
fn ordo_ratings_are_reproduced_to_a_tenth_of_a_point() {
    let list = RatingList::new(&gauntlet(), &published_rules()).expect("the anchor has games");
    for (rating, (name, printed, error)) in list.ratings.iter().zip(PRINTED) {
        assert_eq!(rating.name, name);
        let found = rating.rating.value().expect("all are connected");
        assert!((found - printed).abs() < 0.1, "{name}: {found} instead of {printed}");
        assert_eq!(rating.error.is_some(), error.is_some());
        if let (Some(found), Some(printed)) = (rating.error, error) {
            // Ordo's errors come from simulations, so they are approximate themselves.
            assert!((found / printed - 1.0).abs() < 0.08, "{name}: +- {found}, not {printed}");
        }
    }
    let draws = list.draws.expect("there are games");
    assert!((100.0 * draws.value - 22.95).abs() < 0.05, "{draws:?}");
}

#[test]
fn the_error_of_a_draw_rate_is_not_negative() {
    for results in [&[GameResult::WhiteWins, GameResult::Draw][..], &[GameResult::Draw; 2]] {
        let mut table = Crosstable::default();
        for &result in results {
            table.add("A", "B", result);
        }
        let list = RatingList::new(&table, &RatingRules::default()).expect("a list");
        let error = list.draws.map_or(0.0, |draws| draws.error);
        assert!((0.0..=1.0).contains(&error), "{results:?}: {error}");
    }
}

#[test]
fn a_player_who_only_won_has_no_rating() {
    let mut table = Crosstable::default();
    (0..2).for_each(|_| table.add("A", "B", GameResult::WhiteWins));
    let list = RatingList::new(&table, &RatingRules::default()).expect("a list");
    assert!(list.ratings.iter().all(|player| player.rating == Strength::Unknown));
    assert!(list.problem.is_some_and(|problem| problem.starts_with("not enough games")));
}

#[test]
fn a_few_draws_leave_uncertainty() {
    let mut table = Crosstable::default();
    (0..2).for_each(|_| table.add("A", "B", GameResult::Draw));
    let list = RatingList::new(&table, &RatingRules::default()).expect("a list");
    let errors: Vec<Option<f64>> = list.ratings.iter().map(|player| player.error).collect();
    assert!(errors.iter().flatten().any(|&error| error > 50.0), "{errors:?}");
}

#[test]
fn three_to_one_odds_twice_make_nine_to_one() {
    let mut table = Crosstable::default();
    for (one, other, [wins, draws, losses]) in
        [("A", "B", [18, 9, 3]), ("B", "C", [18, 9, 3]), ("A", "C", [24, 6, 0])]
    {
        (0..wins).for_each(|_| table.add(one, other, GameResult::WhiteWins));
        (0..draws).for_each(|_| table.add(one, other, GameResult::Draw));
        (0..losses).for_each(|_| table.add(one, other, GameResult::BlackWins));
    }
    for (scale, step) in [(PointScale::ordo(), 192.53), (PointScale::logistic(), 190.85)] {
        let rules =
            RatingRules { scale, average: 0.0, advantage: Some(0.0), ..RatingRules::default() };
        let list = RatingList::new(&table, &rules).expect("no anchors");
        for (rating, expected) in list.ratings.iter().zip([step, 0.0, -step]) {
            let found = rating.rating.value().expect("connected");
            assert!((found - expected).abs() < 0.01, "{}: {found}", rating.name);
        }
    }
}

/// A pool of simulated players, each of whom has played a few others with both colours.
fn simulated(players: usize, seed: u64) -> (GamePool, Vec<f64>) {
    let mut stream = Stream::new(Occasion { seed, game: 0, ply: 0 }, Purpose::Simulation);
    let strengths: Vec<f64> = (0..players).map(|_| 4.0 * stream.uniform() - 2.0).collect();
    let mut encounters = Vec::new();
    for first in 0..players {
        for second in (0..players).filter(|&second| second != first) {
            if stream.uniform() < 0.4 {
                continue;
            }
            let difference = strengths[first] - strengths[second] + 0.2;
            let rates = outcome_rates(1.0 / (1.0 + (-difference).exp()), 0.35);
            let mut counts = [0; 3];
            for _ in 0..8 {
                counts[stream.index(&rates).expect("rates are positive")] += 1;
            }
            encounters.push(Encounter { first, second, outcomes: Outcomes(counts) });
        }
    }
    (GamePool { fixed: vec![None; players], encounters, advantage: None }, strengths)
}

fn values(fit: &Fit) -> Vec<f64> {
    fit.strengths.iter().map(|strength| strength.value().expect("each has played")).collect()
}

/// Fits by solving one equation after another by bisection until nothing changes. This is slow, but
/// independent of Newton's method.
fn fit_slowly(pool: &GamePool) -> (Vec<f64>, f64) {
    let players = pool.fixed.len();
    let (mut strengths, mut advantage) = (vec![0.0; players], 0.0);
    let surplus = |of: Option<usize>, strengths: &[f64], advantage: f64| -> f64 {
        let terms = pool.encounters.iter().map(|e| {
            let difference: f64 = strengths[e.first] - strengths[e.second] + advantage;
            let surplus = e.games() / (1.0 + (-difference).exp()) - e.points();
            match of {
                None => surplus,
                Some(player) if player == e.first => surplus,
                Some(player) if player == e.second => -surplus,
                Some(_) => 0.0,
            }
        });
        terms.sum()
    };
    for _ in 0..400 {
        for player in (0..players).map(Some).chain([None]) {
            let (mut low, mut high) = (-20.0, 20.0);
            for _ in 0..60 {
                let middle = (low + high) / 2.0;
                match player {
                    Some(player) => strengths[player] = middle,
                    None => advantage = middle,
                }
                match surplus(player, &strengths, advantage) < 0.0 {
                    true => low = middle,
                    false => high = middle,
                }
            }
        }
    }
    let mean = strengths.iter().sum::<f64>() / players as f64;
    (strengths.iter().map(|strength| strength - mean).collect(), advantage)
}

#[test]
fn an_independent_slow_fit_agrees() {
    for seed in 1..=3 {
        let (pool, _) = simulated(6, seed);
        let fit = pool.fit().expect("connected");
        let (strengths, advantage) = fit_slowly(&pool);
        assert!((fit.advantage - advantage).abs() < 1e-7);
        for (found, expected) in values(&fit).iter().zip(strengths) {
            assert!((found - expected).abs() < 1e-7, "{found} instead of {expected}");
        }
    }
}

#[test]
fn errors_from_slopes_and_from_simulations_agree() {
    let (pool, _) = simulated(8, 11);
    let fit = pool.fit().expect("connected");
    let slopes = Uncertainty::of_slopes(&pool, &fit).expect("a solution");
    let simulated = Uncertainty::of_simulations(&pool, &fit, 600, 5).expect("most are connected");
    let near = |one: f64, other: f64| (one / other - 1.0).abs() < 0.15;
    for player in 0..8 {
        let against_mean = |errors: &Uncertainty| errors.against_mean(player).expect("placed");
        assert!(near(against_mean(&slopes), against_mean(&simulated)), "player {player}");
        let other = (player + 3) % 8;
        let apart = |errors: &Uncertainty| errors.of_difference(player, other).expect("placed");
        assert!(near(apart(&slopes), apart(&simulated)), "players {player} and {other}");
    }
    let advantages = [slopes.advantage, simulated.advantage].map(|error| error.expect("found"));
    assert!(near(advantages[0], advantages[1]), "{advantages:?}");
    assert!(near(slopes.draws, simulated.draws), "{} {}", slopes.draws, simulated.draws);
}

#[test]
fn intervals_have_their_nominal_coverage() {
    let (mut inside, mut all) = (0, 0);
    for seed in 100..160 {
        let (pool, truth) = simulated(8, seed);
        let fit = pool.fit().expect("connected");
        let errors = Uncertainty::of_slopes(&pool, &fit).expect("a solution");
        let mean = truth.iter().sum::<f64>() / 8.0;
        for (player, value) in values(&fit).into_iter().enumerate() {
            let error = 1.96 * errors.against_mean(player).expect("placed");
            inside += i32::from((value - (truth[player] - mean)).abs() < error);
            all += 1;
        }
    }
    let share = f64::from(inside) / f64::from(all);
    assert!((0.92..0.98).contains(&share), "{share}");
}

#[test]
fn several_anchors_stay_fixed_and_one_sets_the_origin() {
    let free = RatingList::new(&gauntlet(), &published_rules()).expect("an anchor");
    let find = |list: &RatingList, name: &str| -> PlayerRating {
        list.ratings.iter().find(|rating| rating.name == name).expect("listed").clone()
    };
    let anchors = [("GreKo", 2900.0), ("Hedgehog", 2150.0)].map(|(n, r)| (n.to_owned(), r));
    let rules = RatingRules { anchors: anchors.to_vec(), ..RatingRules::default() };
    let fixed = RatingList::new(&gauntlet(), &rules).expect("anchors");
    assert_eq!(find(&fixed, "GreKo").rating, Strength::Fixed(2900.0));
    assert_eq!(find(&fixed, "Hedgehog").error, None);
    assert!(find(&fixed, "Galjoen").error.is_some_and(|error| error > 0.0));
    let spread = |list: &RatingList| {
        let value = |name| find(list, name).rating.value().expect("rated");
        value("GreKo") - value("Hedgehog")
    };
    assert_eq!(spread(&fixed), 750.0);
    assert!((spread(&free) - 605.6).abs() < 0.2);
    let unknown = RatingRules { anchors: vec![("X".to_owned(), 0.0)], ..RatingRules::default() };
    let message =
        RatingList::new(&gauntlet(), &unknown).expect_err("an unknown anchor").to_string();
    assert!(message.contains("\"X\"") && message.contains("GreKo"), "{message}");
}

fn pgn(white: &str, black: &str, result: &str) -> String {
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n1. e4 {result}\n\n")
}

#[test]
fn games_in_files_are_rated_from_the_command_line() {
    let folder = Folder::new();
    let games = [pgn("A", "B", "1-0"), pgn("B", "A", "1/2-1/2"), pgn("A", "C", "*")].concat();
    let first = folder.write("first.pgn", &games);
    let second = folder.write("second.pgn", &[pgn("B", "C", "1-0"), pgn("C", "A", "0-1")].concat());
    let arguments = ["ladder", "--pgn", &first, &second, "--anchor", "B=2000"];
    let table = run_with_input(&folder, &arguments, b"");
    assert_eq!(table.code, 0, "{}", table.error);
    assert!(table.error.contains("first.pgn: skipped 1 game with"), "{}", table.error);
    let line = |name: &str| table.out.lines().find(|line| line.contains(name)).unwrap_or("");
    assert!(line(" B ").contains("2000.0"), "{}", table.out);
    assert!(
        line(" C ").contains('<'),
        "C lost every game, so its rating is a bound: {}",
        table.out
    );
    let json = run_with_input(&folder, &[&arguments[..], &["--json"]].concat(), b"");
    let json: Json = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(json["players"][0]["name"], "A");
    assert_eq!(json["players"][0]["games"], 3);
    // A duplicate, and a game that was won by forfeit.
    let forfeit = pgn("C", "A", "1-0").replace("1. e4 ", "");
    let third = folder.write("third.pgn", &[games, forfeit].concat());
    let again = run_with_input(&folder, &[&arguments[..], &["--pgn", &third]].concat(), b"");
    assert_eq!(again.out, table.out, "{}", again.error);
    for message in
        ["third.pgn: skipped 1 game without moves", "2 duplicate games were counted once"]
    {
        assert!(again.error.contains(message), "{}", again.error);
    }
    let unknown = run_with_input(&folder, &["ladder", "--pgn", &first, "--anchor", "X=1"], b"");
    assert_eq!(unknown.code, 2);
    assert_eq!(run_with_input(&folder, &["ladder"], b"").code, 2);
}

#[test]
fn a_ladder_is_played_resumed_and_extended() {
    let folder = Folder::new();
    let file = folder.path().join("games.pgn").display().to_string();
    let play = |games: &str| {
        let players = ["depth=1", "depth=2", "nodes=30"].map(|words| format!("self {words}"));
        let mut arguments = vec!["ladder", "--games", games, "--each", "option.Hash=1"];
        players.iter().for_each(|player| arguments.extend(["--player", player]));
        arguments.extend(["--max-moves", "30", "--concurrency", "2", "--json"]);
        arguments.extend(["--pgn", &file, "--resume"]);
        let finished = run_with_input(&folder, &arguments, b"");
        assert!(finished.code < 2, "{}", finished.error);
        let json: Json = serde_json::from_str(&finished.out).expect("JSON");
        let players = json["players"].as_array().expect("a list");
        players.iter().map(|player| player["games"].as_u64().expect("a count")).sum::<u64>() / 2
    };
    assert_eq!(play("2"), 6);
    assert_eq!(play("4"), 12);
    let journal = std::fs::read_to_string(format!("{file}.jsonl")).expect("a journal");
    assert_eq!(journal.lines().count(), 13);
    assert_eq!(play("4"), 12, "a game was played twice");
}
