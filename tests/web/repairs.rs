//! Situations in which the page used to show something wrong, or nothing at all.

use serde_json::json;
use stopdown::player::EloScale;

use super::browser::Browser;
use super::client::Server;
use super::page::{at_the_board, moves, new_game, square, wait_for_plies};

#[test]
fn an_answer_that_is_older_than_the_events_changes_nothing() {
    let Some(browser) = Browser::start() else { return };
    browser.prepare(
        "const original = window.fetch;
         window.fetch = async (...request) => {
           const answer = await original(...request);
           if (request[1]?.method === 'POST') await new Promise((later) => setTimeout(later, 300));
           return answer;
         };
         window.names = new Set();
         addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
           window.names.add(document.querySelector('#top .name').textContent);
         }).observe(document.getElementById('top'), { childList: true, subtree: true, characterData: true }));",
    );
    let server = Server::start();
    browser.open(&server.address);
    new_game(&browser, 1, "");
    browser.click(&square("e2"));
    browser.click(&square("e4"));
    wait_for_plies(&browser, 2);
    let names = browser.run_script("return [...window.names]");
    let names = names.as_array().expect("names");
    assert!(!names.is_empty() && !names.contains(&json!("Human")), "{names:?}");
}

#[test]
fn typed_moves_may_be_in_capitals() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.write("#word", "E4\u{e007}");
    wait_for_plies(&browser, 2);
    assert_eq!(moves(&browser)[0], "e2e4");
    browser.write("#word", "NF3\u{e007}");
    wait_for_plies(&browser, 4);
    assert_eq!(moves(&browser)[2], "g1f3");
}

#[test]
fn the_address_without_its_last_slash_opens_the_page() {
    let Some((browser, server)) = at_the_board() else { return };
    browser.open(server.address.trim_end_matches('/'));
    browser.wait("document.querySelectorAll('#squares .own').length");
}

