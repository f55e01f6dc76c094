//! Everything about one player, or one group of them, from their turns.

use super::curve::Likeliest;
use super::gauge::{Gauge, Measured, RatedTurn};
use super::plan::StudyPlan;
use super::scale::{Rating, RatingScale};
use super::statistics::{Statistics, Stretch, block, count};
use super::{
    Apparent, Averages, Gains, GuidBratko, Projection, Suspicion, SuspicionWindow, Tally, Turn,
    TurnRules,
};
use crate::math::sums::FINE;
use crate::threads::cores;
use crate::value::Depth;

/// What came out.
#[derive(Clone, Debug)]
pub struct StudyReport {
    pub name: String,
    pub games: usize,
    pub tally: Tally,
    /// Of the ratings that the games give him.
    pub known_rating: Option<f64>,
    pub averages: Averages,
    pub guid_bratko: GuidBratko,
    pub gains: Gains,
    /// By depth.
    pub apparent: Vec<(Depth, Apparent)>,
    /// `None` where there are too few turns.
    pub fit: Option<Likeliest>,
    /// By the percentile method: ln s, ln c.
    pub percentiles: Option<[f64; 2]>,
    /// What the fitted player projects.
    pub projection: Option<Projection>,
    pub rating: Option<Rating>,
    /// Against a profile, or in each game the player of the rating that it gives.
    pub suspicion: Option<Suspicion>,
    /// The mean of those ratings, or of the plan's where a game gives none, or the nearest that the
    /// scale has; `None` where nothing is measured, or against a profile.
    pub measured_against: Option<f64>,
    /// How c moved under noise, at the deepest depth.
    pub under_noise: Option<f64>,
}

/// Fewer turns do not tell two parameters.
const FEWEST: usize = 20;

impl StudyPlan {
    /// What is believed of the player of some turns, at the depth of the plan.
    pub fn apparent(&self, used: &[&Turn]) -> Apparent {
        let rules = TurnRules::none();
        let gauge = Gauge::new(&StudyPlan { rules, ..self.clone() }, Measured::Competence, cores());
        gauge.apparent(&gauge.measure_all(used.iter().copied(), None))
    }

    /// Assesses a player. The turns of each game must stand together, as they were played.
    pub fn assess(&self, name: &str, turns: &[Turn], known_rating: Option<f64>) -> StudyReport {
        let gauge = Gauge::new(self, Measured::Everything, cores());
        gauge.report(name, &gauge.measure_all(turns, known_rating))
    }
}

impl RatingScale {
    /// The rating under which some choices are likeliest; `None` where they do not tell.
    pub fn rate(&self, turns: &[&Turn]) -> Option<Rating> {
        let plan =
            StudyPlan { rules: TurnRules::none(), scale: self.clone(), ..StudyPlan::default() };
        let gauge = Gauge::new(&plan, Measured::Rating, cores());
        gauge.rate(&gauge.measure_all(turns.iter().copied(), None))
    }
}

impl Gauge {
    /// The sums of turns of several games.
    pub(super) fn measure_all<'t>(
        &self,
        turns: impl IntoIterator<Item = &'t Turn>,
        rating: Option<f64>,
    ) -> Statistics {
        let turns: Vec<RatedTurn> = turns.into_iter().map(|turn| (turn.clone(), rating)).collect();
        let mut statistics = Statistics::default();
        for game in turns.chunk_by(|(a, _), (b, _)| a.game == b.game) {
            let number = game[0].0.game;
            let name = format!("game {}", number + 1);
            statistics.add(&self.measure(game, &name, number as u64));
        }
        statistics
    }

    /// Everything about a subject.
    pub fn report(&self, name: &str, statistics: &Statistics) -> StudyReport {
        let plan = &self.plan;
        let tally = statistics.tally();
        let number = |place: usize| statistics.count(place) as f64;
        let mean = |place: usize, by: usize| number(place) / FINE / number(by);
        let of = |place: usize| usize::try_from(statistics.count(place)).unwrap_or(0);
        let depths = plan.depths.iter().enumerate();
        let fit = self.curve.likeliest(statistics.block(block::LIKELIHOOD));
        let fit = fit.filter(|_| tally.used >= FEWEST);
        let percentiles = statistics.block(block::PERCENTILES);
        let actual = in_units(statistics.block(block::ACTUAL));
        let projected = |fit: &Likeliest| {
            let figures = statistics.block(block::FIGURES);
            let expected = self.curve.expected(&fit.parameters, figures);
            Projection::of_sums(tally.used, &expected, &actual, fit.ln_likelihood)
        };
        let known = (of(count::RATED) > 0).then(|| number(count::RATINGS) / number(count::RATED));
        let measured = of(count::MEASURED) > 0 && plan.against.is_none();
        StudyReport {
            name: name.to_owned(),
            games: of(count::GAMES),
            known_rating: known,
            averages: Averages {
                turns: tally.used,
                best: actual.first().map_or(f64::NAN, |equal| equal / number(count::USED)),
                centipawn_loss: 100.0 * mean(count::LOSS, count::USED),
                accuracy: mean(count::ACCURACY, count::USED),
            },
            guid_bratko: GuidBratko {
                turns: of(count::GUID_BRATKO),
                difference: mean(count::GUID_BRATKO + 1, count::GUID_BRATKO),
                blunders: mean(count::GUID_BRATKO + 2, count::GUID_BRATKO),
            },
            gains: Gains::of_counts(&statistics.gains),
            apparent: depths.map(|(at, &depth)| (depth, self.belief(statistics, at))).collect(),
            projection: fit.as_ref().map(projected),
            percentiles: fit
                .map(|fit| self.curve.by_percentiles(&fit.parameters, percentiles, tally.used)),
            rating: self.rate(statistics),
            suspicion: self.suspicion(statistics),
            measured_against: measured.then(|| number(count::AGAINST) / number(count::MEASURED)),
            under_noise: plan
                .noise
                .map(|_| self.belief(statistics, plan.depths.len()).posterior.mean()),
            fit,
            tally,
        }
    }

    /// Against a profile, or the players of the ratings that the games give.
    fn suspicion(&self, statistics: &Statistics) -> Option<Suspicion> {
        let expected = in_units(statistics.block(block::EXPECTED));
        let actual = in_units(statistics.block(block::MEASURED));
        let turns = usize::try_from(statistics.count(count::MEASURED)).ok().filter(|&n| n > 0)?;
        let ln_likelihood = statistics.count(count::LN_LIKELIHOOD) as f64 / FINE;
        let projection = Projection::of_sums(turns, &expected, &actual, ln_likelihood);
        let window =
            statistics.window.as_ref().map(|Stretch { evidence, game, number }| SuspicionWindow {
                game: game.clone(),
                first: usize::try_from(*number).unwrap_or(0),
                length: self.plan.window,
                evidence: *evidence as f64 / FINE,
            });
        let evidence = in_units(statistics.block(block::EVIDENCE)).into_iter();
        Suspicion::of_sums(projection, evidence, window)
    }
}

fn in_units(sums: &[i64]) -> Vec<f64> {
    sums.iter().map(|&sum| sum as f64 / FINE).collect()
}
