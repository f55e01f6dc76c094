//! The server without a browser. It serves its own page and refuses all other clients.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Server, moves, name, weak};
use super::common::{Folder, program, run};
#[cfg(unix)]
use super::common::{mute, script};
use stopdown::player::EloScale;

const GAMES: &str = "[White \"Ann\"]\n[Black \"<script>alert(1)</script>\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. \
    Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1\n";

/// A method, a path and headers.
type Bad<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

#[test]
fn only_our_own_page_is_answered() {
    let server = Server::start();
    let (host, own) = (server.host(), format!("http://{}", server.host()));
    let port = host.rsplit(':').next().expect("a port");
    let (page, game) = (server.path(""), server.path("game"));
    let foreign = format!("evil.example:{port}");
    let other_port = "http://127.0.0.1:1";
    let refused: &[Bad<'_>] = &[
        // A different name that resolves to this machine.
        ("GET", &page, &[("Host", &foreign)]),
        ("GET", &page, &[("Host", "127.0.0.1")]),
        ("GET", &page, &[]),
        // Pages from other sites.
        ("GET", &page, &[("Host", host), ("Origin", "http://evil.example")]),
        ("POST", &game, &[("Host", host), ("Origin", "http://evil.example")]),
        ("POST", &game, &[("Host", host), ("Origin", "null")]),
        ("POST", &game, &[("Host", host), ("Origin", other_port)]),
        ("POST", &game, &[("Host", host)]),
        // No secret, or a wrong one.
        ("GET", "/", &[("Host", host)]),
        ("GET", "/page.js", &[("Host", host)]),
        ("GET", "/00000000000000000000000000000000/", &[("Host", host)]),
        ("POST", "/game", &[("Host", host), ("Origin", &own)]),
    ];
    for (method, path, headers) in refused {
        let answer = server.ask(method, path, headers, "{}");
        assert_eq!(answer.status, 403, "{method} {path} {headers:?}");
        assert!(!answer.head.contains("Access-Control"), "{}", answer.head);
    }
    // The address without its trailing slash redirects to the page.
    let bare = page.trim_end_matches('/');
    let answer = server.ask("GET", bare, &[("Host", host)], "");
    assert_eq!(answer.status, 308);
    assert!(answer.head.contains(&format!("Location: {page}\r\n")), "{}", answer.head);
    let answer = server.get("");
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("default-src 'none'") && answer.body.contains("<title>Stopdown"));
    assert_ne!(server.address, Server::start().address, "two servers share a secret");
}

#[test]
fn a_flood_of_bad_requests_does_no_harm() {
    let server = Server::start();
    let game = server.game(&json!({"opponent": weak()}));
    let (host, origin) = (server.host(), format!("http://{}", server.host()));
    let headers = [("Host", host), ("Origin", origin.as_str())];
    let long = "x".repeat(100_000);
    let lengths = ["-1", "1e9", "99999999999999999999", "17000000"];
    let mut number = 1_u64;
    for round in 0..40 {
        // Random bytes.
        let nonsense: Vec<u8> = (0..200)
            .map(|_| {
                number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (number >> 56) as u8
            })
            .collect();
        let mut bad = vec![
            nonsense.clone(),
            [format!("GET {} HTTP/1.1\r\n", server.path("")).as_bytes(), &nonsense].concat(),
            format!("GET /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes(),
            format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(200)).into_bytes(),
            format!("PUT {} HTTP/1.1\r\nHost: {host}\r\n\r\n", server.path("game")).into_bytes(),
            b"GET / HT".to_vec(),
        ];
        let post = |length: &str| {
            let path = server.path("games");
            format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Length: {length}\r\n\r\nx"
            )
        };
        bad.extend(lengths.map(post).map(String::into_bytes));
        for bytes in bad {
            let status = server.send(&bytes).expect("a refusal").status;
            assert!((400..500).contains(&status), "{status}: {}", String::from_utf8_lossy(&bytes));
        }
        let bodies = ["", "{", "[]", "{\"act\":\"fly\"}", "{\"act\":\"move\"}", &long];
        let body = bodies[round % bodies.len()];
        for rest in ["game", &format!("act?session={}", name(&game))] {
            let answer = server.ask("POST", &server.path(rest), &headers, body);
            assert!((400..500).contains(&answer.status), "{rest} {body}: {}", answer.status);
        }
        for rest in ["nothing", "../../etc/passwd", "events?session=x", "analysis?analysis=", "pgn"]
        {
            assert_eq!(server.get(rest).status, 404, "{rest}");
        }
    }
    let after = server.act(&game, &json!({"act": "move", "text": "e4"}));
    assert_eq!(moves(&after)[0], "e4");
    let answered = server.game_until(&game, |game| moves(game).len() == 2);
    assert_eq!(answered["problem"], json!(null));
}