#[test]
fn a_lost_server_is_reported_and_the_game_is_kept() {
    let Some((browser, server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.click(&square("e2"));
    browser.click(&square("e4"));
    wait_for_plies(&browser, 2);
    drop(server);
    browser.wait("document.getElementById('server-gone').checkVisibility()");
    let notice = browser.text("#server-gone");
    assert!(notice.contains("is not responding") && notice.contains("is kept"), "{notice}");
    browser.click("#newgame");
    browser.click("#setup button.main");
    browser.wait("document.getElementById('refused').textContent.includes('is not responding')");
    browser.click("#closenew");
    assert_eq!(moves(&browser).len(), 2);
    assert_eq!(browser.run_script("return document.querySelectorAll('#moves li').length"), 2);
}

/// Drops a file with these games on the page.
fn drop_file(browser: &Browser, pgn: &str) {
    drop_file_on(browser, "body", pgn);
}

/// Drops a file with these games on a part of the page.
pub fn drop_file_on(browser: &Browser, part: &str, pgn: &str) {
    browser.run_script(&format!(
        "const files = new DataTransfer();
         files.items.add(new File([{}], 'games.pgn'));
         document.querySelector('{part}').dispatchEvent(new DragEvent('drop', {{ dataTransfer: files, bubbles: true }}))",
        json!(pgn)
    ));
}

/// Returns games of a player called Ann against Bob.
fn games_of_ann(number: usize) -> String {
    let moves = "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O Re1 a6 Bb3 Ba7 h3 h6 Nbd2 Re8 Nf1 Be6 \
        Bxe6 Rxe6 Ng3 d5 exd5 Qxd5 d4 exd4 Rxe6 fxe6 Nxd4 Nxd4 cxd4 Bxd4";
    let game =
        |round| format!("[Round \"{round}\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n\n{moves} *\n\n");
    (1..=number).map(game).collect()
}

#[test]
fn a_prepared_opponent_does_not_replace_a_game_with_moves() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.write("#word", "e4\u{e007}");
    wait_for_plies(&browser, 2);
    drop_file_on(&browser, "#opponentdrop", &games_of_ann(4));
    browser.wait("document.getElementById('against').checkVisibility()");
    browser.click("#against");
    browser.wait("document.getElementById('playready').checkVisibility()");
    assert!(browser.text("#prepared").starts_with("Ann is ready."));
    assert_eq!(moves(&browser)[0], "e2e4");
    browser.click("#playready");
    browser.wait("JSON.parse(sessionStorage.getItem('game')).setup.opponent.kind === 'profile'");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_prepared_opponent_always_plays_against_the_user() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    // The first two of these choices in the dialog do not apply to this game. The last one is refused.
    browser.run_script(
        "const chosen = { own: 'full', start: 'hello', clock: 'custom', minutes: '0' };
         for (const [id, value] of Object.entries(chosen)) document.getElementById(id).value = value",
    );
    drop_file_on(&browser, "#opponentdrop", &games_of_ann(4));
    browser.wait("document.getElementById('against').checkVisibility()");
    browser.click("#against");
    browser.wait("document.getElementById('playready').checkVisibility()");
    assert!(browser.text("#prepared").starts_with("The clock must be"));
    browser.run_script("document.getElementById('minutes').value = '5'");
    browser.click("#playready");
    browser.wait("JSON.parse(sessionStorage.getItem('game')).setup.opponent.kind === 'profile'");
    assert_eq!(browser.text("#announcement"), "Your move.");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_file_dropped_during_a_preparation_stops_it() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#depth option').length");
    drop_file_on(&browser, "#opponentdrop", &games_of_ann(200));
    browser.wait("document.getElementById('against').checkVisibility()");
    browser.click("#against");
    browser.wait("document.getElementById('prepared').textContent.startsWith('Analysing')");
    drop_file_on(&browser, "#opponentdrop", "[White \"Cat\"]\n[Black \"Dan\"]\n\n1. e4 e5 *\n");
    browser.wait("document.getElementById('against').textContent === 'Play against Cat'");
    browser.wait("document.getElementById('against').checkVisibility()");
    assert_eq!(
        browser.run_script("return document.getElementById('preparing').checkVisibility()"),
        json!(false),
        "the page shows the earlier preparation"
    );
    // A new preparation reports its own result.
    browser.click("#against");
    browser.wait("document.getElementById('prepared').textContent.includes('moves count')");
    assert!(browser.text("#prepared").contains("Cat"));
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn the_report_can_be_opened_again_from_the_board() {
    let Some((browser, server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#depth option').length");
    drop_file(&browser, "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n");
    browser.wait("document.getElementById('report').checkVisibility()");
    browser.click("#report");
    browser.wait("document.getElementById('top')?.textContent.includes('Bob')");
    browser.open(&server.address);
    browser.wait("document.getElementById('report').checkVisibility()");
    assert!(browser.text("#progressed").starts_with("1 game analysed."));
    browser.click("#report");
    browser.wait("document.getElementById('top')?.textContent.includes('Bob')");
    // A server that has been restarted does not know the analysis.
    browser.open(&server.address);
    browser.run_script("sessionStorage.setItem('analysis', 'unknown')");
    browser.reload();
    browser.wait("sessionStorage.getItem('analysis') === null");
    assert_eq!(
        browser.run_script(
            "return ['progress', 'server-gone'].map((id) => document.getElementById(id).hidden)"
        ),
        json!([true, true])
    );
}

#[test]
fn a_start_that_is_not_chess_is_explained() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#curve option').length && document.querySelectorAll('#squares .own').length");
    browser.run_script("document.getElementById('start').value = 'foo'");
    browser.click("#newgame");
    browser.click("#setup button.main");
    browser.wait("document.getElementById('refused').textContent");
    let refused = browser.text("#refused");
    assert!(refused.contains("FEN") && refused.contains("1. e4 e5"), "{refused}");
}

#[test]
fn a_rating_from_a_single_point_is_visible() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#squares .own').length");
    let drawn = browser.run_script(
        "const box = document.createElement('div');
         document.body.append(box);
         const lines = [{ points: [[10, 1500, 1200, 1800]], band: true, colour: 'red' }];
         Board.plot(box, { plies: 20 }, { title: 'Rating', ticks: [], low: 0, high: 3000, lines });
         return [...box.querySelectorAll('[fill=red], [stroke=red]')].map((part) => part.getBBox()).map(
           ({ width, height }) => Math.max(width, height) > 0)",
    );
    assert_eq!(drawn, json!([true, true]));
}

#[test]
fn a_file_dropped_during_an_analysis_replaces_it_and_fills_the_bar() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#depth option').length");
    let long = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 *\n\n";
    drop_file(&browser, &long.repeat(100));
    browser.wait("document.getElementById('progressed').textContent.includes('100 games')");
    drop_file(&browser, "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n");
    browser.wait("document.getElementById('report').checkVisibility()");
    let told = browser.text("#progressed");
    assert!(told.starts_with("1 game analysed."), "{told}");
    assert_eq!(browser.run_script("return document.getElementById('part').position"), 1);
    // A file that cannot be analysed does not take the report away.
    drop_file(&browser, "not a game");
    let is_refused =
        "document.getElementById('progressed').textContent.includes('opens the earlier report')";
    browser.wait(is_refused);
    browser.reload();
    browser.wait("document.getElementById('report').checkVisibility()");
    browser.click("#report");
    browser.wait("document.getElementById('top')?.textContent.includes('Bob')");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_game_from_a_pgn_shows_the_moves_before_it() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "1. e4 e5 2. Nf3 Nc6 *");
    browser.wait("document.querySelectorAll('#moves li.before').length === 4");
    browser.click(&square("f1"));
    browser.click(&square("b5"));
    wait_for_plies(&browser, 6);
    assert_eq!(moves(&browser)[0], "f1b5", "moves before the game were stored");
    browser.reload();
    wait_for_plies(&browser, 6);
    browser.click("#moves li:nth-child(2)");
    let label = "document.querySelector('#squares [data-square=e5]').getAttribute('aria-label')";
    browser.wait(&format!("{label} === 'e5, black pawn'"));
    browser.click("#last");
    browser.click("#undo");
    wait_for_plies(&browser, 4);
    assert_eq!(browser.run_script("return document.getElementById('undo').ariaDisabled"), "true");
}

