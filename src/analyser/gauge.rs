//! The gauge of a study: turns go in, sums come out, and of sums it makes a report.
//!
//! Every game of a subject is measured alone and rounded to whole units once, so that a report is the
//! same whether one run has read all games or a thousand machines have.

use super::curve::{CurveGrid, Seen};
use super::figures::{Counting, FIGURES};
use super::plan::{Apparent, StudyPlan};
use super::rating::RatingGrid;
use super::statistics::{Statistics, Stretch, block, count};
use super::suspicion::{heaviest, odds, parts, weight};
use super::{Averages, Gains, GuidBratko, Omission, Rating, Turn};
use crate::math::grid::Posterior;
use crate::math::sums::{COARSE, FINE, units};
use crate::player::Hypotheses;
use crate::selector::{Family, Selector};
use crate::threads::share_out;

/// What is measured of turns: everything, or what one command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    Everything,
    Rating,
    Competence,
}

/// What measures turns by a plan.
#[derive(Clone, Debug)]
pub struct Gauge {
    pub plan: StudyPlan,
    what: Measured,
    /// Threads that look at turns.
    pub(super) threads: usize,
    hypotheses: Hypotheses,
    pub(super) ratings: RatingGrid,
    pub(super) curve: CurveGrid,
}

/// A turn of a game with the rating that its player has there.
pub type RatedTurn = (Turn, Option<f64>);

/// No choice is less likely than this on the scale of c, in nats.
const LEAST: f64 = -128.0;

/// What one turn says, in numbers that are not yet rounded.
struct Observed {
    competence: Vec<Option<Vec<f64>>>,
    rating: Option<[Vec<f64>; 3]>,
    seen: Option<Seen>,
    actual: Vec<f64>,
    against: Option<Against>,
}

/// A turn beside what a player is expected to do.
struct Against {
    rating: f64,
    ln_likelihood: f64,
    expected: Vec<f64>,
    odds: (f64, f64),
}

impl Gauge {
    pub fn new(plan: &StudyPlan, what: Measured, threads: usize) -> Gauge {
        let (hypotheses, curve) = (plan.hypotheses(), CurveGrid::new());
        let ratings = RatingGrid::new(&plan.scale);
        Gauge { plan: plan.clone(), what, threads, hypotheses, ratings, curve }
    }

    /// Does it measure ratings?
    pub fn rates(&self) -> bool {
        self.what != Measured::Competence
    }

    /// The curve that turns have to be seen with.
    pub(super) fn family(&self) -> Family {
        match self.what {
            Measured::Competence => self.plan.family,
            Measured::Everything | Measured::Rating => self.plan.scale.family(),
        }
    }

    /// The sums of the turns that a subject has in one game, in their order. `game` is what to call
    /// it, and `seed` what noise on its values is drawn from.
    pub fn measure(&self, turns: &[RatedTurn], game: &str, seed: u64) -> Statistics {
        let rules = &self.plan.rules;
        let used: Vec<&RatedTurn> =
            turns.iter().filter(|(turn, _)| rules.against(turn).is_none()).collect();
        let observed =
            share_out(used.len(), self.threads, |number| self.observe(used[number], seed));
        let whole = self.what == Measured::Everything;
        let gained = turns.iter().map(|(turn, _)| turn).filter(|turn| whole && self.has_gain(turn));
        let mut blocks = vec![Vec::new(); block::COMPETENCE];
        self.competence(&observed, &mut blocks);
        self.rating(&observed, &mut blocks);
        self.figures(&observed, &mut blocks);
        let mut counts = self.counts(turns, &used);
        let window = self.against(&observed, &used, game, &mut blocks, &mut counts);
        let informative =
            |at: usize| observed.iter().filter(move |turn| turn.competence[at].is_some());
        counts.extend((0..self.grids()).map(|at| informative(at).count() as i64));
        blocks[block::COUNTS] = counts;
        let gains = Gains::of(gained, self.plan.gain).counts();
        Statistics { blocks, gains, window }
    }

