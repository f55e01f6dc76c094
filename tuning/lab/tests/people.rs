//! Fits to human games recover the parameters of simulated players.

#[path = "../../../tests/common/mod.rs"]
mod common;
#[path = "../../../tests/synthetic/mod.rs"]
mod synthetic;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;

use common::{Folder, run_with_input};
use stopdown::analyser::{RatingScale, StudiedMove};
use stopdown::arena::{Book, ContestantSpec, Order, Rules, Tournament, match_pairings};
use stopdown::board::{Colour, Phase};
use stopdown::player::{ReganLines, Roster};
use stopdown::policy::GameKind;
use stopdown::selector::Values;
use stopdown_lab::calibrate::people::{
    Coverage, CurveModel, PoolResults, RatedDecision, fit_levels, fit_model, sort_by_game,
    test_model,
};
use synthetic::{simulation, spread};

/// Simulates choices by players rated from 1500 to 2700, according to a model with these
/// parameters.
fn simulated(
    model: CurveModel,
    parameters: &[f64],
    count: usize,
    depths: usize,
) -> Vec<RatedDecision> {
    let mut stream = simulation(5, 0);
    let one = |index: usize| {
        let moves = 5 + (25.0 * stream.uniform()) as usize;
        let rows: Vec<Vec<f64>> = (0..depths).map(|_| spread(&mut stream, moves)).collect();
        let game = index / 30;
        let mut known = RatedDecision {
            turn: StudiedMove {
                game,
                ply: 20 + 2 * (index % 30),
                colour: Colour::White,
                values: Values::by_depth(&rows).expect("finite"),
                chosen: 0,
                repeats: false,
                phase: Phase::Middlegame,
                after: None,
                opening: Vec::new(),
                clock: None,
            },
            rating: 1500.0 + 100.0 * (game % 13) as f64,
            pool: GameKind::Board,
            player: game as u64,
            // A bit in the middle of the number distinguishes the two halves.
            game: (game as u64) << 32,
        };
        let choices = model.distribution(parameters, &known, depths as u8).expect("a player");
        known.turn.chosen = stream.index(choices.probabilities()).expect("there are moves");
        known
    };
    (0..count).map(one).collect()
}

#[test]
fn fits_recover_the_true_lines_and_predict_the_choices() {
    let truth = [-2.1, -0.33, 0.47, 0.04];
    let sample = simulated(CurveModel::Regan, &truth, 6000, 1);
    let sample: Vec<&RatedDecision> = sample.iter().collect();
    let fitted = fit_model(CurveModel::Regan, &sample, 1, |_| ()).expect("a fit");
    for (index, (found, wanted)) in fitted.whole.parameters.iter().zip(truth).enumerate() {
        let deviation = fitted.whole.deviation(index);
        let off = (found - wanted) / deviation;
        assert!(off.abs() < 3.5, "parameter {index}: {found} +- {deviation}, made with {wanted}");
    }
    let evaluated = test_model(&fitted, &sample);
    assert_eq!(evaluated.verdicts[0].projection.decisions, sample.len());
    let levels: Vec<i64> = evaluated.verdicts.iter().filter_map(|v| v.level).collect();
    assert_eq!(levels, (15..=27).map(|hundred| 100 * hundred).collect::<Vec<i64>>());
    for verdict in &evaluated.verdicts {
        for figure in [&verdict.projection.first, &verdict.projection.scaled_loss] {
            assert!(figure.z().abs() < 4.0, "{}: {figure:?}", verdict.group);
        }
    }
    let moves: usize = sample.iter().map(|known| known.turn.values.moves()).sum();
    assert_eq!(evaluated.bins.iter().map(|bin| bin.moves).sum::<usize>(), moves);
    assert_eq!(evaluated.bins.iter().map(|bin| bin.played).sum::<usize>(), sample.len());
    for bin in evaluated.bins.iter().filter(|bin| bin.projected > 20.0) {
        let off = (bin.played as f64 - bin.projected) / bin.projected.sqrt();
        assert!(off.abs() < 4.0, "{bin:?}");
    }
}

