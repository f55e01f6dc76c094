//! A rating list as JSON, and as a document with the columns of Ordo.

use serde::Serialize;

use super::chart::{Chart, ChartInterval};
use super::document::{Column, Document, Fact, Table};
use crate::arena::ratings::{MIN_GAMES, PlayerRating, RatingList, Strength, to_tenths};
use crate::math::outcomes::Estimate;

/// Placeholders that Ordo prints for an unknown error and an unknown probability.
const NO_NUMBER: &str = "----";
const NO_SHARE: &str = "---";

pub fn ratings(list: &RatingList) -> Document {
    let mut document = Document::new("Ratings");
    document.paragraph(sentence(list));
    document.table(players(list));
    document.facts(facts(list));
    if let Some(problem) = &list.problem {
        document.paragraph(format!("No ratings: {problem}."));
    }
    let interval = |rating: &PlayerRating| ChartInterval {
        name: rating.name.clone(),
        value: rating.rating.value(),
        error: rating.error.unwrap_or(0.0),
        is_bound: matches!(rating.rating, Strength::AtLeast(_) | Strength::AtMost(_)),
    };
    let intervals = list.ratings.iter().map(interval).collect();
    let chart = Chart::intervals("Ratings with 95% intervals", "Elo", intervals);
    document.chart(chart.with_caption(
        "Intervals are relative to the anchored player or, without an anchor, to the average of \
         all players. An open circle is a bound: the player has won or lost every game.",
    ));
    document
}

fn sentence(list: &RatingList) -> String {
    let players = list.ratings.len();
    let games = match games(list) {
        1 => "1 game".to_owned(),
        games => format!("{games} games"),
    };
    let of_all = format!("{players} players, {games}.");
    let first = list.ratings.first().filter(|first| first.rating.value().is_some());
    let Some(first) = first else { return of_all };
    let rating = number(first);
    let tied = list.ratings.iter().take_while(|other| number(other) == rating);
    let tied: Vec<&str> = tied.map(|other| other.name.as_str()).collect();
    if let [others @ .., last] = &tied[..]
        && !others.is_empty()
    {
        return format!(
            "{} and {last} share the highest rating: {rating}. {of_all}",
            others.join("; ")
        );
    }
    let error = first.error.map(|error| format!(" ± {error:.1}")).unwrap_or_default();
    format!("{} has the highest rating: {rating}{error}. {of_all}", first.name)
}

fn games(list: &RatingList) -> u64 {
    list.ratings.iter().map(|rating| rating.outcomes.total()).sum::<u64>() / 2
}

fn number(rating: &PlayerRating) -> String {
    let value = to_tenths(rating.rating.value().unwrap_or_default());
    match rating.rating {
        Strength::Unknown => NO_NUMBER.to_owned(),
        Strength::Fixed(_) | Strength::Estimated(_) => format!("{value:.1}"),
        Strength::AtLeast(_) => format!(">{value:.1}"),
        Strength::AtMost(_) => format!("<{value:.1}"),
    }
}

fn players(list: &RatingList) -> Table {
    let numbers = ["RATING", "ERROR", "POINTS", "PLAYED", "(%)", "CFS(%)", "W", "D", "L", "D(%)"];
    let columns = [Column::right("#"), Column::left("PLAYER"), Column::left(":")].into_iter();
    let mut table = Table::new(columns.chain(numbers.map(Column::right)));
    for (rank, rating) in (1..).zip(&list.ratings) {
        let [losses, draws, wins] = rating.outcomes.0;
        let games = rating.outcomes.total();
        let points = wins as f64 + draws as f64 / 2.0;
        let percent = |part: f64| format!("{:.1}", 100.0 * part / games.max(1) as f64);
        let error = rating.error.map(|error| format!("{error:.1}"));
        let superiority = rating.superiority.map(|share| format!("{:.0}", 100.0 * share));
        table.row([
            format!("{rank}"),
            rating.name.clone(),
            ":".to_owned(),
            number(rating),
            error.unwrap_or_else(|| NO_NUMBER.to_owned()),
            format!("{points:.1}"),
            games.to_string(),
            percent(points),
            superiority.unwrap_or_else(|| NO_SHARE.to_owned()),
            wins.to_string(),
            draws.to_string(),
            losses.to_string(),
            percent(draws as f64),
        ]);
    }
    table
}

/// The fitted constants: White's advantage, and the draw rate of equal players. `None` if there are
/// not enough games.
fn constants(list: &RatingList) -> [Option<Estimate>; 2] {
    // The draw rate is between 0 and 1, so an error of one half or more means that it is unknown.
    let draws = list.draws.filter(|draws| draws.error < 0.5);
    [list.advantage, draws].map(|estimate| estimate.filter(|_| games(list) >= MIN_GAMES))
}

fn facts(list: &RatingList) -> Vec<Fact> {
    let missing = |few: &str| match games(list) >= MIN_GAMES {
        true => "these games do not determine it".to_owned(),
        false => few.to_owned(),
    };
    let [advantage, draws] = constants(list);
    let few = "not enough games, taken as 0";
    let advantage = advantage.map_or_else(
        || missing(few),
        |Estimate { value, error }| {
            // Adding zero removes the sign of a negative zero.
            let value = (100.0 * value).round() / 100.0 + 0.0;
            format!("{value:.2} ± {error:.2} Elo")
        },
    );
    let draws = draws.map_or_else(
        || missing("not enough games"),
        |Estimate { value, error }| format!("{:.2} ± {:.2}%", 100.0 * value, 100.0 * error),
    );
    let mut facts = Vec::new();
    if list.problem.is_none() && !list.is_advantage_given {
        facts.push(Fact::new("White advantage", advantage));
    }
    facts.extend(list.draws.map(|_| Fact::new("Draw rate between equal players", draws)));
    facts
}

