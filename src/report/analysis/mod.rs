//! What the analyser found: as text, JSON, CSV and a page.

mod csv;
mod facts;
mod game;
mod histogram;
mod json;
mod line;
mod page;
mod tournament;

use std::fmt::Write;

pub use csv::{CSV_HEAD, game_csv};
pub use game::moves_json;
pub use json::analysis_json;
pub use line::{LineConditions, game_line};
pub use page::{AnalysisPage, BOARD_SCRIPT, VIEWER_STYLE};
pub use tournament::{TournamentPlayer, TournamentTables};

use crate::analyser::{StudyPlan, StudyReport};
pub use facts::FEW;
use facts::{facts, more_facts, sentence};

/// What the figures are not.
pub const CAUTION: &str = "\
    None of these figures proves anything about anybody. They compare moves with a model of how \
    players choose, and the model is not the player: preparation, a simple or a forced game, a good \
    day, and games picked because they looked good all raise them. Of many honest players some must \
    lie far out, so a figure counts only beside the number of players who were looked at, and before \
    the games were chosen. Few moves tell little; intervals are wide for a reason. Ratings compare a \
    player with others whose games a scale was fitted to. At most a result is a reason to look at other \
    evidence, never to do without it.";

/// The same in short.
pub const BRIEF_CAUTION: &str = "\
    One game says little of a player, and no figure here proves anything about anybody.\n\
    --full has all figures; stopdown help analyse and stopdown help assistance say what they mean.";

/// A page of text about one player or group; with everything, where it is said among how many players
/// who were not helped a result is expected how often.
pub fn analysis_text(report: &StudyReport, plan: &StudyPlan, honest: Option<f64>) -> String {
    let mut facts = facts(report, plan);
    facts.extend(honest.into_iter().flat_map(|honest| more_facts(report, plan, honest)));
    let mut text = format!("{}\n", sentence(report, plan));
    for (name, fact) in facts {
        let _ = writeln!(text, "  {name}: {fact}");
    }
    text
}
