//! The board behaves as players are used to from chess servers.

use serde_json::json;

use super::browser::Browser;
use super::client::Server;
use super::page::{
    ESCAPE, LEFT, RIGHT, at_the_board, game, moves, new_game, new_game_at_depth, square,
    wait_for_plies,
};

/// Holds back the events of a game while `held` is true, so that a test can act during the
/// opponent's turn.
const HOLD_EVENTS: &str = "window.held = false; window.waiting = [];
    const Original = window.EventSource;
    window.EventSource = class extends Original {
      set onmessage(handle) {
        super.onmessage = (event) => window.held ? window.waiting.push(() => handle(event)) : handle(event);
      }
    };
    window.release = () => { window.held = false; window.waiting.splice(0).forEach((deliver) => deliver()); };";

fn play(browser: &Browser, from: &str, to: &str) {
    browser.wait("document.querySelectorAll('#squares .own').length");
    browser.click(&square(from));
    browser.click(&square(to));
}

#[test]
fn pieces_glide_over_the_marks_of_the_last_move() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.run_script("document.querySelector('#board g[data-square=e2]').isThePawn = true");
    browser.click(&square("e2"));
    assert_eq!(
        browser.run_script("return document.querySelectorAll('#board .marks circle').length"),
        2
    );
    browser.click(&square("e4"));
    browser.wait("document.querySelector('#board g[data-square=e4]')?.isThePawn");
    let seconds = browser.run_script(
        "return parseFloat(getComputedStyle(document.querySelector('#board g')).transitionDuration)",
    );
    assert!(seconds.as_f64() > Some(0.0), "the piece does not glide: {seconds}");
    wait_for_plies(&browser, 2);
    let layers = browser.run_script(
        "return [...document.querySelectorAll('#board > svg')].map((l) => l.classList[0])",
    );
    assert_eq!(layers, json!(["squares", "marks", "pieces", "arrows"]));
    assert_eq!(
        browser.run_script("return document.querySelectorAll('#board .marks rect').length"),
        2
    );
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_king_in_check_glows_and_a_lead_in_material_is_shown() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "4k3/8/8/8/8/8/8/q3K2R w K - 0 1");
    browser.wait("document.querySelector('#squares .check')?.dataset.square === 'e1'");
    let glow = "document.querySelector('#board .marks rect[fill*=check]')";
    browser.wait(glow);
    assert_eq!(browser.text("#top .lead"), "+4");
    assert_eq!(
        browser.run_script("return document.querySelectorAll('#top .lead .piece').length"),
        1
    );
    assert_eq!(browser.text("#bottom .lead"), "");
}

/// A game from a position in which the opponent's reply to this move is held back.
fn in_the_opponents_turn(start: &str, from: &str, to: &str) -> Option<(Browser, Server)> {
    let browser = Browser::start()?;
    browser.prepare(HOLD_EVENTS);
    let server = Server::start();
    browser.open(&server.address);
    // The opponent takes longer to move than the server takes to answer.
    new_game_at_depth(&browser, 1, 12, start);
    browser.run_script("window.held = true");
    play(&browser, from, to);
    browser.wait("document.querySelectorAll('#squares .waiting').length");
    Some((browser, server))
}

