//! The page in a browser, used as a player would use it.

use serde_json::{Value as Json, json};
use stopdown::board::Game;
use stopdown::player::Engine;
use stopdown::search::{Controls, Limits, NoObserver};

use super::browser::Browser;
use super::client::Server;
use super::common::Folder;

/// WebDriver's key codes.
pub const ESCAPE: char = '\u{e00c}';
pub const ENTER: char = '\u{e007}';
pub const LEFT: char = '\u{e012}';
const UP: char = '\u{e013}';
pub const RIGHT: char = '\u{e014}';
const DOWN: char = '\u{e015}';

/// A browser that shows the board of its own server, or `None` if there is no browser.
pub fn at_the_board() -> Option<(Browser, Server)> {
    let browser = Browser::start()?;
    let server = Server::start();
    browser.open(&server.address);
    Some((browser, server))
}

pub fn square(name: &str) -> String {
    format!("#squares [data-square={name}]")
}

/// Starts a game against a player with depth 1 and competence c. The game may start from a given
/// position.
pub fn new_game(browser: &Browser, c: i32, start: &str) {
    new_game_at_depth(browser, c, 1, start);
}

/// Starts a game against an opponent that searches `plies` plies.
pub fn new_game_at_depth(browser: &Browser, c: i32, plies: u32, start: &str) {
    browser.wait("document.querySelectorAll('#curve option').length && document.querySelectorAll('#squares .own').length");
    let set = |id: &str, value: &str| {
        browser.run_script(&format!(
            "const field = document.getElementById('{id}'); field.value = {}; \
             field.dispatchEvent(new Event('input', {{ bubbles: true }}))",
            json!(value)
        ));
    };
    set("kind", "competence");
    set("c", &c.to_string());
    set("curve", "levelled");
    set("plies", &plies.to_string());
    set("start", start);
    browser.click("#newgame");
    browser.click("#setup button.main");
    let opponent = "JSON.parse(sessionStorage.getItem('game')).setup.opponent";
    let is_closed = "!document.getElementById('new').open";
    browser
        .wait(&format!("{is_closed} && {opponent}.kind === 'competence' && {opponent}.c === {c}"));
}

pub fn game(browser: &Browser) -> Json {
    browser.run_script("return JSON.parse(sessionStorage.getItem('game')).setup")
}

pub fn moves(browser: &Browser) -> Vec<String> {
    let game = game(browser);
    let moves = game["moves"].as_array().expect("moves").iter();
    moves.map(|text| text.as_str().expect("a move").to_owned()).collect()
}

pub fn wait_for_plies(browser: &Browser, plies: usize) {
    browser.wait(&format!("document.querySelectorAll('#moves li').length === {plies}"));
}

