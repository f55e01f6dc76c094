//! Cautions on how to interpret an analysis.

/// The heading of the full caution.
pub const CAUTION_HEADING: &str = "How to read these figures";

/// The full caution.
pub const CAUTION: &str = "\
    These figures do not prove anything about a player. They compare moves with a model of how \
    players choose, and the model is not the player. Preparation, a simple or forced game, a good \
    day, and games picked because they looked good all raise them. Among many honest players, some \
    have extreme results. Choose the games before you look at the results, and count the players \
    that you looked at. With few moves the ranges are wide. Ratings compare a player with the \
    players that the scale was fitted to. At most, a result is a reason to look at other evidence.";

/// The short caution.
pub const BRIEF_CAUTION: &str = "\
    A few games say little about a player, and these figures do not prove anything.\n\
    For all figures, add --full. stopdown help analyse explains them.";
