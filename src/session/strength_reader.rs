//! Estimates a player's rating from their moves, across all games of a session.
//!
//! An imitator already estimates its opponent's strength, so two imitators do this work. The quick
//! one searches only a few plies, so its estimate keeps up with the game. The thorough one searches
//! to the depth at which the rating scale was calibrated, and its estimate later replaces the quick
//! one.

use crate::analyser::RatingScale;
use crate::board::{Colour, Game};
use crate::player::{Aim, Engine, Imitating, LevelEstimate, OpponentPrior, Style};
use crate::search::Controls;
use crate::value::Depth;

/// The size of the hash table in MiB.
const HASH: usize = 16;
/// The depth of a quick estimate in plies. It takes a few milliseconds per move.
const QUICK_DEPTH: Depth = 5;

/// How thoroughly moves were evaluated for an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    /// At low depth, within milliseconds.
    Quick,
    /// At the depth at which the rating scale was calibrated.
    Full,
}

/// Estimates the rating of one side. It keeps what it has learnt from game to game.
#[derive(Debug)]
pub struct StrengthReader {
    engine: Engine,
    quick: Imitating,
    thorough: Imitating,
}

impl Default for StrengthReader {
    fn default() -> StrengthReader {
        let usual = Style::with_defaults(Aim::Equal);
        // Use the same prior as a report on the game, so that the report does not contradict this
        // estimate.
        let prior = RatingScale::of_people(usual.scale.pool()).prior;
        let hypotheses = usual.hypotheses();
        let prior = prior.map_or_else(
            || OpponentPrior::new(&hypotheses, None),
            |(mean, deviation)| OpponentPrior::normal(&hypotheses, mean, deviation),
        );
        let [mut quick, mut thorough] = [QUICK_DEPTH, usual.depth]
            .map(|depth| Imitating::new(Style { depth, ..usual }, prior.clone()));
        (quick.exact, thorough.exact) = (true, true);
        StrengthReader { engine: Engine::built_in(HASH), quick, thorough }
    }
}

impl StrengthReader {
    /// Returns the estimate from the moves of this side. If the controls stop the work, the
    /// estimate covers only the moves read so far.
    pub fn read(
        &mut self,
        game: &Game,
        side: Colour,
        thoroughness: Thoroughness,
        controls: &Controls,
    ) -> LevelEstimate {
        let imitator = match thoroughness {
            Thoroughness::Quick => &mut self.quick,
            Thoroughness::Full => &mut self.thorough,
        };
        imitator.estimate_level(&mut self.engine, game, side, controls)
    }

    /// Evaluates the legal moves while the side to move thinks. This saves time for the thorough
    /// estimate after the move.
    pub fn evaluate_ahead(&mut self, game: &Game, controls: &Controls) {
        self.thorough.watch(&mut self.engine, game, controls);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::GameKind;

    #[test]
    fn estimates_start_from_the_prior_of_reports() {
        let prior = RatingScale::of_people(GameKind::Board).prior;
        let (mean, _) = prior.expect("the scale has a prior");
        let mut reader = StrengthReader::default();
        for thoroughness in [Thoroughness::Quick, Thoroughness::Full] {
            let controls = Controls::new();
            let estimate = reader.read(&Game::default(), Colour::White, thoroughness, &controls);
            let start = estimate.posterior.median();
            assert!((start - mean).abs() < 60.0, "{start} instead of {mean}");
        }
    }
}
