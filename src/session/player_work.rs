//! The work of the player thread of a game session.

use std::sync::Arc;

use super::adviser::Adviser;
use super::casual_game::{Over, SidePlayer};
use super::game_session::GameSession;
use super::game_state::GameState;
use super::opponent::{Opponent, OpponentTurn};
use super::tasks::PlayerTask;
use crate::arena::ContestantSpec;
use crate::board::{Colour, Game, colour_index};
use crate::clock::Instant;
use crate::player::{SavedPrior, Sources, Tablebases};
use crate::search::Controls;

/// The work of the player thread: it sets up engines, makes their moves, answers draw offers and gives hints.
#[derive(Debug)]
pub(super) struct PlayerWork {
    session: Arc<GameSession>,
    adviser: Adviser,
    /// The engines that play White and Black. `None` for a person.
    opponents: [Option<Opponent>; 2],
    /// Loaded engines that are not playing.
    pub spare: Vec<Opponent>,
    /// What imitators learnt about the person in earlier games.
    pub person: Option<SavedPrior>,
    sources: Sources,
    /// The answer of the engine whose turn it is, until it is due.
    pub planned: Option<PlannedMove>,
}

/// An engine's answer.
#[derive(Debug)]
pub(super) struct PlannedMove {
    mover: Colour,
    turn: u64,
    answer: Result<OpponentTurn, String>,
    /// The time at which a person would move, if the engine imitates human thinking times.
    due: Option<Instant>,
}

impl PlannedMove {
    /// Whether the wait is over, because the move can be made or is obsolete.
    pub fn is_due(&self, session: &GameSession) -> bool {
        self.due.is_none_or(|due| due <= Instant::now())
            || session.look(|state| state.turn != self.turn)
    }
}

impl PlayerWork {
    pub fn new(session: Arc<GameSession>, sources: Sources) -> PlayerWork {
        PlayerWork {
            session,
            adviser: Adviser::default(),
            opponents: [None, None],
            spare: Vec::new(),
            person: None,
            sources,
            planned: None,
        }
    }

    pub fn work(&mut self) {
        while let Some((task, controls, turn)) =
            self.session.next(&self.session.player_controls, GameState::player_task)
        {
            self.run(task, &controls, turn);
            self.pause();
            self.make_planned_move();
        }
    }

    pub fn run(&mut self, task: PlayerTask, controls: &Controls, turn: u64) {
        match task {
            PlayerTask::SetUp(specs) => self.set_up(*specs, controls),
            PlayerTask::ChangeOpponent(spec) => self.change_opponent(*spec, controls),
            PlayerTask::Move => self.plan_move(controls, turn),
            PlayerTask::AnswerOffer(game) => self.answer_offer(&game, controls, turn),
            PlayerTask::Advise(game) => self.advise(&game, controls, turn),
        }
    }

    fn set_up(&mut self, specs: [Option<ContestantSpec>; 2], controls: &Controls) {
        let outcome = self.try_set_up(specs.clone(), controls);
        self.show_players(outcome, controls, |state| {
            state.pending_players.get_or_insert(specs);
        });
    }

    /// Changes the strength of the only engine in the game.
    fn change_opponent(&mut self, spec: ContestantSpec, controls: &Controls) {
        self.note_person();
        let opponent = self.opponents.iter_mut().flatten().next();
        let outcome = opponent.map_or(Ok(()), |opponent| {
            opponent.change(spec.clone(), self.person.as_ref(), controls)
        });
        self.show_players(outcome, controls, |state| {
            // A new game has its own opponent.
            if state.pending_players.is_none() {
                state.pending_opponent.get_or_insert(spec);
            }
        });
    }

    /// Shows the players, or why one of them cannot play. If the set-up was stopped, `retry` schedules it again.
    fn show_players(
        &mut self,
        outcome: anyhow::Result<()>,
        controls: &Controls,
        retry: impl FnOnce(&mut GameState),
    ) {
        let players = self.opponents.each_ref().map(|opponent| match opponent {
            Some(opponent) => opponent.side_player(),
            None => SidePlayer::default(),
        });
        self.session.change(|state| {
            if outcome.is_err() && controls.is_stopped() {
                retry(state);
            } else if !state.has_pending_players() {
                state.players = players;
                match outcome {
                    Ok(()) => (state.engines_ready, state.problem) = (true, None),
                    Err(error) => state.fail(format!("{error:#}")),
                }
            }
        });
    }

