//! `choose`: shows the probability that a player chooses each move, and picks a move at random. The
//! evaluations are given on the command line or computed. The output is a table or a line of JSON.

use std::io::Write;

use anyhow::Context as _;
use clap::Args;

use super::engine;
use super::engine::EngineArguments;
use super::likely_moves::{self, RatingsArguments};
use super::outcome::{CommandOutcome, CommandResult};
use super::output::{write_json, write_text};
use super::value_parsers;
use crate::board::{Game, Phase};
use crate::config::Settings;
use crate::endgame::Material;
use crate::evaluation::RootEvaluation;
use crate::math::exact::exp;
use crate::math::streams::Occasion;
use crate::player::{
    self, EloScale, EndgameRule, EngineHost, Perception, PlayerSpec, PlayingStyle, Profile, Skill,
    TableFolder, USUAL_DEPTH, is_built_automatically, rating_range,
};
use crate::report::{self, ChoiceMove, ChoiceReport};
use crate::search::{Controls, EvaluationRequest, Limits, NoObserver};
use crate::selector::{Distribution, Values};
use crate::value::Depth;

const EXAMPLES: &str = "\
Examples:
  stopdown choose --values 0.5,0.2,-1.0 --curve haworth --competence 7
  stopdown choose --values \"0.9,0.1;-3,0.2\" --depth-weights 0.7,0.3
  stopdown choose --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --profile club \\
      --seed 7
  stopdown choose --curve regan --sensitivity 0.1 --consistency 0.5 \\
      --depth 8 --json
  stopdown choose --elo 1400 --moves \"1.e4 e5 2.Nf3\"
  stopdown choose --elo 1900 --scale Lichess-Blitz
  stopdown choose --elo 1500 --style gambiteer
  stopdown choose --ratings 1000,1400,1800,2200 --plot moves.svg
  stopdown choose --engine stockfish --competence 12 --depth 10";

/// Show how likely a player is to play each move, and pick one at random
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Position to choose in [default: the starting position]
    #[arg(long, conflicts_with = "values")]
    fen: Option<String>,

    /// Moves from this position, such as "e4 e5 Nf3". Human players react to the last moves, so they are needed to
    /// reproduce a choice from a game
    #[arg(long, conflicts_with = "values")]
    moves: Option<String>,

    /// Choose among moves with these scores (in pawns) instead of among the moves of a position. Separate
    /// moves with commas and depths with semicolons
    #[arg(long, allow_hyphen_values = true, conflicts_with = "engine")]
    values: Option<String>,

    /// A named opponent: a built-in one, such as club, or one that you made with stopdown profile --add
    #[arg(long, value_name = "NAME", conflicts_with_all = ["elo", "scale", "curve", "competence", "sensitivity", "consistency", "kappa", "rating", "depth_weights"])]
    profile: Option<String>,

    #[arg(long, group = "rated")]
    #[arg(help = format!("Player's rating, {}. Without --curve, the human curve for --scale is used", rating_range()))]
    elo: Option<String>,

    /// Rating scale of --elo and --ratings
    #[arg(long, requires = "rated")]
    #[arg(default_value = EloScale::Fide.name(), value_parser = value_parsers::elo_scale())]
    scale: EloScale,

    /// Curve: haworth, levelled, regan, human, human-rapid, human-blitz or human-bullet [default:
    /// levelled]
    #[arg(long, value_name = "NAME")]
    curve: Option<String>,

    /// Competence c: a number, inf or -inf [default: 7, or 1 for human curves]
    #[arg(long, value_name = "C", allow_hyphen_values = true)]
    competence: Option<String>,

    /// Sensitivity s of Regan's curve [default: 0.143]
    #[arg(long, value_name = "S")]
    sensitivity: Option<String>,

    /// Consistency c of Regan's curve [default: 0.464]
    #[arg(long, value_name = "C")]
    consistency: Option<String>,

    /// Parameter κ of the curves haworth and levelled [default: 1]
    #[arg(long, value_name = "K")]
    kappa: Option<String>,

    /// Rating of the players that a human curve imitates, 600 or higher; needs --curve human,
    /// human-rapid, human-blitz or human-bullet [default: 1500]
    #[arg(long, value_name = "ELO")]
    rating: Option<String>,

    /// Playing style, for the human curves (see --curve)
    #[arg(long, value_parser = value_parsers::style())]
    style: Option<PlayingStyle>,

    /// Search depth; with --profile, an upper limit [default: 12]
    #[arg(long, value_name = "PLIES")]
    depth: Option<String>,

    /// Weights of depths 1, 2, ... [default: only the last depth counts]
    #[arg(long, value_name = "W,W,...", allow_hyphen_values = true)]
    depth_weights: Option<String>,

    #[command(flatten)]
    by_rating: RatingsArguments,

    #[command(flatten)]
    engine: EngineArguments,

    /// Pick a move at random, with this seed
    #[arg(long, value_name = "N", value_parser = value_parsers::count::<u64>)]
    seed: Option<u64>,

    /// Game number, which affects the random choice
    #[arg(long, value_name = "N", default_value_t = 0, requires = "seed")]
    #[arg(value_parser = value_parsers::count::<u64>)]
    game: u64,

    /// Ply within the game, which affects the random choice
    #[arg(long, value_name = "N", default_value_t = 0, requires = "seed")]
    #[arg(value_parser = value_parsers::count::<u64>)]
    ply: u64,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    if arguments.by_rating.is_given()? {
        let request = likely_moves::Request {
            fen: arguments.fen.as_deref(),
            moves: arguments.moves.as_deref(),
            scale: arguments.scale,
            depth: arguments.depth.as_deref(),
            json: arguments.json,
            engine: &arguments.engine,
        };
        return arguments.by_rating.run(&request, config, out);
    }
    let spec = arguments.spec()?;
    let profile = match &arguments.profile {
        Some(name) => spec.styled(config.profiles.get(name)?.clone())?,
        None => Profile::plain("", spec.skill()?),
    };
    let max_depth = spec.depth.unwrap_or(Depth::MAX);
    let occasion =
        arguments.seed.map(|seed| Occasion { seed, game: arguments.game, ply: arguments.ply });
    let part = occasion.map(|occasion| profile.part_at(occasion));
    let mut report = match &arguments.values {
        Some(text) => choice_by_values(text, &profile, part)?,
        None => {
            let game =
                likely_moves::game_after(arguments.fen.as_deref(), arguments.moves.as_deref())?;
            let engine = arguments.engine.engine(config.network(), config)?;
            let builds_tables = config.table_sources().own != TableFolder::Off;
            let chooser = Chooser { profile: &profile, part, max_depth, builds_tables };
            let mut host = EngineHost::new(engine);
            choice_in_position(&game, &mut host, &chooser)?
        }
    };
    report.chosen = occasion.and_then(|occasion| player::draw(&report.distribution, occasion));
    match (arguments.json, report.ending) {
        (true, _) => write_json(&report.line(&profile), out)?,
        (false, Some(why)) => writeln!(out, "no legal move: {why}")?,
        (false, None) => write_text(&report.document(&profile), out)?,
    }
    Ok(if report.moves.is_empty() { CommandOutcome::Negative } else { CommandOutcome::Done })
}

