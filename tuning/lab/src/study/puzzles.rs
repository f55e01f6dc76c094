//! How often levels solve rated puzzles.
//!
//! The rating of a puzzle comes from the players who tried it, so puzzles compare levels with humans. A level draws its
//! move from a distribution. One evaluation of all moves therefore gives the exact probability that each level finds
//! the solution, and no games are needed.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::score_fit::ScoreFit;
use stopdown::board::{Game, Move, Position};
use stopdown::evaluation::RootEvaluation;
use stopdown::math::statistics::{mean, standard_deviation};
use stopdown::player::{Elo, EloScale, Perception, TargetRating, rating_path::human_choice_curve};
use stopdown::selector::human::Human;
use stopdown::selector::{Curve, Selector, Values};
use stopdown::value::Depth;

/// The levels that solve the puzzles.
pub const LEVELS: [u16; 12] =
    [600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2400, 2600, 2800];

/// The width of a bin of puzzle ratings, the start of the first bin, and the end of the last.
pub const BIN: u16 = 200;
const FIRST_BIN: u16 = 600;
const END: u16 = 2800;

/// Ratings with a larger deviation are not used.
const MAX_DEVIATION: f64 = 110.0;

/// The depths of the terms of the human curve: the first, the middle and the full depth.
fn term_depths(values: &Values) -> [usize; 3] {
    [1, 4, values.depths()]
}

/// Whether a move is the best one at each of the [`term_depths`].
fn is_best_at(values: &Values, mv: usize) -> [bool; 3] {
    term_depths(values).map(|depth| values.losses(depth).nth(mv) == Some(0.0))
}

/// A puzzle with a rating.
#[derive(Clone, Debug)]
pub struct Puzzle {
    pub id: String,
    pub rating: u16,
    /// The position before the first move of the solver.
    start: Position,
    /// The moves of the solver and the replies, starting and ending with the solver.
    moves: Vec<Move>,
}

/// A position in which the solver has to find a move.
#[derive(Clone, Debug)]
pub struct PuzzleStep {
    /// The moves since the start of the puzzle.
    pub game: Game,
    solution: Move,
    /// Whether any move that mates is a solution.
    any_mate: bool,
}

