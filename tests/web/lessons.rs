//! Learning from a game on the page: exercises from mistakes, and the moves that other players
//! would play.

use serde_json::{Value as Json, json};

use super::browser::Browser;
use super::client::{Server, name, weak};
use super::common::Folder;

/// 4... Qg4 overlooks mate, as many weak players do.
const GAME: &str = "[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"2500\"]\n[BlackElo \"900\"]\n\n\
    1. e4 e5 2. a3 Bc5 3. Nc3 Qh4 4. Nf3 Qg4 5. h3 *\n";

/// The best move of the first exercise, in UCI notation and in SAN.
fn best(browser: &Browser) -> [String; 2] {
    let best = browser.run_script(
        "const { lessons } = JSON.parse(document.getElementById('lessons').textContent)[0];
         return lessons[0].moves[lessons[0].best]",
    );
    [0, 1].map(|place| best[place].as_str().expect("a move").to_owned())
}

/// Clicks a square on a board that is shown from Black's side.
fn click_from_black(browser: &Browser, square: &str) {
    browser.run_script(&format!(
        "const frame = document.getElementById('board').getBoundingClientRect();
         const [file, rank] = ['hgfedcba'.indexOf('{}'), {} - 1];
         const at = (place) => (frame.width * (place + 0.5)) / 8;
         document.getElementById('board').dispatchEvent(new MouseEvent('click',
           {{ bubbles: true, clientX: frame.left + at(file), clientY: frame.top + at(rank) }}))",
        &square[..1],
        &square[1..2]
    ));
}

