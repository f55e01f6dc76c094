//! The statistics of a study, kept apart by what they are reported under: a player, an event, a year...
//!
//! Portraits of players keep what is measured of everybody, all in all and in each phase of the game, and
//! the openings that they play. A profile of one person is made of it.

use std::collections::{BTreeMap, HashMap};

use super::gauge::{Gauge, RatedTurn};
use super::plan::player_name;
use super::{EvaluatedGame, PlayedOpenings, Rating, Statistics, Turn};
use crate::board::{Colour, Phase};
use crate::player::{PhaseOffsets, all_ratings};

/// The sums of everybody so far, each as the few kilobytes that they take when they are written.
#[derive(Debug)]
pub struct Ledger {
    pub gauge: Gauge,
    subjects: HashMap<String, Subject>,
}

#[derive(Debug, Default)]
struct Subject {
    turns: usize,
    written: Vec<u8>,
}

impl Ledger {
    pub fn new(gauge: Gauge) -> Ledger {
        Ledger { gauge, subjects: HashMap::new() }
    }

    /// Takes in the turns of a game that some of its players made.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        let turns = self.turns(evaluated, wanted);
        self.add_turns(evaluated, turns);
    }

    /// The turns of a game that some of its players made. They are seen with the policy of the
    /// players of the plan's scale, where something is to be measured by it.
    pub fn turns(&self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) -> Vec<Turn> {
        let (plan, sees) = (&self.gauge.plan, self.gauge.family());
        let ratings = |colour| if wanted(colour) { all_ratings() } else { Vec::new() };
        let turns = evaluated.turns(plan.depth(), sees, self.gauge.threads, &plan.rules, ratings);
        turns.into_iter().map(|(_, turn)| turn).filter(|turn| wanted(turn.colour)).collect()
    }

    /// Takes in turns of a game, as a ledger of the same plan sees them.
    pub fn add_turns(&mut self, evaluated: &EvaluatedGame, turns: Vec<Turn>) {
        let mut of_subject: Vec<(String, Vec<RatedTurn>)> = Vec::new();
        for turn in turns {
            let Some(name) = self.gauge.plan.by.subject(evaluated, &turn) else { continue };
            let rating = evaluated.pgn.rating(turn.colour);
            match of_subject.iter_mut().find(|(known, _)| *known == name) {
                Some((_, turns)) => turns.push((turn, rating)),
                None => of_subject.push((name, vec![(turn, rating)])),
            }
        }
        let (game, seed) = (evaluated.pgn.players(), evaluated.pgn.fingerprint());
        for (name, turns) in of_subject {
            let mut statistics = self.gauge.measure(&turns, &game, seed);
            let Subject { turns, written } = self.subjects.entry(name).or_default();
            if !written.is_empty() {
                let _they_are_our_own = statistics.add_written(written);
            }
            *turns = statistics.turns();
            written.clear();
            statistics.write(written);
        }
    }

    /// The subjects with the number of their turns, those with most turns first.
    pub fn subjects(&self) -> Vec<(&str, usize)> {
        let of_all = self.subjects.iter();
        let mut all: Vec<(&str, usize)> =
            of_all.map(|(name, subject)| (name.as_str(), subject.turns)).collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        all
    }

    /// The sums of a subject; none of one that is not there.
    pub fn statistics(&self, name: &str) -> Statistics {
        let mut statistics = Statistics::default();
        let subject = self.subjects.get(name);
        let _they_are_our_own = subject.and_then(|known| statistics.add_written(&known.written));
        statistics
    }

    /// What is written of everybody, in the order of their names' bytes.
    pub fn written(&self) -> Vec<(&str, &[u8])> {
        let of_all = self.subjects.iter();
        let mut all: Vec<(&str, &[u8])> =
            of_all.map(|(name, subject)| (name.as_str(), subject.written.as_slice())).collect();
        all.sort_unstable();
        all
    }
}

/// The players of some games, by their names.
#[derive(Debug)]
pub struct Portraits {
    /// All phases together.
    pub overall: Ledger,
    /// Of each phase; empty where ratings are not measured.
    by_phase: Vec<Ledger>,
    openings: BTreeMap<String, PlayedOpenings>,
}

/// How far phases of one person lie from the person's rating, as a standard deviation in Elo: what is
/// thought before the moves are seen. It is as much as people of one rating differ from each other.
const BETWEEN_PHASES: f64 = 100.0;

impl Portraits {
    pub fn new(gauge: &Gauge) -> Portraits {
        let ledger = || Ledger::new(gauge.clone());
        let by_phase = Phase::ALL.iter().filter(|_| gauge.rates()).map(|_| ledger()).collect();
        Portraits { overall: ledger(), by_phase, openings: BTreeMap::new() }
    }

