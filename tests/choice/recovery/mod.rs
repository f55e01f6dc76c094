//! Parameter recovery: from the moves of a simulated player, the posterior recovers the player's
//! parameter. Its intervals are neither too wide nor too narrow.
//!
//! The true parameter of an equal mixture of two players depends on the kind of mixture:
//!
//! * If the player is drawn for each game, it is the c of the player in that game.
//! * If the player is drawn for each move, it is the weaker player's share of the moves, inferred
//!   over mixtures of the two. An observer who assumes a single c finds the c that maximises the
//!   expected likelihood of such moves in these positions.

mod fitted;
mod positions;
mod watch;

use positions::{Positions, SelfPlayPositions, SyntheticPositions};
use stopdown::math::statistics::{mean, median};
use stopdown::player::Hypotheses;
use stopdown::selector::{Competence, Curve, DepthWeights};
use watch::{CHECKPOINTS, Mover, Watched, scale, watch};

/// The two players of the mixtures.
const PARTS: [f64; 2] = [2.0, 20.0];

/// The number of games for each kind of player.
const GAMES: u64 = 200;

/// The coverage and the width of the intervals over many games.
#[derive(Default)]
struct Tally {
    held: Vec<bool>,
    /// The posterior's width, relative to the width that the Fisher information implies.
    widths: Vec<f64>,
}

impl Tally {
    fn coverage(&self) -> f64 {
        let count = self.held.iter().filter(|held| **held).count();
        count as f64 / self.held.len() as f64
    }

    fn width(&self) -> f64 {
        median(&self.widths)
    }
}

/// Counts how often the 90% interval of c contains the true c at a checkpoint.
fn count_c(games: &[(f64, Watched)], checkpoint: usize) -> Tally {
    let mut tally = Tally::default();
    for (truth, watched) in games {
        let (posterior, information) = &watched.competence[checkpoint];
        let (low, high) = posterior.interval(0.9);
        tally.held.push((low..=high).contains(truth));
        tally.widths.push(posterior.standard_deviation() * information.sqrt());
    }
    tally
}

/// Like [`count_c`], for the share of the weaker player.
fn count_share(games: &[(f64, Watched)], checkpoint: usize) -> Tally {
    let mut tally = Tally::default();
    for (_, watched) in games {
        let (posterior, information) = &watched.share[checkpoint];
        let (low, high) = posterior.interval(0.9);
        tally.held.push((low..=high).contains(&0.5));
        tally.widths.push(posterior.standard_deviation() * information.sqrt());
    }
    tally
}

/// Games by one kind of player, each with the true c.
fn games(
    positions: &mut dyn Positions,
    scale: &Hypotheses,
    moves: usize,
    mover: impl Fn(u64) -> Mover,
) -> Vec<(f64, Watched)> {
    let watched = (0..GAMES).map(|game| {
        let mover = mover(game);
        let mut stream = crate::synthetic::simulation(20, game);
        let watched = watch(positions, scale, &mover, moves, &mut stream);
        let truth = match mover {
            Mover::Plain(c) => c,
            Mover::Mixed(..) => watched.closest_c,
        };
        (truth, watched)
    });
    watched.collect()
}

fn plain_of_game(game: u64) -> Mover {
    Mover::Plain(PARTS[game as usize % 2])
}

/// The index of the checkpoint after `moves` moves.
fn checkpoint_index(moves: usize) -> usize {
    CHECKPOINTS.iter().position(|&count| count == moves).expect("a checkpoint")
}

#[test]
fn intervals_have_their_nominal_coverage() {
    for c in [2.0, 5.0, 10.0, 20.0] {
        let tally = count_c(
            &games(&mut SyntheticPositions, &scale(2), 40, |_| Mover::Plain(c)),
            checkpoint_index(40),
        );
        let (held, width) = (tally.coverage(), tally.width());
        assert!((0.85..=0.95).contains(&held), "c = {c}: coverage {held}");
        assert!((0.85..=1.15).contains(&width), "c = {c}: {width} times the expected width");
    }
}

#[test]
fn a_player_drawn_for_each_game_is_found_in_each() {
    let tally = count_c(
        &games(&mut SyntheticPositions, &scale(2), 40, plain_of_game),
        checkpoint_index(40),
    );
    assert!((0.85..=0.95).contains(&tally.coverage()), "coverage {}", tally.coverage());
}

