//! The imitator, and its memory of opponents.
//!
//! The imitator adapts to its opponent, so it must be kept from move to move and from game to game.
//! [`ImitatorSource`] keeps it between moves. The GUI names the opponent in `UCI_Opponent`. When the
//! opponent changes, everything learnt about the previous one is saved under that opponent's name.
//! If the memory file knows the new opponent, that entry becomes the prior of a new imitator.

use std::fs;
use std::path::PathBuf;

use super::announced_opponent::AnnouncedOpponent;
use crate::config::Settings;
use crate::files::{FolderPurpose, user_folder};
use crate::player::{
    Elo, EloScale, Hypotheses, ImitatorConfig, ImitatorPlayer, Memory, OpponentKnowledge,
    ShownRating, TargetRating, informative_moves,
};
use crate::selector::Family;

/// The imitator between its moves, the current opponent, and the memory file.
#[derive(Debug, Default)]
pub(super) struct ImitatorSource {
    /// `None` while the imitator chooses a move, or before its first move.
    imitator: Option<Box<ImitatorPlayer>>,
    /// The current opponent.
    opponent: AnnouncedOpponent,
    memory: Memory,
    /// The value of the option for the memory file.
    file: String,
    /// Whether the user has been told the path of the memory file.
    has_announced_path: bool,
    /// The curve and the rating scale that the memory applies to.
    subject: Option<(Family, EloScale)>,
}

impl ImitatorSource {
    /// Hands over the imitator for the next move. Also returns messages for the user.
    ///
    /// A new opponent or another memory file requires a new imitator. The old one is saved first.
    pub fn take(
        &mut self,
        config: ImitatorConfig,
        settings: &Settings,
        opponent: &AnnouncedOpponent,
    ) -> (Box<ImitatorPlayer>, Vec<String>) {
        let mut remarks = Vec::new();
        let hypotheses = config.hypotheses();
        // Some GUIs send the rating late. For a named opponent, a late rating does not replace what
        // the opponent's moves have shown already.
        let has_learnt = |known: &ImitatorPlayer| known.prior().informative > 0;
        let is_same = self.opponent == *opponent
            || self.opponent.name == opponent.name
                && opponent.name.is_some()
                && self.imitator.as_deref().is_some_and(has_learnt);
        let subject = (config.family, config.scale);
        let is_other_memory =
            self.file != settings.imitator_memory || self.subject != Some(subject);
        if !is_same || is_other_memory {
            let unsaved = self.unsaved();
            remarks.extend(unsaved.and_then(|(name, known)| self.save(&name, known)));
            self.imitator = None;
        }
        if is_other_memory {
            remarks.extend(self.open(&settings.imitator_memory, subject, &hypotheses));
        }
        let mut imitator = self.imitator.take().unwrap_or_else(|| {
            let (prior, known) = self.prior(opponent, config.scale, &hypotheses);
            remarks.push(known);
            Box::new(ImitatorPlayer::new(config, prior))
        });
        self.opponent.clone_from(opponent);
        imitator.adopt(config);
        (imitator, remarks)
    }

    /// Puts the imitator back after its move.
    pub fn put_back(&mut self, imitator: Box<ImitatorPlayer>) {
        self.imitator = Some(imitator);
    }

    pub fn new_game(&mut self) {
        if let Some(imitator) = &mut self.imitator {
            imitator.new_game();
        }
    }

    /// Returns the name of the current opponent and everything that is known about them, unless that has been saved
    /// already or the opponent has no name.
    pub fn unsaved(&self) -> Option<(String, OpponentKnowledge)> {
        let (imitator, name) = (self.imitator.as_ref()?, self.opponent.name.as_ref()?);
        let known = imitator.prior();
        let is_new = self.memory.path().is_some()
            && known.informative > 0
            && self.memory.has_changed(name, &known);
        is_new.then(|| (name.clone(), known))
    }

    /// Saves what is known about an opponent. Returns a message if that fails. On the first success, returns a message
    /// with the file's path.
    pub fn save(&mut self, name: &str, known: OpponentKnowledge) -> Option<String> {
        // Create only our own data folder. A missing folder elsewhere is probably a typo. If this
        // fails, writing the file also fails and reports the error.
        let data_folder = user_folder(FolderPurpose::Data);
        let has_memory =
            |folder: &PathBuf| self.memory.path().is_some_and(|path| path.starts_with(folder));
        let _ = data_folder.filter(has_memory).map(fs::create_dir_all);
        if let Err(error) = self.memory.keep(name, known) {
            return Some(error.to_string());
        }
        let path = self.memory.path().filter(|_| !self.has_announced_path)?;
        let message = format!("opponents are remembered in {}", path.display());
        self.has_announced_path = true;
        Some(message)
    }

