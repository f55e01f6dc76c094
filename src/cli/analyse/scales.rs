//! Detects the rating scales of the games if the user does not name one.

use std::io::{self, Write as _};

use super::source::{STANDARD_INPUT, Source};
use super::study::StudyArguments;
use crate::analyser::RatingScale;
use crate::board::Colour;
use crate::games::pgn::{PgnGame, count_scales, most_common_scale};
use crate::player::EloScale;

/// A rating scale and the number of games rated on it.
type ScaleCount = (EloScale, usize);

impl StudyArguments {
    /// Counts the selected players' games on each rating scale, most frequent scale first. The
    /// result is empty if games come from standard input, which can be read only once. It is also
    /// empty for a shard, which must use the same scale as all other shards.
    fn scales_of_games(&self) -> anyhow::Result<Vec<ScaleCount>> {
        if !self.can_detect_scale() {
            return Ok(Vec::new());
        }
        let sides = self.sides();
        let has_sides = |game: &PgnGame| Colour::ALL.iter().any(|&side| sides.has(game, side));
        let files = self.games.iter().map(|name| Source::open(name));
        let files = files.collect::<anyhow::Result<Vec<Source>>>()?;
        Ok(count_scales(files.into_iter().flatten().filter_map(Result::ok).filter(has_sides)))
    }

    /// The scales to rate the games on. The second value selects the games for that scale: those
    /// with ratings on it, or all games if it is `None`.
    pub fn scales(&self) -> anyhow::Result<Vec<(RatingScale, Option<EloScale>)>> {
        if let Some(scale) = &self.scale {
            return Ok(vec![(scale.clone(), None)]);
        }
        let found = self.scales_of_games()?;
        let of = |(scale, _): ScaleCount| (RatingScale::of(scale), Some(scale));
        match found[..] {
            [] => Ok(vec![(RatingScale::of(EloScale::default()), None)]),
            [(only, _)] => Ok(vec![(RatingScale::of(only), None)]),
            _ => Ok(found.into_iter().map(of).collect()),
        }
    }

    /// The scale to use for all games together: the one that most of them are on. If the games are
    /// on several scales, a message on standard error says so.
    pub fn scale_of_most_games(&self) -> anyhow::Result<RatingScale> {
        if let Some(scale) = &self.scale {
            return Ok(scale.clone());
        }
        let found = self.scales_of_games()?;
        let most = most_common_scale(&found);
        if found.len() > 1 {
            let counts: Vec<String> =
                found.iter().map(|(scale, count)| format!("{count} {scale}")).collect();
            writeln!(
                io::stderr(),
                "stopdown: the games are on several rating scales ({}); all are rated on the scale {most}; \
                 to change it, use --scale",
                counts.join(", ")
            )?;
        }
        Ok(RatingScale::of(most))
    }

    /// Warns on standard error about games whose scale differs from the one that they were rated
    /// on.
    pub(super) fn report_other_scales(&self, games: usize) -> io::Result<()> {
        if games == 0 || self.scale.is_some() || self.can_detect_scale() {
            return Ok(());
        }
        let (were, default) =
            (if games == 1 { "game is" } else { "games are" }, EloScale::default());
        writeln!(
            io::stderr(),
            "stopdown: {games} {were} not on the scale {default}; set --scale, because the scale \
             is not detected when games come from standard input or --shard is used"
        )
    }

    fn can_detect_scale(&self) -> bool {
        self.shard.is_none() && self.games.iter().all(|name| name != STANDARD_INPUT)
    }
}