#[test]
fn a_single_levels_fit_agrees_with_the_line() {
    let truth = [-2.1, -0.33, 0.47, 0.04];
    let sample = simulated(CurveModel::Regan, &truth, 13 * 600, 1);
    let sample: Vec<&RatedDecision> = sample.iter().collect();
    let levels = fit_levels(&sample, 300);
    assert_eq!(levels.len(), 13);
    for of in levels {
        let x = (of.level as f64 - 2000.0) / 500.0;
        let (s, c) = ((truth[0] + truth[1] * x).exp(), truth[2] + truth[3] * x);
        assert!((of.scale.0 - s).abs() < 4.0 * of.scale.1, "{of:?} {s}");
        assert!((of.exponent.0 - c).abs() < 4.0 * of.exponent.1, "{of:?} {c}");
    }
}

#[test]
fn two_copies_of_a_game_are_one_game() {
    let mut sample = simulated(CurveModel::Regan, &[-2.1, -0.33, 0.47, 0.04], 60, 1);
    // The first game has each side from another file. The second game comes first in the order of games.
    for (number, known) in sample[..30].iter_mut().enumerate() {
        (known.game, known.turn.game) = (9, number % 2);
    }
    for known in &mut sample[30..] {
        (known.game, known.turn.game) = (8, 1);
    }
    sort_by_game(&mut sample);
    let numbers: Vec<(u64, usize)> =
        sample.iter().map(|known| (known.game, known.turn.game)).collect();
    assert_eq!(numbers, [vec![(8, 0); 30], vec![(9, 1); 30]].concat());
}

#[test]
fn single_games_come_from_their_own_sample() {
    let sample = simulated(CurveModel::Regan, &[-2.1, -0.33, 0.47, 0.04], 60, 1);
    let all: Vec<&RatedDecision> = sample.iter().collect();
    let scale =
        RatingScale::of_lines(ReganLines { sensitivity: [-2.1, -0.33], consistency: [0.47, 0.04] });
    let players = |singles: &[&RatedDecision]| {
        let found = Coverage::of(&scale, singles, &all, &BTreeMap::new());
        found.map(|coverage| coverage.rows[0].players)
    };
    assert_eq!([players(&all), players(&all[..30]), players(&[])], [Some(2), Some(1), None]);
}

#[test]
fn no_game_is_predicted_by_a_fit_to_itself() {
    let truth = [1.9, 0.2];
    let sample = simulated(CurveModel::Haworth, &truth, 900, 1);
    let mut altered = sample.clone();
    // In one half, all games are free of errors. This misleads the fit that predicts the other
    // half.
    altered.iter_mut().filter(|known| known.half() == 0).for_each(|known| known.turn.chosen = 0);
    let of = |sample: &[RatedDecision]| {
        let sample: Vec<&RatedDecision> = sample.iter().collect();
        fit_model(CurveModel::Haworth, &sample, 1, |_| ()).expect("a fit")
    };
    let (sound, misled) = (of(&sample), of(&altered));
    let difference = |half: usize| {
        let of = |known: &RatedDecision| {
            let [one, other] =
                [&sound, &misled].map(|fit| fit.predict_held_out(known).probability(0));
            (one - other).abs()
        };
        sample.iter().filter(|known| known.half() == half).map(of).fold(0.0, f64::max)
    };
    assert!(difference(0) < 1e-4 && difference(1) > 0.1, "{} {}", difference(0), difference(1));
}

#[test]
fn depth_weights_are_recovered_for_players_who_see_shallow_depths() {
    // The last four parameters are the lines for the logarithms of the weights of depths 1 and 2,
    // relative to the greatest depth. The weight of depth 1 is larger for weak players.
    let truth = [-2.1, -0.3, 0.47, 0.03, 1.0, -0.4, -3.0, 0.0];
    let sample = simulated(CurveModel::ReganByDepth, &truth, 3000, 3);
    let sample: Vec<&RatedDecision> = sample.iter().collect();
    let nats = |model| {
        let fitted = fit_model(model, &sample, 3, |_| ()).expect("a fit");
        (test_model(&fitted, &sample).verdicts[0].nats, fitted.whole.parameters)
    };
    let ((plain, _), (weighted, found)) = (nats(CurveModel::Regan), nats(CurveModel::ReganByDepth));
    assert!(weighted < plain - 0.1, "{weighted} {plain}");
    assert!((found[4] - truth[4]).abs() < 0.5 && found[6] < -1.0, "{found:?}");
}

