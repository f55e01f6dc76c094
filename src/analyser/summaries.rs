//! The summaries of a study by subject: a player, an event, a year and so on.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::accumulator::{RatedTurn, StudyAccumulator};
use super::{EvaluatedGame, PlayerSummary, StudyReport, Turn};
use crate::board::Colour;
use crate::player::all_ratings;

/// The summaries of everybody so far.
#[derive(Debug)]
pub struct PlayerSummaries {
    pub accumulator: StudyAccumulator,
    by_name: BTreeMap<String, PlayerSummary>,
}

impl PlayerSummaries {
    pub fn new(accumulator: StudyAccumulator) -> PlayerSummaries {
        PlayerSummaries { accumulator, by_name: BTreeMap::new() }
    }

    /// Adds the decisions of a game that the wanted sides made.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        let turns = self.turns(evaluated, wanted);
        self.add_turns(evaluated, turns);
    }

    /// The decisions of a game that the wanted sides made, seen with the policy of the players of the plan's
    /// scale where something is measured by it.
    pub fn turns(&self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) -> Vec<Turn> {
        let StudyAccumulator { plan, threads, .. } = &self.accumulator;
        let ratings = |colour| if wanted(colour) { all_ratings() } else { Vec::new() };
        let family = self.accumulator.family();
        let turns = evaluated.turns(plan.depth(), family, *threads, &plan.rules, ratings);
        turns.into_iter().map(|(_, turn)| turn).filter(|turn| wanted(turn.colour)).collect()
    }

    /// Adds decisions of a game, which summaries of the same plan gave.
    pub fn add_turns(&mut self, evaluated: &EvaluatedGame, turns: Vec<Turn>) {
        let mut of_subject: BTreeMap<String, Vec<RatedTurn>> = BTreeMap::new();
        for turn in turns {
            if let Some(name) = self.accumulator.plan.by.subject(evaluated, &turn) {
                let rating = evaluated.pgn.rating(turn.colour);
                of_subject.entry(name).or_default().push((turn, rating));
            }
        }
        let (game, seed) = (evaluated.pgn.players(), evaluated.pgn.fingerprint());
        for (name, turns) in of_subject {
            let summary = self.accumulator.measure(&turns, &game, seed);
            *self.by_name.entry(name).or_default() += &summary;
        }
    }

    /// The summaries, those with most decisions first.
    pub fn ranked(&self) -> Vec<(&str, &PlayerSummary)> {
        let mut all: Vec<(&str, &PlayerSummary)> = self.iter().collect();
        all.sort_by_key(|(name, summary)| (Reverse(summary.tally().turns()), *name));
        all
    }

    /// The summaries with at least so many decisions that count, and at least one.
    pub fn with_moves(&self, least: usize) -> impl Iterator<Item = (&str, &PlayerSummary)> {
        let all = self.ranked().into_iter();
        all.filter(move |(_, summary)| summary.tally().used >= least.max(1))
    }

    /// The reports on subjects with at least so many decisions that count, which may be none.
    pub fn reports(&self, least: usize) -> impl Iterator<Item = StudyReport> + '_ {
        let all = self.ranked().into_iter();
        all.filter(move |(_, summary)| summary.tally().used >= least)
            .map(|(name, summary)| StudyReport::new(&self.accumulator, name, summary))
    }

    /// The summaries in the order of the names' bytes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PlayerSummary)> {
        self.by_name.iter().map(|(name, summary)| (name.as_str(), summary))
    }

    pub fn get(&self, name: &str) -> Option<&PlayerSummary> {
        self.by_name.get(name)
    }
}
