//! The opponent as the GUI announces it in the option `UCI_Opponent`.

use crate::player::Elo;

/// The opponent as described by `UCI_Opponent`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AnnouncedOpponent {
    pub name: Option<String>,
    pub rating: Option<Elo>,
    /// `None` if the GUI has not sent it.
    pub is_human: Option<bool>,
}

impl AnnouncedOpponent {
    /// Parses `title rating human|computer name`, where the title, rating and name may be `none`.
    /// Any other text counts as a name.
    pub fn parse(text: &str) -> AnnouncedOpponent {
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
        AnnouncedOpponent { name: is_name.then_some(name), rating, is_human }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_rating_and_kind_are_read_from_uci_opponent() {
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
            let opponent = AnnouncedOpponent::parse(text);
            let found = (opponent.name.as_deref(), opponent.rating.map(|elo| elo.0));
            assert_eq!(found, (name, rating), "{text:?}");
            let is_human = text.contains(" human").then_some(true);
            let is_human = is_human.or(text.contains(" computer").then_some(false));
            assert_eq!(opponent.is_human, is_human, "{text:?}");
        }
    }
}
