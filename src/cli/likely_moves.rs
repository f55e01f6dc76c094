//! `choose --ratings`: the moves that players of several ratings would play.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::engine::{self, EngineArguments};
use super::outcome::{CommandOutcome, CommandResult};
use super::output::{check_outputs, save, write_json, write_text};
use super::value_parsers;
use crate::board::{Game, Position, STARTING_FEN};
use crate::config::Settings;
use crate::games::pgn::{parse_move, read_pgn};
use crate::player::{Elo, EloScale, TargetRating, USUAL_DEPTH, rating_range};
use crate::report::LikelyMoves;
use crate::search::{Controls, EvaluationRequest, NoObserver};
use crate::value::{Depth, MAX_DEPTH};

#[derive(Args, Debug)]
pub struct RatingsArguments {
    #[arg(
        long,
        help = format!("Show the moves that players of these ratings ({}) would play", rating_range()),
        value_name = "ELO,ELO...",
        value_delimiter = ',',
        value_parser = value_parsers::rating,
        allow_hyphen_values = true,
        group = "rated",
        conflicts_with_all = [
            "values", "profile", "curve", "competence", "sensitivity", "consistency", "kappa",
            "rating", "depth_weights", "seed", "game", "ply", "style",
        ]
    )]
    ratings: Vec<f64>,

    /// Save an SVG chart of the most frequent moves by rating
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// The arguments of `choose` that are also used here.
pub struct Request<'a> {
    pub fen: Option<&'a str>,
    pub moves: Option<&'a str>,
    pub scale: EloScale,
    pub depth: Option<&'a str>,
    pub json: bool,
    pub engine: &'a EngineArguments,
}

/// The game from a position, or the starting position, with these moves. They are read as in a PGN
/// file, so they may have numbers and marks such as `!?`, and a result may follow.
pub fn game_after(fen: Option<&str>, moves: Option<&str>) -> anyhow::Result<Game> {
    let mut game = Game::new(Position::from_fen(fen.unwrap_or(STARTING_FEN), false)?);
    for san in read_pgn(moves.unwrap_or_default()).iter().flat_map(|read| &read.moves) {
        let mv = parse_move(game.position(), san).context("--moves")?;
        game.play(mv);
    }
    Ok(game)
}

impl RatingsArguments {
    /// Returns whether ratings are given. A plot needs them. clap does not notice that if it finds an argument that
    /// conflicts with ratings.
    pub fn is_given(&self) -> anyhow::Result<bool> {
        let is_given = !self.ratings.is_empty();
        anyhow::ensure!(is_given || self.plot.is_none(), "--plot needs --ratings");
        Ok(is_given)
    }

    pub fn run(
        &self,
        request: &Request<'_>,
        config: &Settings,
        out: &mut dyn Write,
    ) -> CommandResult {
        let target = |&elo: &f64| TargetRating::new(Elo(elo), None, request.scale);
        let ratings: Vec<TargetRating> = self.ratings.iter().map(target).collect();
        check_outputs(&self.plot, &[] as &[PathBuf])?;
        let depth = request.depth.map_or(Ok(USUAL_DEPTH), parse_depth)?;
        let game = game_after(request.fen, request.moves)?;
        let mut engine = request.engine.engine(config.network(), config)?;
        let wanted = EvaluationRequest::depth(depth);
        let evaluation = engine.evaluate(&game, &wanted, &Controls::new(), &mut NoObserver);
        engine::check(&mut engine)?.map_err(anyhow::Error::msg)?;
        let moves = LikelyMoves::new(&game, &evaluation, depth, &ratings);
        if let Some(path) = &self.plot {
            save(path, moves.svg())?;
        }
        match request.json {
            true => write_json(&moves, out)?,
            false => write_text(&moves.document(), out)?,
        }
        Ok(if moves.has_moves() { CommandOutcome::Done } else { CommandOutcome::Negative })
    }
}

fn parse_depth(text: &str) -> anyhow::Result<Depth> {
    let depth = text.trim().parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
    depth.ok_or_else(|| {
        anyhow::anyhow!("--depth is \"{text}\"; it must be from 1 to {MAX_DEPTH} plies")
    })
}
