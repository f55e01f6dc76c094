//! The summaries of a study by subject: a player, an event, a year and so on.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::accumulator::{RatedTurn, StudyAccumulator};
use super::{EvaluatedGame, PlayerSummary, Turn};
use crate::board::Colour;
use crate::player::all_ratings;

/// The summaries of everybody so far.
#[derive(Debug)]
pub struct PlayerSummaries {
    pub accumulator: StudyAccumulator,
    by_name: BTreeMap<String, PlayerSummary>,
}

impl PlayerSummaries {
    pub fn new(accumulator: StudyAccumulator) -> PlayerSummaries {
        PlayerSummaries { accumulator, by_name: BTreeMap::new() }
    }

    /// Adds the decisions of a game that the wanted sides made.
    pub fn add(&mut self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) {
        let turns = self.turns(evaluated, wanted);
        self.add_turns(evaluated, turns);
    }

    /// The decisions of a game that the wanted sides made, seen with the policy of the players of the plan's
    /// scale where something is measured by it.
    pub fn turns(&self, evaluated: &EvaluatedGame, wanted: impl Fn(Colour) -> bool) -> Vec<Turn> {
        let StudyAccumulator { plan, threads, .. } = &self.accumulator;
        let ratings = |colour| if wanted(colour) { all_ratings() } else { Vec::new() };
        let family = self.accumulator.family();
        let turns = evaluated.turns(plan.depth(), family, *threads, &plan.rules, ratings);
        turns.into_iter().map(|(_, turn)| turn).filter(|turn| wanted(turn.colour)).collect()
    }

    /// Adds decisions of a game, which summaries of the same plan gave.
    pub fn add_turns(&mut self, evaluated: &EvaluatedGame, turns: Vec<Turn>) {
        let mut of_subject: BTreeMap<String, Vec<RatedTurn>> = BTreeMap::new();
        for turn in turns {
            if let Some(name) = self.accumulator.plan.by.subject(evaluated, &turn) {
                let rating = evaluated.pgn.rating(turn.colour);
                of_subject.entry(name).or_default().push((turn, rating));
            }
        }
        let (game, seed) = (evaluated.pgn.players(), evaluated.pgn.fingerprint());
        for (name, turns) in of_subject {
            let summary = self.accumulator.measure(&turns, &game, seed);
            *self.by_name.entry(name).or_default() += &summary;
        }
    }

    /// The summaries, those with most decisions first.
    pub fn ranked(&self) -> Vec<(&str, &PlayerSummary)> {
        let mut all: Vec<(&str, &PlayerSummary)> = self.iter().collect();
        all.sort_by_key(|(name, summary)| (Reverse(summary.tally().turns()), *name));
        all
    }

    /// The summaries in the order of the names' bytes.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PlayerSummary)> {
        self.by_name.iter().map(|(name, summary)| (name.as_str(), summary))
    }

    pub fn get(&self, name: &str) -> Option<&PlayerSummary> {
        self.by_name.get(name)
    }
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

    fn summaries(games: &[&EvaluatedGame]) -> PlayerSummaries {
        let rules = crate::analyser::TurnRules::none();
        let plan =
            StudyPlan { rules, depths: vec![1], noise: Some((0.04, 3)), ..StudyPlan::default() };
        let accumulator = StudyAccumulator::new(&plan, Measured::Everything, 1);
        let mut summaries = PlayerSummaries::new(accumulator);
        games.iter().for_each(|game| summaries.add(game, |_| true));
        summaries
    }

    #[test]
    fn summaries_are_the_same_to_the_last_bit_however_the_games_are_shared_out() {
        let games = games();
        let all: Vec<&EvaluatedGame> = games.iter().collect();
        let whole = summaries(&all);
        assert_eq!(
            whole.ranked().iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            ["A", "B", "C"]
        );
        for (first, second) in [(vec![0, 1], vec![2]), (vec![2], vec![1, 0]), (vec![1], vec![2, 0])]
        {
            let [first, second] = [first, second]
                .map(|part| summaries(&part.iter().map(|&i| all[i]).collect::<Vec<_>>()));
            for (name, expected) in whole.iter() {
                let mut sum = second.get(name).cloned().unwrap_or_default();
                first.get(name).into_iter().for_each(|part| sum += part);
                assert_eq!(&sum, expected, "{name}");
                let bytes = postcard::to_allocvec(&sum).expect("it fits in memory");
                assert!(bytes.len() <= 6000, "{} bytes", bytes.len());
                assert_eq!(postcard::from_bytes(&bytes), Ok(sum));
            }
        }
    }
}
