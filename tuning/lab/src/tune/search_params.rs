//! Tunes the search parameters to a network by playing games.
//!
//! The method is simultaneous perturbation (J. C. Spall, "Multivariate Stochastic Approximation
//! Using a Simultaneous Perturbation Gradient Approximation", IEEE Transactions on Automatic
//! Control 37, 1992). All parameters are moved by one step at the same time, each randomly up or
//! down. The resulting player plays two games against the player with the opposite perturbation,
//! from the same opening and with colours reversed. All parameters then move slightly towards the
//! winner. One result reveals almost nothing about a single parameter, but it carries information
//! about all of them.
//!
//! The step sizes and the rate stay constant, so more games can be added later. The result is the
//! mean over the second half of the path (B. T. Polyak and A. B. Juditsky, "Acceleration of
//! Stochastic Approximation by Averaging", 1992).

use std::path::Path;
use std::sync::Arc;

use clap::builder::RangedU64ValueParser;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::selfplay::{opening, play_out, think};
use super::{TuningError, maker, random_stream, set_aside, write};
use stopdown::board::{Colour, Game};
use stopdown::cli::support::value_parsers;
use stopdown::eval::{Evaluator, NUMBERS, Network, SPANS, SearchParams};
use stopdown::files::read_if_there;
use stopdown::math::outcomes::Pentanomial;
use stopdown::search::Searcher;
use stopdown::threads::share_out;

/// The settings of the tuning. Only complete batches of pairs are played.
#[derive(Clone, Debug, clap::Args)]
pub struct ParameterSearch {
    /// Number of pairs of games, rounded up to a multiple of 20 except with --compare; in each pair,
    /// one opening is played with both colours
    #[arg(long, default_value_t = 10_000, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub pairs: usize,
    /// Nodes per move
    #[arg(long, default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    pub nodes: u64,
    /// Seed for the openings and the random changes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of steps by which parameters move towards a player that wins both games of a pair
    #[arg(long, default_value_t = 0.02, value_parser = value_parsers::part::<f64>)]
    pub rate: f64,
    /// Number of pairs to play at once; does not affect the result
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub threads: usize,
}

/// The hash size of each player in MiB.
const HASH: usize = 4;

/// The number of pairs that start from the same parameters.
const BATCH: usize = 20;

/// Increment this when a change to the code makes the same options give a different result.
const VERSION: u32 = 1;

/// The path of the parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterPath {
    maker: String,
    /// The parameters after every batch, starting with the initial ones.
    // The name in the files of earlier versions.
    #[serde(rename = "stations")]
    pub points: Vec<Vec<f64>>,
}

/// Observes the games of a tuning run.
pub trait PairObserver {
    /// Called if the run in an existing file could not be continued, with the name to which the file was moved.
    fn set_aside(&mut self, path: &Path);
    /// Called with the number of pairs played so far.
    fn batch_finished(&mut self, pairs: usize);
}

impl ParameterPath {
    /// The result: the mean over the second half of the path.
    pub fn found(&self) -> SearchParams {
        let half = &self.points[self.points.len() / 2..];
        let mean =
            |index: usize| half.iter().map(|point| point[index]).sum::<f64>() / half.len() as f64;
        SearchParams::of_numbers(std::array::from_fn(|index| mean(index).round() as i32))
    }

    pub fn pairs(&self) -> usize {
        (self.points.len() - 1) * BATCH
    }

    fn begin(search: &ParameterSearch, network: &Network) -> ParameterPath {
        let numbers = network.search_params().numbers();
        // All settings on which the path depends, except the number of pairs.
        let ParameterSearch { nodes, seed, rate, .. } = search;
        let how = format_args!(
            "{nodes} nodes a move, seed {seed}, rate {rate}, way of version {VERSION}"
        );
        ParameterPath { maker: maker(network, how), points: vec![numbers.map(f64::from).to_vec()] }
    }

    /// Reads the path from a file, if its options match.
    fn read(path: &Path, initial: &ParameterPath) -> Result<Option<ParameterPath>, TuningError> {
        let bytes = read_if_there(path).map_err(TuningError::file("read", path))?;
        let found: Option<ParameterPath> = serde_json::from_slice(&bytes).ok();
        let is_whole = |found: &ParameterPath| {
            found.maker == initial.maker
                && found.points.first() == initial.points.first()
                && found.points.iter().all(|point| point.len() == SPANS.len())
        };
        Ok(found.filter(is_whole))
    }

