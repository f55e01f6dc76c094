//! The analyser recovers the parameters of simulated players and reproduces the published figures.

use crate::common::{list, number};
use crate::fit::by_likelihood;
use crate::synthetic::{simulation, spread};
use serde_json::Value as Json;
use stopdown::analyser::{
    ApparentCompetence, Figure, Gain, Gains, Omission, Projection, RatingScale, StudiedMove,
    StudyPlan, StudyReport, StudyRules, apparent_competence, expected_among, project, rate,
    regan_by_logarithms, strengths, suspect,
};
use stopdown::board::{Colour, Phase};
use stopdown::player::{Levels, ReganLines};
use stopdown::policy::GameKind;
use stopdown::selector::{Competence, Curve, Family, Selector, Values};

fn figures(text: &str) -> Json {
    serde_json::from_str(text).expect("the figures are JSON")
}

fn decision(values: &[f64], chosen: usize) -> StudiedMove {
    let values = Values::at_one_depth(values).expect("finite");
    let phase = Phase::Middlegame;
    StudiedMove {
        game: 0,
        ply: 40,
        colour: Colour::White,
        values,
        chosen,
        repeats: false,
        phase,
        after: None,
        opening: Vec::new(),
        clock: None,
    }
}

fn regan(s: f64, c: f64) -> Option<Selector> {
    let c = Competence::new(c).ok()?;
    Some(Selector::new(Curve::new(Family::REGAN, c, s).ok()?))
}

/// Decisions from simulated forty-move games, chosen by a selector.
fn simulated(selector: &Selector, seed: u64, count: usize) -> Vec<StudiedMove> {
    let mut stream = simulation(seed, 0);
    (0..count)
        .map(|index| {
            let moves = 5 + (35.0 * stream.uniform()) as usize;
            let mut values = spread(&mut stream, moves);
            values.sort_by(|a, b| b.total_cmp(a));
            let values = Values::at_one_depth(&values).expect("finite");
            let chosen = stream.index(selector.distribution(&values).probabilities());
            let chosen = chosen.expect("there is a move");
            let (game, ply) = (index / 40, 20 + 2 * (index % 40));
            let (colour, phase) = (Colour::White, Phase::Middlegame);
            let (repeats, after, opening, clock) = (false, None, Vec::new(), None);
            StudiedMove { game, ply, colour, values, chosen, repeats, phase, after, opening, clock }
        })
        .collect()
}

fn all(decisions: &[StudiedMove]) -> Vec<&StudiedMove> {
    decisions.iter().collect()
}

#[test]
fn published_projections_are_reproduced() {
    let example = &figures(include_str!("../data/regan2011.json"))["projections"];
    let decisions: Vec<StudiedMove> = list(&example["data"])
        .iter()
        .map(|pair| {
            let values: Vec<f64> = list(&pair[0]).iter().map(number).collect();
            decision(&values, pair[1].as_u64().expect("an index") as usize)
        })
        .collect();
    let selector = regan(number(&example["s"]), number(&example["c"])).expect("valid");
    let found = project(&selector, &all(&decisions));
    let pairs = [
        (found.first.projected, &example["mm"]),
        (found.scaled_loss.projected, &example["ad"]),
        (found.ln_likelihood, &example["loglik"]),
    ];
    for (found, expected) in pairs {
        assert!((found - number(expected)).abs() < 1e-6, "{found} instead of {expected}");
    }
}

