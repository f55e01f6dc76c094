//! The interactive session: reads a line, carries it out, and shows the board again.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::board::Style;
use super::game_saver::GameSaver;
use super::user_command::{HELP, UserCommand, parse_command};
use crate::arena::PlayerClock;
use crate::board::{Colour, colour_index};
use crate::player::{ScaledRating, Sources};
use crate::session::{
    CasualGame, GameSession, GameSetup, GameState, OpponentSpec, RatingPoint, list, open_game,
};
use crate::uci::{InputLine, read_line};

/// The commands that abandon an unfinished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndOfGame {
    Quit,
    New,
}

pub(super) struct TerminalSession {
    session: Arc<GameSession>,
    style: Style,
    /// The opponent's specification, which is needed to change its rating. The number is the seed
    /// for its moves if the specification has none.
    opponent_spec: (OpponentSpec, u64),
    /// The number of games started.
    games: u64,
    /// The user's rating, if it is known.
    pub(super) own_rating: Option<ScaledRating>,
    /// Whether the PGN has comments on the opponent's moves.
    pub(super) is_detailed: bool,
    /// The command that would abandon the game. It must be entered twice.
    pending_confirmation: Option<EndOfGame>,
    pub(super) saver: Option<GameSaver>,
    /// Whether the file contains the current state of the game.
    is_saved: bool,
    on_terminal: bool,
}

/// A timeout that should never expire.
const MAX_WAIT: Duration = Duration::from_secs(3600);

impl TerminalSession {
    pub fn new(
        start: CasualGame,
        sources: Sources,
        opponent_spec: (OpponentSpec, u64),
        style: Style,
    ) -> anyhow::Result<TerminalSession> {
        let setup = setup(start, &opponent_spec)?;
        Ok(TerminalSession {
            session: open_game(setup, sources)?,
            style,
            opponent_spec,
            games: 1,
            own_rating: None,
            is_detailed: false,
            pending_confirmation: None,
            saver: None,
            is_saved: false,
            on_terminal: io::stdin().is_terminal(),
        })
    }

    /// Waits until the condition holds.
    fn wait_until(&self, condition: impl Fn(&GameState) -> bool) {
        loop {
            let (seen, is_over) = self.session.look(|state| (state.version, condition(state)));
            if is_over {
                return;
            }
            self.session.wait(seen, MAX_WAIT, |_| ());
        }
    }

    /// Waits until the engines are set up.
    fn wait_for_set_up(&self) -> anyhow::Result<()> {
        self.wait_until(|state| state.are_engines_ready() || state.problem.is_some());
        self.check_problem()
    }

    /// Waits until no engine has anything left to do for the user.
    fn wait_for_engine(&self) -> anyhow::Result<()> {
        self.wait_until(|state| !state.awaits_engine());
        self.check_problem()
    }

    /// Returns an error if the game cannot go on.
    fn check_problem(&self) -> anyhow::Result<()> {
        let problem = self.session.look(|state| state.problem.clone());
        problem.map_or(Ok(()), |problem| Err(anyhow::Error::msg(problem)))
    }

    /// The current game.
    fn casual(&self) -> CasualGame {
        self.session.look(|state| state.casual.clone())
    }

    /// The opponent's name.
    fn name(&self) -> String {
        self.session.look(|state| state.players[colour_index(!state.casual.human)].name.clone())
    }