#[test]
fn impossible_actions_are_explained_and_change_nothing() {
    let server = Server::start();
    let game = server.game(&json!({"opponent": weak()}));
    assert_eq!(game["legal"].as_array().map(Vec::len), Some(20));
    for (act, expected) in [
        (json!({"act": "move", "text": "Nf6"}), "not legal"),
        (json!({"act": "move", "text": "<b>"}), "is not a move"),
        (json!({"act": "move", "text": ""}), "is not a move"),
        (json!({"act": "undo"}), "no move to take back"),
    ] {
        let answer = server.act(&game, &act);
        let error = answer["error"].as_str().expect("an error");
        assert!(error.contains(expected), "{act}: {error}");
        assert!(moves(&answer).is_empty());
    }
    let wrong = [
        (json!({"kind": "profile", "name": "nobody"}), "", "unknown profile"),
        (json!({"kind": "competence", "c": 5, "curve": "round", "depth": 3}), "", "round"),
        (json!({"kind": "competence", "c": 5, "curve": "levelled", "depth": 99}), "", "depth"),
        (
            json!({"kind": "level", "elo": 99999}),
            "",
            "99999 is out of range: fide ratings must be from 400 to 3400",
        ),
        (
            json!({"kind": "level", "elo": 399, "scale": "Lichess-Bullet"}),
            "",
            "399 is out of range: lichess-bullet ratings must be from 400 to 3400",
        ),
        (weak(), "8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        (weak(), "hello", "neither a fen nor a game"),
        (weak(), "[White \"Ann\"]", "neither a fen nor a game"),
        (weak(), "1. e4 e5 2. Qh7 *", "move 2"),
    ];
    for (opponent, start, expected) in wrong {
        let setup = json!({"opponent": opponent, "start": start});
        let error = server.game(&setup)["error"].as_str().unwrap_or_default().to_lowercase();
        assert!(error.contains(expected), "{setup}: {error}");
    }
    let error = server.game(&json!({"opponent": weak(), "engine": true}))["error"].to_string();
    assert!(error.contains("--engine"), "the page can start an engine: {error}");
}

#[test]
fn every_scale_is_offered_with_its_range() {
    let server = Server::start();
    let answer = server.get("choices");
    let choices: serde_json::Value = serde_json::from_str(&answer.body).expect("it is JSON");
    let scale = |name| json!({"name": name, "low": 400.0, "high": 3400.0});
    let scales = EloScale::ALL.map(|of| scale(of.name()));
    assert_eq!(choices["scales"], json!(scales));
}

#[test]
fn a_game_starts_from_the_requested_position() {
    let server = Server::start();
    let text = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *";
    for (plies, colour, turn) in [(json!(null), false, " w "), (json!(3), true, " b ")] {
        let setup = json!({"opponent": weak(), "start": text, "plies": plies, "black": colour});
        let game = server.game(&setup);
        assert!(game["fen"].as_str().is_some_and(|fen| fen.contains(turn)), "{game}");
    }
    // The moves that lead to the starting position are shown, survive a reload, and are in the PGN. They are not
    // rated.
    let game = server.game(&json!({"opponent": weak(), "start": text, "seed": 7}));
    let shown = |game: &serde_json::Value| (moves(game).len(), game["before"].as_u64());
    assert_eq!(shown(&game), (6, Some(6)));
    assert_eq!(estimate_count(&game, 0), 0, "a move before the game was rated");
    let undone = server.act(&game, &json!({"act": "undo"}));
    assert!(undone["error"].is_string(), "{undone}");
    assert_eq!(shown(&server.game(&game["setup"])), (6, Some(6)));
    let pgn = server.get(&format!("pgn?session={}", name(&game))).body;
    assert!(pgn.contains("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6"), "{pgn}");
    // A game that is resumed, as after a reload. The seed is preserved, and moves can be taken
    // back.
    let moves_so_far = ["e2e4", "e7e5", "g1f3"];
    let game = server.game(&json!({"opponent": weak(), "moves": moves_so_far, "seed": 7}));
    let game = server.game_until(&game, |game| moves(game).len() == 4);
    assert_eq!((&moves(&game)[..3], &game["setup"]["seed"]), (&["e4", "e5", "Nf3"][..], &json!(7)));
    let undone = server.act(&game, &json!({"act": "undo"}));
    assert_eq!(moves(&undone), ["e4", "e5"]);
    // A game that is over stays over.
    let over = server.act(&undone, &json!({"act": "resign"}));
    let mut saved = over["setup"].clone();
    (saved["moves"], saved["ended"]) = (json!(["e2e4", "e7e5"]), over["ended"].clone());
    let restored = server.game(&saved);
    assert_eq!((&restored["result"], moves(&restored).len()), (&json!("0-1"), 2));
    // All plies of a game may be left out.
    let game = server.game(&json!({"opponent": weak(), "start": text, "plies": 0}));
    assert_eq!(shown(&game), (0, Some(0)));
    let nonsense = json!({"opponent": weak(), "start": "nonsense", "plies": 0});
    assert!(server.game(&nonsense)["error"].is_string());
}

#[test]
fn two_sessions_do_not_affect_each_other() {
    let server = Server::start();
    let setup = json!({"opponent": weak()});
    let [one, other] = [server.game(&setup), server.game(&setup)];
    assert_ne!(name(&one), name(&other));
    server.act(&one, &json!({"act": "move", "text": "d4"}));
    let one = server.game_until(&one, |game| moves(game).len() == 2);
    let other = server.act(&other, &json!({"act": "resign"}));
    assert_eq!((moves(&other).len(), other["result"].as_str()), (0, Some("0-1")));
    let still = server.get(&format!("state?session={}", name(&one)));
    assert!(still.body.contains("\"result\":null"), "{}", still.body);
}

#[test]
fn the_estimate_follows_each_move_and_an_offer_is_answered() {
    let server = Server::start();
    let mut game = server.game(&json!({"opponent": weak(), "seed": 3}));
    for (number, text) in ["e4", "Nf3", "a3"].into_iter().enumerate() {
        let answer = server.act(&game, &json!({"act": "move", "text": text}));
        assert_eq!(answer["error"], json!(null), "{answer}");
        let is_judged = |game: &serde_json::Value| {
            let beliefs = estimate_count(game, 0);
            beliefs == number + 2 && moves(game).len() == 2 * number + 2
        };
        game = server.game_until(&game, is_judged);
    }
    assert_eq!(game["ratings"][1], json!(null), "the opponent was rated");
    // A few moves are not enough for a rating.
    assert_eq!(game["ratings"][0]["points"], json!([]));
    let sentence = game["ratings"][0]["sentence"].as_str().expect("a sentence");
    assert!(sentence.starts_with("Your rating appears here after 10 moves "), "{sentence}");
    server.act(&game, &json!({"act": "draw"}));
    let answered = server.game_until(&game, |game| game["draw_asked"] == json!(false));
    let declines =
        answered["notice"].as_str().is_some_and(|notice| notice.ends_with("declines the draw."));
    assert!(declines || answered["result"] == "1/2-1/2", "{answered}");
}

#[test]
fn the_chart_keeps_up_with_quick_moves() {
    let server = Server::start();
    let mut game = server.game(&json!({"opponent": weak(), "seed": 2}));
    let mut made = 0;
    while made < 30 && game["result"] == json!(null) {
        let legal = game["legal"].as_array().expect("moves");
        let played = legal[(7 * made + 3) % legal.len()].clone();
        let answer = server.act(&game, &json!({"act": "move", "text": played}));
        assert_eq!(answer["error"], json!(null), "{answer}");
        made += 1;
        game = server.game_until(&game, |game| {
            game["result"] != json!(null) || moves(game).len() == 2 * made
        });
        // The next move is played once this one has been evaluated, or after half a second at the
        // latest.
        let path = format!("state?session={}", name(&game));
        let due = Instant::now() + Duration::from_millis(500);
        while estimate_count(&game, 0) <= made && Instant::now() < due {
            game = serde_json::from_str(&server.get(&path).body).expect("JSON");
        }
    }
    assert!(made >= 20, "the game is too short to show anything: {made} moves");
    let sentence = game["ratings"][0]["sentence"].as_str().expect("a sentence");
    assert!(sentence.starts_with("So far you play like a player rated "), "{sentence}");
    // After ten moves the chart has points within the range of the scale.
    let points = game["ratings"][0]["points"].as_array().expect("a list");
    for point in points {
        let of = |place: usize| point[place].as_f64().expect("a number");
        assert!(600.0 <= of(2) && of(2) <= of(1) && of(1) <= of(3) && of(3) <= 2800.0, "{point}");
    }
    // One estimate precedes the first move.
    assert!(
        estimate_count(&game, 0) + 4 > made,
        "{} points after {made} moves",
        estimate_count(&game, 0)
    );
}

#[test]
fn only_one_of_simultaneous_requests_starts_an_analysis() {
    let server = Server::start();
    let long = format!("{}\n", GAMES.lines().last().expect("moves")).repeat(200);
    let (host, path) = (server.host().to_owned(), server.path("games?depth=12"));
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: {}\r\n\r\n{long}",
        long.len()
    );
    let ask = || {
        let mut stream = TcpStream::connect(&host).expect("the server listens");
        stream.write_all(request.as_bytes()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it is answered");
        answer.contains("\"analysis\"")
    };
    let started = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
        asked
            .into_iter()
            .map(|asked| asked.join().expect("no panic"))
            .filter(|started| *started)
            .count()
    });
    assert_eq!(started, 1);
}

