//! The summaries of a study, one for each subject: a player, an event, a year and so on.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::results::RatedResult;
use super::study_accumulator::{GameContext, Measured, RatedMove, StudyAccumulator};
use super::{By, CostlyMoves, EvaluatedGame, PlayerSummary, StudiedMove, StudyReport};
use crate::board::Colour;
use crate::player::all_ratings;

/// The summaries of all subjects so far.
#[derive(Debug)]
pub(crate) struct PlayerSummaries {
    pub accumulator: StudyAccumulator,
    by_name: BTreeMap<String, PlayerSummary>,
    /// The costliest mistakes. Empty unless everything is measured.
    pub costly: CostlyMoves,
}

impl PlayerSummaries {
    pub fn new(accumulator: StudyAccumulator) -> PlayerSummaries {
        PlayerSummaries { accumulator, by_name: BTreeMap::new(), costly: CostlyMoves::default() }
    }

    /// Adds the decisions of the selected sides in a game.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        let decisions = self.decisions(evaluated, wanted);
        if self.accumulator.measured == Measured::Everything {
            self.costly.add(&self.accumulator.plan, evaluated, &decisions);
        }
        self.add_decisions(evaluated, decisions);
    }

    /// The decisions of the selected sides in a game, each with the number of moves played before
    /// it. If the curve needs the policy network, it is evaluated too.
    pub fn decisions(
        &self,
        evaluated: &EvaluatedGame,
        wanted: impl Fn(Colour) -> bool,
    ) -> Vec<(usize, StudiedMove)> {
        let StudyAccumulator { plan, threads, .. } = &self.accumulator;
        let ratings = |colour| if wanted(colour) { all_ratings() } else { Vec::new() };
        let settings = plan.decision_settings(self.accumulator.family());
        let decisions = evaluated.decisions(&settings, *threads, ratings).into_iter();
        decisions.filter(|(_, decision)| wanted(decision.colour)).collect()
    }

    /// Adds decisions from a game. They must come from summaries with the same plan.
    pub fn add_decisions(
        &mut self,
        evaluated: &EvaluatedGame,
        decisions: Vec<(usize, StudiedMove)>,
    ) {
        let mut of_subject: BTreeMap<String, Vec<RatedMove>> = BTreeMap::new();
        for (_, decision) in decisions {
            let plan = &self.accumulator.plan;
            let name = plan.subject(evaluated, &decision);
            let rating = evaluated.pgn.rating_on(plan.scale.elo_scale(), decision.colour);
            of_subject.entry(name).or_default().push((decision, rating));
        }
        let (pgn, scale) = (&evaluated.pgn, &self.accumulator.plan.scale);
        let (game, seed) = (pgn.players(), pgn.fingerprint());
        for (name, decisions) in of_subject {
            let colour = decisions[0].0.colour;
            let is_one_player = decisions.iter().all(|(decision, _)| decision.colour == colour);
            // A phase of a game has no result of its own.
            let has_result = is_one_player && self.accumulator.plan.by != By::Phase;
            let result = RatedResult::of(pgn, colour, scale).filter(|_| has_result);
            let context = GameContext { name: &game, seed, result };
            let summary = self.accumulator.measure(&decisions, &context);
            *self.by_name.entry(name).or_default() += &summary;
        }
    }

    /// The summaries, sorted by the number of decisions, largest first.
    pub fn ranked(&self) -> Vec<(&str, &PlayerSummary)> {
        let mut all: Vec<(&str, &PlayerSummary)> = self.iter().collect();
        all.sort_by_key(|(name, summary)| (Reverse(summary.tally().decisions()), *name));
        all
    }

    /// The summaries with at least `min_moves` decisions that count, and at least one.
    pub fn with_moves(&self, min_moves: usize) -> impl Iterator<Item = (&str, &PlayerSummary)> {
        let all = self.ranked().into_iter();
        all.filter(move |(_, summary)| summary.tally().used >= min_moves.max(1))
    }

    /// The reports on subjects with at least `min_moves` decisions that count. Zero is allowed.
    pub fn reports(&self, min_moves: usize) -> impl Iterator<Item = StudyReport> + '_ {
        let all = self.ranked().into_iter();
        all.filter(move |(_, summary)| summary.tally().used >= min_moves)
            .map(|(name, summary)| StudyReport::new(&self.accumulator, name, summary))
    }

    /// The summaries in byte order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PlayerSummary)> {
        self.by_name.iter().map(|(name, summary)| (name.as_str(), summary))
    }

    pub fn get(&self, name: &str) -> Option<&PlayerSummary> {
        self.by_name.get(name)
    }
}