/// Why a puzzle file is refused.
#[derive(Debug, thiserror::Error)]
pub enum PuzzleError {
    #[error("the first line has no column \"{0}\"; columns are separated by tabs")]
    Column(&'static str),
    #[error("line {line}: \"{text}\" is not {wanted}")]
    Field { line: usize, text: String, wanted: &'static str },
}

impl Puzzle {
    /// Reads a table with the columns id, fen, moves (in UCI notation, the solver's first) and rating. If there is a
    /// column rd, puzzles whose rating is uncertain or has no known deviation are left out. A puzzle that is in the
    /// file twice counts once.
    pub fn read_all(text: &str) -> Result<Vec<Puzzle>, PuzzleError> {
        let mut lines = text.lines().enumerate();
        let head = lines.next().map_or("", |(_, line)| line);
        let place = |name: &str| head.split('\t').position(|column| column == name);
        let known = |name| place(name).ok_or(PuzzleError::Column(name));
        let (id, fen, moves, rating) =
            (known("id")?, known("fen")?, known("moves")?, known("rating")?);
        let deviation = place("rd");
        let mut found = BTreeMap::new();
        for (line, text) in lines.filter(|(_, text)| !text.is_empty()) {
            let cells: Vec<&str> = text.split('\t').collect();
            let cell = |place: usize| cells.get(place).copied().unwrap_or_default();
            let wrong = |place: usize, wanted| PuzzleError::Field {
                line: line + 1,
                text: cell(place).to_owned(),
                wanted,
            };
            let is_certain = |place| cell(place).parse().is_ok_and(|rd: f64| rd <= MAX_DEVIATION);
            if !deviation.is_none_or(is_certain) {
                continue;
            }
            let number: f64 = cell(rating).parse().map_err(|_| wrong(rating, "a rating"))?;
            let start =
                Position::from_fen(cell(fen), false).map_err(|_| wrong(fen, "a position"))?;
            let solution = solution(&start, cell(moves))
                .ok_or_else(|| wrong(moves, "a list of legal moves that ends with the solver's"))?;
            let id = cell(id).to_owned();
            let puzzle = Puzzle { id: id.clone(), rating: number as u16, start, moves: solution };
            found.insert(id, puzzle);
        }
        Ok(found.into_values().collect())
    }

    /// The first `count` puzzles of each bin, in the order of their ids, which are unrelated to difficulty. The bins
    /// take turns, so that an interrupted run has evaluated puzzles from every bin.
    pub fn select(puzzles: Vec<Puzzle>, count: usize) -> Vec<Puzzle> {
        let mut taken: HashMap<u16, usize> = HashMap::new();
        let mut chosen = Vec::new();
        for puzzle in puzzles {
            let Some(bin) = bin(puzzle.rating) else { continue };
            let rank = taken.entry(bin).or_default();
            if *rank < count {
                chosen.push((*rank, bin, puzzle));
                *rank += 1;
            }
        }
        chosen.sort_by_key(|(rank, bin, _)| (*rank, *bin));
        chosen.into_iter().map(|(_, _, puzzle)| puzzle).collect()
    }

    /// The positions in which the solver has to move.
    pub fn steps(&self) -> Vec<PuzzleStep> {
        let mut game = Game::new(self.start.clone());
        let mut steps = Vec::new();
        for (ply, &solution) in self.moves.iter().enumerate() {
            let any_mate = is_mate(&game.position().after(solution));
            if ply % 2 == 0 {
                steps.push(PuzzleStep { game: game.clone(), solution, any_mate });
            }
            game.play(solution);
        }
        steps
    }
}

fn solution(start: &Position, text: &str) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for word in text.split(' ') {
        let mv = position.parse_uci(word).ok()?;
        position.play(mv);
        moves.push(mv);
    }
    (moves.len() % 2 == 1).then_some(moves)
}

fn is_mate(position: &Position) -> bool {
    position.in_check() && !position.has_legal_move()
}

/// The rating at which this rating's bin starts.
fn bin(rating: u16) -> Option<u16> {
    (FIRST_BIN..END).contains(&rating).then_some(rating / BIN * BIN)
}

/// The levels on a scale, and their search depth.
#[derive(Debug)]
pub struct Solvers {
    pub scale: EloScale,
    pub depth: Depth,
    /// For each level, the curve with which it plays, and the curve for the choices of humans with
    /// its rating.
    curves: Vec<[Curve; 2]>,
}

/// The probabilities that the levels find a move or a whole line.
#[derive(Clone, Debug, Default)]
pub struct Solved {
    rating: u16,
    steps: usize,
    /// For each level: the first move, the whole line, and the whole line by players with this rating.
    levels: Vec<[f64; 3]>,
    /// Whether the first move is the best one at each of the [`term_depths`].
    best_at: [bool; 3],
    terms: Terms,
}

/// The parts of the log odds of the solution against the likeliest other move, for the first move and the level at the
/// start of the puzzle's bin. Each part is already multiplied by the exponent that the level uses in play. Opening
/// knowledge is left out.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Terms {
    pub policy: f64,
    pub depth_1: f64,
    pub depth_4: f64,
    pub full_depth: f64,
}

impl Solvers {
    pub fn new(scale: EloScale, depth: Depth) -> Solvers {
        let curves = LEVELS.map(|level| {
            let played = TargetRating::new(Elo(level.into()), None, scale).curve();
            [played, human_choice_curve(&played)]
        });
        Solvers { scale, depth, curves: curves.to_vec() }
    }

    /// The probabilities that the levels solve a puzzle. The replies are those of the solution.
    pub fn solve(
        &self,
        puzzle: &Puzzle,
        evaluations: &[(PuzzleStep, RootEvaluation)],
    ) -> Option<Solved> {
        let mut solved = Solved { rating: puzzle.rating, ..Solved::default() };
        for (step, evaluation) in evaluations {
            let correct = step.correct(evaluation);
            let chosen = correct.iter().position(|&is_correct| is_correct)?;
            let family = self.curves.first()?[0].family();
            let scales: Vec<f64> = self.curves.iter().map(|[curve, _]| curve.scale()).collect();
            let values = Perception { depth: self.depth, family, ratings: &scales }
                .values(&step.game, evaluation);
            let shares = self.curves.iter().map(|curves| {
                curves.map(|curve| {
                    let distribution = Selector::new(curve).distribution(&values);
                    let each = distribution.probabilities().iter().zip(&correct);
                    each.filter(|(_, is_correct)| **is_correct).map(|(share, _)| share).sum::<f64>()
                })
            });
            if solved.steps == 0 {
                solved.levels = shares.map(|[play, choice]| [play, play, choice]).collect();
                solved.best_at = is_best_at(&values, chosen);
                let level = (puzzle.rating - FIRST_BIN) / BIN;
                solved.terms = Terms::of(&values, chosen, &self.curves[usize::from(level)][0])?;
            } else {
                for (level, [play, choice]) in solved.levels.iter_mut().zip(shares) {
                    level[1] *= play;
                    level[2] *= choice;
                }
            }
            solved.steps += 1;
        }
        (solved.steps > 0).then_some(solved)
    }
}

