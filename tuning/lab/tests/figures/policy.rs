//! Measures whether the policy network is limited by the amount of training data or by its size.
//!
//! A network that has memorised its training data predicts it much better than other choices.
//!
//! ```sh
//! stopdown-lab tune choices choices.bin GAMES.pgn ...
//! FIGURES_CHOICES_FILE=choices.bin cargo bench -p stopdown-lab --bench figures -- policy
//! ```

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use crate::human::{MIN_CLOCK, OPENING};
use crate::setting;
use stopdown::math::statistics::{mean, standard_deviation};
use stopdown::policy::{GameKind, PolicyNetwork};
use stopdown_lab::tune::choices::{HumanChoice, RECORD, is_test_game};

const BANDS: [(&str, GameKind, f64, f64); 9] = [
    ("E  blitz 700-1150", GameKind::Blitz, 700.0, 1150.0),
    ("A  blitz 1200-1600", GameKind::Blitz, 1200.0, 1600.0),
    ("B  blitz 1800-2000", GameKind::Blitz, 1800.0, 2000.0),
    ("F  board 1450-1750", GameKind::Board, 1450.0, 1750.0),
    ("C  board 2000-2200", GameKind::Board, 2000.0, 2200.0),
    ("D  board 2550-2650", GameKind::Board, 2550.0, 2650.0),
    ("R1 rapid 900-1300", GameKind::Rapid, 900.0, 1300.0),
    ("R2 rapid 1400-1800", GameKind::Rapid, 1400.0, 1800.0),
    ("R3 rapid 2000-2400", GameKind::Rapid, 2000.0, 2400.0),
];

/// Whether the choice's game was held out from training, according to `tuning/policy/choices.py`.
fn is_held_out(choice: &HumanChoice) -> bool {
    choice.game % 10 < 2
}

/// Whether the choice is suitable for this measurement. It must come after the opening, without time trouble, from a
/// player other than the collector, and from a game of a known kind.
fn is_test_choice(choice: &HumanChoice) -> bool {
    usize::from(choice.ply) >= OPENING
        && choice.clock.is_none_or(|seconds| seconds >= MIN_CLOCK)
        && choice.is_kind_stated
        && !choice.is_collector
}

/// Visits all choices of a file with their indices.
fn for_each_choice(file: &File, mut look: impl FnMut(usize, &HumanChoice)) {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    reader.seek(SeekFrom::Start(0)).expect("a file can be read again");
    let mut record = [0; RECORD];
    for place in 0.. {
        if reader.read_exact(&mut record).is_err() {
            return;
        }
        look(place, &HumanChoice::from_bytes(&record).expect("a valid record"));
    }
}

/// The log loss in nats with its error, and the rate of correct first choices.
fn prediction_quality(file: &mut File, places: &[usize]) -> String {
    let network = PolicyNetwork::built_in().expect("the policy network is built in");
    let (mut nats, mut right) = (Vec::new(), 0);
    for &place in places {
        let mut record = [0; RECORD];
        file.seek(SeekFrom::Start((place * RECORD) as u64)).expect("it was there");
        file.read_exact(&mut record).expect("it was there");
        let choice = HumanChoice::from_bytes(&record).expect("it was one");
        let shares = network
            .ln_shares_of_view(&choice.view, &choice.steps, &[choice.setting])
            .swap_remove(0);
        let played = shares[usize::from(choice.chosen)];
        nats.push(-played);
        right += usize::from(shares.iter().all(|&share| share <= played));
    }
    let n = nats.len() as f64;
    let error = standard_deviation(&nats) / n.sqrt();
    let percent = 100.0 * right as f64 / n;
    format!("{:.3} +- {error:.3}, {percent:.0}% of {n}", mean(&nats))
}

/// Compares the predictions of training and test choices.
pub fn on_training_and_test_choices() {
    let path = setting("FIGURES_CHOICES_FILE", String::new());
    let Ok(mut file) = File::open(&path) else {
        println!("FIGURES_CHOICES_FILE={path} cannot be opened: skipped");
        return;
    };
    let most: usize = setting("FIGURES_CHOICES", 1500);
    // If a game has the same opening as a held-out game, it was not used for training either.
    let mut openings = HashSet::new();
    for_each_choice(&file, |_, choice| {
        if is_held_out(choice) {
            openings.insert(choice.opening);
        }
    });
    let mut places = vec![[Vec::new(), Vec::new()]; BANDS.len()];
    for_each_choice(&file, |place, choice| {
        let learnt = !openings.contains(&choice.opening);
        let setting = choice.setting;
        if !is_test_choice(choice) || !learnt && !is_test_game(choice.game) {
            return;
        }
        for (found, (_, pool, lowest, highest)) in places.iter_mut().zip(BANDS) {
            if setting.pool == pool && (lowest..=highest).contains(&setting.rating) {
                found[usize::from(learnt)].push(place);
            }
        }
    });
    println!("\nnats per move and correct first choices, policy alone");
    println!("{:<20}{:>32}{:>32}", "band", "test", "training");
    for ((name, ..), mut found) in BANDS.into_iter().zip(places) {
        found.iter_mut().for_each(|all| {
            // The choices are spread evenly over all games.
            let step = all.len().div_ceil(most).max(1);
            *all = all.iter().copied().step_by(step).collect();
        });
        let [unlearnt, learnt] = found.map(|places| prediction_quality(&mut file, &places));
        println!("{name:<20}{unlearnt:>32}{learnt:>32}");
    }
}