#[test]
fn gains_reproduce_the_published_tables() {
    let data = figures(include_str!("../data/ferreira2013.json"));
    let example = &data["eq7_8_example"];
    let gains = |name: &str| {
        let histogram = example[name].as_object().expect("a histogram");
        let parts = histogram.iter().flat_map(|(gain, part)| {
            let count = (number(part) * 100.0).round() as usize;
            std::iter::repeat_n(gain.parse().expect("a number"), count)
        });
        Gains::from_centipawns(parts)
    };
    let (x, y, engine) = (gains("fX"), gains("fY"), Gains::of_engine());
    assert!((x.score_against(&y) - number(&example["pXY"])).abs() < 1e-12);
    assert!((x.score_against(&engine) - number(&example["pX_engine"])).abs() < 1e-12);
    assert!((y.score_against(&engine) - number(&example["pY_engine"])).abs() < 1e-12);
    // Tables 5 to 7 contain histograms of a million moves, with the published scores.
    let players: Vec<(Option<f64>, Gains, &Json)> = list(&data["table5_7"])
        .iter()
        .map(|player| {
            let ahead = (number(&player["p"]) * 1e6).round() as usize;
            let of = |gain, count| std::iter::repeat_n(gain, count);
            let gains = Gains::from_centipawns(of(1, ahead).chain(of(-1, 1_000_000 - ahead)));
            (Some(number(&player["elo"])), gains, player)
        })
        .collect();
    let given: Vec<_> = players.iter().map(|(elo, gains, _)| (*elo, gains)).collect();
    let (rating, found) = strengths(&given);
    let (rating, reach) = rating.expect("ratings are known");
    assert!((rating - number(&data["engine"]["mean"])).abs() < 1e-4, "{rating}");
    assert!((reach - number(&data["engine"]["ci95"])).abs() < 1e-4, "{reach}");
    for (strength, (_, _, player)) in found.iter().zip(&players) {
        assert!((strength.difference - number(&player["rdiff"])).abs() < 1e-4);
        let performance = strength.performance.expect("the engine is rated");
        assert!((performance - number(&player["perf"])).abs() < 1e-4);
    }
}

#[test]
fn gains_are_from_the_movers_side() {
    // "The gain of move 25...Rc8 is 0.16 - 0.89 = -0.73": White's score is 0.16 before the move
    // and 0.89 after it.
    let played = StudiedMove { after: Some(-0.89), ..decision(&[-0.16, -0.3], 1) };
    assert_eq!(Gains::of([&played], Gain::Across).histogram(), [(-73, 1.0)]);
    // If the gain is measured within one evaluation, or there is no later evaluation, the move's
    // own value counts.
    assert_eq!(Gains::of([&played], Gain::Within).histogram(), [(-14, 1.0)]);
    assert_eq!(
        Gains::of([&StudiedMove { after: None, ..played }], Gain::Across).histogram(),
        [(-14, 1.0)]
    );
}

#[test]
fn every_rule_excludes_its_moves_and_is_counted() {
    let usual = decision(&[0.5, 0.1], 0);
    let decisions = [
        usual.clone(),
        StudiedMove { ply: 15, ..usual.clone() },
        decision(&[0.0], 0),
        StudiedMove { repeats: true, ..usual.clone() },
        decision(&[3.01, 0.0], 1),
        decision(&[-3.01, -4.0], 1),
        decision(&[2.5, 2.2], 1),
        decision(&[2.5, 1.9], 1),
    ];
    let rules = StudyRules { decided: Some(2.0), ..StudyRules::default() };
    let against = decisions.each_ref().map(|played| rules.omission(played));
    assert_eq!([against[0], against[7]], [None, None]);
    let count = |reason| against.iter().filter(|found| **found == Some(reason)).count();
    assert_eq!(Omission::ALL.map(count), [1, 0, 1, 1, 2, 1]);
    assert!(decisions.iter().all(|played| StudyRules::none().omission(played).is_none()));
    // A report counts excluded moves too.
    let plan = StudyPlan { rules, depths: vec![1], ..StudyPlan::default() };
    let tally = StudyReport::of_decisions(&plan, "somebody", &decisions, None).tally;
    assert_eq!(tally.used, 2);
    assert_eq!(Omission::ALL.map(|reason| tally.left_out(reason)), [1, 0, 1, 1, 2, 1]);
}

#[test]
fn blunders_are_counted_among_the_same_moves_as_the_average_loss() {
    let values = [[0.5, 0.1], [2.5, 1.2], [2.9, 1.8], [0.0, -0.5], [4.0, 0.0]];
    let decisions = values.map(|values| decision(&values, 1));
    let plan = StudyPlan { depths: vec![1], ..StudyPlan::default() };
    let averages = StudyReport::of_decisions(&plan, "somebody", &decisions, None).averages;
    // The last move was made with a large advantage, which the rules exclude.
    assert_eq!((averages.decisions, averages.blunders), (4, 0.5));
    assert!((averages.centipawn_loss - 82.5).abs() < 0.01, "{averages:?}");
}

