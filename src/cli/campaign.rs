//! Games of a match, a ladder or a study, told while they are played.

use std::ops::ControlFlow;
use std::path::Path;

use super::output::Progress;
use crate::arena::{Campaign, CampaignError, GameRecord, JournalSettings, Pairing, Tournament};

/// The games in a file, if there is one; what had to make room is told.
pub fn open<'a>(
    tournament: &'a Tournament,
    pgn: Option<&Path>,
    settings: &JournalSettings,
    resume: bool,
) -> Result<Campaign<'a>, CampaignError> {
    let Some(path) = pgn else { return Ok(Campaign::unsaved(tournament)) };
    let campaign = Campaign::open(tournament, path, settings, resume)?;
    if let Some(aside) = campaign.set_aside() {
        Progress::new().tell(format_args!(
            "{} had other games than its journal: it is now {}, and is made anew",
            path.display(),
            aside.display()
        ));
    }
    Ok(campaign)
}

/// Plays what is outstanding of these games. Faults are told; `finished` sees all games that there
/// are, the last being the new one.
pub fn play(
    campaign: &mut Campaign<'_>,
    pairings: &[Pairing],
    progress: &Progress,
    mut finished: impl FnMut(&[GameRecord]) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<()> {
    let names = &campaign.tournament.names;
    let outcome = campaign.play(pairings, |records| {
        if let Some(last) = records.last().filter(|record| record.is_fault()) {
            let [white, black] = [last.white, last.black].map(|side| &names[side]);
            let (game, reason) = (last.game, &last.reason);
            progress.tell(format_args!("game {game} ({white} v {black}): {reason}"));
        }
        finished(records)
    });
    progress.clear();
    outcome
}
