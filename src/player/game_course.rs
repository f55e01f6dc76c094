//! The course of a game as evidence of the opponent's strength.
//!
//! Between equal players, the advantage changes sides at random. If one side is stronger, the advantage drifts towards
//! that side. A random walk describes this: after `n` moves by each side, the logarithm of our odds of winning has the
//! mean `n` × [`DRIFT`] × `d`, where `d` is our lead in Elo, and the variance `n` × [`VOLATILITY`]². An opponent who
//! is losing badly is therefore probably weaker than we are.

/// The standard deviation of the change in our log-odds over one move by each side.
const VOLATILITY: f64 = 0.6;
/// The mean change in our log-odds over one move by each side, for every Elo point by which we are stronger. With this
/// value, a level that is 200 points higher scores 69% after forty moves, as measured in games between levels.
const DRIFT: f64 = 4e-4 * VOLATILITY;
/// The change in the log-odds of winning for every pawn, in the range where games are decided.
const LN_ODDS_PER_PAWN: f64 = 0.64;
/// Beyond these log-odds, a game is decided, and a greater advantage gives no further information.
const DECIDED: f64 = 5.0;
/// The number of moves in which an advantage should disappear.
const TIME_TO_LEVEL: f64 = 20.0;
/// The largest change in our level, in Elo, that the score may cause.
const MAX_ADJUSTMENT: f64 = 400.0;

/// The course of a game up to a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameCourse {
    /// The number of moves by each side.
    moves: f64,
    /// The sum of our levels at these moves.
    levels: f64,
    /// Our log-odds of winning at the first of these moves. The game need not be even then.
    at_first: f64,
    /// Our log-odds of winning now.
    ln_odds: f64,
    /// Whether the game has been decided. The moves after that do not count, because the advantage cannot grow any more.
    is_decided: bool,
    /// Our log-odds at the last move that counts.
    at_last: f64,
}

impl GameCourse {
    /// Adds a move that we made at this level. The opponent's best reply has the value `theirs` in pawns.
    pub fn add(&mut self, level: f64, theirs: f64) {
        self.ln_odds = (-LN_ODDS_PER_PAWN * theirs).clamp(-DECIDED, DECIDED);
        if self.moves == 0.0 {
            self.at_first = self.ln_odds;
        }
        if self.is_decided {
            return;
        }
        self.moves += 1.0;
        self.levels += level;
        self.at_last = self.ln_odds;
        self.is_decided = self.ln_odds.abs() >= DECIDED;
    }

    /// The change in our level, in Elo, that brings the game back to an even score. We play weaker when ahead and
    /// stronger when behind.
    pub fn level_adjustment(&self) -> f64 {
        (-self.ln_odds / (TIME_TO_LEVEL * DRIFT)).clamp(-MAX_ADJUSTMENT, MAX_ADJUSTMENT)
    }

    /// The log-likelihood of this course of the game, for each rating that the opponent may have.
    pub fn ln_likelihoods(&self, ratings: &[f64]) -> Vec<f64> {
        // The score after the first move is where the course begins.
        let steps = self.moves - 1.0;
        if steps < 1.0 {
            return vec![0.0; ratings.len()];
        }
        let level = self.levels / self.moves;
        let variance = steps * VOLATILITY * VOLATILITY;
        let gained = self.at_last - self.at_first;
        let deviation = |rating: &f64| gained - steps * DRIFT * (level - rating);
        ratings.iter().map(|rating| -0.5 * deviation(rating).powi(2) / variance).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATINGS: [f64; 3] = [800.0, 1600.0, 2400.0];

    fn likeliest(course: &GameCourse) -> f64 {
        let found = course.ln_likelihoods(&RATINGS);
        let best = (0..3).max_by(|&a, &b| found[a].total_cmp(&found[b]));
        RATINGS[best.expect("there are three")]
    }

    fn after(moves: usize, theirs: f64) -> GameCourse {
        let mut course = GameCourse::default();
        course.add(1600.0, 0.0);
        (0..moves).for_each(|_| course.add(1600.0, theirs));
        course
    }

    #[test]
    fn an_opponent_who_is_losing_is_probably_weaker() {
        assert_eq!(likeliest(&after(20, -5.0)), 800.0);
        assert_eq!(likeliest(&after(20, 0.0)), 1600.0);
        assert_eq!(likeliest(&after(20, 5.0)), 2400.0);
    }

    #[test]
    fn we_play_weaker_when_ahead() {
        assert_eq!(after(20, 0.0).level_adjustment(), 0.0);
        assert!((-250.0..-50.0).contains(&after(20, -1.0).level_adjustment()));
        assert_eq!(after(20, 1.0).level_adjustment(), -after(20, -1.0).level_adjustment());
        assert_eq!(after(20, -300.0).level_adjustment(), -MAX_ADJUSTMENT);
    }

    #[test]
    fn a_game_that_has_not_begun_says_nothing() {
        assert_eq!(GameCourse::default().ln_likelihoods(&RATINGS), [0.0; 3]);
        assert_eq!(after(0, 0.0).ln_likelihoods(&RATINGS), [0.0; 3]);
    }

    #[test]
    fn a_mate_says_no_more_than_a_decisive_advantage() {
        let [mate, decisive] = [-300.0, -10.0].map(|theirs| after(20, theirs));
        assert_eq!(mate.ln_likelihoods(&RATINGS), decisive.ln_likelihoods(&RATINGS));
    }
}
