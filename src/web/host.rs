//! Settings that apply to the whole server.

use super::opponent::MadeOpponents;
use crate::config::{Settings, load_players};
use crate::player::Roster;

/// The server's settings, from the command line and the configuration.
#[derive(Debug)]
pub struct Host {
    /// The values of the options, such as the profiles and the size of the hash table.
    pub config: Settings,
    /// The specification of an external engine that can evaluate moves. Empty if there is none.
    pub engine: Vec<String>,
    /// The opponents made on the page from players' games.
    pub made: MadeOpponents,
    /// Whether games and analyses run on threads of their own. Otherwise,
    /// [`LocalPage::step`](super::LocalPage::step) does their work.
    pub has_threads: bool,
}

impl Host {
    /// The named players: those in the configuration, those added since the server started, and
    /// those made on the page.
    pub fn profiles(&self) -> Roster {
        let (players, _errors) = load_players();
        let mut profiles = self.config.profiles_with(&players.profiles);
        self.made.add_to(&mut profiles);
        profiles
    }
}
