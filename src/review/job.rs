//! The job behind every command that studies moves in games.

use std::collections::HashSet;
use std::path::PathBuf;

use super::evaluate_games::{EvaluationObserver, GamesError, GamesEvaluator, evaluate_games};
use super::known_evaluations::KnownEvaluations;
use crate::analyser::{
    EvaluatedGame, EvaluationConditions, Measured, PlayerProfiles, PlayerSummaries, Sides,
    StudyAccumulator, StudyPlan,
};
use crate::board::Colour;
use crate::games::pgn::PgnGame;
use crate::games::{EvaluatorIdentity, Shard};
use crate::player::Engine;
use crate::search::EvaluationRequest;

/// A review of games.
#[derive(Debug)]
pub struct ReviewJob {
    pub accumulator: StudyAccumulator,
    /// The sides to study. Games without any of these are skipped.
    pub sides: Sides,
    /// The shard of this process, if several processes share the games.
    pub shard: Option<Shard>,
    /// The choice of positions to evaluate, and how to evaluate them.
    pub conditions: EvaluationConditions,
    /// One engine for each thread.
    pub engines: Vec<Engine>,
    /// The file of the evaluation cache.
    pub store: Option<PathBuf>,
}

/// The numbers of games that a review has seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReviewCounts {
    /// The number of games in the input, readable or not.
    pub seen: usize,
    /// The number of games that were evaluated.
    pub evaluated: usize,
    /// The number of duplicates of earlier games.
    pub duplicates: usize,
    /// The error message for each unreadable game.
    pub unreadable: Vec<String>,
}

impl ReviewJob {
    /// A review of all decisions by both sides at the depth of the plan, without a cache. Every
    /// engine gets one thread.
    pub fn of_all(plan: &StudyPlan, measured: Measured, engines: Vec<Engine>) -> ReviewJob {
        let identity = engines.first().map(Engine::identity).unwrap_or_default();
        let request = EvaluationRequest::depth(plan.depth());
        ReviewJob {
            accumulator: StudyAccumulator::new(plan, measured, engines.len()),
            sides: Sides::Both,
            shard: None,
            conditions: EvaluationConditions::of_all(request, EvaluatorIdentity::new(identity)),
            engines,
            store: None,
        }
    }

    /// Restricts the review to the decisions of these sides after the opening.
    pub fn of_sides(mut self, sides: Sides) -> ReviewJob {
        self.conditions.opening = self.accumulator.plan.rules.opening;
        self.conditions.sides = sides.clone();
        self.sides = sides;
        self
    }

    /// Evaluates the games and passes them to `take` in order. If a game has the same tags and
    /// moves as an earlier one, it is skipped.
    pub fn each_game<E: From<GamesError>>(
        self,
        games: impl IntoIterator<Item = Result<PgnGame, String>>,
        observer: &mut dyn EvaluationObserver,
        mut take: impl FnMut(EvaluatedGame) -> Result<(), E>,
    ) -> Result<ReviewCounts, E> {
        let ReviewJob { sides, shard, conditions, engines, store, .. } = self;
        let known = KnownEvaluations::open(store.as_deref(), conditions.evaluator.clone());
        let mut known = known.map_err(GamesError::from)?;
        let (mut counts, mut evaluated) = (ReviewCounts::default(), 0);
        let mut identities = HashSet::new();
        let games = games.into_iter().filter_map(|game| {
            counts.seen += 1;
            let game = game.map_err(|fault| counts.unreadable.push(fault)).ok()?;
            let has_sides = Colour::ALL.iter().any(|&colour| sides.has(&game, colour));
            if !has_sides || shard.is_some_and(|shard| !shard.has(&game)) {
                return None;
            }
            let is_new = identities.insert(game.identity());
            counts.duplicates += usize::from(!is_new);
            is_new.then_some(game)
        });
        let evaluator = GamesEvaluator { engines, conditions: &conditions, known: &mut known };
        evaluate_games(games, evaluator, observer, |game| {
            evaluated += 1;
            take(game)
        })?;
        known.commit().map_err(GamesError::from)?;
        Ok(ReviewCounts { evaluated, ..counts })
    }

    /// Evaluates the games and summarises the moves of the selected sides. Every game is also
    /// passed to `also`.
    pub fn summarise<E: From<GamesError>>(
        self,
        games: impl IntoIterator<Item = Result<PgnGame, String>>,
        observer: &mut dyn EvaluationObserver,
        mut also: impl FnMut(&EvaluatedGame) -> Result<(), E>,
    ) -> Result<(PlayerSummaries, ReviewCounts), E> {
        let mut summaries = PlayerSummaries::new(self.accumulator.clone());
        let sides = self.sides.clone();
        let counts = self.each_game(games, observer, |game| {
            summaries.add(&game, |colour| sides.has(&game.pgn, colour));
            also(&game)
        })?;
        Ok((summaries, counts))
    }

