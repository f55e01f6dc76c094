//! Rating scales: they map ratings to modelled players.

use std::ops::RangeInclusive;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::math::exact::exp;
use crate::math::grid::evenly_spaced;
use crate::math::statistics::normal_interval;
use crate::player::{
    BETWEEN_PLAYERS, DISPERSION, EloScale, Levels, MIN_HUMAN_DEPTH, ReganLines, ShownRating,
    timed_reading_curve,
};
use crate::policy::GameKind;
use crate::search::Clock;
use crate::selector::human;
use crate::selector::{Competence, Curve, Family, Selector};
use crate::value::Depth;

/// A rating scale. There are three kinds: the line published by Regan (2011, section 7), a line for
/// the same curve fitted to over-the-board players, and the human model.
///
/// The published line was fitted to evaluations by another engine. Its ratings can be compared with
/// each other, but they are not Elo ratings. The other scales were fitted to this engine's
/// evaluations and to real ratings, at one search depth.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingScale {
    /// The name on the command line, in reports and in files. It is the name of an
    /// [`EloScale`](crate::player::EloScale), the name of one of the lines for Regan's curve, or
    /// `Lichess-Classical`.
    pub name: &'static str,
    players: Players,
    /// The ratings that the scale can measure.
    pub range: RangeInclusive<f64>,
    /// The mean and the standard deviation of the prior for a rating, if there is one. With many
    /// moves, the prior has little effect.
    pub prior: Option<(f64, f64)>,
    /// The factor by which real errors exceed the errors expected from the number of decisions.
    pub dispersion: f64,
    /// The standard deviation of playing strength among players with the same rating, on the human
    /// model's own scale.
    pub between_players: f64,
}

/// The model behind a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Players {
    Published,
    Fitted(ReganLines),
    /// The human model for a kind of game, and the scale of its ratings. `None` stands for the
    /// model's own scale.
    Human(GameKind, Option<EloScale>),
}

/// A rating with its errors.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The estimated rating. It may lie beyond the ends of the scale.
    pub elo: f64,
    /// The standard deviation of the rating, with the prior and all sources of error.
    pub deviation: f64,
    /// The rating from the moves alone, without the prior.
    pub alone: f64,
    /// The standard deviation of `alone` that follows from the number of decisions.
    pub sampling: f64,
    /// The sampling error again, allowing for correlated decisions within a game.
    pub by_games: f64,
    /// The number of decisions that were used.
    pub decisions: usize,
}

/// The name of the published line.
pub(crate) const PUBLISHED: &str = "Regan-Published";
/// The name of the line fitted to this engine and FIDE ratings.
pub(crate) const FITTED: &str = "Regan-Fitted";
/// The name of the scale for classical games on Lichess, which only studies use.
const CLASSICAL: &str = "Lichess-Classical";

/// Names in files from earlier versions, each with the current name.
const OLD_NAMES: [(&str, &str); 9] = [
    ("the published line of Regan and Haworth", PUBLISHED),
    ("ratings over the board (FIDE), by Regan's curve fitted to this engine's values", FITTED),
    ("the ratings of people over the board (FIDE)", EloScale::Fide.name()),
    ("the ratings of people in classical games on a server (Lichess)", CLASSICAL),
    ("the ratings of people in rapid games (Lichess)", EloScale::LichessRapid.name()),
    ("the ratings of people in blitz games (Lichess)", EloScale::LichessBlitz.name()),
    ("the ratings of people in bullet games (Lichess)", EloScale::LichessBullet.name()),
    ("published", PUBLISHED),
    ("fitted", FITTED),
];

/// The line `s = a + b Elo`, fitted to the sensitivities for 2006 to 2009, and the corresponding
/// line for `ln s` (from the table in section 7).
const SENSITIVITY: (f64, f64) = (0.299_031_468_5, -8.129_370_63e-5);
const LN_SENSITIVITY: (f64, f64) = (-0.653_047_418_96, -6.790_266_39e-4);
/// The upper end of the straight part. Beyond it, the line would soon fall below zero.
const STRAIGHT_TO: f64 = 3000.0;
/// The unit of ratings in a fit, which needs parameters with a magnitude near one.
pub(super) const UNIT: f64 = 400.0;
/// The mean and the standard deviation of the prior for over-the-board players, and for online
/// players.
const BOARD_PRIOR: (f64, f64) = (2100.0, 400.0);
const ONLINE_PRIOR: (f64, f64) = (1600.0, 400.0);

impl RatingScale {
    /// The scale published in the paper.
    pub fn published() -> RatingScale {
        RatingScale {
            name: PUBLISHED,
            players: Players::Published,
            range: 600.0..=3400.0,
            prior: None,
            dispersion: 1.0,
            between_players: BETWEEN_PLAYERS,
        }
    }

