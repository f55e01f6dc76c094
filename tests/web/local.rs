//! The page without a server: its handlers on a single thread, and the folder that `.ci/page` builds.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};
use stopdown::board::Game;
use stopdown::evaluation::MoveEvaluation;
use stopdown::player::Engine;
use stopdown::search::{Controls, EvaluationRequest, NoObserver};
use stopdown::web::LocalPage;

use super::browser::Browser;
use super::common::needs::page_folder;
use super::page::{game, moves, wait_for_plies};

/// A page, and the answers that it has sent.
#[derive(Default)]
struct Page {
    page: LocalPage,
    answers: Vec<(u64, Json)>,
}

impl Page {
    fn receive(&mut self, id: u64, path: &str, body: Option<&str>) {
        let message = json!({"id": id, "path": path, "post": body.is_some()}).to_string();
        let answers = &mut self.answers;
        let body = body.unwrap_or_default().as_bytes().to_vec();
        self.page.receive(&message, body, &mut |answer| answers.push(parsed(answer)));
    }

    /// Sends a request, and returns its answer.
    fn ask(&mut self, path: &str, body: Option<&str>) -> Json {
        self.receive(0, path, body);
        let (_, answer) = self.answers.iter().rfind(|(id, _)| *id == 0).expect("an answer");
        answer.clone()
    }

    /// Runs all pending tasks. Returns the answers that a request received meanwhile.
    fn work(&mut self, id: u64) -> Vec<Json> {
        let seen = self.answers.len();
        let answers = &mut self.answers;
        while self.page.step(&mut |answer| answers.push(parsed(answer))) {}
        let new = self.answers[seen..].iter().filter(|(other, _)| *other == id);
        new.map(|(_, answer)| answer.clone()).collect()
    }
}

/// The number of the request, and its answer. A refusal is a string.
fn parsed(answer: &str) -> (u64, Json) {
    let message: Json = serde_json::from_str(answer).expect("JSON");
    let text = message["text"].as_str().expect("a text");
    let content = match message["refused"] == json!(true) {
        true => json!(text),
        false => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
    };
    (message["id"].as_u64().expect("a number"), content)
}

/// A setup against a player that searches one ply.
fn setup() -> String {
    let opponent = json!({"kind": "competence", "c": 1, "curve": "levelled", "depth": 1});
    json!({"opponent": opponent, "seed": 1}).to_string()
}

#[test]
fn a_game_is_played_on_a_single_thread() {
    let mut page = Page::default();
    let session = page.ask("game", Some(&setup()))["session"].as_str().expect("a name").to_owned();
    page.receive(1, &format!("events?session={session}"), None);
    let act = |page: &mut Page, action: Json| {
        page.ask(&format!("act?session={session}"), Some(&action.to_string()))
    };
    let after_move = act(&mut page, json!({"act": "move", "text": "e4"}));
    assert_eq!(after_move["moves"].as_array().map(Vec::len), Some(1));
    let last = page.work(1).pop().expect("the state changes");
    assert_eq!(last["moves"].as_array().map(Vec::len), Some(2));
    // One estimate before the first move and one after it.
    assert_eq!(last["ratings"][0]["moves"], json!(1));
    act(&mut page, json!({"act": "hint"}));
    assert!(page.work(1).pop().is_some_and(|state| state["hint"].is_array()));
    assert_eq!(act(&mut page, json!({"act": "undo"}))["moves"], json!([]));
    let pgn = page.ask(&format!("pgn?session={session}"), None);
    assert!(pgn.as_str().is_some_and(|pgn| pgn.starts_with("[Event ")), "{pgn}");
    // A closed stream sends nothing.
    page.page.close(1);
    act(&mut page, json!({"act": "move", "text": "d4"}));
    assert_eq!(page.work(1), Vec::<Json>::new());
    let refused = page.ask("pgn?session=unknown", None);
    assert!(refused.as_str().is_some_and(|text| text.contains("no longer open")), "{refused}");
}

#[test]
fn a_flag_falls_and_a_thinking_time_passes_without_threads() {
    let mut page = Page::default();
    let mut wanted: Json = serde_json::from_str(&setup()).expect("JSON");
    wanted["clock"] = json!({"minutes": 1, "increment": 0});
    wanted["moves"] = json!(["e2e4", "e7e5"]);
    wanted["left"] = json!([0, 60_000]);
    let state = page.ask("game", Some(&wanted.to_string()));
    page.receive(
        1,
        &format!("events?session={}", state["session"].as_str().expect("a name")),
        None,
    );
    let ended = |page: &mut Page| page.work(1).iter().any(|state| state["result"] == json!("0-1"));
    while !ended(&mut page) {}
    wanted["clock"] = Json::Null;
    wanted["left"] = Json::Null;
    wanted["black"] = json!(true);
    wanted["moves"] = json!([]);
    wanted["paced"] = json!(true);
    let state = page.ask("game", Some(&wanted.to_string()));
    page.receive(
        2,
        &format!("events?session={}", state["session"].as_str().expect("a name")),
        None,
    );
    let has_moved = |state: &Json| state["moves"].as_array().is_some_and(|moves| !moves.is_empty());
    // The first step only plans the move.
    while !page.work(2).iter().any(has_moved) {}
}

