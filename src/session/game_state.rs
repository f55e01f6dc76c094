//! The state of a game session, and the actions that people and engines may take.
//!
//! This is plain data with rules: nothing here waits, searches or starts a thread. The methods that front ends call
//! (`play`, `take_back`, `draw`, `resign`) take effect at once. The threads of the [`GameSession`](super::GameSession)
//! ask `player_task` and `rating_task` what to do next. The answer follows from the state alone.
//!
//! Three counters detect obsolete work:
//!
//! - `turn` changes with every move, takeback, ending and new game. A move that was searched for an earlier turn is
//!   discarded.
//! - `branch` changes when moves are taken back or a new game starts. Older rating estimates are then discarded.
//! - `version` changes with every change of the state. A front end compares it with the last version that it has seen,
//!   to tell whether anything is new.

use std::time::{Duration, SystemTime};

use super::casual_game::{CasualGame, Over, PgnFacts, SidePlayer};
use super::game_clocks::GameClocks;
use super::rating_estimator::Thoroughness;
use super::rating_point::RatingPoint;
use super::spelling::read_move;
use super::tasks::{PlayerTask, RatedPlayer, RatingTask};
use crate::arena::{ContestantSpec, EngineSpec, PlayedMove, PlayerClock};
use crate::board::{Colour, Game, Move, colour_index};
use crate::clock::{Instant, system_time};
use crate::player::ScaledRating;
use crate::value::Value;

/// The description of a game to start.
#[derive(Debug)]
pub struct GameSetup {
    pub casual: CasualGame,
    /// The engines that play White and Black. `None` for a person.
    pub specs: [Option<ContestantSpec>; 2],
    pub clocks: [PlayerClock; 2],
    /// Whether engines take as much time as a person would.
    pub paced: bool,
}

/// Everything that front ends show of a game, and everything that the threads need to continue it.
#[derive(Debug)]
pub struct GameState {
    pub casual: CasualGame,
    /// The names of White and Black. An engine's name appears when it is ready.
    pub players: [SidePlayer; 2],
    pub clocks: GameClocks,
    pub paced: bool,
    /// The start of this turn.
    pub turn_started: Instant,
    /// The time that the side to move had used in its turn when the game ended or an engine failed.
    used_at_end: Duration,
    /// The start of the game.
    pub started_at: SystemTime,
    /// The players of White and Black that are engines, without their seeds. In a rematch, the
    /// seeds differ.
    pub(super) engines: [Option<ContestantSpec>; 2],
    /// The engines of a new game that the player thread has not set up yet.
    pub(super) pending_players: Option<[Option<ContestantSpec>; 2]>,
    /// The new strength of the only engine, until the player thread has applied it.
    pub(super) pending_opponent: Option<ContestantSpec>,
    /// Whether all engines are set up.
    pub(super) engines_ready: bool,
    /// Whether the engine has offered a draw that the person has not answered yet.
    pub is_offered: bool,
    /// The ply at which a person last declined the engine's draw offer.
    pub declined_at: Option<usize>,
    /// Whether a person has offered a draw that the engine has not answered yet.
    pub draw_asked: bool,
    /// Whether a person has asked for a hint and not received it yet.
    pub hint_asked: bool,
    /// The best move in this position and its score, if a person has asked for it.
    pub hint: Option<(Move, Value)>,
    /// A message for the person.
    pub notice: String,
    /// Why the game cannot go on. For example, an engine did not start. Set by [`GameState::fail`].
    pub problem: Option<String>,
    /// The rating estimates for White and Black: one before the first move, and one after each move
    /// by that side. Empty for a side that is not rated.
    pub ratings: [Vec<RatingPoint>; 2],
    /// The last turn for which the rating thread began to evaluate a person's choices in advance.
    evaluated_ahead: u64,
    /// Whether the rating thread is evaluating a person's choices in advance.
    pub(super) is_evaluating_ahead: bool,
    /// Whether the rating thread has failed.
    is_rating_broken: bool,
    /// Whether the player thread has failed.
    is_playing_broken: bool,
    /// Counts moves, takebacks, endings and new games.
    pub turn: u64,
    /// Counts takebacks and new games.
    pub branch: u64,
    /// Counts new games.
    game_number: u64,
    /// Counts all changes. [`GameSession::change`](super::GameSession::change) increments it.
    pub version: u64,
    pub closed: bool,
}