    /// Plays until the user quits or the input ends.
    pub fn run(&mut self, mut input: &mut dyn BufRead, out: &mut dyn Write) -> anyhow::Result<()> {
        self.greet(out)?;
        self.continue_game(0, out)?;
        loop {
            let casual = self.casual();
            prompt(&casual, out)?;
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
            let is_over = casual.over().is_some();
            let pending_confirmation = self.pending_confirmation.take();
            match parse_command(&text, casual.game.position()) {
                Ok(UserCommand::Quit)
                    if casual.is_running() && pending_confirmation != Some(EndOfGame::Quit) =>
                {
                    self.pending_confirmation = Some(EndOfGame::Quit);
                    writeln!(
                        out,
                        "Leave the game? It is {}. To leave, type quit again.",
                        self.where_saved()
                    )?;
                }
                // If the game has been saved, starting a new one does not lose it.
                Ok(UserCommand::New(_))
                    if casual.is_running()
                        && !self.is_saved
                        && pending_confirmation != Some(EndOfGame::New) =>
                {
                    self.pending_confirmation = Some(EndOfGame::New);
                    writeln!(
                        out,
                        "Abandon the game? It is {}. To start a new one, type new again.",
                        self.where_saved()
                    )?;
                }
                Ok(UserCommand::Quit) => break,
                Ok(
                    UserCommand::Play(_)
                    | UserCommand::Hint
                    | UserCommand::Draw
                    | UserCommand::Resign,
                )
                | Err(_)
                    if is_over =>
                {
                    writeln!(
                        out,
                        "The game is over. Type new for another game, undo to take back a move, \
                         pgn to show the game, or quit to leave."
                    )?;
                }
                Ok(command) => self.execute(command, out)?,
                Err(message) => writeln!(out, "{message}")?,
            }
        }
        if let (Some(saver), true) = (&self.saver, self.casual().game.ply() > 0) {
            let path = saver.path.display();
            anyhow::ensure!(self.is_saved, "the game could not be saved in {path}");
            writeln!(out, "The game is saved in {path}")?;
        }
        Ok(())
    }

    /// Completes the sentence "The game is ...".
    fn where_saved(&self) -> String {
        match self.saver.as_ref().filter(|_| self.is_saved) {
            Some(saver) => format!("saved in {}", saver.path.display()),
            None => "not saved (to save it, type pgn FILE)".to_owned(),
        }
    }

    fn greet(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        self.wait_for_set_up()?;
        let own = match self.casual().human {
            Colour::White => "White",
            Colour::Black => "Black",
        };
        writeln!(out, "You play {own} against {}.", self.name())?;
        let (opponent, fresh_seed) = &self.opponent_spec;
        if let Some(seed) = opponent.seed(*fresh_seed) {
            // The moves in later games depend on the earlier games.
            let games = match self.games {
                1 => "this game".to_owned(),
                games => format!("these {games} games"),
            };
            let again = format!("To repeat {games}, use --seed {seed}.");
            writeln!(out, "{}", self.style.dim(&again))?;
        }
        writeln!(out, "Type a move such as Nf3 or g1f3, or help.\n")?;
        Ok(())
    }

    fn execute(&mut self, command: UserCommand, out: &mut dyn Write) -> anyhow::Result<()> {
        let casual = self.casual();
        let position = casual.game.position();
        match command {
            UserCommand::Nothing | UserCommand::Quit => {}
            UserCommand::Play(m) => {
                let text = position.uci(m);
                self.command(|state| state.play(&text), out)?;
            }
            UserCommand::Undo => match self.session.change(GameState::take_back) {
                Ok(()) => {
                    self.save(out)?;
                    self.show(out)?;
                }
                Err(_) => writeln!(out, "You have no move to take back")?,
            },
            UserCommand::Hint => self.show_hint(out)?,
            UserCommand::Moves => {
                let moves = position.legal_moves();
                writeln!(out, "{} legal moves: {}", moves.len(), list(position, &moves))?;
            }
            UserCommand::Board => self.show(out)?,
            UserCommand::Flip => {
                self.style.below = !self.style.below;
                self.show(out)?;
            }
            UserCommand::Fen => writeln!(out, "{}", position.fen())?,
            UserCommand::Pgn(None) => write!(out, "{}", self.pgn())?,
            UserCommand::Pgn(Some(file)) => self.save_as(Path::new(&file), out)?,
            UserCommand::Draw => self.offer_draw(out)?,
            UserCommand::Resign => self.command(GameState::resign, out)?,
            UserCommand::New(colour) => {
                self.start_new_game(colour.unwrap_or(!casual.human), out)?
            }
            UserCommand::Level(elo) => self.set_level(elo, out)?,
            UserCommand::Help => writeln!(out, "{HELP}")?,
        }
        Ok(())
    }

