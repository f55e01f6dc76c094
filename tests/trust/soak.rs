//! Game after game between engines that are not restarted: no engine loses on time or by an illegal
//! move, and no process keeps growing or leaks file handles.
//!
//! By default, a few short games are played at a fixed depth. They are played one after another, so
//! that each player plays enough games to be measured. In a long run, games have a clock of 1 s +
//! 0.01 s, four games run at the same time, and the run resumes where the last one stopped:
//!
//! ```text
//! STOPDOWN_TRUST_GAMES=10000 cargo test --release --test trust games -- --nocapture
//! ```

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use stopdown::board::{Colour, Game, Move};

use crate::campaign::{from_env, progress_folder};
use crate::common::{Engine, word_after};

/// The players, configured as a GUI would configure them.
const PLAYERS: [&[&str]; 7] = [
    &["UCI_LimitStrength value true", "UCI_Elo value 800"],
    &["UCI_LimitStrength value true", "UCI_Elo value 1500"],
    &["UCI_LimitStrength value true", "UCI_Elo value 2300"],
    &["Competence value 700"],
    &["Imitator value true"],
    &["Ponder value true"],
    &["Profile value club"],
];
/// The player that ponders.
const PONDERER: usize = 5;

const TIME: Duration = Duration::from_secs(1);
const INCREMENT: Duration = Duration::from_millis(10);
/// The time that communication may add to a move.
const OVERHEAD: Duration = Duration::from_millis(250);
const MAX_PLIES: usize = 300;
/// The number of plies after which the games of a short run end, before the engines build
/// tablebases for the ending.
const SHORT_RUN_PLIES: usize = 60;

/// The maximum number of bytes by which a process may grow after its first games. It caches blocks
/// of endgame tables, and builds tables during games. In a long run, a leak in every game would
/// exceed this limit.
const MAX_GROWTH: u64 = 64 << 20;

#[test]
fn endless_games_leak_nothing() {
    let long = from_env::<usize>("STOPDOWN_TRUST_GAMES");
    let (games, at_once) = (long.unwrap_or(8), if long.is_some() { 4 } else { 1 });
    let done = progress_folder("soak.jsonl");
    let text = long.and_then(|_| fs::read_to_string(&done).ok()).unwrap_or_default();
    let played: HashSet<usize> = text.lines().filter_map(number_of).collect();
    let before = played.iter().filter(|&&number| number < games).count();
    let mut file = long.map(|_| {
        OpenOptions::new()
            .append(true)
            .create(true)
            .open(&done)
            .expect("the build folder is writable")
    });
    let next = AtomicUsize::new(0);
    let finished = Mutex::new(before);
    let start = Instant::now();
    let (sender, results) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            let (sender, next, played) = (sender.clone(), &next, &played);
            scope.spawn(move || {
                let mut pool = EnginePool::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= games {
                        return;
                    }
                    if played.contains(&number) {
                        continue;
                    }
                    let line = pool.play(number, long.is_some());
                    sender.send(line).expect("the receiver is open");
                }
            });
        }
        drop(sender);
        for line in results {
            if let Some(file) = &mut file {
                writeln!(file, "{line}").expect("it can be written");
            }
            let mut finished = finished.lock().expect("the lock is not poisoned");
            *finished += 1;
            if long.is_some() && finished.is_multiple_of(50) {
                let seconds = start.elapsed().as_secs();
                println!(
                    "{finished} of {games} games, {} in {seconds} s, no forfeit",
                    *finished - before
                );
            }
        }
    });
    assert_eq!(*finished.lock().expect("the lock is not poisoned"), games);
}

/// The number of a completed game, read from its line. Returns `None` if the line is truncated.
fn number_of(line: &str) -> Option<usize> {
    let game: serde_json::Value = serde_json::from_str(line).ok()?;
    usize::try_from(game["game"].as_u64()?).ok()
}

/// The engines that a thread uses, each started when it is first needed, and their hash sizes.
#[derive(Default)]
struct EnginePool {
    engines: BTreeMap<usize, Engine>,
    sizes: BTreeMap<usize, Vec<Size>>,
}

/// The resources of a process.
#[derive(Clone, Copy, Debug)]
struct Size {
    memory: u64,
    files: usize,
}

impl EnginePool {
    /// Plays a game and returns a line about it.
    fn play(&mut self, number: usize, on_clock: bool) -> String {
        let pairs = PLAYERS.len() * (PLAYERS.len() - 1);
        let (white, other) = (number % pairs / (PLAYERS.len() - 1), number % (PLAYERS.len() - 1));
        let black = if other >= white { other + 1 } else { other };
        for player in [white, black] {
            let engine = self.engines.entry(player).or_insert_with(|| start_engine(player));
            engine.send(&format!("setoption name Seed value {}\nucinewgame", number + 1));
            let _ = engine.sync();
        }
        let mut running =
            SoakGame { game: Game::default(), clocks: [TIME; 2], expected: [None; 2] };
        let players = [white, black];
        let most_plies = if on_clock { MAX_PLIES } else { SHORT_RUN_PLIES };
        while running.game.ending().is_none() && running.game.ply() < most_plies {
            let side = usize::from(running.game.position().turn() == Colour::Black);
            let engine = self.engines.get_mut(&players[side]).expect("it was started");
            running.turn(engine, side, players[side] == PONDERER, on_clock, number);
        }
        for (side, player) in players.into_iter().enumerate() {
            let engine = self.engines.get_mut(&player).expect("it was started");
            if running.expected[side].take().is_some() {
                engine.send("stop");
                engine.answer();
            }
            let _ = engine.sync();
            self.measure(player);
        }
        let memory = players.map(|player| {
            self.sizes
                .get(&player)
                .and_then(|sizes| sizes.last())
                .map_or(0, |size| size.memory >> 20)
        });
        let ending = running.game.ending().map_or("cut short".to_owned(), |e| format!("{e:?}"));
        let plies = running.game.ply();
        format!(
            "{{\"game\":{number},\"white\":{white},\"black\":{black},\"plies\":{plies},\"mebibytes\":{memory:?},\"ending\":\"{ending}\"}}"
        )
    }