/// Self-play games between two players with different ratings. The last game is truncated.
fn games(folder: &Folder) -> String {
    const GAMES: usize = 30;
    let words = [1, 2].map(|seed| format!("self competence=4 depth=1 seed={seed}"));
    let parse = |words: &String| ContestantSpec::parse(words, &Roster::default()).expect(words);
    let tournament = Tournament {
        event: "Club".to_owned(),
        names: words.to_vec(),
        players: words.iter().map(parse).collect(),
        openings: Book::built_in().select(Order::Sequential, None, GAMES / 2).expect("legal"),
        rules: Rules { max_moves: Some(50), ..Rules::default() },
        is_detailed: true,
        tables: None,
        concurrency: 1,
        guard: None,
    };
    let mut text = String::new();
    let run = tournament.run(&match_pairings(GAMES), |record| {
        text += &record.pgn;
        ControlFlow::Continue(())
    });
    run.expect("games can be played");
    let mut rated = String::new();
    for (number, game) in text.split("[Event ").skip(1).enumerate() {
        let rating = |more: usize| 1500 + 100 * ((number + more) % 2);
        let ratings = format!("[WhiteElo \"{}\"]\n[BlackElo \"{}\"]\n", rating(0), rating(1));
        rated += &format!("[Event {}", game.replacen("[Result", &(ratings + "[Result"), 1));
    }
    folder.write("games.pgn", &(rated + "\n[White \"Ann\"]\n\n1. e4 {and then"))
}

#[test]
fn human_games_give_readable_and_repeatable_tables() {
    let folder = Folder::new();
    let games = games(&folder);
    let arguments = [
        "calibrate",
        "--work",
        "work",
        "--out",
        "out",
        "--depth",
        "2",
        "--least",
        "300",
        "--players",
        "1",
    ];
    let arguments = [&arguments[..], &["--people", &games]].concat();
    let run = || run_with_input(&folder, &arguments, b"");
    let first = run();
    assert_eq!(first.code, 0, "{}", first.error);
    // Unreadable games are reported.
    assert!(first.error.contains("games.pgn"), "{}", first.error);
    assert!(first.out.contains("Over 2 levels, the first choice is off by"), "{}", first.out);
    let names = ["out/people.toml", "out/people.json"];
    let read = || names.map(|name| fs::read_to_string(folder.path().join(name)).expect(name));
    let [people, json] = read();
    assert!(people.contains("at 2 plies"));
    let results: Vec<PoolResults> = serde_json::from_str(&json).expect("results");
    assert_eq!(results.len(), 1);
    let nats = |name: &str| {
        let evaluated = results[0].models.iter().find(|evaluated| evaluated.model == name);
        evaluated.expect(name).verdicts[0].nats
    };
    assert!(nats("Levelled") < nats("uniform") - 0.1 && nats("Human").is_finite());
    let [one, ten] = &results[0].coverage[0].rows[..] else { panic!("{:?}", results[0].coverage) };
    assert_eq!((one.games, ten.games, ten.players), (1, 10, 2));
    // Nothing is evaluated twice, and no fit depends on an earlier fit.
    let again = run();
    assert_eq!((again.code, &again.out), (0, &first.out));
    assert_eq!(read()[1], json);
    let page = ["calibrate", "--work", "work", "--out", "out", "--card"];
    assert_eq!(run_with_input(&folder, &page, b"").code, 0);
}

#[test]
fn too_few_games_are_reported() {
    let folder = Folder::new();
    let game = "[WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n";
    let games = folder.write("games.pgn", game);
    let arguments = ["calibrate", "--work", "work", "--out", "out", "--depth", "1"];
    let arguments = [&arguments[..], &["--people", &games]].concat();
    let finished = run_with_input(&folder, &arguments, b"");
    assert_eq!(finished.code, 2, "{}", finished.error);
    assert!(finished.error.contains("2000 moves"), "{}", finished.error);
}
