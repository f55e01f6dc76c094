//! Human choices from games, for training the policy network.

mod record;
mod values;

pub use record::{HumanChoice, LARGEST_CHOICE, RECORD};
pub use values::value_choices;

use std::collections::HashSet;
use std::io::Write;

use stopdown::board::{Game, Move, colour_index};
use stopdown::games::pgn::PgnGame;
use stopdown::math::fingerprint;
use stopdown::policy::{BoardAsSeen, GameKind, MoveAsSeen, PolicyConditions};

/// Shorter games, in plies, are ignored.
const SHORTEST: usize = 10;

/// Games with this many identical plies are most likely the same game with another ending or
/// spelling.
const OPENING: usize = 40;

/// Counts of the games read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Harvest {
    pub games: usize,
    /// Duplicates of earlier games.
    pub again: usize,
    /// Broken or very short games, or games without a pool.
    pub unusable: usize,
    pub choices: usize,
}

/// Converts games into records, each game once.
#[derive(Debug)]
pub struct Gatherer<W> {
    out: W,
    known: HashSet<u64>,
    pub harvest: Harvest,
}

impl<W: Write> Gatherer<W> {
    pub fn new(out: W) -> Gatherer<W> {
        Gatherer { out, known: HashSet::new(), harvest: Harvest::default() }
    }

    /// Writes the choices of a game: those of rated sides with more than one legal move.
    pub fn add(&mut self, pgn: &PgnGame) -> std::io::Result<()> {
        let (game, pool) = match (pgn.replay(None), stated_or_likely(pgn)) {
            (Ok(game), Some(pool)) if game.ply() >= SHORTEST => (game, pool),
            _ => {
                self.harvest.unusable += 1;
                return Ok(());
            }
        };
        let number = fingerprint_of(&game);
        if !self.known.insert(number) {
            self.harvest.again += 1;
            return Ok(());
        }
        self.harvest.games += 1;
        for choice in choices(pgn, pool, &game, number) {
            self.out.write_all(&choice.to_bytes())?;
            self.harvest.choices += 1;
        }
        Ok(())
    }

    /// Flushes buffered output.
    pub fn finish(mut self) -> std::io::Result<Harvest> {
        self.out.flush()?;
        Ok(self.harvest)
    }
}

/// A hash that games with the same moves share. It assigns them to the same side of a train-test
/// split.
pub fn fingerprint_of(game: &Game) -> u64 {
    fingerprint_of_moves(game.moves())
}

/// Whether the game with this number is held out from training. One game in ten tests the policy
/// network and the parameters of the curve `human` (`tuning/policy`), which are fitted to the
/// others.
pub fn is_kept_for_judging(game: u64) -> bool {
    game.is_multiple_of(10)
}

fn fingerprint_of_moves(moves: &[Move]) -> u64 {
    let packed = moves.iter().flat_map(|mv| mv.packed().0.to_le_bytes());
    fingerprint(packed)
}

/// Whether the game was played on a server, as far as is known.
pub fn is_online(pgn: &PgnGame) -> bool {
    let is_servers = |site: &str| {
        let site = site.to_lowercase();
        site.contains("lichess") || site.contains("chess.com")
    };
    pgn.tag("Site").is_some_and(is_servers) || server_event(pgn).is_some()
}

/// The part of a Lichess event name after "Rated": `Blitz game`, `Bullet tournament ...`, or only
/// `game`.
fn server_event(pgn: &PgnGame) -> Option<&str> {
    let event = pgn.tag("Event")?.strip_prefix("Rated ")?;
    let words = event.split_whitespace().take(2);
    words.into_iter().any(|word| ["game", "tournament", "swiss"].contains(&word)).then_some(event)
}

/// The pool of a game by its tags. Returns `None` for server games of unknown kind, and for
/// correspondence games.
pub fn pool(pgn: &PgnGame) -> Option<GameKind> {
    if let Some(pool) = pgn.tag("TimeClass").and_then(GameKind::of_class) {
        return Some(pool);
    }
    if !is_online(pgn) {
        return Some(GameKind::Board);
    }
    let time = pgn.tag("TimeControl").and_then(|time| {
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        Some((base.parse().ok()?, increment.parse().ok()?))
    });
    let class = || match server_event(pgn)?.split_whitespace().next()? {
        "UltraBullet" => Some(GameKind::Bullet),
        word => GameKind::of_class(word),
    };
    time.map(|(base, increment)| GameKind::of_time(base, increment)).or_else(class)
}

/// The pool, and whether the game states it. A server game of unknown kind is most likely blitz.
fn stated_or_likely(pgn: &PgnGame) -> Option<(GameKind, bool)> {
    let unknown_server =
        || server_event(pgn)?.starts_with("game").then_some((GameKind::Blitz, false));
    pool(pgn).map(|pool| (pool, true)).or_else(unknown_server)
}

fn choices(pgn: &PgnGame, kind: (GameKind, bool), game: &Game, number: u64) -> Vec<HumanChoice> {
    let (pool, is_kind_told) = kind;
    let rating = |tag| pgn.tag(tag)?.trim().parse().ok().filter(|&elo: &u16| elo > 0);
    let ratings = [rating("WhiteElo"), rating("BlackElo")];
    let collector = pgn.tag("CollectorSide").unwrap_or("");
    let opening = fingerprint_of_moves(&game.moves()[..game.ply().min(OPENING)]) as u32;
    let mut before = Game::new(game.start().clone());
    let mut choices = Vec::new();
    for (ply, &mv) in game.moves().iter().enumerate() {
        let us = before.position().turn();
        let side = colour_index(us);
        let steps = MoveAsSeen::all(before.position());
        let chosen = before.position().legal_moves().iter().position(|&legal| legal == mv);
        if let (Some(rating), Some(chosen)) = (ratings[side], chosen)
            && (2..=LARGEST_CHOICE).contains(&steps.len())
        {
            let earlier = ply.checked_sub(2).and_then(|at| pgn.clocks.get(at).copied());
            choices.push(HumanChoice {
                view: BoardAsSeen::of(&before),
                setting: PolicyConditions { rating: f64::from(rating), pool },
                opponent: ratings[1 - side].unwrap_or(0),
                clock: earlier.flatten(),
                ply: ply as u16,
                game: number,
                opening,
                chosen: chosen as u8,
                steps,
                is_kind_told,
                is_collector: collector.starts_with(if side == 0 { 'w' } else { 'b' }),
            });
        }
        before.play(mv);
    }
    choices
}