    /// Asserts that a process does not grow from game to game or leak open files.
    fn measure(&mut self, player: usize) {
        let id = self.engines[&player].id();
        let Some(size) = size_of_process(id) else { return };
        let sizes = self.sizes.entry(player).or_default();
        sizes.push(size);
        // The first games fill tables and histories.
        let Some(early) = sizes.get(4) else { return };
        let what = format!("player {player} after {} games: {early:?}, then {size:?}", sizes.len());
        assert!(size.memory <= early.memory + MAX_GROWTH, "{what}");
        assert!(size.files <= early.files, "{what}");
    }
}

fn start_engine(player: usize) -> Engine {
    let mut engine = Engine::start();
    for option in PLAYERS[player] {
        engine.send(&format!("setoption name {option}"));
    }
    let output = engine.drain();
    assert!(!output.iter().any(|line| line.contains("no option")), "{output:?}");
    engine
}

/// A running game.
struct SoakGame {
    game: Game,
    clocks: [Duration; 2],
    /// For each side, the move on which it is pondering.
    expected: [Option<Move>; 2],
}

impl SoakGame {
    fn turn(
        &mut self,
        engine: &mut Engine,
        side: usize,
        ponders: bool,
        on_clock: bool,
        number: usize,
    ) {
        let (start, kept_before) = (Instant::now(), time_without_processor(engine.id()));
        let search = match self.expected[side].take() {
            Some(mv) if self.game.moves().last() == Some(&mv) => {
                engine.send("ponderhit");
                engine.answer()
            }
            other => {
                if other.is_some() {
                    engine.send("stop");
                    engine.answer();
                }
                engine.send(&position(&self.game, None));
                engine.go(&self.limits(on_clock))
            }
        };
        // The time spent waiting for a processor is not the engine's fault.
        let kept = time_without_processor(engine.id()).saturating_sub(kept_before);
        let used = start.elapsed().saturating_sub(kept);
        let answer = search.0.last().expect("an answer").clone();
        let mv = self.game.position().parse_uci(word_after(&answer, "bestmove"));
        let mv = mv.unwrap_or_else(|error| panic!("game {number}: {error}: {search:?}"));
        if on_clock {
            let left = (self.clocks[side] + OVERHEAD).checked_sub(used);
            let left =
                left.unwrap_or_else(|| panic!("game {number}: {used:?} of {:?}", self.clocks));
            self.clocks[side] = left.saturating_sub(OVERHEAD) + INCREMENT;
        }
        self.game.play(mv);
        let foreseen = answer.split_whitespace().nth(3).filter(|_| ponders && on_clock);
        let reply = foreseen.and_then(|word| self.game.position().parse_uci(word).ok());
        if let Some(reply) = reply {
            engine.send(&position(&self.game, Some(reply)));
            engine.send(&format!("go ponder {}", self.limits(true)));
            self.expected[side] = Some(reply);
        }
    }

    fn limits(&self, on_clock: bool) -> String {
        let [white, black] = self.clocks.map(|clock| clock.as_millis());
        let increment = INCREMENT.as_millis();
        match on_clock {
            true => format!("wtime {white} btime {black} winc {increment} binc {increment}"),
            // Players that use a clock have more than enough time.
            false => "depth 3 wtime 600000 btime 600000".to_owned(),
        }
    }
}

/// The command that sets up a game. It includes the move on which the engine ponders, if any.
fn position(game: &Game, expected: Option<Move>) -> String {
    let mut words = "position startpos moves".to_owned();
    let mut position = game.start().clone();
    for mv in game.moves().iter().copied().chain(expected) {
        words += &format!(" {}", position.uci(mv));
        position.play(mv);
    }
    words
}

/// The time that the threads of a process, and this thread, spent waiting for a processor. Zero if
/// the system does not report it.
fn time_without_processor(id: u32) -> Duration {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let files = tasks.map(|task| task.path().join("schedstat"));
    let waited = |file: PathBuf| {
        let text = fs::read_to_string(file).ok()?;
        text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
    };
    files.chain([PathBuf::from("/proc/thread-self/schedstat")]).filter_map(waited).sum()
}

/// A process's memory and its number of open files, or `None` if the system does not report them.
fn size_of_process(id: u32) -> Option<Size> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    // Endgame tables that were built in the meantime stay open. Each is one file, and their number
    // is limited.
    let is_table = |path: &Path| path.components().any(|part| part.as_os_str() == "endgame");
    let open = fs::read_dir(format!("/proc/{id}/fd")).ok()?.flatten();
    let open = open.filter_map(|file| fs::read_link(file.path()).ok());
    let files = open.filter(|path| !is_table(path)).count();
    Some(Size { memory: kibibytes << 10, files })
}