/// Returns a player without its seed.
fn without_seed(spec: &ContestantSpec) -> ContestantSpec {
    let mut spec = spec.clone();
    if let EngineSpec::Internal(own) = &mut spec.engine {
        own.seed = None;
    }
    spec
}

/// The problem if the player thread panics.
const INTERNAL_ERROR: &str = "internal error; please report this game as a bug";

/// The time by which a move may overrun the clock, because commands take time to arrive.
const MARGIN: Duration = Duration::from_millis(100);

impl GameState {
    pub fn new(setup: GameSetup) -> GameState {
        let GameSetup { casual, specs, clocks, paced } = setup;
        GameState {
            casual,
            players: specs.each_ref().map(|spec| match spec {
                Some(_) => SidePlayer::unnamed_engine(),
                None => SidePlayer::default(),
            }),
            clocks: GameClocks::new(clocks),
            paced,
            turn_started: Instant::now(),
            used_at_end: Duration::ZERO,
            started_at: system_time(),
            engines: specs.each_ref().map(|spec| spec.as_ref().map(without_seed)),
            pending_players: Some(specs),
            pending_opponent: None,
            engines_ready: false,
            is_offered: false,
            declined_at: None,
            draw_asked: false,
            hint_asked: false,
            hint: None,
            notice: String::new(),
            problem: None,
            ratings: Default::default(),
            evaluated_ahead: 0,
            is_evaluating_ahead: false,
            is_rating_broken: false,
            is_playing_broken: false,
            turn: 1,
            branch: 1,
            game_number: 1,
            version: 1,
            closed: false,
        }
    }

    /// Starts another game in this session.
    pub fn start_new_game(&mut self, setup: GameSetup) {
        let last = std::mem::replace(self, GameState::new(setup));
        self.game_number = last.game_number + 1;
        (self.turn, self.branch) = (last.turn + 1, last.branch + 1);
        (self.version, self.is_rating_broken) = (last.version, last.is_rating_broken);
        if last.is_playing_broken {
            self.stop_playing();
        }
    }

    /// Starts the next turn after a move, a takeback or the end of the game.
    fn next_turn(&mut self) {
        self.turn += 1;
        self.turn_started = Instant::now();
        self.used_at_end = Duration::ZERO;
        self.is_offered = false;
        self.draw_asked = false;
        self.hint_asked = false;
        self.hint = None;
    }

    /// Returns an error if it is not a person's turn, or if the game cannot go on.
    fn check_turn(&self) -> Result<(), String> {
        if self.casual.over().is_some() {
            return Err("the game is over".to_owned());
        }
        if let Some(problem) = &self.problem {
            return Err(format!("the game cannot continue: {problem}"));
        }
        match self.casual.is_humans_turn() {
            true => Ok(()),
            false => Err("it is not your turn".to_owned()),
        }
    }

