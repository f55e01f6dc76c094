//! Measures how well a player's profile predicts the openings of later games, compared with the
//! level alone.
//!
//! The players are accounts whose entire game history is in the data (tag `CollectorSide`). None of
//! the networks was trained on their moves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stopdown::analyser::PlayedOpenings;
use stopdown::board::{Colour, Game};
use stopdown::evaluation::RootEvaluation;
use stopdown::games::pgn::{PgnGame, PgnStream, open_text};
use stopdown::player::{
    Elo, EloScale, Engine, Profile, Repertoire, Skill, TargetRating, distribution, rating_path,
};
use stopdown::policy::GameKind;
use stopdown::search::{Controls, EvaluationRequest, NoObserver};
use stopdown::selector::{Family, Selector};

use crate::common::data;
use crate::setting;

/// The number of plies to predict in each game.
const PLIES: usize = 15;
/// The number of each player's latest games to predict.
const TEST_GAMES: usize = 60;
/// The numbers of earlier games from which profiles are made.
const SOURCE_GAMES: [usize; 3] = [10, 40, 200];

/// A player's games of one kind, with the player's side in each.
type History = Vec<(PgnGame, Colour)>;

/// Sums over predicted moves.
#[derive(Clone, Copy, Default)]
struct Sums {
    moves: f64,
    /// The number of moves that were predicted as the most likely one.
    hits: f64,
    /// The probabilities of the played moves, and their negative logarithms.
    probability: f64,
    nats: f64,
}

impl Sums {
    fn add(&mut self, probabilities: &[f64], played: usize) {
        let likeliest = probabilities.iter().copied().fold(0.0, f64::max);
        let probability = probabilities[played];
        self.moves += 1.0;
        self.hits += f64::from(probability >= likeliest);
        self.probability += probability;
        self.nats -= probability.max(1e-9).ln();
    }

    fn print(&self, name: &str) {
        let Sums { moves, hits, probability, nats } = self;
        println!(
            "  {name:<26}{moves:>7}{:>17.1}{:>16.1}{:>9.3}",
            100.0 * hits / moves,
            100.0 * probability / moves,
            nats / moves
        );
    }
}

pub fn opponents() {
    let Some(folder) = data("games") else { return };
    let depth = setting("FIGURES_DEPTH", 6);
    println!(
        "\nfirst {PLIES} plies of the last {TEST_GAMES} games of a player, {depth} plies deep"
    );
    println!(
        "  {:<26}{:>7}{:>17}{:>16}{:>9}",
        "", "moves", "first choice %", "probability %", "nats"
    );
    let mut engine = Engine::built_in(16);
    let mut totals = [Sums::default(); SOURCE_GAMES.len() + 1];
    for ((name, class), mut history) in histories(&folder) {
        let Some(kind) = kind(&class) else { continue };
        let most = SOURCE_GAMES[SOURCE_GAMES.len() - 1];
        if history.len() < most + TEST_GAMES {
            continue;
        }
        history.sort_by_key(|(pgn, _)| played_at(pgn));
        let (source, test) = history.split_at(history.len() - TEST_GAMES);
        let ratings = source.iter().rev().take(most).filter_map(|(pgn, side)| pgn.rating(*side));
        let ratings: Vec<f64> = ratings.collect();
        let rating = ratings.iter().sum::<f64>() / ratings.len() as f64;
        let profiles = profiles(source, kind, rating, depth);
        let mut sums = [Sums::default(); SOURCE_GAMES.len() + 1];
        for (pgn, side) in test {
            let Ok(replayed) = pgn.replay(Some(PLIES)) else { continue };
            predict(&mut engine, &replayed, *side, &profiles, &mut sums);
        }
        println!("{name}, {class}, rated about {rating:.0}, {} games", history.len());
        print(&sums);
        for (total, sums) in totals.iter_mut().zip(sums) {
            total.moves += sums.moves;
            total.hits += sums.hits;
            total.probability += sums.probability;
            total.nats += sums.nats;
        }
    }
    println!("all players");
    print(&totals);
}

