//! The conversation: a line is read, answered, and the board shown again.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::SystemTime;

use super::board::Style;
use super::keeper::Keeper;
use super::table::{Over, Table, number};
use super::words::{self, HELP, Words};
use crate::arena::{Contestant, EngineSpec, Handicap, Own, PlayerSpec, Request};
use crate::board::{Colour, Move};
use crate::player::{Aim, Engine, Imitating, Library, Manner};
use crate::search::{Controls, Limits, Silent};
use crate::value::Value;

/// How long a hint and an answer to an offer are thought about.
const ADVICE_NODES: u64 = 500_000;
/// MiB of table for that.
const ADVICE_HASH: usize = 16;
/// From this move on a level game may be given up as drawn.
const LATE: u32 = 30;
/// Values nearer to zero than this are level, in centipawns; to move first is worth as much.
const LEVEL: i32 = 30;
/// Who is behind by so much would rather have a draw, in centipawns.
const WORSE: i32 = 100;
/// Fewer telling moves than this do not show how strong somebody is.
const FEWEST_MOVES: usize = 8;

pub(super) struct Session {
    table: Table,
    style: Style,
    opponent: Own,
    spec: PlayerSpec,
    name: String,
    is_imitator: bool,
    /// Advises at full strength, and values what the human chooses among.
    adviser: Engine,
    /// Says how strong the human is.
    judge: Imitating,
    keeper: Option<Keeper>,
    /// What was last to be kept is.
    is_kept: bool,
    began: SystemTime,
    on_terminal: bool,
}

impl Session {
    pub fn new(
        table: Table,
        spec: &PlayerSpec,
        library: Library,
        style: Style,
        save: Option<&Path>,
    ) -> anyhow::Result<Session> {
        let EngineSpec::Own(own) = &spec.engine else { anyhow::bail!("the opponent is Stopdown") };
        let name = match own.handicap {
            Handicap::None => own.label.clone(),
            _ => format!("Stopdown ({})", own.label),
        };
        let mut opponent = Own::new(spec, own, 0, None).with_tables(library);
        opponent.begin(&table.game, 1)?;
        Ok(Session {
            opponent,
            spec: spec.clone(),
            name,
            is_imitator: matches!(own.handicap, Handicap::Imitator(_)),
            adviser: Engine::built_in(ADVICE_HASH),
            judge: Imitating::of_stranger(Manner::usual(Aim::Equal)),
            keeper: save.map(Keeper::new),
            is_kept: false,
            began: SystemTime::now(),
            on_terminal: io::stdin().is_terminal(),
            table,
            style,
        })
    }

