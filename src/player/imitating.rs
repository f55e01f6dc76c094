//! The imitator at work: it values what the opponent has done, decides how strong to be, and plays
//! so (Haworth 2007, section 4.4).
//!
//! Valuing his moves costs searches. Those are paid for by a small part of the time for the own
//! move, or by his time where pondering allows; what cannot be paid for waits.

use std::fmt;
use std::time::{Duration, Instant};

use super::decision::{Decision, MoveRequest, own_time};
use super::host::EngineHost;
use super::imitator::LARGEST_STEP;
use super::stopped_down::LEAST_TIME;
use super::{
    Aim, Elo, EloScale, Engine, Hypotheses, Imitator, LevelEstimate, Observation, OpponentPrior,
    Profile, Skill, StoppedDown, TargetRating, USUAL_DEPTH,
};
use crate::board::{Colour, Game};
use crate::search::{Controls, EvaluationRequest, Limits, Observer, Silent};
use crate::selector::{DepthWeights, Family, Selector};
use crate::value::Depth;

/// The part of the time, or of the nodes, for the own move that may go into valuing his.
const PART_FOR_HIS: u32 = 4;
/// The nodes that may, where the own move has neither time nor nodes to keep to: some seconds, in
/// which a dozen of his moves are valued.
const NODES_FOR_HIS: u64 = 4_000_000;
/// An evaluation that was interrupted after so many plies still tells enough: the weak are told from the
/// strong by it, if not as well (`tuning/judge.md`), where nothing would be learnt at all.
const ENOUGH: Depth = 8;

/// An imitator in a game.
#[derive(Clone, Debug)]
pub struct Imitating {
    pub style: Style,
    pub seed: u64,
    /// Counts the games played with this seed.
    pub game: u64,
    /// Tell how likely each move was, and what is believed of the opponent.
    pub explain: bool,
    /// Evaluations that were interrupted tell nothing, so that the belief depends on the moves alone.
    pub exact: bool,
    imitator: Imitator,
    /// The level of the last move, and after how many plies of this game it was played.
    last: Option<(usize, Elo)>,
}

impl Imitating {
    /// An imitator that begins with this about its opponent.
    pub fn new(style: Style, prior: OpponentPrior) -> Imitating {
        let imitator = Imitator::new(style.hypotheses(), style.depth, prior);
        let exact = false;
        Imitating { style, seed: 1, game: 1, explain: false, exact, imitator, last: None }
    }

    /// An imitator that knows nothing of its opponent.
    pub fn of_stranger(style: Style) -> Imitating {
        Imitating::new(style, OpponentPrior::beforehand(&style.hypotheses(), None))
    }

    /// Goes on in another manner, with what is known of the opponent.
    pub fn adopt(&mut self, style: Style) {
        let is_same = self.style.believes_as(&style);
        if is_same && self.style.depth == style.depth {
            self.style.aim = style.aim;
        } else {
            let new = match is_same {
                true => Imitating::new(style, self.prior()),
                false => Imitating::of_stranger(style),
            };
            *self = Imitating { last: self.last.filter(|_| is_same), ..new };
        }
    }

    /// All that is known of the opponent now.
    pub fn prior(&self) -> OpponentPrior {
        self.imitator.prior()
    }

    /// What the opponent was taken for at the last move.
    pub fn level(&self) -> Option<Elo> {
        self.last.map(|(_, level)| level)
    }

    pub fn new_game(&mut self) {
        self.imitator.next_game();
        self.last = self.last.map(|(_, level)| (0, level));
    }

