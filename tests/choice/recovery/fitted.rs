//! The analyser's fits to players simulated by our own model.

use stopdown::analyser::{
    DecisionSettings, RatingScale, StudiedMove, StudyPlan, StudyRules, apparent_competence, rate,
    regan_by_logarithms, suspect,
};
use stopdown::arena::{Book, Order};
use stopdown::board::{Colour, Game, Phase};
use stopdown::evaluation::RootEvaluation;
use stopdown::math::exact::ln;
use stopdown::math::statistics::{mean, standard_deviation};
use stopdown::math::streams::Stream;
use stopdown::player::{EloScale, Engine, all_ratings};
use stopdown::search::{Controls, EvaluationRequest, NoObserver};
use stopdown::selector::{Competence, Curve, Selector, Values};
use stopdown::value::Depth;

use crate::fit::by_likelihood;
use crate::synthetic::simulation;

const SEED: u64 = 4;
/// The evaluation depth of the positions in the pool, in plies.
const DEPTH: Depth = 4;
/// The evaluation depth of the positions in which engine help is tested.
const HUMAN_DEPTH: Depth = 12;
pub const POSITIONS: usize = 1500;
/// Sample sizes, in moves.
const MOVES: [usize; 3] = [250, 1000, 5000];
/// Half the width of a 95% interval in standard errors, as used by the analyser.
const Z_95: f64 = 1.96;
/// The numbers of moves after which engine help is tested.
const CHECKED_AFTER: [usize; 5] = [50, 100, 200, 400, 800];

/// Estimates of one parameter from many samples.
#[derive(Default)]
struct Estimates {
    errors: Vec<f64>,
    held: usize,
}

impl Estimates {
    fn add(&mut self, estimate: f64, truth: f64, (low, high): (f64, f64)) {
        self.errors.push(estimate - truth);
        self.held += usize::from((low..=high).contains(&truth));
    }

    fn row(&self, player: &str, what: &str, moves: usize) -> String {
        let samples = self.errors.len() as f64;
        let (bias, spread) = (mean(&self.errors), standard_deviation(&self.errors));
        format!(
            "| {player} | {what} | {moves} | {bias:+.4} | {:.4} | {:+.2} | {:.1}% |\n",
            spread / samples.sqrt(),
            bias / spread,
            100.0 * self.held as f64 / samples
        )
    }
}

/// The move values in positions from the self-play of a player.
fn pool(
    positions: usize,
    mut engine: Engine,
    depth: Depth,
    player: &Selector,
    values: impl Fn(&Game, &RootEvaluation) -> Values,
) -> Vec<Values> {
    let openings = Book::built_in().select(Order::Sequential, None, 999).expect("legal");
    let mut stream = simulation(SEED, u64::MAX);
    let (mut pool, mut opening) = (Vec::new(), 0);
    while pool.len() < positions {
        let mut game = openings[opening * 7 % openings.len()].game.clone();
        opening += 1;
        while game.ending().is_none() && game.ply() < 120 && pool.len() < positions {
            let request = EvaluationRequest::depth(depth);
            let found = engine.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
            let values = values(&game, &found);
            let chosen = stream.index(player.distribution(&values).probabilities());
            game.play(found.moves[chosen.expect("there is a move")].mv);
            // Skip positions that the analysis rules would exclude.
            let best = values.deepest().iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if values.moves() > 1 && best.abs() <= 3.0 {
                pool.push(values);
            }
        }
    }
    pool
}

/// Positions of a mid-strength player, at low depth and without the policy.
fn plain_pool(positions: usize) -> Vec<Values> {
    let player = Selector::new(Curve::levelled(Competence::new(10.0).expect("a number")));
    let engine = Engine::built_in(1);
    pool(positions, engine, DEPTH, &player, |_, found| {
        Values::of(found, DEPTH).up_to(usize::from(DEPTH))
    })
}