#[test]
fn a_whole_game_is_won_by_clicks_and_then_reviewed() {
    let Some((browser, _server)) = at_the_board() else { return };
    // A negative c prefers bad moves.
    new_game(&browser, -5, "");
    let mut adviser = Engine::built_in(1);
    let is_over = "document.getElementById('learn').checkVisibility()";
    loop {
        browser.wait(&format!("{is_over} || document.querySelectorAll('#squares .own').length"));
        if browser.run_script(&format!("return {is_over}")) == json!(true) {
            break;
        }
        let played = moves(&browser);
        let so_far = Game::from_uci(None, played.iter().map(String::as_str), false).expect("legal");
        let best = adviser.best_move(&so_far, &Limits::depth(4), &Controls::new(), &mut NoObserver);
        let best = best.mv.expect("there is a move");
        browser.click(&square(&best.from().to_string()));
        browser.click(&square(&so_far.position().uci(best)[2..4]));
        if best.promoted().is_some() {
            browser.click("#promotion button[aria-label=queen]");
        }
        browser.wait(&format!(
            "{is_over} || document.querySelectorAll('#moves li').length > {}",
            played.len()
        ));
    }
    let output = browser.text("#announcement");
    assert!(output.contains("you win, 1-0"), "{output}");
    browser.click("#learn");
    browser.wait("document.getElementById('report').checkVisibility()");
    browser.click("#report");
    browser.wait("document.querySelector('#viewer #moves li')");
    // The opponent's moves do not become lessons.
    let students = browser.run_script(
        "return JSON.parse(document.getElementById('lessons').textContent).map((list) => list.player)",
    );
    assert!(students == json!([]) || students == json!(["Human"]), "{students}");
    browser.click("p > a");
    browser.wait("document.querySelectorAll('#squares button').length === 64");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn takebacks_work_and_a_reload_restores_the_game() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.drag(&square("e2"), &square("e4"));
    wait_for_plies(&browser, 2);
    // A typing error is reported, and the message remains.
    browser.write("#word", "Ke5\u{e007}");
    browser.wait(
        "document.getElementById('announcement').textContent.startsWith('\"Ke5\" is not legal')",
    );
    browser.run_script("document.getElementById('word').value = ''");
    browser.write("#word", "Nf3\u{e007}");
    wait_for_plies(&browser, 4);
    let before = moves(&browser);
    assert_eq!((before[0].as_str(), before[2].as_str()), ("e2e4", "g1f3"));
    browser.reload();
    wait_for_plies(&browser, 4);
    assert_eq!(moves(&browser), before);
    browser.click("#undo");
    wait_for_plies(&browser, 2);
    assert_eq!(moves(&browser), before[..2]);
    browser.click(&square("d2"));
    let targets = browser.run_script("return document.querySelectorAll('#squares .target').length");
    assert!(targets.as_u64() > Some(0), "no legal moves are shown");
    browser.click("#resign");
    assert_eq!(browser.text("#resign"), "Really resign?");
    browser.click("#resign");
    browser.wait("document.getElementById('announcement').textContent.includes('You resigned')");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn the_keyboard_alone_moves_and_promotes() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "7k/P7/8/8/8/8/8/K7 w - - 0 1");
    browser.run_script("document.querySelector('#squares [tabindex=\"0\"]').focus()");
    // The focus moves from e2 to a7 and then up.
    browser.press(&[LEFT, LEFT, LEFT, LEFT, UP, UP, UP, UP, UP, ENTER, UP, ENTER]);
    browser.wait("document.getElementById('promotion').checkVisibility()");
    browser.press(&[RIGHT, ENTER]);
    wait_for_plies(&browser, 2);
    assert_eq!(moves(&browser)[0], "a7a8r");
    let board = browser.run_script(
        "return document.querySelector('#squares [data-square=a8]').getAttribute('aria-label')",
    );
    assert_eq!(board, "a8, white rook");
    browser.run_script("document.querySelector('#squares [tabindex=\"0\"]').focus()");
    browser.press(&[DOWN]);
    let focus = browser.run_script("return document.activeElement.dataset.square");
    assert!(focus.is_string(), "{focus}");
}

