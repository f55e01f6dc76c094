//! An imitator in play: it evaluates the opponent's moves, decides how strongly to play, and plays
//! at that level (Haworth 2007, section 4.4).
//!
//! Evaluating the opponent's moves requires searches. These searches get a small share of the time
//! for the imitator's own move, or the opponent's time if pondering is allowed. Moves that do not
//! fit into this budget are evaluated later.

use std::fmt;
use std::time::Duration;

use super::decision::{Decision, MoveRequest, own_time};
use super::host::EngineHost;
use super::opponent_belief::MAX_STEP;
use super::stopped_down::MIN_TIME;
use super::{
    Aim, Elo, EloScale, Engine, Hypotheses, Imitator, LevelEstimate, Observation,
    OpponentKnowledge, PlayingStyle, Profile, SavedPrior, ShownRating, Skill, StoppedDown,
    TargetRating, USUAL_DEPTH, informative_moves,
};
use crate::board::Game;
use crate::clock::Instant;
use crate::evaluation::RootEvaluation;
use crate::math::grid::GridError;
use crate::search::{Controls, EvaluationRequest, Limits, NoObserver, Observer};
use crate::selector::{DepthWeights, Family};
use crate::value::Depth;

/// The largest share of the time or nodes for our own move that evaluating the opponent's moves uses.
const OPPONENT_SHARE: f64 = 0.25;
/// The node budget for the opponent's moves if our own move has neither a time nor a node limit. It
/// lasts a few seconds and is enough for about a dozen moves.
const OPPONENT_NODES: u64 = 4_000_000;
/// An evaluation that a limit ended is still useful if it reached this depth in plies. It separates weak
/// players from strong ones, although not as well as a complete evaluation (`tuning/judge.md`).
const MIN_USEFUL_DEPTH: Depth = 8;

/// An imitator in a game.
#[derive(Clone, Debug)]
pub struct ImitatorPlayer {
    /// How it plays, apart from its strength.
    pub config: ImitatorConfig,
    /// The seed for its random choices.
    pub seed: u64,
    /// The number of the game among the games with this seed.
    pub game: u64,
    /// Report the probability of each move and the belief about the opponent.
    pub explain: bool,
    imitator: Imitator,
    last: Option<LastLevel>,
    /// The shortest time so far in which a move was compared with all hypotheses, after its
    /// evaluation.
    learning_time: Option<Duration>,
}

/// The level at our last move.
#[derive(Clone, Copy, Debug)]
struct LastLevel {
    /// The number of plies in this game before the move.
    ply: usize,
    level: Elo,
    /// The number of plies before our previous move, and the level of that move. Another search for the same move
    /// starts from it.
    before: Option<(usize, Elo)>,
}

/// The time that the first comparison is expected to take.
const LEARNING_TIME: Duration = Duration::from_millis(100);

impl ImitatorPlayer {
    /// An imitator with prior knowledge of its opponent.
    pub fn new(config: ImitatorConfig, prior: OpponentKnowledge) -> ImitatorPlayer {
        let imitator = Imitator::new(config.hypotheses(), config.depth, prior);
        ImitatorPlayer {
            config,
            seed: 1,
            game: 1,
            explain: false,
            imitator,
            last: None,
            learning_time: None,
        }
    }

    /// An imitator without knowledge of its opponent.
    pub(crate) fn for_unknown_opponent(config: ImitatorConfig) -> ImitatorPlayer {
        ImitatorPlayer::new(config, OpponentKnowledge::new(&config.hypotheses(), None))
    }

    /// Changes how it plays, and keeps the knowledge of the opponent if it still applies.
    pub(crate) fn adopt(&mut self, config: ImitatorConfig) {
        let is_same = self.config.has_same_hypotheses(&config);
        if is_same && self.config.depth == config.depth {
            self.config = config;
        } else {
            let new = match is_same {
                true => ImitatorPlayer::new(config, self.prior()),
                false => ImitatorPlayer::for_unknown_opponent(config),
            };
            *self = ImitatorPlayer { last: self.last.filter(|_| is_same), ..new };
        }
    }

