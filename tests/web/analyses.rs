//! Analyses that the page starts, and their reports.

use serde_json::json;

use super::client::{Server, name};

#[test]
fn a_lesson_leaves_out_the_moves_before_the_game() {
    let server = Server::start();
    let start = "1. e4 e5 2. Nf3 Nc6 3. Ng5 *";
    let setup = json!({"opponent": {"kind": "person"}, "start": start, "moves": ["d8g5"]});
    let game = server.game(&setup);
    let lesson = server.get(&format!("lesson?session={}", name(&game))).body;
    assert!(lesson.contains("3... Qxg5") && !lesson.contains("Ng5"), "{lesson}");
    let pgn = server.get(&format!("pgn?session={}", name(&game))).body;
    assert!(pgn.contains("3. Ng5 Qxg5"), "{pgn}");
}
