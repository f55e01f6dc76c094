//! Validates arguments on the command line.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::analyser::{FITTED, PUBLISHED, RatingScale};
use crate::board::Colour;
use crate::player::{Elo, EloScale, PlayingStyle, TargetRating};
use crate::value::{Depth, MAX_DEPTH};

/// An upper limit that no real run reaches.
const MAX_GAMES: usize = 10_000_000;

/// Parses a number and checks it.
fn number<T: FromStr>(
    text: &str,
    is_fine: impl FnOnce(&T) -> bool,
    wanted: &str,
) -> Result<T, String> {
    text.parse().ok().filter(is_fine).ok_or_else(|| format!("write {wanted}"))
}

/// Parses a number of games from 1 to ten million.
pub(crate) fn games(text: &str) -> Result<usize, String> {
    let wanted = format!("a whole number of games from 1 to {MAX_GAMES}");
    number(text, |games| (1..=MAX_GAMES).contains(games), &wanted)
}

/// A number of games between two players. It is even, because each opening is played with both
/// colours.
pub fn even_games(text: &str) -> Result<usize, String> {
    match games(text)? {
        games if games.is_multiple_of(2) => Ok(games),
        _ => Err("write an even number; every opening is played with both colours".to_owned()),
    }
}

/// A whole number in a range.
pub(crate) fn whole<T>(range: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Copy,
{
    move |text| {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        number(text, |found| range.contains(found), &wanted)
    }
}

/// A search depth in plies.
pub fn depth(text: &str) -> Result<Depth, String> {
    let wanted = format!("a number of plies from 1 to {MAX_DEPTH}");
    number(text, |depth| (1..=MAX_DEPTH).contains(depth), &wanted)
}

/// A whole number without an upper limit, such as a seed. It is at least 0.
pub(crate) fn count<T: FromStr>(text: &str) -> Result<T, String> {
    number(text, |_| true, "a whole number of at least 0")
}

/// A number of games, positions or threads, at least 1.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    number(text, |&number| number > 0, "a whole number of at least 1")
}

/// A number of Elo points without limits, for the ratings of other programs and for differences.
pub fn elo(text: &str) -> Result<f64, String> {
    number(text, |elo: &f64| elo.is_finite(), "a number of Elo points such as 1500")
}

/// A person's rating, within the range that can be set on every scale.
pub(crate) fn rating(text: &str) -> Result<f64, String> {
    let elo = elo(text)?;
    let target = TargetRating::new(Elo(elo), None, EloScale::default());
    if target.is_available() { Ok(elo) } else { Err(target.refusal()) }
}

/// A number of seconds above 0.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let is_fine = |seconds: &f64| seconds.is_finite() && *seconds > 0.0;
    number(text, is_fine, "a number of seconds above 0")
}

/// A number that is at least 0.
pub(crate) fn from_zero(text: &str) -> Result<f64, String> {
    number(text, |number: &f64| number.is_finite() && *number >= 0.0, "a number of at least 0")
}

/// A number that is at least 1.
pub(crate) fn from_one(text: &str) -> Result<f64, String> {
    number(text, |number: &f64| number.is_finite() && *number >= 1.0, "a number of at least 1")
}

/// A number of pawns that is at least 0.
pub(crate) fn pawns(text: &str) -> Result<f64, String> {
    number(text, |pawns: &f64| pawns.is_finite() && *pawns >= 0.0, "a number of pawns, 0 or more")
}

/// A cap given in pawns, returned in centipawns.
pub(crate) fn cap(text: &str) -> Result<i32, String> {
    let wanted = "a number of pawns from 0 to 1000";
    let pawns: f64 = number(text, |pawns| (0.0..=1000.0).contains(pawns), wanted)?;
    Ok((100.0 * pawns).round() as i32)
}

/// A side, by colour. Case is ignored.
pub fn colour() -> impl TypedValueParser<Value = Colour> {
    let is_white = |name: String| name.eq_ignore_ascii_case("white");
    PossibleValuesParser::new(["white", "black"])
        .map(move |name| if is_white(name) { Colour::White } else { Colour::Black })
}

