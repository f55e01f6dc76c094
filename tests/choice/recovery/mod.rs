//! What was put in comes out: from the moves of a simulated player the posterior finds who he is,
//! and is neither wider nor narrower than the moves allow.
//!
//! What the truth is about a mixture of two players, half and half:
//!
//! * drawn for each game, it is the c of the one who played the game;
//! * drawn for each move, it is the share of the moves that is the weaker one's, inferred over
//!   mixtures of the two; and for somebody who knows of no mixtures and looks for one c, the c
//!   that makes the likelihood of such moves in these positions greatest on average.

mod fitted;
mod positions;
mod watch;

use positions::{MadeUp, Played, Positions};
use stopdown::math::statistics::{mean, median};
use stopdown::player::Hypotheses;
use stopdown::selector::{Competence, Curve, DepthWeights};
use watch::{CHECKPOINTS, Mover, Watched, scale, watch};

/// The two players of the mixtures.
const PARTS: [f64; 2] = [2.0, 20.0];

/// Games of each kind of player.
const GAMES: u64 = 200;

/// What became of one question over many games.
#[derive(Default)]
struct Tally {
    held: Vec<bool>,
    /// The posterior's width over that which the information allows.
    widths: Vec<f64>,
}

impl Tally {
    fn held(&self) -> f64 {
        let count = self.held.iter().filter(|held| **held).count();
        count as f64 / self.held.len() as f64
    }

    fn width(&self) -> f64 {
        median(&self.widths)
    }
}

/// Whether the 90 % interval of c holds each game's truth, after so many moves.
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

/// The same for the share of the weaker player.
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

/// Games of one kind of player; each with its truth about c.
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

/// The place of a number of moves among the checkpoints.
fn after(moves: usize) -> usize {
    CHECKPOINTS.iter().position(|&count| count == moves).expect("a checkpoint")
}

#[test]
fn intervals_cover_the_truth_as_often_as_claimed() {
    for c in [2.0, 5.0, 10.0, 20.0] {
        let tally = count_c(&games(&mut MadeUp, &scale(2), 40, |_| Mover::Plain(c)), after(40));
        let (held, width) = (tally.held(), tally.width());
        assert!((0.85..=0.95).contains(&held), "c = {c}: {held} of the games");
        assert!((0.85..=1.15).contains(&width), "c = {c}: {width} times the width allowed");
    }
}

#[test]
fn a_player_drawn_for_each_game_is_found_in_each() {
    let tally = count_c(&games(&mut MadeUp, &scale(2), 40, plain_of_game), after(40));
    assert!((0.85..=0.95).contains(&tally.held()), "{} of the games", tally.held());
}

#[test]
fn the_share_of_a_player_drawn_for_each_move_is_found() {
    let [weak, strong] = PARTS;
    let coarse = Hypotheses::of_competence(
        Curve::levelled(Competence::RANDOM),
        &DepthWeights::deepest(),
        &PARTS,
    );
    let games = games(&mut MadeUp, &coarse, 200, |_| Mover::Mixed(weak, strong));
    let share = count_share(&games, after(200));
    assert!((0.85..=0.95).contains(&share.held()), "{} of the games", share.held());
    assert!((0.85..=1.15).contains(&share.width()), "{} times the width", share.width());
}

/// The tables of `tuning/studies/recovery`.
#[test]
#[ignore = "a study of some minutes; writes tuning/studies/recovery/table.md"]
fn table() {
    let mut text = format!(
        "# What was put in comes out\n\n\
         Made by `cargo test --release --test choice recovery:: -- --ignored`, seed 20, {GAMES} games a row.\n\
         Levelled curve, flat prior on c from 0 to 60. A game goes on through as many openings as \
         it takes; only moves that tell one c from another are counted.\n\n\
         The moves of two players scatter more than those of any one: who looks for one c among \
         them finds it, but believes it too firmly.\n",
    );
    text += "\n## Played games: Ep(c) against himself, p = 2, this engine's values\n\n";
    text += &tables(&mut Played::new());
    text += "\n## Made-up positions of 10 to 39 moves\n\n";
    text += &tables(&mut MadeUp);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/studies/recovery");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(format!("{folder}/table.md"), text).expect("the table can be written");
}

fn tables(positions: &mut dyn Positions) -> String {
    let mut text = String::from(
        "| player | truth | moves | within the 90 % interval | width over Fisher's |\n\
         |---|---|---|---|---|\n",
    );
    let mut rows = |who: &str, truth: &str, tally: &dyn Fn(usize) -> Tally| {
        for (place, moves) in CHECKPOINTS.iter().enumerate() {
            let tally = tally(place);
            let (held, width) = (100.0 * tally.held(), tally.width());
            text += &format!("| {who} | {truth} | {moves} | {held:.1} % | {width:.2} |\n");
        }
    };
    for c in [2.0, 5.0, 10.0, 20.0] {
        let games = games(positions, &scale(2), 200, |_| Mover::Plain(c));
        rows(&format!("c = {c}"), &format!("c = {c}"), &|place| count_c(&games, place));
    }
    let [weak, strong] = PARTS;
    let by_game = games(positions, &scale(2), 200, plain_of_game);
    let who = format!("c = {weak} or {strong}, by game");
    rows(&who, "the c of the game", &|place| count_c(&by_game, place));
    let by_move = games(positions, &scale(2), 200, |_| Mover::Mixed(weak, strong));
    let who = format!("c = {weak} or {strong}, by move");
    rows(&who, "share 0.5", &|place| count_share(&by_move, place));
    let closest = mean(&by_move.iter().map(|(truth, _)| *truth).collect::<Vec<f64>>());
    rows(&who, &format!("closest c, {closest:.1}"), &|place| count_c(&by_move, place));
    text
}

/// Bias and coverage of the analyser's fits; `RECOVERY_SAMPLES` (200) sets how many players a row.
#[test]
#[ignore = "a study of some minutes; writes tuning/studies/recovery/fitted.md"]
fn fits() {
    let samples = std::env::var("RECOVERY_SAMPLES").map_or(200, |n| n.parse().expect("a number"));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/studies/recovery");
    std::fs::write(format!("{folder}/fitted.md"), fitted::study(samples, fitted::POSITIONS))
        .expect("the table can be written");
}