    /// From now on, saving waits longer for a locked file, because the program is about to end.
    pub fn close(&mut self) {
        self.memory.close();
    }

    /// Opens the memory file.
    fn open(
        &mut self,
        file: &str,
        (family, scale): (Family, EloScale),
        hypotheses: &Hypotheses,
    ) -> Option<String> {
        self.file = file.to_owned();
        self.subject = Some((family, scale));
        let path = memory_path(file, (family, scale));
        self.has_announced_path = false;
        let (memory, error) = Memory::open(path.as_deref(), hypotheses.points());
        self.memory = memory;
        error.map(|error| error.to_string())
    }

    /// Returns the prior for an opponent, and a sentence that describes it. The prior comes from
    /// the memory, or else from the rating that the GUI has sent, or else from the average player.
    fn prior(
        &mut self,
        opponent: &AnnouncedOpponent,
        scale: EloScale,
        hypotheses: &Hypotheses,
    ) -> (OpponentKnowledge, String) {
        let name = opponent.name.as_deref();
        let known = name.and_then(|name| self.memory.recall(name)).cloned();
        let prior =
            known.clone().unwrap_or_else(|| OpponentKnowledge::new(hypotheses, opponent.rating));
        if let Some(name) = name {
            self.memory.begin(name, &prior);
        }
        // As long as nothing has been learnt, the user expects to see the announced rating.
        let announced = opponent.rating.filter(|_| known.is_none());
        let elo = announced.map_or_else(|| prior.belief.median(), |rating| rating.0);
        let range = TargetRating::new(Elo(0.0), None, scale).estimable(&prior.belief);
        let rating = ShownRating::limited(elo, prior.interval(0.9), &range);
        let about = if rating.bound.is_none() { "about " } else { "" };
        let assumed =
            format!("rating is assumed to be {about}{}", rating.described(scale.name(), 90));
        let whose = name.map_or("your".to_owned(), |name| format!("{name}'s"));
        let first = if name.is_none() { "Your" } else { &whose };
        let mut text = match (&known, announced) {
            (Some(known), _) => {
                let moves = informative_moves(known.informative);
                format!("{first} {assumed}, based on {moves} in earlier games.")
            }
            (None, Some(rating)) => {
                format!("{first} {assumed}, based on the announced rating of {rating}.")
            }
            (None, None) => {
                let by = name.map(|name| format!(" by {name}")).unwrap_or_default();
                format!("No moves{by} are known yet, so {whose} {assumed}.")
            }
        };
        if name.is_none() && !self.file.is_empty() {
            text += " A player without a name is not remembered.";
        }
        (prior, text)
    }
}

/// Returns the path of the file in which opponents are remembered, or `None` if the file has no
/// name. Estimates on different curves or rating scales are not comparable. Each combination other
/// than the default therefore has its own file, with a suffix in its name.
fn memory_path(file: &str, (family, scale): (Family, EloScale)) -> Option<PathBuf> {
    let mut file_name = file.to_owned();
    if family != TargetRating::human_curve(scale) {
        file_name += &format!(".{family}");
    }
    file_name += match scale {
        EloScale::Fide => "",
        // This was once the only Lichess scale, and users still have files with this suffix.
        EloScale::LichessBlitz => ".lichess",
        EloScale::LichessRapid => ".lichess-rapid",
        EloScale::LichessBullet => ".lichess-bullet",
        EloScale::ChesscomBlitz => ".chesscom-blitz",
        EloScale::ChesscomRapid => ".chesscom-rapid",
    };
    // A relative path is relative to the data folder, not to the GUI's working directory.
    // Joining leaves an absolute path as it is.
    let folder = user_folder(FolderPurpose::Data).unwrap_or_default();
    (!file.is_empty()).then(|| folder.join(file_name))
}

/// Returns the imitator's memory of the opponent with this name, and a message if the memory cannot
/// be used.
pub(super) fn remembered(
    name: &str,
    settings: &Settings,
    hypotheses: &Hypotheses,
) -> (Option<OpponentKnowledge>, Option<String>) {
    let scale = settings.scale();
    let path = memory_path(&settings.imitator_memory, (TargetRating::human_curve(scale), scale));
    let (memory, error) = Memory::open(path.as_deref(), hypotheses.points());
    (memory.recall(name).cloned(), error.map(|error| error.to_string()))
}
