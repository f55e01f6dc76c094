//! The moves that players of several ratings would play, as a table, a chart and JSON.

use serde::Serialize;

use super::chart::{Chart, ChartCurve};
use super::document::{Document, Table};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::player::{Elo, EloScale, TargetRating, human_shares, percent};
use crate::value::{Depth, plies};
use crate::words::counted;

/// For each of several ratings, the shares of players who would play each move.
#[derive(Clone, Debug, Serialize)]
pub struct LikelyMoves {
    fen: String,
    scale: &'static str,
    depth: Depth,
    /// The ratings, in the order of the request.
    ratings: Vec<f64>,
    /// Every legal move. The move with the largest share at any rating comes first.
    moves: Vec<LikelyMove>,
    /// The ratings of the players that the shares describe, as text.
    #[serde(skip)]
    players: Vec<String>,
    #[serde(skip)]
    chart: Chart,
}

#[derive(Clone, Debug, Serialize)]
struct LikelyMove {
    #[serde(rename = "move")]
    uci: String,
    san: String,
    /// The score in pawns.
    score: f64,
    /// A share between 0 and 1 for each rating.
    shares: Vec<f64>,
    #[serde(skip)]
    score_in_words: String,
}

/// Moves with a smaller share at all ratings are combined in one row of the table.
const MIN_SHARE: f64 = 0.01;
/// The number of moves in the chart.
const CHARTED_MOVES: usize = 6;
/// The distance between neighbouring ratings in the chart, in Elo.
const CHART_STEP: f64 = 50.0;

impl LikelyMoves {
    /// Computes the shares from an evaluation. Results deeper than `depth` are ignored.
    pub fn new(
        game: &Game,
        evaluation: &RootEvaluation,
        depth: Depth,
        ratings: &[TargetRating],
    ) -> LikelyMoves {
        let shares = |rating: &TargetRating| {
            human_shares(game, evaluation, depth, rating).probabilities().to_vec()
        };
        let by_rating: Vec<Vec<f64>> = ratings.iter().map(shares).collect();
        let position = game.position();
        let mut order: Vec<usize> = (0..evaluation.moves.len()).collect();
        let largest =
            |index: usize| by_rating.iter().map(|shares| shares[index]).fold(0.0, f64::max);
        order.sort_by(|&one, &other| largest(other).total_cmp(&largest(one)));
        let moves = order.iter().map(|&index| {
            let found = &evaluation.moves[index];
            LikelyMove {
                uci: position.uci(found.mv),
                san: position.san(found.mv),
                score: found.value().pawns(),
                shares: by_rating.iter().map(|shares| shares[index]).collect(),
                score_in_words: found.value().to_string(),
            }
        });
        let moves: Vec<LikelyMove> = moves.collect();
        let grid: Vec<(f64, Vec<f64>)> =
            chart_ratings(ratings).iter().map(|rating| (rating.elo.0, shares(rating))).collect();
        let curves = moves.iter().zip(&order).take(CHARTED_MOVES).map(|(found, &index)| {
            let line = grid.iter().map(|(elo, shares)| (*elo, 100.0 * shares[index])).collect();
            let points = ratings.iter().zip(&found.shares);
            let points = points.map(|(rating, share)| (rating.elo.0, 100.0 * share)).collect();
            ChartCurve { points, ..ChartCurve::line(&found.san, line) }
        });
        let scale = ratings.first().map_or(EloScale::default(), |rating| rating.scale);
        let chart = Chart::new(
            "Moves by rating",
            &format!("rating ({scale})"),
            "players who would play the move (%)",
            curves.collect(),
        );
        LikelyMoves {
            fen: position.fen(),
            scale: scale.name(),
            depth: depth.min(evaluation.depth),
            ratings: ratings.iter().map(|rating| rating.elo.0).collect(),
            players: ratings.iter().map(TargetRating::human_rating).collect(),
            moves,
            chart,
        }
    }

    pub fn has_moves(&self) -> bool {
        !self.moves.is_empty()
    }

    pub fn document(&self) -> Document {
        let mut document = Document::new("");
        if !self.has_moves() {
            document.paragraph("There is no legal move in this position.");
            return document;
        }
        let LikelyMoves { scale, depth, .. } = self;
        document.paragraph(format!(
            "Share of players of each rating ({scale}) who would play the move, \
             and its score in pawns at {}.",
            plies(*depth)
        ));
        let players = self.players.iter().map(String::as_str);
        let mut table = Table::of_numbers(["move", "score"].into_iter().chain(players));
        let is_shown = |found: &&LikelyMove| found.shares.iter().any(|&share| share >= MIN_SHARE);
        for found in self.moves.iter().filter(is_shown) {
            let mut cells = vec![found.san.clone(), found.score_in_words.clone()];
            cells.extend(found.shares.iter().map(|&share| percent(share)));
            table.row(cells);
        }
        let rest: Vec<&LikelyMove> = self.moves.iter().filter(|found| !is_shown(found)).collect();
        if !rest.is_empty() {
            let mut cells = vec![counted(rest.len(), "other move"), String::new()];
            let sum = |rating: usize| rest.iter().map(|found| found.shares[rating]).sum();
            cells.extend((0..self.ratings.len()).map(|rating| percent(sum(rating))));
            table.row(cells);
        }
        document.table(table);
        document
    }

    /// The shares of the most frequent moves between the lowest and the highest rating, as SVG.
    #[cfg(feature = "program")]
    pub fn svg(&self) -> String {
        super::drawing::svg(&self.chart)
    }
}

/// The ratings of the chart: from the lowest to the highest, in steps.
fn chart_ratings(ratings: &[TargetRating]) -> Vec<TargetRating> {
    let elos = || ratings.iter().map(|rating| rating.elo.0);
    let (low, high) = (elos().fold(f64::INFINITY, f64::min), elos().fold(0.0, f64::max));
    let Some(first) = ratings.first() else { return Vec::new() };
    let steps = ((high - low) / CHART_STEP).ceil().max(1.0);
    let at = |step: u32| low + (high - low) * f64::from(step) / steps;
    (0..=steps as u32).map(|step| TargetRating { elo: Elo(at(step)), ..*first }).collect()
}
