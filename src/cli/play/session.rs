//! The conversation: a line is read, answered, and the board shown again.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::time::SystemTime;

use super::board::Style;
use super::{HELP, Keeper, Words, read_words};
use crate::arena::PlayerClock;
use crate::board::Colour;
use crate::search::Controls;
use crate::sparring::{
    Adviser, FEWEST_MOVES, Opponent, OpponentSpec, OpponentTurn, Over, SidePlayer, SparringTable,
    list,
};
use crate::uci::{InputLine, read_line};

/// What ends a game that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndOfGame {
    Quit,
    New,
}

pub(super) struct TerminalSession {
    table: SparringTable,
    style: Style,
    opponent: Opponent,
    /// Who the opponent is, so that it can be made again with another rating, and what it draws its moves
    /// from where no seed is given.
    made: (OpponentSpec, u64),
    /// The opponent would have a draw, and has no answer yet.
    is_offered: bool,
    /// What would end the game under way was typed, and has to be typed again.
    asked: Option<EndOfGame>,
    adviser: Adviser,
    pub(super) keeper: Option<Keeper>,
    /// What was last to be kept is.
    is_kept: bool,
    began: SystemTime,
    on_terminal: bool,
}

impl TerminalSession {
    pub fn new(
        table: SparringTable,
        made: (OpponentSpec, u64),
        mut opponent: Opponent,
        style: Style,
    ) -> anyhow::Result<TerminalSession> {
        opponent.begin(&table.game)?;
        Ok(TerminalSession {
            opponent,
            is_offered: false,
            asked: None,
            adviser: Adviser::default(),
            keeper: None,
            is_kept: false,
            began: SystemTime::now(),
            on_terminal: io::stdin().is_terminal(),
            made,
            table,
            style,
        })
    }

    /// Plays until the human leaves or the input ends.
    pub fn run(&mut self, mut input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
        self.greet(out)?;
        self.go_on(out)?;
        loop {
            self.prompt(out)?;
            let text = match read_line(&mut input)? {
                Some(InputLine::Text(line)) => line.trim().to_owned(),
                Some(InputLine::TooLong(length)) => format!("({length} bytes)"),
                None => {
                    writeln!(out)?;
                    break;
                }
            };
            if !self.on_terminal {
                writeln!(out, "{text}")?;
            }
            let is_over = self.table.over().is_some();
            let asked = self.asked.take();
            match read_words(&text, self.table.game.position()) {
                Ok(Words::Quit) if self.table.is_under_way() && asked != Some(EndOfGame::Quit) => {
                    self.asked = Some(EndOfGame::Quit);
                    writeln!(out, "Leave the game? It is {}; type quit again", self.whereabouts())?;
                }
                // One that is kept is not lost by another.
                Ok(Words::New(_))
                    if self.table.is_under_way()
                        && !self.is_kept
                        && asked != Some(EndOfGame::New) =>
                {
                    self.asked = Some(EndOfGame::New);
                    writeln!(
                        out,
                        "Give the game up? It is {}; type new again",
                        self.whereabouts()
                    )?;
                }
                Ok(Words::Quit) => break,
                Ok(Words::Play(_) | Words::Hint | Words::Draw | Words::Resign) | Err(_)
                    if is_over =>
                {
                    writeln!(
                        out,
                        "The game is over; new starts another, undo takes back, pgn shows it, quit leaves"
                    )?;
                }
                Ok(words) => self.obey(words, out)?,
                Err(message) => writeln!(out, "{message}")?,
            }
        }
        if let (Some(keeper), true) = (&self.keeper, self.table.game.ply() > 0) {
            let path = keeper.path.display();
            anyhow::ensure!(self.is_kept, "the game is not in {path}: it could not be saved");
            writeln!(out, "The game is in {path}")?;
        }
        Ok(())
    }

    /// Where the game is, to be told to who is about to leave it.
    fn whereabouts(&self) -> String {
        match self.keeper.as_ref().filter(|_| self.is_kept) {
            Some(keeper) => format!("saved in {}", keeper.path.display()),
            None => "not saved (pgn FILE saves it)".to_owned(),
        }
    }

    fn greet(&self, out: &mut dyn Write) -> io::Result<()> {
        let [own, other] = match self.table.human {
            Colour::White => ["White", "Black"],
            Colour::Black => ["Black", "White"],
        };
        writeln!(out, "{} plays {other}; you have {own}.", self.opponent.name)?;
        // Later games depend on how many there were.
        if let Some(seed) = self.opponent.seed().filter(|_| self.opponent.games == 1) {
            let again = format!("With --seed {seed} it plays the same game again.");
            writeln!(out, "{}", self.style.faint(&again))?;
        }
        writeln!(out, "Type a move, as Nf3 or g1f3, or help.\n")
    }

    fn prompt(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.table.over() {
            None => write!(out, "{} ", self.table.game.position().move_number())?,
            Some(_) => write!(out, "> ")?,
        }
        out.flush()
    }

