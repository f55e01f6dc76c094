//! Estimates how long a human would think about a move.
//!
//! The logarithm of human thinking times is roughly normal. Its mean depends on the time control,
//! the clock, the phase of the game and the move. Recaptures and opening moves are quick, while
//! checks and crowded boards take long. The coefficients were fitted to games with clock times;
//! `tuning/pace` describes the study. This module only computes the time. The caller does the
//! waiting.

use std::time::Duration;

use super::{Elo, EloScale, Pace, Player};
use crate::board::{Game, Move};
use crate::math::exact::{exp, ln};
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::search::Clock;

/// Computes how long a player thinks about its next move.
///
/// Front ends differ in what they know about the game, so they supply two values. One is the base time in the clock:
/// the time control of the game, or in UCI, which has none, the first time on the clock, rounded to half a minute. The
/// other is the series of a player whose moves are not drawn at random.
#[derive(Clone, Copy, Debug)]
pub struct ThinkingTime {
    /// The clock with its base time.
    pub clock: Clock,
    rating: Option<Elo>,
    factor: f64,
    occasion: Occasion,
}

/// The circumstances that determine the thinking time of a move.
#[derive(Clone, Copy, Debug)]
pub struct ThinkingConditions {
    /// The clock, with the initial time of the game if it is known.
    pub clock: Clock,
    /// The player's rating on the FIDE scale, if it is known.
    pub rating: Option<Elo>,
    /// The player's thinking time relative to most people's.
    pub factor: f64,
    pub context: MoveContext,
    /// The entropy of the choice in bits, if it is known.
    pub entropy: Option<f64>,
}

/// The board as the player sees it, and the move.
#[derive(Clone, Copy, Debug)]
pub struct MoveContext {
    /// Plies played before the move.
    pub plies: usize,
    pub pieces: usize,
    pub legal: usize,
    pub in_check: bool,
    pub is_capture: bool,
    /// Whether the move takes the piece that has just captured.
    pub is_recapture: bool,
    pub is_castling: bool,
}

/// The normal distribution of the logarithm of a thinking time in seconds.
#[derive(Clone, Copy, Debug)]
struct LogTime {
    mean: f64,
    spread: f64,
}

/// The assumed number of moves in a game.
const MOVES: u32 = 40;
/// With less time than this on the clock, the player moves at once, as a human would.
const LAST_SECOND: Duration = Duration::from_secs(1);
/// The number of plies that count as the opening.
const OPENING_PLIES: usize = 10;
/// The largest share of the sum of the initial time and ten increments that an opening move takes.
/// Only one in a hundred human moves in the opening takes longer.
const OPENING_SHARE: f64 = 1.0 / 15.0;
/// The largest share of the remaining time that any move takes, in addition to most of the
/// increment. Only one in a hundred human moves takes longer.
const LATER_SHARE: f64 = 0.25;
/// A clock with at least this base time or this increment is typical of a game with a human.
const HUMAN_BASE: Duration = Duration::from_secs(180);
const HUMAN_INCREMENT: Duration = Duration::from_secs(1);
/// If the time per move is shorter than this, there is no wait.
const SHORTEST_MOVE_TIME: Duration = Duration::from_secs(1);

/// The coefficients of the mean and the spread, from `tuning/pace/fit.py`.
const INTERCEPT: f64 = 1.609;
const TEMPO: f64 = 0.748;
const LEFT: f64 = -0.851;
const HALF_LEFT: f64 = 1.159;
const OPENING: f64 = -1.106;
const EARLY: f64 = -0.625;
const MOVE_NUMBER: f64 = -0.315;
const LEGAL: f64 = 0.260;
const CHECK: f64 = 0.392;
const RECAPTURE: f64 = -0.828;
const CAPTURE: f64 = -0.153;
const CASTLING: f64 = -0.300;
const PIECES: f64 = 0.311;
const RATING: f64 = -0.086;
const RATING_OPENING: f64 = -0.218;
const ENTROPY: f64 = 0.104;
const USUAL_ENTROPY: f64 = 1.483;
const SPREAD: f64 = -0.121;
const SPREAD_TEMPO: f64 = 0.073;
const SPREAD_OPENING: f64 = 0.081;
/// The shortest base time or remaining time, increments included, that the model accepts, in
/// seconds.
const MIN_SECONDS: f64 = 1.0;

