//! The study of an endgame as a page: its difficulty, the best moves against each opponent, and how
//! well games were played. The charts follow those of Haworth (2002), but work for any endgame.

use super::endgame_study::{amount, headway};
use crate::study::endgame::{
    Comparison, EndgameProfile, LARGEST_COMPETENCE, ProfiledMove, Study, TrialResult,
};
use stopdown::board::Position;
use stopdown::endgame::TableResult;
use stopdown::math::grid::Posterior;
use stopdown::report::Document;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::document::Table;

/// The contents of the page.
#[derive(Debug)]
pub struct EndgamePage<'a> {
    pub study: &'a Study,
    pub comparisons: &'a [(Position, Comparison)],
    pub games: &'a [(String, EndgameProfile)],
    /// White's competence, estimated from all games together.
    pub combined: &'a Posterior,
}

/// The text for a value that was not computed.
const UNKNOWN: &str = "-";

impl EndgamePage<'_> {
    pub fn document(&self) -> Document {
        let material = self.study.plan.material;
        let mut page = Document::new(format!("{material}: difficulty, and quality of play"));
        page.paragraph(
            "A player with competence c chooses among moves by the depth after them (G. Haworth, \
             Reference Fallible Endgame Play, 2002). A larger c means better play.",
        );
        self.difficulty(&mut page);
        self.ways(&mut page);
        if !self.comparisons.is_empty() {
            page.heading("Best moves by opponent");
            page.paragraph("The expected result of the opponent's reply to each move. c is the opponent's competence.");
        }
        for (position, comparison) in self.comparisons {
            let chart = comparison_chart(position, comparison);
            page.chart(chart.with_caption(&self.preferences(position, comparison)));
        }
        if !self.games.is_empty() {
            self.games(&mut page);
        }
        page
    }

    fn difficulty(&self, page: &mut Document) {
        let Study { plan, deepest, start, .. } = self.study;
        page.paragraph(format!(
            "Depths use the metric {} and count the winner's moves. Kappa is {}. The longest win takes \
             {deepest} moves: {start}",
            plan.metric, plan.kappa
        ));
        page.paragraph(headway(self.study));
        let [expected, change] = study_charts(self.study);
        page.chart(expected.with_caption(
            "The expected depth after each move from the longest win, according to the Markov chain over depths.",
        ));
        page.chart(change.with_caption(
            "Where a curve is above 0, a winner of this competence makes no progress.",
        ));
    }

    /// The number of moves to the win, determined in up to three ways.
    fn ways(&self, page: &mut Document) {
        let Study { plan, deepest, averages, trials, courses, .. } = self.study;
        let pairs = plan.pairs();
        if trials.is_empty() && courses.is_empty() {
            return;
        }
        page.heading("Number of moves from the longest win");
        page.paragraph(
            "The Markov chain averages over all positions of a depth, so it is an approximation. \
             Simulated games have a sampling error. Exact figures follow every position.",
        );
        if trials.iter().any(|trial| trial.unfinished > 0) {
            page.paragraph(format!(
                "A simulated game is stopped after {} moves and counts as not won. If any game was not won, the mean \
                 number of moves is unknown.",
                plan.longest_game
            ));
        }
        let rows = pairs.iter().map(|&(winner, loser)| {
            let of_pair = |one: f64, other: f64| (one, other) == (winner, loser);
            let average = averages.iter().find(|a| a.competence == winner && loser.is_infinite());
            let trial = trials.iter().find(|t| of_pair(t.winner, t.loser));
            let course = courses.iter().find(|c| of_pair(c.winner, c.loser));
            let unknown = || UNKNOWN.to_owned();
            vec![
                format!("F_{winner} against F_{loser}").replace("inf", "∞"),
                average.map_or_else(unknown, |a| amount(a.expected_moves[*deepest], 1)),
                trial.and_then(TrialResult::moves_to_win).map_or_else(unknown, |moves| {
                    format!("{} ± {}", amount(moves.value, 1), amount(moves.error, 1))
                }),
                trial.filter(|t| t.unfinished > 0).map_or_else(unknown, |t| {
                    format!("{} of {}", t.unfinished, t.unfinished + t.moves.count as u64)
                }),
                course.and_then(|c| c.expected_moves).map_or_else(unknown, |m| amount(m, 1)),
                trial.map_or_else(unknown, |t| format!("{:.1}%", 100.0 * t.within_50.value)),
                course.map_or_else(unknown, |c| format!("{:.1}%", 100.0 * c.won_within[50])),
            ]
        });
        let rows: Vec<Vec<String>> = rows.collect();
        let heads = [
            "winner and loser",
            "Markov chain",
            "simulated games (± SE)",
            "not won, games",
            "exact",
            "within 50, games",
            "within 50, exact",
        ];
        let is_known = |&column: &usize| rows.iter().any(|row| row[column] != UNKNOWN);
        let known: Vec<usize> = (0..heads.len()).filter(is_known).collect();
        let mut table = Table::of_numbers(known.iter().map(|&column| heads[column]));
        for row in &rows {
            table.row(known.iter().map(|&column| row[column].clone()));
        }
        page.table(table);
    }

    fn preferences(&self, position: &Position, comparison: &Comparison) -> String {
        let preferences = comparison.preferences().into_iter();
        let words = preferences
            .map(|p| format!("{} for c from {:.2} to {:.2}", position.san(p.mv), p.from, p.to));
        let words: Vec<String> = words.collect();
        format!("Best: {}.", words.join("; "))
    }

    fn games(&self, page: &mut Document) {
        page.heading("Competence in the games");
        let mut table = Table::of_numbers(["White in", "moves", "moves ceded", "c", "95%"]);
        let row = |name: &str, moves: usize, ceded: f64, belief: &Posterior| {
            let (low, high) = belief.interval(0.95);
            [
                name.to_owned(),
                moves.to_string(),
                format!("{ceded:.0}"),
                format!("{:.2}", belief.mean()),
                format!("{low:.1} to {high:.1}"),
            ]
        };
        for (name, profile) in self.games {
            table.row(row(name, profile.moves.len(), profile.ceded(), &profile.belief));
        }
        if self.games.len() > 1 {
            let moves = self.games.iter().map(|(_, profile)| profile.moves.len()).sum();
            let ceded = self.games.iter().map(|(_, profile)| profile.ceded()).sum();
            table.row(row("all games", moves, ceded, self.combined));
        }
        page.table(table);
        let [competence, depth] = profile_charts(self.games);
        page.chart(competence.with_caption("The estimate of White's competence after each move."));
        page.chart(depth.with_caption("The depth after each of White's moves."));
    }
}