#[test]
fn the_share_of_a_player_drawn_for_each_move_is_found() {
    let [weak, strong] = PARTS;
    let coarse = Hypotheses::of_competence(
        Curve::levelled(Competence::RANDOM),
        &DepthWeights::deepest(),
        &PARTS,
    );
    let games = games(&mut SyntheticPositions, &coarse, 200, |_| Mover::Mixed(weak, strong));
    let share = count_share(&games, checkpoint_index(200));
    assert!((0.85..=0.95).contains(&share.coverage()), "coverage {}", share.coverage());
    assert!((0.85..=1.15).contains(&share.width()), "{} times the expected width", share.width());
}

/// Writes the tables in `tuning/studies/recovery`.
#[test]
#[ignore = "takes a few minutes; writes tuning/studies/recovery/table.md"]
fn table() {
    let mut text = format!(
        "# Recovery of known parameters\n\n\
         Made by `cargo test --release --test choice recovery:: -- --ignored`, seed 20, {GAMES} games a row.\n\
         Levelled curve, flat prior on c from 0 to 60. A game continues through as many openings as \
         it needs. Only moves whose probability depends on c are counted.\n\n\
         The moves of two players vary more than those of any single player. A fit of one c to \
         such moves finds the closest c, but its interval is too narrow.\n",
    );
    text += "\n## Played games: Ep(c) against itself, p = 2, this engine's evaluations\n\n";
    text += &tables(&mut SelfPlayPositions::new());
    text += "\n## Synthetic positions with 10 to 39 moves\n\n";
    text += &tables(&mut SyntheticPositions);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/studies/recovery");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(format!("{folder}/table.md"), text).expect("the table can be written");
}

fn tables(positions: &mut dyn Positions) -> String {
    let mut text = String::from(
        "| player | true value | moves | inside the 90% interval | width relative to Fisher's |\n\
         |---|---|---|---|---|\n",
    );
    let mut rows = |label: &str, truth: &str, tally: &dyn Fn(usize) -> Tally| {
        for (place, moves) in CHECKPOINTS.iter().enumerate() {
            let tally = tally(place);
            let (held, width) = (100.0 * tally.coverage(), tally.width());
            text += &format!("| {label} | {truth} | {moves} | {held:.1}% | {width:.2} |\n");
        }
    };
    for c in [2.0, 5.0, 10.0, 20.0] {
        let games = games(positions, &scale(2), 200, |_| Mover::Plain(c));
        rows(&format!("c = {c}"), &format!("c = {c}"), &|place| count_c(&games, place));
    }
    let [weak, strong] = PARTS;
    let by_game = games(positions, &scale(2), 200, plain_of_game);
    let label = format!("c = {weak} or {strong}, by game");
    rows(&label, "the c of the game", &|place| count_c(&by_game, place));
    let by_move = games(positions, &scale(2), 200, |_| Mover::Mixed(weak, strong));
    let label = format!("c = {weak} or {strong}, by move");
    rows(&label, "share 0.5", &|place| count_share(&by_move, place));
    let closest = mean(&by_move.iter().map(|(truth, _)| *truth).collect::<Vec<f64>>());
    rows(&label, &format!("closest c, {closest:.1}"), &|place| count_c(&by_move, place));
    text
}

/// The number of players in each row: `RECOVERY_SAMPLES`, by default 200.
fn samples() -> u64 {
    std::env::var("RECOVERY_SAMPLES").map_or(200, |n| n.parse().expect("a number"))
}

fn write(name: &str, text: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/studies/recovery");
    std::fs::write(format!("{folder}/{name}"), text).expect("the table can be written");
}

/// Writes the bias and the coverage of the analyser's fits.
#[test]
#[ignore = "takes half an hour; writes tuning/studies/recovery/fitted.md"]
fn fits() {
    write("fitted.md", &fitted::study(samples(), fitted::POSITIONS));
}

/// Writes how often engine help is detected.
#[test]
#[ignore = "takes ten minutes; writes tuning/studies/recovery/assistance.md"]
fn assistance() {
    write("assistance.md", &fitted::help(samples(), fitted::POSITIONS));
}