impl Arguments {
    /// The player that the arguments describe.
    fn spec(&self) -> anyhow::Result<PlayerSpec> {
        let mut spec = PlayerSpec { scale: self.scale, style: self.style, ..PlayerSpec::default() };
        for (field, value) in [
            ("elo", &self.elo),
            ("curve", &self.curve),
            ("competence", &self.competence),
            ("sensitivity", &self.sensitivity),
            ("consistency", &self.consistency),
            ("kappa", &self.kappa),
            ("rating", &self.rating),
            ("depth", &self.depth),
            ("depth-weights", &self.depth_weights),
        ] {
            if let Some(value) = value {
                spec.set(field, value)?;
            }
        }
        Ok(spec)
    }
}

/// A player that is about to choose a move.
struct Chooser<'a> {
    profile: &'a Profile,
    /// The component of the mix that was picked at random, if any.
    part: Option<usize>,
    /// The upper limit on the search depth.
    max_depth: Depth,
    /// Whether endgame tables are built.
    builds_tables: bool,
}

/// Chooses among moves with given evaluations. The moves are called 1, 2, ... in the order given.
fn choice_by_values(
    text: &str,
    profile: &Profile,
    part: Option<usize>,
) -> anyhow::Result<ChoiceReport> {
    let number = |word: &str| {
        let word = word.trim();
        word.parse::<f64>().map_err(|_| {
            anyhow::anyhow!(
                "--values: \"{word}\" is not a score in pawns; write numbers such as 0.5,0.2,-1.0"
            )
        })
    };
    let rows = text.split(';').map(|row| row.split(',').map(number).collect());
    let rows: Vec<Vec<f64>> = rows.collect::<anyhow::Result<_>>()?;
    let values = Values::by_depth(&rows).context("--values")?;
    let of_part = |part: usize| profile.parts()[part].1.selector.distribution(&values);
    let distribution = match part {
        Some(part) => of_part(part),
        None => {
            let parts = profile.parts().iter().enumerate();
            let parts: Vec<_> = parts.map(|(i, (weight, _))| (*weight, of_part(i))).collect();
            Distribution::mixture(&parts)
        }
    };
    let moves = values.deepest().iter().enumerate().map(|(j, &value)| ChoiceMove {
        name: (j + 1).to_string(),
        value,
        probability: distribution.probability(j),
        ..ChoiceMove::default()
    });
    let moves = moves.collect();
    let skill = single_component(profile, part).map(|part| profile.parts()[part].1.clone());
    Ok(ChoiceReport {
        fen: None,
        ending: None,
        mates_bare_king: false,
        moves,
        distribution,
        skill,
        is_searched: false,
        phase: None,
        chosen: None,
        tables: None,
    })
}