    /// Scales of c: of each depth, and of noisy values.
    fn grids(&self) -> usize {
        match self.what {
            Measured::Rating => 0,
            _ => self.plan.depths.len() + usize::from(self.plan.noise.is_some()),
        }
    }

    fn has_gain(&self, turn: &Turn) -> bool {
        turn.is_valued() && (self.plan.gains_of_all || turn.number() > self.plan.rules.opening)
    }

    fn observe(&self, (turn, rating): &RatedTurn, seed: u64) -> Observed {
        let whole = self.what == Measured::Everything;
        let counting = whole.then(|| Counting::of(turn));
        let ratings = (self.what != Measured::Competence).then(|| {
            let mut sums = std::array::from_fn(|_| vec![0.0; self.ratings.points.len()]);
            self.ratings.observe(turn, &mut sums);
            sums
        });
        let mut actual = vec![0.0; FIGURES];
        let seen = counting.as_ref().map(|counting| {
            let mut seen = self.curve.nothing();
            self.curve.observe(turn, counting, &mut seen);
            counting.count(turn.chosen, &mut actual);
            seen
        });
        let competence = match self.what {
            Measured::Rating => Vec::new(),
            _ => self.told(turn, seed),
        };
        let against = counting.and_then(|counting| self.beside(turn, *rating, &counting));
        Observed { competence, rating: ratings, seen, actual, against }
    }

    /// What a turn tells of c at each depth, and of blurred values; `None` where that is nothing.
    fn told(&self, turn: &Turn, seed: u64) -> Vec<Option<Vec<f64>>> {
        let (_, shallower) = self.plan.depths.split_last().expect("a plan has a depth");
        let told = |turn: &Turn| {
            let found = self.hypotheses.ln_likelihoods(&turn.values, turn.chosen);
            Hypotheses::is_informative(&found).then_some(found)
        };
        let mut all: Vec<Option<Vec<f64>>> =
            shallower.iter().map(|&depth| told(&turn.up_to(depth))).collect();
        all.push(told(turn));
        if let Some((variance, own)) = self.plan.noise {
            all.push(told(&turn.blurred(variance.sqrt(), own, seed)));
        }
        all
    }

    /// A turn beside what is expected of the profile or the rating that it is measured against.
    fn beside(&self, turn: &Turn, rating: Option<f64>, counting: &Counting) -> Option<Against> {
        let StudyPlan { scale, against, .. } = &self.plan;
        let rating = rating.or(self.plan.rating).map(|elo| scale.nearest(elo));
        let (distribution, rating) = match against {
            Some(profile) => (profile.distribution(&turn.values), 0.0),
            None => {
                let selector: Selector = scale.selector(rating?)?;
                (selector.distribution(&turn.values), rating?)
            }
        };
        let mut expected = vec![0.0; 2 * FIGURES];
        counting.expect(distribution.probabilities(), &mut expected);
        let ln_likelihood = distribution.ln_probability(turn.chosen);
        let odds = odds(&distribution, turn);
        Some(Against { rating, ln_likelihood, expected, odds })
    }

    fn competence(&self, observed: &[Observed], blocks: &mut Vec<Vec<i64>>) {
        for at in 0..self.grids() {
            let told = observed.iter().filter_map(|turn| turn.competence[at].as_deref());
            let points = self.hypotheses.points().len();
            let bounded = told.map(|row| row.iter().map(|ln| ln.max(LEAST)));
            blocks.push(summed(bounded, points, FINE));
        }
    }

    fn rating(&self, observed: &[Observed], blocks: &mut [Vec<i64>]) {
        if self.what == Measured::Competence {
            return;
        }
        let mut game: [Vec<f64>; 3] = std::array::from_fn(|_| vec![0.0; self.ratings.points.len()]);
        for turn in observed.iter().filter_map(|turn| turn.rating.as_ref()) {
            for (sums, more) in game.iter_mut().zip(turn) {
                sums.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
            }
        }
        self.ratings.keep(&game, &mut blocks[block::RATING..block::LIKELIHOOD]);
    }