    /// Over-the-board ratings, for Regan's curve fitted to this engine.
    pub fn fitted() -> RatingScale {
        RatingScale::of_lines(*ReganLines::built_in())
    }

    /// Like [`RatingScale::fitted`], but with lines other than the built-in ones.
    pub fn of_lines(people: ReganLines) -> RatingScale {
        RatingScale {
            name: FITTED,
            players: Players::Fitted(people),
            prior: Some(BOARD_PRIOR),
            ..RatingScale::published()
        }
    }

    /// The human model for one kind of game.
    pub fn of_people(pool: GameKind) -> RatingScale {
        RatingScale {
            name: match pool {
                GameKind::Board => EloScale::Fide.name(),
                GameKind::Classical => CLASSICAL,
                GameKind::Rapid => EloScale::LichessRapid.name(),
                GameKind::Blitz => EloScale::LichessBlitz.name(),
                GameKind::Bullet => EloScale::LichessBullet.name(),
            },
            players: Players::Human(pool, None),
            prior: Some(if pool == GameKind::Board { BOARD_PRIOR } else { ONLINE_PRIOR }),
            dispersion: DISPERSION,
            range: human::LOWEST..=human::HIGHEST,
            ..RatingScale::published()
        }
    }

    /// The human model with ratings on the given scale.
    pub fn of(scale: EloScale) -> RatingScale {
        let native = RatingScale::of_people(scale.pool());
        if scale == scale.native() {
            return native;
        }
        let convert = |elo: &f64| scale.native().on(scale, *elo);
        let converted = RatingScale {
            name: scale.name(),
            players: Players::Human(scale.pool(), Some(scale)),
            range: convert(native.range.start())..=convert(native.range.end()),
            ..native
        };
        RatingScale { prior: native.prior.map(|prior| converted.of_native(prior)), ..converted }
    }

    /// The human model's own scale if this scale is converted from it, otherwise this scale.
    pub(crate) fn native(&self) -> RatingScale {
        match self.players {
            Players::Human(pool, _) => RatingScale::of_people(pool),
            _ => self.clone(),
        }
    }

    /// Finds a scale by its name, or by its name in files from earlier versions.
    pub(crate) fn named(name: &str) -> Option<RatingScale> {
        let old = OLD_NAMES.iter().find(|(old, _)| old.eq_ignore_ascii_case(name));
        let name = old.map_or(name, |(_, current)| *current);
        let mut all = vec![RatingScale::published(), RatingScale::fitted()];
        all.extend(GameKind::ALL.map(RatingScale::of_people));
        all.extend(EloScale::ALL.map(RatingScale::of));
        all.into_iter().find(|scale| scale.name.eq_ignore_ascii_case(name))
    }

    /// The scale of the ratings, or the nearest one that we have.
    pub(crate) fn elo_scale(&self) -> EloScale {
        match self.players {
            Players::Human(_, Some(scale)) => scale,
            Players::Human(GameKind::Classical, None) => EloScale::LichessRapid,
            Players::Human(pool, None) => EloScale::of(Family::human(pool)),
            Players::Published | Players::Fitted(_) => EloScale::Fide,
        }
    }

    /// Whether ratings on this scale are those of players over the board.
    pub(super) fn is_over_the_board(&self) -> bool {
        matches!(self.players, Players::Fitted(_) | Players::Human(GameKind::Board, _))
    }

    /// Whether the scale was not fitted to this engine's evaluations.
    pub fn is_provisional(&self) -> bool {
        self.players == Players::Published
    }

    /// Describes how this depth differs from the depths that the scale was fitted to, if it does.
    pub fn depth_difference(&self, depth: Depth) -> Option<String> {
        match self.players {
            Players::Published => None,
            Players::Fitted(_) => {
                let usual = Levels::built_in().depth;
                (depth != usual).then(|| format!("depth {depth} instead of {usual}"))
            }
            Players::Human(..) => (depth < MIN_HUMAN_DEPTH)
                .then(|| format!("depth {depth} instead of at least {MIN_HUMAN_DEPTH}")),
        }
    }

    /// The curve for which decisions must be prepared.
    pub fn family(&self) -> Family {
        match self.players {
            Players::Human(pool, _) => Family::human(pool),
            _ => Family::REGAN,
        }
    }