/// Returns whether to think about a move for as long as a human would.
///
/// With the pace `Auto`, the player takes this time against humans but not against engines. If the
/// kind of opponent is unknown, a slow enough clock suggests a human.
pub fn imitates_thinking_time(pace: Pace, is_human: Option<bool>, clock: &Clock) -> bool {
    let has_human_base = clock.base.is_some_and(|base| base >= HUMAN_BASE);
    let is_human_clock = has_human_base || clock.increment >= HUMAN_INCREMENT;
    match (pace, is_human) {
        (Pace::Instant, _) | (Pace::Auto, Some(false)) => false,
        (Pace::Human, _) | (Pace::Auto, Some(true)) => true,
        (Pace::Auto, None) => clock.remaining.is_some() && is_human_clock,
    }
}

impl ThinkingTime {
    /// Prepares the thinking time of the next move. A player's thinking times use the same seed and game number as its
    /// moves. If its moves are not drawn at random, they use `series` instead.
    pub fn new(player: &Player, game: &Game, clock: Clock, series: (u64, u64)) -> ThinkingTime {
        let (seed, number) = player.series().unwrap_or(series);
        ThinkingTime {
            clock,
            rating: player.level(),
            factor: player.thinking_time(),
            occasion: Occasion { seed, game: number, ply: game.plies() as u64 },
        }
    }

    /// The time that the player takes to find this move. `entropy` is the entropy of the choice in bits, if it is
    /// known.
    pub fn time(&self, game: &Game, mv: Option<Move>, entropy: Option<f64>) -> Duration {
        let ThinkingTime { clock, rating, factor, occasion } = *self;
        let context = MoveContext::of(game, mv);
        thinking_time(&ThinkingConditions { clock, rating, factor, context, entropy }, occasion)
    }
}

/// Draws a human thinking time in whole milliseconds. It is zero without a clock.
fn thinking_time(conditions: &ThinkingConditions, occasion: Occasion) -> Duration {
    let Some((base, most)) = conditions.bounds() else { return Duration::ZERO };
    let time = conditions.log_time(base);
    let seconds = Stream::new(occasion, Purpose::Pace).log_normal(exp(time.mean), time.spread);
    let drawn = Duration::try_from_secs_f64(seconds * conditions.factor).unwrap_or(Duration::MAX);
    Duration::from_millis(drawn.min(most).as_millis() as u64)
}

impl ThinkingConditions {
    /// The mean of the thinking times that people take in these conditions, in seconds.
    pub fn mean_seconds(&self) -> f64 {
        let Some((base, most)) = self.bounds() else { return 0.0 };
        let time = self.log_time(base);
        let mean = exp(time.mean + time.spread * time.spread / 2.0);
        (mean * self.factor).min(most.as_secs_f64())
    }

    /// The base time, and the upper limit for this move.
    fn bounds(&self) -> Option<(Duration, Duration)> {
        let usable = |time: Duration| time.saturating_sub(self.clock.overhead);
        let by_clock = self.clock.remaining.map(|remaining| {
            let left = usable(remaining).saturating_sub(LAST_SECOND);
            let share = left.mul_f64(LATER_SHARE) + self.clock.increment.mul_f64(0.8);
            (self.clock.base.unwrap_or_default().max(remaining), share.min(left / 2))
        });
        let by_move = self.clock.move_time.map(|time| {
            let longest = if time < SHORTEST_MOVE_TIME { Duration::ZERO } else { usable(time) };
            (time.saturating_mul(MOVES), longest)
        });
        let (base, most) = match (by_clock, by_move) {
            (Some((base, most)), Some((_, less))) => (base, most.min(less)),
            (one, other) => one.or(other)?,
        };
        let opening = self.with_increments(base, MOVES / 4).mul_f64(OPENING_SHARE);
        let is_opening = self.context.plies < OPENING_PLIES;
        Some((base, if is_opening { most.min(opening) } else { most }))
    }

    /// `time` plus the increments of `moves` moves.
    fn with_increments(&self, time: Duration, moves: u32) -> Duration {
        time.saturating_add(self.clock.increment.saturating_mul(moves))
    }