    /// Saves what an imitator has learnt about the person, before it is replaced.
    fn note_person(&mut self) {
        let estimate = self.opponents.iter().flatten().find_map(Opponent::estimate_of_person);
        self.person = estimate.or(self.person.take());
    }

    /// Sets up the engines of a new game. Reuses loaded engines, because they keep their tablebases.
    pub fn try_set_up(
        &mut self,
        specs: [Option<ContestantSpec>; 2],
        controls: &Controls,
    ) -> anyhow::Result<()> {
        let meets_person = specs.iter().any(Option::is_none);
        self.note_person();
        self.spare.extend(self.opponents.iter_mut().filter_map(Option::take));
        for (opponent, spec) in self.opponents.iter_mut().zip(specs) {
            let Some(spec) = spec else { continue };
            let ready = match self.spare.pop() {
                Some(mut loaded) => loaded.change_for_next_game(spec).map(|()| loaded),
                None => Opponent::new(spec, Tablebases::new(self.sources.clone())),
            };
            let opponent = opponent.insert(ready?);
            let started = opponent.start_game(meets_person, self.person.as_ref(), controls);
            started.map_err(|fault| anyhow::Error::msg(opponent.describe(&fault)))?;
        }
        Ok(())
    }

    /// Finds the move of the engine whose turn it is.
    fn plan_move(&mut self, controls: &Controls, turn: u64) {
        let (casual, clocks, started, paced, declined) = self.session.look(|state| {
            (
                state.casual.clone(),
                state.clocks.both(),
                state.turn_started,
                state.paced,
                state.declined_at,
            )
        });
        let mover = casual.game.position().turn();
        let Some(opponent) = &mut self.opponents[colour_index(mover)] else { return };
        let answer = opponent.answer((&casual, declined.unwrap_or(0)), clocks, paced, controls);
        let answer = answer.map_err(|fault| opponent.describe(&fault));
        let due = match &answer {
            Ok(OpponentTurn::Plays(choice) | OpponentTurn::Offers(choice)) if paced => {
                Some(started + opponent.pace(&casual.game, choice, clocks))
            }
            _ => None,
        };
        self.planned = Some(PlannedMove { mover, turn, answer, due });
    }

    /// Makes the planned move, if there is one.
    pub fn make_planned_move(&mut self) {
        let Some(PlannedMove { mover, turn, answer, .. }) = self.planned.take() else { return };
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            match answer {
                Ok(OpponentTurn::Plays(choice)) => state.answered(choice, false),
                // The draw rule counts both engines' evaluations, so the other engine accepts.
                Ok(OpponentTurn::Offers(_)) if state.casual.is_watched() => state.end(Over::Agreed),
                Ok(OpponentTurn::Offers(choice)) => state.answered(choice, true),
                Ok(OpponentTurn::Resigns) => state.end(Over::Resigned(mover)),
                Err(problem) => state.fail(problem),
            }
        });
    }

    /// Waits until the planned move is due, or until the turn ends.
    fn pause(&self) {
        let Some(PlannedMove { due: Some(due), turn, .. }) = self.planned else { return };
        let timeout = due.saturating_duration_since(Instant::now());
        let is_same_turn = |state: &mut GameState| state.turn == turn && !state.closed;
        drop(self.session.changed.wait_timeout_while(self.session.lock(), timeout, is_same_turn));
    }

    fn answer_offer(&mut self, game: &Game, controls: &Controls, turn: u64) {
        let accepts = self.adviser.accepts_draw(game, controls);
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            state.draw_asked = false;
            match accepts {
                true => state.end(Over::Agreed),
                false => {
                    let opponent = &state.players[colour_index(!state.casual.human)].name;
                    state.notice = format!("{opponent} declines the draw.");
                }
            }
        });
    }

    fn advise(&mut self, game: &Game, controls: &Controls, turn: u64) {
        let (best, value) = self.adviser.advice(game, controls);
        self.session.change(|state| {
            if state.turn == turn {
                (state.hint_asked, state.hint) = (false, best.map(|mv| (mv, value)));
            }
        });
    }
}
