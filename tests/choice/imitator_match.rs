//! Matches of the imitator: how soon it reaches its opponent's level, and whether it stays there.
//!
//! ```sh
//! cargo test --release --test choice imitator_match:: -- --ignored
//! ```
//!
//! This replays the matches, `IMITATOR_THREADS` of them at a time (default 1), and writes
//! `tuning/studies/imitator/table.md`.

use std::collections::BTreeMap;

use crate::synthetic::prior_of_mean;
use stopdown::arena::{Book, Opening, Order};
use stopdown::board::Game;
use stopdown::math::statistics::{median, quantile};
use stopdown::player::{
    Aim, Elo, Engine, EngineHost, ImitatorConfig, ImitatorPlayer, Levels, MoveRequest,
    OpponentKnowledge, Participant, Player,
};
use stopdown::player::{Profile, Skill, StoppedDown};
use stopdown::search::{Controls, Limits, NoObserver};
use stopdown::selector::Selector;

const MATCHES: u64 = 100;
const SEED: u64 = 41;
/// The depth p of both players.
const DEPTH: u8 = 2;
/// The number of plies after which a game ends, because weak players seldom deliver mate.
const MAX_PLIES: usize = 160;
/// The numbers of opponent moves after which the level is recorded. Zero means before the first
/// move.
const AFTER: [usize; 9] = [0, 1, 5, 10, 20, 40, 80, 120, 200];
/// The length of a match in opponent moves, against an opponent whose rating is known.
const KNOWN_RATING_MOVES: usize = 40;
/// The largest allowed change in the level between two moves.
const MAX_STEP: f64 = 100.0;

/// Results of several matches.
#[derive(Default)]
struct Tally {
    /// Our level after each number of opponent moves.
    levels: BTreeMap<usize, Vec<f64>>,
    largest_step: f64,
}

/// The median level, and the median and the 90% quantile of the distance from the opponent's level.
struct LevelError {
    level: f64,
    median: f64,
    ninety: f64,
}

impl Tally {
    fn with(mut self, other: Tally) -> Tally {
        for (after, levels) in other.levels {
            self.levels.entry(after).or_default().extend(levels);
        }
        self.largest_step = self.largest_step.max(other.largest_step);
        self
    }

    fn level_error(&self, opponent: f64, after: usize) -> LevelError {
        let levels = &self.levels[&after];
        let away: Vec<f64> = levels.iter().map(|level| (level - opponent).abs()).collect();
        LevelError { level: median(levels), median: median(&away), ninety: quantile(&away, 0.9) }
    }
}

fn config() -> ImitatorConfig {
    ImitatorConfig { depth: DEPTH, ..ImitatorConfig::with_defaults(Aim::Equal) }
}

/// A broad prior with this mean.
fn broad_prior(mean: f64) -> OpponentKnowledge {
    let prior = OpponentKnowledge::new(&config().hypotheses(), None);
    OpponentKnowledge { belief: prior_of_mean(&config().hypotheses(), mean), ..prior }
}

fn opponent(elo: f64) -> StoppedDown {
    let ImitatorConfig { family, scale, .. } = config();
    let selector = Selector::new(Levels::built_in().curve(family, Elo(elo), scale));
    let profile = Profile::plain("", Skill::new(selector, DEPTH));
    StoppedDown { profile, seed: SEED, game: 0, explain: false }
}

/// Plays games one after another until the opponent has made `moves` moves. The opponent has White
/// in every other game.
fn play(
    tally: &mut Tally,
    elo: f64,
    prior: &OpponentKnowledge,
    moves: usize,
    number: u64,
    openings: &[Opening],
) {
    let mut imitator = ImitatorPlayer::new(config(), prior.clone());
    (imitator.seed, imitator.game) = (SEED + 1, number);
    let at_board = |player| Participant::new(EngineHost::new(Engine::built_in(1)), player);
    let mut us = at_board(Player::Imitator(Box::new(imitator)));
    let mut rival = at_board(Player::StoppedDown(Box::new(opponent(elo))));
    let (mut seen, mut round, mut last) = (0, 0, None);
    tally.levels.entry(0).or_default().push(prior.belief.mean());
    while seen < moves {
        let opening = &openings[(number * 13 + round / 2) as usize % openings.len()];
        let mut game = opening.game.clone();
        let own_turn = round % 2;
        if let (Player::Imitator(us), Player::StoppedDown(rival)) =
            (&mut us.player, &mut rival.player)
        {
            us.new_game();
            rival.game = number * 100 + round;
        }
        while game.ending().is_none() && game.ply() < MAX_PLIES && seen <= moves {
            let is_ours = game.ply() as u64 % 2 == own_turn;
            let player = if is_ours { &mut us } else { &mut rival };
            let (limits, controls) = (Limits::default(), Controls::new());
            let request = MoveRequest { game: &game, limits: &limits, controls: &controls };
            let decision = player.decide(&request, &mut NoObserver);
            game.play(decision.best.mv.expect("the game is not over"));
            if !is_ours {
                seen += 1;
                continue;
            }
            let Player::Imitator(us) = &us.player else { continue };
            let level = us.level().expect("the opponent has moved").0;
            let step = last.map_or(0.0, |last: f64| (level - last).abs());
            tally.largest_step = tally.largest_step.max(step);
            last = Some(level);
            if AFTER.contains(&seen) && seen > 0 {
                tally.levels.entry(seen).or_default().push(level);
            }
        }
        round += 1;
    }
}