    /// Everything that is known about the opponent now.
    pub(crate) fn prior(&self) -> OpponentKnowledge {
        self.imitator.prior()
    }

    /// What was known about the opponent before this game.
    pub(crate) fn earlier(&self) -> &OpponentKnowledge {
        self.imitator.earlier()
    }

    /// Replaces what is known about the opponent. Called before the first move.
    pub(super) fn recall(&mut self, known: &SavedPrior) -> Result<(), GridError> {
        self.imitator.recall(known.prior(self.config.hypotheses().points())?);
        Ok(())
    }

    /// Records that the opponent did not choose the moves of this opening.
    pub(super) fn skip_opening(&mut self, opening: &Game) {
        self.imitator.skip_opening(opening);
    }

    /// The estimated level of the opponent at the last move.
    pub fn level(&self) -> Option<Elo> {
        self.last.map(|last| last.level)
    }

    /// The level of the imitator's last move on the FIDE scale.
    pub(super) fn own_level(&self) -> Option<Elo> {
        let ImitatorConfig { aim, scale, .. } = self.config;
        self.level().map(|opponent| Elo(scale.on(EloScale::Fide, aim.level(opponent).0)))
    }

    /// Prepares for another game against the same opponent, and keeps the estimate of their level.
    pub fn new_game(&mut self) {
        self.imitator.next_game();
        let level = self.level();
        self.last = level.map(|level| LastLevel { ply: 0, level, before: Some((0, level)) });
    }

    /// Chooses a move.
    pub(super) fn decide(
        &mut self,
        host: &mut EngineHost,
        request: &MoveRequest<'_>,
        observer: &mut dyn Observer,
    ) -> Decision {
        let MoveRequest { game, limits, controls } = *request;
        self.imitator.play_at(self.config.aim);
        // 1. Collect the opponent's moves. During pondering, the last move is only a prediction,
        //    and the opponent is thinking about the position before it.
        let pondering = controls.is_pondering();
        let seen = if pondering { game.before_last() } else { self.imitator.joined(game) };
        let observations = self.imitator.observe(&seen, !game.position().turn());
        // 2. Evaluate these moves, within the budget.
        let time = limits.clock.safe_time_per_move().map(|time| time.mul_f64(OPPONENT_SHARE));
        let nodes = limits.nodes.map(|nodes| (nodes as f64 * OPPONENT_SHARE) as u64);
        let nodes = nodes.or_else(|| time.is_none().then_some(OPPONENT_NODES));
        let budget = Budget::new(time, nodes);
        let wanted = self.unevaluated(&seen, &observations, pondering);
        let spent = self.evaluate_opponent(&mut host.engine, wanted, &budget, controls);
        let estimate = self.imitator.estimate(&observations);
        if estimate.pending > 0 {
            let pending = estimate.pending;
            observer.remark(&format!(
                "moves of the opponent not evaluated yet: {pending} (time or search limit)"
            ));
        }
        if let Some(exploit) = &mut host.exploit {
            exploit.learn(&estimate.posterior, self.config.family, self.config.scale);
        }
        // 3. Choose our own move at the estimated level.
        let level = self.next_level(&estimate, game.ply());
        let limits = Limits {
            clock: limits.clock.after(own_time(budget.started, controls)),
            nodes: limits.nodes.map(|nodes| nodes.saturating_sub(spent).max(1)),
            ..limits.clone()
        };
        let player = self.player(level);
        let decision = player.decide(host, &MoveRequest { limits: &limits, ..*request }, observer);
        if let Some(mv) = decision.best.mv {
            self.imitator.played(if pondering { game } else { &seen }, mv);
        }
        if self.explain {
            observer.remark(&self.belief(&estimate, level));
        }
        decision
    }