impl PuzzleStep {
    /// Whether each move counts as a solution.
    fn correct(&self, evaluation: &RootEvaluation) -> Vec<bool> {
        let position = self.game.position();
        let is_solution =
            |mv: Move| mv == self.solution || (self.any_mate && is_mate(&position.after(mv)));
        evaluation.moves.iter().map(|evaluated| is_solution(evaluated.mv)).collect()
    }
}

impl Terms {
    fn of(values: &Values, solution: usize, curve: &Curve) -> Option<Terms> {
        let (pool, exponent) = (curve.family().pool()?, curve.competence().get());
        let parts = Human::built_in().contributions(values, pool, curve.scale());
        let sum = |mv: usize| parts[mv].iter().sum::<f64>();
        let others = (0..values.moves()).filter(|&mv| mv != solution);
        let Some(rival) = others.max_by(|&a, &b| sum(a).total_cmp(&sum(b))) else {
            return Some(Terms::default());
        };
        let (own, other) = (parts[solution], parts[rival]);
        let part = |place: usize| exponent * (own[place] - other[place]);
        Some(Terms { policy: part(0), depth_1: part(1), depth_4: part(2), full_depth: part(3) })
    }
}

/// A share of puzzles and its standard error.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Share {
    pub share: f64,
    pub error: f64,
}

/// The puzzles with ratings from `rating` up to the next bin.
#[derive(Clone, Debug, Serialize)]
pub struct PuzzleBin {
    pub rating: u16,
    pub puzzles: usize,
    /// The mean number of moves to find.
    pub moves: f64,
    /// The share solved by each level: the first move, and the whole line.
    pub first: Vec<Share>,
    pub whole: Vec<Share>,
    /// The whole line, without the exponent that levels use in play.
    pub players: Vec<Share>,
    /// The share of puzzles whose first move is the best one at 1, 4 and all plies.
    pub best_at: [f64; 3],
    /// Means for the level at the start of the bin.
    pub terms: Terms,
}

/// The puzzle rating at which a level solves half of the puzzles.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct HalfSolved {
    pub level: u16,
    /// As levels play, and without their exponent. `None` if the shares do not determine a falling
    /// curve.
    pub played: Option<f64>,
    pub players: Option<f64>,
    /// The number of puzzle rating points over which the share falls from 84% to 50%.
    pub spread: Option<f64>,
}

/// The results.
#[derive(Clone, Debug, Serialize)]
pub struct PuzzleStudy {
    pub scale: EloScale,
    pub depth: Depth,
    pub levels: Vec<u16>,
    pub bins: Vec<PuzzleBin>,
    pub half: Vec<HalfSolved>,
}

impl PuzzleStudy {
    pub fn new(solvers: &Solvers, solved: &[Solved]) -> PuzzleStudy {
        let mut groups: BTreeMap<u16, Vec<&Solved>> = BTreeMap::new();
        for one in solved {
            groups.entry(one.rating / BIN * BIN).or_default().push(one);
        }
        let bins: Vec<PuzzleBin> =
            groups.iter().map(|(&rating, group)| PuzzleBin::new(rating, group)).collect();
        let half = LEVELS.iter().enumerate().map(|(place, &level)| {
            let fit = |of: fn(&PuzzleBin) -> &[Share]| {
                let middle = |bin: &PuzzleBin| f64::from(bin.rating + BIN / 2);
                // The fit needs a rising curve.
                let points: Vec<(f64, f64)> =
                    bins.iter().map(|bin| (-middle(bin), of(bin)[place].share)).collect();
                ScoreFit::new(&points)
            };
            let played = fit(|bin| &bin.whole);
            let players = fit(|bin| &bin.players);
            HalfSolved {
                level,
                played: played.map(|fit| -fit.centre),
                players: players.map(|fit| -fit.centre),
                spread: played.map(|fit| fit.spread),
            }
        });
        let half = half.collect();
        let levels = LEVELS.to_vec();
        PuzzleStudy { scale: solvers.scale, depth: solvers.depth, levels, bins, half }
    }
}

