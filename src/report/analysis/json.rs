//! The results for a player or group as JSON.
//!
//! The names of the fields are a published format, which the manual documents. They are written out
//! here, so that changes in the analyser do not change them.

use serde::Serialize;

use super::rating_list::RatedPlayer;
use crate::analyser::{
    ApparentCompetence, Figure, Omission, Projection, Rating, RatingWithResults, StudyPlan,
    StudyReport, Suspicion, Tally, expected_among,
};
use crate::player::RatingBound;
use crate::value::Depth;

/// The line for a player or group.
#[derive(Debug, Serialize)]
pub struct PlayerJson<'a> {
    name: String,
    games: usize,
    /// The number of moves that count.
    moves: usize,
    left_out: LeftOut,
    pgn_rating: Option<f64>,
    /// Null if there are too few moves.
    rating: Option<RatingJson<'a>>,
    /// Null if there are too few moves, or no results against opponents with known ratings.
    with_results: Option<WithResultsJson>,
    /// The accuracy in percent, by the Lichess formula.
    accuracy: f64,
    best_move_share: f64,
    centipawn_loss: f64,
    /// The share of moves that lost a pawn or more.
    mistake_share: f64,
    guid_bratko: GuidBratkoJson,
    competence: Vec<CompetenceJson>,
    competence_with_noise: Option<f64>,
    regan_fit: Option<ReganFit>,
    regan_fit_by_percentiles: Option<ReganParameters>,
    /// The projection for the player that was fitted.
    projection: Option<ProjectionJson>,
    /// The changes in evaluation that the moves caused, in centipawns, each with its share of the
    /// moves.
    gains: Vec<(i32, f64)>,
    /// The comparison with a player of the same rating, or with a profile.
    comparison: Option<ComparisonJson<'a>>,
}

/// The number of moves that each rule leaves out.
#[derive(Debug, Serialize)]
struct LeftOut {
    opening: usize,
    sample: usize,
    forced: usize,
    repetition: usize,
    advantage: usize,
    decided: usize,
}

/// A rating, limited to the range of its scale.
#[derive(Debug, Serialize)]
struct RatingJson<'a> {
    elo: f64,
    /// The end of the range that the estimate lies beyond. Null if the estimate is within the
    /// range.
    bound: Option<RatingBound>,
    #[serde(flatten)]
    scale: ScaleJson<'a>,
    standard_error: f64,
    sampling_error: f64,
    sampling_error_by_game: f64,
    range_50: (f64, f64),
    range_80: (f64, f64),
    range_95: (f64, f64),
}

/// A rating scale, and the caveat about the meaning of its ratings.
#[derive(Debug, Serialize)]
pub struct ScaleJson<'a> {
    scale: &'static str,
    /// Whether the scale was fitted to this engine's evaluations.
    calibrated: bool,
    /// How this analysis differs from the one that the scale was fitted to.
    differences: &'a [String],
}

/// A player in a rating list.
#[derive(Debug, Serialize)]
pub struct RatedJson<'a> {
    name: &'a str,
    /// Null if there are too few moves.
    rating: Option<f64>,
    bound: Option<RatingBound>,
    range_95: Option<(f64, f64)>,
    moves: usize,
    /// Null if there are too few moves, or no results against opponents with known ratings.
    with_results: Option<WithResultsJson>,
    #[serde(flatten)]
    scale: ScaleJson<'a>,
}

/// A rating from moves and results.
#[derive(Debug, Serialize)]
struct WithResultsJson {
    rating: f64,
    bound: Option<RatingBound>,
    range_95: (f64, f64),
    /// The number of games against opponents with known ratings.
    games: usize,
    score: f64,
    mean_opponent: f64,
}

#[derive(Debug, Serialize)]
struct GuidBratkoJson {
    moves: usize,
    /// The average loss in pawns.
    average_loss: f64,
    /// The share of moves that lost more than a pawn.
    mistake_share: f64,
}

#[derive(Debug, Serialize)]
struct CompetenceJson {
    depth: Depth,
    c: f64,
    range_90: (f64, f64),
    informative_moves: usize,
    /// The composite profile that plays like this player: values of c and their weights.
    mixture: Vec<(f64, f64)>,
}