#[test]
fn a_game_without_moves_says_that_there_is_nothing_to_learn() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.click("#resign");
    browser.click("#resign");
    browser.wait("document.getElementById('learn').checkVisibility()");
    browser.click("#learn");
    browser.wait(
        "document.getElementById('announcement').textContent.startsWith('There is nothing to learn')",
    );
    browser.click("#rematch");
    browser.wait(
        "!document.getElementById('announcement').textContent.startsWith('There is nothing')",
    );
}

#[test]
fn every_scale_can_be_chosen() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#scale option').length");
    for list in ["scale", "opponentscale"] {
        let names = browser.run_script(&format!(
            "return [...document.querySelectorAll('#{list} option')].map((option) => option.textContent)"
        ));
        assert_eq!(names, json!(EloScale::names()));
    }
}

#[test]
fn labels_of_charts_do_not_overlap_or_repeat() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.click(&square("e2"));
    browser.click(&square("e4"));
    wait_for_plies(&browser, 2);
    browser.click("#show");
    for width in [360, 800, 1000, 1400] {
        browser.resize(width, 900);
        browser.wait("document.querySelectorAll('#beliefs text').length > 4");
        let overlapping = browser.run_script(
            "const found = [];
             for (const svg of document.querySelectorAll('.plot svg')) {
               const labels = [...svg.querySelectorAll('text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
               labels.forEach(([one, a], index) => labels.slice(index + 1).forEach(([other, b]) => {
                 if (a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2) found.push([one, other]);
               }));
             }
             return found",
        );
        assert_eq!(overlapping, json!([]), "at {width}");
    }
}

#[test]
fn the_end_of_an_analysis_does_not_move_the_focus_of_a_user_who_types() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#depth option').length");
    let game = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    for (leave, expected) in [("", "word"), ("document.activeElement.blur()", "report")] {
        browser.write("#word", "e");
        browser.run_script(leave);
        drop_file(&browser, game);
        browser.wait("document.getElementById('report').checkVisibility()");
        assert_eq!(browser.run_script("return document.activeElement.id"), expected);
    }
}

#[test]
fn the_new_game_dialog_ignores_hidden_fields_and_shows_a_starting_position() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#curve option').length");
    browser.run_script(
        "for (const [id, value] of [['kind', 'imitator'], ['offset', '30']]) {
           document.getElementById(id).value = value;
           document.getElementById(id).dispatchEvent(new Event('input', { bubbles: true }));
         }",
    );
    // An offset of 30 is not allowed, but this opponent has no offset.
    new_game(&browser, 1, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    browser.run_script("document.getElementById('more').open = false");
    browser.click("#newgame");
    browser.wait("document.getElementById('start').checkVisibility()");
    browser.run_script("document.getElementById('more').open = false");
    browser.run_script("document.getElementById('after').value = '-1'");
    browser.click("#startgame");
    browser.wait("document.activeElement.id === 'after'");
}

#[test]
fn the_question_whether_to_resign_ends_with_its_game() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.click("#resign");
    assert_eq!(browser.text("#resign"), "Really resign?");
    new_game(&browser, 2, "");
    assert_eq!(browser.text("#resign"), "Resign");
}
