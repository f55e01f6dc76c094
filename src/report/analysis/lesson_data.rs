//! Lessons as JSON for the exercises of an analysis page.

use serde::Serialize;

use crate::analyser::{Lesson, Lessons};
use crate::player::EloScale;
use crate::report::moves_by_rating::MovesByRating;
use crate::value::Depth;

/// The exercises for a player.
#[derive(Debug, Serialize)]
pub struct LessonList {
    player: String,
    scale: &'static str,
    /// The player's level, and the level of the stronger players in the comparison.
    levels: [f64; 2],
    lessons: Vec<LessonData>,
}

#[derive(Debug, Serialize)]
struct LessonData {
    /// The index of the game on the board, and the number of moves before the mistake.
    game: usize,
    ply: usize,
    /// The indices of the best move and of the move played.
    best: usize,
    played: usize,
    /// The winning chances after the best move and after the played move, in percent.
    chances: [f64; 2],
    /// The percentage of players at each level who make a mistake.
    errs: [f64; 2],
    /// Each legal move in UCI notation and in SAN, with the winning chances that it loses, in
    /// percentage points.
    moves: Vec<(String, String, f64)>,
    chart: MovesByRating,
}

impl LessonList {
    pub fn new(lessons: &Lessons, depth: Depth, threads: usize) -> LessonList {
        let of = |lesson: &Lesson| LessonData::new(lesson, depth, lessons.scale, threads);
        LessonList {
            player: lessons.player.clone(),
            scale: lessons.scale.name(),
            levels: lessons.levels.map(|level| level.0.round()),
            lessons: lessons.lessons.iter().map(of).collect(),
        }
    }
}

impl LessonData {
    fn new(lesson: &Lesson, depth: Depth, scale: EloScale, threads: usize) -> LessonData {
        let (position, evaluation) = (lesson.before.position(), &lesson.evaluation);
        let moves = evaluation.moves.iter().zip(&lesson.lost);
        let moves =
            moves.map(|(m, &lost)| (position.uci(m.mv), position.san(m.mv), hundredths(lost)));
        LessonData {
            game: lesson.game,
            ply: lesson.before.ply(),
            best: lesson.best,
            played: lesson.chosen,
            chances: lesson.chances.map(hundredths),
            errs: lesson.errs.map(|share| hundredths(100.0 * share)),
            moves: moves.collect(),
            chart: MovesByRating::new(&lesson.before, evaluation, depth, scale, threads),
        }
    }
}

fn hundredths(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}
