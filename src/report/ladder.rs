//! A rating list as Ordo prints it, and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::page::{Page, escape};
use crate::arena::ratings::{PlayerRating, RatingList, Strength};
use crate::math::largest;
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
        Strength::Unknown => "----".to_owned(),
        Strength::Fixed(value) | Strength::Estimated(value) => format!("{value:.1}"),
        Strength::AtLeast(value) => format!(">{value:.1}"),
        Strength::AtMost(value) => format!("<{value:.1}"),
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
        Strength::Unknown => "none",
        Strength::Fixed(_) => "anchor",
        Strength::Estimated(_) => "estimate",
        Strength::AtLeast(_) => "at least",
        Strength::AtMost(_) => "at most",
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

pub fn rating_page(list: &RatingList, made_by: &str) -> String {
    let mut page = Page::new("Ratings");
    let games: u64 = list.ratings.iter().map(|rating| rating.outcomes.total()).sum();
    page.paragraph(&format!(
        "{} players, {} games, all fitted together. The bars are 95 % intervals: against the \
         anchored player where there is one, else against the average of all.",
        list.ratings.len(),
        games / 2
    ));
    if let Some(trouble) = &list.trouble {
        page.paragraph(trouble);
    }
    page.figure(&bars(list), "An open circle is a bound: the player has won or lost everything.");
    let rows = list.ratings.iter().enumerate().map(|(index, rating)| row(index + 1, rating));
    let heads = [
        "player",
        "rank",
        "rating",
        "error",
        "points",
        "games",
        "%",
        "better than next",
        "draws %",
    ];
    page.table(&heads, rows);
    if let Some(advantage) = list.advantage {
        let (value, error) = (advantage.value, advantage.error);
        page.paragraph(&format!("The white pieces are worth {value:.1} ± {error:.1} points."));
    }
    if let Some(draws) = list.draws {
        let (value, error) = (100.0 * draws.value, 100.0 * draws.error);
        page.paragraph(&format!("Equal players draw {value:.1} ± {error:.1} % of their games."));
    }
    page.finish(made_by)
}

fn row(rank: usize, rating: &PlayerRating) -> Vec<String> {
    let outcomes = rating.outcomes;
    let [_, draws, wins] = outcomes.0;
    let share = |part: f64| 100.0 * part / outcomes.total().max(1) as f64;
    let points = wins as f64 + draws as f64 / 2.0;
    let number = match rating.rating {
        Strength::Unknown => "–".to_owned(),
        Strength::Fixed(value) | Strength::Estimated(value) => format!("{value:.0}"),
        Strength::AtLeast(value) => format!("over {value:.0}"),
        Strength::AtMost(value) => format!("under {value:.0}"),
    };
    vec![
        rating.name.clone(),
        rank.to_string(),
        number,
        rating.error.map_or(String::new(), |error| format!("± {error:.0}")),
        format!("{points:.1}"),
        outcomes.total().to_string(),
        format!("{:.1}", share(points)),
        rating.superiority.map_or(String::new(), |p| format!("{:.0} %", 100.0 * p)),
        format!("{:.1}", share(draws as f64)),
    ]
}

/// A line for each player: his name, his rating and how sure it is.
fn bars(list: &RatingList) -> String {
    const LINE: f64 = 24.0;
    const NAMES: f64 = 220.0;
    const PLOT: f64 = 500.0;
    let ends = |rating: &PlayerRating| {
        let value = rating.rating.value()?;
        let error = rating.error.unwrap_or(0.0);
        Some([value - error, value + error])
    };
    let all: Vec<f64> = list.ratings.iter().filter_map(ends).flatten().collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min);
    let high = largest(&all);
    if low > high {
        return String::new();
    }
    let step = [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]
        .into_iter()
        .find(|step| (high - low) / step <= 8.0)
        .unwrap_or(5000.0);
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let high = high.max(low + step);
    let x = |value: f64| NAMES + PLOT * (value - low) / (high - low);
    let height = LINE * list.ratings.len() as f64 + 30.0;
    let width = NAMES + PLOT + 40.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         font-family=\"sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"Ratings with intervals\">"
    );
    for mark in 0..=((high - low) / step) as u32 {
        let value = low + step * f64::from(mark);
        let (at, bottom) = (x(value), height - 22.0);
        let _ = write!(
            svg,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"4\" y2=\"{bottom}\" stroke=\"#dde2e7\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\" fill=\"#5b646e\">{value:.0}</text>",
            height - 6.0
        );
    }
    for (index, rating) in list.ratings.iter().enumerate() {
        let y = LINE * index as f64 + 16.0;
        let name: String = match rating.name.chars().count() {
            0..=30 => rating.name.clone(),
            _ => rating.name.chars().take(29).chain(['…']).collect(),
        };
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#1c2024\">{}</text>",
            NAMES - 10.0,
            y + 4.0,
            escape(&name)
        );
        let Some((value, [from, to])) = rating.rating.value().zip(ends(rating)) else { continue };
        let is_bound = matches!(rating.rating, Strength::AtLeast(_) | Strength::AtMost(_));
        let fill = if is_bound { "#fff" } else { "#0072b2" };
        let _ = write!(
            svg,
            "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#0072b2\" \
             stroke-width=\"2\"/><circle cx=\"{:.1}\" cy=\"{y}\" r=\"4.5\" fill=\"{fill}\" \
             stroke=\"#0072b2\" stroke-width=\"1.5\"/>",
            x(from),
            x(to),
            x(value)
        );
    }
    svg + "</svg>"
}
