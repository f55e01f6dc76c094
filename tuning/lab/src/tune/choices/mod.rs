//! Human choices from games, for training the policy network.

mod human_game;
mod record;
mod tags;
mod values;

pub use human_game::{HumanGame, TITLE};
pub use record::{HumanChoice, MAX_LEGAL_MOVES, RECORD, are_choices};
pub use values::{EvaluatedChoices, evaluate_choices};

use std::collections::HashSet;
use std::io::{Read, Write};

use stopdown::board::{Game, Move, colour_index};
use stopdown::math::fingerprint;
use stopdown::policy::{PolicyConditions, RelativeBoard, RelativeMove};

/// Games with fewer plies than this are ignored.
const SHORTEST: usize = 10;

/// If two games are identical for this number of plies, they are most likely the same game with a
/// different ending or with names spelt differently.
const OPENING: usize = 40;

/// Counts of the games read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatherCounts {
    pub games: usize,
    /// The number of duplicates of earlier games.
    pub again: usize,
    /// The number of games that are broken, very short, or of an unknown kind, or that the compact form cannot hold.
    pub unusable: usize,
    pub choices: usize,
}

/// Skips duplicate games, and writes the others, either as choices or in the compact form.
#[derive(Debug)]
pub struct Gatherer<W> {
    out: W,
    form: Form,
    known: HashSet<u64>,
    /// Games waiting to be converted together.
    waiting: Vec<HumanGame>,
    pub counts: GatherCounts,
}

/// The output of a [`Gatherer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A record for each choice, see [`HumanChoice`].
    Choices,
    /// A compact record for each game, see [`HumanGame`].
    Games,
}

/// The number of games that are converted together.
const BATCH: usize = 2048;

impl<W: Write> Gatherer<W> {
    pub fn new(mut out: W, form: Form) -> std::io::Result<Gatherer<W>> {
        if form == Form::Games {
            out.write_all(TITLE)?;
        }
        let (known, waiting) = (HashSet::new(), Vec::new());
        Ok(Gatherer { out, form, known, waiting, counts: GatherCounts::default() })
    }

    /// Adds a game, or counts it as unusable.
    pub fn add(&mut self, game: Option<HumanGame>) -> std::io::Result<()> {
        let is_usable = |human: &HumanGame| {
            human.game.ply() >= SHORTEST && (self.form == Form::Choices || human.is_compactable())
        };
        let Some(game) = game.filter(is_usable) else {
            self.counts.unusable += 1;
            return Ok(());
        };
        if !self.known.insert(fingerprint_of(&game.game)) {
            self.counts.again += 1;
            return Ok(());
        }
        self.counts.games += 1;
        self.waiting.push(game);
        if self.waiting.len() >= BATCH { self.write_waiting() } else { Ok(()) }
    }

    /// Adds all games in a file of compact games. Its header must already have been read.
    pub fn add_compact(&mut self, mut from: impl Read) -> std::io::Result<()> {
        while let Some(game) = HumanGame::read(&mut from)? {
            self.add(Some(game))?;
        }
        Ok(())
    }

    /// Writes the waiting games, and flushes buffered output.
    pub fn finish(mut self) -> std::io::Result<GatherCounts> {
        self.write_waiting()?;
        self.out.flush()?;
        Ok(self.counts)
    }

    fn write_waiting(&mut self) -> std::io::Result<()> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = self.waiting.len().div_ceil(threads).max(1);
        let form = self.form;
        let convert = |games: &[HumanGame]| match form {
            Form::Choices => games.iter().flat_map(choices).flat_map(|c| c.to_bytes()).collect(),
            Form::Games => games.iter().filter_map(HumanGame::to_bytes).flatten().collect(),
        };
        let parts: Vec<Vec<u8>> = std::thread::scope(|scope| {
            let parts = self.waiting.chunks(share);
            let parts: Vec<_> = parts.map(|games| scope.spawn(move || convert(games))).collect();
            parts.into_iter().map(|part| part.join().expect("conversions do not panic")).collect()
        });
        for part in &parts {
            self.out.write_all(part)?;
        }
        if form == Form::Choices {
            self.counts.choices += parts.iter().map(Vec::len).sum::<usize>() / RECORD;
        }
        self.waiting.clear();
        Ok(())
    }
}

/// A hash that is the same for all games with the same moves. A train-test split by this hash keeps
/// them on the same side.
pub fn fingerprint_of(game: &Game) -> u64 {
    fingerprint_of_moves(game.moves())
}

/// Whether the game with this number is held out from training. One game in ten is used to test the
/// policy network and the curve `human` (`tuning/policy`), which are fitted to other games.
pub fn is_test_game(game: u64) -> bool {
    game.is_multiple_of(10)
}

fn fingerprint_of_moves(moves: &[Move]) -> u64 {
    let packed = moves.iter().flat_map(|mv| mv.packed().0.to_le_bytes());
    fingerprint(packed)
}

/// The choices in a game: positions in which the side to move has a rating and more than one legal
/// move.
fn choices(human: &HumanGame) -> Vec<HumanChoice> {
    let game = &human.game;
    let number = fingerprint_of(game);
    let opening = fingerprint_of_moves(&game.moves()[..game.ply().min(OPENING)]) as u32;
    let mut before = Game::new(game.start().clone());
    let mut choices = Vec::new();
    for (ply, &mv) in game.moves().iter().enumerate() {
        let side = colour_index(before.position().turn());
        let legal = before.position().legal_moves();
        let chosen = legal.iter().position(|&legal| legal == mv);
        if let (Some(rating), Some(chosen)) = (human.ratings[side], chosen)
            && (2..=MAX_LEGAL_MOVES).contains(&legal.len())
        {
            let earlier = ply.checked_sub(2).and_then(|at| human.clocks.get(at).copied());
            choices.push(HumanChoice {
                view: RelativeBoard::of(&before),
                setting: PolicyConditions { rating: f64::from(rating), pool: human.kind },
                opponent: human.ratings[1 - side].unwrap_or(0),
                clock: earlier.flatten(),
                ply: ply as u16,
                game: number,
                opening,
                chosen: chosen as u8,
                steps: RelativeMove::all(before.position()),
                is_kind_stated: human.is_kind_stated,
                is_collector: human.collectors[side],
                is_chesscom: human.is_chesscom,
            });
        }
        before.play(mv);
    }
    choices
}
