//! Creates the player of each game from the settings.
//!
//! It also counts the games, because a player's random numbers depend on its seed and on the number
//! of the game. With a fixed seed, a series of games can be repeated exactly.

use std::iter;
use std::time::Duration;

use super::announced_opponent::AnnouncedOpponent;
use super::choice_details::choice_details;
use super::exploited_source::ExploitedSource;
use super::imitator_source::ImitatorSource;
use super::introduction::introduction;
use crate::board::Game;
use crate::config::{ExploitSetting, Settings};
use crate::fresh::fresh_number;
use crate::player::pace::{ThinkingTime, imitates_thinking_time};
use crate::player::{ExploitedOpponent, OpponentKnowledge, Pace, Player, ScaleChoice, Who};
use crate::search::Clock;

const CLOCK_NOTICE: &str =
    "Clock Effect: makes more mistakes when short of time, and fewer with plenty of time.";

/// Creates players, and keeps everything that is needed from move to move and from game to game.
#[derive(Debug, Default)]
pub(super) struct PlayerSource {
    imitator: ImitatorSource,
    exploited: ExploitedSource,
    /// The opponent at the last request.
    opponent: AnnouncedOpponent,
    /// The seed of this game if the settings do not give one.
    fresh_seed: u64,
    /// The fixed seed of the current series of games. `None` if every game has a seed of its own.
    series_seed: Option<u64>,
    /// Whether the next game is the first of the series.
    restarts: bool,
    /// The number of the current game in this series.
    games: u64,
    /// The state of the current game at the last request.
    last_game: Option<Game>,
    /// The last description of the player that was shown to the user.
    announced: Vec<String>,
    /// Messages about the opponent that wait until the scale is known.
    held_back: Vec<String>,
    /// The number of moves that have been requested in this game.
    requests: u32,
    /// The time and the increment on our first clock in this game.
    time_control: Option<(Duration, Duration)>,
    /// The time control of the last game, which may have had none. `None` if it is not known.
    last_time_control: Option<Option<(Duration, Duration)>>,
    /// Whether the user has been told that the player's strength follows the clock in this game.
    has_clock_notice: bool,
    /// The second rating for the analysis that had no effect in the last one.
    unused_comparison: Option<i64>,
    /// The value of `Analyse As` at the last move, which it did not affect.
    unused_analysis: Option<i64>,
}

impl PlayerSource {
    pub fn new() -> PlayerSource {
        PlayerSource { fresh_seed: fresh_seed(), ..PlayerSource::default() }
    }

    /// Starts a new game. The next player is created for it.
    pub fn new_game(&mut self) {
        self.imitator.new_game();
        self.fresh_seed = fresh_seed();
        self.games = if self.restarts { 0 } else { self.games + u64::from(self.requests > 0) };
        self.restarts = false;
        self.last_game = None;
        self.announced.clear();
        self.held_back.clear();
        if self.time_control.is_some() || self.requests > 1 {
            self.last_time_control = Some(self.time_control);
        }
        (self.requests, self.time_control) = (0, None);
        self.has_clock_notice = false;
    }

    /// Restarts the count of games because the seed has been set. If it is the same seed, a game in progress keeps its
    /// number, because many programs send every option again.
    pub fn restart_series(&mut self) {
        match self.requests {
            0 => self.games = 0,
            _ => self.restarts = true,
        }
    }

    /// Starts a new game if this is one. Returns the game, preceded by the moves known from earlier requests if a
    /// program sends every position as if a game started there.
    pub fn start_game_if_new(&mut self, game: &Game) -> Game {
        // Some GUIs never send `ucinewgame`, and some send positions without moves. A position that
        // does not continue the last game starts a new one, unless its ply count is higher.
        let is_new_game = |last: &&Game| game.is_new_after(last) && game.plies() <= last.plies();
        let last = self.last_game.as_ref().filter(|_| self.requests > 0).filter(is_new_game);
        let joined = last.and_then(|last| continued(last, game));
        if last.is_some() && joined.is_none() {
            self.new_game();
        }
        let game = joined.unwrap_or_else(|| game.clone());
        self.last_game = Some(game.clone());
        game
    }

    /// Learns the time control of the game from our clock when a move is wanted. Only the first clock
    /// counts, because later, thanks to increments, more time than at the start may be left.
    pub fn note_clock(&mut self, clock: &Clock) {
        self.requests += 1;
        let first = clock.remaining.map(|remaining| (nearest_base(remaining), clock.increment));
        self.time_control = self.time_control.or(first);
    }

    /// Whether the scale depends on the time control, and the clock may still come. Some programs send
    /// it only from the second move on.
    fn is_scale_open(&self, settings: &Settings) -> bool {
        let is_known = self.time_control.is_some() || self.requests > 1;
        settings.elo_scale.follows_time_control() && !is_known
    }

