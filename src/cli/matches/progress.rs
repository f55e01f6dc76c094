//! What is told on standard error while a match runs.

use std::io::{IsTerminal, Write};

use crate::arena::{GameRecord, MatchResult};

/// The line that lives at the bottom of a terminal; elsewhere only faults are told.
pub(super) struct Progress {
    games: usize,
    on_terminal: bool,
}

impl Progress {
    pub(super) fn new(games: usize) -> Progress {
        Progress { games, on_terminal: std::io::stderr().is_terminal() }
    }

    /// Games of players without chance are repeated with their opening, and count for nothing new.
    pub(super) fn warn_of_repetition(&self, openings: usize) {
        if self.games > 2 * openings {
            let _ = writeln!(
                std::io::stderr(),
                "there are only {openings} openings: from game {} on they are played again, and \
                 players that count depth or nodes repeat their games",
                2 * openings + 1
            );
        }
    }

    /// Should the terminal be gone, nobody is there to be told.
    pub(super) fn tell(&self, result: &MatchResult, record: &GameRecord) {
        let mut stderr = std::io::stderr();
        if !matches!(record.termination.as_str(), "normal" | "adjudication") {
            self.clear();
            let players = &result.players;
            let (white, black) =
                (&players[record.white].card.name, &players[record.black].card.name);
            let reason = &record.reason;
            let _ = writeln!(stderr, "game {} ({white} v {black}): {reason}", record.game);
        }
        if self.on_terminal {
            let [losses, draws, wins] = result.games.0;
            let elo = result.pairs.elo();
            let _ = write!(
                stderr,
                "\r\x1b[K{} of {} games: +{wins} ={draws} -{losses}, Elo {:+.1} +/- {:.1}",
                result.games.total(),
                self.games,
                elo.value,
                elo.error
            );
            let _ = stderr.flush();
        }
    }

    pub(super) fn clear(&self) {
        if self.on_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
