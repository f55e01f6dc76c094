//! Elementary mates from random won positions, by players who are not allowed to throw a win away.

use std::time::{Duration, Instant};

use stopdown::board::{Colour, Game, GameEnd, Move, Position};
use stopdown::endgame::{Material, Metric, Outcome, TableResult, Tables, build, plan};
use stopdown::math::streams::{Occasion, Purpose, Stream};
use stopdown::player::{
    Decision, Engine, EngineHost, MoveRequest, Participant, Player, Profile, Skill, Sources,
    StoppedDown, TableFolder, Tablebases,
};
use stopdown::search::{Controls, Limits, NoObserver, Observer};
use stopdown::selector::{Competence, Curve, Selector};

/// The material signatures. White has the mating pieces.
pub const MATERIALS: [&str; 5] = ["KQK", "KRK", "KBBK", "KBNK", "KPK"];

/// The tables used by the referee and the defender.
pub fn reference() -> Tables {
    let tables = Tables::in_memory();
    let materials = MATERIALS.map(|name| name.parse::<Material>().expect(name));
    let jobs = plan(&tables, materials, &[Metric::Dtm]);
    build(&tables, &jobs, 2, &()).expect("small tables can be made");
    tables
}

/// Random positions in which White is to move and wins.
pub fn won(tables: &Tables, name: &str, count: usize) -> Vec<Position> {
    let table = tables.table(name.parse().expect(name), Metric::Dtm).expect("it was made");
    let is_won = |e: &_| matches!(e, (Colour::White, Outcome::Win(_)));
    let wins: Vec<_> = table.entries().filter(|e| is_won(&(e.turn, e.outcome))).collect();
    let position = |number: usize| {
        let occasion = Occasion { seed: 5, game: number as u64, ply: 0 };
        let drawn = Stream::new(occasion, Purpose::Simulation).next_u64() % wins.len() as u64;
        let entry = &wins[drawn as usize];
        let fen = table.layout.fen(&entry.squares, entry.turn);
        Position::from_fen(&fen, false).expect("a table holds legal positions")
    };
    (0..count).map(position).collect()
}

/// An engine that keeps its own tables in `own`.
pub fn host(own: TableFolder, hash: usize) -> EngineHost {
    let sources = Sources { fifty_moves: true, own, ..Sources::default() };
    EngineHost::new(Engine::built_in(hash)).with_tablebases(Tablebases::new(sources))
}

/// Returns the move of a player that uses this engine and these tables.
pub fn decide(
    host: &mut EngineHost,
    player: &mut Player,
    request: &MoveRequest<'_>,
    observer: &mut dyn Observer,
) -> Decision {
    let spare = EngineHost::new(Engine::built_in(1));
    let lent = std::mem::replace(host, spare);
    let mut participant = Participant::new(lent, std::mem::take(player));
    let decision = participant.decide(request, observer);
    (*host, *player) = (participant.host, participant.player);
    decision
}

/// A player with this competence that never throws away a win.
pub fn player(competence: f64) -> Player {
    let c = Competence::new(competence).expect("a number");
    let skill = Skill::new(Selector::new(Curve::haworth(c)), 8);
    let profile = Profile::plain("", skill);
    Player::StoppedDown(Box::new(StoppedDown { profile, seed: 11, game: 1, explain: false }))
}

/// The defender. In every other game it resists as long as possible, and in the rest it plays at
/// random.
pub fn defend(tables: &Tables, game: &Game, number: usize) -> Move {
    let report = tables.report(game.position()).expect("the reference has all tables");
    let escape = report.moves.iter().find(|m| m.result != TableResult::Loss);
    let longest = report.moves.iter().max_by_key(|m| m.depths.dtm);
    let occasion = Occasion { seed: 6, game: number as u64, ply: game.ply() as u64 };
    let drawn = Stream::new(occasion, Purpose::Simulation).next_u64() as usize;
    let any = &report.moves[drawn % report.moves.len()];
    let best = escape.or(longest).expect("the game is not over");
    if number.is_multiple_of(2) { best.mv } else { any.mv }
}

/// The results of one player with one material signature.
#[derive(Debug, Default)]
pub struct Mates {
    pub games: usize,
    /// White's moves in the games that ended in mate.
    pub moves: Vec<usize>,
    pub failures: Vec<String>,
    pub longest_thought: Duration,
}

/// Plays from these positions, cycling through competences 0 to 50.
pub fn play(tables: &Tables, host: &mut EngineHost, starts: &[Position]) -> Mates {
    let mut found = Mates { games: starts.len(), ..Mates::default() };
    for (number, start) in starts.iter().enumerate() {
        let competence = (number % 51) as f64;
        let mut player = player(competence);
        let mut game = Game::new(start.clone());
        while game.ending().is_none() {
            let mv = if game.position().turn() == Colour::White {
                let started = Instant::now();
                let (limits, controls) = (Limits::default(), Controls::new());
                let request = MoveRequest { game: &game, limits: &limits, controls: &controls };
                let decision = decide(host, &mut player, &request, &mut NoObserver);
                found.longest_thought = found.longest_thought.max(started.elapsed());
                decision.best.mv.expect("there is a move")
            } else {
                defend(tables, &game, number)
            };
            game.play(mv);
        }
        match game.ending() {
            Some(GameEnd::Checkmate) => found.moves.push(game.ply().div_ceil(2)),
            other => found.failures.push(format!("{} c {competence}: {other:?}", start.fen())),
        }
    }
    found
}
