//! KQKR, the ending in the paper: its table, and the games between Browne and Belle.

use std::sync::LazyLock;

use stopdown::board::{Move, Position};
use stopdown::endgame::{Metric, Tables, build, plan};

/// The KQKR table of depths to conversion, built once for all tests.
pub static KQKR: LazyLock<Tables> = LazyLock::new(|| {
    let tables = Tables::in_memory();
    let jobs = plan(&tables, ["KQKR".parse().expect("a material")], &[Metric::Dtc]);
    build(&tables, &jobs, 2, &()).expect("KQKR can be made");
    tables
});

pub fn position(fen: &str) -> Position {
    Position::from_fen(fen, false).expect(fen)
}

/// A recorded move, with the paper's annotations.
pub struct Recorded {
    pub position: Position,
    pub mv: Move,
    pub fields: Vec<String>,
}

/// Both games: the starting positions and the moves.
pub fn games() -> Vec<(Position, Vec<Recorded>)> {
    let mut games: Vec<(Position, Vec<Recorded>)> = Vec::new();
    let mut now = Position::default();
    for line in include_str!("../data/browne_belle.txt").lines().filter(|l| !l.starts_with('#')) {
        if let Some(fen) = line.strip_prefix("game ") {
            now = position(fen);
            games.push((now.clone(), Vec::new()));
            continue;
        }
        let fields: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let mv = now.parse_san(&fields[1]).expect(line);
        games.last_mut().expect("a game has started").1.push(Recorded {
            position: now.clone(),
            mv,
            fields,
        });
        now.play(mv);
    }
    games
}
