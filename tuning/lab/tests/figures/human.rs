//! Measures how well the curve `human` predicts moves in games on which neither the policy network
//! nor the curve was trained, and whether its style resembles human play.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::common::data;
use crate::setting;
use stopdown::board::{Game, Position, Role};
use stopdown::eval::Network;
use stopdown::games::pgn::{PgnGame, PgnStream, open_text};
use stopdown::player::Perception;
use stopdown::policy::{GameKind, PolicyConditions, PolicyNetwork};
use stopdown::search::{Controls, EvaluationRequest, NoObserver, Searcher};
use stopdown::selector::human::Human;
use stopdown::selector::{Competence, Curve, Distribution, Family, Selector, Values};
use stopdown_lab::tune::choices::{fingerprint_of, is_test_game};

/// The number of opening plies to skip.
pub const OPENING: usize = 14;
/// The minimum time on the clock, in seconds.
pub const MIN_CLOCK: u32 = 30;

struct Band {
    name: &'static str,
    pool: GameKind,
    ratings: (u16, u16),
    /// Prefixes of the file names within the folder of games.
    files: &'static [&'static str],
}

const BANDS: [Band; 4] = [
    Band {
        name: "A  blitz 1200-1600",
        pool: GameKind::Blitz,
        ratings: (1200, 1600),
        files: &["online/lichess-blitz-1"],
    },
    Band {
        name: "B  blitz 1800-2000",
        pool: GameKind::Blitz,
        ratings: (1800, 2000),
        files: &["online/lichess-blitz-1", "online/lichess-blitz-2"],
    },
    Band {
        name: "C  board 2000-2200",
        pool: GameKind::Board,
        ratings: (2000, 2200),
        files: &["otb/otbm-20", "otb/otbm-21", "otb/otbm-22"],
    },
    Band {
        name: "D  board 2550-2650",
        pool: GameKind::Board,
        ratings: (2550, 2650),
        files: &["otb/otb-25", "otb/otb-26"],
    },
];

/// A move chosen by a human.
struct Chosen {
    before: Game,
    index: usize,
    rating: f64,
}

/// Sums over choices.
#[derive(Default)]
struct Sums {
    count: f64,
    nats: f64,
    nats_squared: f64,
    right: f64,
    predicted: f64,
    policy: f64,
    levelled: f64,
    /// The traits in [`TRAITS`]: first those of human moves, then those that the curve predicts.
    traits: [[f64; TRAITS.len()]; 2],
}

const TRAITS: [&str; 7] =
    ["captures", "checks", "pawns", "pieces", "king", "lost pawns", "blunders"];
/// A move that loses at least this many pawns, compared with the best move, is a blunder.
const BLUNDER: f64 = 1.5;

fn games(folder: &Path, starts: &[&str]) -> Vec<PgnGame> {
    let mut names = Vec::new();
    for sub in ["online", "otb"] {
        let entries = std::fs::read_dir(folder.join(sub)).expect("the folder of games is there");
        names.extend(entries.map(|entry| entry.expect("it can be read").path()));
    }
    names.sort();
    let fits = |path: &&std::path::PathBuf| {
        let below = path.strip_prefix(folder).expect("it is below").to_string_lossy().into_owned();
        starts.iter().any(|start| below.starts_with(start))
    };
    let read = |path: &std::path::PathBuf| {
        let text = open_text(path, &Arc::default()).expect("it can be opened");
        PgnStream::new(text).filter_map(Result::ok).collect::<Vec<_>>()
    };
    names.iter().filter(fits).flat_map(read).collect()
}

/// The choices in a game that belong to a band.
fn choices_of(pgn: &PgnGame, band: &Band) -> Vec<Chosen> {
    let Ok(game) = pgn.replay(None) else { return Vec::new() };
    if !is_test_game(fingerprint_of(&game)) || pgn.kind() != Some(band.pool) {
        return Vec::new();
    }
    let rating = |tag| pgn.tag(tag).and_then(|text| text.trim().parse::<u16>().ok());
    let ratings = [rating("WhiteElo"), rating("BlackElo")];
    let collector = pgn.tag("CollectorSide").unwrap_or("");
    let mut before = Game::new(game.start().clone());
    let mut found = Vec::new();
    for (ply, &mv) in game.moves().iter().enumerate() {
        let is_white = before.position().turn().is_white();
        let rating = ratings[usize::from(!is_white)].unwrap_or(0);
        let moves = before.position().legal_moves();
        let clock = ply.checked_sub(2).and_then(|at| pgn.clocks[at]);
        let fits = ply >= OPENING
            && (band.ratings.0..band.ratings.1).contains(&rating)
            && clock.is_none_or(|clock| clock >= MIN_CLOCK)
            && !collector.starts_with(if is_white { 'w' } else { 'b' })
            && moves.len() > 1;
        if fits && let Some(index) = moves.iter().position(|&legal| legal == mv) {
            found.push(Chosen { before: before.clone(), index, rating: f64::from(rating) });
        }
        before.play(mv);
    }
    found
}