#[test]
fn a_move_can_be_planned_in_the_opponents_turn() {
    let Some((browser, _server)) = in_the_opponents_turn("", "e2", "e4") else { return };
    // After this move, no reply gives check, so the next move is legal too.
    browser.click(&square("b1"));
    browser.click(&square("c3"));
    assert_eq!(
        browser.run_script("return document.querySelectorAll('#squares .planned').length"),
        2
    );
    assert_eq!(moves(&browser).len(), 1);
    browser.run_script("window.release()");
    wait_for_plies(&browser, 4);
    assert_eq!(moves(&browser)[2], "b1c3");
    // A planned move is dropped if it is no longer legal.
    browser.run_script("window.held = true");
    play(&browser, "g1", "f3");
    browser.wait("document.querySelectorAll('#squares .waiting').length");
    browser.click(&square("a1"));
    browser.click(&square("a5"));
    browser.run_script("window.release()");
    wait_for_plies(&browser, 6);
    assert_eq!(
        browser.run_script("return document.querySelectorAll('#squares .planned').length"),
        0
    );
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn castling_can_be_planned_in_chess960() {
    let start = "4k3/pppppppp/8/8/8/8/PPPPPPPP/RK2R3 w EA - 0 1";
    let Some((browser, _server)) = in_the_opponents_turn(start, "a2", "a3") else { return };
    browser.click(&square("b1"));
    browser.click(&square("e1"));
    browser.run_script("window.release()");
    wait_for_plies(&browser, 4);
    assert_eq!(moves(&browser)[2], "b1e1");
}

#[test]
fn a_hint_is_for_the_current_position_and_earlier_ones_are_announced() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    play(&browser, "e2", "e4");
    wait_for_plies(&browser, 2);
    browser.click("#first");
    assert_eq!(browser.text("#announcement"), "Starting position.");
    browser.click("#hint");
    browser.wait("document.getElementById('announcement').textContent.startsWith('Hint: ')");
    assert_eq!(browser.run_script("return Play.viewedPly()"), 2);
    browser.click("#first");
    assert_eq!(browser.text("#announcement"), "Starting position.");
}

#[test]
fn resigning_asks_once_and_a_rematch_swaps_colours() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    play(&browser, "e2", "e4");
    wait_for_plies(&browser, 2);
    let hidden = "document.getElementById('bar').hidden";
    assert_eq!(browser.run_script(&format!("return {hidden}")), json!(true), "the game is running");
    browser.click("#resign");
    assert_eq!(browser.text("#resign"), "Really resign?");
    assert!(!browser.text("#announcement").contains("resign"));
    assert_eq!(browser.text("#asked"), "To resign, press again within 5 seconds.");
    browser.click("#resign");
    assert_eq!(browser.text("#asked"), "");
    browser.wait("document.getElementById('rematch').checkVisibility()");
    assert_eq!(browser.run_script(&format!("return {hidden}")), json!(false), "the game is over");
    browser.click("#rematch");
    browser.wait("JSON.parse(sessionStorage.getItem('game')).setup.black === true");
    // The opponent now has White and moves first.
    wait_for_plies(&browser, 1);
    assert_eq!(game(&browser)["opponent"]["kind"], "competence");
    assert_eq!(browser.text("#bottom .name"), "You");
    let corner =
        browser.run_script("return document.querySelector('#squares button').dataset.square");
    assert_eq!(corner, "h1", "Black is at the bottom");
}

#[test]
fn a_hint_is_an_arrow_that_goes_with_the_next_move() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "4k3/8/8/8/8/8/r7/4K2R w K - 0 1");
    let arrows = "document.querySelectorAll('#board .arrows path').length";
    browser.click("#hint");
    browser.wait("document.getElementById('announcement').textContent.startsWith('Hint: ')");
    browser.wait(&format!("{arrows} === 1"));
    play(&browser, "h1", "g1");
    wait_for_plies(&browser, 2);
    browser.wait(&format!("{arrows} === 0"));
}

#[test]
fn arrows_are_drawn_with_the_right_button() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    let arrows =
        || browser.run_script("return document.querySelectorAll('#board .arrows path').length");
    browser.drag_right(&square("g1"), &square("f3"));
    browser.drag_right(&square("b1"), &square("c3"));
    assert_eq!(arrows(), 2);
    browser.drag_right(&square("g1"), &square("f3"));
    assert_eq!(arrows(), 1);
    browser.click(&square("e5"));
    assert_eq!(arrows(), 0);
    assert_eq!(moves(&browser).len(), 0);
}

#[test]
fn escape_cancels_a_drag() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.start_drag(&square("e2"), &square("e4"));
    browser.press(&[ESCAPE]);
    browser.end_drag();
    play(&browser, "d2", "d4");
    wait_for_plies(&browser, 2);
    assert_eq!(moves(&browser)[0], "d2d4");
}

#[test]
fn arrow_keys_go_through_the_moves_wherever_the_focus_is() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    play(&browser, "e2", "e4");
    wait_for_plies(&browser, 2);
    let now = || {
        browser.run_script("return [...document.querySelectorAll('#moves li')].findIndex((m) => m.className.includes('now'))")
    };
    assert_eq!(now(), 1);
    // The focus is on the square that was clicked last.
    browser.press(&[LEFT]);
    assert_eq!(now(), 0);
    browser.press(&[LEFT]);
    assert_eq!(now(), -1);
    browser.press(&[RIGHT, RIGHT]);
    assert_eq!(now(), 1);
    browser.click("#back");
    assert_eq!(now(), 0);
}

