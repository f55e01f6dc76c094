//! Speed and memory use of game analysis.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use stopdown::analyser::{EvaluatedGame, EvaluationConditions, Sides};
use stopdown::board::Game;
use stopdown::games::EvaluatorIdentity;
use stopdown::games::pgn::{PgnStream, PgnWriter};
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::Engine;
use stopdown::review::{
    EvaluationObserver, GamesError, GamesEvaluator, KnownEvaluations, PositionCounts,
    evaluate_games,
};
use stopdown::search::EvaluationRequest;

use crate::common::{Folder, program};
use crate::contestant::{Contestant, EvaluatePipe, processor_seconds};
use crate::{positions, setting};

/// The number of positions evaluated per second of processor time, compared with Stockfish in
/// MultiPV mode with as many lines as there are moves.
pub fn analysis() {
    let mut peer = Contestant::peer("stockfish");
    peer.iter_mut().for_each(Contestant::show_all_moves);
    let positions = positions();
    println!("\npositions per second and core, all moves, {} positions", positions.len());
    for depth in [8, 10] {
        let pipes =
            [EvaluatePipe::with(depth, 1, &[]), EvaluatePipe::with(depth, 1, &["--cap", "4"])];
        let mut seconds = BTreeMap::new();
        let mut add = |name: &'static str, of: f64| *seconds.entry(name).or_insert(0.0) += of;
        for (mut pipe, name) in pipes.into_iter().zip(["all exact", "cap of 4 pawns"]) {
            pipe.evaluate(positions[0]);
            positions.iter().for_each(|fen| add(name, pipe.evaluate(fen).processor));
        }
        if let Some(peer) = &mut peer {
            positions.iter().for_each(|fen| add("stockfish", peer.search(fen, depth).1));
        }
        for (name, seconds) in seconds {
            println!("depth {depth:>2}  {name:<16}{:>8.1}", positions.len() as f64 / seconds);
        }
    }
    let folder = Folder::new();
    reread_from_cache(&folder);
    memory(&folder);
}

/// Writes random games among a thousand players, each of whom meets the next.
fn random_games(path: &Path, count: usize) {
    let mut file = std::io::BufWriter::new(fs::File::create(path).expect("writable"));
    let games: Vec<Game> = (0..200).map(random_game).collect();
    for number in 0..count {
        let name = |shift: usize| format!("Player {}", (number + shift) % 1000);
        let tags = vec![("White", name(0)), ("Black", name(1)), ("WhiteElo", "2000".to_owned())];
        let game = &games[number % games.len()];
        write!(file, "{}", PgnWriter { tags, game, comments: vec![], result: "*" })
            .expect("writable");
    }
    file.flush().expect("writable");
}

fn random_game(number: u64) -> Game {
    let occasion = Occasion { seed: 1, game: number, ply: 0 };
    let mut stream = Stream::new(occasion, Purpose::Simulation);
    let mut game = Game::default();
    while game.ply() < 80 && game.ending().is_none() {
        let legal = game.position().legal_moves();
        game.play(legal[(stream.uniform() * legal.len() as f64) as usize]);
    }
    game
}

struct Count(u64);

impl EvaluationObserver for Count {
    fn positions(&mut self, counts: PositionCounts) {
        self.0 = counts.done;
    }
}

/// The number of positions per second of processor time when the evaluations come from the cache.
fn reread_from_cache(folder: &Folder) {
    let path = folder.path().join("again.pgn");
    random_games(&path, 200);
    let request = EvaluationRequest::depth(1);
    let evaluator = EvaluatorIdentity::new("a figure".to_owned());
    let file = folder.path().join("again.db");
    let mut known = KnownEvaluations::open(Some(&file), evaluator.clone()).expect("a new file");
    let sides = Sides::Both;
    let conditions = EvaluationConditions { request, evaluator, opening: 8, sides, sample: None };
    let mut seconds = 0.0;
    let mut count = Count(0);
    for _ in 0..2 {
        let start = processor_seconds(std::process::id());
        let text = BufReader::new(fs::File::open(&path).expect("it was written"));
        let games = PgnStream::new(text).map_while(Result::ok);
        let engines = vec![Engine::built_in(1)];
        let take = |_: EvaluatedGame| Ok::<(), GamesError>(());
        let evaluator = GamesEvaluator { engines, conditions: &conditions, known: &mut known };
        evaluate_games(games, evaluator, &mut count, take).expect("valid");
        known.commit().expect("writable");
        seconds = processor_seconds(std::process::id()) - start;
    }
    println!("from the cache       {:>8.0} positions a second", count.0 as f64 / seconds);
}

/// The peak memory of an analysis of 100,000 games, or of FIGURES_GAMES games.
fn memory(folder: &Folder) {
    let games = setting("FIGURES_GAMES", 100_000);
    random_games(&folder.path().join("many.pgn"), games);
    let words =
        ["analyse", "many.pgn", "--depth", "1", "--threads", "2", "--store", "many.db", "--json"];
    let mut command = program(folder, &words);
    let output = fs::File::create(folder.path().join("many.jsonl")).expect("writable");
    let start = Instant::now();
    let mut child = command.stdout(output).spawn().expect("the program starts");
    let mut most = 0;
    while child.try_wait().expect("the child process").is_none() {
        most = most.max(peak_memory(child.id()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{games} games at depth 1: {} MiB at most, {seconds:.0} s", most >> 10);
}

/// The peak memory of a process, in KiB.
fn peak_memory(id: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
