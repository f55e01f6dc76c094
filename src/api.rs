//! A simple interface to the library: evaluate a position, list the moves that humans would play, play against a level,
//! and rate players.
//!
//! The functions here call the other modules with the usual settings. If you need more, use these modules:
//! [`player`](crate::player) for other players, and [`analyser`](crate::analyser) for the figures of studies.

use std::io::BufRead;

use crate::analyser::{Measured, RatingScale, Sides, StudyPlan};
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::games::pgn::{PgnError, PgnGame, PgnStream};
use crate::player::{
    Elo, EloScale, Engine, EngineHost, MoveRequest, Participant, Player, PlayerSpec, SpecError,
    TargetRating, human_shares,
};
use crate::review::{EvaluationObserver, GamesError, ReviewJob};
use crate::search::{Controls, EvaluationRequest, Limits, NoObserver};
use crate::threads::cores;
use crate::value::Depth;

/// The depth in plies that levels and ratings are calibrated for.
pub const CALIBRATED_DEPTH: Depth = crate::player::USUAL_DEPTH;

/// Evaluates every legal move at every depth from 1 to `depth` plies, best move first. After checkmate or stalemate,
/// the list of moves is empty. A depth of 0 counts as 1.
pub fn evaluate(engine: &mut Engine, game: &Game, depth: Depth) -> RootEvaluation {
    let request = EvaluationRequest::depth(depth.max(1));
    engine.evaluate(game, &request, &Controls::new(), &mut NoObserver)
}

/// For players with the given rating, returns the share who would play each move, largest share first. The shares add
/// up to 1, unless there is no legal move. Ratings above 3000 count as 3000. They are calibrated for
/// [`CALIBRATED_DEPTH`]; a smaller depth is faster but less accurate. Without the feature `human`, the shares are
/// different and less accurate.
///
/// # Errors
///
/// Returns an error if the rating is not from 400 to 3400.
pub fn human_moves(
    engine: &mut Engine,
    game: &Game,
    rating: Elo,
    scale: EloScale,
    depth: Depth,
) -> Result<Vec<(Move, f64)>, SpecError> {
    let target = TargetRating::new(rating, None, scale);
    if !target.is_available() {
        return Err(SpecError::Rating(target));
    }
    let depth = depth.max(1);
    let evaluation = evaluate(engine, game, depth);
    let distribution = human_shares(game, &evaluation, depth, &target);
    let moves = evaluation.moves.iter().map(|m| m.mv);
    let mut shares: Vec<_> = moves.zip(distribution.probabilities().iter().copied()).collect();
    shares.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    Ok(shares)
}

/// A player of a given rating. Like a person with this rating, it makes mistakes.
#[derive(Debug)]
pub struct Opponent(Participant);

impl Opponent {
    /// An opponent with this rating, from 400 to 3400. The same seed gives the same choices.
    ///
    /// # Errors
    ///
    /// Returns an error if the rating is out of range.
    pub fn new(rating: Elo, scale: EloScale, seed: u64) -> Result<Opponent, SpecError> {
        let who = PlayerSpec::rated(TargetRating::new(rating, None, scale)).player()?;
        let host = EngineHost::new(Engine::built_in(HASH));
        Ok(Opponent(Participant::new(host, Player::new(who, seed, 1))))
    }

    /// Chooses a move, which takes about a second. `None` if there is no legal move.
    pub fn choose(&mut self, game: &Game) -> Option<Move> {
        let (limits, controls) = (&Limits::default(), &Controls::new());
        self.0.decide(&MoveRequest { game, limits, controls }, &mut NoObserver).best.mv
    }
}

/// The rating that a player's moves suggest.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRating {
    /// The player's name in the games.
    pub name: String,
    /// The estimate, limited to the range of the requested scale.
    pub rating: f64,
    /// The ends of the 95% interval, limited to the same range.
    pub interval: (f64, f64),
    /// The number of moves that the estimate is based on. With fewer than 20 moves, it mostly reflects the prior.
    pub moves: usize,
}

/// The ratings of the players in some games.
#[derive(Clone, Debug, PartialEq)]
pub struct RatedGames {
    /// The players, the one with the most moves first.
    pub players: Vec<PlayerRating>,
    /// A message for each game that was skipped because it cannot be read.
    pub skipped: Vec<String>,
}

/// Rates the players in PGN games by their moves. The player with the most moves comes first. A player without moves
/// that count (`stopdown help rate` lists those that do not) is left out. Games that cannot be read are skipped.
/// Duplicate games are counted once.
///
/// # Errors
///
/// Returns an error if the engine or its thread fails.
pub fn rate(
    pgn: impl BufRead,
    scale: EloScale,
    depth: Depth,
) -> Result<Vec<PlayerRating>, GamesError> {
    Ok(rate_games(pgn, scale, depth, &|| false)?.players)
}

/// Like [`rate`], but also returns which games were skipped. `is_stopped` is called after every position.
///
/// # Errors
///
/// Returns an error if the engine or its thread fails, or if `is_stopped` returned true.
pub fn rate_games(
    pgn: impl BufRead,
    scale: EloScale,
    depth: Depth,
    is_stopped: &dyn Fn() -> bool,
) -> Result<RatedGames, GamesError> {
    let plan = StudyPlan::usual(RatingScale::of(scale), depth.max(1));
    let engines = (0..cores().max(1)).map(|_| Engine::built_in(HASH)).collect();
    let job = ReviewJob::of_all(&plan, Measured::Rating, engines).of_sides(Sides::Both);
    let games = PgnStream::new(pgn).map(|game| game.map_err(|error| error.to_string()));
    let mut observer = SkippedGames { is_stopped, messages: Vec::new() };
    let found = job.summarise(games, &mut observer, |_| Ok::<(), GamesError>(()));
    let (summaries, counts) = found?;
    let skipped = [counts.unreadable, observer.messages].concat();
    let rated = summaries.ranked().into_iter().filter_map(|(name, summary)| {
        let rating = summaries.accumulator.rate(summary)?;
        let scale = &summaries.accumulator.plan.scale;
        let (low, high) = rating.interval(0.95);
        Some(PlayerRating {
            name: name.to_owned(),
            rating: scale.nearest(rating.elo),
            interval: (scale.nearest(low), scale.nearest(high)),
            moves: summary.tally().used,
        })
    });
    Ok(RatedGames { players: rated.collect(), skipped })
}

/// Collects messages about games with illegal moves.
struct SkippedGames<'a> {
    is_stopped: &'a dyn Fn() -> bool,
    messages: Vec<String>,
}

impl EvaluationObserver for SkippedGames<'_> {
    fn left_out(&mut self, _game: &PgnGame, error: &PgnError) {
        self.messages.push(error.to_string());
    }

    fn is_stopped(&self) -> bool {
        (self.is_stopped)()
    }
}

/// The hash size for rating games, in MiB.
const HASH: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn human_moves_are_those_of_humans_and_not_of_a_level() {
        let (mut engine, game) = (Engine::built_in(1), Game::default());
        let (elo, scale, depth) = (Elo(2600.0), EloScale::Fide, 3);
        let found = human_moves(&mut engine, &game, elo, scale, depth).expect("a rating");
        let evaluation = evaluate(&mut engine, &game, depth);
        let target = TargetRating::new(elo, None, scale);
        let shares = human_shares(&game, &evaluation, depth, &target);
        for (m, share) in found {
            let at = evaluation.moves.iter().position(|other| other.mv == m);
            assert_eq!(share, shares.probabilities()[at.expect("a legal move")]);
        }
    }
}