#[test]
fn moves_have_sounds_that_can_be_muted() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    play(&browser, "h1", "h8");
    browser.wait("document.documentElement.dataset.sound");
    assert_eq!(browser.text("#sound"), "Mute");
    browser.click("#sound");
    assert_eq!(browser.text("#sound"), "Unmute");
    browser.reload();
    browser.wait("document.querySelectorAll('#moves li').length");
    assert_eq!(browser.text("#sound"), "Unmute");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn time_controls_have_their_usual_names() {
    let Some((browser, _server)) = at_the_board() else { return };
    let names = browser
        .run_script("return [...document.querySelectorAll('#clock option')].map((option) => option.textContent)");
    for name in
        ["Bullet 1+0", "Blitz 3+2", "Blitz 5+3", "Rapid 10+0", "Rapid 15+10", "Classical 60+30"]
    {
        assert!(names.as_array().expect("names").contains(&json!(name)), "{names}");
    }
    for (value, shown) in [("3 2", "3:00"), ("60 30", "1:00:00"), ("custom", "20:00")] {
        browser.run_script(&format!("document.getElementById('clock').value = '{value}'"));
        new_game(&browser, if value == "3 2" { 1 } else { 2 }, "");
        browser.wait(&format!("document.querySelector('#bottom time').textContent === '{shown}'"));
    }
}

#[test]
fn a_phone_shows_board_clocks_last_move_and_rating_without_scrolling() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.resize(360, 640);
    browser.run_script("document.getElementById('clock').value = '5 3'");
    new_game(&browser, 1, "");
    play(&browser, "e2", "e4");
    wait_for_plies(&browser, 2);
    browser.run_script("scrollTo(0, 0)");
    for part in ["#top time", "#stage", "#bottom time", "#announcement", "#belief", "#newgame"] {
        let place = browser.run_script(&format!(
            "const {{ top, bottom, width }} = document.querySelector('{part}').getBoundingClientRect();
             return top >= 0 && bottom <= innerHeight && width > 0"
        ));
        assert_eq!(place, json!(true), "{part}");
    }
}

#[test]
fn a_finger_drags_pieces() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.resize(360, 640);
    new_game(&browser, 1, "");
    browser.run_script("scrollTo(0, 0)");
    browser.drag_by_touch(&square("g1"), &square("f3"));
    wait_for_plies(&browser, 2);
    assert_eq!(moves(&browser)[0], "g1f3");
    // If a piece is dropped on a square to which it cannot move, it returns.
    browser.wait("document.querySelectorAll('#squares .own').length");
    browser.drag_by_touch(&square("a1"), &square("a5"));
    browser.wait("document.querySelector('#board g[data-square=a1]:not(.dragged)')");
    assert_eq!(browser.run_script("return scrollY"), 0, "the page does not scroll");
}

#[test]
fn the_question_whether_to_resign_moves_no_button() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    play(&browser, "e2", "e4");
    wait_for_plies(&browser, 2);
    let places = || {
        browser.run_script(
            "return [...document.querySelectorAll('#record .acts button')]
               .filter((button) => button.checkVisibility())
               .map((button) => button.getBoundingClientRect())
               .map(({ left, top, width, height }) => [left, top, width, height].map(Math.round))",
        )
    };
    for width in [1400, 800, 360] {
        browser.resize(width, 900);
        let before = places();
        browser.click("#resign");
        assert_eq!(browser.text("#resign"), "Really resign?");
        assert_eq!(places(), before, "at {width}");
        browser.wait("document.getElementById('resign').textContent === 'Resign'");
    }
}

#[test]
fn rematch_and_learn_are_in_view_after_a_game() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    play(&browser, "e2", "e4");
    wait_for_plies(&browser, 2);
    browser.click("#resign");
    browser.click("#resign");
    browser.wait("document.querySelector('#likelychart table')");
    for (width, height) in [(360, 740), (800, 900), (1400, 900)] {
        browser.resize(width, height);
        browser.run_script("scrollTo(0, 0)");
        let bottoms = browser.run_script(
            "return ['rematch', 'learn'].map((id) => document.getElementById(id).getBoundingClientRect().bottom)",
        );
        for bottom in bottoms.as_array().expect("places") {
            assert!(bottom.as_f64() < Some(f64::from(height)), "{bottom} at {width} x {height}");
        }
    }
}

