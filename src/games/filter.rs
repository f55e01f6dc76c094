//! Filters that select games by their tags, and repeatable samples of games.

use std::fmt;
use std::str::FromStr;

use super::pgn::PgnGame;
use crate::board::Colour;
use crate::policy::GameKind;

/// The conditions for selecting a game. By default, all games are selected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct GameFilter {
    /// The minimum rating of both players.
    pub min_rating: Option<f64>,
    /// The maximum rating of both players.
    pub max_rating: Option<f64>,
    /// The allowed time controls. If the list is empty, any time control is allowed.
    pub time_controls: Vec<TimeControlClass>,
    /// The earliest date of the game.
    pub since: Option<DateLimit>,
    /// The latest date of the game.
    pub until: Option<DateLimit>,
    /// At least one player must have one of these titles. If the list is empty, titles do not
    /// matter.
    pub titles: Vec<String>,
    /// The titles that neither player may have.
    pub without_titles: Vec<String>,
    /// One game in `one_in` is selected.
    pub one_in: Option<u64>,
}

impl GameFilter {
    /// Returns whether a game meets every condition.
    pub fn selects(&self, game: &PgnGame) -> bool {
        let is_rated = |colour| {
            let (min, max) = (self.min_rating, self.max_rating);
            let rating = game.rating(colour);
            min.is_none_or(|min| rating.is_some_and(|rating| rating >= min))
                && max.is_none_or(|max| rating.is_some_and(|rating| rating <= max))
        };
        // Some files have the UTC date without its numbers.
        let dates = ["UTCDate", "Date"].into_iter().filter_map(|tag| game.tag(tag));
        let dates = dates.filter(|date| !date.trim().is_empty());
        let date = dates.min_by_key(|date| date.matches('?').count());
        let titles = ["WhiteTitle", "BlackTitle"].map(|tag| game.tag(tag).unwrap_or_default());
        let has_title = |wanted: &[String]| {
            titles.iter().any(|title| wanted.iter().any(|name| name.eq_ignore_ascii_case(title)))
        };
        Colour::ALL.into_iter().all(is_rated)
            && (self.time_controls.is_empty()
                || self.time_controls.iter().any(|class| class.has(game)))
            && self
                .since
                .as_ref()
                .is_none_or(|since| since.compare(date).is_some_and(|o| o.is_ge()))
            && self
                .until
                .as_ref()
                .is_none_or(|until| until.compare(date).is_some_and(|o| o.is_le()))
            && (self.titles.is_empty() || has_title(&self.titles))
            && !has_title(&self.without_titles)
            && self.one_in.is_none_or(|one_in| is_sampled(game, one_in))
    }
}

/// Whether a game is part of a sample of one game in `one_in`. The result for a game is always the
/// same. The hash differs from the one used for shards, so every shard contains its share of the
/// sample.
fn is_sampled(game: &PgnGame, one_in: u64) -> bool {
    (game.fingerprint().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).is_multiple_of(one_in.max(1))
}

/// A day, month or year, as in `2024.01.31`, `2024-01` or `2024`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateLimit(String);

impl DateLimit {
    /// Compares the date of a game with the limit, to the precision of the limit. Returns `None` if
    /// the date is unknown.
    fn compare(&self, date: Option<&str>) -> Option<std::cmp::Ordering> {
        let parts = date?.trim().split(['.', '-', '/']);
        // Some programs write the fifth as 5 instead of 05.
        let padded: Vec<String> = parts.map(|part| format!("{part:0>2}")).collect();
        let date = padded.join(".");
        let date = date.get(..self.0.len()).filter(|date| !date.contains('?'))?;
        Some(date.cmp(&self.0))
    }

    /// Returns whether this date is after the other, to the precision that both have.
    pub fn is_after(&self, other: &DateLimit) -> bool {
        let length = self.0.len().min(other.0.len());
        self.0.get(..length) > other.0.get(..length)
    }
}

