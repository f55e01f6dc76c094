//! Words and numbers on the command line that are refused before anything is done with them.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::analyser::RatingScale;
use crate::board::Colour;
use crate::player::EloScale;
use crate::policy::GameKind;

/// More games than anybody plays at one go.
const MOST_GAMES: usize = 10_000_000;

/// A number, if it is as it has to be.
fn number<T: FromStr>(
    text: &str,
    is_fine: impl FnOnce(&T) -> bool,
    wanted: &str,
) -> Result<T, String> {
    text.parse().ok().filter(is_fine).ok_or_else(|| format!("{wanted} is wanted"))
}

pub fn games(text: &str) -> Result<usize, String> {
    let wanted = format!("a number of games from 1 to {MOST_GAMES}");
    number(text, |games| (1..=MOST_GAMES).contains(games), &wanted)
}

/// Games between any two, each opening with both colours.
pub fn even_games(text: &str) -> Result<usize, String> {
    match games(text)? {
        games if games.is_multiple_of(2) => Ok(games),
        _ => Err("it must be even: every opening is played with both colours".to_owned()),
    }
}

/// How many games, positions or threads of work: one at least.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    number(text, |&number| number > 0, "a whole number from 1 up")
}

/// A rating, or a difference of ratings.
pub fn elo(text: &str) -> Result<f64, String> {
    number(text, |elo: &f64| elo.is_finite(), "a number")
}

/// A cap in pawns, as centipawns.
pub fn cap(text: &str) -> Result<i32, String> {
    let wanted = "a number of pawns from 0 to 1000";
    let pawns: f64 = number(text, |pawns| (0.0..=1000.0).contains(pawns), wanted)?;
    Ok((100.0 * pawns).round() as i32)
}

/// A side by its colour.
pub fn colour() -> impl TypedValueParser<Value = Colour> {
    let colour = |name: String| if name == "white" { Colour::White } else { Colour::Black };
    PossibleValuesParser::new(["white", "black"]).map(colour)
}

/// Whose ratings are meant.
pub fn elo_scale() -> impl TypedValueParser<Value = EloScale> {
    let named = |scale: EloScale| match scale {
        EloScale::LichessBlitz => PossibleValue::new(scale.word()).alias("lichess-blitz"),
        _ => PossibleValue::new(scale.word()),
    };
    let scale = |name: String| match name.as_str() {
        "lichess-blitz" => EloScale::LichessBlitz,
        name => EloScale::of_name(name).unwrap_or_default(),
    };
    PossibleValuesParser::new(EloScale::ALL.map(named)).map(scale)
}

/// By what scale players are rated.
pub fn rating_scale() -> impl TypedValueParser<Value = RatingScale> {
    let names = ["fitted", "published", "board", "rapid", "blitz", "bullet"];
    PossibleValuesParser::new(names).map(|name| match name.as_str() {
        "fitted" => RatingScale::fitted(),
        "published" => RatingScale::published(),
        "rapid" => RatingScale::of_people(GameKind::Rapid),
        "blitz" => RatingScale::of_people(GameKind::Blitz),
        "bullet" => RatingScale::of_people(GameKind::Bullet),
        _ => RatingScale::of_people(GameKind::Board),
    })
}

/// A part of a whole.
pub fn part<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    number(text, |part| (T::from(0)..=T::from(1)).contains(part), "a number from 0 to 1")
}

/// How fast something shrinks that is learnt at a rate of 1 at most.
pub fn decay(text: &str) -> Result<f32, String> {
    number(text, |decay| (0.0..=1000.0).contains(decay), "a number from 0 to 1000")
}
