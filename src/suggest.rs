//! Suggestions for misspelt names.

use std::borrow::Borrow;

/// Names that are less similar than this are not suggested.
const MIN_SIMILARITY: f64 = 0.75;

/// The similarity of a name and one of its words, such as `lichess-blitz` and `blitz`.
const SIMILARITY_OF_PART: f64 = 0.95;

/// The maximum number of names to list in a message.
const SHORT_LIST: usize = 10;

/// Returns the known name that is most similar to a misspelt one, if there is a similar one.
pub fn similar<'a>(misspelt: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let misspelt = misspelt.to_lowercase();
    let rated = known.into_iter().map(|name| (similarity(&misspelt, &name.to_lowercase()), name));
    let similar = rated.filter(|(similarity, _)| *similarity >= MIN_SIMILARITY);
    similar.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, name)| name)
}

/// Completes a message about an unknown name. It suggests the name that was probably meant. If
/// there is none, it lists the known names. If there are too many, it names the page of the manual
/// that lists them.
pub fn hint<'a>(misspelt: &str, known: impl IntoIterator<Item = &'a str>, page: &str) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match similar(misspelt, known.iter().copied()) {
        Some(name) => format!("; did you mean \"{name}\"?"),
        None if known.len() <= SHORT_LIST => format!("; use {}", alternatives(&known)),
        None => format!("; see `stopdown help {page}`"),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub fn alternatives<T: Borrow<str>>(names: &[T]) -> String {
    match names {
        [] => String::new(),
        [only] => only.borrow().to_owned(),
        [first @ .., last] => format!("{} or {}", first.join(", "), last.borrow()),
    }
}

/// Returns how similar the names are, from 0 to 1.
fn similarity(misspelt: &str, name: &str) -> f64 {
    // Jaro-Winkler of equal names is 1.
    let is_part = misspelt != name
        && misspelt.len() > 2
        && name.split([' ', '-', '_']).any(|part| part == misspelt);
    if is_part { SIMILARITY_OF_PART } else { strsim::jaro_winkler(misspelt, name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_gets_the_most_similar_one() {
        let known = ["club", "coin-flipper", "grandmaster", "master", "steer-j"];
        for (misspelt, expected) in [
            ("clubb", Some("club")),
            ("CLBU", Some("club")),
            ("grand-master", Some("grandmaster")),
            ("flipper", Some("coin-flipper")),
            ("Steer", Some("steer-j")),
            ("Master", Some("master")),
            ("xyz", None),
            ("", None),
        ] {
            assert_eq!(similar(misspelt, known), expected, "{misspelt}");
        }
    }

    #[test]
    fn only_a_short_list_is_shown_in_full() {
        assert_eq!(hint("fiedler", ["club", "casual"], "a"), "; use club or casual");
        assert_eq!(hint("clib", ["club", "casual"], "a"), "; did you mean \"club\"?");
        assert_eq!(hint("xyz", ["abc"; SHORT_LIST + 1], "a"), "; see `stopdown help a`");
    }
}