    /// Uses the opponent's time to evaluate the opponent's earlier moves and current position.
    pub(crate) fn watch(&mut self, engine: &mut Engine, game: &Game, controls: &Controls) {
        let observations = self.imitator.observe(game, game.position().turn());
        let wanted = self.unevaluated(game, &observations, true);
        self.evaluate_opponent(engine, wanted, &Budget::new(None, None), controls);
    }

    /// The positions to evaluate: those in which the opponent made the observed moves, and then, if
    /// the opponent is to move, the current position.
    fn unevaluated(
        &self,
        game: &Game,
        observations: &[Observation],
        is_opponents_turn: bool,
    ) -> Vec<(Option<Observation>, Game)> {
        let wanted = self.imitator.wanted(game, observations);
        let made = wanted.into_iter().map(|(observation, before)| (Some(observation), before));
        let is_new = is_opponents_turn && !self.imitator.expects_reply(game);
        made.chain(is_new.then(|| (None, game.clone()))).collect()
    }

    /// Evaluates these positions of the opponent. Returns the number of nodes searched.
    fn evaluate_opponent(
        &mut self,
        engine: &mut Engine,
        positions: Vec<(Option<Observation>, Game)>,
        budget: &Budget,
        controls: &Controls,
    ) -> u64 {
        let mut nodes = 0;
        for (observation, before) in positions {
            // A forced move is uninformative, so one ply is enough.
            let is_forced = before.position().legal_moves().len() == 1;
            let depth = if is_forced { 1 } else { self.config.depth };
            let request = budget.request(depth, nodes, controls);
            let is_affordable =
                budget.allows(self.learning_time.unwrap_or(LEARNING_TIME), controls);
            let is_wanted = is_affordable && !controls.is_stopped();
            let Some(request) = request.filter(|_| is_wanted) else { break };
            let evaluation = engine.evaluate(&before, &request, controls, &mut NoObserver);
            nodes += evaluation.nodes;
            if evaluation.depth < depth.min(MIN_USEFUL_DEPTH)
                || !self.learn(observation, &before, &evaluation, controls)
            {
                break;
            }
        }
        nodes
    }

    /// Compares an evaluation with all hypotheses. Returns false if the search has been stopped. A comparison
    /// takes so long that the answer to `stop` would be late, so the move stays pending.
    fn learn(
        &mut self,
        observation: Option<Observation>,
        before: &Game,
        evaluation: &RootEvaluation,
        controls: &Controls,
    ) -> bool {
        if controls.is_stopped() {
            return false;
        }
        let started = Instant::now();
        match observation {
            Some(observation) => self.imitator.learn(&observation, before, evaluation),
            None => self.imitator.expect_reply(before, evaluation),
        }
        let taken = started.elapsed();
        self.learning_time = Some(self.learning_time.map_or(taken, |least| least.min(taken)));
        true
    }

    /// Returns the level for our move at this ply, and records it. It is at most one step from the level of our
    /// previous move, if there was one. A move can be searched more than once, for example after pondering on another
    /// reply.
    fn next_level(&mut self, estimate: &LevelEstimate, ply: usize) -> Elo {
        let before = match self.last {
            Some(last) if last.ply == ply => last.before,
            last => last.map(|last| (last.ply, last.level)),
        };
        let wanted = estimate.level.0 + estimate.level_adjustment;
        // A level beyond the range of its own levels would only take longer to come back.
        let (aimed, range) =
            (self.config.aim.level(Elo(wanted)).0, self.config.target_rating(Elo(wanted)).range());
        let wanted = wanted + aimed.clamp(*range.start(), *range.end()) - aimed;
        let level = match before {
            Some((last, Elo(from))) if (last..=last + 2).contains(&ply) => {
                Elo(wanted.clamp(from - MAX_STEP, from + MAX_STEP))
            }
            _ => Elo(wanted),
        };
        self.last = Some(LastLevel { ply, level, before });
        level
    }

