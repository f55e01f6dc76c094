//! No parser crashes on hundreds of thousands of random lines.
//!
//! The lines consist of protocol words in any order, of truncated, doubled or misspelt words, and
//! of invalid text. The stream is seeded, so failures can be reproduced. `tests/fuzz` does the same
//! with a coverage-guided fuzzer.

use std::io::{self, BufWriter, Write};
use std::sync::mpsc::{self, Sender};

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use stopdown::board::Position;
use stopdown::config::built_in_settings;
use stopdown::uci::{Event, InputLine, Session, UciCommand, read_line};

const WORDS: [&str; 76] = [
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "Hash",
    "Clear",
    "Threads",
    "Ponder",
    "MultiPV",
    "Move",
    "Overhead",
    "UCI_Chess960",
    "UCI_ShowWDL",
    "UCI_Opponent",
    "true",
    "false",
    "<empty>",
    "register",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "e7e5",
    "g1f3",
    "e1g1",
    "a7a8q",
    "0000",
    "e2e9",
    "go",
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
    "infinite",
    "stop",
    "ponderhit",
    "help",
    "0",
    "1",
    "2",
    "-1",
    "3",
    "64",
    "1.5",
    "-0",
    "+5",
    "1e9",
    "NaN",
    "99999999999999999999",
    "w",
    "b",
    "-",
    "KQkq",
    "HAha",
    "e3",
    "8/8/8/8/8/8/8/8",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "4k3/8/8/8/8/8/8/4K2R",
    "7k/5Q2/6K1/8/8/8/8/8",
    "nrkbbqrn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBQRN",
    "\u{0}",
    "\u{fffd}",
];

fn random_line(random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut line = Vec::new();
    for _ in 0..random.random_range(0..12) {
        let word = WORDS.choose(random).expect("there are words");
        let spaces = *[" ", " ", " ", "  ", "\t", ""].choose(random).expect("there are spaces");
        line.extend_from_slice(word.as_bytes());
        line.extend_from_slice(spaces.as_bytes());
    }
    // Occasionally change, remove or insert a byte.
    for _ in 0..[0, 0, 0, 1, 3].choose(random).copied().unwrap_or(0) {
        let at = random.random_range(0..=line.len());
        match random.random_range(0..3) {
            0 if at < line.len() => line[at] = random.random_range(0..=255),
            1 if at < line.len() => drop(line.remove(at)),
            _ => line.insert(at, random.random_range(0..=255)),
        }
    }
    line.retain(|&byte| byte != b'\n');
    line
}

#[test]
fn every_line_is_read() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut input = Vec::new();
    for _ in 0..300_000 {
        input.extend(random_line(&mut random));
        input.push(b'\n');
    }
    let mut input = input.as_slice();
    let mut count = 0;
    while let Some(line) = read_line(&mut input).expect("memory can be read") {
        count += 1;
        let InputLine::Text(text) = line else { panic!("line {count} was treated as too long") };
        if let Ok(Some(UciCommand::Position { fen: Some(fen), .. })) = UciCommand::parse(&text) {
            let _ = Position::from_fen(&fen, count % 2 == 0);
        }
    }
    assert_eq!(count, 300_000);
}

#[test]
fn every_fen_is_read() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let letters: Vec<char> = "pnbrqkPNBRQK12345678/  -wbKQkqAHah36e".chars().collect();
    let good = "r3k2r/pppq1ppp/2n2n2/3pp3/1b1PP1b1/2NQ1N2/PPP2PPP/R1B1K2R w KQkq e6 0 8";
    for _ in 0..100_000 {
        let mut text: Vec<char> = good.chars().collect();
        for _ in 0..random.random_range(0..6) {
            let at = random.random_range(0..text.len());
            text[at] = *letters.choose(&mut random).expect("there are letters");
        }
        let text: String = text.into_iter().collect();
        let Ok(position) = Position::from_fen(&text, random.random_range(0..2) == 0) else {
            continue;
        };
        // A position that was accepted can be written, read again and played on.
        let again = Position::from_fen(&position.fen(), position.is_chess960());
        assert_eq!(again.as_ref(), Ok(&position), "{text}");
        for m in position.legal_moves() {
            assert_eq!(position.parse_uci(&position.uci(m)), Ok(m), "{text}");
            let _ = position.after(m).legal_moves();
        }
    }
}

/// Sends the session's output to the test.
struct OutputSender(Sender<String>);

impl Write for OutputSender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8(bytes.to_vec()).expect("the session writes UTF-8");
        self.0.send(text).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_session_answers_every_go_once() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let (sender, receiver) = mpsc::channel();
    let (out, output) = mpsc::channel();
    let config = built_in_settings();
    let mut session = Session::new(&config, BufWriter::new(OutputSender(out)), sender.clone())
        .expect("threads can be started");
    let loop_thread = std::thread::spawn(move || session.run(&receiver));
    let say = |text: String| {
        sender.send(Event::Line(InputLine::Text(text))).expect("the session listens")
    };
    let mut searches = 0;
    for _ in 0..20_000 {
        let line = String::from_utf8_lossy(&random_line(&mut random)).into_owned();
        // Large tables and many threads take long to create and would not test anything else.
        let line = line.replace("Hash", "Hsah").replace("Threads", "Threats");
        match UciCommand::parse(&line) {
            Ok(Some(UciCommand::Quit)) => continue,
            Ok(Some(UciCommand::Go(go))) if go.perft.is_none() => searches += 1,
            _ => {}
        }
        say(line);
        if random.next_u32() % 4 == 0 {
            say("stop".to_owned());
        }
    }
    // Ends a search that is still running. The answer to one more search comes last.
    say("stop".to_owned());
    say("position startpos".to_owned());
    say("go depth 1".to_owned());
    say("stop".to_owned());
    let mut answers = 0;
    while answers <= searches {
        let text = output.recv().expect("the session answers all");
        assert!(!text.contains("the engine failed"), "a job panicked");
        answers += text.lines().filter(|line| line.starts_with("bestmove ")).count();
    }
    say("quit".to_owned());
    loop_thread.join().expect("the session does not panic").expect("the test listens");
    assert!(
        !output.iter().any(|text| text.starts_with("bestmove ")),
        "there was one bestmove too many"
    );
    assert!(searches > 500, "only {searches} searches were started");
}
