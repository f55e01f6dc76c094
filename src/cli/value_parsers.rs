//! Validation of arguments on the command line.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::analyser::RatingScale;
use crate::board::Colour;
use crate::player::EloScale;
use crate::policy::GameKind;

/// More games than anyone plays in one run.
const MAX_GAMES: usize = 10_000_000;

/// Parses a number and checks it.
fn number<T: FromStr>(
    text: &str,
    is_fine: impl FnOnce(&T) -> bool,
    wanted: &str,
) -> Result<T, String> {
    text.parse().ok().filter(is_fine).ok_or_else(|| format!("{wanted} is wanted"))
}

pub fn games(text: &str) -> Result<usize, String> {
    let wanted = format!("a number of games from 1 to {MAX_GAMES}");
    number(text, |games| (1..=MAX_GAMES).contains(games), &wanted)
}

/// A number of games between two players, where each opening is played with both colours.
pub fn even_games(text: &str) -> Result<usize, String> {
    match games(text)? {
        games if games.is_multiple_of(2) => Ok(games),
        _ => Err("it must be even: every opening is played with both colours".to_owned()),
    }
}

/// A number of games, positions or threads, at least 1.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    number(text, |&number| number > 0, "a whole number from 1 up")
}

/// A rating or a rating difference.
pub fn elo(text: &str) -> Result<f64, String> {
    number(text, |elo: &f64| elo.is_finite(), "a number")
}

/// A cap given in pawns, returned in centipawns.
pub fn cap(text: &str) -> Result<i32, String> {
    let wanted = "a number of pawns from 0 to 1000";
    let pawns: f64 = number(text, |pawns| (0.0..=1000.0).contains(pawns), wanted)?;
    Ok((100.0 * pawns).round() as i32)
}

/// A side, by colour.
pub fn colour() -> impl TypedValueParser<Value = Colour> {
    let colour = |name: String| if name == "white" { Colour::White } else { Colour::Black };
    PossibleValuesParser::new(["white", "black"]).map(colour)
}

/// The rating system of an Elo rating.
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

/// The scale on which players are rated.
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

/// A fraction.
pub fn part<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    number(text, |part| (T::from(0)..=T::from(1)).contains(part), "a number from 0 to 1")
}

/// A weight decay, for learning rates up to 1.
pub fn decay(text: &str) -> Result<f32, String> {
    number(text, |decay| (0.0..=1000.0).contains(decay), "a number from 0 to 1000")
}
