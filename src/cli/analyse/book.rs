//! The turns of a study, booked and judged: what every command does that reads players from games.

use super::study::StudyArguments;
use crate::analyser::{By, EvaluatedGame, Gauge, Ledger, Measured, Sides, Statistics, StudyPlan};
use crate::cli::engine::EngineArguments;
use crate::config::Settings;

impl StudyArguments {
    /// Values these sides of the games and books what is measured of the players that are asked for, and
    /// hands over every game on the way. Gives those that had to be left out too, in words.
    pub fn book(
        &self,
        engine: &EngineArguments,
        by: By,
        (plan, measured): (&StudyPlan, Measured),
        config: &Settings,
        sides: Sides,
        mut also: impl FnMut(&EvaluatedGame),
    ) -> anyhow::Result<(Ledger, Vec<String>)> {
        let mut ledger = self.ledger(by, plan, measured);
        let part = (self.skip, sides);
        let missing = self.evaluate_games(engine, config, part, |evaluated, _| {
            also(&evaluated);
            self.enter(&evaluated, &mut ledger);
            Ok(())
        })?;
        Ok((ledger, missing))
    }

    /// An empty one.
    pub fn ledger(&self, by: By, plan: &StudyPlan, measured: Measured) -> Ledger {
        Ledger::new(by, Gauge::new(plan, measured, self.threads()), self.threads())
    }

    /// Books the turns of a game.
    pub fn enter(&self, evaluated: &EvaluatedGame, ledger: &mut Ledger) {
        ledger.add(evaluated, |colour| self.is_wanted(&evaluated.pgn, colour));
    }

    /// Hands over everybody who has enough turns that count, those with most turns first.
    pub fn each_judged(&self, ledger: &Ledger, mut take: impl FnMut(&str, &Statistics)) {
        for (name, turns) in ledger.subjects() {
            let statistics = ledger.statistics(name);
            if turns >= self.min_moves && statistics.tally().used >= self.min_moves.max(1) {
                take(name, &statistics);
            }
        }
    }
}