#[test]
fn two_tabs_have_separate_games() {
    let Some((browser, server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    browser.click(&square("e2"));
    browser.click(&square("e4"));
    wait_for_plies(&browser, 2);
    let first = browser.open_tab();
    browser.open(&server.address);
    new_game(&browser, 2, "");
    wait_for_plies(&browser, 0);
    browser.click(&square("d2"));
    browser.click(&square("d4"));
    wait_for_plies(&browser, 2);
    assert_eq!(moves(&browser)[0], "d2d4");
    browser.go_to_tab(&first);
    assert_eq!((moves(&browser).len(), moves(&browser)[0].as_str()), (2, "e2e4"));
    browser.click("#undo");
    wait_for_plies(&browser, 0);
}

#[test]
fn the_board_works_before_any_game_and_for_two_people() {
    let Some((browser, _server)) = at_the_board() else { return };
    let pieces = browser.run_script("return document.querySelectorAll('#board g').length");
    assert_eq!(pieces, 32);
    browser.wait("document.querySelectorAll('#squares .own').length");
    browser.run_script(
        "const kind = document.getElementById('kind'); kind.value = 'person';
         kind.dispatchEvent(new Event('input', { bubbles: true }))",
    );
    browser.click("#newgame");
    browser.click("#setup button.main");
    browser.wait("document.getElementById('announcement').textContent === 'White to move.'");
    for (from, to) in [("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")] {
        browser.click(&square(from));
        browser.click(&square(to));
        browser.wait(&format!(
            "document.querySelector('#squares [data-square={to}]').getAttribute('aria-label').includes(', ')"
        ));
    }
    browser.wait(
        "document.getElementById('announcement').textContent.includes('Checkmate: Black wins')",
    );
    browser
        .wait("document.getElementById('belief').textContent.includes('Black: not enough moves')");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_pgn_file_is_analysed_on_the_page() {
    let Some((browser, _server)) = at_the_board() else { return };
    let folder = Folder::new();
    let path =
        folder.write("games.pgn", "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n");
    browser.wait("document.querySelectorAll('#depth option').length");
    browser.write("#file", &path);
    browser.wait("document.getElementById('report').checkVisibility()");
    assert!(browser.text("#progressed").starts_with("1 game analysed."));
    browser.click("#report");
    browser.wait("document.getElementById('top')?.textContent.includes('Bob')");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_player_in_a_pgn_file_becomes_an_opponent_on_the_page() {
    let Some((browser, _server)) = at_the_board() else { return };
    let moves = "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O Re1 a6 Bb3 Ba7 h3 h6 Nbd2 Re8 Nf1 Be6 \
        Bxe6 Rxe6 Ng3 d5 exd5 Qxd5 d4 exd4 Rxe6 fxe6 Nxd4 Nxd4 cxd4 Bxd4";
    let game = |round: usize| {
        format!(
            "[Site \"https://lichess.org/game{round}\"]\n[TimeControl \"300+3\"]\n[White \"Ann Lee\"]\n\
             [Black \"Bob\"]\n\n{moves} *\n\n"
        )
    };
    let folder = Folder::new();
    let path = folder.write("games.pgn", &(1..=3).map(game).collect::<String>());
    browser.wait("document.querySelectorAll('#depth option').length");
    browser.write("#opponentfile", &path);
    browser.wait("document.getElementById('against').checkVisibility()");
    assert_eq!(browser.text("#against"), "Play against Ann Lee");
    let scale = browser.run_script("return document.getElementById('opponentscale').value");
    assert_eq!(scale, json!("Lichess-Blitz"));
    browser.click("#against");
    let opponent = "JSON.parse(sessionStorage.getItem('game')).setup.opponent";
    browser.wait(&format!("{opponent}.kind === 'profile' && {opponent}.name === 'ann-lee'"));
    browser.wait("document.getElementById('top').textContent.includes('ann-lee')");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn the_page_fits_every_width_is_accessible_and_loads_nothing_external() {
    let Some((browser, _server)) = at_the_board() else { return };
    new_game(&browser, 1, "");
    let sizes = [
        (360, 900),
        (700, 900),
        (1000, 900),
        (1024, 768),
        (1248, 900),
        (1280, 900),
        (1400, 900),
        (1366, 768),
    ];
    for (width, height) in sizes {
        browser.resize(width, height);
        let fits = browser.run_script("return document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(fits, json!(true), "at {width} x {height}");
        // A part that does not fit its column is cut off even if the page does not scroll.
        let cut_off = "return [...document.querySelectorAll('main section, main section > div')]
            .filter((part) => part.scrollWidth > part.clientWidth || part.getBoundingClientRect().right > innerWidth)
            .map((part) => part.id)";
        assert_eq!(browser.run_script(cut_off), json!([]), "at {width} x {height}");
    }
    let nameless = browser.run_script(
        "return [...document.querySelectorAll('button, input, select, textarea, progress, a')].filter((field) =>
           !(field.labels?.length || field.getAttribute('aria-label') || field.textContent.trim())).map((field) => field.outerHTML)",
    );
    assert_eq!(nameless, json!([]));
    let images = "return document.querySelectorAll('[role=img]:not([aria-label]), [role=img][aria-label=\"\"]').length";
    assert_eq!(browser.run_script(images), 0);
    let others = browser.run_script(
        "return performance.getEntriesByType('resource').map((entry) => entry.name).filter((name) => !name.startsWith(location.origin))",
    );
    assert_eq!(others, json!([]));
    assert_eq!(browser.console_errors(), json!([]));
}