#[test]
fn a_fit_recovers_the_true_parameters() {
    let truth = [0.11f64.ln(), 0.49f64.ln()];
    let decisions = simulated(&regan_by_logarithms(&truth).expect("valid"), 5, 4000);
    let fit = by_likelihood(&all(&decisions), &[-1.5, -0.3], regan_by_logarithms).expect("a fit");
    for (index, truth) in truth.iter().enumerate() {
        let z = (fit.parameters[index] - truth) / fit.deviation(index);
        assert!(z.abs() < 3.0, "parameter {index} is {z} deviations off");
        // Decisions in simulated games are independent, so the robust (sandwich) errors agree with
        // those from the Fisher information.
        let ratio = fit.robust[3 * index] / fit.covariance[3 * index];
        assert!((0.6..1.6).contains(&ratio), "{ratio}");
    }
    // A report keeps only sums at the points of a grid. A fit to these sums gives the same result
    // as a fit to all decisions.
    let plan = StudyPlan { rules: StudyRules::none(), depths: vec![1], ..StudyPlan::default() };
    let report = StudyReport::of_decisions(&plan, "somebody", &decisions, None);
    let of_sums = report.fit.expect("enough");
    for index in 0..2 {
        let off = (of_sums.parameters[index] - fit.parameters[index]) / fit.deviation(index);
        assert!(off.abs() < 0.1, "{off} deviations: {of_sums:?} {:?}", fit.parameters);
        let ratio = of_sums.deviations[index] / fit.deviation(index);
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
    }
    assert!((of_sums.ln_likelihood - fit.ln_likelihood).abs() < 0.05, "{of_sums:?}");
    let percentiles = report.percentiles.expect("a fit");
    assert!((percentiles[0] - truth[0]).abs() < 0.25, "{percentiles:?}");
    // The projection for the fitted player matches the moves played.
    let selector = regan_by_logarithms(&fit.parameters).expect("valid");
    let projection = project(&selector, &all(&decisions));
    let figures = [projection.first, projection.equal, projection.scaled_loss, projection.loss];
    assert!(figures.iter().all(|figure| figure.z().abs() < 3.0), "{projection:?}");
    assert!(projection.misfit() < 0.5, "{}", projection.misfit());
    let of_sums = report.projection.expect("it was fitted");
    for (one, other) in projection.frequencies.iter().zip(&of_sums.frequencies) {
        assert!((one.projected - other.projected).abs() < 0.002, "{one:?} {other:?}");
        assert!(
            (one.deviation - other.deviation).abs() < 0.05 * one.deviation,
            "{one:?} {other:?}"
        );
    }
}

#[test]
fn no_moves_give_no_fit() {
    assert!(by_likelihood(&[], &[0.0], |_| None).is_err());
    let forced = decision(&[0.0], 0);
    let error = by_likelihood(&[&forced], &[-2.0, -1.0], regan_by_logarithms);
    assert!(error.expect_err("one move is not enough").to_string().contains("too few"));
    assert!(by_likelihood(&[&forced], &[0.0], |_| None).is_err());
}