    /// Runs a command on the game and shows the result.
    fn command(
        &mut self,
        act: impl FnOnce(&mut GameState) -> Result<(), String>,
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        let (done, plies) = self.session.change(|state| (act(state), state.casual.game.ply()));
        match done {
            Ok(()) => self.continue_game(plies, out),
            Err(error) => Ok(writeln!(out, "{error}")?),
        }
    }

    fn show_hint(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        if let Err(error) = self.session.change(GameState::ask_for_hint) {
            return Ok(writeln!(out, "{error}")?);
        }
        self.wait_for_engine()?;
        if let Some((best, value)) = self.session.look(|state| state.hint) {
            let san = self.casual().game.position().san(best);
            writeln!(out, "{san}, score {value} for you")?;
        }
        Ok(())
    }

    fn offer_draw(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        if let Err(error) = self.session.change(GameState::draw) {
            return Ok(writeln!(out, "{error}")?);
        }
        self.wait_for_engine()?;
        let casual = self.casual();
        match casual.over() {
            Some(_) => self.continue_game(casual.game.ply(), out),
            None => Ok(writeln!(out, "{} declines the draw", self.name())?),
        }
    }

    /// Starts a new game from the same position. The human plays this side.
    fn start_new_game(&mut self, human: Colour, out: &mut dyn Write) -> anyhow::Result<()> {
        let start = CasualGame::new(self.casual().game.start().clone(), human);
        let (setup, plies) = (setup(start, &self.opponent_spec)?, 0);
        self.session.change(|state| state.start_new_game(setup));
        self.games += 1;
        // Append the new game to the file instead of replacing the previous one.
        self.saver = self.saver.take().map(|saver| GameSaver::new(&saver.path));
        self.is_saved = false;
        self.style.below = human;
        self.greet(out)?;
        self.continue_game(plies, out)
    }

    fn set_level(&mut self, elo: f64, out: &mut dyn Write) -> anyhow::Result<()> {
        let Some(spec) = self.opponent_spec.0.rated(elo) else {
            writeln!(
                out,
                "The level of this opponent cannot be changed; to play against a rated \
                 opponent, start with stopdown play --elo 1500"
            )?;
            return Ok(());
        };
        let opponent_spec = match spec.make(self.opponent_spec.1) {
            Ok(made) => made,
            Err(error) => return Ok(writeln!(out, "{error}")?),
        };
        // A finished game keeps the level that it was played at.
        let is_over = self.casual().over().is_some();
        if !is_over {
            self.session.change(|state| state.change_opponent(opponent_spec));
            self.wait_for_set_up()?;
        }
        let introduction = spec.introduction().unwrap_or_default();
        self.opponent_spec.0 = spec;
        let from = if is_over { "game" } else { "move" };
        writeln!(out, "From the next {from} on, your opponent plays {introduction}.")?;
        Ok(())
    }

