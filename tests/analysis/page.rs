//! The HTML page and the table of an analysis: complete, safe against injected markup, and usable
//! with the keyboard.

use std::fs;
use std::process::{Command, Stdio};

use crate::common::needs::browser;
use crate::common::{Finished, Folder, run_with_input};
use serde_json::{Value as Json, json};

/// A name that would do harm if it were interpreted as markup.
const NAME: &str = "</script><script>window.harmed = 1</script>";

fn game(white: &str) -> String {
    format!(
        "[Event \"Test, & \\\"more\\\"\"]\n[White \"{white}\"]\n[Black \"Allies\"]\n\
         [Date \"1858.11.02\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5\n\
         6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 1-0\n\n"
    )
}

fn analyse(folder: &Folder, words: &[&str]) -> Finished {
    let finished = run_with_input(folder, &[&["analyse", "--depth", "1"], words].concat(), b"");
    assert_eq!(finished.code, 0, "{}", finished.error);
    finished
}

/// The page made from two games.
fn page(folder: &Folder) -> String {
    let games = folder.write("games.pgn", &(game(NAME) + &game("Morphy")));
    analyse(folder, &[&games, "--skip", "4", "--html", "page.html"]);
    fs::read_to_string(folder.path().join("page.html")).expect("it was written")
}

fn data(page: &str) -> Json {
    element(page, "data")
}

/// The data in the script element with this name.
fn element(page: &str, id: &str) -> Json {
    let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect("the page has data");
    let (data, _) = rest.split_once("</script>").expect("it ends");
    serde_json::from_str(data).expect("it is JSON")
}

#[test]
fn the_page_is_self_contained_and_escapes_names() {
    let page = page(&Folder::new());
    assert!(!page.contains("https:") && !page.contains("src="), "nothing is fetched");
    // The SVG namespace is a name and not an address that is loaded.
    assert_eq!(page.matches("http:").count(), 1);
    assert_eq!(page.matches("<script").count(), 4, "games, charts, lessons and the program");
    assert!(page.contains("&lt;/script&gt;") && page.contains("How to read these figures"));
    let games = data(&page);
    assert_eq!(games[0]["white"], NAME);
    assert_eq!(games[1]["white"], "Morphy");
    assert_eq!(element(&page, "charts"), json!([]), "only a single game has charts");
    assert_eq!(games[0]["boards"].as_array().map(Vec::len), Some(25));
    // The page shows the values of opening moves, although these moves do not count.
    let first = &games[0]["moves"][0];
    assert_eq!(first["san"], "e4");
    assert_eq!(first["decision"]["left_out"], "opening move");
    assert_eq!(first["decision"]["moves"].as_array().map(Vec::len), Some(20));
    for m in games[0]["moves"].as_array().expect("moves") {
        let choices = m["decision"]["moves"].as_array().expect("all are evaluated");
        let sum: f64 = choices.iter().filter_map(|row| row[3].as_f64()).sum();
        assert!((sum - 100.0).abs() < 0.5, "{m}");
        let chosen = m["decision"]["chosen"].as_u64().expect("one was played") as usize;
        assert_eq!(choices[chosen][0], m["san"]);
    }
}

#[test]
fn mistakes_of_the_selected_player_become_lessons() {
    // 3... Nf6 allows mate: a slip that few players make, whatever their rating. 4. d3 overlooks the
    // mate, as many weak players do.
    let text = "[White \"Ann\"]\n[Black \"Bob\"]\n[WhiteElo \"900\"]\n\n\
        1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. d3 Nxh5 *\n\n";
    let folder = Folder::new();
    let games = folder.write("games.pgn", text);
    let lessons = |player: &str| {
        let words =
            [&games, "--depth", "3", "--skip", "0", "--html", "page.html", "--player", player];
        let finished = run_with_input(&folder, &[&["analyse"], &words[..]].concat(), b"");
        assert_eq!(finished.code, 0, "{}", finished.error);
        element(&fs::read_to_string(folder.path().join("page.html")).expect("a page"), "lessons")
    };
    let lists = lessons("ann");
    assert_eq!(
        (&lists[0]["player"], &lists[0]["levels"]),
        (&json!("Ann"), &json!([900.0, 1200.0]))
    );
    let lesson = &lists[0]["lessons"][0];
    assert_eq!((&lesson["game"], &lesson["ply"]), (&json!(0), &json!(6)));
    let moves = lesson["moves"].as_array().expect("all moves");
    let of = |name: &str| &moves[lesson[name].as_u64().expect("a move") as usize];
    assert_eq!((&of("played")[1], &of("best")[2]), (&json!("d3"), &json!(0.0)));
    let number = |name: &str, place: usize| lesson[name][place].as_f64().expect("a number");
    assert!(number("chances", 0) - number("chances", 1) >= 10.0, "{lesson}");
    assert!(number("errs", 0) > number("errs", 1), "{lesson}");
    assert_eq!(lesson["chart"]["ratings"].as_array().map(Vec::len), Some(12));
    // A page with one game has a chart for each evaluated position.
    let page = fs::read_to_string(folder.path().join("page.html")).expect("a page");
    let charts = element(&page, "charts");
    let charts = charts.as_array().expect("charts");
    assert!(charts.len() == 9 && charts.iter().all(|chart| chart["moves"][0]["san"].is_string()));
    assert_eq!(lessons("bob"), json!([]));
}

