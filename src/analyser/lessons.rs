//! Lessons: a player's mistakes that somewhat stronger players make less often.
//!
//! A mistake that everyone makes teaches little, and so does a mere slip. The human model estimates
//! how many players with each rating would go wrong in a position. A mistake is a move that loses
//! at least 10 percentage points of winning chances. It becomes a lesson only if players rated 300
//! points higher go wrong there less often than players with the player's own rating.
//!
//! Most of the time is spent in the policy network. The finder therefore collects the costliest
//! mistakes from the evaluations first, and evaluates the network for only as many as it needs.

use super::plan::player_name;
use super::winning_chances::{is_mistake, lost_chances, winning_chances};
use super::{EvaluatedGame, RatingScale};
use crate::board::{Colour, Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::largest;
use crate::player::{Elo, EloScale, ScaledRating, TargetRating, human_shares};
use crate::selector::Values;
use crate::value::Depth;

/// The rating difference between the stronger players and the player, in Elo.
const STRONGER: f64 = 300.0;
/// The minimum difference between the shares of players at the two levels who make a mistake.
const MIN_DIFFERENCE: f64 = 0.02;
/// The maximum number of lessons for a player.
const MAX_LESSONS: usize = 10;
/// The maximum number of mistakes that are collected for a player.
const MAX_CANDIDATES: usize = 40;
/// The maximum number of players with lessons. Those with the most games come first.
const MAX_PLAYERS: usize = 8;

/// A mistake as an exercise.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The game's index, as given to [`LessonFinder::add`].
    pub game: usize,
    /// The game up to the mistake.
    pub before: Game,
    pub evaluation: RootEvaluation,
    /// The indices of the best and the played move in the evaluation.
    pub best: usize,
    pub chosen: usize,
    /// The loss of winning chances with each move of the evaluation, in percentage points.
    pub lost: Vec<f64>,
    /// The winning chances after the best move and after the played move, in percent.
    pub chances: [f64; 2],
    /// The share of players at each of the two levels who make a mistake here.
    pub errs: [f64; 2],
}

/// The lessons of a player, costliest first.
#[derive(Clone, Debug)]
pub struct Lessons {
    pub player: String,
    /// The player's level, and the level of the stronger players.
    pub levels: [Elo; 2],
    pub scale: EloScale,
    /// Whether the player made any mistakes. If few players make them, or stronger players make them almost as often,
    /// there are no lessons.
    pub has_mistakes: bool,
    pub lessons: Vec<Lesson>,
}

/// Collects the mistakes of players, and selects those that become lessons.
#[derive(Debug, Default)]
pub struct LessonFinder {
    students: Vec<Student>,
}

/// A player and the costliest mistakes found so far.
#[derive(Debug)]
struct Student {
    name: String,
    games: usize,
    /// The player's ratings in the games.
    ratings: Vec<ScaledRating>,
    mistakes: Vec<Lesson>,
}

impl LessonFinder {
    /// Adds the selected sides of a game. Evaluations deeper than `depth` are ignored.
    pub fn add(
        &mut self,
        number: usize,
        evaluated: &EvaluatedGame,
        depth: Depth,
        wanted: impl Fn(Colour) -> bool,
    ) {
        for colour in [Colour::White, Colour::Black].into_iter().filter(|&colour| wanted(colour)) {
            let student = self.student(player_name(evaluated, colour));
            student.games += 1;
            student.ratings.extend(evaluated.pgn.scaled_rating(colour));
        }
        let mut before = Game::new(evaluated.game.start().clone());
        for (played, &mv) in evaluated.game.moves().iter().enumerate() {
            let colour = before.position().turn();
            let evaluation = evaluated.evaluations[played].as_ref().filter(|_| wanted(colour));
            let mistake =
                evaluation.and_then(|found| Lesson::of_mistake(&before, mv, found, depth));
            if let Some(mistake) = mistake {
                let mistake = Lesson { game: number, ..mistake };
                self.student(player_name(evaluated, colour)).add(mistake);
            }
            before.play(mv);
        }
    }