/// Opens many connections. Each starts with these bytes and then sends one byte at a time for as
/// long as the server listens.
fn connect_slowly(host: &str, start: &str) {
    for _ in 0..100 {
        let mut stream = TcpStream::connect(host).expect("the server listens");
        stream.write_all(start.as_bytes()).expect("the server reads");
        std::thread::spawn(move || {
            while stream.write_all(b"x").is_ok() {
                // The delay does not wait for a condition. It only makes the client slow.
                std::thread::sleep(Duration::from_millis(400));
            }
        });
    }
}

#[test]
fn slow_clients_without_the_secret_do_not_block_others() {
    let server = Server::start();
    let refused = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    for start in ["GET / HTTP/1.1\r\nAccept: ", refused] {
        connect_slowly(server.host(), start);
        for _ in 0..5 {
            assert_eq!(server.get("").status, 200, "{start}");
        }
        let game = server.game(&json!({"opponent": weak()}));
        server.act(&game, &json!({"act": "move", "text": "e4"}));
        server.game_until(&game, |game| moves(game).len() == 2);
    }
}

#[test]
fn a_file_that_is_too_large_is_refused_with_an_answer() {
    let server = Server::start();
    let (host, length) = (server.host(), 100 << 20);
    let path = server.path("games");
    let mut request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: {length}\r\n\r\n"
    )
    .into_bytes();
    request.resize(request.len() + length, b'x');
    let mut stream = TcpStream::connect(host).expect("the server listens");
    stream.write_all(&request).expect("the connection is not cut off");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_secret_is_not_in_the_arguments_of_the_browser() {
    let folder = Folder::new();
    let opened = folder.path().join("opened");
    let made =
        std::process::Command::new("mkfifo").arg(&opened).status().expect("mkfifo is installed");
    assert!(made.success());
    // The script reports its arguments, and the file's permissions and contents.
    let browser = "#!/bin/sh\n{ echo \"$@\"; stat -c %a \"$1\"; cat \"$1\"; } > \"$HOME/opened\"\n";
    script(&folder, "xdg-open", browser);
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = program(&folder, &["web"]);
    command.env("PATH", format!("{}:{path}", folder.path().display()));
    command.env("XDG_RUNTIME_DIR", folder.path());
    let server = Server::of(command, Folder::new());
    let report = std::fs::read_to_string(&opened).expect("it is written");
    let mut lines = report.lines();
    let arguments = lines.next().expect("the arguments");
    let secret = server.path("");
    assert!(!arguments.contains(secret.trim_matches('/')), "{arguments}");
    assert_eq!(lines.next(), Some("600"), "{report}");
    assert!(report.contains(&format!("url={}\"", server.address)), "{report}");
}