#[test]
fn a_report_opens_at_the_first_mistake_and_checks_answers() {
    let Some(browser) = Browser::start() else { return };
    let (server, folder) = (Server::start(), Folder::new());
    browser.open(&server.address);
    let path = folder.write("games.pgn", GAME);
    browser.wait("document.querySelectorAll('#depth option').length");
    browser.write("#file", &path);
    browser.wait("document.getElementById('report').checkVisibility()");
    browser.click("#report");
    browser.wait("document.getElementById('exercise')?.checkVisibility()");
    assert_eq!(browser.text("#task"), "Black played 4... Qg4. Find a better move.");
    assert!(
        browser.text("#moves li.now").starts_with("4.Nf3"),
        "the board does not show the move before the mistake"
    );
    assert!(browser.text("#bottom").starts_with("Black"), "the mover is not at the bottom");
    let [uci, san] = best(&browser);
    // The move played in the game is not the answer, and a typing error is explained.
    browser.write("#answer", "Qg4\u{e007}");
    browser.wait("document.getElementById('verdict').textContent.startsWith('Qg4 was played')");
    browser.run_script("document.getElementById('answer').value = ''");
    browser.write("#answer", "Ke4\u{e007}");
    browser.wait("document.getElementById('verdict').textContent.startsWith('Ke4 is not a legal')");
    assert_eq!(browser.text("#explained"), "", "the answer is visible");
    // The case and more of the first square than necessary do not matter.
    for typed in ["qg4", "Qh4g4", "QHG4"] {
        browser.run_script(&format!(
            "document.getElementById('verdict').textContent = '';
             document.getElementById('answer').value = '{typed}'"
        ));
        browser.click("#try");
        browser.wait("document.getElementById('verdict').textContent.startsWith('Qg4 was played')");
    }
    click_from_black(&browser, &uci[..2]);
    click_from_black(&browser, &uci[2..4]);
    assert_eq!(browser.text("#verdict"), format!("{san} is the best move."));
    assert_eq!(browser.run_script("return document.querySelectorAll('#board .arrow').length"), 2);
    let explained = browser.text("#explained");
    let start = "4... Qg4 lowered Black's winning chances from ";
    assert!(explained.starts_with(start) && explained.contains("rated 1200"), "{explained}");
    assert!(browser.text("#lessonchart").contains(&format!("{san} ★ best")));
    // The list leads back to the exercise.
    browser.click("#last");
    browser.wait("document.getElementById('backtoexercise').checkVisibility()");
    browser.click("#lessonlist button");
    browser.wait("!document.getElementById('backtoexercise').checkVisibility()");
    for width in [360, 700, 1000, 1400] {
        browser.resize(width, 900);
        let wide = browser.run_script("return document.documentElement.scrollWidth <= innerWidth");
        assert_eq!(wide, json!(true), "at {width}");
    }
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn an_exercise_opens_in_view_and_takes_drags() {
    let Some(browser) = Browser::start() else { return };
    let (server, folder) = (Server::start(), Folder::new());
    browser.resize(360, 740);
    browser.open(&server.address);
    let path = folder.write("games.pgn", &GAME.replace("\"Bob\"", "\"Bob (900)\""));
    browser.wait("document.querySelectorAll('#depth option').length");
    browser.write("#file", &path);
    browser.wait("document.getElementById('report').checkVisibility()");
    browser.click("#report");
    browser.wait("document.getElementById('exercise')?.checkVisibility()");
    assert_eq!(browser.text("#bottom"), "Black · Bob (900)", "the rating is repeated");
    let in_view =
        "['board', 'task'].map((id) => document.getElementById(id).getBoundingClientRect())
        .every(({ top, bottom }) => top >= 0 && bottom <= innerHeight)";
    browser.wait(in_view);
    let [uci, san] = best(&browser);
    // The squares have no elements of their own, so the test adds some to drag between.
    browser.run_script(&format!(
        "const frame = document.getElementById('board').getBoundingClientRect();
         for (const square of ['{}', '{}']) {{
           const [file, rank] = ['hgfedcba'.indexOf(square[0]), square[1] - 1];
           const mark = document.createElement('div');
           mark.id = square;
           mark.style.cssText = `position: absolute; width: 2px; height: 2px; pointer-events: none;
             left: ${{scrollX + frame.left + (frame.width * (file + 0.5)) / 8}}px;
             top: ${{scrollY + frame.top + (frame.width * (rank + 0.5)) / 8}}px`;
           document.body.append(mark);
         }}",
        &uci[..2],
        &uci[2..4]
    ));
    browser.drag(&format!("#{}", &uci[..2]), &format!("#{}", &uci[2..4]));
    browser.wait("document.getElementById('verdict').textContent");
    assert_eq!(browser.text("#verdict"), format!("{san} is the best move."));
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn likely_moves_are_shown_on_request_and_follow_the_board() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    browser.open(&server.address);
    browser.wait("document.querySelectorAll('#squares .own').length");
    let shown = |text: &str| format!("document.getElementById('likelychart').textContent{text}");
    assert_eq!(
        browser.run_script(&format!("return {}", shown(""))),
        "",
        "the chart is visible during a game"
    );
    browser.click("#likely summary");
    browser.wait(&shown(".includes('★ best')"));
    assert!(browser.text("#likelychart .found").contains(" players "));
    browser.wait("!document.getElementById('likelychart').hasAttribute('aria-busy')");
    let first = browser.text("#likelychart tbody");
    browser.run_script(
        "const slider = document.querySelector('#likelychart input'); slider.value = 2600;
         slider.dispatchEvent(new Event('input', { bubbles: true }))",
    );
    assert_eq!(browser.text("#likelychart output"), "2600");
    assert_ne!(
        browser.text("#likelychart tbody"),
        first,
        "the shares did not change with the rating"
    );
    // The most frequent move at this rating comes first.
    let shares = browser.run_script(
        "return [...document.querySelectorAll('#likelychart tbody td:last-child')].map((cell) => parseFloat(cell.textContent) || 0)",
    );
    let shares: Vec<_> = shares.as_array().expect("shares").iter().map(Json::as_f64).collect();
    assert!(shares.is_sorted_by(|one, next| one >= next), "{shares:?}");
    // A move changes the position, but the rating stays the same.
    browser.write("#word", "e4\u{e007}");
    browser.wait("document.querySelectorAll('#moves li').length === 2");
    browser.wait("!document.getElementById('likelychart').hasAttribute('aria-busy')");
    browser.wait(&shown(".includes('2600')"));
    // An earlier position shows the move that was played there.
    browser.click("#moves li");
    browser.wait("document.querySelectorAll('#moves li.now').length");
    browser.wait(&shown(".length > 0"));
    // The chart opens when the game is over, and closes for a new one.
    browser.click("#likely summary");
    browser.click("#resign");
    browser.click("#resign");
    browser.wait("document.getElementById('likely').open");
    browser.click("#newgame");
    browser.click("#setup button.main");
    browser.wait("!document.getElementById('likely').open");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_chart_replaces_the_observer_of_the_previous_one() {
    let Some(browser) = Browser::start() else { return };
    browser.prepare(
        "window.observing = 0;
         const Original = window.ResizeObserver;
         window.ResizeObserver = class extends Original {
           observe(box) { super.observe(box); window.observing += 1; }
           disconnect() { super.disconnect(); window.observing -= 1; }
         };",
    );
    let server = Server::start();
    browser.open(&server.address);
    browser.wait("document.querySelectorAll('#squares .own').length");
    browser.run_script(
        "const data = { ratings: [600, 2800], scale: 'FIDE', mistakes: [50, 10],
           moves: [{ uci: 'e2e4', san: 'e4', score: '+0.3', best: true, shares: [40, 60] }] };
         const box = document.getElementById('likelychart');
         for (let shown = 0; shown < 3; shown++) MovesByRating.show(box, data, { rating: 1500 })",
    );
    assert_eq!(browser.run_script("return window.observing"), 1);
}

#[test]
fn a_chart_is_sent_early_and_then_at_full_depth() {
    let server = Server::start();
    let setup = json!({"opponent": weak(), "black": true, "start": "1. e4 e5 2. Qh5 *"});
    let game = server.game(&setup);
    let likely =
        |ply: usize, scale: &str| format!("likely?session={}&ply={ply}&scale={scale}", name(&game));
    let early = server.until(&likely(3, "FIDE"), |_| true);
    assert_eq!((&early["last"], &early["chart"]["depth"]), (&json!(false), &json!(6)));
    let full = server.until(&likely(3, "Lichess-Rapid"), |event| event["last"] == true);
    let chart = &full["chart"];
    assert_eq!((&chart["depth"], &chart["scale"]), (&json!(12), &json!("Lichess-Rapid")));
    let fen = chart["fen"].as_str().expect("a position");
    assert!(fen.starts_with("rnbqkbnr/pppp1ppp/8/4p2Q/"), "{fen}");
    let moves = chart["moves"].as_array().expect("moves");
    assert_eq!(moves[0]["san"], "Nc6");
    assert_eq!(moves.iter().filter(|m| m["best"] == true).count(), 1);
    assert_eq!(
        server.get(&likely(4, "FIDE")).status,
        404,
        "the chart of a later position was served"
    );
    assert_eq!(server.get(&likely(3, "Elo")).status, 400);
}
