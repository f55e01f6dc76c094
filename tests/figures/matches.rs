//! The overhead of a game, not counting the search, and the consistency of levels across time
//! controls.

use std::ops::ControlFlow;
use std::time::Instant;

use stopdown::arena::{Book, ContestantSpec, GameRecord, Order, Rules, Tournament, match_pairings};
use stopdown::board::Colour;
use stopdown::config::built_in_settings;
use stopdown::games::pgn::read_pgn;

/// Plays games between these two players, one after another.
fn play(players: [String; 2], games: usize) -> Vec<GameRecord> {
    let profiles = built_in_settings().profiles;
    let parse = |words: &String| ContestantSpec::parse(words, &profiles).expect(words);
    let tournament = Tournament {
        event: "Figures".to_owned(),
        names: players.to_vec(),
        players: players.iter().map(parse).collect(),
        openings: Book::built_in().select(Order::Random(1), None, games).expect("legal"),
        rules: Rules::default(),
        is_detailed: true,
        tables: None,
        concurrency: 1,
        guard: None,
    };
    let mut records = Vec::new();
    let run = tournament.run(&match_pairings(games), |record| {
        records.push(record);
        ControlFlow::Continue(())
    });
    run.expect("threads can be started");
    records
}

/// Games per second.
fn rate(players: [String; 2], games: usize) -> f64 {
    let start = Instant::now();
    play(players, games).len() as f64 / start.elapsed().as_secs_f64()
}

/// Two rated players, whose strength does not depend on the clock, repeat their games at different
/// time controls and with a node limit. Counts the games in which all moves are identical.
pub fn levels_at_any_time_control() {
    const GAMES: usize = 20;
    let program = env!("CARGO_BIN_EXE_stopdown");
    let players = |limit: &str| {
        [(1500, 1), (2000, 2)].map(|(elo, seed)| {
            format!(
                "cmd='{program}' option.UCI_LimitStrength=true option.UCI_Elo={elo} \
                 option.Seed={seed} 'option.Clock Effect=false' {limit}"
            )
        })
    };
    let points = |records: &[GameRecord]| {
        let white = |record: &GameRecord| record.result.half_points(Colour::White);
        let first = |r: &GameRecord| if r.white == 0 { white(r) } else { 2 - white(r) };
        records.iter().map(|record| first(record) as f64 / 2.0).sum::<f64>()
    };
    let moves = |record: &GameRecord| {
        read_pgn(&record.pgn)[0].replay(None).expect("it was played").moves().to_vec()
    };
    let first = play(players("tc=60+0.6"), GAMES);
    println!("\n{GAMES} games between 1500 and 2000, compared with those at 60+0.6");
    println!("{:>14}{:>10}{:>10}{:>16}", "", "identical", "points", "seconds a game");
    for limit in ["tc=60+0.6", "tc=10+0.1", "nodes=5000000"] {
        let start = Instant::now();
        let games = play(players(limit), GAMES);
        let same = games.iter().zip(&first).filter(|(one, other)| moves(one) == moves(other));
        let seconds = start.elapsed().as_secs_f64() / GAMES as f64;
        println!("{limit:>14}{:>10}{:>10.1}{seconds:>16.1}", same.count(), points(&games));
    }
}

/// Measures the same players both in-process and as UCI programs, in turn.
pub fn arena() {
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
