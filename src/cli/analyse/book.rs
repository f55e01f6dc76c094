//! The turns of a study, booked and judged: what every command does that reads players from games.

use std::io::{self, Write};

use super::study::StudyArguments;
use crate::analyser::{By, Ledger, Plan, Sides, Surveyed, Turn};
use crate::cli::engine::EngineArguments;
use crate::config::Config;
use crate::selector::Family;

impl StudyArguments {
    /// Values these sides of the games and books the turns of the players that are asked for, and hands
    /// over every game on the way. They are seen as players of this family see them. Gives the number of those
    /// that had to be left out too.
    pub fn book(
        &self,
        engine: &EngineArguments,
        by: By,
        family: Family,
        config: &Config,
        sides: Sides,
        mut also: impl FnMut(&Surveyed),
    ) -> anyhow::Result<(Ledger, usize)> {
        let mut ledger = Ledger::new(by, self.depth, family, self.rules(), self.threads())?;
        let missing =
            self.survey_by(engine, &self.games, config, (self.skip, sides), |surveyed, _| {
                also(&surveyed);
                self.enter(&surveyed, &mut ledger)
            })?;
        Ok((ledger, missing))
    }

    /// Books the turns of a game.
    pub fn enter(&self, surveyed: &Surveyed, ledger: &mut Ledger) -> anyhow::Result<()> {
        Ok(ledger.add(surveyed, |colour| self.is_wanted(&surveyed.pgn, colour))?)
    }

    /// Hands over the turns that count of everybody who has enough of them.
    pub fn each_judged(
        &self,
        ledger: &Ledger,
        plan: &Plan,
        mut take: impl FnMut(&str, &[&Turn]),
    ) -> anyhow::Result<()> {
        for (place, name, _) in ledger.subjects() {
            let turns = ledger.turns(place)?;
            let (used, _) = plan.rules.select(&turns);
            if used.len() >= self.least.max(1) {
                let one_in = ledger.one_game_in(place);
                if one_in > 1 {
                    writeln!(
                        io::stderr(),
                        "{name}: too many games for memory, one in {one_in} is read"
                    )?;
                }
                take(name, &used);
            }
        }
        Ok(())
    }
}
