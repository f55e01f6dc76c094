//! Full strength: plays the best move of the search, or of the tablebases.
//!
//! If the distance to mate is known, the tablebase move is played at once: the quickest mate that
//! the fifty-move rule allows, or the slowest loss. If only the result is known, the search chooses
//! among the moves that preserve it, and reports the known result as its score. After a repetition,
//! or when the fifty-move counter is high, the choice in a won position is limited to the moves
//! that make the fastest progress. This guarantees that the win is converted.

use std::cmp::Reverse;

use super::decision::MoveRequest;
use super::host::EngineHost;
use super::{Engine, Exploit, Tablebases, practical_chances};
use crate::board::{FiftyMoveResult, Game, Move};
use crate::clock::Instant;
use crate::endgame::{MoveReport, ProbeReport, RepetitionHistory, TableResult};
use crate::search::{BestMove, Bound, KnownMoves, Limits, Observer};
use crate::value::{Depth, MAX_PLY, Value};

/// When the fifty-move counter exceeds this, every move in a won position must make progress.
const HURRY_AFTER: u32 = 40;

/// A position that is in the tablebases.
#[derive(Clone, Copy)]
struct Known<'a> {
    tablebases: &'a Tablebases,
    exploit: Option<&'a Exploit>,
    game: &'a Game,
    report: &'a ProbeReport,
}

/// A line of perfect play.
pub(super) struct PerfectLine {
    pub value: Value,
    pub line: Vec<Move>,
}

pub(super) fn decide(
    host: &mut EngineHost,
    request: &MoveRequest<'_>,
    observer: &mut dyn Observer,
) -> BestMove {
    let MoveRequest { game, limits, controls } = *request;
    let EngineHost { engine, tablebases, exploit, opponent, .. } = host;
    // An external engine at full strength plays its own moves and does not use our tablebases.
    let known =
        tablebases.report_with_history(game).filter(|_| !matches!(engine, Engine::External(_)));
    let Some(mut report) = known else {
        return match practical_chances::applies(host, request) {
            true => practical_chances::decide(host, request, observer),
            false => host.engine.best_move(game, limits, controls, observer),
        };
    };
    // Without an opponent, as in analysis, there are no errors to exploit.
    let exploit = match (exploit.as_mut(), opponent) {
        (Some(exploit), Some(opponent)) => {
            exploit.set_opponent(opponent);
            Some(&*exploit)
        }
        _ => None,
    };
    let start = Instant::now();
    let is_searched = |m: &MoveReport| limits.moves.is_empty() || limits.moves.contains(&m.mv);
    report.moves.retain(is_searched);
    if let Some(found) =
        perfect_play(&Known { tablebases, exploit, game, report: &report }, limits.lines)
    {
        return report_lines(&found, start, report.moves.len() as u64, observer);
    }
    let known = group_by_result(&Known { tablebases, exploit, game, report: &report });
    // If there is only one move to choose from, the search sees that and returns at once.
    let first = known.first().filter(|_| limits.lines == 1).map(|known| known.moves.clone());
    let moves = first.unwrap_or_else(|| limits.moves.clone());
    let limits = Limits { known, moves, ..limits.clone() };
    engine.best_move(game, &limits, controls, observer)
}

