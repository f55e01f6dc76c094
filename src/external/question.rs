//! One search of an engine, from the question to its end.

use std::time::{Duration, Instant};

use super::analyst::Analyst;
use super::fault::Fault;
use super::sheet::Sheet;
use super::wire::{Info, position_command};
use crate::board::{Game, Move};
use crate::search::{Controls, EvaluationRequest};
use crate::value::Depth;

/// How soon it is noticed that a search is to be stopped.
pub(super) const GLANCE: Duration = Duration::from_millis(5);

/// How long a search may take to end after `stop`, or when its clock is over.
pub(super) const STOPPING: Duration = Duration::from_secs(2);

/// One search: of a position, kept to these moves unless there are none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question<'a> {
    pub game: &'a Game,
    pub moves: &'a [Move],
    pub depth: Depth,
}

/// What is to be valued, and within what bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work<'a> {
    pub game: &'a Game,
    pub request: &'a EvaluationRequest,
    pub controls: &'a Controls,
    pub started: Instant,
}

impl Work<'_> {
    /// Is it time to stop?
    fn is_over(&self) -> bool {
        let start = self.controls.clock_start(self.started);
        let late =
            self.request.time.zip(start).is_some_and(|(time, start)| start.elapsed() >= time);
        self.controls.is_stopped() || late
    }
}

/// The words that keep a search to some moves.
pub(super) fn search_moves(game: &Game, moves: &[Move]) -> String {
    let words = moves.iter().map(|&mv| format!(" {}", game.position().uci(mv)));
    let words: String = words.collect();
    if words.is_empty() { words } else { format!(" searchmoves{words}") }
}

impl Analyst {
    /// One search, whose lines go onto the sheet. Did it come to its own end?
    pub(super) fn search<'p>(
        &mut self,
        work: &Work<'_>,
        question: &Question<'_>,
        sheet: &mut Sheet<'p>,
        mut take: impl FnMut(&mut Sheet<'p>, &Info<'_>) -> bool,
    ) -> Result<bool, Fault> {
        sheet.next_search();
        let Question { game, moves, depth } = *question;
        let mut command = format!("{}\ngo depth {depth}", position_command(game));
        if let Some(nodes) = work.request.nodes {
            command += &format!(" nodes {}", nodes.saturating_sub(sheet.nodes()).max(1));
        }
        command += &search_moves(game, moves);
        self.dialogue.send(&command)?;
        let mut stopped = false;
        let mut deadline = Instant::now() + self.dialogue.patience;
        loop {
            if !stopped && work.is_over() {
                stopped = true;
                self.dialogue.send("stop")?;
                deadline = Instant::now() + STOPPING;
            }
            if Instant::now() > deadline {
                let silence = if stopped { STOPPING } else { self.dialogue.patience };
                return Err(self.dialogue.fail(Fault::Stalled(silence)));
            }
            let Some(line) = self.dialogue.poll(GLANCE)? else { continue };
            if line.text.starts_with("bestmove") {
                return Ok(!stopped);
            }
            // Only what brings the work on is a sign of life.
            let is_news = line.text.starts_with("info ") && take(sheet, &Info::parse(&line.text));
            if is_news && !stopped {
                deadline = line.at + self.dialogue.patience;
            }
        }
    }
}