impl fmt::Display for DateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for DateLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<DateLimit, String> {
        let date = text.replace('-', ".");
        let lengths: Vec<usize> = date.split('.').map(str::len).collect();
        let is_number = date.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit());
        if !is_number || ![4, 2, 2].starts_with(&lengths) {
            return Err("write a date such as 2024.01.31, 2024.01 or 2024".to_owned());
        }
        // The last day of any month may be written as 31.
        let ranges = [("01", "12", "months"), ("01", "31", "days")];
        for (part, (first, last, name)) in date.split('.').skip(1).zip(ranges) {
            if !(first..=last).contains(&part) {
                return Err(format!("{name} go from {first} to {last}"));
            }
        }
        Ok(DateLimit(date))
    }
}

/// A class of time controls, or a single time control as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TimeControlClass {
    /// Less than 30 s.
    UltraBullet,
    /// From 30 s to less than 3 minutes.
    Bullet,
    /// From 3 to less than 8 minutes.
    Blitz,
    /// From 8 to less than 25 minutes.
    Rapid,
    /// 25 minutes or more.
    Classical,
    /// No clock, which the tag gives as `-`, or days for each move, such as `1/86400`.
    Correspondence,
    /// A value of the tag `TimeControl`, such as `180+2`.
    Exactly(String),
}

impl TimeControlClass {
    fn has(&self, game: &PgnGame) -> bool {
        let text = game.tag("TimeControl").unwrap_or_default().trim();
        match self {
            TimeControlClass::Exactly(wanted) => wanted == text,
            class => TimeControlClass::of(text).as_ref() == Some(class),
        }
    }

    /// The class of a time control by the Lichess rule, which adds 40 increments to the time of the
    /// first period.
    fn of(text: &str) -> Option<TimeControlClass> {
        if text == "-" || text.starts_with("1/") {
            return Some(TimeControlClass::Correspondence);
        }
        let first = text.split(':').next()?;
        let time = first.split_once('/').map_or(first, |(_, time)| time);
        let (base, increment) = time.split_once('+').unwrap_or((time, "0"));
        let (base, increment): (f64, f64) = (base.parse().ok()?, increment.parse().ok()?);
        Some(match GameKind::of_time(base, increment) {
            GameKind::Bullet if base + 40.0 * increment < 30.0 => TimeControlClass::UltraBullet,
            GameKind::Bullet => TimeControlClass::Bullet,
            GameKind::Blitz => TimeControlClass::Blitz,
            GameKind::Rapid => TimeControlClass::Rapid,
            GameKind::Classical | GameKind::Board => TimeControlClass::Classical,
        })
    }
}