/// Returns the best lines if the game is decided and all distances to mate are known.
fn perfect_play(known: &Known<'_>, lines: usize) -> Option<Vec<PerfectLine>> {
    let Known { tablebases, exploit, game, report } = *known;
    let position = game.position();
    let result = |m: &MoveReport| m.fifty_move_result(position.halfmoves());
    let best = report.moves.iter().map(result).max()?;
    let decided = |m: &MoveReport| m.result != TableResult::Draw;
    let is_known = |m: &MoveReport| m.depths.dtm.is_some() || !decided(m);
    if !matches!(best, FiftyMoveResult::Win | FiftyMoveResult::Loss)
        || !report.moves.iter().all(is_known)
    {
        return None;
    }
    // Order quick wins before slow ones, and slow losses before quick ones.
    let rank = |m: &MoveReport| {
        let plies = i32::from(m.depths.dtm.unwrap_or(0));
        let slowness = if m.result == TableResult::Loss { -plies } else { plies };
        (Reverse(result(m)), slowness)
    };
    let mut moves: Vec<&MoveReport> = report.moves.iter().collect();
    moves.sort_by_key(|m| rank(m));
    let mut order: Vec<Move> = moves.iter().map(|m| m.mv).collect();
    if let Some(exploit) = exploit {
        // If `Exploit::any` is set, any winning move will do as long as the game makes progress.
        let any_win_is_enough = exploit.any && !must_hurry(game);
        let alike = |m: &&&MoveReport| {
            if any_win_is_enough { result(m) == best } else { rank(m) == rank(moves[0]) }
        };
        let alike = moves.iter().take_while(alike).map(|m| m.mv).collect();
        let preferred = exploit.prefer(tablebases, position, alike);
        order.sort_by_key(|m| !preferred.contains(m));
    }
    let found = order.into_iter().take(lines.max(1)).map(|mv| {
        let (value, line) = tablebases.value(position, report, mv);
        PerfectLine { value, line }
    });
    Some(found.collect())
}

/// Reports the lines and returns the first one as the best move.
pub(super) fn report_lines(
    found: &[PerfectLine],
    start: Instant,
    looked_up: u64,
    observer: &mut dyn Observer,
) -> BestMove {
    let depth = |line: &[Move]| line.len().min(MAX_PLY) as Depth;
    for (number, PerfectLine { value, line }) in found.iter().enumerate() {
        observer.line(&crate::search::Report {
            depth: depth(line),
            selective_depth: depth(line),
            line_number: number + 1,
            value: *value,
            bound: Bound::Exact,
            nodes: looked_up,
            elapsed: start.elapsed(),
            hash_full: 0,
            table_hits: looked_up,
            line: line.clone(),
        });
    }
    let Some(PerfectLine { value, line }) = found.first() else { return BestMove::default() };
    BestMove {
        mv: line.first().copied(),
        ponder: line.get(1).copied(),
        value: *value,
        depth: depth(line),
        nodes: looked_up,
    }
}

/// Returns whether every move must make progress: after a repetition, or after many moves without a
/// capture or pawn move.
fn must_hurry(game: &Game) -> bool {
    RepetitionHistory::of(game).has_repetition() || game.position().halfmoves() > HURRY_AFTER
}

/// Groups the moves that count as equally good, the best group first.
fn group_by_result(known: &Known<'_>) -> Vec<KnownMoves> {
    let Known { tablebases, exploit, game, report } = *known;
    let position = game.position();
    let hurry = must_hurry(game);
    let class = |m: &MoveReport| {
        let result = m.fifty_move_result(position.halfmoves());
        let plies =
            if hurry && result >= FiftyMoveResult::CursedWin { m.plies_to_zero() } else { 0 };
        (Reverse(result), plies)
    };
    let mut moves: Vec<&MoveReport> = report.moves.iter().collect();
    moves.sort_by_key(|m| class(m));
    let mut known: Vec<KnownMoves> = moves
        .chunk_by(|a, b| class(a) == class(b))
        .map(|alike| KnownMoves {
            moves: alike.iter().map(|m| m.mv).collect(),
            value: match alike[0].fifty_move_result(position.halfmoves()) {
                FiftyMoveResult::Win => Value::TABLE,
                FiftyMoveResult::Loss => -Value::TABLE,
                _ => Value::DRAW,
            },
        })
        .collect();
    if let (Some(exploit), Some(best)) = (exploit, known.first_mut()) {
        let preferred = exploit.prefer(tablebases, position, best.moves.clone());
        let (value, all) = (best.value, std::mem::replace(&mut best.moves, preferred.clone()));
        let others: Vec<Move> = all.into_iter().filter(|m| !preferred.contains(m)).collect();
        if !others.is_empty() {
            known.insert(1, KnownMoves { moves: others, value });
        }
    }
    known
}