    /// The settings with the rating scale of this game. While the scale is open, this game is assumed to have the time
    /// control of the last one, or else nothing is remembered about the opponent.
    fn for_this_game(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        let is_open = self.is_scale_open(&settings);
        let time_control = if is_open { self.last_time_control } else { Some(self.time_control) };
        match time_control {
            None => settings.imitator_memory.clear(),
            Some(time_control) => {
                let scale = settings.elo_scale.scale(time_control);
                settings.elo_scale = ScaleChoice::Always(scale);
            }
        }
        settings
    }

    /// Creates the player of this game, and hands over the opponent whose errors it exploits, if there is one. Also
    /// returns messages that the user has not seen yet. `evaluator` is the name of an external engine that evaluates
    /// the moves.
    pub fn set_up(
        &mut self,
        settings: &Settings,
        evaluator: Option<&str>,
    ) -> (Player, Option<ExploitedOpponent>, Vec<String>) {
        let is_scale_open = self.is_scale_open(settings);
        let settings = &self.for_this_game(settings);
        self.opponent = AnnouncedOpponent::parse(&settings.opponent);
        let (player, mut remarks) = self.player(settings, evaluator, is_scale_open);
        if let Player::Imitator(_) = player {
            // It has its own estimate of the opponent's rating.
            return (player, None, remarks);
        }
        let (exploited, notices) = self.exploited.take(settings, &self.opponent);
        remarks.extend(notices);
        (player, exploited, remarks)
    }

    /// Creates the player. `settings` are those for this game.
    fn player(
        &mut self,
        settings: &Settings,
        evaluator: Option<&str>,
        is_scale_open: bool,
    ) -> (Player, Vec<String>) {
        let spec = settings.player();
        let who = match spec.player() {
            Ok(who) => who,
            Err(error) => return (Player::FullStrength, vec![error.to_string()]),
        };
        let explain = settings.explain;
        let mut remarks = Vec::new();
        let series_seed = fixed_seed(settings, &who);
        if self.games == 0 || series_seed != self.series_seed {
            (self.series_seed, self.games, self.restarts) = (series_seed, 1, false);
        }
        let (seed, number) = self.series();
        let player = match who {
            Who::Imitator(config) => {
                let (mut imitator, notices) = self.imitator.take(config, settings, &self.opponent);
                (imitator.seed, imitator.game) = (seed, number);
                remarks = notices;
                Player::Imitator(imitator)
            }
            who => Player::new(who, seed, number),
        };
        let player = player.explaining(explain);
        let is_external = evaluator.is_some();
        let target = spec.target_rating();
        let mut description =
            vec![introduction(&player, target.as_ref(), settings, &self.opponent, is_external)];
        if let (Some(sentence), Some(name)) =
            (description.first_mut().filter(|_| player.is_stopped_down()), evaluator)
        {
            *sentence += &format!(" {name} evaluates the moves.");
        }
        description.extend(choice_details(&player).filter(|_| explain));
        let uses_scale = spec.target_rating().is_some()
            || matches!(player, Player::Imitator(_))
            || settings.exploit != ExploitSetting::Off;
        if uses_scale && is_scale_open {
            // The player is announced once its scale is known.
            self.held_back.append(&mut remarks);
        } else {
            let held_back = std::mem::take(&mut self.held_back);
            if remarks.is_empty() {
                remarks = held_back;
            }
            if description != self.announced {
                remarks.splice(0..0, description.iter().cloned());
                self.announced = description;
            }
        }
        (player, remarks)
    }

    /// Returns a message if a second rating for the analysis has no effect and the user has not been
    /// told yet.
    pub fn comparison_notice(&mut self, settings: &Settings) -> Option<String> {
        let unused = settings.unused_comparison();
        let before = std::mem::replace(&mut self.unused_comparison, unused);
        let rating = unused.filter(|_| unused != before)?;
        Some(format!("Compare With {rating} is not used, because Analyse As is not set"))
    }

    /// Returns a message if the user wants to see human moves but asks for a move instead of an
    /// analysis, and has not been told yet.
    pub fn analysis_notice(&mut self, settings: &Settings) -> Option<String> {
        let before = std::mem::replace(&mut self.unused_analysis, settings.analyse_as);
        let rating = settings.analyse_as.filter(|_| settings.analyse_as != before)?;
        Some(format!(
            "Analyse As {rating} is used only in analysis: after go infinite, or if UCI_AnalyseMode is on"
        ))
    }

    /// Puts a player back after its move.
    pub fn put_back(&mut self, player: Player) {
        if let Player::Imitator(imitator) = player {
            self.imitator.put_back(imitator);
        }
    }

    /// Puts the exploited opponent back after a move.
    pub fn put_exploited_back(&mut self, opponent: Option<ExploitedOpponent>) {
        self.exploited.put_back(opponent);
    }

