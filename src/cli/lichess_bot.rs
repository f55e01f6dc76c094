//! `lichess-bot`: prints a configuration for the program lichess-bot, which runs a bot on Lichess.

use std::env::consts::EXE_SUFFIX;
use std::io::Write;

use clap::Args;

use super::outcome::{CommandOutcome, CommandResult};
use super::output::command_line;
use super::value_parsers;
use crate::player::{Elo, EloScale, ScaleChoice, TargetRating};
use crate::session::OPPONENT_RULES;

/// Below this FIDE rating, players escape from lost positions so often that resigning would cost points.
const MIN_RATING_TO_RESIGN: f64 = 1600.0;

/// lichess-bot decides when to offer a draw by the number of pieces on the board, not by the move number.
/// Pawns and kings count as pieces.
const PIECES_FOR_DRAWS: u32 = 14;

const EXAMPLES: &str = "\
Copy stopdown into lichess-bot's engines folder, save the output as config.yml in the lichess-bot \
folder, and enter the token of your bot account in it.

Examples:
  stopdown lichess-bot --elo 1600 > config.yml
  stopdown lichess-bot --imitator --scale Lichess-Rapid > config.yml
  stopdown lichess-bot --exploit > config.yml";

/// Print a configuration for lichess-bot, which runs a bot on Lichess
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    opponent: OpponentArguments,

    /// Rating scale. Lichess means the bullet, blitz or rapid scale, depending on the game. With
    /// Lichess-Bullet, Lichess-Blitz or Lichess-Rapid, the bot plays only games of that kind
    #[arg(long, default_value = ScaleChoice::Lichess.name(), value_parser = lichess_scale)]
    scale: ScaleChoice,
}

// Without any of these, the bot plays at full strength. This is not a doc comment, because clap would show
// it instead of the description of the command.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct OpponentArguments {
    /// Play at this rating
    #[arg(long, value_name = "RATING", value_parser = value_parsers::elo)]
    elo: Option<f64>,

    /// Play at the level of each opponent: start from the opponent's Lichess rating, learn from the
    /// opponent's moves, and remember each opponent for the next game
    #[arg(long)]
    imitator: bool,

    /// Play at full strength, and prefer moves that are difficult for players of the opponent's rating
    #[arg(long)]
    exploit: bool,
}

const SCALES: [EloScale; 3] =
    [EloScale::LichessBullet, EloScale::LichessBlitz, EloScale::LichessRapid];

fn lichess_scale(text: &str) -> Result<ScaleChoice, String> {
    let choice = text.parse().ok().filter(|choice| match choice {
        ScaleChoice::Lichess => true,
        ScaleChoice::Always(scale) => SCALES.contains(scale),
        ScaleChoice::Chesscom => false,
    });
    choice.ok_or_else(|| "write Lichess, Lichess-Bullet, Lichess-Blitz or Lichess-Rapid".to_owned())
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let bot = Bot::new(arguments)?;
    out.write_all(bot.config(arguments.scale).as_bytes())?;
    Ok(CommandOutcome::Done)
}

/// The settings that differ between bots.
struct Bot {
    /// Completes the sentence "I play ...".
    introduction: String,
    /// UCI options, each as a line of the configuration.
    options: Vec<String>,
    resigns: bool,
    /// Whether the bot plays other bots. An imitator does not, because a bot's moves say little about its
    /// rating.
    accepts_bots: bool,
}