/// The traits of every move in a position.
fn traits(position: &Position, values: &[f64], best: f64) -> Vec<[f64; TRAITS.len()]> {
    let moves = position.legal_moves();
    let of = |(&mv, &value): (&stopdown::board::Move, &f64)| {
        let is = |role: &[Role]| f64::from(u8::from(role.contains(&mv.role())));
        let lost = best - value;
        [
            f64::from(u8::from(mv.is_capture())),
            f64::from(u8::from(position.after(mv).in_check())),
            is(&[Role::Pawn]),
            is(&[Role::Knight, Role::Bishop, Role::Rook, Role::Queen]),
            is(&[Role::King]),
            lost.min(5.0),
            f64::from(u8::from(lost >= BLUNDER)),
        ]
    };
    moves.iter().zip(values).map(of).collect()
}

impl Sums {
    fn add(&mut self, chosen: &Chosen, pool: GameKind, searcher: &mut Searcher<Network>) {
        let Chosen { before, index, rating } = chosen;
        let depth = Human::built_in().depth(pool);
        let request = EvaluationRequest::depth(depth);
        let evaluation = searcher.evaluate(before, &request, &Controls::new(), &mut NoObserver);
        let legal = before.position().legal_moves();
        let mv = legal[*index];
        let place = evaluation.moves.iter().position(|m| m.mv == mv).expect("it is legal");
        let family = Family::human(pool);
        let one = Competence::new(1.0).expect("a number");
        let curve = Curve::new(family, one, *rating).expect("a rating");
        let values = Perception { depth, family, ratings: &[*rating] }.values(before, &evaluation);
        let distribution = Selector::new(curve).distribution(&values);
        let nats = -distribution.ln_probability(place);
        let top = (0..distribution.len())
            .max_by(|&a, &b| distribution.probability(a).total_cmp(&distribution.probability(b)))
            .expect("there are moves");
        let alone = Values::of(&evaluation, depth);
        let levelled = Selector::new(Curve::levelled(Competence::new(6.0).expect("a number")));
        self.count += 1.0;
        self.nats += nats;
        self.nats_squared += nats * nats;
        self.right += f64::from(u8::from(top == place));
        self.predicted += distribution.probability(top);
        let network = PolicyNetwork::built_in().expect("tests are built with it");
        self.policy -=
            network.ln_shares(before, PolicyConditions { rating: *rating, pool })[*index];
        self.levelled -= levelled.distribution(&alone).ln_probability(place);
        self.compare(before.position(), *index, &evaluation, &distribution);
    }

    fn compare(
        &mut self,
        position: &Position,
        index: usize,
        evaluation: &stopdown::evaluation::RootEvaluation,
        distribution: &Distribution,
    ) {
        let legal = position.legal_moves();
        let by_move: HashMap<_, _> =
            evaluation.moves.iter().enumerate().map(|(at, m)| (m.mv, at)).collect();
        let at = |mv| by_move[mv];
        let values: Vec<f64> =
            legal.iter().map(|mv| evaluation.moves[at(mv)].value().pawns()).collect();
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let all = traits(position, &values, best);
        for (trait_, played) in all[index].iter().enumerate() {
            self.traits[0][trait_] += played;
            let expected = legal
                .iter()
                .zip(&all)
                .map(|(mv, all)| distribution.probability(at(mv)) * all[trait_]);
            self.traits[1][trait_] += expected.sum::<f64>();
        }
    }
}

