//! Failures of engines, of the server and of the browser's storage, as the player sees them.

use serde_json::json;

use super::browser::Browser;
use super::client::Server;
#[cfg(unix)]
use super::client::{moves, weak};
#[cfg(unix)]
use super::common::{Folder, script};
use super::page::{at_the_board, square, wait_for_plies};

#[cfg(unix)]
#[test]
fn the_clock_stops_if_an_engine_exits_and_a_takeback_starts_it_again() {
    let folder = Folder::new();
    let log = folder.path().join("searches");
    // The engine exits when it is asked for a move.
    let text = format!(
        "#!/bin/sh\nwhile read -r word rest; do\ncase \"$word\" in\n\
         uci) echo 'id name Brief'; echo 'option name MultiPV type spin default 1 min 1 max 500'; echo uciok ;;\n\
         isready) echo readyok ;;\ngo) echo go >> '{}'; exit 1 ;;\nquit) exit ;;\nesac\ndone\n",
        log.display()
    );
    let server = Server::start_with(&["--engine", &script(&folder, "brief.sh", &text)]);
    let game = server.game(&json!({
        "opponent": weak(), "engine": true, "clock": {"minutes": 1, "increment": 0}, "moves": ["e2e4", "e7e5"],
    }));
    let searches = || std::fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    let mut asked = 0;
    for _ in 0..2 {
        let played = server.act(&game, &json!({"act": "move", "text": "Nf3"}));
        assert_eq!(played["error"], json!(null), "{played}");
        let failed = server.game_until(&game, |game| game["problem"] != json!(null));
        assert_eq!((&failed["running"], moves(&failed).len()), (&json!(false), 3), "{failed}");
        assert!(searches() > asked, "the engine was not asked again");
        asked = searches();
        for action in ["hint", "draw"] {
            let refused = server.act(&game, &json!({"act": action}));
            assert!(refused["error"].as_str().is_some_and(|text| text.contains("cannot continue")));
            assert_eq!(refused[format!("{action}_asked")], json!(false));
        }
        let back = server.act(&game, &json!({"act": "undo"}));
        assert_eq!((&back["problem"], moves(&back).len()), (&json!(null), 2), "{back}");
    }
}

#[test]
fn a_browser_without_storage_plays() {
    let Some(browser) = Browser::start() else { return };
    browser.prepare(
        "for (const name of ['sessionStorage', 'localStorage']) {
           Object.defineProperty(window, name, { get() { throw new DOMException('forbidden', 'SecurityError'); } });
         }",
    );
    let server = Server::start();
    browser.open(&server.address);
    browser.wait("document.querySelectorAll('#squares .own').length");
    browser.click("#sound");
    browser.click(&square("e2"));
    browser.click(&square("e4"));
    wait_for_plies(&browser, 2);
    browser.click("#newgame");
    browser.click("#setup button.main");
    wait_for_plies(&browser, 0);
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_saved_game_that_the_server_refuses_is_replaced_with_an_explanation() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#squares .own').length");
    // A setup from another version of the program. The page saves its own whenever the game changes, so this one is saved
    // last.
    browser.run_script(
        "const setup = { opponent: { kind: 'level', elo: 1400 }, obsolete: 1 };
         const game = JSON.stringify({ session: 'unknown', setup });
         addEventListener('pagehide', () => sessionStorage.setItem('game', game));
         location.reload()",
    );
    browser.wait(
        "document.getElementById('announcement')?.textContent.startsWith('Your game could not be restored: ')",
    );
    browser.wait("document.querySelectorAll('#squares .own').length");
}

#[test]
fn a_server_that_refuses_to_start_a_game_is_reported() {
    let Some(browser) = Browser::start() else { return };
    browser.prepare(
        "window.fetch = async () => new Response('the server is busy; try again', { status: 503 })",
    );
    let server = Server::start();
    browser.open(&server.address);
    browser.wait("document.getElementById('announcement').textContent.includes('is busy')");
    assert_eq!(browser.text("#announcement"), "The server is busy; try again.");
}

/// Sets a variable of the page that makes requests fail, and plays e4. The page shows the notice, and the pawn goes back.
fn assert_refused_move(browser: &Browser, failure: &str, notice: &str) {
    browser.wait("document.querySelectorAll('#squares .own').length");
    browser.run_script(&format!("window.{failure} = true"));
    browser.click(&square("e2"));
    browser.click(&square("e4"));
    browser.wait("document.getElementById('server-gone').checkVisibility()");
    assert!(browser.text("#server-gone").contains(notice));
    let label = "document.querySelector('#squares [data-square=e2]').getAttribute('aria-label')";
    browser.wait(&format!("{label} === 'e2, white pawn'"));
}

#[test]
fn a_move_after_a_restart_of_the_server_is_taken_back_and_explained() {
    let Some(browser) = Browser::start() else { return };
    browser.prepare(
        "const original = window.fetch;
         window.fetch = (...request) => window.isRestarted ? Promise.resolve(new Response('the address lacks the secret',
           { status: 403 })) : original(...request);",
    );
    let server = Server::start();
    browser.open(&server.address);
    assert_refused_move(&browser, "isRestarted", "has a new address");
}

#[test]
fn a_server_that_does_not_answer_is_reported_until_it_answers_again() {
    let Some(browser) = Browser::start() else { return };
    // While the server hangs, a request ends only when the page gives up, which it does early.
    browser.prepare(
        "const [original, timeout] = [window.fetch, AbortSignal.timeout.bind(AbortSignal)];
         AbortSignal.timeout = (ms) => timeout(window.hangs ? 50 : ms);
         window.fetch = (where, options) => window.hangs ? new Promise((answer, fail) => {
           options?.signal?.addEventListener('abort', () => fail(options.signal.reason));
         }) : original(where, options);",
    );
    let server = Server::start();
    browser.open(&server.address);
    assert_refused_move(&browser, "hangs", "is not responding");
    browser.run_script("window.hangs = false");
    browser.wait("!document.getElementById('server-gone').checkVisibility()");
    browser.click(&square("e2"));
    browser.click(&square("e4"));
    wait_for_plies(&browser, 2);
}

#[test]
fn an_error_that_is_repeated_is_announced_again() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#squares .own').length");
    browser.write("#word", "Nf9\u{e007}");
    let error = "document.getElementById('announcement').textContent.includes('Nf9')";
    browser.wait(error);
    browser.run_script(
        "window.changes = 0;
         new MutationObserver(() => { window.changes += 1; }).observe(document.getElementById('announcement'),
           { childList: true, subtree: true, characterData: true })",
    );
    browser.write("#word", "\u{e007}");
    browser.wait(&format!("window.changes && {error}"));
}

#[test]
fn a_game_that_is_too_long_is_refused_in_a_sentence() {
    let Some((browser, _server)) = at_the_board() else { return };
    browser.wait("document.querySelectorAll('#depth option').length");
    browser.run_script("document.getElementById('start').value = '1. e4 e5 '.repeat(200000)");
    browser.click("#newgame");
    browser.click("#setup button.main");
    browser.wait("document.getElementById('refused').textContent");
    assert_eq!(browser.text("#refused"), "The request is larger than 1 MiB.");
}