    /// Waits for the engine's move if it is the engine's turn, saves the game, and shows the state.
    /// `plies` is the number of plies already shown.
    fn continue_game(&mut self, plies: usize, out: &mut dyn Write) -> anyhow::Result<()> {
        self.wait_for_engine()?;
        let (casual, is_offered) =
            self.session.look(|state| (state.casual.clone(), state.is_offered));
        self.save(out)?;
        let answer = casual.game.moves().last().filter(|_| casual.game.ply() > plies);
        if let Some(&answer) = answer {
            let before = casual.game.until(casual.game.ply() - 1);
            let position = before.position();
            let answer = format!("{} {}", position.move_number(), position.san(answer));
            writeln!(out, "{}", self.style.bold(&answer))?;
        }
        self.show(out)?;
        if is_offered {
            let name = self.name();
            writeln!(
                out,
                "{name} offers a draw. Type draw to accept it, or play a move to decline."
            )?;
        }
        if let Some(verdict) = casual.verdict() {
            writeln!(out, "{}.", self.style.bold(&verdict))?;
            if let Some(point) = self.rating_point() {
                writeln!(out, "{}", point.sentence(None))?;
            }
        } else if self.opponent_spec.0.player.imitator.is_some()
            && let Some(point) = self.rating_point()
            && point.shown().is_some()
        {
            writeln!(out, "{}\n", self.style.dim(&point.sentence(None)))?;
        }
        Ok(())
    }

    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let (casual, opponent) = (self.casual(), self.name());
        let title = |colour: Colour| {
            let name = if colour == casual.human { "You" } else { &*opponent };
            let more = casual.material(colour);
            let more = if more > 0 { format!("  +{more}") } else { String::new() };
            let turn = casual.game.position().turn() == colour && casual.over().is_none();
            format!("{} {}{more}", if turn { ">" } else { " " }, self.style.bold(name))
        };
        let lines = casual.move_lines();
        let latest =
            lines[lines.len().saturating_sub(5)..].iter().map(|line| format!("    {line}"));
        let mut notes = vec![title(!self.style.below)];
        notes.extend(latest);
        notes.resize(7, String::new());
        notes.push(title(self.style.below));
        writeln!(out, "\n{}", self.style.draw(&casual.game, &notes))
    }

    /// The rating that the human's moves suggest so far.
    fn rating_point(&self) -> Option<RatingPoint> {
        self.wait_until(GameState::ratings_are_final);
        self.session.look(|state| state.ratings[colour_index(state.casual.human)].last().copied())
    }

    fn pgn(&self) -> String {
        self.session.look(|state| state.pgn(self.own_rating, self.is_detailed))
    }

    /// Saves the game. If that fails, reports the problem and continues the game.
    fn save(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let casual = self.casual();
        // If all moves have been taken back, the game is removed from the file.
        let has_moves = casual.game.ply() > 0;
        let pgn = if has_moves { self.pgn() } else { String::new() };
        let Some(saver) = self.saver.as_mut().filter(|saver| has_moves || saver.has_game()) else {
            return Ok(());
        };
        let result = saver.save(pgn, casual.over().is_some());
        self.is_saved = result.is_ok() && has_moves;
        if let Err(error) = result {
            let path = saver.path.display();
            writeln!(
                out,
                "The game could not be saved in {path}: {error}. To save it elsewhere, type pgn FILE."
            )?;
        }
        Ok(())
    }

    /// Saves the game in this file from now on. If that fails, continues to save it in the old one.
    fn save_as(&mut self, path: &Path, out: &mut dyn Write) -> io::Result<()> {
        let shown = path.display();
        if self.saver.as_ref().is_none_or(|saver| saver.path != path) {
            let mut saver = GameSaver::new(path);
            let casual = self.casual();
            let saved = saver.check().and_then(|()| match casual.game.ply() {
                0 => Ok(()),
                _ => saver.save(self.pgn(), casual.over().is_some()),
            });
            if let Err(error) = saved {
                let place = self.where_saved();
                return writeln!(
                    out,
                    "The game could not be saved in {shown}: {error}. It is {place}."
                );
            }
            self.saver = Some(saver);
            self.is_saved = casual.game.ply() > 0;
        }
        writeln!(out, "From now on, the game is saved in {shown}")?;
        self.save(out)
    }
}

/// Creates a game without clocks against this opponent.
fn setup(start: CasualGame, opponent_spec: &(OpponentSpec, u64)) -> anyhow::Result<GameSetup> {
    let (opponent, fresh_seed) = opponent_spec;
    let mut specs = [None, Some(opponent.make(*fresh_seed)?)];
    if start.human == Colour::Black {
        specs.reverse();
    }
    let clocks = [PlayerClock::new(None); 2];
    Ok(GameSetup { casual: start, specs, clocks, paced: false })
}

fn prompt(casual: &CasualGame, out: &mut dyn Write) -> io::Result<()> {
    match casual.over() {
        None => write!(out, "{} ", casual.game.position().move_number())?,
        Some(_) => write!(out, "> ")?,
    }
    out.flush()
}