    /// Evaluates the games and collects the data for a profile of each selected player.
    pub fn profiles<E: From<GamesError>>(
        self,
        games: impl IntoIterator<Item = Result<PgnGame, String>>,
        observer: &mut dyn EvaluationObserver,
    ) -> Result<(PlayerProfiles, ReviewCounts), E> {
        let mut profiles = PlayerProfiles::new(&self.accumulator);
        let sides = self.sides.clone();
        let counts = self.each_game(games, observer, |evaluated| {
            profiles.add(&evaluated, |colour| sides.has(&evaluated.pgn, colour));
            Ok::<(), E>(())
        })?;
        Ok((profiles, counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyser::{PlayerSummary, StudyRules};
    use crate::games::pgn::PgnStream;

    struct StoppingObserver;

    impl EvaluationObserver for StoppingObserver {
        fn is_stopped(&self) -> bool {
            true
        }
    }

    /// Evaluates and measures everything at depth 1, with noise.
    fn job() -> ReviewJob {
        let noise = Some((0.04, 3));
        let rules = StudyRules::none();
        let plan = StudyPlan { rules, depths: vec![1], noise, ..StudyPlan::default() };
        ReviewJob::of_all(&plan, Measured::Everything, vec![Engine::built_in(1)])
    }

    /// Three games of player A, who is Black in the second.
    fn games() -> Vec<PgnGame> {
        let lines = [
            ("A", "B", "Bb5 a6 4. Ba4 Nf6 5. O-O"),
            ("B", "A", "Bc4 Bc5 4. c3 Nf6 5. d3 d6"),
            ("A", "C", "d4 exd4 4. Nxd4 Bc5"),
        ];
        let text = lines.map(|(white, black, moves)| {
            format!(
                "[White \"{white}\"]\n[Black \"{black}\"]\n[WhiteElo \"2000\"]\n\n\
                 1. e4 e5 2. Nf3 Nc6 3. {moves} *\n\n"
            )
        });
        PgnStream::new(text.concat().as_bytes()).map_while(Result::ok).collect()
    }

    fn review(job: ReviewJob, games: &[&PgnGame]) -> (PlayerSummaries, ReviewCounts) {
        let games = games.iter().map(|&game| Ok(game.clone()));
        job.summarise(games, &mut (), |_| Ok::<_, GamesError>(())).expect("sound games")
    }

    #[test]
    fn summaries_do_not_depend_on_how_games_are_distributed() {
        let games = games();
        let (whole, _) = review(job(), &games.iter().collect::<Vec<_>>());
        assert_eq!(whole.ranked().iter().map(|(name, _)| *name).collect::<String>(), "ABC");
        for (first, second) in [(vec![0, 1], vec![2]), (vec![2], vec![1, 0]), (vec![1], vec![2, 0])]
        {
            let [first, second] = [first, second]
                .map(|part| review(job(), &part.iter().map(|&i| &games[i]).collect::<Vec<_>>()).0);
            for (name, expected) in whole.iter() {
                let mut sum = second.get(name).cloned().unwrap_or_default();
                first.get(name).into_iter().for_each(|part| sum += part);
                assert_eq!(&sum, expected, "{name}");
                let bytes = postcard::to_allocvec(&sum).expect("it fits in memory");
                assert!(bytes.len() <= 5200, "{} bytes", bytes.len());
                assert_eq!(postcard::from_bytes(&bytes), Ok(sum));
            }
        }
    }

    #[test]
    fn duplicate_games_are_counted_once() {
        let games = games();
        let copy = PgnGame { line: 99, ..games[0].clone() };
        let (once, _) = review(job(), &[&games[0]]);
        let (twice, counts) = review(job(), &[&games[0], &copy]);
        assert_eq!((counts.seen, counts.evaluated, counts.duplicates), (2, 1, 1));
        let all = |found: &PlayerSummaries| -> Vec<PlayerSummary> {
            found.iter().map(|(_, summary)| summary.clone()).collect()
        };
        assert_eq!(all(&once), all(&twice));
    }

    #[test]
    fn games_of_other_players_and_shards_are_skipped() {
        let games = games();
        let all: Vec<&PgnGame> = games.iter().collect();
        let named = ReviewJob { sides: Sides::Named(vec!["c".to_owned()]), ..job() };
        let (found, counts) = review(named, &all);
        assert_eq!((counts.evaluated, found.iter().count()), (1, 1));
        let shards = ["1/2", "2/2"].map(|shard| shard.parse().ok());
        let parts = shards.map(|shard| review(ReviewJob { shard, ..job() }, &all).1.evaluated);
        assert_eq!(parts.iter().sum::<usize>(), 3);
    }

    #[test]
    fn a_stopped_review_ends_with_an_error() {
        let games = games().into_iter().map(Ok);
        let outcome = job().summarise(games, &mut StoppingObserver, |_| Ok::<_, GamesError>(()));
        assert!(matches!(outcome, Err(GamesError::Stopped)));
    }
}
