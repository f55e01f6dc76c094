//! Cautions on how to interpret an analysis.

/// The full caution.
pub const CAUTION: &str = "\
    None of these figures proves anything about anybody. They compare moves with a model of how \
    players choose, and the model is not the player: preparation, a simple or a forced game, a good \
    day, and games picked because they looked good all raise them. Of many honest players some must \
    lie far out, so a figure counts only beside the number of players who were looked at, and before \
    the games were chosen. Few moves tell little; intervals are wide for a reason. Ratings compare a \
    player with others whose games a scale was fitted to. At most a result is a reason to look at other \
    evidence, never to do without it.";

/// The short caution.
pub const BRIEF_CAUTION: &str = "\
    One game says little of a player, and no figure here proves anything about anybody.\n\
    --full has all figures; stopdown help analyse and stopdown help assistance say what they mean.";
