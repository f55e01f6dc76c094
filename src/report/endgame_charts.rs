//! The zone of tables in pictures: those of Haworth (2002), for any endgame.

use crate::board::Position;
use crate::endgame::{Comparison, EndgameProfile, Study, TableResult};

use super::chart::Chart;

/// Points of a curve over competences.
const POINTS: u32 = 200;

/// Which move is best against which competence (figures 1 to 4).
pub fn comparison_chart(position: &Position, comparison: &Comparison, limit: f64) -> Chart {
    let curve = |index| {
        let at = |step: u32| limit * f64::from(step) / f64::from(POINTS);
        (0..=POINTS).map(|step| (at(step), comparison.gain(index, at(step)))).collect()
    };
    let moves = comparison.moves().enumerate();
    Chart {
        title: position.fen(),
        x: "competence of the opponent, c".to_owned(),
        y: gain_in_words(comparison).to_owned(),
        curves: moves.map(|(index, m)| (position.san(m), curve(index))).collect(),
        ..Chart::default()
    }
}

/// What the numbers of a comparison are.
pub fn gain_in_words(comparison: &Comparison) -> &'static str {
    match comparison.result() {
        Some(TableResult::Win) => "expected depth after his reply",
        Some(TableResult::Loss) => "minus the expected depth after his reply",
        Some(TableResult::Draw) => "chance that his reply loses",
        None => "expected gain by his reply",
    }
}

/// The belief about a player move by move (figure 5), and the depth after each move (figure 6),
/// for several games.
pub fn profile_charts(games: &[(String, EndgameProfile)]) -> [Chart; 2] {
    let curves = |value: fn(&crate::endgame::ProfiledMove) -> Option<f64>| {
        let games = games.iter().map(move |(name, profile)| {
            let points = profile.moves.iter().zip(1..);
            let points = points.filter_map(|(m, number)| Some((f64::from(number), value(m)?)));
            (name.clone(), points.collect())
        });
        games.collect()
    };
    let x = "move".to_owned();
    [
        Chart {
            title: "Apparent competence".to_owned(),
            x: x.clone(),
            y: "E[c] after the move".to_owned(),
            curves: curves(|m| Some(m.mean)),
            ..Chart::default()
        },
        Chart {
            title: "Depth".to_owned(),
            x,
            y: "depth after the move".to_owned(),
            curves: curves(|m| m.depth_after),
            ..Chart::default()
        },
    ]
}

/// The chains of a study: expected depth after n moves, and expected depth change by depth.
pub fn study_charts(study: &Study) -> [Chart; 2] {
    let shown: Vec<_> = [10.0, 15.0, 20.0, 25.0, 30.0, 50.0]
        .iter()
        .filter_map(|&c| study.averages.iter().find(|average| average.competence == c))
        .collect();
    let name = |c: f64| format!("c = {c}");
    let material = study.plan.material;
    let by_number = shown.iter().map(|average| {
        let points = (0u32..).zip(&average.expected_depth);
        (name(average.competence), points.map(|(n, &d)| (f64::from(n), d)).collect())
    });
    let by_depth = shown.iter().map(|average| {
        let depths = (0u32..).zip(&average.after_white).skip(1);
        let points = depths.map(|(depth, &after)| (f64::from(depth), after - f64::from(depth)));
        (name(average.competence), points.collect())
    });
    [
        Chart {
            title: format!("{material}: fallible winner against perfect defence (Markov chain)"),
            x: "moves played".to_owned(),
            y: "expected depth".to_owned(),
            curves: by_number.collect(),
            ..Chart::default()
        },
        Chart {
            title: format!("{material}: where it is hard to make headway"),
            x: "depth".to_owned(),
            y: "expected change of depth by a move".to_owned(),
            curves: by_depth.collect(),
            ..Chart::default()
        },
    ]
}
