//! Self-play and the tuning of search parameters resume where they stopped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stopdown::board::Colour;
use stopdown::eval::{Evaluator, Network};
use stopdown_lab::tune::positions::{PlayedGame, PositionsOutput, PositionsReader};
use stopdown_lab::tune::search_params::{PairObserver, ParameterSearch, find};
use stopdown_lab::tune::selfplay::{GameObserver, SelfPlay, make_games};
use stopdown_lab::tune::surroundings::{Surroundings, augment};

struct NoObserver;

impl GameObserver for NoObserver {
    fn game_finished(&mut self, _games: u64, _positions: usize) {}
}

/// A folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stopdown-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

fn output(path: &Path) -> PositionsOutput<'_> {
    PositionsOutput { path, command: "a test" }
}

fn make(path: &Path, seed: u64, games: u64, threads: u16) {
    let options = SelfPlay { seed, games, nodes: 60, between: 0, hash: 1, threads };
    make_games(&options, &Arc::new(Network::embedded()), output(path), &mut NoObserver)
        .expect("the folder can be written to");
}

/// All games in a file, by number.
fn games(path: &Path) -> Vec<PlayedGame> {
    let mut reader = PositionsReader::open(path).expect("it holds positions");
    let mut games = Vec::new();
    while let Some(game) = reader.next_game().expect("it can be read") {
        games.push(game);
    }
    assert_eq!(reader.unreadable, 0);
    games.sort_by_key(|game| (game.mark.seed, game.mark.number));
    games
}

#[test]
fn interrupted_self_play_resumes_to_the_same_file() {
    let folder = folder("interrupted");
    let (once, twice) = (folder.join("once.bin"), folder.join("twice.bin"));
    make(&once, 3, 3, 1);
    make(&twice, 3, 1, 1);
    make(&twice, 3, 3, 1);
    make(&twice, 3, 3, 1);
    let whole = std::fs::read(&once).expect("just written");
    assert_eq!(whole, std::fs::read(&twice).expect("just written"));
    assert_eq!(games(&once).len(), 3);
    // A kill can truncate the file at any point: in the header, in a mark, in a record, or between
    // records.
    for cut in [0, 100, 512, 530, 544, 600, whole.len() - 32, whole.len() - 1] {
        std::fs::write(&twice, &whole[..cut]).expect("the folder can be written to");
        make(&twice, 3, 3, 1);
        assert_eq!(whole, std::fs::read(&twice).expect("just written"), "cut at {cut}");
    }
    std::fs::remove_dir_all(&folder).expect("just made");
}

#[test]
fn writers_share_a_file_and_do_not_mix_makers() {
    let folder = folder("shared");
    let (apart, shared) = (folder.join("apart.bin"), folder.join("shared.bin"));
    make(&apart, 1, 4, 1);
    make(&apart, 2, 4, 2);
    std::thread::scope(|scope| {
        scope.spawn(|| make(&shared, 1, 4, 2));
        scope.spawn(|| make(&shared, 2, 4, 1));
    });
    assert_eq!(games(&shared), games(&apart));
    let options = SelfPlay { seed: 1, games: 5, nodes: 61, between: 0, hash: 1, threads: 1 };
    let evaluator = Arc::new(Network::embedded());
    let error = make_games(&options, &evaluator, output(&shared), &mut NoObserver);
    let error = error.expect_err("games of another kind").to_string();
    assert!(error.contains("60 nodes") && error.contains("61 nodes"), "{error}");
    std::fs::remove_dir_all(&folder).expect("just made");
}

#[test]
fn surroundings_are_quiet_and_evaluated_statically_or_by_search() {
    let folder = folder("surroundings");
    let source = folder.join("games.bin");
    make(&source, 4, 3, 1);
    let evaluator = Arc::new(Network::embedded());
    for nodes in [0, 60] {
        let (path, again) =
            (folder.join(format!("around-{nodes}.bin")), folder.join(format!("again-{nodes}.bin")));
        let around = |path: &Path| {
            let options = Surroundings { seed: 1, walks: 3, nodes };
            augment(&options, &evaluator, &source, output(path), &mut NoObserver).expect("files");
        };
        around(&path);
        let whole = std::fs::read(&path).expect("just written");
        std::fs::write(&again, &whole[..whole.len() / 2]).expect("the folder can be written to");
        around(&again);
        assert_eq!(whole, std::fs::read(&again).expect("just written"));
        let samples: Vec<_> = games(&path).into_iter().flat_map(|game| game.samples).collect();
        assert!(samples.len() > 50, "{} positions", samples.len());
        let mut different = 0;
        for sample in samples {
            let position = sample.position.unpack().expect("it was a position");
            let own = evaluator.evaluate_afresh(&position).raw();
            let white = if position.turn() == Colour::White { own } else { -own };
            different += usize::from(i32::from(sample.centipawns) != white);
            assert_eq!(sample.outcome, None);
            assert!(!position.in_check() && position.has_legal_move());
        }
        assert_eq!(different > 0, nodes > 0);
    }
    std::fs::remove_dir_all(&folder).expect("just made");
}

struct RenamedFiles(Vec<PathBuf>);

impl PairObserver for RenamedFiles {
    fn set_aside(&mut self, path: &Path) {
        self.0.push(path.to_owned());
    }

    fn batch_finished(&mut self, _: usize) {}
}

#[test]
fn the_path_of_search_params_does_not_depend_on_interruptions() {
    let folder = folder("way");
    let (once, twice) = (folder.join("once.way"), folder.join("twice.way"));
    let network = Network::embedded();
    let mut renamed = RenamedFiles(Vec::new());
    let mut go = |path: &Path, pairs, threads, rate| {
        let search = ParameterSearch { pairs, threads, rate, nodes: 40, seed: 1 };
        find(&search, &network, path, &mut renamed).expect("the folder can be written to")
    };
    let whole = go(&once, 40, 2, 0.5);
    go(&twice, 20, 1, 0.5);
    assert_eq!(whole, go(&twice, 40, 1, 0.5));
    assert_eq!((whole.points.len(), whole.pairs()), (3, 40));
    assert_ne!(whole.points[0], whole.points[2]);
    // A truncated file is neither continued nor overwritten, and neither is one with different
    // options.
    let bytes = std::fs::read(&once).expect("just written");
    std::fs::write(&twice, &bytes[..bytes.len() / 2]).expect("the folder can be written to");
    assert_eq!(whole, go(&twice, 40, 2, 0.5));
    assert_ne!(whole, go(&once, 20, 2, 0.4));
    assert_eq!(renamed.0.len(), 2);
    assert_eq!(std::fs::read(&renamed.0[1]).expect("it was set aside"), bytes);
    std::fs::remove_dir_all(&folder).expect("just made");
}
