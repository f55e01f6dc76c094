//! Measures the figures in the manual (`stopdown help figures`) again.
//!
//! ```sh
//! cargo bench --bench figures -- NAME...
//! ```
//!
//! Our engine and its peers search the same positions in turn, in the same run. Processor time is
//! measured, so that a busy machine affects all of them alike. The peers are the Debian packages
//! `ethereal-chess` and `stockfish`. `STOPDOWN_DATA` names the folder with test suites and games.
//! If a requirement is missing, the measurement reports it and continues without it.

#![expect(clippy::print_stdout, reason = "prints what it measures")]

mod analysis;
mod cache;
mod candidates;
#[path = "../common/mod.rs"]
mod common;
mod contestant;
mod matches;
#[path = "../common/mates.rs"]
mod mates;
#[path = "../common/measure.rs"]
mod measure;
mod opponents;
mod selection;
mod suites;
mod sums;

use contestant::{Contestant, EvaluatePipe};
use measure::{run_named, setting};
use stopdown::board::Position;
use stopdown::player::TableFolder;
use suites::Puzzle;
use sums::{Costs, RESOLUTION, geometric_mean};

/// The measurements, by name.
const FIGURES: [(&str, fn()); 14] = [
    ("all_moves", all_moves),
    ("analysis", analysis::analysis),
    ("arena", matches::arena),
    ("candidates", candidates::candidates),
    ("cache", cache::cache),
    ("elementary_mates", elementary_mates),
    ("imitation", selection::imitation),
    ("levels_at_any_time_control", matches::levels_at_any_time_control),
    ("opponents", opponents::opponents),
    ("selection", selection::selection),
    ("speed", speed),
    ("strategy", strategy),
    ("tactics", tactics),
    ("threads", threads),
];

/// Runs the named measurements. Together they take hours, so none runs by default.
fn main() {
    if !cfg!(target_os = "linux") {
        println!("Figures are measured on Linux only: processor time is read from /proc.");
        return;
    }
    run_named("cargo bench --bench figures", &FIGURES);
}

/// Standard chess positions with enough legal moves for the time to be measurable.
fn positions() -> Vec<&'static str> {
    let is_standard = |fen: &&str| {
        let castling = fen.split(' ').nth(2).expect("a FEN has six fields");
        castling.chars().all(|letter| "KQkq-".contains(letter))
    };
    let has_choice =
        |fen: &&str| Position::from_fen(fen, false).expect(fen).legal_moves().len() >= FEWEST_MOVES;
    let all = include_str!("../../src/cli/bench.epd").lines();
    all.filter(is_standard).filter(has_choice).collect()
}

const FEWEST_MOVES: usize = 15;

fn speed() {
    const DEPTH: u32 = 16;
    let own = std::iter::once(Contestant::own());
    let mut contestants: Vec<_> = own.chain(Contestant::peer("ethereal-chess")).collect();
    let mut totals = vec![(0.0, 0.0); contestants.len()];
    let mut ratios = vec![Vec::new(); contestants.len()];
    let positions = positions();
    for fen in &positions {
        let mut speeds = Vec::new();
        for (contestant, total) in contestants.iter_mut().zip(&mut totals) {
            let (answer, seconds) = contestant.search(fen, DEPTH);
            let last = answer.scored().last().copied().expect("the search prints a score");
            let nodes: f64 = common::word_after(last, " nodes ").parse().expect(last);
            *total = (total.0 + nodes, total.1 + seconds);
            speeds.push(nodes / seconds.max(RESOLUTION));
        }
        ratios.iter_mut().zip(&speeds).for_each(|(all, speed)| all.push(speeds[0] / speed));
    }
    println!("\nnodes per second of processor time, depth {DEPTH}, {} positions", positions.len());
    let first = totals[0].0 / totals[0].1;
    for ((contestant, (nodes, seconds)), ratios) in contestants.iter().zip(totals).zip(&ratios) {
        let (name, speed) = (&contestant.name, nodes / seconds);
        println!("{name:<24}{speed:>10.0}  ({nodes} nodes, {seconds:.1} s)");
        let mean = geometric_mean(ratios);
        println!("{:<24}{:>10.2}  (geometric mean {mean:.2})", "the first / this", first / speed);
    }
}

fn all_moves() {
    let mut peers: Vec<_> =
        ["ethereal-chess", "stockfish"].into_iter().filter_map(Contestant::peer).collect();
    peers.iter_mut().for_each(Contestant::show_all_moves);
    // Short searches are repeated, since processor time is counted in hundredths of a second.
    for (depth, rounds) in [(8, 3), (10, 1), (12, 1), (14, 1)] {
        all_moves_at(depth, rounds, &mut peers);
    }
}