/// Presses keys and records what the page shows.
const DRIVER: &str = r##"<script>
const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
// Strips the marks that show how much a move lost.
const now = () => document.querySelector("#moves li.now")?.textContent.replace(/[?!]+$/, "") ?? "none";
const seen = [];
press("Home"); seen.push(now());
press("ArrowRight"); press("ArrowRight"); press("ArrowRight"); press("ArrowLeft"); seen.push(now());
press("End"); seen.push(now(), document.querySelector("#choices tr.chosen td").textContent);
press("n"); seen.push(document.getElementById("game").value, document.getElementById("bottom").textContent);
press("f"); seen.push(document.getElementById("top").textContent.slice(0, 14));
document.getElementById("forward").click(); seen.push(now());
seen.push(String(document.querySelectorAll(".plot svg .cursor").length), typeof window.harmed);
seen.push(String(document.documentElement.scrollWidth <= innerWidth));
const out = document.createElement("pre"); out.id = "seen"; out.textContent = JSON.stringify(seen);
document.body.append(out);
</script></body>"##;

#[test]
fn the_keyboard_steps_through_the_games_in_a_browser() {
    let Some(browser) = browser() else { return };
    let folder = Folder::new();
    let driven = page(&folder).replacen("</body>", DRIVER, 1);
    let path = folder.write("driven.html", &driven);
    for size in ["390,844", "1280,900"] {
        let output = Command::new(&browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
            .arg(format!("--window-size={size}"))
            .arg(format!("--user-data-dir={}", folder.path().join("browser").display()))
            .arg(format!("file://{path}"))
            .env("HOME", folder.path())
            .stderr(Stdio::null())
            .output()
            .expect("the browser starts");
        let dom = String::from_utf8(output.stdout).expect("text");
        let (_, seen) = dom.split_once("<pre id=\"seen\">").expect("the script ran to its end");
        let (seen, _) = seen.split_once("</pre>").expect("it ends");
        let expected = [
            "none",
            "e5",
            "Rd8",
            "▶︎ Rd8 (played)",
            "1",
            "White · Morphy",
            "White · Morphy",
            "1.e4",
            "2",
            "undefined",
            "true",
        ];
        let seen: Vec<String> = serde_json::from_str(seen).expect("JSON");
        assert_eq!(seen, expected, "at {size}");
    }
}

#[test]
fn the_table_has_every_move_in_valid_csv() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &game("Morphy, \\\"Paul\\\""));
    analyse(&folder, &[&games, "--skip", "4", "--csv", "moves.csv"]);
    let table = fs::read_to_string(folder.path().join("moves.csv")).expect("it was written");
    let rows: Vec<Vec<String>> = table.lines().map(cells).collect();
    assert_eq!(rows.len(), 25);
    let column = |name: &str| rows[0].iter().position(|cell| cell == name).expect(name);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{table}");
    assert_eq!(rows[1][column("player")], "Morphy, \"Paul\"");
    assert_eq!(rows[1][column("file")], games);
    assert_eq!(rows[1][column("left_out")], "opening move");
    let last = &rows[24];
    assert_eq!((last[column("san")].as_str(), last[column("move_number")].as_str()), ("Rd8", "12"));
    assert_eq!(last[column("left_out")], "");
    let number = |name: &str| last[column(name)].parse::<f64>().expect(name);
    let bits = -number("probability").log2();
    assert!((number("surprise") - bits).abs() < 1e-2, "{last:?}");
    assert!(number("value") <= number("best_value") && number("rank") >= 1.0);
    assert!(number("competence_low") <= number("competence"));
    assert!(!folder.path().join("moves.csv.new").exists());
}

/// Splits a CSV line into cells as RFC 4180 defines them.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut inside = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let cell = cells.last_mut().expect("there is one");
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                cell.push('"');
            }
            '"' => inside = !inside,
            ',' if !inside => cells.push(String::new()),
            letter => cell.push(letter),
        }
    }
    cells
}