fn matches(elo: f64, prior: &OpponentKnowledge, moves: usize) -> Tally {
    let openings = openings();
    let threads =
        std::env::var("IMITATOR_THREADS").map_or(1, |text| text.parse().expect("a number"));
    let share = |first: u64| {
        let mut tally = Tally::default();
        let numbers = (first..MATCHES).step_by(threads);
        numbers.for_each(|number| play(&mut tally, elo, prior, moves, number, &openings));
        tally
    };
    let share = &share;
    std::thread::scope(|scope| {
        let shares: Vec<_> =
            (0..threads as u64).map(|first| scope.spawn(move || share(first))).collect();
        shares
            .into_iter()
            .fold(Tally::default(), |sum, share| sum.with(share.join().expect("no panic")))
    })
}

/// Starting positions without the moves that led to them, because no player chose these moves.
fn openings() -> Vec<Opening> {
    let mut openings = Book::built_in().select(Order::Random(1), None, 999).expect("legal");
    for opening in &mut openings {
        opening.game = Game::new(opening.game.position().clone());
    }
    openings
}

/// Writes the table in `tuning/studies/imitator`.
#[test]
#[ignore = "plays for half an hour; writes tuning/studies/imitator/table.md"]
fn table() {
    let mut text = format!(
        "# How fast the imitator finds its opponent's level\n\n\
         Made by `cargo test --release --test choice imitator_match:: -- --ignored`, seed {SEED}. Each row is from \
         {MATCHES} matches with this engine's evaluations, both sides at p = {DEPTH}, levelled curve. The opponent \
         is Ep(c), with the c that the table of levels gives for the rating. A match consists of as many \
         games as it needs, from the built-in openings, with alternating colours.\n\n\
         | opponent | prior | opponent's moves | imitator's level, median | distance, median | distance, 90th percentile | largest step |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let rated = |elo| OpponentKnowledge::new(&config().hypotheses(), Some(Elo(elo)));
    let ImitatorConfig { family, scale, .. } = config();
    let (lowest, highest) = Levels::built_in().range(family, scale).into_inner();
    let mut shortfalls = Vec::new();
    for (elo, prior, is_rating_known) in [
        (lowest, broad_prior(lowest + 600.0), false),
        (1100.0, broad_prior(1700.0), false),
        (highest, broad_prior(highest - 600.0), false),
        (900.0, rated(900.0), true),
        (1300.0, rated(1300.0), true),
        (1700.0, rated(1700.0), true),
    ] {
        let moves = if is_rating_known { KNOWN_RATING_MOVES } else { AFTER[AFTER.len() - 1] };
        let tally = matches(elo, &prior, moves);
        let (mean, deviation) = (prior.belief.mean(), prior.belief.standard_deviation());
        let step = tally.largest_step;
        for &after in tally.levels.keys() {
            let LevelError { level, median, ninety } = tally.level_error(elo, after);
            text += &format!(
                "| {elo} | {mean:.0} +- {deviation:.0} | {after} | {level:.0} | {median:.0} | {ninety:.0} | {step:.0} |\n"
            );
            let most = match after {
                _ if is_rating_known => 150.0,
                40.. if after < 200 => 300.0,
                200.. => 150.0,
                _ => f64::INFINITY,
            };
            if median > most || step > MAX_STEP + 1e-9 {
                shortfalls.push(format!("{elo} after {after}: {median} away, a step of {step}"));
            }
        }
        write(&text);
    }
    assert!(shortfalls.is_empty(), "{}", shortfalls.join("\n"));
}

fn write(text: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/studies/imitator");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(format!("{folder}/table.md"), text).expect("the table can be written");
}