/// The JSON of a rating list. Unknown values are null.
#[derive(Debug, Serialize)]
pub struct RatingsJson<'a> {
    players: Vec<PlayerJson<'a>>,
    white_advantage: Option<Estimate>,
    draw_rate_of_equal_players: Option<Estimate>,
    problem: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct PlayerJson<'a> {
    name: &'a str,
    rating: Option<f64>,
    kind: &'static str,
    error: Option<f64>,
    /// The probability that this player is stronger than the next one.
    chance_of_superiority: Option<f64>,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: f64,
    opponents_average: Option<f64>,
}

impl RatingsJson<'_> {
    pub fn new(list: &RatingList) -> RatingsJson<'_> {
        let [white_advantage, draw_rate_of_equal_players] = constants(list);
        RatingsJson {
            players: list.ratings.iter().map(PlayerJson::new).collect(),
            white_advantage,
            draw_rate_of_equal_players,
            problem: list.problem.as_deref(),
        }
    }
}

impl PlayerJson<'_> {
    fn new(rating: &PlayerRating) -> PlayerJson<'_> {
        let [losses, draws, wins] = rating.outcomes.0;
        PlayerJson {
            name: &rating.name,
            rating: rating.rating.value(),
            kind: match rating.rating {
                Strength::Unknown => "none",
                Strength::Fixed(_) => "anchor",
                Strength::Estimated(_) => "estimate",
                Strength::AtLeast(_) => "at least",
                Strength::AtMost(_) => "at most",
            },
            error: rating.error,
            chance_of_superiority: rating.superiority,
            games: rating.outcomes.total(),
            wins,
            draws,
            losses,
            score: rating.outcomes.score(),
            opponents_average: rating.opposition,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::ratings::{Crosstable, RatingRules};
    use crate::games::GameResult;

    fn list_of(games: &[(&str, &str, GameResult)]) -> RatingList {
        let mut table = Crosstable::default();
        games.iter().for_each(|&(white, black, result)| table.add(white, black, result));
        RatingList::new(&table, &RatingRules::default()).expect("no anchors")
    }

    /// The first sentence of a list of these games, and the names in the order of the list.
    fn listed(games: &[(&str, &str, GameResult)]) -> (String, Vec<String>) {
        let list = list_of(games);
        let names = list.ratings.iter().map(|rating| rating.name.clone()).collect();
        (sentence(&list), names)
    }

    #[test]
    fn tied_players_share_the_highest_rating_in_alphabetical_order() {
        let draw = GameResult::Draw;
        let (first, second) = (("Ann", "Bob", draw), ("Bob", "Ann", draw));
        for games in [[first, second], [second, first]] {
            let (sentence, names) = listed(&games);
            let expected = "Ann and Bob share the highest rating: 2300.0. 2 players, 2 games.";
            assert_eq!(sentence, expected);
            assert_eq!(names, ["Ann", "Bob"]);
        }
    }

    #[test]
    fn a_draw_rate_without_draws_is_not_certain() {
        let (ann, bob) = (("Ann", "Bob"), ("Bob", "Ann"));
        let games = [ann, bob].map(|(white, black)| {
            [(white, black, GameResult::WhiteWins), (white, black, GameResult::BlackWins)]
        });
        let list = list_of(&games.concat().repeat(5));
        let draws = list.draws.expect("twenty games");
        assert_eq!(draws.value, 0.0);
        // With 20 games, the upper limit of a share of zero is about 14% (95%).
        assert!((0.05..0.3).contains(&draws.error), "{draws:?}");
    }

    #[test]
    fn ratings_from_a_few_games_assume_no_advantage() {
        let won = |white, black| (white, black, GameResult::WhiteWins);
        let games = [won("Cat", "Ann"), won("Ann", "Cat"), ("Ann", "Bob", GameResult::Draw)];
        let list = list_of(&games);
        let ratings = list.ratings.iter().map(|of| of.rating.value().expect("a rating"));
        assert!(ratings.into_iter().all(|rating| (rating - 2300.0).abs() < 1e-6), "{list:?}");
        let advantage = format!("{:?}", facts(&list)[0]);
        assert!(advantage.contains("not enough games, taken as 0"), "{advantage}");
    }

    #[test]
    fn the_colours_of_a_player_are_not_evidence_if_white_always_wins() {
        let (ann, bob) = (("Ann", "Bob"), ("Bob", "Ann"));
        let won = |(white, black)| (white, black, GameResult::WhiteWins);
        let mut games = [won(ann)].repeat(20);
        games.extend([won(bob)].repeat(8));
        let list = list_of(&games);
        let [first, _] = &list.ratings[..] else { panic!("two players: {list:?}") };
        assert!(first.superiority.is_some_and(|share| share < 0.9), "{list:?}");
        let lines = facts(&list).into_iter().map(|fact| format!("{fact:?}"));
        let lines: Vec<String> = lines.collect();
        assert!(lines[0].contains("do not determine it"), "{lines:?}");
        // A draw with each colour is enough.
        games.extend([ann, bob].map(|(white, black)| (white, black, GameResult::Draw)));
        assert!(list_of(&games).advantage.is_some());
    }
}
