//! Numbers with nouns, for messages and reports.

/// A number with its noun: `1 game`, `2 games`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_is_singular() {
        let of = [0, 1, 2].map(|count| counted(count, "game"));
        assert_eq!(of, ["0 games", "1 game", "2 games"]);
    }
}