    /// The player to use against an opponent of this level.
    fn player(&self, level: Elo) -> StoppedDown {
        let skill = self.config.target_rating(level).skill();
        let depth = if skill.nodes.is_some() { skill.depth } else { self.config.depth };
        let ImitatorConfig { style, clock_effect, .. } = self.config;
        let style = style.filter(|_| skill.is_human());
        let profile = Profile::plain("", Skill { depth, style, clock_effect, ..skill });
        StoppedDown { profile, seed: self.seed, game: self.game, explain: self.explain }
    }

    /// Describes the estimate and the level of the move, for the opponent to read.
    fn belief(&self, estimate: &LevelEstimate, level: Elo) -> String {
        let (now, earlier) = (estimate.informative, self.imitator.earlier().informative);
        let (target, scale) = (self.config.target_rating(level), self.config.scale);
        let plays_at = target.nearest();
        let level = match self.config.aim {
            Aim::Equal => format!("Plays at {plays_at}."),
            Aim::Offset(offset) => {
                let (points, side) = (offset.abs(), if offset < 0.0 { "below" } else { "above" });
                format!("Plays at {plays_at}. Its aim is {points:.0} Elo {side} your level.")
            }
            Aim::Score(score) => {
                format!("Plays at {plays_at}, to score {:.0}% against you.", 100.0 * score)
            }
        };
        if now + earlier == 0 {
            return format!("No informative moves are known yet. {level}");
        }
        let (median, interval) = (estimate.posterior.median(), estimate.interval(0.9));
        let theirs = ShownRating::limited(median, interval, &target.estimable(&estimate.posterior));
        let of = if theirs.bound.is_none() { "of " } else { "" };
        let (range, now) = (theirs.interval_text(), informative_moves(now));
        let earlier = if earlier == 0 { "none".to_owned() } else { earlier.to_string() };
        format!(
            "Your moves suggest a rating {of}{theirs} {scale} (90% range: {range}), \
             based on {now} in this game and {earlier} in earlier games. {level}"
        )
    }
}

impl fmt::Display for ImitatorPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, seed {}, game {}", self.config, self.seed, self.game)
    }
}

/// How the imitator plays, apart from its strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImitatorConfig {
    /// The strength relative to the opponent.
    pub aim: Aim,
    /// The curve of our own moves, and of the hypotheses about the opponent.
    pub family: Family,
    /// The scale of all ratings, both the opponent's and our own.
    pub scale: EloScale,
    /// The search depth for our own moves and for evaluations of the opponent's moves.
    pub depth: Depth,
    /// The style of our own moves.
    pub style: Option<PlayingStyle>,
    /// Whether our strength depends on the clock.
    pub clock_effect: bool,
}

impl ImitatorConfig {
    /// The defaults: the human curve on the FIDE scale, at the default depth.
    pub fn with_defaults(aim: Aim) -> ImitatorConfig {
        let scale = EloScale::default();
        ImitatorConfig {
            aim,
            family: TargetRating::human_curve(scale),
            scale,
            depth: USUAL_DEPTH,
            style: None,
            clock_effect: true,
        }
    }

    /// Returns whether our strength depends on the clock. Only human curves have ratings that can
    /// change with it.
    pub(crate) fn follows_clock(&self) -> bool {
        self.clock_effect && self.family.pool().is_some()
    }

    /// The kinds of player that the opponent could be.
    pub fn hypotheses(&self) -> Hypotheses {
        Hypotheses::of_rating(self.family, self.scale, &DepthWeights::deepest())
    }

    /// The rating to play at against an opponent of this level.
    pub(super) fn target_rating(&self, level: Elo) -> TargetRating {
        TargetRating { elo: self.aim.level(level), family: self.family, scale: self.scale }
    }

    /// Returns whether both use the same hypotheses about the opponent.
    pub(super) fn has_same_hypotheses(&self, other: &ImitatorConfig) -> bool {
        (self.family, self.scale) == (other.family, other.scale)
    }
}

