//! An engine that values all moves of a position, as our own search does.
//!
//! 1. It is asked for as many lines as there are moves (`MultiPV`), and every depth that it shows
//!    is taken down. Its table is emptied before, its book closed, and it has one thread unless more
//!    were asked for, so that what it says depends on nothing but the question.
//! 2. Where it cannot show so many lines, the moves that are missing are searched one by one.
//!
//! An engine that fails is started afresh and asked again, once. If that does not help either, there
//! is no evaluation, and [`Analyst::take_fault`] says why.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::dialogue::Dialogue;
use super::fault::Fault;
use super::question::{Question, Work};
use super::sheet::Sheet;
use super::spec::ExternalSpec;
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint::fingerprint;
use crate::search::{Controls, EvaluationRequest, Observer};

/// Attempts at one search.
const ATTEMPTS: usize = 2;

#[derive(Debug)]
pub struct Analyst {
    pub(super) dialogue: Dialogue,
    /// What the user should know.
    pub(super) notices: Vec<String>,
    /// Why the last search had no result.
    fault: Option<Fault>,
    /// What was played before has nothing to do with what comes.
    pub(super) new_game: bool,
    /// It has been said that there are too few lines.
    told_of_lines: bool,
    /// It searches other moves than it is asked to.
    pub(super) ignores_moves: bool,
}

impl Analyst {
    /// The engine is started when it is first needed.
    pub fn new(spec: ExternalSpec, patience: Duration, guard: Option<PathBuf>) -> Analyst {
        Analyst {
            dialogue: Dialogue::new(spec, patience, guard),
            notices: Vec::new(),
            fault: None,
            new_game: true,
            told_of_lines: false,
            ignores_moves: false,
        }
    }

    pub fn start(&mut self) -> Result<(), Fault> {
        self.dialogue.start()
    }

    pub fn dialogue(&self) -> &Dialogue {
        &self.dialogue
    }

    /// Sets an option, if the engine has it. Should the engine be gone, it will hear of it when it
    /// is started again.
    pub fn set(&mut self, name: &str, value: &str) {
        if let Err(fault) = self.dialogue.set(name, value) {
            self.note(&fault);
        }
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.new_game = true;
    }

    /// By what name the engine goes.
    pub fn name(&self) -> &str {
        self.dialogue.name().unwrap_or(&self.dialogue.spec().program)
    }

    /// How many it thinks on when it values moves.
    pub fn threads(&self) -> Option<String> {
        match self.dialogue.is_set("Threads") {
            true => self.dialogue.value_of("Threads"),
            false => Some("1".to_owned()),
        }
    }

    /// Everything that its values depend on, in words.
    pub fn identity(&self) -> String {
        let author = self.dialogue.author().map(|author| format!(" by {author}"));
        let mut options = self.dialogue.spec().options.clone();
        options.sort();
        let options = options.iter().map(|(name, value)| format!(", {name}={value}"));
        format!("{}{}{}", self.name(), author.unwrap_or_default(), options.collect::<String>())
    }

    pub fn fingerprint(&self) -> u64 {
        fingerprint(self.identity().as_bytes())
    }

    /// What has happened that the user should know, each once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    pub fn has_failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Why the last search had no result, if it was the engine's fault.
    pub fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    fn note(&mut self, fault: &Fault) {
        let notice = match fault {
            Fault::Unusable(words) => words.clone(),
            fault => format!("{} {fault}", self.name()),
        };
        self.notices.push(notice);
    }

    /// Values all moves at all depths. Stopped early, it gives the last completed depth.
    pub fn evaluate(
        &mut self,
        game: &Game,
        request: &EvaluationRequest,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        let legal = game.position().legal_moves().into_iter();
        let is_asked = |m: &Move| request.moves.is_empty() || request.moves.contains(m);
        let moves: Vec<Move> = legal.filter(is_asked).collect();
        if moves.is_empty() {
            return RootEvaluation::default();
        }
        let started = Instant::now();
        let work = Work { game, request, controls, started };
        let evaluation = self.attempt(controls, |analyst| analyst.value_all(&work, &moves));
        let evaluation = evaluation.unwrap_or_default();
        if evaluation.depth > 0 {
            observer.depth_completed(&evaluation, started.elapsed());
        }
        evaluation
    }

