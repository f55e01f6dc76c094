//! A profile made from a player's games, to practise against before meeting that player.

use crate::analyser::{PlayedHabits, PlayedOpenings, PlayerProfiles, Rating, RatingScale};
use crate::player::{PhaseOffsets, ProfileText, SkillText};
use crate::words::counted;

/// The findings about a player's games, and the profile that plays like this player.
#[derive(Clone, Debug)]
pub(crate) struct PlayerFindings {
    /// The name in the games.
    pub player: String,
    /// The number of moves that the rating is based on.
    pub moves: usize,
    /// The rating that the moves suggest.
    pub rating: Rating,
    /// The scale of the rating.
    pub scale: RatingScale,
    /// How much better or worse the player is in each phase of a game.
    pub phases: PhaseOffsets,
    /// The openings, each with its number of games.
    pub openings: PlayedOpenings,
    /// Results, castling, captures and other habits.
    pub habits: PlayedHabits,
    /// The profile that plays like the player.
    pub profile: ProfileText,
}

impl PlayerFindings {
    /// Returns the findings about a player, with a profile named `name`. Returns `None` if the
    /// player's moves are not informative.
    pub fn of(profiles: &PlayerProfiles, player: &str, name: &str) -> Option<PlayerFindings> {
        let accumulator = &profiles.overall.accumulator;
        let plan = &accumulator.plan;
        let summary = profiles.overall.get(player)?;
        let rating = accumulator.rate(summary)?;
        let moves = summary.tally().used;
        let phases = profiles.phases(player, &rating);
        let (openings, habits) = (profiles.openings(player), profiles.habits(player));
        let (elo, scale) = (plan.scale.nearest(rating.elo).round(), plan.scale.clone());
        let games = counted(habits.games, "game");
        let profile = ProfileText {
            name: name.to_owned(),
            description: format!(
                "{player}, rated about {elo:.0} {}, based on {moves} moves in {games}",
                scale.name
            ),
            skill: SkillText::Level { family: plan.scale.family(), elo },
            phases,
            openings: openings.lines(),
            thinking_time: habits.thinking_time(),
        };
        let player = player.to_owned();
        Some(PlayerFindings { player, moves, rating, scale, phases, openings, habits, profile })
    }
}