impl fmt::Display for ImitatorConfig {
    /// `at the opponent's level +100 Elo: p=8 levelled`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ImitatorConfig { aim, family, depth, .. } = self;
        match aim {
            Aim::Equal => f.write_str("at the opponent's level")?,
            Aim::Offset(offset) => write!(f, "at the opponent's level {offset:+.0} Elo")?,
            Aim::Score(score) => {
                write!(f, "at the level that scores {:.0}% against the opponent", score * 100.0)?;
            }
        }
        write!(f, ": p={depth} {family}")?;
        self.style.map_or(Ok(()), |style| write!(f, " style={style}"))
    }
}

/// The budget for evaluating the opponent's moves.
#[derive(Debug)]
struct Budget {
    time: Option<Duration>,
    nodes: Option<u64>,
    /// The moment at which the clock started.
    started: Instant,
}

impl Budget {
    /// Starts the clock.
    fn new(time: Option<Duration>, nodes: Option<u64>) -> Budget {
        Budget { time, nodes, started: Instant::now() }
    }

    /// Returns the time used so far, capped at the budget. Time on the opponent's clock does not
    /// count.
    fn spent(&self, controls: &Controls) -> Duration {
        own_time(self.started, controls).min(self.time.unwrap_or(Duration::MAX))
    }

    /// Returns whether spending `more` time keeps the total within twice the budget.
    fn allows(&self, more: Duration, controls: &Controls) -> bool {
        self.time.is_none_or(|time| own_time(self.started, controls) + more <= 2 * time)
    }

    /// Returns a request within the remaining budget, or `None` if nothing is left.
    fn request(&self, depth: Depth, nodes: u64, controls: &Controls) -> Option<EvaluationRequest> {
        let spent = self.spent(controls);
        let time = self.time.map(|time| time.saturating_sub(spent));
        let nodes = self.nodes.map(|most| most.saturating_sub(nodes));
        let is_left = time.is_none_or(|time| time >= MIN_TIME) && nodes != Some(0);
        is_left.then(|| EvaluationRequest { time, nodes, ..EvaluationRequest::depth(depth) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player() -> ImitatorPlayer {
        let config = ImitatorConfig { depth: 1, ..ImitatorConfig::with_defaults(Aim::Equal) };
        ImitatorPlayer::for_unknown_opponent(config)
    }

    #[test]
    fn repeated_searches_of_a_move_change_the_level_by_one_step() {
        let mut player = player();
        let mut estimate = player.imitator.estimate(&[]);
        estimate.level_adjustment = 0.0;
        estimate.level = Elo(2000.0);
        assert_eq!(player.next_level(&estimate, 10), Elo(2000.0));
        estimate.level = Elo(1000.0);
        for _ in 0..3 {
            assert_eq!(player.next_level(&estimate, 12), Elo(1900.0));
        }
        assert_eq!(player.next_level(&estimate, 14), Elo(1800.0));
        // The next game continues from the last level.
        player.new_game();
        for _ in 0..3 {
            assert_eq!(player.next_level(&estimate, 0), Elo(1700.0));
        }
        assert_eq!(player.next_level(&estimate, 2), Elo(1600.0));
    }

    #[test]
    fn an_evaluation_that_arrives_after_stop_is_not_used() {
        let (mut player, game) = (player(), Game::default());
        let request = EvaluationRequest::depth(1);
        let evaluation =
            Engine::built_in(1).evaluate(&game, &request, &Controls::new(), &mut NoObserver);
        let controls = Controls::new();
        controls.stop();
        assert!(!player.learn(None, &game, &evaluation, &controls));
        assert!(!player.imitator.expects_reply(&game));
        assert!(player.learn(None, &game, &evaluation, &Controls::new()));
        assert!(player.imitator.expects_reply(&game));
    }
}