#[cfg(unix)]
#[test]
fn the_page_is_served_while_the_engine_starts() {
    let folder = Folder::new();
    let engine = script(&folder, "silent.sh", "#!/bin/sh\nexec sleep 1000\n");
    let server = Server::start_with(&["--engine", &engine]);
    assert_eq!(server.get("").status, 200);
}

/// The number of estimates for a side. Index 0 is White.
fn estimate_count(game: &serde_json::Value, place: usize) -> usize {
    game["ratings"][place]["moves"].as_u64().map_or(0, |moves| moves as usize + 1)
}

#[test]
fn two_people_play_at_one_board_and_both_are_rated() {
    let server = Server::start();
    let game = server.game(&json!({"opponent": {"kind": "person"}}));
    assert_eq!(game["people"], json!([true, true]));
    for text in ["e4", "e5", "Nf3", "Nf6"] {
        let answer = server.act(&game, &json!({"act": "move", "text": text}));
        assert_eq!(answer["error"], json!(null), "{answer}");
    }
    server.game_until(&game, |game| estimate_count(game, 0) == 3 && estimate_count(game, 1) == 3);
    // A takeback removes the last move, no matter who made it.
    let back = server.act(&game, &json!({"act": "undo"}));
    assert_eq!((moves(&back).len(), estimate_count(&back, 0), estimate_count(&back, 1)), (3, 3, 2));
    let drawn = server.act(&game, &json!({"act": "draw"}));
    assert_eq!(drawn["result"], "1/2-1/2");
    let lost = server.game(&json!({"opponent": {"kind": "person"}, "moves": ["e2e4"]}));
    let lost = server.act(&lost, &json!({"act": "resign"}));
    assert_eq!(lost["verdict"], "Black resigned: White wins, 1-0");
    let pgn = server.get(&format!("pgn?session={}", name(&lost))).body;
    // A report would take two players with the same name for one.
    assert!(pgn.contains("[White \"White\"]") && pgn.contains("[Black \"Black\"]"), "{pgn}");
    let lesson = server.get(&format!("lesson?session={}", name(&lost))).body;
    assert!(lesson.contains("\"student\":null"), "{lesson}");
}