    /// The move it makes.
    pub(super) fn decide(
        &mut self,
        host: &mut EngineHost,
        request: &MoveRequest<'_>,
        observer: &mut dyn Observer,
    ) -> Decision {
        let MoveRequest { game, limits, controls } = *request;
        // 1. What he has done. A move that he is only expected to make tells nothing yet, but the
        //    position before it is where he is thinking now.
        let pondering = controls.is_pondering();
        let seen = if pondering { game.before_last() } else { self.imitator.joined(game) };
        let observations = self.imitator.observe(&seen, !game.position().turn());
        // 2. What it was worth, as far as that can be paid for.
        let time = limits.clock.longest().map(|time| time / PART_FOR_HIS);
        let nodes = limits.nodes.map(|nodes| nodes / u64::from(PART_FOR_HIS));
        let nodes = nodes.or_else(|| time.is_none().then_some(NODES_FOR_HIS));
        let budget = Budget::new(time, nodes);
        let coming = pondering.then_some(&seen);
        let spent =
            self.value_his(&mut host.engine, &seen, &observations, coming, &budget, controls);
        let estimate = self.imitator.estimate(&observations);
        if estimate.pending > 0 {
            let pending = estimate.pending;
            observer.remark(&format!(
                "moves of the opponent not valued yet: {pending} (time or limits ended it)"
            ));
        }
        if let Some(exploit) = &mut host.exploit {
            exploit.learn(&estimate.posterior, self.style.family, self.style.scale);
        }
        // 3. The own move.
        let level = self.follow(&estimate, game.ply());
        let limits = Limits {
            clock: limits.clock.after(budget.spent(controls)),
            nodes: limits.nodes.map(|nodes| nodes.saturating_sub(spent).max(1)),
            ..limits.clone()
        };
        let player = self.player(level);
        let decision = player.decide(host, &MoveRequest { limits: &limits, ..*request }, observer);
        if let Some(mv) = decision.best.mv {
            self.imitator.played(if pondering { game } else { &seen }, mv);
        }
        self.last = Some((game.ply(), level));
        if self.explain {
            observer.remark(&self.belief(&estimate, level));
        }
        decision
    }

    /// Uses the opponent's time: values his moves so far, and those that he has now.
    pub fn watch(&mut self, engine: &mut Engine, game: &Game, controls: &Controls) {
        let observations = self.imitator.observe(game, game.position().turn());
        let budget = Budget::new(None, None);
        self.value_his(engine, game, &observations, Some(game), &budget, controls);
    }

    /// What the moves of this side say about who made them, however long that takes; if it is stopped,
    /// what they say as far as they are valued.
    pub fn judge(
        &mut self,
        engine: &mut Engine,
        game: &Game,
        opponent: Colour,
        controls: &Controls,
    ) -> LevelEstimate {
        let observations = self.imitator.observe(game, opponent);
        let budget = Budget::new(None, None);
        self.value_his(engine, game, &observations, None, &budget, controls);
        self.imitator.estimate(&observations)
    }

    /// Values what he has done, and then the moves of the position that he has before him. Gives
    /// the nodes that it took.
    fn value_his(
        &mut self,
        engine: &mut Engine,
        game: &Game,
        observations: &[Observation],
        coming: Option<&Game>,
        budget: &Budget,
        controls: &Controls,
    ) -> u64 {
        let wanted = self.imitator.wanted(game, observations);
        let done = wanted.into_iter().map(|(observation, before)| (Some(observation), before));
        let coming = coming.filter(|game| !self.imitator.foresees(game));
        let coming = coming.map(|game| (None, game.clone()));
        let mut nodes = 0;
        for (observation, before) in done.chain(coming).collect::<Vec<_>>() {
            // An only move tells nothing; it need not be looked at deeply to know that.
            let is_forced = before.position().legal_moves().len() == 1;
            let depth = if is_forced { 1 } else { self.style.depth };
            let request = budget.request(depth, nodes, controls);
            let Some(request) = request.filter(|_| !controls.is_stopped()) else { break };
            let evaluation = engine.evaluate(&before, &request, controls, &mut Silent);
            nodes += evaluation.nodes;
            let enough = if self.exact { depth } else { depth.min(ENOUGH) };
            if evaluation.depth < enough {
                break;
            }
            match observation {
                Some(observation) => self.imitator.learn(&observation, &before, &evaluation),
                None => self.imitator.foresee(&before, &evaluation),
            }
        }
        nodes
    }

    /// The opponent's level as far as it is followed: in small steps from one move to the next.
    fn follow(&self, estimate: &LevelEstimate, ply: usize) -> Elo {
        let (level, step) = (estimate.level.0, LARGEST_STEP);
        match self.last {
            Some((last, Elo(from))) if (last..=last + 2).contains(&ply) => {
                Elo(level.clamp(from - step, from + step))
            }
            _ => Elo(level),
        }
    }