    /// The sensitivity and consistency of a player with this rating on Regan's curve. For the human
    /// model, they come from the published line.
    pub fn parameters(&self, elo: f64) -> (f64, f64) {
        if let Players::Fitted(people) = self.players {
            let (c, s) = people.regan(elo);
            return (s, c);
        }
        let line = |(start, slope): (f64, f64), x: f64| start + slope * x;
        // Beyond the straight part of the line for `s`, the line for `ln s` continues from its end.
        let s = match elo <= STRAIGHT_TO {
            true => line(SENSITIVITY, elo),
            false => {
                let end = line(SENSITIVITY, STRAIGHT_TO);
                end * exp(LN_SENSITIVITY.1 * (elo - STRAIGHT_TO))
            }
        };
        (s, 0.513 - 0.007 * (2700.0 - elo) / 100.0)
    }

    /// The nearest rating within the range of the scale.
    pub fn nearest(&self, elo: f64) -> f64 {
        match self.players {
            Players::Human(..) => elo.clamp(*self.range.start(), *self.range.end()),
            Players::Published | Players::Fitted(_) => elo,
        }
    }

    /// Converts a rating on this scale to the human model's own scale. For other curves, returns
    /// the rating unchanged.
    pub(super) fn on_curve(&self, elo: f64) -> f64 {
        match self.players {
            Players::Human(_, Some(scale)) => scale.on(scale.native(), elo),
            _ => elo,
        }
    }

    /// Converts a rating on the human model's own scale, and its error, to this scale. The reverse of
    /// [`RatingScale::on_curve`].
    pub(super) fn of_native(&self, (elo, error): (f64, f64)) -> (f64, f64) {
        match self.players {
            Players::Human(_, Some(scale)) => {
                let [low, middle, high] =
                    [elo - error, elo, elo + error].map(|elo| scale.native().on(scale, elo));
                (middle, (high - low) / 2.0)
            }
            _ => (elo, error),
        }
    }

    /// A weaker and a stronger player, one standard deviation of playing strength apart, around this
    /// rating. At the ends of the scale, the rating is not in the middle.
    pub(super) fn around(&self, elo: f64) -> [f64; 2] {
        let (native, distance) = (self.native(), self.between_players);
        let stronger = native.nearest(self.on_curve(elo) + distance / 2.0);
        let weaker = native.nearest(stronger - distance);
        [weaker, weaker + distance].map(|elo| self.of_native((elo, 0.0)).0)
    }

    /// The modelled player with this rating, whose choices are compared with the moves played.
    pub fn selector(&self, elo: f64) -> Option<Selector> {
        self.timed_selector(elo, None)
    }

    /// The modelled player with this rating at this clock, if it is known. Humans play worse when they are short of
    /// time.
    pub(super) fn timed_selector(&self, elo: f64, clock: Option<&Clock>) -> Option<Selector> {
        if let Players::Human(..) = self.players {
            let usual = self.on_curve(elo).clamp(human::LOWEST, human::HIGHEST);
            let one = Competence::new(1.0).ok()?;
            let human = Curve::new(self.family(), one, usual).ok()?;
            return Some(Selector::new(timed_reading_curve(&human, clock)));
        }
        let (s, c) = self.parameters(elo);
        Some(Selector::new(Curve::new(Family::REGAN, Competence::new(c).ok()?, s).ok()?))
    }

    /// The ratings of the likelihood grid. For Regan's curve, the grid extends a little beyond the
    /// range of the scale. For the human model it does not, because the policy network is evaluated
    /// only at some ratings within the range, and its output is interpolated between them.
    pub(super) fn points(&self) -> Vec<f64> {
        let (beyond, step) = match self.players {
            Players::Human(..) => (0.0, 50.0),
            Players::Published | Players::Fitted(_) => (UNIT, 100.0),
        };
        let (low, high) = (self.range.start() - beyond, self.range.end() + beyond);
        evenly_spaced(low, high, 1 + ((high - low) / step) as usize)
    }
}

/// Serialises the scale as its name.
impl Serialize for RatingScale {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.name.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RatingScale {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RatingScale, D::Error> {
        let name = String::deserialize(deserializer)?;
        let unknown = || D::Error::custom(format_args!("unknown scale \"{name}\""));
        RatingScale::named(&name).ok_or_else(unknown)
    }
}

impl Rating {
    /// The rating as users see it, or `None` if there are too few moves.
    pub(crate) fn shown(&self, scale: &RatingScale, probability: f64) -> Option<ShownRating> {
        ShownRating::new(self.decisions, self.elo, self.interval(probability), &scale.range)
    }

    /// The interval that contains the player's rating with this probability.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        normal_interval(self.elo, self.deviation, probability)
    }
}

/// The player whose parameters in a fit are `ln s` and `ln c`.
pub fn regan_by_logarithms(parameters: &[f64]) -> Option<Selector> {
    let [s, c] = *parameters else { return None };
    Some(Selector::new(Curve::new(Family::REGAN, Competence::new(exp(c)).ok()?, exp(s)).ok()?))
}