#[test]
fn games_are_analysed_on_a_single_thread() {
    let mut page = Page::default();
    let pgn = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n";
    let started = page.ask("games?depth=8&student=white&rating=1500", Some(pgn));
    let name = started["analysis"].as_str().expect("a name").to_owned();
    page.receive(1, &format!("progress?analysis={name}"), None);
    let reports = page.work(1);
    let last = reports.last().expect("a report");
    assert_eq!((&last["over"], &last["error"]), (&json!(true), &Json::Null), "{reports:?}");
    assert!(reports.len() > 2, "progress is reported: {reports:?}");
    let report = page.ask(&format!("analysis?analysis={name}"), None);
    assert!(report.as_str().is_some_and(|page| page.contains("Ann")), "{report}");
}

/// Serves the files of a folder until the process ends. Returns the address.
fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = format!("http://{}/", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = folder.clone();
            // A browser may disconnect early.
            std::thread::spawn(move || drop(answer(stream, &folder)));
        }
    });
    address
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines().map_while(Result::ok);
    let line = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let name = line.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        _ => "application/octet-stream",
    };
    let (status, content) = match fs::read(folder.join(name)) {
        Ok(content) => ("200 OK", content),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let length = content.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&content)
}

/// Plays the move whose value is closest to equality. Moves in decided positions do not count towards a rating.
fn play_evenly(browser: &Browser, engine: &mut Engine) {
    browser.wait("document.querySelectorAll('#squares .own').length");
    let played = moves(browser);
    let game =
        Game::from_uci(None, played.iter().map(String::as_str), false).expect("a legal game");
    let request = EvaluationRequest::depth(6);
    let evaluation = engine.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
    let evenness = |found: &&MoveEvaluation| found.value().raw().abs();
    let even = evaluation.moves.iter().min_by_key(evenness).expect("the game goes on");
    let text = game.position().uci(even.mv).to_string();
    browser.run_script(&format!("Play.sendAction({{ act: 'move', text: '{text}' }})"));
    wait_for_plies(browser, played.len() + 2);
}

#[test]
fn the_folder_plays_a_level_and_survives_a_reload() {
    let Some(folder) = page_folder() else { return };
    let Some(browser) = Browser::start() else { return };
    browser.open(&serve(folder));
    browser.wait("document.querySelectorAll('#squares .own').length");
    assert_eq!(
        browser.run_script("return document.getElementById('prepare').checkVisibility()"),
        false
    );
    let set = "const field = document.getElementById('elo'); field.value = 1200; \
               field.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run_script(set);
    browser.click("#newgame");
    browser.click("#setup button.main");
    browser.wait("Play.state().setup.opponent.elo === 1200");
    let mut engine = Engine::built_in(1);
    for _ in 0..5 {
        play_evenly(&browser, &mut engine);
    }
    browser.click("#undo");
    wait_for_plies(&browser, 8);
    let before = moves(&browser);
    browser.reload();
    wait_for_plies(&browser, 8);
    assert_eq!((moves(&browser), &game(&browser)["opponent"]["elo"]), (before, &json!(1200)));
    assert_eq!(browser.run_script("return document.getElementById('elo').value"), "1200");
    browser.wait("document.querySelectorAll('#squares .own').length");
    // The chart shows ratings after ten moves that count, opening moves included.
    while browser.run_script("return Play.state().ratings[0]?.points.length ?? 0") == json!(0) {
        assert!(moves(&browser).len() < 60, "no rating after {:?}", moves(&browser));
        play_evenly(&browser, &mut engine);
    }
    browser.wait("document.querySelector('#beliefs svg path[opacity]')");
    browser.run_script("document.getElementById('likely').open = true");
    browser.wait("document.querySelector('#likelychart input')");
    assert_eq!(browser.console_errors(), json!([]));
}

#[test]
fn a_page_opened_from_a_file_asks_for_a_web_server() {
    let Some(folder) = page_folder() else { return };
    let Some(browser) = Browser::start() else { return };
    browser.open(&format!("file://{}/index.html", folder.display()));
    browser.wait("document.getElementById('server-gone').checkVisibility()");
    assert!(browser.text("#server-gone").contains("http.server"));
}