#[test]
fn a_game_starts_from_a_pasted_game_that_has_only_a_position() {
    let server = Server::start();
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let pasted = format!("[Event \"Puzzle\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n*\n");
    let game = server.game(&json!({"opponent": {"kind": "person"}, "start": pasted}));
    assert_eq!(game["setup"]["start"], fen);
}

#[test]
fn engine_games_are_watched_and_rated() {
    let server = Server::start();
    let game = server.game(&json!({"opponent": weak(), "own": weak(), "seed": 5}));
    assert_eq!(game["people"], json!([false, false]));
    let read =
        server.game_until(&game, |game| estimate_count(game, 0) > 3 && estimate_count(game, 1) > 3);
    for act in ["undo", "draw", "resign"] {
        let answer = server.act(&game, &json!({"act": act}));
        assert!(answer["error"].is_string(), "{act}: both sides are played by engines");
    }
    assert!(moves(&read).len() >= 6 && read["problem"] == json!(null), "{read}");
}

#[test]
fn a_new_game_does_not_wait_for_a_search() {
    let server = Server::start();
    // At depth 20, the first move would take many minutes.
    let deep = json!({"kind": "competence", "c": 1, "curve": "levelled", "depth": 20});
    let game = server.game(&json!({"opponent": deep, "black": true}));
    let path = format!("game?session={}", name(&game));
    let again = server.post(&path, &json!({"opponent": weak(), "black": true}).to_string());
    let answered = server.game_until(&again, |game| moves(game).len() == 1);
    assert_eq!(answered["problem"], json!(null));
}