#[test]
fn the_posterior_converges_and_gives_a_profile() {
    let of = |c| Selector::new(Curve::levelled(Competence::new(c).expect("a number")));
    let decisions = simulated(&of(7.0), 3, 600);
    let plan = StudyPlan { depths: vec![1], ..StudyPlan::default() };
    let found = apparent_competence(&plan, &all(&decisions));
    let width = |found: &ApparentCompetence| {
        let (low, high) = found.posterior.interval(0.9);
        high - low
    };
    assert!(width(&found) < width(&apparent_competence(&plan, &all(&decisions[..20]))));
    let (mean, (low, high)) = (found.posterior.mean(), found.posterior.interval(0.9));
    assert!(low < 7.0 && 7.0 < high && (mean - 7.0).abs() < 1.5, "{mean} in {low} to {high}");
    let composite = found.composite(0.01);
    assert!((composite.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(composite.len() <= 12 && composite.iter().any(|(c, _)| (c - 7.0).abs() < 0.5));
}

#[test]
fn the_scale_is_the_published_one_and_rates_its_own_players() {
    let scale = RatingScale::published();
    for row in list(&figures(include_str!("../data/regan2011.json"))["interpolation"]) {
        let elo = number(&row["elo"]);
        let (s, c) = scale.parameters(elo);
        assert!((c - number(&row["c"])).abs() < 1e-9, "{elo}: c = {c}");
        if (800.0..=3000.0).contains(&elo) {
            assert!((s - number(&row["s_linear"])).abs() < 1e-6, "{elo}: s = {s}");
        }
    }
    // Sensitivities decrease with the rating and remain positive, even beyond the published range.
    let sensitivities: Vec<f64> =
        (0..40).map(|i| scale.parameters(600.0 + 100.0 * f64::from(i)).0).collect();
    assert!(sensitivities.windows(2).all(|pair| pair[1] < pair[0]) && sensitivities[39] > 0.0);
    for (seed, elo) in [(1, 1500.0), (2, 2400.0)] {
        let decisions = simulated(&scale.selector(elo).expect("on the scale"), seed, 1500);
        let rating = rate(&scale, &all(&decisions)).expect("enough decisions");
        let z = (rating.elo - elo) / rating.sampling;
        assert!(z.abs() < 3.0, "{elo} is rated {}, {z} deviations off", rating.elo);
        let (low, high) = rating.interval(0.95);
        assert!(
            high - low > 3.9 * scale.between_players,
            "too narrow for players who differ: {low} to {high}"
        );
    }
    // A player who always plays the best move is beyond the scale. Such a player gets the rating at
    // the end of the scale, and the program does not crash.
    let mut decisions = simulated(&scale.selector(2000.0).expect("on the scale"), 3, 100);
    decisions.iter_mut().for_each(|played| played.chosen = played.first());
    let rating = rate(&scale, &all(&decisions)).expect("a rating at the end of the scale");
    assert!(rating.elo > 3000.0, "{rating:?}");
}

#[test]
fn the_fitted_scale_rates_its_own_players_and_knows_its_depth() {
    let (scale, depth) = (RatingScale::fitted(), Levels::built_in().depth);
    assert!(!scale.is_provisional() && RatingScale::published().is_provisional());
    let (c, s) = ReganLines::built_in().regan(1900.0);
    assert_eq!(scale.parameters(1900.0), (s, c));
    let decisions = simulated(&scale.selector(1900.0).expect("on the scale"), 5, 1500);
    let rating = rate(&scale, &all(&decisions)).expect("enough decisions");
    let z = (rating.elo - 1900.0) / rating.sampling;
    assert!(z.abs() < 3.0, "1900 is rated {}, {z} deviations off", rating.elo);
    assert_eq!(scale.depth_difference(depth), None);
    for other in [depth - 1, depth + 1] {
        let warning = format!("depth {other} instead of {depth}");
        assert_eq!(scale.depth_difference(other), Some(warning));
    }
    // The human scale accepts greater depths too, and the published scale does not depend on the
    // depth.
    let people = RatingScale::of_people(GameKind::Blitz);
    assert_eq!(
        (people.depth_difference(20), RatingScale::published().depth_difference(1)),
        (None, None)
    );
    // Only evaluations shallower than the curve's depth cause a warning.
    let nothing = [8, 12, 13, 20].map(|depth| people.depth_difference(depth));
    let warning = [2, 5, 7].map(|depth| people.depth_difference(depth));
    assert!(nothing.iter().all(Option::is_none), "{nothing:?}");
    assert!(warning.iter().all(Option::is_some), "{warning:?}");
}

#[test]
fn the_prior_dominates_with_few_moves_and_not_with_many() {
    let lines = ReganLines { sensitivity: [-2.0, -0.32], consistency: [0.464, 0.035] };
    let scale = RatingScale::of_lines(lines);
    let (mean, spread) = scale.prior.expect("people have ratings");
    let decisions = simulated(&scale.selector(1500.0).expect("on the scale"), 9, 4000);
    let few = rate(&scale, &all(&decisions[..3])).expect("three decisions and the prior");
    assert!((few.elo - mean).abs() < spread && few.sampling > 0.8 * spread, "{few:?}");
    // A few moves leave the rating almost as uncertain as the prior.
    assert!((0.8 * spread..=spread).contains(&few.deviation), "{few:?}");
    let many = rate(&scale, &all(&decisions)).expect("enough decisions");
    assert!((many.elo - 1500.0).abs() < 3.0 * many.sampling && many.sampling < 100.0, "{many:?}");
    // The spread between players with the same rating remains, however many moves there are. The
    // prior reduces the uncertainty slightly.
    let apart = many.sampling.hypot(scale.between_players);
    assert!((0.9 * apart..apart).contains(&many.deviation), "{many:?}");
}

#[test]
fn a_report_is_complete_and_states_its_basis() {
    let scale = StudyPlan::default().scale;
    let decisions = simulated(&scale.selector(2000.0).expect("on the scale"), 21, 300);
    let plan = StudyPlan { depths: vec![1], noise: Some((0.04, 7)), ..StudyPlan::default() };
    let report = StudyReport::of_decisions(&plan, "somebody", &decisions, Some(2000.0));
    assert_eq!((report.games, report.tally.used), (8, used(&decisions)));
    assert!(report.fit.is_some() && report.percentiles.is_some() && report.projection.is_some());
    let suspicion = report.suspicion.expect("the rating is known");
    assert!(suspicion.z() < 4.0, "{}", suspicion.z());
    // With noise added to the values, the same moves look worse.
    let clear = report.apparent[0].1.posterior.mean();
    assert!(report.under_noise.expect("asked for") < clear, "{clear}");
    let nobody = StudyReport::of_decisions(&plan, "nobody", &[], None);
    assert!(nobody.fit.is_none() && nobody.rating.is_none() && nobody.suspicion.is_none());
    assert_eq!(nobody.tally.used, 0);
}

#[test]
fn an_honest_player_who_is_a_little_better_than_the_rating_is_never_suspicious() {
    let scale = RatingScale::published();
    let player = |elo: f64| scale.selector(elo).expect("on the scale");
    let decisions = simulated(&player(2000.0 + scale.between_players), 23, 8000);
    let projection = project(&player(2000.0), &all(&decisions));
    assert!(-projection.scaled_loss.z() > 2.5, "{:?}", projection.scaled_loss);
    let plan = StudyPlan { scale, ..StudyPlan::default() };
    let report = StudyReport::of_decisions(&plan, "somebody", &decisions, Some(2000.0));
    let suspicion = report.suspicion.expect("the rating is known");
    assert!(suspicion.z() > 0.0 && suspicion.z() < 1.5, "{:?}", suspicion.projection);
}

fn used(decisions: &[StudiedMove]) -> usize {
    decisions.iter().filter(|played| StudyRules::default().omission(played).is_none()).count()
}

#[test]
fn engine_help_is_detected_and_honest_players_are_not_suspected() {
    let scale = RatingScale::published();
    let mut decisions = simulated(&scale.selector(1600.0).expect("on the scale"), 11, 400);
    let clean = suspect(&scale, 1600.0, &all(&decisions), 40).expect("some decisions");
    assert!(clean.z() < 3.0 && clean.wholly.evidence < -50.0, "{clean:?}");
    assert!(clean.partly.evidence < 4.0, "{:?}", clean.partly);
    // Every third move is the engine's.
    decisions.iter_mut().step_by(3).for_each(|played| played.chosen = played.first());
    let helped = suspect(&scale, 1600.0, &all(&decisions), 40).expect("some decisions");
    assert!(helped.z() > 4.0, "{}", helped.z());
    assert!(helped.partly.evidence > 10.0, "{:?}", helped.partly);
    assert!((0.15..0.5).contains(&helped.partly.part), "{:?}", helped.partly);
    assert!(helped.window.is_some());
    // Of ten moves with equal chances, eight or more are the best with a probability of 56/1024.
    let first = Figure { projected: 0.5, actual: 0.8, deviation: (0.25_f64 / 10.0).sqrt() };
    let few = Projection { decisions: 10, first, ..Projection::default() };
    let expected = expected_among(&few, 1024.0);
    assert!((expected - 56.0).abs() < 3.0, "{expected}");
}
