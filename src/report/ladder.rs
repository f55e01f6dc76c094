//! A rating list as Ordo prints it, and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::arena::ratings::{PlayerRating, RatingKind, RatingList};
use crate::math::outcomes::Estimate;

/// The table, each line ended.
pub fn rating_table(list: &RatingList) -> String {
    let width = list.ratings.iter().map(|rating| rating.name.chars().count()).max();
    let width = width.unwrap_or(0).max("PLAYER".len());
    let mut text = format!(
        "   # {:<width$} :  RATING   ERROR  POINTS  PLAYED   (%)  CFS(%)     W     D     L  D(%)\n",
        "PLAYER"
    );
    for (rank, rating) in (1..).zip(&list.ratings) {
        let _ = writeln!(text, "{rank:>4} {:<width$} : {}", rating.name, columns(rating));
    }
    text.push('\n');
    if let Some(Estimate { value, error }) = list.advantage {
        let _ = writeln!(text, "White advantage = {value:.2} +/- {error:.2}");
    }
    if let Some(Estimate { value, error }) = list.draws {
        let (value, error) = (100.0 * value, 100.0 * error);
        let _ = writeln!(text, "Draw rate (equal opponents) = {value:.2} % +/- {error:.2}");
    }
    if let Some(trouble) = &list.trouble {
        let _ = writeln!(text, "{trouble}");
    }
    text
}

fn columns(rating: &PlayerRating) -> String {
    let number = match rating.rating {
        RatingKind::No => "----".to_owned(),
        RatingKind::Anchored(value) | RatingKind::Estimated(value) => format!("{value:.1}"),
        RatingKind::AtLeast(value) => format!(">{value:.1}"),
        RatingKind::AtMost(value) => format!("<{value:.1}"),
    };
    let or_dashes = |value: Option<String>| value.unwrap_or_else(|| "----".to_owned());
    let error = or_dashes(rating.error.map(|error| format!("{error:.1}")));
    let superiority = rating.superiority.map(|probability| format!("{:.0}", 100.0 * probability));
    let superiority = superiority.unwrap_or_else(|| "---".to_owned());
    let [losses, draws, wins] = rating.outcomes.0;
    let games = rating.outcomes.total();
    let points = wins as f64 + draws as f64 / 2.0;
    let share = |part: f64| if games > 0 { 100.0 * part / games as f64 } else { 0.0 };
    format!(
        "{number:>7} {error:>7} {points:>7.1} {games:>7} {:>5.1} {superiority:>7} {wins:>5} \
         {draws:>5} {losses:>5} {:>5.1}",
        share(points),
        share(draws as f64)
    )
}

/// Everything that is known of a list; what is not known is null.
pub fn rating_json(list: &RatingList) -> Json {
    let estimate = |estimate: Estimate| json!({"value": estimate.value, "error": estimate.error});
    json!({
        "players": list.ratings.iter().map(player_json).collect::<Vec<Json>>(),
        "white_advantage": list.advantage.map(estimate),
        "draw_rate_of_equals": list.draws.map(estimate),
        "trouble": list.trouble,
    })
}

fn player_json(rating: &PlayerRating) -> Json {
    let kind = match rating.rating {
        RatingKind::No => "none",
        RatingKind::Anchored(_) => "anchor",
        RatingKind::Estimated(_) => "estimate",
        RatingKind::AtLeast(_) => "at least",
        RatingKind::AtMost(_) => "at most",
    };
    let [losses, draws, wins] = rating.outcomes.0;
    json!({
        "name": rating.name,
        "rating": rating.rating.value(),
        "kind": kind,
        "error": rating.error,
        "superiority": rating.superiority,
        "games": rating.outcomes.total(),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "score": rating.outcomes.score(),
        "opposition": rating.opposition,
    })
}