fn print(sums: &[Sums]) {
    sums[0].print("level alone");
    for (games, sums) in SOURCE_GAMES.iter().zip(&sums[1..]) {
        sums.print(&format!("profile from {games} games"));
    }
}

/// The level alone, and the profiles made from the last games before the tested ones.
fn profiles(source: &[(PgnGame, Colour)], kind: GameKind, rating: f64, depth: u8) -> Vec<Profile> {
    let family = Family::human(kind);
    let target = TargetRating::new(Elo(rating), Some(family), EloScale::of(family));
    let curve = rating_path::human_choice_curve(&target.curve());
    let level = Profile::plain("", Skill::new(Selector::new(curve), depth));
    let with_openings = SOURCE_GAMES.iter().map(|&games| {
        let mut openings = PlayedOpenings::default();
        for (pgn, side) in source.iter().rev().take(games) {
            if let Ok(game) = pgn.replay(None) {
                openings.add(&game, *side);
            }
        }
        let lines = openings.lines().concat();
        let repertoire = Repertoire::parse(lines.iter().map(String::as_str)).expect("our own");
        let mut profile = level.clone();
        profile.repertoire = Arc::new(repertoire);
        profile
    });
    let with_openings: Vec<Profile> = with_openings.collect();
    std::iter::once(level.clone()).chain(with_openings).collect()
}

/// Adds how well each profile predicts the moves of one side.
fn predict(
    engine: &mut Engine,
    replayed: &Game,
    side: Colour,
    profiles: &[Profile],
    sums: &mut [Sums],
) {
    let mut game = Game::new(replayed.start().clone());
    for &played in replayed.moves() {
        if game.position().turn() == side {
            let request = EvaluationRequest::depth(profiles[0].depth());
            let evaluation: RootEvaluation =
                engine.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
            let place = evaluation.moves.iter().position(|m| m.mv == played).expect("legal");
            for (profile, sums) in profiles.iter().zip(sums.iter_mut()) {
                let found = distribution(&game, &evaluation, profile, 0);
                sums.add(found.probabilities(), place);
            }
        }
        game.play(played);
    }
}

/// The games of every Lichess account whose history is in the data, by name and kind of game.
fn histories(folder: &Path) -> BTreeMap<(String, String), History> {
    let mut histories: BTreeMap<(String, String), History> = BTreeMap::new();
    for file in files(folder) {
        let text = open_text(&file, &Arc::default()).expect("the data can be read");
        for pgn in PgnStream::new(text).filter_map(Result::ok) {
            let side = match pgn.tag("CollectorSide") {
                Some("w") => Colour::White,
                Some("b") => Colour::Black,
                _ => continue,
            };
            let is_lichess = pgn.tag("Site").is_some_and(|site| site.contains("lichess"));
            let (Some(name), Some(class)) = (pgn.name(side), pgn.tag("TimeClass")) else {
                continue;
            };
            if is_lichess && pgn.moves.len() >= PLIES {
                let key = (name.to_owned(), class.to_owned());
                histories.entry(key).or_default().push((pgn, side));
            }
        }
    }
    histories
}

/// The data files that contain whole accounts.
fn files(folder: &Path) -> Vec<PathBuf> {
    let online = std::fs::read_dir(folder.join("online")).expect("the data can be read");
    let mut files: Vec<PathBuf> =
        online.map(|entry| entry.expect("it can be read").path()).collect();
    files.push(folder.join("people/online-collectors.pgn.zst"));
    files.sort();
    files
}

fn kind(class: &str) -> Option<GameKind> {
    match class {
        "rapid" => Some(GameKind::Rapid),
        "blitz" => Some(GameKind::Blitz),
        "bullet" => Some(GameKind::Bullet),
        _ => None,
    }
}

/// The date and time, which sort as text.
fn played_at(pgn: &PgnGame) -> String {
    let tag = |name| pgn.tag(name).unwrap_or_default();
    format!("{} {}", tag("Date"), tag("UTCTime"))
}