/// Positions of level 2000, as reports evaluate them.
fn human_pool(scale: &RatingScale, positions: usize) -> Vec<Values> {
    let (player, rules) = (scale.selector(2000.0).expect("on the scale"), StudyRules::none());
    let settings = DecisionSettings { depth: HUMAN_DEPTH, family: scale.family(), rules: &rules };
    pool(positions, Engine::built_in(16), HUMAN_DEPTH, &player, |game, found| {
        settings.decision(game, found.moves[0].mv, Some(found), &all_ratings()).values
    })
}

/// A player's decisions in positions from the pool. In a given share of them, the player makes the
/// engine's move.
fn simulated(
    pool: &[Values],
    selector: &Selector,
    help: f64,
    moves: usize,
    stream: &mut Stream,
) -> Vec<StudiedMove> {
    let decision = |index: usize| {
        let values = pool[(stream.uniform() * pool.len() as f64) as usize].clone();
        let is_helped = stream.uniform() < help;
        let own = stream.index(selector.distribution(&values).probabilities());
        let decision = StudiedMove {
            game: index / 40,
            ply: 20 + 2 * (index % 40),
            colour: Colour::White,
            values,
            chosen: own.expect("there is a move"),
            repeats: false,
            phase: Phase::Middlegame,
            after: None,
            opening: Vec::new(),
            clock: None,
        };
        if is_helped { StudiedMove { chosen: decision.first(), ..decision } } else { decision }
    };
    (0..moves).map(decision).collect()
}

/// Returns all tables as Markdown.
pub fn study(samples: u64, positions: usize) -> String {
    let pool = plain_pool(positions);
    let mut text = format!(
        "# How well the analyser recovers the parameters of simulated players\n\n\
         Made by `cargo test --release --test choice fits -- --ignored`, seed {SEED}, {samples} \
         samples a row, with moves from {positions} positions that this engine evaluated at depth \
         {DEPTH}. The bias is the difference between the mean estimate and the true value. It is given with its \
         standard error, and relative to the standard deviation of one estimate.\n\n\
         | player | parameter | moves | bias | ± | bias / deviation | inside 95% interval |\n\
         |---|---|---|---|---|---|---|\n"
    );
    for moves in MOVES {
        for (s, c) in [(0.20, 0.44), (0.10, 0.50)] {
            text += &fits(&pool, (s, c), moves, samples);
        }
        for elo in [1600.0, 2600.0] {
            text += &ratings(&pool, elo, moves, samples);
        }
        for c in [5.0, 12.0] {
            text += &competences(&pool, c, moves, samples);
        }
    }
    text
}

fn fits(pool: &[Values], (s, c): (f64, f64), moves: usize, samples: u64) -> String {
    let truth = [ln(s), ln(c)];
    let selector = regan_by_logarithms(&truth).expect("valid");
    // Start from a typical club player.
    let start = [ln(0.14), ln(0.47)];
    let mut found = [Estimates::default(), Estimates::default()];
    for sample in 0..samples {
        let decisions = simulated(pool, &selector, 0.0, moves, &mut simulation(SEED, sample));
        let decisions: Vec<&StudiedMove> = decisions.iter().collect();
        let fit = by_likelihood(&decisions, &start, regan_by_logarithms).expect("a fit");
        for (index, found) in found.iter_mut().enumerate() {
            let (x, reach) = (fit.parameters[index], Z_95 * fit.deviation(index));
            found.add(x, truth[index], (x - reach, x + reach));
        }
    }
    let player = format!("s = {s}, c = {c}");
    found[0].row(&player, "ln s", moves) + &found[1].row(&player, "ln c", moves)
}

fn ratings(pool: &[Values], elo: f64, moves: usize, samples: u64) -> String {
    let scale = RatingScale::published();
    let selector = scale.selector(elo).expect("on the scale");
    let mut found = Estimates::default();
    for sample in 0..samples {
        let decisions = simulated(pool, &selector, 0.0, moves, &mut simulation(SEED, sample));
        let rating = rate(&scale, &decisions.iter().collect::<Vec<_>>()).expect("a fit");
        let reach = Z_95 * rating.sampling;
        found.add(rating.elo, elo, (rating.elo - reach, rating.elo + reach));
    }
    found.row(&format!("rating {elo}"), "rating", moves)
}