impl Bot {
    fn new(arguments: &Arguments) -> anyhow::Result<Bot> {
        let (opponent, scale) = (&arguments.opponent, arguments.scale);
        let scale_option = format!("Elo Scale: \"{scale}\"");
        if let Some(elo) = opponent.elo {
            let scales = match &scale {
                ScaleChoice::Always(only) => std::slice::from_ref(only),
                ScaleChoice::Lichess | ScaleChoice::Chesscom => &SCALES,
            };
            let target = TargetRating::new(Elo(elo.round()), None, scales[0]);
            let refusal = target.refusal().replace(target.scale.name(), &scale.to_string());
            anyhow::ensure!(target.is_available(), "--elo: {refusal}");
            let rating = target.elo;
            let on_board = scales.iter().map(|scale| scale.on(EloScale::Fide, rating.0));
            return Ok(Bot {
                introduction: match scale {
                    ScaleChoice::Always(_) => target.to_string(),
                    _ => format!("at a level of about {rating} on Lichess"),
                },
                options: vec![
                    "Strength: \"Elo\"".to_owned(),
                    format!("UCI_Elo: {}", rating.0),
                    scale_option,
                ],
                resigns: on_board.fold(f64::INFINITY, f64::min) >= MIN_RATING_TO_RESIGN,
                accepts_bots: true,
            });
        }
        if opponent.imitator {
            return Ok(Bot {
                introduction: "at your level".to_owned(),
                options: vec![
                    "Strength: \"Imitator\"".to_owned(),
                    scale_option,
                    "Imitator Memory: \"lichess-opponents\"".to_owned(),
                ],
                resigns: false,
                accepts_bots: false,
            });
        }
        let mut options = vec!["Strength: \"Full\"".to_owned()];
        if opponent.exploit {
            options.extend(["Exploit: \"Equal\"".to_owned(), scale_option]);
        }
        let introduction = "at full strength".to_owned();
        Ok(Bot { introduction, options, resigns: true, accepts_bots: true })
    }

    fn config(&self, scale: ScaleChoice) -> String {
        let Bot { introduction, resigns, accepts_bots, .. } = self;
        let options: Vec<String> =
            self.options.iter().map(|option| format!("    {option}\n")).collect();
        let options = options.concat();
        let needs_increment =
            "1               # Without an increment, bullet games are too short for the search";
        let (kinds, increment, base): (&[&str], _, _) = match scale {
            ScaleChoice::Always(EloScale::LichessBullet) => (&["bullet"], needs_increment, 0),
            ScaleChoice::Always(EloScale::LichessRapid) => (&["rapid"], "0", 0),
            ScaleChoice::Always(_) => (&["blitz"], "0", 0),
            ScaleChoice::Lichess | ScaleChoice::Chesscom => {
                (&["bullet", "blitz", "rapid"], "0", 120)
            }
        };
        let time_controls: String = kinds.iter().map(|kind| format!("\n    - {kind}")).collect();
        let (draw, resign) = (OPPONENT_RULES.draw, OPPONENT_RULES.resign);
        // lichess-bot counts only its own moves.
        let (draw_moves, draw_score) =
            draw.map_or((0, 0), |rule| (2 * rule.moves, rule.centipawns));
        let (resign_moves, resign_score) =
            resign.map_or((0, 0), |rule| (rule.moves, -rule.centipawns));
        format!(
            r#"# Written by: {command}
token: "xxxxxxxxxxxxxxxx"        # The token of your bot account
url: "https://lichess.org/"

engine:
  dir: "./engines/"              # The folder that contains the program
  name: {program:<24} # The program's file name
  protocol: "uci"
  ponder: true
  polyglot:
    enabled: false               # Stopdown needs no book; it plays the openings of its level
  draw_or_resign:
    offer_draw_enabled: true
    offer_draw_score: {draw_score}         # In centipawns, above or below 0
    offer_draw_moves: {draw_moves}          # Consecutive moves with such scores
    offer_draw_pieces: {PIECES_FOR_DRAWS}        # Pieces and pawns left on the board
    resign_enabled: {resigns}
    resign_score: {resign_score}
    resign_moves: {resign_moves}
  uci_options:
    Move Overhead: 100           # Milliseconds per move, for network delays
{options}
challenge:
  concurrency: 1                 # Games played at once
  sort_by: "first"
  preference: "human"
  accept_bot: {accepts_bots}
  min_increment: {increment}
  min_base: {base}
  variants:
    - standard
  time_controls:{time_controls}
  modes:
    - casual
    - rated

greeting:
  hello: "Hi {{opponent}}! I am Stopdown and play {introduction}. Good luck!"
  goodbye: "Thank you for the game!"

matchmaking:
  allow_matchmaking: false       # Only accept challenges
"#,
            command = command_line(),
            program = format!("\"stopdown{EXE_SUFFIX}\""),
        )
    }
}