/// The number of points in a curve over competences.
const POINTS: u32 = 200;

/// The best move for each competence of the opponent (figures 1 to 4).
pub fn comparison_chart(position: &Position, comparison: &Comparison) -> Chart {
    let curve = |index| {
        let at = |step: u32| LARGEST_COMPETENCE * f64::from(step) / f64::from(POINTS);
        (0..=POINTS).map(|step| (at(step), comparison.gain(index, at(step)))).collect()
    };
    let curves = comparison.moves().enumerate();
    let curves = curves.map(|(index, m)| ChartCurve::line(&position.san(m), curve(index)));
    let (x, y) = ("competence of the opponent, c", gain_in_words(comparison));
    Chart::new(&position.fen(), x, y, curves.collect())
}

/// A description of the numbers in a comparison.
pub fn gain_in_words(comparison: &Comparison) -> &'static str {
    match comparison.result() {
        Some(TableResult::Win) => "expected depth after the reply",
        Some(TableResult::Loss) => "minus the expected depth after the reply",
        Some(TableResult::Draw) => "probability that the reply loses",
        None => "expected gain from the reply",
    }
}

/// The posterior of a player's competence move by move (figure 5) and the depth after each move
/// (figure 6), for several games.
pub fn profile_charts(games: &[(String, EndgameProfile)]) -> [Chart; 2] {
    let curves = |value: fn(&ProfiledMove) -> Option<f64>| {
        let games = games.iter().map(move |(name, profile)| {
            let points = profile.moves.iter().zip(1..);
            let points = points.filter_map(|(m, number)| Some((f64::from(number), value(m)?)));
            ChartCurve::line(name, points.collect())
        });
        games.collect()
    };
    let means = curves(|m| Some(m.mean));
    [
        Chart::new("Apparent competence", "move", "E[c] after the move", means),
        Chart::new("Depth", "move", "depth after the move", curves(|m| m.depth_after)),
    ]
}

/// Charts of a study's Markov chains: the expected depth after n moves, and the expected change in
/// depth as a function of the depth.
pub fn study_charts(study: &Study) -> [Chart; 2] {
    let shown: Vec<_> = [10.0, 15.0, 20.0, 25.0, 30.0, 50.0]
        .iter()
        .filter_map(|&c| study.averages.iter().find(|average| average.competence == c))
        .collect();
    let name = |c: f64| format!("c = {c}");
    let material = study.plan.material;
    let by_number = shown.iter().map(|average| {
        let points = (0u32..).zip(&average.expected_depth);
        let line = points.map(|(n, &d)| (f64::from(n), d)).collect();
        ChartCurve::line(&name(average.competence), line)
    });
    let by_depth = shown.iter().map(|average| {
        let depths = (0u32..).zip(&average.after_white).skip(1);
        let points = depths.map(|(depth, &after)| (f64::from(depth), after - f64::from(depth)));
        ChartCurve::line(&name(average.competence), points.collect())
    });
    let titles = [
        format!("{material}: fallible winner against perfect defence (Markov chain)"),
        format!("{material}: depths at which progress is hard"),
    ];
    let change = "expected change in depth per move";
    [
        Chart::new(&titles[0], "moves played", "expected depth", by_number.collect()),
        Chart::new(&titles[1], "depth", change, by_depth.collect()),
    ]
}
