//! Who the opponent is, as a GUI announces him in `UCI_Opponent`.

use crate::player::Elo;

/// An opponent as far as he is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownOpponent {
    pub name: Option<String>,
    pub rating: Option<Elo>,
    /// `None`: nobody said.
    pub is_human: Option<bool>,
}

impl KnownOpponent {
    /// Reads "title rating human|computer name", any of the first three being "none". A text that is
    /// not made so is a name.
    pub fn parse(text: &str) -> KnownOpponent {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (rating, is_human, name) = match words[..] {
            [_, rating, kind @ ("human" | "computer"), ref name @ ..] => {
                (rating.parse().ok(), Some(kind == "human"), name)
            }
            ref name => (None, None, name),
        };
        let name = name.join(" ");
        let is_name = !["", "none", "?"].contains(&&*name.to_lowercase());
        let rating = rating.filter(|elo| (1.0..5000.0).contains(elo)).map(Elo);
        KnownOpponent { name: is_name.then_some(name), rating, is_human }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_known_is_found() {
        for (text, name, rating) in [
            ("GM 2800 human Gary  Kasparov", Some("Gary Kasparov"), Some(2800.0)),
            ("none none computer Shredder", Some("Shredder"), None),
            ("none 1712 human none", None, Some(1712.0)),
            ("IM -5 human X", Some("X"), None),
            ("BOT 0 computer", None, None),
            ("Anna Rudolf", Some("Anna Rudolf"), None),
            ("none none human", None, None),
            ("none", None, None),
            ("", None, None),
        ] {
            let opponent = KnownOpponent::parse(text);
            let found = (opponent.name.as_deref(), opponent.rating.map(|elo| elo.0));
            assert_eq!(found, (name, rating), "{text:?}");
            let is_human = text.contains(" human").then_some(true);
            let is_human = is_human.or(text.contains(" computer").then_some(false));
            assert_eq!(opponent.is_human, is_human, "{text:?}");
        }
    }
}