    /// The distribution of human thinking times in a game with this base time.
    fn log_time(&self, base: Duration) -> LogTime {
        let seconds = |time: Duration, moves| {
            self.with_increments(time, moves).as_secs_f64().max(MIN_SECONDS)
        };
        let MoveContext { plies, pieces, legal, in_check, is_capture, is_recapture, is_castling } =
            self.context;
        let when = |condition: bool| f64::from(u8::from(condition));
        // The logarithms of the time control, relative to 5+0, and of the fraction of time left.
        let tempo = ln(seconds(base, MOVES) / 300.0);
        let left = self.clock.remaining.map_or(0.0, |remaining| {
            let part = seconds(remaining, MOVES / 4) / seconds(base, MOVES / 4);
            ln(part.clamp(1e-3, 1.5))
        });
        let moves = plies as f64 / 2.0;
        let opening = (1.0 - moves / 10.0).max(0.0);
        let early = (1.0 - moves / 20.0).max(0.0);
        let blitz = |elo: Elo| EloScale::Fide.on(EloScale::LichessBlitz, elo.0);
        let rating = self.rating.map_or(0.0, |elo| (blitz(elo) - 1600.0) / 400.0);
        let open = self.entropy.map_or(0.0, |bits| ENTROPY * (bits - USUAL_ENTROPY));
        let mean = INTERCEPT
            + TEMPO * tempo
            + LEFT * left
            + HALF_LEFT * (left + 0.7).min(0.0)
            + OPENING * opening
            + EARLY * early
            + MOVE_NUMBER * moves.min(60.0) / 20.0
            + LEGAL * ln(legal.max(1) as f64 / 30.0)
            + CHECK * when(in_check)
            + RECAPTURE * when(is_recapture)
            + CAPTURE * when(is_capture && !is_recapture)
            + CASTLING * when(is_castling)
            + PIECES * (pieces as f64 - 20.0) / 10.0
            + RATING * rating
            + RATING_OPENING * rating * opening
            + open;
        LogTime { mean, spread: exp(SPREAD + SPREAD_TEMPO * tempo + SPREAD_OPENING * opening) }
    }
}