impl FromStr for TimeControlClass {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeControlClass, String> {
        match text.to_lowercase().as_str() {
            "ultrabullet" => Ok(TimeControlClass::UltraBullet),
            "bullet" => Ok(TimeControlClass::Bullet),
            "blitz" => Ok(TimeControlClass::Blitz),
            "rapid" => Ok(TimeControlClass::Rapid),
            "classical" => Ok(TimeControlClass::Classical),
            "correspondence" => Ok(TimeControlClass::Correspondence),
            other if other.contains(|c: char| c.is_ascii_digit()) => {
                Ok(TimeControlClass::Exactly(text.to_owned()))
            }
            _ => Err("write ultrabullet, bullet, blitz, rapid, classical, correspondence, or a \
                      time control such as 180+2"
                .to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Shard;
    use crate::games::pgn::read_pgn;

    fn game(tags: &[(&str, &str)]) -> PgnGame {
        let tags = tags.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        PgnGame { tags: tags.collect(), ..read_pgn("1. e4 *").remove(0) }
    }

    #[test]
    fn games_are_selected_by_rating_and_title() {
        let tags = [("WhiteElo", "2400"), ("BlackElo", "1990"), ("BlackTitle", "IM")];
        let game = game(&tags);
        let takes = |filter: GameFilter| filter.selects(&game);
        assert!(takes(GameFilter::default()));
        assert!(takes(GameFilter { min_rating: Some(1990.0), ..GameFilter::default() }));
        assert!(!takes(GameFilter { min_rating: Some(2000.0), ..GameFilter::default() }));
        assert!(!takes(GameFilter { max_rating: Some(2399.0), ..GameFilter::default() }));
        let named = |title: &str| vec![title.to_owned()];
        assert!(takes(GameFilter { titles: named("im"), ..GameFilter::default() }));
        assert!(!takes(GameFilter { titles: named("GM"), ..GameFilter::default() }));
        assert!(!takes(GameFilter { without_titles: named("IM"), ..GameFilter::default() }));
        assert!(takes(GameFilter { without_titles: named("BOT"), ..GameFilter::default() }));
        let unrated = GameFilter { max_rating: Some(3000.0), ..GameFilter::default() };
        assert!(!unrated.selects(&read_pgn("1. e4 *")[0]));
    }

    #[test]
    fn games_are_selected_by_date() {
        for (since, until, date, is_taken) in [
            ("2024.01", "2024-02", "2024.02.29", true),
            ("2024.01", "2024-02", "2024.03.01", false),
            ("2024", "2024", "2024.??.??", true),
            ("2024.01", "2024.12", "2024.??.??", false),
            ("2024.01.31", "2025", "2024.01.30", false),
            ("2024.02", "2025", "2024.1.5", false),
            ("2024.01.04", "2024.01.05", "2024.1.5", true),
            ("2024", "2025", "????.??.??", false),
        ] {
            let (since, until) = (since.parse().ok(), until.parse().ok());
            let filter = GameFilter { since, until, ..GameFilter::default() };
            assert_eq!(filter.selects(&game(&[("Date", date)])), is_taken, "{date}");
        }
        for wrong in
            ["", "24", "2024.1", "2024.01.01.01", "January", "2020.13", "2020.00", "2020.01.32"]
        {
            assert!(wrong.parse::<DateLimit>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn dates_are_compared_to_the_precision_that_both_have() {
        let date = |text: &str| text.parse::<DateLimit>().expect(text);
        for (one, other, is_after) in [
            ("2024.02", "2024.01.31", true),
            ("2024.02", "2024", false),
            ("2024", "2024.12.31", false),
            ("2025", "2024.12.31", true),
            ("2024.01.31", "2024.01.31", false),
        ] {
            assert_eq!(date(one).is_after(&date(other)), is_after, "{one} {other}");
        }
    }

    #[test]
    fn a_date_without_numbers_does_not_hide_another() {
        let filter = GameFilter { since: "2024".parse().ok(), ..GameFilter::default() };
        let tags = [("Date", "2024.03.05"), ("UTCDate", "????.??.??")];
        assert!(filter.selects(&game(&tags)));
        assert!(filter.selects(&game(&[("Date", "2024.03.05"), ("UTCDate", "")])));
    }

    #[test]
    fn games_are_selected_by_time_control() {
        for (class, control, is_taken) in [
            ("blitz", "180+0", true),
            ("blitz", "300+5", false),
            ("rapid", "300+5", true),
            ("bullet", "60+1", true),
            ("classical", "40/7200:3600", true),
            ("correspondence", "-", true),
            ("correspondence", "1/86400", true),
            ("classical", "1/86400", false),
            ("180+2", "180+2", true),
            ("180+2", "180+0", false),
            ("blitz", "?", false),
        ] {
            let filter = GameFilter {
                time_controls: class.parse().into_iter().collect(),
                ..GameFilter::default()
            };
            assert_eq!(filter.selects(&game(&[("TimeControl", control)])), is_taken, "{control}");
        }
        assert!("fast".parse::<TimeControlClass>().is_err());
    }

    #[test]
    fn a_sample_has_its_share_of_every_shard() {
        let filter = GameFilter { one_in: Some(4), ..GameFilter::default() };
        let games: Vec<PgnGame> =
            (0..4000).map(|round| game(&[("Round", &round.to_string())])).collect();
        let sample: Vec<&PgnGame> = games.iter().filter(|game| filter.selects(game)).collect();
        assert!((900..1100).contains(&sample.len()), "{}", sample.len());
        for number in 1..=4 {
            let in_shard =
                |game: &&&PgnGame| Shard::of_game(game.fingerprint(), 4).number() == number;
            let share = sample.iter().filter(in_shard).count();
            assert!((180..320).contains(&share), "{share}");
        }
    }
}
