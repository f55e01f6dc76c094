//! What it costs to play a game, beside the search.

use std::ops::ControlFlow;
use std::time::Instant;

use stopdown::arena::{Book, Order, PlayerSpec, Rules, Tournament, match_pairings};
use stopdown::config::Config;

/// Games a second of two such players, one game at a time.
fn rate(players: [String; 2], games: usize) -> f64 {
    let profiles = Config::default().profiles;
    let parse = |words: &String| PlayerSpec::parse(words, &profiles).expect(words);
    let tournament = Tournament {
        event: "Speed".to_owned(),
        names: players.to_vec(),
        players: players.iter().map(parse).collect(),
        openings: Book::built_in().select(Order::Random(1), None, games).expect("legal"),
        rules: Rules::default(),
        tables: None,
        concurrency: 1,
        guard: None,
    };
    let start = Instant::now();
    let mut finished = 0;
    let run = tournament.run(&match_pairings(games), |_| {
        finished += 1;
        ControlFlow::Continue(())
    });
    run.expect("threads");
    finished as f64 / start.elapsed().as_secs_f64()
}

/// The same players in this process and as programs at the ends of pipes, in turn.
#[test]
#[ignore = "measures"]
fn arena() {
    let program = env!("CARGO_BIN_EXE_stopdown");
    let inside = |seed: u64| format!("self competence=7 depth=1 seed={seed}");
    let outside = |seed: u64| {
        format!("cmd='{program}' option.Competence=700 option.Depth=1 option.Seed={seed} depth=1")
    };
    println!("\ngames a second at depth 1, c = 7, on the clock");
    println!("{:>12}{:>12}{:>8}", "in process", "by pipes", "ratio");
    for round in 0..5 {
        let seeds = [2 * round + 1, 2 * round + 2];
        let (own, other) = (rate(seeds.map(inside), 60), rate(seeds.map(outside), 6));
        println!("{own:>12.1}{other:>12.2}{:>8.1}", own / other);
    }
}
