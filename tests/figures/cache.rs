//! Speed and size of the evaluation cache.

use stopdown::board::Game;
use stopdown::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use stopdown::games::{EvaluationCache, EvaluationKey, EvaluatorIdentity};
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::value::Value;

use crate::common::Folder;
use crate::contestant::processor_seconds;
use crate::setting;

const DEPTH: u8 = 8;

/// Random games with synthetic values at every depth. The values vary as real ones do.
fn synthetic(count: usize) -> Vec<(Game, RootEvaluation)> {
    let mut stream = Stream::new(Occasion { seed: 1, game: 1, ply: 1 }, Purpose::Move);
    let mut below = |n: usize| (stream.uniform() * n as f64) as usize;
    let mut game = Game::default();
    let mut found = Vec::new();
    while found.len() < count {
        let legal = game.position().legal_moves();
        if legal.is_empty() || game.ply() > 120 {
            game = Game::default();
            continue;
        }
        let moves = legal.iter().map(|&mv| {
            let mut value = below(400) as i32 - 200;
            let by_depth = (0..DEPTH).map(|_| {
                value += below(60) as i32 - 30;
                DepthValue { value: Value::centipawns(value), exact: true }
            });
            let by_depth = by_depth.collect();
            let mut after = game.position().clone();
            let mut line = Vec::new();
            let mut next = Some(mv);
            while let Some(mv) = next.filter(|_| line.len() < usize::from(DEPTH)) {
                line.push(mv);
                after.play(mv);
                next = after.legal_moves().first().copied();
            }
            MoveEvaluation { mv, by_depth, line }
        });
        let moves = moves.collect();
        let evaluation = RootEvaluation { depth: DEPTH, moves, nodes: 100_000, oracle: None };
        found.push((game.clone(), evaluation));
        game.play(legal[below(legal.len())]);
    }
    found
}

pub fn cache() {
    let count = setting("FIGURES_DEPOSITS", 100_000);
    let all = synthetic(count);
    let folder = Folder::new();
    let path = folder.path().join("values.db");
    let evaluator = EvaluatorIdentity::new("made up".to_owned());
    let key = |game: &Game| EvaluationKey::new(game, &evaluator, DEPTH).expect("32 pieces");
    let mut store = EvaluationCache::open(&path).expect("a new store");
    let now = || processor_seconds(std::process::id());
    let per_second = |what: &str, start: f64| {
        let rate = count as f64 / (now() - start);
        println!("{what:<24}{rate:>12.0} positions a second");
    };

    let start = now();
    for (game, evaluation) in &all {
        store.put(key(game), &evaluator, evaluation).expect("writable");
    }
    store.commit().expect("writable");
    per_second("written", start);

    let start = now();
    let found = all.iter().filter(|(game, evaluation)| {
        let found = store.find_values(&key(game), game).expect("valid").expect("it exists");
        found.moves.len() == evaluation.moves.len()
    });
    assert_eq!(found.count(), count);
    per_second("looked up, values", start);

    let start = now();
    let found = all.iter().filter(|(game, evaluation)| {
        store.find(&key(game), game).expect("valid").as_ref() == Some(evaluation)
    });
    // Repeated positions were stored once.
    assert!(found.count() > count * 9 / 10);
    per_second("looked up, with lines", start);

    let start = now();
    let mut read = 0;
    let take = |_| {
        read += 1;
        Ok::<(), stopdown::games::CacheError>(())
    };
    store.each(None, take).expect("valid");
    println!("{read} evaluations");
    per_second("read in order, with lines", start);
    drop(store);
    let size = std::fs::metadata(&path).expect("it exists").len();
    println!("{} bytes a position", size / read);
}