/// Compares the moves of humans with those that the curve predicts.
pub fn choices() {
    let Some(folder) = data("games") else { return };
    let most: usize = setting("FIGURES_CHOICES", 400);
    println!("\nnats per move, at most {most} choices per band");
    println!(
        "{:<20}{:>16}{:>8}{:>10}{:>8}{:>8}",
        "band", "human", "policy", "levelled", "first", "expects"
    );
    let mut found = Vec::new();
    for band in &BANDS {
        let games = games(&folder, band.files);
        let mut choices: Vec<Chosen> = games.iter().flat_map(|pgn| choices_of(pgn, band)).collect();
        // The choices are spread evenly over all games.
        let step = choices.len().div_ceil(most).max(1);
        choices = choices.into_iter().step_by(step).collect();
        let mut searcher = Searcher::new(Arc::new(Network::embedded()), 16);
        let mut sums = Sums::default();
        choices.iter().for_each(|chosen| sums.add(chosen, band.pool, &mut searcher));
        let n = sums.count;
        let mean = sums.nats / n;
        let error = ((sums.nats_squared / n - mean * mean) / n).sqrt();
        println!(
            "{:<20}{:>8.3} +- {error:.3}{:>8.3}{:>10.3}{:>6.1}%{:>6.1}%",
            band.name,
            mean,
            sums.policy / n,
            sums.levelled / n,
            100.0 * sums.right / n,
            100.0 * sums.predicted / n
        );
        found.push((band.name, sums));
    }
    println!("\nper 100 moves: played by humans, expected by the curve");
    println!("{:<20}{}", "band", TRAITS.map(|name| format!("{name:>15}")).concat());
    for (name, sums) in &found {
        let pair = |i: usize| {
            let [played, expected] = [0, 1].map(|group| 100.0 * sums.traits[group][i] / sums.count);
            format!("{:>15}", format!("{played:.1} {expected:.1}"))
        };
        println!("{name:<20}{}", (0..TRAITS.len()).map(pair).collect::<String>());
    }
}

/// Compares the first moves in a group of games with those that the policy network predicts.
pub fn openings() {
    let Some(folder) = data("games") else { return };
    let groups: [(&str, GameKind, f64, &[&str]); 3] = [
        ("1200, blitz", GameKind::Blitz, 1200.0, &["online/lichess-blitz-1"]),
        ("2000, board", GameKind::Board, 2000.0, &["otb/otbm-"]),
        ("2600, board", GameKind::Board, 2600.0, &["otb/otb-2"]),
    ];
    for (name, pool_, rating, files) in groups {
        for first in [&[][..], &["e2e4"], &["d2d4"]] {
            let game = Game::from_uci(None, first.iter().copied(), false).expect("legal");
            let mut counts: HashMap<String, f64> = HashMap::new();
            for pgn in games(&folder, files) {
                let side = if first.is_empty() { "WhiteElo" } else { "BlackElo" };
                let elo = pgn.tag(side).and_then(|text| text.trim().parse::<f64>().ok());
                let Some(replayed) = pgn.replay(Some(first.len() + 1)).ok() else { continue };
                let begins = replayed.moves().iter().zip(game.moves()).all(|(a, b)| a == b);
                let last = replayed.moves().get(first.len());
                if let (Some(elo), Some(&mv)) = (elo, last)
                    && begins
                    && (elo - rating).abs() <= 100.0
                    && pgn.kind() == Some(pool_)
                {
                    *counts.entry(game.position().uci(mv)).or_default() += 1.0;
                }
            }
            let network = PolicyNetwork::built_in().expect("tests are built with it");
            let shares = network.ln_shares(&game, PolicyConditions { rating, pool: pool_ });
            let legal = game.position().legal_moves();
            let mut rows: Vec<(String, f64, f64)> = legal
                .iter()
                .zip(&shares)
                .map(|(&mv, share)| {
                    let uci = game.position().uci(mv);
                    let count = counts.get(&uci).copied().unwrap_or(0.0);
                    (uci, count, share.exp())
                })
                .collect();
            rows.sort_by(|a, b| b.1.total_cmp(&a.1));
            let total: f64 = counts.values().sum::<f64>().max(1.0);
            let words: Vec<String> = rows
                .iter()
                .take(6)
                .map(|(uci, count, share)| {
                    format!("{uci} {:.0} {:.0}", 100.0 * count / total, 100.0 * share)
                })
                .collect();
            println!(
                "{name:<12} after {:<6} {total:>6} games; per 100, humans and the policy network: {}",
                first.join(" "),
                words.join(", ")
            );
        }
    }
}