/// A rating scale, given by its name. Case is ignored. Earlier names are accepted but not shown.
pub fn elo_scale() -> impl TypedValueParser<Value = EloScale> {
    // The parser accepts only known names.
    PossibleValuesParser::new(EloScale::ALL.map(scale_name))
        .map(|name| name.parse().unwrap_or_default())
}

/// A playing style, given by its name. Case is ignored.
pub(crate) fn style() -> impl TypedValueParser<Value = PlayingStyle> {
    PossibleValuesParser::new(PlayingStyle::ALL.map(PlayingStyle::name))
        .try_map(|name| name.parse::<PlayingStyle>())
}

/// The scale for rating the players in the games: a rating scale, or one of the linear scales for
/// Regan's curve.
pub(crate) fn rating_scale() -> impl TypedValueParser<Value = RatingScale> {
    let lines = [(FITTED, "fitted"), (PUBLISHED, "published")];
    let lines = lines.map(|(name, old)| PossibleValue::new(name).alias(old));
    PossibleValuesParser::new(EloScale::ALL.map(scale_name).into_iter().chain(lines)).map(|name| {
        let scale = name.parse::<EloScale>().map(RatingScale::of);
        scale.ok().or_else(|| RatingScale::named(&name)).unwrap_or_else(RatingScale::fitted)
    })
}

/// A scale with a human curve, so that a player with a rating can be imitated.
pub(crate) fn human_rating_scale() -> impl TypedValueParser<Value = RatingScale> {
    elo_scale().map(RatingScale::of)
}

fn scale_name(scale: EloScale) -> PossibleValue {
    PossibleValue::new(scale.name()).aliases(scale.old_names().filter(is_clear))
}

/// Whether an earlier name says which scale is meant. In engine options, `Lichess` now means the scale of the game's time
/// control.
fn is_clear(old_name: &&str) -> bool {
    *old_name != "Lichess"
}

/// A fraction.
pub fn part<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    number(text, |part| (T::from(0)..=T::from(1)).contains(part), "a number from 0 to 1")
}

/// A weight decay for training.
pub fn decay(text: &str) -> Result<f32, String> {
    number(text, |decay| (0.0..=1000.0).contains(decay), "a number from 0 to 1000")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    #[test]
    fn players_are_rated_on_scales_with_the_usual_names() {
        let read = |name: &str| {
            let scale = Arg::new("scale").ignore_case(true).value_parser(rating_scale());
            let matches = Command::new("rate").arg(scale).try_get_matches_from(["rate", name]);
            matches.ok().and_then(|matches| matches.get_one::<RatingScale>("scale").cloned())
        };
        for scale in EloScale::ALL {
            let expected = Some(RatingScale::of(scale));
            assert_eq!(expected.as_ref().map(|found| found.name), Some(scale.name()));
            let old = scale.old_names().filter(is_clear).map(str::to_owned);
            for name in old.chain([scale.name().to_owned(), scale.name().to_lowercase()]) {
                assert_eq!(read(&name), expected, "{name}");
            }
        }
        for name in ["regan-fitted", "Fitted"] {
            assert_eq!(read(name), Some(RatingScale::fitted()), "{name}");
        }
        for name in ["Regan-Published", "PUBLISHED"] {
            assert_eq!(read(name), Some(RatingScale::published()), "{name}");
        }
        for unknown in ["USCF", "Lichess"] {
            assert_eq!(read(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn ratings_are_limited_and_the_limits_are_named() {
        assert_eq!(rating("400"), Ok(400.0));
        assert_eq!(
            rating("3401"),
            Err("3401 is out of range: FIDE ratings must be from 400 to 3400".to_owned())
        );
        assert_eq!(depth("0"), Err("write a number of plies from 1 to 190".to_owned()));
        assert_eq!(whole(1..=512_u16)("513"), Err("write a whole number from 1 to 512".to_owned()));
    }
}