#[test]
fn the_last_move_stays_in_view_when_the_window_changes() {
    let Some((browser, _server)) = at_the_board() else { return };
    let game = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. Bb3 Ba7 9. h3 h6 \
        10. Nbd2 Re8 11. Nf1 Be6 12. Bxe6 Rxe6 13. Ng3 d5 14. exd5 Qxd5 *";
    new_game(&browser, 1, game);
    wait_for_plies(&browser, 28);
    for width in [360, 800, 360] {
        browser.resize(width, 740);
        browser.wait(
            "(({ scrollTop, clientHeight, scrollHeight }) => scrollTop > 0 && scrollTop + clientHeight > scrollHeight - 2)
               (document.getElementById('moves'))",
        );
    }
}

#[test]
fn a_king_castles_onto_its_rook() {
    let Some((browser, _server)) = at_the_board() else { return };
    let both = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
    for (c, rook, castled) in [(1, "h1", "e1g1"), (2, "a1", "e1c1")] {
        new_game(&browser, c, both);
        play(&browser, "e1", rook);
        wait_for_plies(&browser, 2);
        assert_eq!(moves(&browser)[0], castled);
    }
    // A rook beside another rook does not castle.
    new_game(&browser, 1, "3k4/8/8/8/8/8/8/K3R2R w - - 0 1");
    play(&browser, "e1", "h1");
    assert_eq!(browser.text("#announcement"), "Your move.");
    assert_eq!(moves(&browser).len(), 0);
}

#[test]
fn a_draw_can_be_offered_once_a_move_has_been_made() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    let is_disabled = || browser.run_script("return document.getElementById('draw').ariaDisabled");
    assert_eq!(is_disabled(), "true");
    play(&browser, "e2", "e4");
    wait_for_plies(&browser, 2);
    assert_eq!(is_disabled(), "false");
}

#[test]
fn a_piece_stays_selected_when_the_opponent_replies() {
    let Some((browser, _server)) = in_the_opponents_turn("", "e2", "e4") else { return };
    browser.click(&square("g1"));
    browser.run_script("window.release()");
    wait_for_plies(&browser, 2);
    browser.click(&square("f3"));
    wait_for_plies(&browser, 4);
    assert_eq!(moves(&browser)[2], "g1f3");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn the_promotion_picker_closes_with_its_game() {
    let Some((browser, _server)) = at_the_board() else { return };
    let is_open = "document.getElementById('promotion').checkVisibility()";
    for c in [1, 2] {
        new_game(&browser, c, "8/4P2k/8/8/8/8/8/4K3 w - - 0 1");
        assert_eq!(browser.run_script(&format!("return {is_open}")), json!(false));
        play(&browser, "e7", "e8");
        browser.wait(is_open);
    }
}

#[test]
fn a_drag_ends_if_its_piece_is_captured() {
    let Some(browser) = Browser::start() else { return };
    browser.prepare(HOLD_EVENTS);
    let server = Server::start();
    browser.open(&server.address);
    // After Ra7+, the king must capture the rook. It takes as long as a human would.
    browser.wait("document.querySelectorAll('#curve option').length");
    browser.run_script("document.getElementById('paced').checked = true");
    new_game(&browser, 1, "k7/1RK5/8/8/8/8/7P/8 w - - 0 1");
    browser.run_script("window.held = true");
    play(&browser, "b7", "a7");
    browser.wait("document.querySelector('#squares .waiting[data-square=a7]')");
    browser.start_drag(&square("a7"), &square("a5"));
    browser.run_script("window.release()");
    wait_for_plies(&browser, 2);
    browser.move_mouse(&square("a4"));
    let dragged = browser.run_script("return document.querySelectorAll('#board .dragged').length");
    assert_eq!(dragged, 0, "the user drags the king");
    browser.end_drag();
    assert_eq!(browser.console_errors(), json!([]));
}