    fn student(&mut self, name: String) -> &mut Student {
        let known = self.students.iter().position(|student| student.name == name);
        let index = known.unwrap_or(self.students.len());
        if known.is_none() {
            let (ratings, mistakes) = (Vec::new(), Vec::new());
            self.students.push(Student { name, games: 0, ratings, mistakes });
        }
        &mut self.students[index]
    }

    /// Selects the lessons. `level` returns the level of a player on this scale, given the name and
    /// the mean rating. Players with the most games come first.
    pub fn finish(
        self,
        depth: Depth,
        scale: EloScale,
        level: impl Fn(&str, Option<f64>) -> Elo,
    ) -> Vec<Lessons> {
        let mut students = self.students;
        students.sort_by_key(|student| std::cmp::Reverse(student.games));
        students.truncate(MAX_PLAYERS);
        let lessons = students.into_iter().map(|student| {
            let rating = student.rating(scale);
            let level = level(&student.name, rating);
            student.lessons(depth, scale, level)
        });
        lessons.collect()
    }
}

impl Student {
    /// Adds a mistake, unless the player made the same mistake in an earlier game.
    fn add(&mut self, mistake: Lesson) {
        if self.mistakes.iter().any(|other| other.is_same(&mistake)) {
            return;
        }
        let index = self.mistakes.partition_point(|other| other.cost() >= mistake.cost());
        self.mistakes.insert(index, mistake);
        self.mistakes.truncate(MAX_CANDIDATES);
    }

    /// The mean of the player's ratings in the games, on this scale.
    fn rating(&self, scale: EloScale) -> Option<f64> {
        let sum: f64 = self.ratings.iter().map(|rating| rating.on(scale).0).sum();
        (!self.ratings.is_empty()).then(|| sum / self.ratings.len() as f64)
    }

    fn lessons(self, depth: Depth, scale: EloScale, level: Elo) -> Lessons {
        // The levels of the player and of the stronger players must be within the range that the
        // model was fitted to.
        let (low, high) = RatingScale::of(scale).range.into_inner();
        let level = Elo(level.0.clamp(low, high - STRONGER));
        let targets =
            [0.0, STRONGER].map(|more| TargetRating::new(Elo(level.0 + more), None, scale));
        let has_mistakes = !self.mistakes.is_empty();
        let instructive = self.mistakes.into_iter().filter_map(|mut mistake| {
            mistake.errs = mistake.shares_of_mistakes(depth, &targets);
            (mistake.errs[0] - mistake.errs[1] >= MIN_DIFFERENCE).then_some(mistake)
        });
        let lessons = instructive.take(MAX_LESSONS).collect();
        let levels = targets.map(|target| target.nearest());
        Lessons { player: self.name, levels, scale, has_mistakes, lessons }
    }
}

impl Lesson {
    /// Returns a lesson if the move is a mistake. The number of the game and the shares of players
    /// are not filled in yet.
    fn of_mistake(
        before: &Game,
        mv: Move,
        evaluation: &RootEvaluation,
        depth: Depth,
    ) -> Option<Lesson> {
        let chosen = evaluation.moves.iter().position(|m| m.mv == mv)?;
        let values = Values::of(evaluation, depth);
        let values = values.deepest();
        let best_value = largest(values);
        let best = values.iter().position(|&value| value == best_value)?;
        let lost: Vec<f64> = values.iter().map(|&value| lost_chances(best_value, value)).collect();
        is_mistake(lost[chosen]).then(|| Lesson {
            game: 0,
            before: before.clone(),
            evaluation: evaluation.clone(),
            best,
            chosen,
            chances: [best_value, values[chosen]].map(winning_chances),
            lost,
            errs: [0.0; 2],
        })
    }

    /// The winning chances that the played move lost, in percentage points.
    pub fn cost(&self) -> f64 {
        self.lost[self.chosen]
    }

    fn is_same(&self, other: &Lesson) -> bool {
        let key = |lesson: &Lesson| lesson.before.position().key();
        let played = |lesson: &Lesson| lesson.evaluation.moves[lesson.chosen].mv;
        key(self) == key(other) && played(self) == played(other)
    }