    /// Who plays at a level of the opponent's.
    fn player(&self, level: Elo) -> StoppedDown {
        let curve = self.style.target_rating(level).curve();
        let skill = Skill { selector: Selector::new(curve), depth: self.style.depth };
        let profile = Profile::plain("", skill);
        StoppedDown { profile, seed: self.seed, game: self.game, explain: self.explain }
    }

    fn belief(&self, estimate: &LevelEstimate, level: Elo) -> String {
        let (low, high) = estimate.interval(0.9);
        let (now, earlier) = (estimate.informative, self.imitator.earlier().informative);
        let median = estimate.posterior.median();
        let (own, scale) = (self.style.target_rating(level).nearest(), self.style.scale);
        format!(
            "the opponent plays at about {median:.0} {scale} Elo, 90 % interval {low:.0} to {high:.0}, \
             from {now} informative moves of this game and {earlier} of earlier ones; \
             taken for {level}, answered at {own}"
        )
    }
}

impl fmt::Display for Imitating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, seed {}, game {}", self.style, self.seed, self.game)
    }
}

/// How the imitator plays, beside how strongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    pub aim: Aim,
    pub family: Family,
    /// Of all ratings, the opponent's and the own.
    pub scale: EloScale,
    /// p, of its own moves and of what it values his by.
    pub depth: Depth,
}

impl Style {
    /// As a person with FIDE's rating, at the usual depth.
    pub fn usual(aim: Aim) -> Style {
        let scale = EloScale::default();
        Style { aim, family: TargetRating::usual(scale), scale, depth: USUAL_DEPTH }
    }

    pub fn hypotheses(&self) -> Hypotheses {
        Hypotheses::of_rating(self.family, self.scale, &DepthWeights::deepest())
    }

    /// Who is to be played against an opponent of this level.
    pub(super) fn target_rating(&self, level: Elo) -> TargetRating {
        TargetRating { elo: self.aim.level(level), family: self.family, scale: self.scale }
    }

    /// Are the same ratings believed in, and for the same curves?
    pub(super) fn believes_as(&self, other: &Style) -> bool {
        (self.family, self.scale) == (other.family, other.scale)
    }
}

impl fmt::Display for Style {
    /// `at the opponent's level +100 Elo: p=8 levelled`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Style { aim, family, depth, .. } = self;
        match aim {
            Aim::Equal => f.write_str("at the opponent's level")?,
            Aim::Offset(offset) => write!(f, "at the opponent's level {offset:+.0} Elo")?,
            Aim::Score(score) => {
                write!(f, "at the level that scores {:.0} % against the opponent", score * 100.0)?;
            }
        }
        write!(f, ": p={depth} {family}")
    }
}

/// What may be spent on his moves.
#[derive(Debug)]
struct Budget {
    time: Option<Duration>,
    nodes: Option<u64>,
    /// Since when the clock runs.
    started: Instant,
}

impl Budget {
    /// The clock runs from now on.
    fn new(time: Option<Duration>, nodes: Option<u64>) -> Budget {
        Budget { time, nodes, started: Instant::now() }
    }

    /// The own time that has gone: none before the expected move is made, and no more than there was.
    fn spent(&self, controls: &Controls) -> Duration {
        own_time(self.started, controls).min(self.time.unwrap_or(Duration::MAX))
    }

    /// What the next evaluation may cost; `None` when nothing is left. While the opponent's clock
    /// runs no time is spent.
    fn request(&self, depth: Depth, nodes: u64, controls: &Controls) -> Option<EvaluationRequest> {
        let spent = self.spent(controls);
        let time = self.time.map(|time| time.saturating_sub(spent));
        let nodes = self.nodes.map(|most| most.saturating_sub(nodes));
        let is_left = time.is_none_or(|time| time >= LEAST_TIME) && nodes != Some(0);
        is_left.then(|| EvaluationRequest { time, nodes, ..EvaluationRequest::depth(depth) })
    }
}