    /// Takes in a game of some of its players.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        for colour in Colour::ALL.into_iter().filter(|&colour| wanted(colour)) {
            let name = player_name(evaluated, colour);
            self.openings.entry(name).or_default().add(&evaluated.game, colour);
        }
        let turns = self.overall.turns(evaluated, wanted);
        for (phase, ledger) in Phase::ALL.into_iter().zip(&mut self.by_phase) {
            let of_phase: Vec<Turn> = turns.iter().filter(|t| t.phase == phase).cloned().collect();
            ledger.add_turns(evaluated, of_phase);
        }
        self.overall.add_turns(evaluated, turns);
    }

    pub fn openings(&self, name: &str) -> PlayedOpenings {
        self.openings.get(name).cloned().unwrap_or_default()
    }

    /// How much better or worse somebody of this rating plays each phase, in whole Elo points; 0 where
    /// the moves of a phase do not tell.
    pub fn phases(&self, name: &str, overall: &Rating) -> PhaseOffsets {
        let mut offsets = PhaseOffsets::default();
        for (phase, ledger) in Phase::ALL.into_iter().zip(&self.by_phase) {
            let gauge = &ledger.gauge;
            let Some(rating) = gauge.rate(&ledger.statistics(name)) else { continue };
            offsets.set(phase, offset(&rating, overall, gauge.plan.scale.dispersion).round());
        }
        offsets
    }
}

/// How far a phase lies from all phases together, as far as its moves let one believe it. Both are what
/// the moves alone say: what is thought of everybody beforehand says nothing of one phase.
fn offset(phase: &Rating, overall: &Rating, dispersion: f64) -> f64 {
    let error = dispersion * phase.sampling;
    let believed = BETWEEN_PHASES.powi(2) / (BETWEEN_PHASES.powi(2) + error.powi(2));
    let offset = (phase.alone - overall.alone) * believed;
    // Negative zero would be written with its sign.
    if offset.abs() < 0.5 { 0.0 } else { offset }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyser::evaluate_games::tests::{Nobody, conditions};
    use crate::analyser::{GamesError, Measured, StudyPlan, evaluate_games};
    use crate::games::pgn::PgnStream;
    use crate::player::Engine;

    /// Games of two players, one of them also with the other colour.
    fn games() -> Vec<EvaluatedGame> {
        let game = |white: &str, black: &str, moves: &str| {
            format!(
                "[White \"{white}\"]\n[Black \"{black}\"]\n[WhiteElo \"2000\"]\n\n1. e4 e5 \
                 2. Nf3 Nc6 3. {moves} *\n\n"
            )
        };
        let lines =
            ["Bb5 a6 4. Ba4 Nf6 5. O-O", "Bc4 Bc5 4. c3 Nf6 5. d3 d6", "d4 exd4 4. Nxd4 Bc5"];
        let players = [("A", "B"), ("B", "A"), ("A", "C")];
        let text: String = players
            .iter()
            .zip(lines)
            .map(|((white, black), moves)| game(white, black, moves))
            .collect();
        let stream = PgnStream::new(text.as_bytes()).map_while(Result::ok);
        let mut evaluated = Vec::new();
        evaluate_games(
            stream,
            vec![Engine::built_in(1)],
            &conditions(),
            None,
            &mut Nobody,
            |game| {
                evaluated.push(game);
                Ok::<_, GamesError>(())
            },
        )
        .expect("sound");
        evaluated
    }

    fn ledger(games: &[&EvaluatedGame]) -> Ledger {
        let rules = crate::analyser::TurnRules::none();
        let plan =
            StudyPlan { rules, depths: vec![1], noise: Some((0.04, 3)), ..StudyPlan::default() };
        let mut ledger = Ledger::new(Gauge::new(&plan, Measured::Everything, 1));
        games.iter().for_each(|game| ledger.add(game, |_| true));
        ledger
    }

    #[test]
    fn sums_are_the_same_to_the_last_bit_however_the_games_are_dealt_out() {
        let games = games();
        let all: Vec<&EvaluatedGame> = games.iter().collect();
        let whole = ledger(&all);
        assert_eq!(
            whole.subjects().iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["A", "B", "C"]
        );
        for (first, second) in [(vec![0, 1], vec![2]), (vec![2], vec![1, 0]), (vec![1], vec![2, 0])]
        {
            let [first, second] = [first, second]
                .map(|part| ledger(&part.iter().map(|&i| all[i]).collect::<Vec<_>>()));
            for (name, written) in whole.written() {
                let mut sum = second.statistics(name);
                sum.add(&first.statistics(name));
                let mut bytes = Vec::new();
                sum.write(&mut bytes);
                assert_eq!(bytes, written, "{name}");
                assert!(bytes.len() <= 6000, "{} bytes", bytes.len());
                assert!(Statistics::default().add_written(&bytes[1..]).is_none());
            }
        }
    }

    #[test]
    fn a_phase_is_believed_by_how_well_it_is_known() {
        let rating = |alone, sampling| Rating {
            elo: 1500.0,
            deviation: 50.0,
            alone,
            sampling,
            by_games: sampling,
            turns: 100,
        };
        let overall = rating(1600.0, 30.0);
        // An error of 100, with the dispersion, is as much as is thought beforehand: half is believed.
        assert!((offset(&rating(1700.0, 80.0), &overall, 1.25) - 50.0).abs() < 1e-9);
        assert!((offset(&rating(1500.0, 80.0), &overall, 1.25) + 50.0).abs() < 1e-9);
        assert!(offset(&rating(1700.0, 1.0), &overall, 1.25) > 99.0);
        assert!(offset(&rating(1700.0, 1000.0), &overall, 1.25) < 1.0);
        assert!(offset(&rating(1599.7, 1.0), &overall, 1.25).is_sign_positive());
    }
}