fn competences(pool: &[Values], c: f64, moves: usize, samples: u64) -> String {
    let selector = Selector::new(Curve::levelled(Competence::new(c).expect("a number")));
    let mut found = Estimates::default();
    for sample in 0..samples {
        let decisions = simulated(pool, &selector, 0.0, moves, &mut simulation(SEED, sample));
        let decisions: Vec<&StudiedMove> = decisions.iter().collect();
        let belief = apparent_competence(&StudyPlan::default(), &decisions).posterior;
        found.add(belief.mean(), c, belief.interval(0.95));
    }
    found.row(&format!("levelled c = {c}"), "c", moves)
}

/// The detection rate for players who have engine help with 30% of their moves, and the
/// false-positive rate, after various numbers of moves. Returns the table as Markdown.
pub fn help(samples: u64, positions: usize) -> String {
    let scale = RatingScale::of(EloScale::Fide);
    let pool = human_pool(&scale, positions);
    let mut text = format!(
        "# How often engine help is detected\n\n\
         Made by `cargo test --release --test choice assistance -- --ignored`, seed {SEED}, {samples} samples a row. \
         A player with a known rating lets the engine choose 30% of the moves. The player's strength differs from \
         the rating, with a standard deviation of {} points. The moves are from {positions} positions of games of \
         level 2000 against itself, evaluated at {HUMAN_DEPTH} plies. The table shows the percentage of assisted and \
         of honest players whose z is above 3 and above 4.75 after a number of moves. The last column has the mean \
         and the standard deviation of z for honest players. z is the largest of three values, so its mean is above \
         0.\n\n\
         | rating | moves | assisted, z > 3 | assisted, z > 4.75 | honest, z > 3 | honest, z > 4.75 | honest z |\n\
         |---|---|---|---|---|---|---|\n",
        scale.between_players,
    );
    for elo in [1600.0, 2600.0] {
        let most = CHECKED_AFTER[CHECKED_AFTER.len() - 1];
        let mut counts = [[0_usize; 4]; CHECKED_AFTER.len()];
        let mut honest = [const { Vec::new() }; CHECKED_AFTER.len()];
        for sample in 0..samples {
            for (shift, part) in [(0, 0.3), (2, 0.0)] {
                let mut stream = simulation(SEED + 1, sample);
                // The sum of twelve uniform numbers has nearly a normal distribution with a variance of 1.
                let normal = (0..12).map(|_| stream.uniform()).sum::<f64>() - 6.0;
                let strength = scale.nearest(elo + scale.between_players * normal);
                let selector = scale.selector(strength).expect("on the scale");
                let decisions = simulated(&pool, &selector, part, most, &mut stream);
                let decisions: Vec<&StudiedMove> = decisions.iter().collect();
                for ((moves, counts), honest) in
                    CHECKED_AFTER.iter().zip(&mut counts).zip(&mut honest)
                {
                    let decisions = &decisions[..*moves];
                    let z = suspect(&scale, elo, decisions, 20).expect("moves").z();
                    if part == 0.0 {
                        honest.push(z);
                    }
                    counts[shift] += usize::from(z > 3.0);
                    counts[shift + 1] += usize::from(z > 4.75);
                }
            }
        }
        for ((moves, counts), honest) in CHECKED_AFTER.iter().zip(counts).zip(honest) {
            let (centre, spread) = (mean(&honest), standard_deviation(&honest));
            let parts = counts.map(|count| 100.0 * count as f64 / samples as f64);
            let parts: Vec<String> = parts.iter().map(|part| format!("{part:.1}%")).collect();
            let parts = parts.join(" | ");
            text += &format!("| {elo} | {moves} | {parts} | {centre:+.2}, {spread:.2} |\n");
        }
    }
    text
}