#[derive(Debug, Serialize)]
struct ReganParameters {
    sensitivity: f64,
    consistency: f64,
}

#[derive(Debug, Serialize)]
struct ReganFit {
    #[serde(flatten)]
    parameters: ReganParameters,
    /// The standard errors of the logarithms of the two parameters.
    ln_standard_errors: [f64; 2],
    ln_likelihood: f64,
}

#[derive(Debug, Serialize)]
struct ProjectionJson {
    moves: usize,
    first_choice: FigureJson,
    best_value: FigureJson,
    average_loss: FigureJson,
    average_loss_scaled: FigureJson,
    ranks: Vec<FigureJson>,
    misfit: f64,
    ln_likelihood: f64,
}

#[derive(Debug, Serialize)]
struct FigureJson {
    actual: f64,
    expected: f64,
    standard_deviation: f64,
    z: f64,
}

#[derive(Debug, Serialize)]
struct ComparisonJson<'a> {
    profile: Option<&'a str>,
    /// The rating of the players used for the comparison. Null for a profile.
    rating: Option<f64>,
    projection: ProjectionJson,
    honest_players: f64,
    /// How many of the assumed honest players would match the engine's first choice as often.
    honest_matches: f64,
    partly_assisted: EvidenceJson,
    fully_assisted: EvidenceJson,
    window: Option<WindowJson>,
}

#[derive(Debug, Serialize)]
struct EvidenceJson {
    share_of_moves: f64,
    nats: f64,
}

#[derive(Debug, Serialize)]
struct WindowJson {
    game: String,
    first_move: usize,
    moves: usize,
    nats: f64,
    windows: usize,
}

impl PlayerJson<'_> {
    /// `honest` is how many honest players to assume when estimating how many of them would match
    /// the engine as often.
    pub fn new<'a>(report: &StudyReport, plan: &'a StudyPlan, honest: f64) -> PlayerJson<'a> {
        let (averages, guid) = (&report.averages, &report.guid_bratko);
        let apparent = report.apparent.iter();
        PlayerJson {
            name: report.name.clone(),
            games: report.games,
            moves: report.tally.used,
            left_out: LeftOut::new(&report.tally),
            pgn_rating: report.known_rating,
            rating: report.rating.as_ref().and_then(|rating| RatingJson::new(rating, plan)),
            with_results: WithResultsJson::new(report.with_results.as_ref(), plan),
            accuracy: averages.accuracy,
            best_move_share: averages.best,
            centipawn_loss: averages.centipawn_loss,
            mistake_share: averages.blunders,
            guid_bratko: GuidBratkoJson {
                moves: guid.decisions,
                average_loss: guid.difference,
                mistake_share: guid.blunders,
            },
            competence: apparent.map(|(depth, of)| CompetenceJson::new(*depth, of)).collect(),
            competence_with_noise: report.under_noise,
            regan_fit: report.fit.as_ref().map(|fit| ReganFit {
                parameters: ReganParameters::of_logarithms(&fit.parameters),
                ln_standard_errors: fit.deviations,
                ln_likelihood: fit.ln_likelihood,
            }),
            regan_fit_by_percentiles: report
                .percentiles
                .as_ref()
                .map(ReganParameters::of_logarithms),
            projection: report.projection.as_ref().map(ProjectionJson::new),
            gains: report.gains.histogram(),
            comparison: report.suspicion.as_ref().map(|suspicion| ComparisonJson {
                rating: report.measured_against,
                ..ComparisonJson::new(suspicion, plan, honest)
            }),
        }
    }
}

impl LeftOut {
    fn new(tally: &Tally) -> LeftOut {
        LeftOut {
            opening: tally.left_out(Omission::Opening),
            sample: tally.left_out(Omission::Sampled),
            forced: tally.left_out(Omission::Forced),
            repetition: tally.left_out(Omission::Repetition),
            advantage: tally.left_out(Omission::Advantage),
            decided: tally.left_out(Omission::Decided),
        }
    }
}