    fn figures(&self, observed: &[Observed], blocks: &mut [Vec<i64>]) {
        if self.what != Measured::Everything {
            return;
        }
        let nothing = self.curve.nothing();
        let rows = |of: fn(&Seen) -> &Vec<f64>| {
            observed.iter().filter_map(move |turn| Some(of(turn.seen.as_ref()?).iter().copied()))
        };
        blocks[block::LIKELIHOOD] = summed(rows(|s| &s.likelihood), nothing.likelihood.len(), FINE);
        blocks[block::FIGURES] = summed(rows(|s| &s.figures), nothing.figures.len(), COARSE);
        let length = nothing.percentiles.len();
        blocks[block::PERCENTILES] = summed(rows(|s| &s.percentiles), length, COARSE);
        let actual = observed.iter().map(|turn| turn.actual.iter().copied());
        blocks[block::ACTUAL] = summed(actual, FIGURES, FINE);
    }

    fn against(
        &self,
        observed: &[Observed],
        used: &[&RatedTurn],
        game: &str,
        blocks: &mut [Vec<i64>],
        counts: &mut [i64],
    ) -> Option<Stretch> {
        let measured: Vec<(&Observed, &Against)> =
            observed.iter().filter_map(|turn| Some((turn, turn.against.as_ref()?))).collect();
        if measured.is_empty() {
            return None;
        }
        let sum = |of: fn(&Against) -> f64| measured.iter().map(|(_, a)| of(a)).sum::<f64>();
        counts[count::MEASURED] = measured.len() as i64;
        counts[count::AGAINST] = units(sum(|a| a.rating), 1.0);
        counts[count::LN_LIKELIHOOD] = units(sum(|a| a.ln_likelihood), FINE);
        let expected = measured.iter().map(|(_, a)| a.expected.iter().copied());
        blocks[block::EXPECTED] = summed(expected, 2 * FIGURES, FINE);
        let actual = measured.iter().map(|(turn, _)| turn.actual.iter().copied());
        blocks[block::MEASURED] = summed(actual, FIGURES, FINE);
        let evidence = measured.iter().map(|(_, a)| parts().map(|part| weight(a.odds, part)));
        blocks[block::EVIDENCE] = summed(evidence, parts().count(), FINE);
        let weights: Vec<f64> = measured.iter().map(|(_, a)| weight(a.odds, 0.5)).collect();
        let window = heaviest(&weights, self.plan.window)?;
        let measured = used.iter().zip(observed).filter(|(_, turn)| turn.against.is_some());
        let first = measured.map(|((turn, _), _)| turn.number()).nth(window.first)?;
        let evidence = units(window.evidence, FINE);
        Some(Stretch { evidence, game: game.to_owned(), number: first as i64 })
    }

    fn counts(&self, turns: &[RatedTurn], used: &[&RatedTurn]) -> Vec<i64> {
        let mut counts = vec![0; count::INFORMATIVE];
        counts[count::GAMES] = 1;
        counts[count::TURNS] = turns.len() as i64;
        counts[count::USED] = used.len() as i64;
        for (turn, rating) in turns {
            if let Some(reason) = self.plan.rules.against(turn) {
                let place = Omission::ALL.iter().position(|known| *known == reason);
                counts[count::LEFT_OUT + place.unwrap_or(0)] += 1;
            }
            if let Some(rating) = rating {
                counts[count::RATED] += 1;
                counts[count::RATINGS] += units(*rating, 1.0);
            }
        }
        if self.what != Measured::Everything {
            return counts;
        }
        let sum = |of: &mut dyn Iterator<Item = [f64; 2]>| {
            let sums = of.fold([0.0; 2], |sums, next| [sums[0] + next[0], sums[1] + next[1]]);
            sums.map(|sum| units(sum, FINE))
        };
        let averages = sum(&mut used.iter().map(|(turn, _)| Averages::counted(turn)));
        counts[count::LOSS..=count::ACCURACY].copy_from_slice(&averages);
        // What others count may reach further, but never into the opening: it need not be valued.
        let (rules, opening) = (GuidBratko::rules(), self.plan.rules.opening);
        let counted: Vec<&Turn> = turns
            .iter()
            .map(|(turn, _)| turn)
            .filter(|turn| turn.number() > opening && rules.against(turn).is_none())
            .collect();
        counts[count::GUID_BRATKO] = counted.len() as i64;
        let guid = sum(&mut counted.iter().map(|turn| GuidBratko::counted(turn)));
        counts[count::GUID_BRATKO + 1..count::MEASURED].copy_from_slice(&guid);
        counts
    }

