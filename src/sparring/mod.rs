//! A game between a human and the engine, whatever it is played through: the terminal and the browser
//! are two doors to the same table.

mod adviser;
mod opponent;
mod spelling;
mod table;

pub use adviser::{Adviser, FEWEST_MOVES};
pub use opponent::{Opponent, OpponentSpec, OpponentTurn, Wish, fresh_seed};
pub use spelling::{SpellingError, list, read_move};
pub use table::{Over, SidePlayer, SparringTable, number};