    fn obey(&mut self, words: Words, out: &mut dyn Write) -> anyhow::Result<()> {
        let position = self.table.game.position();
        match words {
            Words::Nothing | Words::Quit => {}
            Words::Play(m) => {
                if std::mem::take(&mut self.is_offered) {
                    self.opponent.decline(self.table.game.ply());
                }
                self.table.play(m, None);
                self.go_on(out)?;
            }
            Words::Undo => match self.table.undo() {
                true => {
                    self.is_offered = false;
                    self.save(out)?;
                    self.show(out)?;
                }
                false => writeln!(out, "There is no move of yours to take back")?,
            },
            Words::Hint => {
                let (best, value) = self.adviser.advice(&self.table.game);
                let san = best.map(|m| self.table.game.position().san(m)).unwrap_or_default();
                writeln!(out, "{san}, which is worth {value} to you")?;
            }
            Words::Moves => {
                let moves = position.legal_moves();
                writeln!(out, "{} moves: {}", moves.len(), list(position, &moves))?;
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
                if self.is_offered || self.adviser.takes_draw(&self.table.game) {
                    self.table.end(Over::Agreed);
                    self.go_on(out)?;
                } else {
                    writeln!(out, "{} plays on", self.opponent.name)?;
                }
            }
            Words::Resign => {
                self.table.end(Over::Resigned(self.table.human));
                self.go_on(out)?;
            }
            Words::New(colour) => self.start_anew(colour.unwrap_or(!self.table.human), out)?,
            Words::Level(elo) => self.set_level(elo, out)?,
            Words::Help => writeln!(out, "{HELP}")?,
        }
        Ok(())
    }

    /// Another game from where this one began, with the human on this side.
    fn start_anew(&mut self, human: Colour, out: &mut dyn Write) -> anyhow::Result<()> {
        self.table = SparringTable::new(self.table.game.start().clone(), human);
        self.opponent.begin(&self.table.game)?;
        // Of this game and no other: the file has the last one as it was left.
        self.keeper = self.keeper.take().map(|keeper| Keeper::new(&keeper.path));
        (self.is_offered, self.is_kept, self.began) = (false, false, SystemTime::now());
        self.style.below = human;
        self.greet(out)?;
        self.go_on(out)
    }

    fn set_level(&mut self, elo: f64, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(spec) = self.made.0.rated(elo) else {
            writeln!(
                out,
                "{} has no rating to be changed; play --elo 1500 has",
                self.opponent.name
            )?;
            return Ok(());
        };
        self.opponent.become_another(spec.make(self.made.1)?, &self.table.game)?;
        let introduction = spec.introduction().unwrap_or_default();
        writeln!(out, "From the next move on your opponent is {introduction}.")?;
        Ok(())
    }

    /// Lets the opponent move if it is its turn, saves, and shows where things stand.
    fn go_on(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        self.is_offered = false;
        let mut answer = None;
        if self.table.over().is_none() && !self.table.is_humans_turn() {
            let position = self.table.game.position();
            let shown = |m| format!("{} {}", position.move_number(), position.san(m));
            match self.opponent.answer(
                &self.table,
                [PlayerClock::new(None); 2],
                &Controls::new(),
            )? {
                OpponentTurn::Resigns => self.table.end(Over::Resigned(!self.table.human)),
                OpponentTurn::Plays(choice) => {
                    answer = Some(shown(choice.mv));
                    self.table.play(choice.mv, Some(choice));
                }
                OpponentTurn::Offers(choice) => {
                    answer = Some(shown(choice.mv));
                    self.table.play(choice.mv, Some(choice));
                    self.is_offered = self.table.over().is_none();
                }
            }
        }
        self.save(out)?;
        if let Some(answer) = answer {
            writeln!(out, "{}", self.style.strong(&answer))?;
        }
        self.show(out)?;
        if self.is_offered {
            let name = &self.opponent.name;
            writeln!(out, "{name} offers a draw: draw accepts it, a move declines it")?;
        }
        if let Some(verdict) = self.table.verdict() {
            writeln!(out, "{}.", self.style.strong(&verdict))?;
            let judgement = self.judge_human();
            let too_few = "Too few of your moves told anything about your strength.".to_owned();
            writeln!(out, "{}", judgement.unwrap_or(too_few))?;
        } else if let (true, Some(judgement)) = (self.opponent.is_imitator, self.judge_human()) {
            writeln!(out, "{}\n", self.style.faint(&judgement))?;
        }
        Ok(())
    }

    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let title = |colour: Colour| {
            let name = if colour == self.table.human { "You" } else { &*self.opponent.name };
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

    /// What the human's moves say about their player, once they are enough.
    fn judge_human(&mut self) -> Option<String> {
        let (game, human) = (&self.table.game, self.table.human);
        let estimate = self.adviser.judge(game, human, &Controls::new());
        let (low, high) = estimate.interval(0.9);
        (estimate.informative >= FEWEST_MOVES).then(|| {
            format!(
            "Your {} informative moves are most like those of a player of {:.0} FIDE Elo (90 %: {low:.0} to \
             {high:.0}).",
            estimate.informative,
            estimate.posterior.median()
        )})
    }

    fn pgn(&self) -> String {
        let mut seats = [self.opponent.seat(), SidePlayer::default()];
        if self.table.human == Colour::White {
            seats.reverse();
        }
        self.table.pgn(&seats, self.began)
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
            let path = keeper.path.display();
            writeln!(
                out,
                "The game could not be saved in {path}: {error}; pgn FILE saves it elsewhere"
            )?;
        }
        Ok(())
    }

    /// From now on the game is kept in this file.
    fn save_as(&mut self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        if self.keeper.as_ref().is_none_or(|keeper| keeper.path != path) {
            self.keeper = Some(Keeper::new(path));
        }
        writeln!(out, "The game is kept in {} from now on", path.display())?;
        self.save(out)
    }
}