#[test]
#[cfg(unix)]
fn a_new_game_does_not_wait_for_a_silent_engine() {
    let folder = Folder::new();
    let server = Server::start_with(&["--engine", &mute(&folder, "readyok")]);
    let game = server.game(&json!({"opponent": weak(), "engine": true, "black": true}));
    let path = format!("game?session={}", name(&game));
    let again = server.post(&path, &json!({"opponent": weak(), "black": true}).to_string());
    let answered = server.game_until(&again, |game| moves(game).len() == 1);
    assert_eq!(answered["problem"], json!(null));
}

#[test]
fn a_flag_falls_without_a_request_from_the_page() {
    let server = Server::start();
    let setup = json!({
        "opponent": weak(), "clock": {"minutes": 1, "increment": 0},
        "moves": ["e2e4", "e7e5"], "left": [1, 60000],
    });
    let game = server.game(&setup);
    let lost = server.game_until(&game, |game| game["result"] != json!(null));
    assert_eq!(
        (&lost["result"], &lost["verdict"]),
        (&json!("0-1"), &json!("You are out of time: you lose, 0-1"))
    );
}

#[test]
fn games_are_analysed_and_names_are_escaped() {
    let server = Server::start();
    let analysis = server.post("games?depth=8", GAMES);
    let path = format!("progress?analysis={}", analysis["analysis"].as_str().expect("a name"));
    let last = server.until(&path, |word| word["over"] == json!(true));
    assert_eq!((&last["error"], &last["games"]), (&json!(null), &json!(1)));
    let page = server.get(&path.replace("progress?", "analysis?"));
    assert!(page.head.contains("sandbox allow-scripts;"), "{}", page.head);
    assert!(page.body.contains("id=\"viewer\"") && page.body.contains("Back to the board"));
    assert!(page.body.contains("&lt;script&gt;alert") && !page.body.contains("<script>alert"));
}

#[test]
fn analysis_can_be_stopped_and_reports_unreadable_games() {
    let server = Server::start();
    let long =
        format!("[White \"Ann\"]\n\n{} *\n", GAMES.lines().last().expect("moves")).repeat(200);
    let analysis = server.post("games?depth=12", &long);
    let name = analysis["analysis"].as_str().expect("a name");
    let second = server.post("games?depth=8", GAMES);
    assert!(second["error"].as_str().is_some_and(|error| error.contains("already")), "{second}");
    server.post(&format!("stop?analysis={name}"), "");
    let path = format!("progress?analysis={name}");
    let last = server.until(&path, |word| word["over"] == json!(true));
    assert_eq!(last["error"], "the analysis was stopped");
    assert_eq!(server.get(&path.replace("progress?", "analysis?")).status, 404);
    let empty = server.post("games?depth=8", "not a game");
    let path = format!("progress?analysis={}", empty["analysis"].as_str().expect("a name"));
    let last = server.until(&path, |word| word["over"] == json!(true));
    assert_eq!(last["error"], "none of these games could be read", "{last}");
}

#[test]
fn no_file_is_written_and_an_occupied_port_is_named() {
    let server = Server::start();
    let port = server.host().rsplit(':').next().expect("a port");
    let taken = run(&["web", "--no-browser", "--port", port]);
    assert_eq!(taken.code, 2);
    assert!(taken.error.contains(&format!("port {port}")), "{}", taken.error);
    let missing = run(&["web", "--no-browser", "--engine", "/no/such/engine"]);
    assert!(missing.code == 2 && missing.error.contains("/no/such/engine"), "{}", missing.error);

    let folder = Folder::new();
    let before = folder.path().read_dir().expect("a folder").count();
    let fen = "8/8/8/8/8/4k3/8/4K2R w - - 0 1";
    let server = Server::of(program(&folder, &["web", "--no-browser"]), Folder::new());
    let game = server.game(&json!({"opponent": weak(), "start": fen}));
    server.act(&game, &json!({"act": "move", "text": "Rh7"}));
    server.game_until(&game, |game| moves(game).len() == 2);
    assert_eq!(folder.path().read_dir().expect("a folder").count(), before);
}