fn all_moves_at(depth: u32, rounds: u32, peers: &mut [Contestant]) {
    let positions = positions();
    let mut own = EvaluatePipe::new(depth, 1);
    let mut shallow = EvaluatePipe::new(4, 1);
    let mut shallow_seconds = 0.0;
    let names = peers.iter().map(|peer| peer.name.as_str());
    let names = ["stopdown"].into_iter().chain(names);
    let mut costs: Vec<_> = names.map(Costs::new).collect();
    // A process's first search includes its memory allocation, so it is not measured.
    [&mut own, &mut shallow].into_iter().for_each(|pipe| drop(pipe.evaluate(positions[0])));
    for fen in &positions {
        let mut seconds = vec![0.0; costs.len()];
        for _ in 0..rounds {
            seconds[0] += own.evaluate(fen).processor;
            for (peer, seconds) in peers.iter_mut().zip(&mut seconds[1..]) {
                *seconds += peer.search(fen, depth).1;
            }
            shallow_seconds += shallow.evaluate(fen).processor;
        }
        for (costs, seconds) in costs.iter_mut().zip(seconds) {
            costs.add(seconds / f64::from(rounds));
        }
    }
    println!("\nprocessor time for all moves at depth {depth}, {} positions", positions.len());
    sums::print(&costs);
    let share = shallow_seconds / f64::from(rounds) / costs[0].sum();
    println!("depths 1 to 4 are {:.0}% of ours", 100.0 * share);
}

/// Compares two threads with one. On a busy machine, two threads get less than twice the processor
/// time of one. For comparison, two single-threaded processes that do the same work side by side
/// are measured too.
fn threads() {
    const DEPTH: u32 = 10;
    let [mut one, mut two, mut left, mut right] = [1, 2, 1, 1].map(|n| EvaluatePipe::new(DEPTH, n));
    let (mut alone, mut together, mut side_by_side) = (0.0, 0.0, 0.0);
    let positions = positions();
    for fen in &positions {
        let of_one = one.evaluate(fen);
        let of_two = two.evaluate(fen);
        let equal = of_one.json["moves"] == of_two.json["moves"];
        assert!(equal, "two threads give other values in {fen}");
        alone += of_one.wall;
        together += of_two.wall;
        let pair = std::thread::scope(|scope| {
            let pair = [&mut left, &mut right].map(|pipe| scope.spawn(|| pipe.evaluate(fen)));
            pair.map(|half| half.join().expect("the engine answers").wall)
        });
        side_by_side += pair.iter().sum::<f64>() / 2.0;
    }
    println!("\nall moves at depth {DEPTH}, {} positions; equal values", positions.len());
    println!("1 thread {alone:.2} s, 2 threads {together:.2} s: ratio {:.2}", alone / together);
    let ratio = side_by_side / together;
    println!("two processes of 1 thread at once {side_by_side:.2} s each: ratio {ratio:.2}");
}

fn tactics() {
    let Some(path) = suites::path("wac/wac-300.epd") else { return };
    let missed = solve("Win at Chess", &suites::puzzles(&path));
    println!("missed: {}", missed.join(", "));
}

fn strategy() {
    let Some(path) = suites::path("sts/STS1-STS15_LAN_v4.epd") else { return };
    // The suite has fifteen themes of a hundred positions.
    let sample: Vec<_> = suites::puzzles(&path).into_iter().step_by(15).collect();
    solve("strategic test suite, every 15th", &sample);
}

/// Gives each puzzle one second of processor time, or FIGURES_SECONDS. Returns the puzzles that
/// were missed.
fn solve(name: &str, puzzles: &[Puzzle]) -> Vec<String> {
    let seconds = setting("FIGURES_SECONDS", 1.0);
    let mut own = Contestant::own();
    let (mut solved, mut points, mut most) = (0, 0, 0);
    let mut missed = Vec::new();
    for puzzle in puzzles {
        let answer = own.choose(&puzzle.fen, seconds);
        let best = puzzle.answers.iter().map(|&(_, points)| points).max().unwrap_or(0);
        points += puzzle.points(&answer);
        most += best;
        if puzzle.points(&answer) == best {
            solved += 1;
        } else {
            missed.push(format!("{} {answer}", puzzle.name));
        }
    }
    println!("\n{name}, {seconds} s of processor time a move");
    println!("best move in {solved} of {}, {points} of {most} points", puzzles.len());
    missed
}

/// Plays a thousand positions, or FIGURES_POSITIONS, for each material signature. Tables are built
/// during play. A twentieth as many positions are played without tables.
fn elementary_mates() {
    let count = setting("FIGURES_POSITIONS", 1000);
    let tables = mates::reference();
    // Without tables, each move needs a search.
    let ways = [
        ("tables built during play", TableFolder::Memory, count),
        ("no tables", TableFolder::Off, count / 20),
    ];
    for (words, own, count) in ways {
        println!("\n{words}, {count} positions each, competences 0 to 50, wins kept");
        for name in mates::MATERIALS {
            let mut host = mates::host(own.clone(), 16);
            let starts = mates::won(&tables, name, count);
            let mates = mates::play(&tables, &mut host, &starts);
            let total: usize = mates.moves.iter().sum();
            println!(
                "{name:<5} mated {} of {}, moves {:.1} on average and {} at most, longest move {:.2} s",
                mates.moves.len(),
                mates.games,
                total as f64 / mates.moves.len().max(1) as f64,
                mates.moves.iter().max().unwrap_or(&0),
                mates.longest_thought.as_secs_f64(),
            );
            mates.failures.iter().take(3).for_each(|failure| println!("      {failure}"));
        }
    }
}