    /// For each target rating, the share of players whose move would be a mistake.
    fn shares_of_mistakes(&self, depth: Depth, targets: &[TargetRating; 2]) -> [f64; 2] {
        targets.map(|target| {
            let shares = human_shares(&self.before, &self.evaluation, depth, &target);
            let shares = self.lost.iter().zip(shares.probabilities());
            shares.filter(|(lost, _)| is_mistake(**lost)).map(|(_, share)| share).sum()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::PgnStream;
    use crate::player::Engine;
    use crate::search::{Controls, EvaluationRequest, NoObserver};

    const DEPTH: Depth = 3;

    /// 3... Nf6 allows mate: a slip that few players make at any rating. 4. d3 overlooks the mate,
    /// as many weak players do.
    const GAME: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"900\"]\n\n\
        1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. d3 *\n\n";

    fn evaluated(text: &str) -> EvaluatedGame {
        let pgn = PgnStream::new(text.as_bytes()).next().expect("a game").expect("legal");
        let game = pgn.replay(None).expect("legal");
        let mut engine = Engine::built_in(1);
        let evaluations = (0..=game.ply()).map(|ply| {
            let request = EvaluationRequest::depth(DEPTH);
            let before = game.until(ply);
            Some(engine.evaluate(&before, &request, &Controls::new(), &mut NoObserver))
        });
        let evaluations = evaluations.collect();
        EvaluatedGame { number: 0, pgn, game, evaluations }
    }

    fn san(lesson: &Lesson, index: usize) -> String {
        lesson.before.position().san(lesson.evaluation.moves[index].mv)
    }

    fn lessons(games: &[&str], wanted: impl Fn(Colour) -> bool) -> Vec<Lessons> {
        let mut finder = LessonFinder::default();
        for (number, text) in games.iter().enumerate() {
            finder.add(number, &evaluated(text), DEPTH, &wanted);
        }
        finder.finish(DEPTH, EloScale::Fide, |_, rating| Elo(rating.unwrap_or(1200.0)))
    }

    #[test]
    fn a_mistake_that_stronger_players_make_less_often_is_a_lesson() {
        let found = lessons(&[GAME], |colour| colour == Colour::White);
        let [ann] = &found[..] else { panic!("one player: {found:?}") };
        assert_eq!((ann.player.as_str(), ann.levels), ("Ann", [Elo(900.0), Elo(1200.0)]));
        let [lesson] = &ann.lessons[..] else { panic!("one lesson: {ann:?}") };
        assert_eq!([lesson.chosen, lesson.best].map(|index| san(lesson, index)), ["d3", "Qxf7#"]);
        let [own, stronger] = lesson.errs;
        assert!(own - stronger >= MIN_DIFFERENCE && own < 1.0 && stronger > 0.0, "{lesson:?}");
        assert!(lesson.cost() >= 15.0 && lesson.lost[lesson.best] == 0.0, "{lesson:?}");
        let [before, after] = lesson.chances;
        assert!((before - after - lesson.cost()).abs() < 1e-9);
    }

    #[test]
    fn a_slip_that_others_avoid_and_a_repeated_mistake_are_not_lessons() {
        let found = lessons(&[GAME, GAME], |_| true);
        let counts = found.iter().map(|of| (of.player.as_str(), of.has_mistakes, of.lessons.len()));
        assert_eq!(counts.collect::<Vec<_>>(), [("Ann", true, 1), ("Bob", true, 0)]);
        assert_eq!((found[0].lessons[0].game, found[0].lessons[0].before.ply()), (0, 6));
    }

    #[test]
    fn the_costliest_mistakes_are_collected_in_order() {
        let mut finder = LessonFinder::default();
        finder.add(0, &evaluated(GAME), DEPTH, |_| true);
        let [ann, bob] = &finder.students[..] else { panic!("two players: {finder:?}") };
        assert!(ann.mistakes.iter().any(|m| san(m, m.best) == "Qxf7#"), "{ann:?}");
        assert!(bob.mistakes.iter().any(|m| san(m, m.chosen) == "Nf6"), "{bob:?}");
        for student in [ann, bob] {
            assert!(student.mistakes.is_sorted_by(|one, other| one.cost() >= other.cost()));
        }
    }
}