impl MoveContext {
    /// The context before the next move of a game. `mv` is that move, if it is known.
    pub fn of(game: &Game, mv: Option<Move>) -> MoveContext {
        let position = game.position();
        let is_capture = mv.is_some_and(Move::is_capture);
        let is_recapture = |mv: Move| {
            game.moves().last().is_some_and(|last| last.is_capture() && last.to() == mv.to())
        };
        MoveContext {
            plies: game.plies(),
            pieces: position.occupied().count(),
            legal: position.legal_moves().len(),
            in_check: position.in_check(),
            is_capture,
            is_recapture: is_capture && mv.is_some_and(is_recapture),
            is_castling: mv.is_some_and(Move::is_castle),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::statistics::median;
    use crate::player::{Aim, ImitatorConfig, Who};

    /// The middlegame: move 16, with most pieces on the board.
    const CONTEXT: MoveContext = MoveContext {
        plies: 30,
        pieces: 26,
        legal: 35,
        in_check: false,
        is_capture: false,
        is_recapture: false,
        is_castling: false,
    };
    /// Base times and increments in seconds.
    const CONTROLS: [(u64, u64); 6] = [(60, 0), (60, 2), (300, 0), (900, 5), (5400, 30), (15, 60)];

    fn conditions(base: u64, increment: u64) -> ThinkingConditions {
        let seconds = Duration::from_secs;
        let clock = Clock {
            base: Some(seconds(base)),
            remaining: Some(seconds(base)),
            increment: seconds(increment),
            overhead: Duration::from_millis(20),
            ..Clock::default()
        };
        ThinkingConditions { clock, rating: None, factor: 1.0, context: CONTEXT, entropy: None }
    }

    fn times(conditions: &ThinkingConditions) -> Vec<f64> {
        let occasion = |ply| Occasion { seed: 3, game: 1, ply };
        (0..4000).map(|ply| thinking_time(conditions, occasion(ply)).as_secs_f64()).collect()
    }

    #[test]
    fn slower_games_have_longer_thinking_times() {
        let medians = [(60, 0), (180, 0), (300, 3), (600, 5), (1800, 20)]
            .map(|(base, increment)| median(&times(&conditions(base, increment))));
        assert!(medians.is_sorted(), "{medians:?}");
        assert!(
            (1.0..3.0).contains(&medians[0]) && (6.0..20.0).contains(&medians[3]),
            "{medians:?}"
        );
    }

    #[test]
    fn thinking_times_depend_on_the_move_the_clock_and_the_choice() {
        let usual = conditions(300, 0);
        let typical = median(&times(&usual));
        let ratio = |change: &dyn Fn(&mut ThinkingConditions)| {
            let mut changed = usual;
            change(&mut changed);
            median(&times(&changed)) / typical
        };
        assert!(ratio(&|t| t.context.plies = 4) < 0.6);
        assert!(ratio(&|t| (t.context.is_capture, t.context.is_recapture) = (true, true)) < 0.5);
        assert!(ratio(&|t| t.context.legal = 1) < 0.5);
        assert!(ratio(&|t| t.context.in_check = true) > 1.2);
        assert!(ratio(&|t| t.entropy = Some(4.0)) > 1.2);
        assert!(ratio(&|t| t.entropy = Some(0.2)) < 0.9);
        assert!(ratio(&|t| t.clock.remaining = Some(Duration::from_secs(5))) < 0.5);
        assert!((ratio(&|t| t.factor = 0.5) - 0.5).abs() < 0.01);
    }

    #[test]
    fn the_mean_is_that_of_many_draws() {
        for (base, increment) in [(300, 0), (900, 5)] {
            let conditions = conditions(base, increment);
            let times = times(&conditions);
            let mean = times.iter().sum::<f64>() / times.len() as f64;
            assert!((mean / conditions.mean_seconds() - 1.0).abs() < 0.1, "{mean}");
        }
    }

    #[test]
    fn no_opening_move_takes_long() {
        let mut conditions =
            ThinkingConditions { entropy: Some(5.0), factor: 3.0, ..conditions(300, 3) };
        for plies in 0..OPENING_PLIES {
            conditions.context.plies = plies;
            assert!(times(&conditions).iter().all(|&time| time <= 22.0));
        }
    }

    #[test]
    fn recaptures_are_told_from_other_captures() {
        let context = |moves: &[&str], next: &str| {
            let game = Game::from_uci(None, moves.iter().copied(), false).expect("legal");
            let mv = game.position().parse_uci(next).expect("legal");
            let context = MoveContext::of(&game, Some(mv));
            (context.plies, context.pieces, context.is_capture, context.is_recapture)
        };
        assert_eq!(context(&["e2e4", "d7d5"], "e4d5"), (2, 32, true, false));
        assert_eq!(context(&["e2e4", "d7d5", "e4d5"], "d8d5"), (3, 31, true, true));
        assert_eq!(context(&["e2e4", "d7d5", "e4d5"], "g8f6"), (3, 31, false, false));
    }

    #[test]
    fn waiting_never_loses_on_time() {
        for (base, increment) in CONTROLS.into_iter().chain([(1, 0)]) {
            let mut conditions =
                ThinkingConditions { entropy: Some(5.0), ..conditions(base, increment) };
            for ply in 0..600 {
                let remaining = conditions.clock.remaining.expect("on a clock");
                let time = thinking_time(&conditions, Occasion { seed: 1, game: 1, ply });
                assert!(time <= remaining / 2, "{base}+{increment} ply {ply}: {time:?}");
                let is_short = remaining <= Duration::from_secs(1);
                assert!(!is_short || time.is_zero(), "{base}+{increment} ply {ply}: {time:?}");
                conditions.clock.remaining = Some(remaining - time + conditions.clock.increment);
            }
        }
    }

    #[test]
    fn without_a_clock_there_is_no_waiting() {
        let with_clock = |clock| ThinkingConditions { clock, ..conditions(60, 0) };
        assert!(times(&with_clock(Clock::default())).iter().all(|&time| time == 0.0));
        let per_move = |milliseconds| {
            let move_time = Some(Duration::from_millis(milliseconds));
            with_clock(Clock { move_time, ..Clock::default() })
        };
        assert!(times(&per_move(900)).iter().all(|&time| time == 0.0));
        assert!(times(&per_move(3000)).iter().all(|&time| time <= 3.0));
        assert!(median(&times(&per_move(3000))) > 0.5);
    }

    #[test]
    fn auto_pace_waits_for_humans_and_never_for_engines() {
        for (base, increment, is_human, expected) in [
            (300, 0, None, true),
            (60, 1, None, true),
            (60, 0, None, false),
            (60, 0, Some(true), true),
            (5400, 30, Some(false), false),
        ] {
            let ThinkingConditions { clock, .. } = conditions(base, increment);
            assert_eq!(
                imitates_thinking_time(Pace::Auto, is_human, &clock),
                expected,
                "{base:?} {is_human:?}"
            );
            assert!(imitates_thinking_time(Pace::Human, is_human, &clock));
            assert!(!imitates_thinking_time(Pace::Instant, is_human, &clock));
        }
        let time = Some(Duration::from_secs(600));
        let clock = Clock { move_time: time, base: time, ..Clock::default() };
        assert!(!imitates_thinking_time(Pace::Auto, None, &clock), "no clock runs");
    }

    #[test]
    fn a_player_thinks_in_the_series_of_its_moves() {
        let imitator = Who::Imitator(ImitatorConfig::with_defaults(Aim::Equal));
        let (game, clock) = (Game::default(), Clock::default());
        for (who, seed, number) in [(imitator, 3, 4), (Who::FullStrength, 1, 2)] {
            let thinking = ThinkingTime::new(&Player::new(who, 3, 4), &game, clock, (1, 2));
            assert_eq!(thinking.occasion, Occasion { seed, game: number, ply: 0 });
        }
    }

    #[test]
    fn the_same_occasion_takes_the_same_time() {
        assert_eq!(times(&conditions(300, 0)), times(&conditions(300, 0)));
    }
}