    /// Returns what has been learnt about the opponent and not been saved yet.
    pub fn unsaved(&self) -> Option<(String, OpponentKnowledge)> {
        self.imitator.unsaved()
    }

    /// Saves what is known about the opponent with this name. Returns a message for the user, if there is one.
    pub fn save_opponent(&mut self, name: &str, known: OpponentKnowledge) -> Option<String> {
        self.imitator.save(name, known)
    }

    /// Prepares for the end of the program.
    pub fn close(&mut self) {
        self.imitator.close();
    }

    /// Returns the seed and the number of the game in its series.
    fn series(&self) -> (u64, u64) {
        self.series_seed.map_or((self.fresh_seed, 1), |seed| (seed, self.games))
    }

    /// Returns a message for the user when the player's strength follows the clock for the first
    /// time in a game.
    pub fn clock_notice(&mut self, player: &Player, clock: &Clock) -> Option<String> {
        let is_new = clock.base.is_some() && player.follows_clock() && !self.has_clock_notice;
        self.has_clock_notice |= is_new;
        is_new.then(|| CLOCK_NOTICE.to_owned())
    }

    /// Returns the thinking time of the next move, or `None` if the player should move at once.
    /// Call `note_clock` first.
    pub fn thinking(
        &self,
        player: &Player,
        game: &Game,
        clock: &Clock,
        settings: &Settings,
    ) -> Option<ThinkingTime> {
        // Like the scale, the effect of the clock depends on the kind of game.
        let base = clock.remaining.and(self.time_control).map(|(base, _)| base);
        let clock = Clock { base, ..*clock };
        let is_human = self.opponent.is_human;
        let takes_time = imitates_thinking_time(pace(player, settings), is_human, &clock);
        let series = self.series();
        takes_time.then(|| ThinkingTime::new(player, game, clock, series))
    }
}

/// Continues `last` to the position of a game that starts elsewhere, with at most two moves taken back and at most two
/// moves added. Some programs do not count moves either, so the counters in the positions may differ.
fn continued(last: &Game, game: &Game) -> Option<Game> {
    if last.start().key() == game.start().key() {
        return None;
    }
    let before = |game: &Game| (!game.moves().is_empty()).then(|| game.before_last());
    let mut earlier = iter::successors(Some(last.clone()), before).take(3);
    earlier.find_map(|earlier| extended(earlier, game.position().key(), 2))
}

/// Adds at most this many moves to a game, so that it reaches the position with this key.
fn extended(game: Game, key: u64, moves: usize) -> Option<Game> {
    if game.position().key() == key {
        return Some(game);
    }
    let fewer = moves.checked_sub(1)?;
    game.position().legal_moves().into_iter().find_map(|mv| {
        let mut next = game.clone();
        next.play(mv);
        extended(next, key, fewer)
    })
}

/// The seed that the settings or the player give, if any.
fn fixed_seed(settings: &Settings, who: &Who) -> Option<u64> {
    let set = Some(settings.seed.unsigned_abs()).filter(|&seed| seed > 0);
    who.series_seed(set)
}

/// Returns the pace in the settings, or the player's own pace if the setting is `Auto`.
fn pace(player: &Player, settings: &Settings) -> Pace {
    match settings.pace {
        Pace::Auto => player.pace(),
        set => set,
    }
}

/// The most likely base time if this much time was left at the first move that we know of: the nearest
/// multiple of half a minute. A little time is often lost before a program sends the clock.
fn nearest_base(remaining: Duration) -> Duration {
    let halves = (remaining.as_secs_f64() / 30.0).round() as u64;
    Duration::from_secs(30 * halves.max(1))
}

/// Returns a random seed from 1 to 2^31 - 1, which can also be set as a UCI option.
fn fresh_seed() -> u64 {
    fresh_number() % 2_147_483_647 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    /// The game that a source makes of positions without moves, each with the counters `0 1`.
    fn joined(source: &mut PlayerSource, fens: &[&str]) -> Vec<usize> {
        let join = |fen: &&str| {
            let position = Position::from_fen(&format!("{fen} 0 1"), false).expect(fen);
            let game = source.start_game_if_new(&Game::new(position));
            source.note_clock(&Clock::default());
            game.moves().len()
        };
        fens.iter().map(join).collect()
    }

    #[test]
    fn positions_without_moves_and_counters_belong_to_one_game() {
        let mut source = PlayerSource::new();
        source.games = 1;
        // 1. e4 e5 2. Nf3 Nc6, then another second move of Black, and then another game.
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -",
            "rnbqkbnr/ppp2ppp/3p4/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -",
        ];
        assert_eq!(joined(&mut source, &fens), [0, 2, 4, 4]);
        assert_eq!(source.games, 1);
        assert_eq!(joined(&mut source, &["4k3/8/8/8/8/8/8/R3K3 w - -"]), [0]);
        assert_eq!(source.games, 2);
    }
}
