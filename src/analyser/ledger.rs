//! The turns of a study, kept apart by what they are reported under, and out of memory.

use std::collections::HashMap;

use super::group::By;
use super::{Phase, Plan, Report, Rules, Surveyed, Turn};
use crate::board::Colour;
use crate::evaluation::RootEvaluation;
use crate::games::{Spool, StoreError};
use crate::player::all_ratings;
use crate::selector::{Family, Glance, Values};
use crate::value::{Depth, Value};

/// All turns so far.
#[derive(Debug)]
pub struct Ledger {
    by: By,
    /// Deeper values are not kept.
    depth: Depth,
    /// Whose eyes the turns are seen with.
    family: Family,
    rules: Rules,
    /// That look at them.
    threads: usize,
    spool: Spool,
    /// So many values of a subject are in memory at most, give or take a few games.
    most_values: u64,
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
    /// How many values they have.
    values: u64,
    /// The sum and the number of the ratings that turns carry.
    ratings: (f64, usize),
}

/// In memory a value takes 16 bytes.
const MOST_VALUES: u64 = 8 << 20;

impl Ledger {
    /// Of turns that the rules leave out nobody will ask what draws the eye there.
    pub fn new(
        by: By,
        depth: Depth,
        family: Family,
        rules: Rules,
        threads: usize,
    ) -> Result<Ledger, StoreError> {
        let spool = Spool::new()?;
        let (subjects, places) = (Vec::new(), HashMap::new());
        let most_values = MOST_VALUES;
        Ok(Ledger {
            by,
            depth,
            family,
            rules,
            threads,
            spool,
            most_values,
            subjects,
            places,
            games: 0,
        })
    }