#[test]
fn a_player_in_a_pgn_file_becomes_an_opponent() {
    const MOVES: &str = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 8. Bb3 Ba7 9. h3 h6 \
        10. Nbd2 Re8 11. Nf1 Be6 12. Bxe6 Rxe6 13. Ng3 d5 14. exd5 Qxd5 15. d4 exd4 16. Rxe6 fxe6 \
        17. Nxd4 Nxd4 18. cxd4 Bxd4 19. Be3 Bxe3 20. Qxd5 Bxf2+ 21. Kxf2 Nxd5 1-0";
    let game = |round: usize, white: &str, black: &str| {
        format!("[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n{MOVES}\n\n")
    };
    let games = game(1, "Ann", "Bob") + &game(2, "Ann", "Cid") + &game(3, "Ann", "Club");
    let server = Server::start();
    let listed = server.post("players", &games);
    assert_eq!(
        listed["players"],
        json!([
            {"name": "Ann", "games": 3, "scale": "FIDE"},
            {"name": "Bob", "games": 1, "scale": "FIDE"},
            {"name": "Cid", "games": 1, "scale": "FIDE"},
            {"name": "Club", "games": 1, "scale": "FIDE"},
        ])
    );
    assert_eq!(server.post("players", "nothing")["players"], json!([]));

    let made = |query: &str| {
        let started = server.post(query, &games);
        let reading = started["analysis"].as_str().expect("it was started");
        server.until(&format!("progress?analysis={reading}"), |event| event["over"] == json!(true))
    };
    let ann = made("opponent?player=0&depth=8");
    assert_eq!((&ann["opponent"], &ann["error"]), (&json!("ann"), &json!(null)), "{ann}");
    let choices: serde_json::Value =
        serde_json::from_str(&server.get("choices").body).expect("JSON");
    let profiles = choices["profiles"].as_array().expect("a list");
    assert!(profiles.iter().any(|profile| profile["name"] == "ann"), "{profiles:?}");
    let game = server.game(&json!({"opponent": {"kind": "profile", "name": "ann"}, "black": true}));
    assert_eq!(game["error"], json!(null), "{game}");
    let unknown = made("opponent?player=9&depth=8");
    assert!(unknown["error"].as_str().is_some_and(|error| error.contains("not in these games")));
    assert_eq!(unknown["opponent"], json!(null));
}

#[test]
fn an_opponent_is_saved_only_on_request() {
    let folder = Folder::new();
    let saved = folder.path().join("stopdown").join("players").join("ann.toml");
    let moves = "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O O-O Re1 a6 Bb3 Ba7 h3 h6 Nbd2 Re8 Nf1 Be6 \
        Bxe6 Rxe6 Ng3 d5 exd5 Qxd5 d4 exd4 Rxe6 fxe6 Nxd4 Nxd4 cxd4 Bxd4";
    let game = |round: usize| format!("[Round \"{round}\"]\n[White \"Ann\"]\n\n{moves} *\n\n");
    let games: String = (1..=3).map(game).collect();
    let command = program(&folder, &["web", "--no-browser"]);
    let server = Server::of(command, folder);
    for keep in [false, true] {
        let query = format!("opponent?player=0&depth=8&keep={}", u8::from(keep));
        let started = server.post(&query, &games);
        let reading = started["analysis"].as_str().expect("it was started");
        let over = server
            .until(&format!("progress?analysis={reading}"), |event| event["over"] == json!(true));
        assert_eq!(over["opponent"], "ann", "{over}");
        if cfg!(target_os = "linux") {
            assert_eq!(saved.exists(), keep, "{over}");
        }
        let notices = over["notices"].as_array().expect("a list");
        assert_eq!(notices.len(), usize::from(keep), "{notices:?}");
    }
}
