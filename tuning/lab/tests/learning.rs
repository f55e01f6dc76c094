//! Training is repeatable, and the network that plays is the one that was trained.

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};

use common::{Folder, run_with_input};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use stopdown::board::{PackedPosition, Position};
use stopdown::eval::network::Parameters;
use stopdown::eval::network::inputs::PIECES;
use stopdown::eval::{Evaluator, Network, Simple, WinModel};
use stopdown::games::GameResult;
use stopdown_lab::tune::network::{
    Dataset, Losses, NetOptions, QuantisedNetwork, Stage, TrainedNetwork, TrainedShape, Training,
    TrainingObserver, checkpoint_path, output, rounded, train,
};
use stopdown_lab::tune::positions::Sample;

struct NoObserver;

impl TrainingObserver for NoObserver {
    fn resumed(&mut self, _epochs: usize) {}
    fn set_aside(&mut self, _checkpoint: &Path) {}
    fn batch_finished(&mut self, _stage: &Stage) {}
    fn epoch_finished(&mut self, _epoch: usize, _losses: Losses) {}
}

/// Random games whose positions are labelled with their material.
fn dataset(games: u64) -> Dataset {
    let mut data = Dataset::default();
    for game in 0..games {
        let mut random = ChaCha8Rng::seed_from_u64(game);
        let mut position = Position::default();
        let mut samples = Vec::new();
        for ply in 0..90 {
            let Some(&m) = position.legal_moves().choose(&mut random) else { break };
            position.play(m);
            let own = Simple.evaluate_afresh(&position).raw();
            let white = if position.turn().is_white() { own } else { -own };
            let chance = 1.0 / (1.0 + (-f64::from(white) / 200.0).exp());
            let won = random.random_bool(chance);
            samples.push(Sample {
                position: PackedPosition::of(&position).expect("at most 32 pieces"),
                outcome: Some(if won { GameResult::WhiteWins } else { GameResult::BlackWins }),
                centipawns: white as i16,
                ply,
            });
        }
        data.add(&samples, game % 20 == 19, 2000);
    }
    data
}

fn options() -> NetOptions {
    NetOptions { epochs: 4, batch: 512, rate: 0.01, ..Default::default() }
}

/// An unused file path for a test.
fn unused_path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("stopdown-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn learn(options: &NetOptions, data: &Dataset, path: &Path) -> Training {
    let start = TrainedNetwork::new(TrainedShape { width: 32, buckets: 2 }, options.seed);
    train(options, &start, data, path, &mut NoObserver).expect("a folder that can be written to")
}

/// Compares bit by bit. (`assert_eq!` would print all parameters.)
fn is_same(one: &Training, other: &Training) -> bool {
    one.model == other.model && one.best == other.best && one.curve == other.curve
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let data = dataset(60);
    let path = unused_path("threads");
    let one = learn(&NetOptions { threads: 1, ..options() }, &data, &path);
    // The training is complete, so nothing changes any more.
    assert!(is_same(&learn(&options(), &data, &path), &one));
    for threads in [2, 3, 40] {
        std::fs::remove_file(&path).expect("it exists");
        let many = learn(&NetOptions { threads, ..options() }, &data, &path);
        assert!(is_same(&many, &one), "{threads} threads");
    }
    // An observer that panics interrupts the training after every epoch.
    struct Impatient;
    impl TrainingObserver for Impatient {
        fn resumed(&mut self, _epochs: usize) {}
        fn set_aside(&mut self, _checkpoint: &Path) {}
        fn batch_finished(&mut self, _stage: &Stage) {}
        fn epoch_finished(&mut self, _epoch: usize, _losses: Losses) {
            std::panic::resume_unwind(Box::new(()));
        }
    }
    std::fs::remove_file(&path).expect("it exists");
    for _ in 0..options().epochs {
        let broken = std::panic::catch_unwind(|| {
            let start = TrainedNetwork::new(TrainedShape { width: 32, buckets: 2 }, options().seed);
            let _ = train(&options(), &start, &data, &path, &mut Impatient);
        });
        assert!(broken.is_err());
    }
    assert!(is_same(&learn(&options(), &data, &path), &one));
    // A run with different options neither resumes from the checkpoint nor destroys it.
    let other = NetOptions { seed: 2, ..options() };
    assert!(!is_same(&learn(&other, &data, &path), &one));
    let aside = PathBuf::from(format!("{}.1", path.display()));
    std::fs::rename(&aside, &path).expect("the old state was set aside");
    assert!(is_same(&learn(&options(), &data, &path), &one));
    std::fs::remove_file(&path).expect("it exists");
}

