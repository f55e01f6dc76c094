//! The imitator between its moves: the opponent that it watches, as a GUI announces them in
//! `UCI_Opponent`, and what is remembered of each.

use std::fs;
use std::path::PathBuf;

use crate::config::Settings;
use crate::files::{FolderPurpose, users_folder};
use crate::player::{
    Elo, EloScale, Hypotheses, Imitating, Memory, OpponentPrior, Style, TargetRating,
};
use crate::selector::Family;

#[derive(Debug, Default)]
pub(super) struct Opponents {
    /// Here between its moves.
    imitating: Option<Box<Imitating>>,
    /// The opponent that it watches.
    opponent: KnownOpponent,
    memory: Memory,
    /// The file of the memory as the user has set it.
    file: String,
    /// The user has been told where that is.
    has_told_place: bool,
    /// What the memory is about: the levels of which curve, and on which scale.
    about: Option<(Family, EloScale)>,
}

impl Opponents {
    /// The imitator for the next move, who plays in this manner; and what is to be said.
    pub fn take(&mut self, style: Style, settings: &Settings) -> (Box<Imitating>, Vec<String>) {
        let mut remarks = Vec::new();
        let hypotheses = style.hypotheses();
        let opponent = KnownOpponent::parse(&settings.opponent);
        // A rating that is told late is heard, but not against what somebody with a name has shown.
        let has_shown = |known: &Imitating| known.prior().informative > 0;
        let is_same = self.opponent == opponent
            || self.opponent.name == opponent.name
                && opponent.name.is_some()
                && self.imitating.as_deref().is_some_and(has_shown);
        let about = (style.family, style.scale);
        let is_elsewhere = self.file != settings.imitator_memory || self.about != Some(about);
        if !is_same || is_elsewhere {
            remarks.extend(self.keep());
            self.imitating = None;
        }
        if is_elsewhere {
            remarks.extend(self.open(&settings.imitator_memory, about, &hypotheses));
        }
        let mut imitating = self.imitating.take().unwrap_or_else(|| {
            let (prior, known) = self.prior(&opponent, style.scale, &hypotheses);
            remarks.push(known);
            Box::new(Imitating::new(style, prior))
        });
        self.opponent = opponent;
        imitating.adopt(style);
        (imitating, remarks)
    }

    /// Takes the imitator back after its move.
    pub fn take_back(&mut self, imitating: Box<Imitating>) {
        self.imitating = Some(imitating);
    }

    pub fn new_game(&mut self) {
        if let Some(imitating) = &mut self.imitating {
            imitating.new_game();
        }
    }

    /// Keeps what is known of the opponent. Gives a complaint if that cannot be done; and the first
    /// time, where it is kept.
    pub fn keep(&mut self) -> Option<String> {
        let (imitating, name) = (self.imitating.as_ref()?, self.opponent.name.as_ref()?);
        let prior = imitating.prior();
        if prior.informative == 0 {
            return None;
        }
        // Only our own folder is made: another that is missing is a slip of the pen. What goes wrong
        // here goes wrong with the file too, and is told then.
        let ours = users_folder(FolderPurpose::Data);
        let is_in = |ours: &PathBuf| self.memory.path().is_some_and(|path| path.starts_with(ours));
        let _ = ours.filter(is_in).map(fs::create_dir_all);
        if let Err(error) = self.memory.keep(name, prior) {
            return Some(error.to_string());
        }
        let place = self.memory.path().filter(|_| !self.has_told_place)?;
        let told = format!("what is learnt of opponents is kept in {}", place.display());
        self.has_told_place = true;
        Some(told)
    }

    /// Opens the file of the memory; what is believed of another curve than the usual one, or on
    /// another scale, is in one of its own beside it.
    fn open(
        &mut self,
        file: &str,
        (family, scale): (Family, EloScale),
        hypotheses: &Hypotheses,
    ) -> Option<String> {
        self.file = file.to_owned();
        self.about = Some((family, scale));
        let mut own = file.to_owned();
        if family != TargetRating::usual(scale) {
            own += &format!(".{family}");
        }
        if scale != EloScale::default() {
            own += &format!(".{}", scale.word());
        }
        // A name alone is no wish to have it where a chess program happens to start us. An absolute path
        // stays as it is.
        let folder = users_folder(FolderPurpose::Data).unwrap_or_default();
        let path = (!file.is_empty()).then(|| folder.join(own));
        self.has_told_place = false;
        let (memory, complaint) = Memory::open(path.as_deref(), hypotheses.points());
        self.memory = memory;
        complaint.map(|complaint| complaint.to_string())
    }

    /// What is known of an opponent beforehand, and in words.
    fn prior(
        &self,
        opponent: &KnownOpponent,
        scale: EloScale,
        hypotheses: &Hypotheses,
    ) -> (OpponentPrior, String) {
        let name = opponent.name.as_deref();
        let known = name.and_then(|name| self.memory.recall(name)).cloned();
        let why = match (&known, opponent.rating) {
            (Some(prior), _) => {
                format!("{} informative moves of earlier games", prior.informative)
            }
            (None, Some(rating)) => format!("the rating of {rating} that is given"),
            (None, None) => "what people are, as no move is known yet".to_owned(),
        };
        let prior = known.unwrap_or_else(|| OpponentPrior::beforehand(hypotheses, opponent.rating));
        let (low, high) = prior.interval(0.9);
        let text = format!(
            "Takes {} for a player rated about {:.0} ({scale}), most likely {low:.0} to {high:.0}, \
             by {why}{}",
            name.unwrap_or("the opponent"),
            prior.belief.median(),
            match name {
                None if !self.file.is_empty() => "; without a name nothing is kept of him",
                _ => "",
            },
        );
        (prior, text)
    }
}

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
