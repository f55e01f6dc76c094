//! The turns of a study, kept apart by what they are reported under, and out of memory.

use std::collections::HashMap;

use super::group::By;
use super::{Phase, Plan, Report, Surveyed, Turn};
use crate::board::Colour;
use crate::evaluation::RootEvaluation;
use crate::games::{Spool, StoreError};
use crate::selector::Values;
use crate::value::{Depth, Value};

/// All turns so far.
#[derive(Debug)]
pub struct Ledger {
    by: By,
    /// Deeper values are not kept.
    depth: Depth,
    spool: Spool,
    subjects: Vec<Subject>,
    places: HashMap<String, usize>,
    /// Games taken in: their numbers do not depend on what was left out.
    games: usize,
}

/// Whom a report is about.
#[derive(Clone, Debug)]
struct Subject {
    name: String,
    turns: usize,
    /// The sum and the number of the ratings that turns carry.
    ratings: (f64, usize),
}

impl Ledger {
    pub fn new(by: By, depth: Depth) -> Result<Ledger, StoreError> {
        let spool = Spool::new()?;
        let (subjects, places) = (Vec::new(), HashMap::new());
        Ok(Ledger { by, depth, spool, subjects, places, games: 0 })
    }

    /// Takes in the turns of a game that some of its players made.
    pub fn add(
        &mut self,
        surveyed: &Surveyed,
        wanted: impl Fn(Colour) -> bool,
    ) -> Result<(), StoreError> {
        let game = self.games;
        self.games += 1;
        for (played, turn) in surveyed.turns(self.depth) {
            if !wanted(turn.colour) {
                continue;
            }
            let turn = Turn { game, ..turn };
            let evaluation = surveyed.evaluations[played].as_ref().filter(|_| turn.is_valued());
            let Some(name) = self.by.subject(surveyed, &turn) else { continue };
            let next = self.subjects.len();
            let place = *self.places.entry(name.clone()).or_insert(next);
            if place == next {
                self.subjects.push(Subject { name, turns: 0, ratings: (0.0, 0) });
            }
            let subject = &mut self.subjects[place];
            subject.turns += 1;
            if let Some(rating) = surveyed.rating(turn.colour) {
                subject.ratings.0 += rating;
                subject.ratings.1 += 1;
            }
            self.spool.put(place as u64, subject.turns as u64, &encode(&turn, evaluation))?;
        }
        Ok(())
    }

    /// The subjects with the number of their turns, those with most turns first.
    pub fn subjects(&self) -> Vec<(usize, &str, usize)> {
        let mut all: Vec<(usize, &str, usize)> =
            self.subjects.iter().enumerate().map(|(i, s)| (i, s.name.as_str(), s.turns)).collect();
        all.sort_by(|a, b| b.2.cmp(&a.2).then(a.1.cmp(b.1)));
        all
    }

    /// The turns of a subject, in the order of the games.
    pub fn turns(&self, place: usize) -> Result<Vec<Turn>, StoreError> {
        let mut turns = Vec::new();
        self.spool.each(place as u64, |bytes| turns.extend(decode(bytes)))?;
        Ok(turns)
    }

    /// Everything about a subject.
    pub fn report(&self, place: usize, plan: &Plan) -> Result<Report, StoreError> {
        let Subject { name, ratings: (sum, count), .. } = &self.subjects[place];
        let rating = (*count > 0).then(|| sum / *count as f64);
        Ok(plan.assess(name, &self.turns(place)?, rating))
    }
}

/// A turn as bytes: where it was, what was chosen, then the values depth by depth.
fn encode(turn: &Turn, evaluation: Option<&RootEvaluation>) -> Vec<u8> {
    let (moves, depths) = (turn.values.moves(), turn.values.depths());
    let mut bytes = Vec::with_capacity(HEADER + 2 * moves * depths);
    bytes.extend((turn.game as u64).to_le_bytes());
    bytes.extend((turn.ply as u32).to_le_bytes());
    bytes.extend((moves as u16).to_le_bytes());
    bytes.extend((turn.chosen as u16).to_le_bytes());
    bytes.extend(turn.after.unwrap_or(f64::NAN).to_le_bytes());
    bytes.push(u8::from(turn.colour == Colour::White));
    bytes.push(u8::from(turn.repeats));
    bytes.push(turn.phase as u8);
    for depth in 0..depths {
        let moves = evaluation.iter().flat_map(|evaluation| &evaluation.moves);
        // All values fit: mate is 32,000.
        moves.for_each(|m| bytes.extend((m.by_depth[depth].value.raw() as i16).to_le_bytes()));
    }
    bytes
}

/// Bytes before the values.
const HEADER: usize = 8 + 4 + 2 + 2 + 8 + 3;

fn decode(bytes: &[u8]) -> Option<Turn> {
    let (header, values) = bytes.split_at_checked(HEADER)?;
    let (game, rest) = header.split_first_chunk()?;
    let (ply, rest) = rest.split_first_chunk()?;
    let (moves, rest) = rest.split_first_chunk()?;
    let (chosen, rest) = rest.split_first_chunk()?;
    let (after, flags) = rest.split_first_chunk()?;
    let after = f64::from_le_bytes(*after);
    let raw = values.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
    let values: Vec<Value> = raw.map(|raw| Value::centipawns(i32::from(raw))).collect();
    Some(Turn {
        game: u64::from_le_bytes(*game) as usize,
        ply: u32::from_le_bytes(*ply) as usize,
        colour: if flags[0] == 1 { Colour::White } else { Colour::Black },
        values: Values::of_rows(usize::from(u16::from_le_bytes(*moves)), &values),
        chosen: usize::from(u16::from_le_bytes(*chosen)),
        repeats: flags[1] == 1,
        phase: [Phase::Opening, Phase::Middlegame, Phase::Endgame][usize::from(flags[2] % 3)],
        after: (!after.is_nan()).then_some(after),
    })
}
