//! A player's habits, as opposed to the strength of the moves: thinking time, castling, queen
//! exchanges, captures, checks and results.

use std::time::Duration;

use super::clocks::clock_before;
use crate::board::{Colour, Game, Role};
use crate::games::pgn::PgnGame;
use crate::player::THINKING_TIMES;
use crate::player::pace::{MoveContext, ThinkingConditions};

/// The habits of one player, summed over games.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayedHabits {
    /// The number of games.
    pub games: usize,
    /// The number of won, drawn and lost games.
    pub results: [usize; 3],
    /// The number of games that began with the right to castle.
    pub could_castle: usize,
    /// The number of games with castling on the kingside and on the queenside.
    pub castled: [usize; 2],
    /// The number of games that began with queens and lasted to move [`QUEENS_BY`], and how many of
    /// them had no queens left at that move.
    pub queens: [usize; 2],
    /// The number of the player's moves.
    pub moves: usize,
    /// The number of captures among these moves.
    pub captures: usize,
    /// The number of checks among these moves.
    pub checks: usize,
    /// The number of moves with a known thinking time.
    pub timed_moves: usize,
    /// The total thinking time for these moves in seconds, and the time that most people would have
    /// taken.
    seconds: f64,
    usual_seconds: f64,
}

/// The move number at which queens are counted.
pub(crate) const QUEENS_BY: u32 = 20;
/// With fewer timed moves than this, the thinking time is not estimated.
const MIN_TIMED_MOVES: usize = 40;

impl PlayedHabits {
    /// Adds one side of a game.
    pub fn add(&mut self, pgn: &PgnGame, game: &Game, colour: Colour) {
        self.games += 1;
        if let Some(result) = pgn.final_result() {
            self.results[2 - result.half_points(colour)] += 1;
        }
        self.add_moves(game, colour);
        self.add_times(pgn, game, colour);
    }

    fn add_moves(&mut self, game: &Game, colour: Colour) {
        let mut position = game.start().clone();
        let had_queens = !position.of_role(Role::Queen).is_empty();
        let rooks = position.castling_rooks() & position.of_colour(colour);
        self.could_castle += usize::from(!rooks.is_empty());
        let mut castled = [false; 2];
        for &mv in game.moves() {
            if position.turn() == colour {
                if mv.is_castle() {
                    castled[usize::from(mv.to() < mv.from())] = true;
                }
                self.moves += 1;
                self.captures += usize::from(mv.is_capture());
                self.checks += usize::from(position.after(mv).in_check());
            }
            position.play(mv);
            let is_count_due = position.turn().is_white() && position.fullmoves() == QUEENS_BY + 1;
            if had_queens && is_count_due {
                self.queens[0] += 1;
                self.queens[1] += usize::from(position.of_role(Role::Queen).is_empty());
            }
        }
        for (games, castled) in self.castled.iter_mut().zip(castled) {
            *games += usize::from(castled);
        }
    }

    /// Adds the thinking times. The first move is left out, because some servers do not time it.
    fn add_times(&mut self, pgn: &PgnGame, game: &Game, colour: Colour) {
        let mut so_far = Game::new(game.start().clone());
        for (ply, (&mv, left)) in game.moves().iter().zip(&pgn.clocks).enumerate() {
            if so_far.position().turn() == colour
                && let (Some(clock), Some(left)) = (clock_before(pgn, ply), left)
            {
                let context = MoveContext::of(&so_far, Some(mv));
                let usual =
                    ThinkingConditions { clock, context, rating: None, factor: 1.0, entropy: None };
                let available = clock.remaining.unwrap_or_default() + clock.increment;
                self.timed_moves += 1;
                self.seconds +=
                    available.saturating_sub(Duration::from_secs(u64::from(*left))).as_secs_f64();
                self.usual_seconds += usual.mean_seconds();
            }
            so_far.play(mv);
        }
    }

    /// The thinking time relative to most people's, or `None` if it is known for too few
    /// moves.
    pub fn thinking_time(&self) -> Option<f64> {
        let factor = self.seconds / self.usual_seconds;
        let is_known = self.timed_moves >= MIN_TIMED_MOVES && factor.is_finite();
        is_known.then(|| factor.clamp(*THINKING_TIMES.start(), *THINKING_TIMES.end()))
    }

    /// The mean thinking time in seconds.
    pub fn mean_seconds(&self) -> f64 {
        self.seconds / self.timed_moves.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::PgnStream;

    fn habits(text: &str, colour: Colour) -> PlayedHabits {
        let mut habits = PlayedHabits::default();
        for pgn in PgnStream::new(text.as_bytes()) {
            let pgn = pgn.expect("it can be read");
            let game = pgn.replay(None).expect("legal");
            habits.add(&pgn, &game, colour);
        }
        habits
    }

    #[test]
    fn castling_captures_checks_and_results_are_counted() {
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 5. Bxf7+ Kxf7 1-0\n\n";
        let white = habits(text, Colour::White);
        assert_eq!((white.games, white.results, white.castled), (1, [1, 0, 0], [1, 0]));
        assert_eq!((white.moves, white.captures, white.checks), (5, 1, 1));
        let black = habits(text, Colour::Black);
        assert_eq!((black.results, black.castled, black.captures), ([0, 0, 1], [0, 0], 1));
        assert_eq!(black.thinking_time(), None);
    }

    #[test]
    fn thinking_time_comes_from_the_clocks() {
        // White spends `spent` seconds on each move, Black none.
        let game = |spent: u32| {
            let mut text = String::from("[TimeControl \"300+2\"]\n\n");
            let shuffle = ["Nf3", "Nf6", "Ng1", "Ng8"];
            for ply in 0..100_u32 {
                let left = if ply % 2 == 0 { 300 - (spent - 2) * (ply / 2) } else { 300 };
                let (minutes, seconds) = (left / 60, left % 60);
                text += &format!(
                    "{} {{[%clk 0:{minutes:02}:{seconds:02}]}} ",
                    shuffle[ply as usize % 4]
                );
            }
            text + "*\n\n"
        };
        let [fast, slow] = [2, 6].map(|spent| habits(&game(spent), Colour::White));
        assert_eq!((fast.timed_moves, fast.mean_seconds(), slow.mean_seconds()), (49, 2.0, 6.0));
        let [fast, slow] = [fast, slow].map(|habits| habits.thinking_time().expect("enough"));
        assert!(fast < 1.0 && slow > 2.0 * fast, "{fast} {slow}");
        assert_eq!(habits(&game(2).replace("TimeControl", "Other"), Colour::White).timed_moves, 0);
    }
}