    /// Does something with the engine, and again with another one if it failed.
    pub(super) fn attempt<T>(
        &mut self,
        controls: &Controls,
        mut work: impl FnMut(&mut Analyst) -> Result<T, Fault>,
    ) -> Option<T> {
        self.fault = None;
        for _ in 0..ATTEMPTS {
            match work(self) {
                Ok(done) => {
                    self.fault = None;
                    return Some(done);
                }
                Err(fault) => {
                    self.note(&fault);
                    self.fault = Some(fault);
                }
            }
            if controls.is_stopped() {
                break;
            }
        }
        None
    }

    fn value_all(&mut self, work: &Work<'_>, moves: &[Move]) -> Result<RootEvaluation, Fault> {
        let Work { game, request, .. } = *work;
        self.prepare(game)?;
        self.dialogue.tell("OwnBook", "false")?;
        if !self.dialogue.is_set("Threads") {
            self.dialogue.tell("Threads", "1")?;
        }
        self.dialogue.send("ucinewgame")?;
        self.dialogue.synchronise()?;
        self.new_game = false;
        let most = self.most_lines();
        let lines = moves.len().min(most);
        let mut sheet = Sheet::new(game.position(), moves, request.depth);
        let mut ended = true;
        if lines == moves.len() || lines > 1 {
            self.dialogue.tell("MultiPV", &lines.to_string())?;
            let asked = if request.moves.is_empty() { &[][..] } else { moves };
            let question = Question { game, moves: asked, depth: request.depth };
            ended = self.search(work, &question, &mut sheet, |sheet, info| sheet.take(info))?;
        }
        // Of many moves and few lines some come and go from one depth to the next.
        let behind = if lines < moves.len() { sheet.with_gaps() } else { sheet.behind() };
        let mut is_whole = ended;
        if ended && !behind.is_empty() {
            if lines < moves.len() {
                self.tell_of_lines(most);
            }
            is_whole = self.value_singly(work, &behind, lines == 1, &mut sheet)?;
        }
        // What was not shown among several lines is less than those.
        let bounded = ended && lines > 1 && request.nodes.is_none();
        let missing = sheet.silent();
        let evaluation = sheet.finish(bounded || (is_whole && request.nodes.is_none()));
        if evaluation.depth == 0 && is_whole && request.nodes.is_none() {
            let fault = Fault::Unusable(format!("{} gives moves no values", self.name()));
            return Err(self.dialogue.fail(fault));
        }
        if evaluation.depth > 0 && missing > 0 {
            let (name, fen) = (self.name(), game.position().fen());
            let notice = format!(
                "{name} says nothing of {missing} moves of {fen}: they count as no better than the \
                 others"
            );
            self.notices.push(notice);
        }
        Ok(evaluation)
    }

    /// The engine is there, idle, and knows how castling is written.
    pub(super) fn prepare(&mut self, game: &Game) -> Result<(), Fault> {
        self.dialogue.start()?;
        self.dialogue.synchronise()?;
        self.dialogue.tell_of_castling(game.position().is_chess960())
    }

    /// How many lines it can show.
    pub(super) fn most_lines(&self) -> usize {
        let most = self.dialogue.find("MultiPV").map(|option| option.max.unwrap_or(1));
        most.and_then(|most| usize::try_from(most).ok()).unwrap_or(1).max(1)
    }

    fn tell_of_lines(&mut self, most: usize) {
        if !std::mem::replace(&mut self.told_of_lines, true) {
            let name = self.name();
            let notice = format!(
                "{name} shows at most {most} lines: where there are more moves, the others are \
                 searched one by one, which takes longer"
            );
            self.notices.push(notice);
        }
    }
}