#[test]
fn a_network_learns_its_labels_and_quantisation_keeps_them() {
    let data = dataset(150);
    let path = unused_path("taught");
    let training = learn(&NetOptions { epochs: 12, ..options() }, &data, &path);
    std::fs::remove_file(&path).expect("it exists");
    let (first, last) = (training.curve[0], training.curve[11]);
    assert!(last.held_out < 0.8 * first.held_out, "{first:?} -> {last:?}");
    // The quantised network differs from the trained one by at most a fifth of a pawn plus a
    // twentieth of the evaluation.
    let centipawns = 200;
    let whole = rounded(&training.best, &data, centipawns);
    // Resuming training from it changes no parameter. (`assert_eq!` would print all parameters.)
    let again = nearest(&TrainedNetwork::resume(&whole.network), centipawns);
    assert!(again.network == whole.network && again.clipped == 0, "{}", again.clipped);
    for (deviation, learnt) in errors_and_outputs(&training.best, &whole.network, &data) {
        assert!(
            deviation < 20.0 + 0.05 * learnt.abs(),
            "quantisation changed {learnt} by {deviation}"
        );
    }
    // Its output weights were rounded jointly, which loses less accuracy than rounding each to the
    // nearest value.
    let nearest = nearest(&training.best, centipawns);
    assert_eq!(whole.clipped, nearest.clipped);
    let error = |whole: &QuantisedNetwork| error(&training.best, whole, &data);
    let (together, nearest) = (error(&whole), error(&nearest));
    assert!(together < nearest, "{together} and {nearest}");
}

#[test]
fn clipped_parameters_are_counted_and_compensated() {
    let data = dataset(150);
    let path = unused_path("clipped");
    let training = learn(&NetOptions { epochs: 3, ..options() }, &data, &path);
    std::fs::remove_file(&path).expect("it exists");
    let mut model = training.best;
    let shape = model.shape;
    // For some neurons, attacks on the mover's own pawns matter more than a byte can express.
    for input in PIECES + 8..PIECES + 56 {
        model.numbers[shape.row(input)][..4].iter_mut().for_each(|number| *number += 0.9);
    }
    let (rounded, nearest) = (rounded(&model, &data, 200), nearest(&model, 200));
    assert!((100..=48 * 4).contains(&rounded.clipped), "{} were clipped", rounded.clipped);
    assert_eq!(rounded.clipped, nearest.clipped);
    let (made_good, deviation) = (error(&model, &rounded, &data), error(&model, &nearest, &data));
    assert!(made_good < 0.7 * deviation, "{made_good} and {deviation}");
    // Rows, biases and outputs have bounds too.
    model.numbers[shape.row(0).start] = 200.0;
    model.numbers[shape.biases().start] = -200.0;
    model.numbers[shape.outputs(1).start] = 2.1;
    model.numbers[shape.output_bias(0)] = 5000.0;
    let whole = self::nearest(&model, 200);
    assert!(whole.clipped >= nearest.clipped + 4, "{} were clipped", whole.clipped);
    assert!(whole.network.to_bytes("").is_err(), "a row that overflows was written");
}

/// The network with every parameter rounded to the nearest value. Without data, rounding errors are
/// not compensated.
fn nearest(model: &TrainedNetwork, centipawns: i32) -> QuantisedNetwork {
    rounded(model, &Dataset::default(), centipawns)
}

/// The error of a quantised network in the expected score. Differences between won positions hardly
/// affect this error.
fn error(learnt: &TrainedNetwork, whole: &QuantisedNetwork, data: &Dataset) -> f64 {
    let slope = |learnt: f64| 0.25 / (learnt / 400.0).cosh().powi(2);
    let deviation = errors_and_outputs(learnt, &whole.network, data);
    deviation.iter().map(|(deviation, learnt)| (deviation * slope(*learnt)).powi(2)).sum()
}

/// Returns the error of the quantised network and the output of the trained network for each
/// held-out position, both in centipawns.
fn errors_and_outputs(
    learnt: &TrainedNetwork,
    whole: &Parameters,
    data: &Dataset,
) -> Vec<(f64, f64)> {
    let network = Network::new(whole);
    let of = |sample: &Sample| {
        let learnt = output(learnt, sample) * f64::from(whole.centipawns);
        let position = sample.position.unpack().expect("it was a position");
        ((f64::from(network.output(&position)) - learnt).abs(), learnt)
    };
    data.held_out.iter().map(of).collect()
}