    /// Takes in the turns of a game that some of its players made.
    pub fn add(
        &mut self,
        surveyed: &Surveyed,
        wanted: impl Fn(Colour) -> bool,
    ) -> Result<(), StoreError> {
        let game = self.games;
        self.games += 1;
        let ratings = |colour| if wanted(colour) { all_ratings() } else { Vec::new() };
        let turns = surveyed.turns(self.depth, self.family, self.threads, &self.rules, ratings);
        for (played, turn) in turns.into_iter().filter(|(_, turn)| wanted(turn.colour)) {
            let turn = Turn { game, ..turn };
            let evaluation = surveyed.evaluations[played].as_ref().filter(|_| turn.is_valued());
            let Some(name) = self.by.subject(surveyed, &turn) else { continue };
            let next = self.subjects.len();
            let place = *self.places.entry(name.clone()).or_insert(next);
            if place == next {
                self.subjects.push(Subject { name, turns: 0, values: 0, ratings: (0.0, 0) });
            }
            let subject = &mut self.subjects[place];
            subject.turns += 1;
            let rows = turn.values.depths() + turn.values.glances().len();
            subject.values += (turn.values.moves() * rows) as u64;
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

    /// One in so many games of a subject is read: more than one where all have no room in memory.
    pub fn one_game_in(&self, place: usize) -> u64 {
        self.subjects[place].values.div_ceil(self.most_values).max(1)
    }

    /// The turns of a subject, in the order of the games, of those games that are read.
    pub fn turns(&self, place: usize) -> Result<Vec<Turn>, StoreError> {
        let one_in = self.one_game_in(place);
        // Not every so manieth: colours and opponents take turns.
        let mixed = |game: u64| game.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let is_read = |game: u64| mixed(game).is_multiple_of(one_in);
        let mut turns = Vec::new();
        self.spool.each(place as u64, |bytes| turns.extend(decode(bytes, is_read)))?;
        Ok(turns)
    }

    /// Everything about a subject.
    pub fn report(&self, place: usize, plan: &Plan) -> Result<Report, StoreError> {
        let Subject { name, ratings: (sum, count), .. } = &self.subjects[place];
        let rating = (*count > 0).then(|| sum / *count as f64);
        let report = plan.assess(name, &self.turns(place)?, rating);
        Ok(Report { one_game_in: self.one_game_in(place), ..report })
    }
}

/// A turn as bytes: where it was, what was chosen, then what draws the eye by rating, and the values
/// depth by depth.
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
    bytes.push(turn.values.glances().len() as u8);
    bytes.extend((turn.values.plies().unwrap_or(0) as u32).to_le_bytes());
    for glance in turn.values.glances() {
        bytes.extend((glance.rating as u16).to_le_bytes());
        let thousandths = glance.ln_shares.iter().map(|ln| (-1000.0 * ln).round() as u16);
        thousandths.for_each(|n| bytes.extend(n.to_le_bytes()));
    }
    for depth in 0..depths {
        let moves = evaluation.iter().flat_map(|evaluation| &evaluation.moves);
        // All values fit: mate is 32,000.
        moves.for_each(|m| bytes.extend((m.by_depth[depth].value.raw() as i16).to_le_bytes()));
    }
    bytes
}

/// Bytes before the values.
const HEADER: usize = 8 + 4 + 2 + 2 + 8 + 4 + 4;

fn decode(bytes: &[u8], is_read: impl Fn(u64) -> bool) -> Option<Turn> {
    let (header, rows) = bytes.split_at_checked(HEADER)?;
    let (game, rest) = header.split_first_chunk()?;
    let game = u64::from_le_bytes(*game);
    if !is_read(game) {
        return None;
    }
    let (ply, rest) = rest.split_first_chunk()?;
    let (moves, rest) = rest.split_first_chunk()?;
    let (chosen, rest) = rest.split_first_chunk()?;
    let (after, rest) = rest.split_first_chunk()?;
    let (flags, plies) = rest.split_first_chunk::<4>()?;
    let plies = u32::from_le_bytes(*plies.first_chunk()?) as usize;
    let after = f64::from_le_bytes(*after);
    let (ply, moves) = (u32::from_le_bytes(*ply) as usize, usize::from(u16::from_le_bytes(*moves)));
    let (glances, values) = rows.split_at_checked(usize::from(flags[3]) * 2 * (1 + moves))?;
    let short = |pair: &[u8; 2]| f64::from(u16::from_le_bytes(*pair));
    let glance = |row: &[u8]| {
        let (rating, shares) = row.as_chunks().0.split_first()?;
        let ln_shares = shares.iter().map(|pair| -short(pair) / 1000.0).collect();
        Some(Glance { rating: short(rating), ln_shares })
    };
    let glances = glances.chunks_exact(2 * (1 + moves)).filter_map(glance).collect();
    let raw = values.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]]));
    let values: Vec<Value> = raw.map(|raw| Value::centipawns(i32::from(raw))).collect();
    Some(Turn {
        game: game as usize,
        ply,
        colour: if flags[0] == 1 { Colour::White } else { Colour::Black },
        values: Values::of_rows(moves, &values).with_glances(plies, glances),
        chosen: usize::from(u16::from_le_bytes(*chosen)),
        repeats: flags[1] == 1,
        phase: [Phase::Opening, Phase::Middlegame, Phase::Endgame][usize::from(flags[2] % 3)],
        after: (!after.is_nan()).then_some(after),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyser::survey::tests::{Nobody, conditions};
    use crate::analyser::{SurveyError, survey};
    use crate::games::pgn::PgnStream;
    use crate::player::Engine;

    #[test]
    fn of_too_many_games_some_are_read_and_those_whole() {
        let text = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *\n\n".repeat(100);
        let games = PgnStream::new(text.as_bytes()).map_while(Result::ok);
        let conditions = conditions();
        let mut ledger = Ledger::new(By::Colour, 1, Family::LEVELLED, Rules::default(), 1)
            .expect("a temporary file");
        let take = |surveyed: Surveyed| ledger.add(&surveyed, |_| true).map_err(SurveyError::from);
        let engines = vec![Engine::built_in(1)];
        survey(games, engines, &conditions, None, &mut Nobody, take).expect("sound");
        assert_eq!((ledger.one_game_in(0), ledger.turns(0).expect("read").len()), (1, 300));
        ledger.most_values = ledger.subjects[0].values.div_ceil(4);
        let turns = ledger.turns(0).expect("read");
        assert_eq!(ledger.one_game_in(0), 4);
        let mut games: Vec<usize> = turns.iter().map(|turn| turn.game).collect();
        games.dedup();
        assert_eq!(turns.len(), 3 * games.len());
        assert!((15..=35).contains(&games.len()), "{} games", games.len());
        let report = ledger.report(0, &Plan::default()).expect("read");
        assert_eq!((report.one_game_in, report.games), (4, games.len()));
    }
}
