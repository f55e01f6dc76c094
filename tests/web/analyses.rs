//! Analyses that the page starts, and their reports.

use serde_json::json;

use super::browser::Browser;
use super::client::{Server, name};
use super::page::at_the_board;
use super::repairs::drop_file_on;

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

#[test]
fn all_dropped_files_are_read() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#depth option').length");
    let drop_on = |part: &str| {
        browser.run_script(&format!(
            "const files = new DataTransfer();
             for (const name of ['Ann', 'Cid']) {{
               files.items.add(new File([`[White \"${{name}}\"]\n[Black \"Bob\"]\n\n1. e4 e5 *`], `${{name}}.pgn`));
             }}
             document.querySelector('{part}').dispatchEvent(new DragEvent('drop', {{ dataTransfer: files, bubbles: true }}))"
        ));
    };
    drop_on("#opponentdrop");
    browser.wait("document.getElementById('against').checkVisibility()");
    let players = browser.run_script(
        "return [...document.querySelectorAll('#opponent option')].map((option) => option.textContent)",
    );
    assert_eq!(players, json!(["Bob (2 games)", "Ann (1 game)", "Cid (1 game)"]));
    drop_on("body");
    browser.wait("document.getElementById('report').checkVisibility()");
    assert!(browser.text("#progressed").starts_with("2 games analysed."));
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_file_dropped_on_the_start_of_a_new_game_fills_the_field() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#depth option').length");
    browser.click("#newgame");
    drop_file_on(&browser, "#start", "1. e4 e5 *");
    browser.wait("document.getElementById('start').value === '1. e4 e5 *'");
    let is_analysing = "return document.getElementById('progress').checkVisibility()";
    assert_eq!(browser.run_script(is_analysing), json!(false));
}

#[test]
fn an_analysis_can_be_stopped_once_it_has_started() {
    let Some(browser) = Browser::start() else { return };
    browser.prepare(
        "const original = window.fetch;
         window.fetch = async (where, options) => {
           if (where.startsWith('games')) await new Promise((go) => { window.go = go; });
           return original(where, options);
         };",
    );
    let server = Server::start();
    browser.open(&server.address);
    browser.wait("document.querySelectorAll('#depth option').length");
    drop_file_on(&browser, "body", &"1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 *\n\n".repeat(200));
    browser.wait("window.go && document.getElementById('progress').checkVisibility()");
    let can_stop = "document.getElementById('stop').checkVisibility()";
    assert_eq!(browser.run_script(&format!("return {can_stop}")), json!(false));
    browser.run_script("window.go()");
    // The analysis may already be over.
    browser.wait(&format!("{can_stop} || document.getElementById('report').checkVisibility()"));
}

#[test]
fn a_report_that_is_no_longer_kept_is_explained() {
    let answer = Server::start().get("analysis?analysis=unknown");
    assert_eq!(answer.status, 404);
    assert!(answer.head.contains("Content-Type: text/html"), "{}", answer.head);
    assert!(
        answer.body.contains("This report is no longer available")
            && answer.body.contains("Back to the board")
    );
}
