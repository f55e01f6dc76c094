//! Ratings for the 2013 Candidates Tournament, computed from the gains of the moves. They are
//! compared with those that Ferreira obtained with another engine at depth 20 (2013, table 5).

use serde_json::Value as Json;

use crate::common::{Folder, data, run_with_input};
use crate::setting;

/// The rank correlation between our scores and the published ones, for both ways of measuring a
/// gain.
/// FIGURES_DEPTH sets the greatest depth, and FIGURES_STORE caches the evaluations.
pub fn candidates() {
    let games = data("games/tournaments/candidates-2013-london.pgn");
    let Some(games) = games else { return };
    let games = games.display().to_string();
    let folder = Folder::new();
    let store = std::env::var("FIGURES_STORE").unwrap_or_else(|_| "values.db".to_owned());
    let published: Json = serde_json::from_str(include_str!("../data/ferreira2013.json"))
        .expect("the figures are JSON");
    let published = published["table5_7"].as_array().expect("a table").clone();
    println!("\nrank correlation with the published table, {} players", published.len());
    for depth in 7..=setting("FIGURES_DEPTH", 9) {
        for gain in ["within", "across"] {
            let depth = depth.to_string();
            let words = ["analyse", &games, "--depth", &depth, "--gain", gain, "--tournament"];
            let words = [&words[..], &["--json", "--store", &store]].concat();
            let finished = run_with_input(&folder, &words, b"");
            assert_eq!(finished.code, 0, "{}", finished.error);
            let last = finished.out.lines().last().expect("a table after the reports");
            let table: Json = serde_json::from_str(last).expect("JSON");
            let found = table["tournament"]["players"].as_array().expect("players");
            let score_of = |player: &Json| {
                let name = player["player"].as_str().expect("a name");
                let is_player =
                    |row: &&Json| row["name"].as_str().is_some_and(|n| n.starts_with(name));
                let row = found.iter().find(is_player).expect("the player is listed");
                row["score_against_engine"].as_f64().expect("a score")
            };
            let ours: Vec<f64> = published.iter().map(score_of).collect();
            let theirs: Vec<f64> =
                published.iter().map(|player| player["p"].as_f64().expect("a score")).collect();
            println!("depth {depth:>2}  {gain}  {:+.2}", rank_correlation(&ours, &theirs));
        }
    }
}

/// Spearman's rank correlation for numbers without ties.
fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let rank = |of: &[f64], x: f64| of.iter().filter(|&&y| y < x).count() as f64;
    let squares: f64 = a.iter().zip(b).map(|(&x, &y)| (rank(a, x) - rank(b, y)).powi(2)).sum();
    let count = a.len() as f64;
    1.0 - 6.0 * squares / (count * (count * count - 1.0))
}
