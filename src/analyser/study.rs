//! Everything about one player, or one group of them, from their turns.

use super::scale::{Rating, Scale, regan_by_logarithms, usual_start};
use super::{
    Apparent, Averages, Fit, Gain, Gains, GuidBratko, Projection, Rules, Suspicion, Tally, Turn,
    apparent, by_likelihood, by_percentiles, project, suspect,
};
use crate::math::grid::{Posterior, closer_below};
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::player::{Hypotheses, Levels, Profile};
use crate::selector::{Competence, Curve, DepthWeights, Family, Selector, Values};
use crate::value::Depth;

/// What is asked of the turns.
#[derive(Clone, Debug)]
pub struct Plan {
    pub rules: Rules,
    /// At which apparent competence is shown, rising; the last is that of everything else.
    pub depths: Vec<Depth>,
    /// The curve whose competence that is, and how far it reaches.
    pub family: Family,
    pub most_competence: f64,
    pub scale: Scale,
    /// How the values differ from those that the scale was fitted to.
    pub departures: Vec<String>,
    /// The rating that a player is measured against when nothing else is known of him.
    pub rating: Option<f64>,
    /// Whom a player is measured against instead of a player of his rating.
    pub against: Option<Profile>,
    /// How the gain of a move is measured, and whether all valued moves have one: the paper leaves
    /// out none. Else it is those after the opening.
    pub gain: Gain,
    pub gains_of_all: bool,
    /// Moves in a window of evidence.
    pub window: usize,
    /// Normal noise on all values: its variance in square pawns, and its seed.
    pub noise: Option<(f64, u64)>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Report {
    pub name: String,
    pub games: usize,
    /// One in so many of his games was read; 1 unless there were too many for memory.
    pub one_game_in: u64,
    pub tally: Tally,
    /// Of the ratings that the games give him.
    pub known_rating: Option<f64>,
    pub averages: Averages,
    pub guid_bratko: GuidBratko,
    pub gains: Gains,
    /// By depth.
    pub apparent: Vec<(Depth, Apparent)>,
    /// `None` where there are too few turns.
    pub fit: Option<Fit>,
    /// By the percentile method: ln s, ln c.
    pub percentiles: Option<Vec<f64>>,
    /// What the fitted player projects.
    pub projection: Option<Projection>,
    pub rating: Option<Rating>,
    /// Against a profile, or the player of the rating below.
    pub suspicion: Option<Suspicion>,
    /// The known rating, or the plan's, or the nearest that the scale has; `None` where nothing is
    /// measured, or against a profile.
    pub measured_against: Option<f64>,
    /// How c moved under noise, at the deepest depth.
    pub under_noise: Option<f64>,
}

/// Points of the scale of competence: a thousand moves tell c from c plus 3 % of itself.
const POINTS: usize = 361;
/// Below it they are evenly spaced, above it by proportion.
const KNEE: f64 = 2.0;
/// Fewer turns do not tell two parameters.
const FEWEST: usize = 20;

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            rules: Rules::default(),
            depths: vec![Levels::built_in().depth],
            family: Family::LEVELLED,
            most_competence: 60.0,
            scale: Scale::published(),
            departures: Vec::new(),
            rating: None,
            against: None,
            gain: Gain::default(),
            gains_of_all: false,
            window: 20,
            noise: None,
        }
    }
}

impl Plan {
    /// The scale, and what ratings on it cannot be taken for.
    pub fn described_scale(&self) -> String {
        let reservation = self.reservation().map(|text| format!("; {text}")).unwrap_or_default();
        format!("{}{reservation}", self.scale.name)
    }

    /// What ratings on this plan's scale cannot be taken for, if anything.
    pub fn reservation(&self) -> Option<String> {
        if self.scale.is_provisional() {
            return Some("not fitted to this engine: for comparing only".to_owned());
        }
        let departures = self.departures.join(", ");
        (!departures.is_empty())
            .then(|| format!("what is valued differs from the calibration: {departures}"))
    }

    pub(super) fn hypotheses(&self) -> Hypotheses {
        let grid = closer_below(self.most_competence, KNEE, POINTS);
        let curve = Curve::new(self.family, Competence::RANDOM, 1.0).expect("1 is a scale");
        Hypotheses::of_competence(curve, &DepthWeights::deepest(), &grid)
    }

    /// What is believed of somebody before his first move: any c is as likely as any other.
    pub(super) fn know_nothing(hypotheses: &Hypotheses) -> Posterior {
        Posterior::flat(hypotheses.points().to_vec()).expect("the points rise and there is one")
    }