    /// Plays until the human leaves or his input ends.
    pub fn run(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
        self.greet(out)?;
        self.go_on(out)?;
        let mut line = Vec::new();
        loop {
            self.prompt(out)?;
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                writeln!(out)?;
                break;
            }
            let text = String::from_utf8_lossy(&line).trim().to_owned();
            if !self.on_terminal {
                writeln!(out, "{text}")?;
            }
            let is_over = self.table.over().is_some();
            match words::read(&text, self.table.game.position()) {
                Ok(Words::Quit) => break,
                Ok(Words::Play(_) | Words::Hint | Words::Draw | Words::Resign) | Err(_)
                    if is_over =>
                {
                    writeln!(out, "The game is over; undo takes back, pgn shows it, quit leaves")?;
                }
                Ok(words) => self.obey(words, out)?,
                Err(message) => writeln!(out, "{message}")?,
            }
        }
        if let (Some(keeper), true) = (&self.keeper, self.table.game.ply() > 0) {
            let path = keeper.path().display();
            anyhow::ensure!(self.is_kept, "the game is not in {path}: it could not be saved");
            writeln!(out, "The game is in {path}")?;
        }
        Ok(())
    }

    fn greet(&self, out: &mut dyn Write) -> io::Result<()> {
        let [own, other] = match self.table.human {
            Colour::White => ["White", "Black"],
            Colour::Black => ["Black", "White"],
        };
        writeln!(out, "{} plays {other}; you have {own}.", self.name)?;
        if let Some(handicap) = self.opponent.handicap() {
            writeln!(out, "{}", self.style.faint(&handicap))?;
        }
        writeln!(out, "Type a move, as Nf3 or g1f3, or help.\n")
    }

    fn prompt(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.table.over() {
            None => write!(out, "{} ", number(self.table.game.position()))?,
            Some(_) => write!(out, "> ")?,
        }
        out.flush()
    }

    fn obey(&mut self, words: Words, out: &mut dyn Write) -> anyhow::Result<()> {
        let position = self.table.game.position();
        match words {
            Words::Nothing | Words::Quit => {}
            Words::Play(m) => {
                self.table.play(m, None);
                self.go_on(out)?;
            }
            Words::Undo => match self.table.undo() {
                true => {
                    self.save(out)?;
                    self.show(out)?;
                }
                false => writeln!(out, "There is no move of yours to take back")?,
            },
            Words::Hint => {
                let (best, value) = self.advice();
                let san = best.map(|m| self.table.game.position().san(m)).unwrap_or_default();
                writeln!(out, "{san}, which is worth {value} to you")?;
            }
            Words::Moves => {
                let moves = position.legal_moves();
                writeln!(out, "{} moves: {}", moves.len(), words::list(position, &moves))?;
            }
            Words::Board => self.show(out)?,
            Words::Flip => {
                self.style.below = !self.style.below;
                self.show(out)?;
            }
            Words::Fen => writeln!(out, "{}", position.fen())?,
            Words::Pgn(None) => write!(out, "{}", self.pgn())?,
            Words::Pgn(Some(file)) => self.save_as(Path::new(&file), out)?,
            Words::Draw => {
                if self.takes_draw() {
                    self.table.end(Over::Agreed);
                    self.go_on(out)?;
                } else {
                    writeln!(out, "{} plays on", self.name)?;
                }
            }
            Words::Resign => {
                self.table.end(Over::Resigned);
                self.go_on(out)?;
            }
            Words::Help => writeln!(out, "{HELP}")?,
        }
        Ok(())
    }

    /// Lets the opponent move if it is his turn, saves, and shows where things stand.
    fn go_on(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut answer = None;
        if self.table.over().is_none() && !self.table.is_humans_turn() {
            let request = Request::without_clock(&self.table.game, &self.spec);
            let choice = self.opponent.choose(&request)?;
            let position = self.table.game.position();
            answer = Some(format!("{} {}", number(position), position.san(choice.mv)));
            self.table.play(choice.mv, Some(choice));
        }
        self.save(out)?;
        if let Some(answer) = answer {
            writeln!(out, "{}", self.style.strong(&answer))?;
        }
        self.show(out)?;
        if let Some(verdict) = self.table.verdict() {
            writeln!(out, "{}.", self.style.strong(&verdict))?;
            let judgement = self.judge_human();
            let too_few = "Too few of your moves told anything about your strength.".to_owned();
            writeln!(out, "{}", judgement.unwrap_or(too_few))?;
        } else if let (true, Some(judgement)) = (self.is_imitator, self.judge_human()) {
            writeln!(out, "{}\n", self.style.faint(&judgement))?;
        }
        Ok(())
    }

    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let title = |colour: Colour| {
            let name = if colour == self.table.human { "You" } else { &*self.name };
            let more = self.table.material(colour);
            let more = if more > 0 { format!("  +{more}") } else { String::new() };
            let turn = self.table.game.position().turn() == colour && self.table.over().is_none();
            format!("{} {}{more}", if turn { ">" } else { " " }, self.style.strong(name))
        };
        let lines = self.table.move_lines();
        let latest =
            lines[lines.len().saturating_sub(5)..].iter().map(|line| format!("    {line}"));
        let mut notes = vec![title(!self.style.below)];
        notes.extend(latest);
        notes.resize(7, String::new());
        notes.push(title(self.style.below));
        writeln!(out, "\n{}", self.style.draw(&self.table.game, &notes))
    }

    /// What the human's moves say about him, once they are enough.
    fn judge_human(&mut self) -> Option<String> {
        let (game, human) = (&self.table.game, self.table.human);
        let estimate = self.judge.judge(&mut self.adviser, game, human);
        let (low, high) = estimate.posterior.interval(0.9);
        (estimate.informative >= FEWEST_MOVES).then(|| {
            format!(
            "Your {} telling moves are most like those of a player of {:.0} FIDE Elo (90 %: {low:.0} to \
             {high:.0}).",
            estimate.informative,
            estimate.posterior.mean()
        )})
    }

    /// The best move for the human, and what it is worth to him.
    fn advice(&mut self) -> (Option<Move>, Value) {
        let limits = Limits::nodes(ADVICE_NODES);
        self.adviser.clear();
        let game = &self.table.game;
        let best = self.adviser.best_move(game, &limits, &Controls::new(), &mut Silent);
        (best.mv, best.value)
    }

    /// A draw is taken by who stands worse, or late in the game if nobody stands better.
    fn takes_draw(&mut self) -> bool {
        let (_, value) = self.advice();
        let is_late = self.table.game.position().fullmoves() >= LATE;
        value.raw() >= WORSE || is_late && value.raw() >= -LEVEL
    }

    fn pgn(&self) -> String {
        self.table.pgn(&self.name, self.opponent.handicap(), self.began)
    }

    /// Trouble with the file is told; the game goes on.
    fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let pgn = self.pgn();
        let Some(keeper) = self.keeper.as_mut().filter(|_| self.table.game.ply() > 0) else {
            return Ok(());
        };
        let kept = keeper.keep(pgn);
        self.is_kept = kept.is_ok();
        if let Err(error) = kept {
            let path = keeper.path().display();
            writeln!(
                out,
                "The game could not be saved in {path}: {error}; pgn FILE saves it elsewhere"
            )?;
        }
        Ok(())
    }

    /// From now on the game is kept in this file.
    fn save_as(&mut self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        if self.keeper.as_ref().is_none_or(|keeper| keeper.path() != path) {
            self.keeper = Some(Keeper::new(path));
        }
        writeln!(out, "The game is kept in {} from now on", path.display())?;
        self.save(out)
    }
}
