//! Any text, read as a FEN. What is taken in can be written, read again and played on.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stopdown::board::Position;

fuzz_target!(|text: &str| {
    let Ok(position) = Position::from_fen(text, text.len() % 2 == 0) else { return };
    let again = Position::from_fen(&position.fen(), position.is_chess960());
    assert_eq!(again.as_ref(), Ok(&position));
    for m in position.legal_moves() {
        assert_eq!(position.parse_uci(&position.uci(m)), Ok(m));
        let _ = position.after(m).legal_moves();
    }
});