    /// What is believed of the player of some turns, at the depth of the plan.
    pub fn apparent(&self, used: &[&Turn]) -> Apparent {
        let hypotheses = self.hypotheses();
        apparent(used, &hypotheses, &Plan::know_nothing(&hypotheses))
    }

    /// Assesses a player. His turns must be in the order in which they were played.
    pub fn assess(&self, name: &str, turns: &[Turn], known_rating: Option<f64>) -> Report {
        let (used, tally) = self.rules.select(turns);
        // What others count may reach further, but never into the opening: it need not be valued.
        let counted: Vec<&Turn> =
            turns.iter().filter(|turn| turn.number() > self.rules.opening).collect();
        let has_gain = |turn: &&Turn| {
            turn.is_valued() && (self.gains_of_all || turn.number() > self.rules.opening)
        };
        let gained = turns.iter().filter(has_gain);
        let hypotheses = self.hypotheses();
        let prior = Plan::know_nothing(&hypotheses);
        let at = |depth: Depth| {
            let shallow = used.iter().map(|turn| up_to(turn, depth)).collect::<Vec<_>>();
            apparent(&shallow.iter().collect::<Vec<_>>(), &hypotheses, &prior)
        };
        let (last, shallower) = self.depths.split_last().expect("a plan has a depth");
        let mut by_depth: Vec<(Depth, Apparent)> =
            shallower.iter().map(|&depth| (depth, at(depth))).collect();
        by_depth.push((*last, apparent(&used, &hypotheses, &prior)));
        let enough = used.len() >= FEWEST;
        let fit = || by_likelihood(&used, &usual_start(), regan_by_logarithms).ok();
        let fit = enough.then(fit).flatten();
        let start = fit.as_ref().map(|fit| fit.parameters.clone());
        let percentiles =
            start.and_then(|start| by_percentiles(&used, &start, regan_by_logarithms).ok());
        let fitted = fit.as_ref().and_then(|fit| regan_by_logarithms(&fit.parameters));
        let rating = known_rating.or(self.rating).filter(|_| self.against.is_none());
        let measured_against = rating.map(|elo| self.scale.nearest(elo));
        let of_rating = measured_against.and_then(|elo| self.scale.selector(elo));
        let suspicion = match &self.against {
            Some(profile) => Some(suspect(profile, &used, self.window)),
            None => of_rating.map(|selector| suspect(&selector, &used, self.window)),
        };
        let mut games: Vec<usize> = turns.iter().map(|turn| turn.game).collect();
        games.dedup();
        Report {
            name: name.to_owned(),
            games: games.len(),
            one_game_in: 1,
            known_rating,
            averages: Averages::of(&used),
            guid_bratko: GuidBratko::of(counted.iter().copied()),
            gains: Gains::of(gained, self.gain),
            projection: fitted.map(|selector: Selector| project(&selector, &used)),
            percentiles: percentiles.map(|(parameters, _)| parameters),
            rating: self.scale.rate(&used).ok(),
            suspicion,
            measured_against,
            under_noise: self.noise.map(|noise| self.under_noise(&used, &hypotheses, noise)),
            apparent: by_depth,
            fit,
            tally,
        }
    }

    /// The mean of c when the values are blurred (Haworth 2007, section 3.1).
    fn under_noise(
        &self,
        used: &[&Turn],
        hypotheses: &Hypotheses,
        (variance, seed): (f64, u64),
    ) -> f64 {
        let noisy: Vec<Turn> =
            used.iter().map(|turn| blurred(turn, variance.sqrt(), seed)).collect();
        let noisy: Vec<&Turn> = noisy.iter().collect();
        apparent(&noisy, hypotheses, &Plan::know_nothing(hypotheses)).posterior.mean()
    }
}

/// A turn as one sees it who looks less deep.
fn up_to(turn: &Turn, depth: Depth) -> Turn {
    Turn { values: turn.values.up_to(usize::from(depth)), ..turn.clone() }
}

/// A turn whose deepest values are off by a normal error each.
fn blurred(turn: &Turn, deviation: f64, seed: u64) -> Turn {
    let occasion = Occasion { seed, game: turn.game as u64, ply: turn.ply as u64 };
    let mut stream = Stream::new(occasion, Purpose::Simulation);
    let values: Vec<f64> =
        turn.values.deepest().iter().map(|value| value + deviation * stream.normal()).collect();
    let values = Values::at_one_depth(&values).expect("finite values stay so");
    Turn { values, ..turn.clone() }
}
