//! The common arguments of the commands that study games: the games, the players, the rules for which moves
//! count, and the evaluator.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;

use crate::analyser::{PlayerSummaries, PlayerSummary, RatingScale, Sides, StudyPlan, StudyRules};
use crate::cli::engine::EngineArguments;
use crate::cli::engine::NetworkArguments;
use crate::cli::outcome::{CommandOutcome, accept_unreadable};
use crate::cli::value_parsers;
use crate::config::Settings;
use crate::games::Shard;
use crate::player::Levels;
use crate::value::Depth;

#[derive(Args, Debug)]
pub struct StudyArguments {
    /// PGN files, which may be compressed (.gz, .zst); `-` reads standard input
    #[arg(value_name = "GAMES", required = true)]
    pub games: Vec<String>,

    /// Rating scale [default: the scale of the games]. The scales Regan-Fitted and Regan-Published are about
    /// 15 ms faster per move, but less accurate
    #[arg(long, ignore_case = true, value_parser = value_parsers::rating_scale())]
    pub scale: Option<RatingScale>,

    /// Search depth
    #[arg(long, short, value_name = "PLIES", default_value_t = Levels::built_in().depth, value_parser = value_parsers::depth)]
    pub depth: Depth,

    /// Study only players whose name contains NAME; may be repeated
    #[arg(long = "player", value_name = "NAME")]
    pub players: Vec<String>,

    /// Skip the first N moves of every game
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parsers::count::<usize>)]
    pub skip: usize,

    /// Ignore skipped moves completely; by default, ratings also use the choice of opening. For games
    /// whose openings the players did not choose
    #[arg(long)]
    no_openings: bool,

    /// Skip positions where one side is ahead by more than this
    #[arg(long, value_name = "PAWNS", allow_negative_numbers = true, default_value_t = 3.0)]
    #[arg(value_parser = value_parsers::pawns)]
    advantage: f64,

    /// Skip moves in decided positions, where the best move and the move played both score above this
    #[arg(long, value_name = "PAWNS", allow_negative_numbers = true, value_parser = value_parsers::pawns)]
    decided: Option<f64>,

    /// Include repeated positions
    #[arg(long)]
    repetitions: bool,

    /// Include positions with only one legal move
    #[arg(long)]
    forced: bool,

    /// Leave out players with fewer than N counted moves. A rating always needs at least 20 moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = value_parsers::count::<usize>)]
    pub min_moves: usize,

    /// Compute only upper bounds for moves that score at least this much less than the best move
    #[arg(long, value_name = "PAWNS", allow_negative_numbers = true, value_parser = value_parsers::cap)]
    pub(super) cap: Option<i32>,

    /// Number of analysis threads. Results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parsers::whole(1..=512_u16))]
    pub(super) threads: Option<u16>,

    #[command(flatten)]
    pub engine: EngineArguments,

    #[command(flatten)]
    pub(super) network: NetworkArguments,

    /// Cache evaluations in this file
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,

    /// Study only shard I of N. The shard of a game depends on its tags and moves, not on its file
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Evaluate only K positions of each game, the same ones in every run
    #[arg(long, value_name = "K", value_parser = value_parsers::at_least_one)]
    pub(super) sample: Option<usize>,

    /// Accept up to N unreadable games
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parsers::count::<usize>)]
    pub(super) tolerate: usize,
}

impl StudyArguments {
    /// Creates the part of the plan that is common to all commands, with this rating scale.
    pub fn plan(&self, scale: &RatingScale, config: &Settings) -> anyhow::Result<StudyPlan> {
        self.engine.reject_built_in_options(&[
            ("--cap", self.cap.is_some()),
            ("--eval-file", self.network.is_given()),
        ])?;
        let mut plan = StudyPlan::usual(scale.clone(), self.depth);
        plan.rules = StudyRules {
            opening: self.skip,
            rated_openings: !self.no_openings && self.sample.is_none(),
            repetitions: !self.repetitions,
            advantage: Some(self.advantage),
            forced: !self.forced,
            decided: self.decided,
        };
        if !scale.is_provisional() {
            plan.differences.extend(self.other_differences(config));
        }
        Ok(plan)
    }

    /// The differences, other than the depth, between these evaluations and those that the scale was fitted to.
    fn other_differences(&self, config: &Settings) -> Vec<String> {
        let cap =
            self.cap.map(|cap| format!("a cap of {} instead of none", f64::from(cap) / 100.0));
        let evaluator = match self.engine.program() {
            Some(program) => Some(format!("evaluations by {program} instead of Stopdown")),
            None => self
                .network
                .or_configured(config)
                .map(|file| format!("the network {} instead of the built-in one", file.display())),
        };
        cap.into_iter().chain(evaluator).collect()
    }

    /// Prints the caveat about the meaning of ratings on standard error.
    pub fn warn(&self, plan: &StudyPlan) -> io::Result<()> {
        let text = plan.caveat().filter(|_| !plan.differences.is_empty());
        text.map_or(Ok(()), |text| writeln!(io::stderr(), "stopdown: {text}"))
    }

    /// The files that the command reads. Results must not overwrite them.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.games.iter().map(PathBuf::from).chain(self.store.clone()).collect()
    }

    /// Explains why there was nothing to report. `summaries` contains all subjects found.
    pub fn report_nothing_found(&self, summaries: &PlayerSummaries) -> io::Result<CommandOutcome> {
        let (min_moves, subjects) = (self.min_moves.max(1), summaries.ranked());
        let why = match (self.players.is_empty(), subjects.is_empty()) {
            (false, true) => {
                format!("no player has a name that contains \"{}\"", self.players.join("\" or \""))
            }
            (true, _) if min_moves == 1 => "no moves in these games count".to_owned(),
            (true, _) => format!("no player has {min_moves} or more counted moves"),
            (false, false) if min_moves == 1 => "no moves by these players count".to_owned(),
            (false, false) => format!("these players have fewer than {min_moves} counted moves"),
        };
        let mut all = PlayerSummary::default();
        subjects.iter().for_each(|(_, summary)| all += summary);
        let reasons = all.tally().reasons();
        let left_out = if reasons.is_empty() { "" } else { "; left out: " };
        writeln!(io::stderr(), "stopdown: {why}{left_out}{reasons}")?;
        Ok(CommandOutcome::Negative)
    }

    /// Returns an error if too many games were skipped.
    pub fn check_skipped(&self, missing: &[String]) -> anyhow::Result<()> {
        accept_unreadable(missing.len(), self.tolerate)
    }

    /// The sides whose moves are studied.
    pub fn sides(&self) -> Sides {
        match self.players.is_empty() {
            true => Sides::Both,
            false => Sides::Named(self.players.clone()),
        }
    }
}