#[test]
fn from_games_to_a_network_on_the_command_line() {
    let folder = Folder::new();
    let run = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let finished = run_with_input(&folder, &words, b"");
        assert_eq!(finished.code, 0, "{words:?}: {}", finished.error);
        finished.out
    };
    let printed = run("tune data games.bin --games 40 --nodes 60 --threads 2");
    assert!(printed.contains("positions from 40 games added to games.bin"), "{printed}");
    let dense = run("tune data games.bin --count");
    assert!(dense.contains("positions from 40 games, 0 records unreadable"), "{dense}");
    assert!(dense.contains("command: stopdown-lab tune data games.bin --games 40"), "{dense}");
    let printed = run("tune data sparse.bin --games 40 --nodes 60 --between 20");
    assert!(printed.contains("positions from 40 games added to sparse.bin"), "{printed}");
    let sparse = run("tune data sparse.bin --count");
    assert!(sparse.contains("60 nodes a move (20 for two in three)"), "{sparse}");
    let positions = |printed: &str| -> usize {
        let line = printed.lines().find(|line| line.contains(" positions from 40 games, "));
        line.and_then(|line| line.split(' ').next()?.parse().ok()).expect("a number")
    };
    assert!((1..positions(&dense) / 2).contains(&positions(&sparse)), "{sparse}");
    std::fs::remove_file(folder.path().join("sparse.bin")).expect("it was written");
    let learn = "tune net games.bin -o net.bin --width 32 --buckets 1 --epochs 2 --batch 100";
    let printed = run(learn);
    assert!(printed.contains("epoch   2: "), "{printed}");
    assert!(printed.contains(" weights were too large for the file format"), "{printed}");
    let network = std::fs::read(folder.path().join("net.bin")).expect("it was written");
    assert!(String::from_utf8_lossy(&network[..512]).contains(learn));
    let chart = std::fs::read_to_string(folder.path().join("net.svg")).expect("it was drawn");
    assert!(chart.contains("held out"));
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        3,
        "other files were left"
    );
    // The engine can load the network, and its evaluation differs from that of the built-in network.
    let learnt = Network::load(&folder.path().join("net.bin")).expect("a network");
    let own = Network::embedded();
    assert_ne!(learnt.fingerprint(), own.fingerprint());
    let position = Position::default();
    assert_ne!(learnt.output(&position), own.output(&position));
    let more = run("tune net games.bin -o more.bin --start net.bin --epochs 1");
    assert!(more.contains("more.bin"), "{more}");
    // Positions around games have no results.
    run("tune data look.bin --around games.bin --walks 2 --look 30");
    let glance = "tune net look.bin -o glance.bin --width 32 --buckets 1 --epochs 1";
    let refused = run_with_input(&folder, &glance.split(' ').collect::<Vec<_>>(), b"");
    assert!(refused.code == 2 && refused.error.contains("--centipawns"), "{refused:?}");
    run(&format!("{glance} --centipawns 160"));
    let winning = run("tune winning games.bin -o winning.toml");
    assert!(winning.contains("even = [") && winning.contains("slope = ["), "{winning}");
    let scaled = run("tune winning games.bin -o scaled.toml --normalise net.bin scaled.bin");
    let model = |text: &str| toml::from_str::<WinModel>(text).expect("a model").even(24);
    assert!((model(&scaled) - 100.0).abs() < 1.0 && model(&winning) != 100.0, "{scaled}");
    let centipawns = |name: &str| {
        let parameters = Parameters::load(&folder.path().join(name)).expect("a network");
        f64::from(parameters.centipawns)
    };
    let factor = centipawns("scaled.bin") / centipawns("net.bin");
    assert!((factor * model(&winning) - 100.0).abs() < 1.0, "{factor} {winning}");
    let header = std::fs::read(folder.path().join("scaled.bin")).expect("it was read");
    let notes = Parameters::notes(&header);
    assert!(notes.contains("tune net games.bin") && notes.contains("--normalise"), "{notes}");
    let refused = Network::load(&folder.path().join("games.bin")).expect_err("not a network");
    assert!(refused.to_string().contains("games.bin: "), "{refused}");
}

#[test]
fn a_checkpoint_is_next_to_its_network() {
    assert_eq!(checkpoint_path("a/network.bin".as_ref()), Path::new("a/network.bin.training"));
}