    /// The parameters after the next batch.
    fn next(&self, search: &ParameterSearch, network: &Network) -> Vec<f64> {
        let here = self.points.last().map_or(&[][..], |point| point);
        let results = share_out(BATCH, search.threads, |index| {
            let mut random = random_stream(search.seed, (self.pairs() + index) as u64);
            let sides: [f64; NUMBERS] =
                std::array::from_fn(|_| if random.random() { 1.0 } else { -1.0 });
            let at = |direction: f64| {
                SearchParams::of_numbers(std::array::from_fn(|index| {
                    let step = f64::from(SPANS[index].step);
                    (here[index] + direction * sides[index] * step).round() as i32
                }))
            };
            let points = play_pair(network, [&at(1.0), &at(-1.0)], search.nodes, &mut random);
            (sides, points as f64 / 2.0 - 1.0)
        });
        let mut next = here.to_vec();
        for (sides, lead) in results {
            for ((number, span), side) in next.iter_mut().zip(SPANS).zip(sides) {
                *number += search.rate * lead * side * f64::from(span.step);
            }
        }
        for (number, span) in next.iter_mut().zip(SPANS) {
            *number = number.clamp(f64::from(span.least), f64::from(span.most));
        }
        next
    }
}

/// Starts a path at the network's own parameters, or continues an earlier run. Writes the file
/// after every batch.
pub fn find(
    search: &ParameterSearch,
    network: &Network,
    path: &Path,
    observer: &mut dyn PairObserver,
) -> Result<ParameterPath, TuningError> {
    let initial = ParameterPath::begin(search, network);
    let mut tuned = match ParameterPath::read(path, &initial)? {
        Some(tuned) => tuned,
        None => {
            set_aside(path)?.into_iter().for_each(|aside| observer.set_aside(&aside));
            initial
        }
    };
    observer.batch_finished(tuned.pairs());
    while tuned.pairs() < search.pairs {
        tuned.points.push(tuned.next(search, network));
        let text = serde_json::to_vec(&tuned).expect("numbers can be written");
        write(path, &text)?;
        observer.batch_finished(tuned.pairs());
    }
    Ok(tuned)
}

/// Plays one set of parameters against another, with openings that were not used for tuning.
pub fn compare(
    search: &ParameterSearch,
    network: &Network,
    [ours, theirs]: [&SearchParams; 2],
    observer: &mut dyn PairObserver,
) -> Pentanomial {
    let mut outcomes = Pentanomial::default();
    let mut done = 0;
    while done < search.pairs {
        let count = BATCH.min(search.pairs - done);
        let points = share_out(count, search.threads, |index| {
            let mut random = random_stream(!search.seed, (done + index) as u64);
            play_pair(network, [ours, theirs], search.nodes, &mut random)
        });
        points.into_iter().for_each(|points| outcomes.0[points] += 1);
        done += count;
        observer.batch_finished(done);
    }
    outcomes
}

/// The number of half points that the first player scores in two games with the same opening.
fn play_pair(
    network: &Network,
    params: [&SearchParams; 2],
    nodes: u64,
    random: &mut ChaCha8Rng,
) -> usize {
    let mut searchers = params.map(|params| {
        Searcher::new(Arc::new(network.clone().with_search_params(params.clone())), HASH)
    });
    let start = opening(random, nodes, &mut searchers[0]);
    let mut points = 0;
    for white in 0..2 {
        searchers.iter_mut().for_each(Searcher::clear);
        let choose = |game: &Game| {
            let is_white = game.position().turn() == Colour::White;
            think(game, nodes, &mut searchers[if is_white { white } else { 1 - white }])
        };
        let outcome = play_out(start.clone(), choose, |_, _, _| ());
        points += outcome.half_points(if white == 0 { Colour::White } else { Colour::Black });
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: ParameterSearch =
        ParameterSearch { pairs: 60, nodes: 4000, seed: 1, rate: 0.02, threads: 2 };

    struct NoObserver;

    impl PairObserver for NoObserver {
        fn set_aside(&mut self, _: &Path) {}
        fn batch_finished(&mut self, _: usize) {}
    }

    #[test]
    fn equal_players_score_equally_on_every_opening_and_a_bad_one_loses() {
        let network = Network::embedded();
        let search = ParameterSearch { pairs: 6, nodes: 150, ..SEARCH };
        let usual = network.search_params();
        let outcomes = compare(&search, &network, [usual, usual], &mut NoObserver);
        assert_eq!(outcomes.0, [0, 0, 6, 0, 0]);
        // A player that prunes nearly everything finds nothing.
        let blind =
            SearchParams { late_moves: 100, late_moves_by_depth: 20, futility: 0, ..usual.clone() };
        let blind = SearchParams { futility_by_depth: 10, reverse_futility: 10, ..blind };
        let search = ParameterSearch { pairs: 20, ..search };
        let outcomes = compare(&search, &network, [usual, &blind], &mut NoObserver);
        assert!(outcomes.score() > 0.5, "{outcomes:?}");
    }

    #[test]
    fn the_result_is_the_mean_of_the_second_half() {
        let network = Network::embedded();
        let start = network.search_params().numbers().map(f64::from);
        let point = |more: f64| start.iter().map(|number| number + more).collect::<Vec<f64>>();
        let path = ParameterPath {
            points: [0.0, 50.0, 2.0, 4.0].map(point).to_vec(),
            ..ParameterPath::begin(&SEARCH, &network)
        };
        assert_eq!(path.found().deeper, network.search_params().deeper + 3);
        assert_eq!(path.pairs(), 60);
    }
}