impl RatingJson<'_> {
    fn new<'a>(rating: &Rating, plan: &'a StudyPlan) -> Option<RatingJson<'a>> {
        let range = |probability| {
            let shown = rating.shown(&plan.scale, probability)?;
            Some(shown.interval)
        };
        let shown = rating.shown(&plan.scale, 0.8)?;
        Some(RatingJson {
            elo: shown.elo,
            bound: shown.bound,
            scale: ScaleJson::new(plan),
            standard_error: rating.deviation,
            sampling_error: rating.sampling,
            sampling_error_by_game: rating.by_games,
            range_50: range(0.5)?,
            range_80: range(0.8)?,
            range_95: range(0.95)?,
        })
    }
}

impl ScaleJson<'_> {
    fn new(plan: &StudyPlan) -> ScaleJson<'_> {
        ScaleJson {
            scale: plan.scale.name,
            calibrated: !plan.scale.is_provisional(),
            differences: &plan.differences,
        }
    }
}

impl WithResultsJson {
    fn new(of: Option<&RatingWithResults>, plan: &StudyPlan) -> Option<WithResultsJson> {
        let of = of?;
        let shown = of.rating.shown(&plan.scale, 0.95)?;
        Some(WithResultsJson {
            rating: shown.elo,
            bound: shown.bound,
            range_95: shown.interval,
            games: of.games,
            score: of.score,
            mean_opponent: of.opponents,
        })
    }
}

impl RatedJson<'_> {
    pub fn new<'a>(player: &'a RatedPlayer, plan: &'a StudyPlan) -> RatedJson<'a> {
        let RatedPlayer { name, rating, with_results, moves } = player;
        let shown = rating.as_ref().and_then(|rating| rating.shown(&plan.scale, 0.95));
        RatedJson {
            name,
            rating: shown.as_ref().map(|rating| rating.elo),
            bound: shown.as_ref().and_then(|rating| rating.bound),
            range_95: shown.map(|rating| rating.interval),
            moves: *moves,
            with_results: WithResultsJson::new(with_results.as_ref(), plan),
            scale: ScaleJson::new(plan),
        }
    }
}

impl CompetenceJson {
    fn new(depth: Depth, apparent: &ApparentCompetence) -> CompetenceJson {
        CompetenceJson {
            depth,
            c: apparent.posterior.mean(),
            range_90: apparent.posterior.interval(0.9),
            informative_moves: apparent.informative,
            mixture: apparent.composite(0.01),
        }
    }
}

impl ReganParameters {
    fn of_logarithms([s, c]: &[f64; 2]) -> ReganParameters {
        ReganParameters { sensitivity: s.exp(), consistency: c.exp() }
    }
}

impl ProjectionJson {
    fn new(projection: &Projection) -> ProjectionJson {
        let figure = |figure: &Figure| FigureJson {
            actual: figure.actual,
            expected: figure.projected,
            standard_deviation: figure.deviation,
            z: figure.z(),
        };
        ProjectionJson {
            moves: projection.decisions,
            first_choice: figure(&projection.first),
            best_value: figure(&projection.equal),
            average_loss: figure(&projection.loss),
            average_loss_scaled: figure(&projection.scaled_loss),
            ranks: projection.frequencies.iter().map(figure).collect(),
            misfit: projection.misfit(),
            ln_likelihood: projection.ln_likelihood,
        }
    }
}

impl ComparisonJson<'_> {
    fn new<'a>(suspicion: &Suspicion, plan: &'a StudyPlan, honest: f64) -> ComparisonJson<'a> {
        let [partly_assisted, fully_assisted] = [&suspicion.partly, &suspicion.wholly]
            .map(|of| EvidenceJson { share_of_moves: of.part, nats: of.evidence });
        let window = suspicion.window.as_ref();
        ComparisonJson {
            profile: plan.against.as_ref().map(|profile| &*profile.name),
            rating: None,
            projection: ProjectionJson::new(&suspicion.projection),
            honest_players: honest,
            honest_matches: expected_among(&suspicion.projection, honest),
            partly_assisted,
            fully_assisted,
            window: window.map(|window| WindowJson {
                game: window.game.clone(),
                first_move: window.first,
                moves: window.length,
                nats: window.evidence,
                windows: window.windows,
            }),
        }
    }
}
