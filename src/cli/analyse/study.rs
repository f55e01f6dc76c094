//! Common arguments of the commands that study games: the games, the players, the rules for
//! decisions, and the evaluator.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;

use crate::analyser::{PlayerSummaries, PlayerSummary, RatingScale, Sides, StudyPlan, StudyRules};
use crate::cli::engine::EngineArguments;
use crate::cli::engine::NetworkArguments;
use crate::cli::outcome::CommandOutcome;
use crate::cli::value_parsers;
use crate::config::Settings;
use crate::player::Levels;
use crate::review::Shard;
use crate::value::{Depth, MAX_PLY};

#[derive(Args, Debug)]
pub struct ScaleArguments {
    /// The scale of ratings: that of people who play such games, which asks the policy
    /// network too and takes some 15 ms a move more; or that of Regan's curve, fitted to this engine's values
    /// or as he published it
    #[arg(long, default_value = "board", value_parser = value_parsers::rating_scale())]
    pub scale: RatingScale,
}

#[derive(Args, Debug)]
pub struct StudyArguments {
    /// PGN files, packed or not; `-` is standard input
    #[arg(value_name = "GAMES", required = true)]
    pub games: Vec<String>,

    /// The depth of the values in plies
    #[arg(long, short, default_value_t = Levels::built_in().depth, value_parser = clap::value_parser!(u8).range(1..MAX_PLY as i64))]
    pub depth: Depth,

    /// Only the moves of players whose name contains this; may be given again
    #[arg(long = "player", value_name = "NAME")]
    pub players: Vec<String>,

    /// Moves at the beginning of a game that do not count
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub skip: usize,

    /// Turns at which the best move is worth more than this either way do not count
    #[arg(long, value_name = "PAWNS", allow_negative_numbers = true, default_value_t = 3.0)]
    advantage: f64,

    /// Turns at which the best and the played move both are worth more than this do not count
    #[arg(long, value_name = "PAWNS", allow_negative_numbers = true)]
    decided: Option<f64>,

    /// Count repetitions
    #[arg(long)]
    repetitions: bool,

    /// Count only moves
    #[arg(long)]
    forced: bool,

    /// Minimum number of moves that count, for a report
    #[arg(long, alias = "least", value_name = "N", default_value_t = 1)]
    pub min_moves: usize,

    /// Pawns below the best move beyond which a move need not be valued exactly
    #[arg(long, value_name = "PAWNS", allow_negative_numbers = true, value_parser = value_parsers::cap)]
    pub(super) cap: Option<i32>,

    /// How many threads value positions and look at them; what they find does not depend on it
    /// [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(super) threads: Option<u16>,

    #[command(flatten)]
    pub engine: EngineArguments,

    #[command(flatten)]
    pub(super) network: NetworkArguments,

    /// Keep the values in this file; what it has already is not valued again
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,

    /// Only the games of shard I of N: which shard a game is in is decided by its tags and moves,
    /// whatever file it stands in
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,

    /// Value so many turns of each game, drawn by its tags and moves
    #[arg(long, value_name = "K", value_parser = value_parsers::at_least_one)]
    pub(super) sample: Option<usize>,

    /// So many games that cannot be followed may be left out without error
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) tolerate: usize,
}

impl StudyArguments {
    /// The part of the plan that is common to all commands, with this rating scale.
    pub fn plan(&self, scale: &RatingScale, config: &Settings) -> anyhow::Result<StudyPlan> {
        not_negative("--advantage", Some(self.advantage))?;
        not_negative("--decided", self.decided)?;
        self.engine
            .excludes(&[("--cap", self.cap.is_some()), ("--eval-file", self.network.is_given())])?;
        Ok(StudyPlan {
            rules: StudyRules {
                opening: self.skip,
                repetitions: !self.repetitions,
                advantage: Some(self.advantage),
                forced: !self.forced,
                decided: self.decided,
            },
            depths: vec![self.depth],
            departures: self.departures(scale, config),
            scale: scale.clone(),
            ..StudyPlan::default()
        })
    }

    /// Differences between the evaluations and those that a scale was fitted to.
    fn departures(&self, scale: &RatingScale, config: &Settings) -> Vec<String> {
        if scale.is_provisional() {
            return Vec::new();
        }
        let mut departures: Vec<String> = scale.departure(self.depth).into_iter().collect();
        departures.extend(
            self.cap.map(|cap| format!("a cap of {} instead of none", f64::from(cap) / 100.0)),
        );
        match self.engine.program() {
            Some(program) => departures.push(format!("values of {program} instead of our own")),
            None => {
                departures.extend(self.network.or_configured(config).map(|file| {
                    format!("the network {} instead of the built-in one", file.display())
                }))
            }
        }
        departures
    }

    /// Prints the limits on what ratings mean, on standard error.
    pub fn warn(&self, plan: &StudyPlan) -> io::Result<()> {
        let text = plan.reservation().filter(|_| !plan.departures.is_empty());
        text.map_or(Ok(()), |text| writeln!(io::stderr(), "stopdown: {text}"))
    }

    /// The files that the command reads, which results must not overwrite.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.games.iter().map(PathBuf::from).chain(self.store.clone()).collect()
    }

    /// Explains why there was nothing to report. `summaries` contains all subjects found.
    pub fn nothing_found(&self, summaries: &PlayerSummaries) -> io::Result<CommandOutcome> {
        let (least, subjects) = (self.min_moves.max(1), summaries.ranked());
        let why = match (self.players.is_empty(), subjects.is_empty()) {
            (false, true) => {
                format!(
                    "no player of these games has a name with \"{}\"",
                    self.players.join("\" or \"")
                )
            }
            (true, _) => format!("nobody has {least} or more moves in these games that count"),
            (false, false) => {
                format!("none of the players has {least} or more moves in these games that count")
            }
        };
        let mut all = PlayerSummary::default();
        subjects.iter().for_each(|(_, summary)| all += summary);
        let reasons = all.tally().reasons();
        let left_out = if reasons.is_empty() { "" } else { "; left out: " };
        writeln!(io::stderr(), "stopdown: {why}{left_out}{reasons}")?;
        Ok(CommandOutcome::Negative)
    }

    /// Returns an error if too many games were skipped.
    pub fn nothing_missing(&self, missing: &[String]) -> anyhow::Result<()> {
        let (count, tolerate) = (missing.len(), self.tolerate);
        let games = if count == 1 { "game was" } else { "games were" };
        let more =
            if tolerate > 0 { format!(", and --tolerate is {tolerate}") } else { String::new() };
        anyhow::ensure!(count <= tolerate, "{count} {games} left out by error{more}");
        Ok(())
    }

    /// The sides whose moves are studied.
    pub fn sides(&self) -> Sides {
        match self.players.is_empty() {
            true => Sides::Both,
            false => Sides::Named(self.players.clone()),
        }
    }
}

pub fn not_negative(name: &str, value: Option<f64>) -> anyhow::Result<()> {
    match value {
        Some(value) if !(value.is_finite() && value >= 0.0) => {
            anyhow::bail!("{name} is {value}; it must be a number from 0 up")
        }
        _ => Ok(()),
    }
}