impl PuzzleBin {
    fn new(rating: u16, solved: &[&Solved]) -> PuzzleBin {
        let average = |of: &dyn Fn(&Solved) -> f64| {
            let sample: Vec<f64> = solved.iter().map(|one| of(one)).collect();
            let error = standard_deviation(&sample) / (sample.len() as f64).sqrt();
            Share { share: mean(&sample), error }
        };
        let levels = |kind: usize| {
            (0..LEVELS.len()).map(|level| average(&|one| one.levels[level][kind])).collect()
        };
        let term = |of: fn(&Terms) -> f64| average(&|one| of(&one.terms)).share;
        PuzzleBin {
            rating,
            puzzles: solved.len(),
            moves: average(&|one| one.steps as f64).share,
            first: levels(0),
            whole: levels(1),
            players: levels(2),
            best_at: [0, 1, 2].map(|at| average(&|one| f64::from(u8::from(one.best_at[at]))).share),
            terms: Terms {
                policy: term(|terms| terms.policy),
                depth_1: term(|terms| terms.depth_1),
                depth_4: term(|terms| terms.depth_4),
                full_depth: term(|terms| terms.full_depth),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stopdown::api;
    use stopdown::player::Engine;

    const HEAD: &str = "id\tfen\tmoves\trating\trd\n";
    const MATE: &str = "6k1/5ppp/8/8/8/8/5PPP/R3R1K1 w - - 0 1";

    fn read(rows: &str) -> Result<Vec<Puzzle>, PuzzleError> {
        Puzzle::read_all(&format!("{HEAD}{rows}"))
    }

    #[test]
    fn any_mate_solves_the_last_move_of_a_mate() {
        let puzzles = read(&format!("a\t{MATE}\ta1a8\t700\t80\n")).expect("a puzzle");
        let step = puzzles[0].steps().remove(0);
        let evaluation = api::evaluate(&mut Engine::built_in(1), &step.game, 2);
        let correct = step.correct(&evaluation).into_iter().filter(|&is_correct| is_correct);
        assert_eq!(correct.count(), 2);
        let solvers = Solvers::new(EloScale::LichessBlitz, 2);
        let solved = solvers.solve(&puzzles[0], &[(step, evaluation)]).expect("a solution");
        let study = PuzzleStudy::new(&solvers, &[solved]);
        let shares = &study.bins[0].whole;
        assert!(shares[0].share < shares[11].share && shares[11].share > 0.9, "{shares:?}");
    }

    #[test]
    fn uncertain_and_repeated_puzzles_are_left_out_and_bins_take_turns() {
        let row = |id: &str, rating: u16, rd: &str| format!("{id}\t{MATE}\te1e8\t{rating}\t{rd}\n");
        let rows = [
            row("b", 700, "80"),
            row("b", 700, "80"),
            row("c", 750, "90"),
            row("d", 720, ""),
            row("e", 720, "200"),
            row("a", 900, "80"),
            row("f", 3000, "80"),
        ];
        let found = Puzzle::select(read(&rows.concat()).expect("puzzles"), 5);
        let ids: Vec<&str> = found.iter().map(|puzzle| &*puzzle.id).collect();
        assert_eq!(ids, ["b", "a", "c"]);
    }

    #[test]
    fn the_last_term_uses_the_full_depth() {
        let mut rows = vec![vec![1.0, 0.0]; 13];
        rows[12] = vec![0.0, 1.0];
        let values = Values::by_depth(&rows).expect("finite");
        assert_eq!(is_best_at(&values, 1), [false, false, true]);
    }

    #[test]
    fn damaged_lines_are_named() {
        let error = read(&format!("a\t{MATE}\ta1a9\t700\t80\n")).expect_err("an illegal move");
        assert_eq!(
            error.to_string(),
            "line 2: \"a1a9\" is not a list of legal moves that ends with the solver's"
        );
    }
}