    /// Can these be sums of turns that were measured by this plan? Whoever has them from a file asks first.
    pub fn is_sound(&self, statistics: &Statistics) -> bool {
        let nothing = self.curve.nothing();
        let (points, competences) = (self.ratings.points.len(), self.hypotheses.points().len());
        let curve = [nothing.likelihood.len(), nothing.figures.len(), nothing.percentiles.len()];
        // Of each of these all blocks are there, or none.
        let groups: [(usize, &[usize]); 4] = [
            (block::RATING, &[points; block::LIKELIHOOD - block::RATING]),
            (block::LIKELIHOOD, &curve),
            (block::ACTUAL, &[FIGURES]),
            (block::EXPECTED, &[2 * FIGURES, FIGURES, parts().count()]),
        ];
        let lengths = |first: usize| (first..).map(|number| statistics.block(number).len());
        let is_there = |(first, wanted): (usize, &[usize])| {
            lengths(first).zip(wanted).all(|(found, &wanted)| found == wanted)
        };
        let is_empty = |(first, wanted): (usize, &[usize])| {
            lengths(first).take(wanted.len()).all(|found| found == 0)
        };
        let [_, curve, actual, against] = groups;
        groups.into_iter().all(|group| is_there(group) || is_empty(group))
            && (is_there(actual) || is_empty(curve))
            && (is_there(against) || statistics.count(count::MEASURED) <= 0)
            && lengths(block::COMPETENCE)
                .take(self.grids())
                .all(|found| found == competences || found == 0)
    }

    /// What is believed of c, at a depth of the plan by its place, or under noise behind them.
    pub(super) fn belief(&self, statistics: &Statistics, at: usize) -> Apparent {
        let mut posterior: Posterior = StudyPlan::know_nothing(&self.hypotheses);
        let sums = statistics.block(block::COMPETENCE + at);
        let found: Vec<f64> = sums.iter().map(|&sum| sum as f64 / FINE).collect();
        if found.len() == posterior.points().len() {
            posterior.update(&found);
        }
        let informative = statistics.count(count::INFORMATIVE + at);
        Apparent { posterior, informative: usize::try_from(informative).unwrap_or(0) }
    }

    /// What is believed of c at the depth of the plan.
    pub fn apparent(&self, statistics: &Statistics) -> Apparent {
        self.belief(statistics, self.plan.depths.len() - 1)
    }

    /// The rating from the moves; `None` where they do not tell.
    pub fn rate(&self, statistics: &Statistics) -> Option<Rating> {
        let used = statistics.tally().used;
        let kept = statistics.blocks.get(block::RATING..block::LIKELIHOOD)?;
        self.ratings.rate(&self.plan.scale, kept, used)
    }
}

/// Rows added up in their order, each number then rounded to whole units.
fn summed(
    rows: impl Iterator<Item = impl Iterator<Item = f64>>,
    length: usize,
    unit: f64,
) -> Vec<i64> {
    let mut sums = vec![0.0; length];
    rows.for_each(|row| sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x));
    sums.into_iter().map(|sum| units(sum, unit)).collect()
}