/// Chooses among the moves of a position.
fn choice_in_position(
    game: &Game,
    host: &mut EngineHost,
    chooser: &Chooser<'_>,
) -> anyhow::Result<ChoiceReport> {
    let &Chooser { profile, part, max_depth, builds_tables } = chooser;
    let position = game.position();
    let (material, _) = Material::of(position);
    let is_known =
        builds_tables && is_built_automatically(material) && position.castling_rooks().is_empty();
    let depth = part.map_or(profile.depth(), |part| profile.parts()[part].1.depth);
    let depth = depth.min(max_depth);
    // A player that searches for the best move does not evaluate all moves. They are evaluated for the table only.
    let nodes = profile.nodes();
    let shown_depth = if profile.has_search() { depth.min(USUAL_DEPTH) } else { depth };
    let request = EvaluationRequest::depth(shown_depth);
    let controls = Controls::new();
    let evaluation = host.engine.evaluate(game, &request, &controls, &mut NoObserver);
    engine::check(&mut host.engine)?.map_err(anyhow::Error::msg)?;
    let distribution = match part {
        Some(part) => player::distribution(game, &evaluation, profile, part),
        None => player::expectation(game, &evaluation, profile),
    };
    let distribution = match nodes {
        Some(_) => {
            let limits = Limits { nodes, ..Limits::depth(depth) };
            let best = host.search_afresh(game, &limits, &controls, &mut NoObserver);
            distribution.among(|j| Some(evaluation.moves[j].mv) == best.mv)
        }
        None => distribution,
    };
    let skill = single_component(profile, part)
        .map(|part| profile.skill(part, game.position()).into_owned())
        .map(|skill| Skill { depth: shown_depth.min(skill.depth), ..skill });
    let pairs = skill.as_ref().and_then(|skill| separate_probabilities(game, &evaluation, skill));
    let found = evaluation.moves.iter();
    let games = profile.repertoire.games(game.position(), found.clone().map(|m| m.mv));
    let moves = found.enumerate().map(|(j, found)| ChoiceMove {
        name: game.position().uci(found.mv),
        san: Some(game.position().san(found.mv)),
        value: found.value().pawns(),
        by_values: pairs.as_ref().map(|pairs| pairs[j][0]),
        policy: pairs.as_ref().map(|pairs| pairs[j][1]),
        games: games.as_ref().map(|games| games[j]),
        probability: distribution.probability(j),
    });
    let moves = moves.collect();
    let tables = (is_known && profile.endgame != EndgameRule::Blind).then_some(material);
    let must_mate = |(_, skill): &(f64, Skill)| player::must_mate(position, profile.endgame, skill);
    let mates_bare_king = tables.is_none() && profile.parts().iter().all(must_mate);
    let now = Phase::of(position);
    let phase = profile.phases.nonzero().find(|&(phase, _)| phase == now);
    Ok(ChoiceReport {
        fen: Some(position.fen()),
        ending: report::ending(position),
        mates_bare_king,
        moves,
        distribution,
        skill,
        is_searched: true,
        phase,
        chosen: None,
        tables,
    })
}

/// The component of the profile that chooses the move. `None` if there are several and none was
/// picked.
fn single_component(profile: &Profile, part: Option<usize>) -> Option<usize> {
    if profile.parts().len() == 1 { Some(0) } else { part }
}

/// The probabilities of each move from the evaluations alone and from the policy alone.
fn separate_probabilities(
    game: &Game,
    evaluation: &RootEvaluation,
    skill: &Skill,
) -> Option<Vec<[f64; 2]>> {
    let (selector, curve) = (&skill.selector, &skill.selector.curve);
    let ratings = &[curve.scale()];
    let perception = Perception { depth: skill.depth, family: curve.family(), ratings };
    let policy = perception.values(game, evaluation).ln_shares(curve.scale())?;
    let by_values = selector.distribution(&Values::of(evaluation, skill.depth));
    let pair = |(&value, ln_share): (&f64, &f64)| [value, exp(*ln_share)];
    Some(by_values.probabilities().iter().zip(&policy).map(pair).collect())
}