    /// Plays a person's move, in any common notation.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        self.check_turn()?;
        let played = read_move(text.trim(), self.casual.game.position());
        let played = played.map_err(|error| error.to_string())?;
        if !self.spend() {
            return Ok(());
        }
        if self.is_offered {
            self.declined_at = Some(self.casual.game.ply());
        }
        self.casual.play(played, None);
        self.notice.clear();
        self.next_turn();
        Ok(())
    }

    /// Plays an engine's move. If `offers` is set, the engine also offers a draw.
    pub fn answered(&mut self, choice: PlayedMove, offers: bool) {
        if self.spend() {
            self.casual.play(choice.mv, Some(choice));
            self.next_turn();
            self.is_offered = offers && self.casual.over().is_none();
        }
    }

    /// Returns the game so far as PGN, with or without comments on the engine's moves. `rating` is
    /// the person's rating, if it is known.
    pub fn pgn(&self, rating: Option<ScaledRating>, is_detailed: bool) -> String {
        self.pgn_of(&self.casual, rating, is_detailed)
    }

    /// Returns the game so far as PGN, with the moves that led to the game's first position.
    pub fn pgn_after(&self, earlier: &Game) -> String {
        self.pgn_of(&self.casual.preceded_by(earlier), None, false)
    }

    fn pgn_of(
        &self,
        casual: &CasualGame,
        rating: Option<ScaledRating>,
        is_detailed: bool,
    ) -> String {
        let mut players = self.players.clone();
        if self.casual.people == [true, true] {
            // A report takes players with the same name for one player.
            players = ["White", "Black"].map(SidePlayer::person);
        }
        let people = players.iter_mut().zip(self.casual.people).filter(|(_, is_person)| *is_person);
        people.for_each(|(player, _)| player.rating = rating);
        let control = self.clocks.control();
        let facts = PgnFacts { players: &players, date: self.started_at, control, is_detailed };
        casual.pgn(&facts)
    }

    /// Returns whether the clocks are running. They start once both sides have moved.
    pub fn clocks_run(&self) -> bool {
        let has_started = self.casual.is_running() && self.casual.game.ply() >= 2;
        self.clocks.control().is_some() && has_started && self.problem.is_none()
    }

    /// Takes the time used in this turn off the clock. Returns false if the flag has fallen.
    fn spend(&mut self) -> bool {
        let (ply, mover) = (self.casual.game.ply(), self.casual.game.position().turn());
        let elapsed = self.clocks_run().then(|| self.turn_started.elapsed());
        let is_in_time = self.clocks.end_turn(ply, mover, elapsed, MARGIN);
        if !is_in_time {
            self.end(Over::OutOfTime(mover));
        }
        is_in_time
    }

    /// Returns the time until the flag of the side to move falls.
    pub fn time_until_flag_fall(&self) -> Option<Duration> {
        if !self.clocks_run() {
            return None;
        }
        let left = self.clocks.left(self.casual.game.position().turn())?;
        Some((left + MARGIN).saturating_sub(self.turn_started.elapsed()))
    }

    /// Returns the remaining time of White and Black, in milliseconds.
    pub fn left(&self) -> Option<[u64; 2]> {
        let turn = self.casual.game.position().turn();
        let left = |colour: Colour| {
            let left = self.clocks.left(colour)?;
            let spent = if colour == turn { self.used() } else { Duration::ZERO };
            Some(left.saturating_sub(spent).as_millis() as u64)
        };
        Some([left(Colour::White)?, left(Colour::Black)?])
    }

    /// Returns the time that the side to move has used in this turn.
    fn used(&self) -> Duration {
        if self.clocks_run() { self.turn_started.elapsed() } else { self.used_at_end }
    }

    /// Ends the game and stops the clocks.
    pub fn end(&mut self, over: Over) {
        let used = self.used();
        self.casual.end(over);
        self.next_turn();
        self.used_at_end = used;
    }

    /// Stops the game and its clocks, because an engine or a thread has failed.
    pub(super) fn fail(&mut self, problem: String) {
        self.used_at_end = self.used();
        self.problem = Some(problem);
        (self.draw_asked, self.hint_asked) = (false, false);
    }

    /// Stops the game after a panic of the player thread.
    pub(super) fn stop_playing(&mut self) {
        self.is_playing_broken = true;
        self.fail(INTERNAL_ERROR.to_owned());
        self.engines_ready = false;
    }

    /// Takes back a person's last move and the answer to it. An engine that has failed gets another chance, but one
    /// that could not be set up does not.
    pub fn take_back(&mut self) -> Result<(), String> {
        let mover = self.casual.game.position().turn();
        let has_flag_fallen = matches!(self.casual.over(), Some(Over::OutOfTime(_)));
        let used = (!has_flag_fallen).then(|| self.used());
        if !self.casual.undo() {
            return Err("you have no move to take back".to_owned());
        }
        let ply = self.casual.game.ply();
        self.clocks.take_back(ply, mover, used);
        if self.engines_ready {
            self.problem = None;
        }
        self.ratings.iter_mut().for_each(|side| side.retain(|point| point.ply <= ply));
        self.notice.clear();
        self.branch += 1;
        self.next_turn();
        Ok(())
    }

    /// Resigns for the person. If both sides are people, the side to move resigns.
    pub fn resign(&mut self) -> Result<(), String> {
        if self.casual.over().is_some() {
            return Err("the game is over".to_owned());
        }
        let resigns = match self.casual.people {
            [true, true] => self.casual.game.position().turn(),
            [false, false] => return Err("both sides are played by engines".to_owned()),
            _ => self.casual.human,
        };
        self.end(Over::Resigned(resigns));
        Ok(())
    }

    /// Accepts the engine's draw offer, or offers a draw to the engine. Two people at one board are
    /// assumed to have agreed already.
    pub fn draw(&mut self) -> Result<(), String> {
        self.check_turn()?;
        if self.is_offered || self.casual.people == [true, true] {
            self.end(Over::Agreed);
        } else {
            self.draw_asked = true;
        }
        Ok(())
    }

    /// Asks for the best move in this position and its score. The answer appears in `hint`.
    pub fn ask_for_hint(&mut self) -> Result<(), String> {
        self.check_turn()?;
        self.hint_asked = self.hint.is_none();
        Ok(())
    }

    /// Changes the strength of the only engine from its next move on.
    pub fn change_opponent(&mut self, spec: ContestantSpec) {
        self.pending_opponent = Some(spec);
        self.engines_ready = false;
    }

    /// Returns whether the player thread still has engines to set up.
    pub(super) fn has_pending_players(&self) -> bool {
        self.pending_players.is_some() || self.pending_opponent.is_some()
    }

    /// Returns whether all engines are set up.
    pub fn are_engines_ready(&self) -> bool {
        self.engines_ready
    }

    /// Returns whether an engine has to act next.
    pub fn awaits_engine(&self) -> bool {
        let is_engines_turn = self.casual.over().is_none() && !self.casual.is_humans_turn();
        self.problem.is_none()
            && (!self.engines_ready || is_engines_turn || self.draw_asked || self.hint_asked)
    }

    /// Returns whether all rating estimates are final for the moves so far.
    pub fn ratings_are_final(&self) -> bool {
        self.next_estimate().is_none()
    }

    /// Stores a rating estimate. It replaces an earlier one for the same ply.
    pub fn take_rating(&mut self, side: Colour, point: RatingPoint) {
        let points = &mut self.ratings[colour_index(side)];
        match points.iter_mut().find(|known| known.ply == point.ply) {
            Some(known) => *known = point,
            None => points.push(point),
        }
    }

    /// Returns the next task of the player thread, if any. New engines come first.
    pub(super) fn player_task(&mut self) -> Option<PlayerTask> {
        let game = &self.casual.game;
        if let Some(specs) = self.pending_players.take() {
            return Some(PlayerTask::SetUp(Box::new(specs)));
        }
        if let Some(spec) = self.pending_opponent.take() {
            return Some(PlayerTask::ChangeOpponent(Box::new(spec)));
        }
        if self.casual.over().is_some() || self.problem.is_some() {
            return None;
        }
        // In a game between engines without clocks, ratings matter more than speed, so the player
        // thread waits until the rating thread has caught up.
        let has_clock = self.clocks.control().is_some();
        let waits = self.casual.is_watched() && !has_clock && self.next_estimate().is_some();
        if !self.casual.is_humans_turn() && !waits {
            return Some(PlayerTask::Move);
        }
        if self.draw_asked {
            return Some(PlayerTask::AnswerOffer(Box::new(game.clone())));
        }
        self.hint_asked.then(|| PlayerTask::Advise(Box::new(game.clone())))
    }

    /// Returns the next task of the rating thread, if any. Moves that have been played come before
    /// choices to evaluate in advance.
    pub(super) fn rating_task(&mut self) -> Option<RatingTask> {
        let casual = &self.casual;
        self.is_evaluating_ahead = false;
        let (side, plies, estimate) = match self.next_estimate() {
            Some((side, plies, thoroughness)) => (side, plies, Some(thoroughness)),
            None if casual.over().is_some() || !casual.is_humans_turn() => return None,
            None if self.evaluated_ahead == self.turn => return None,
            None => {
                (self.evaluated_ahead, self.is_evaluating_ahead) = (self.turn, true);
                (casual.game.position().turn(), casual.game.ply(), None)
            }
        };
        let player = RatedPlayer::of(side, casual, &self.engines);
        let (game, game_number) = (casual.game.until(plies), self.game_number);
        Some(RatingTask { game, game_number, side, player, estimate })
    }

    /// Ends the ratings after an internal error. The game goes on.
    pub(super) fn stop_rating(&mut self) {
        self.is_rating_broken = true;
        self.notice =
            "Moves can no longer be rated because of an internal error. Please report it \
            as a bug."
                .to_owned();
    }

    /// Returns the sides to rate: those played by people, or both in a game between engines.
    fn rated_sides(&self) -> impl Iterator<Item = Colour> {
        let casual = &self.casual;
        let is_rated = |colour: &Colour| {
            !self.is_rating_broken && (casual.is_watched() || casual.is_person(*colour))
        };
        [Colour::White, Colour::Black].into_iter().filter(is_rated)
    }

    /// Returns the side, the number of plies and the thoroughness of the next estimate.
    ///
    /// Every move gets a quick estimate first, in the order of the game. Once every move has one,
    /// thorough estimates replace the quick ones, in the same order.
    fn next_estimate(&self) -> Option<(Colour, usize, Thoroughness)> {
        let game = &self.casual.game;
        let next_ply = |side: Colour| {
            let Some(number) = self.ratings[colour_index(side)].len().checked_sub(1) else {
                return 0;
            };
            usize::from(game.start().turn() != side) + 2 * number + 1
        };
        let unseen = self.rated_sides().map(|side| (side, next_ply(side), Thoroughness::Quick));
        let unseen =
            unseen.filter(|(_, plies, _)| *plies <= game.ply()).min_by_key(|(_, plies, _)| *plies);
        let shallow = |side: Colour| {
            let points = self.ratings[colour_index(side)].iter();
            let mut quick = points.filter(|point| point.thoroughness == Thoroughness::Quick);
            quick.next().map(|point| (side, point.ply, Thoroughness::Full))
        };
        let deepen = || self.rated_sides().filter_map(shallow).min_by_key(|(_, plies, _)| *plies);
        unseen.or_else(deepen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a game between two people, after two plies, with 10 s left on each clock.
    fn started() -> GameState {
        GameState::new(setup())
    }

    fn setup() -> GameSetup {
        let game = Game::from_uci(None, ["e2e4", "e7e5"], false).expect("legal");
        let mut casual = CasualGame::new(game.start().clone(), Colour::White);
        casual.people = [true, true];
        game.moves().iter().for_each(|&mv| casual.play(mv, None));
        let clocks = [PlayerClock::new(Some("10".parse().expect("a time control"))); 2];
        GameSetup { casual, specs: [None, None], clocks, paced: false }
    }

    /// Makes the current turn this much older.
    fn wait(state: &mut GameState, seconds: u64) {
        state.turn_started =
            state.turn_started.checked_sub(Duration::from_secs(seconds)).expect("a past time");
    }

    #[test]
    fn a_game_without_clocks_has_none_that_run() {
        let mut state = started();
        assert!(state.clocks_run());
        state.clocks = GameClocks::new([PlayerClock::new(None); 2]);
        assert!(!state.clocks_run());
    }

    #[test]
    fn clocks_stop_at_the_time_left_when_the_game_ends() {
        let mut state = started();
        wait(&mut state, 4);
        state.resign().expect("the game is running");
        let [white, black] = state.left().expect("there are clocks");
        assert!((5_000..=6_000).contains(&white), "{white} ms");
        assert_eq!(black, 10_000);
    }

    #[test]
    fn a_failed_engine_stops_the_game_and_its_clock_until_a_takeback() {
        let mut state = started();
        (state.pending_players, state.engines_ready) = (None, true);
        state.casual.people = [true, false];
        state.play("g1f3").expect("the move is legal");
        wait(&mut state, 4);
        state.fail("it exited".to_owned());
        wait(&mut state, 60);
        assert!(!state.clocks_run() && state.time_until_flag_fall().is_none());
        let black = |state: &GameState| state.left().map_or(0, |[_, black]| black);
        assert!((5_000..=6_000).contains(&black(&state)), "{:?}", state.left());
        assert!(state.player_task().is_none());
        state.casual.people = [true, true];
        for refused in [state.draw(), state.ask_for_hint(), state.play("g8f6")] {
            assert_eq!(refused, Err("the game cannot continue: it exited".to_owned()));
        }
        state.casual.people = [true, false];
        state.take_back().expect("there is a move");
        assert!(state.problem.is_none() && state.clocks_run());
        state.play("g1f3").expect("the move is legal");
        assert!(matches!(state.player_task(), Some(PlayerTask::Move)));
        // A thread that has panicked does not play again.
        state.stop_playing();
        state.take_back().expect("there is a move");
        assert!(state.problem.is_some());
        state.start_new_game(setup());
        assert!(state.problem.is_some() && !state.awaits_engine());
    }

    #[test]
    fn the_clock_of_a_player_who_is_out_of_time_shows_zero() {
        let mut state = started();
        wait(&mut state, 11);
        state.play("g1f3").expect("the move is legal");
        assert!(state.casual.over().is_some(), "the flag has not fallen");
        assert_eq!(state.left(), Some([0, 10_000]));
    }

    #[test]
    fn a_game_goes_on_after_the_move_that_ran_out_of_time() {
        let mut state = started();
        wait(&mut state, 2);
        state.play("g1f3").expect("the move is legal");
        wait(&mut state, 11);
        state.play("g8f6").expect("the move is legal");
        assert!(state.casual.over().is_some(), "the flag has not fallen");
        state.take_back().expect("there is a move");
        assert_eq!(state.left().map(|[_, black]| black), Some(10_000));
    }

    /// Returns a watched game after two plies whose moves have not been rated.
    fn watched(clock: Option<&str>) -> GameState {
        let mut state = started();
        state.casual.people = [false, false];
        let control = clock.map(|clock| clock.parse().expect("a time control"));
        state.clocks = GameClocks::new([PlayerClock::new(control); 2]);
        (state.pending_players, state.engines_ready) = (None, true);
        state
    }

    #[test]
    fn engines_wait_for_the_ratings_only_without_clocks() {
        assert!(watched(None).player_task().is_none());
        assert!(matches!(watched(Some("60")).player_task(), Some(PlayerTask::Move)));
    }

    #[test]
    fn a_game_goes_on_if_the_moves_can_no_longer_be_rated() {
        let mut state = watched(None);
        state.stop_rating();
        assert!(matches!(state.player_task(), Some(PlayerTask::Move)) && state.problem.is_none());
    }
}
