//! If an engine makes an illegal move, falls silent or writes endless lines, it loses its game and
//! nothing else is lost. Other faults of engines are tested in `tests/matches` and `tests/engines`.

use std::io::{BufRead, StdoutLock, Write};

use stopdown::board::Game;

use super::memory::with_memory;
use crate::campaign::{child, from_env, words_of_child};
use crate::common::Folder;

/// The misbehaviours. Each occurs on the third move.
const VICES: [(&str, &str); 4] = [
    ("endless line", "time forfeit"),
    ("move of another position", "illegal move"),
    ("end between go and bestmove", "abandoned"),
    ("silence after a promise", "time forfeit"),
];

/// The length of an "endless" line, in MiB.
const LONG_LINE: u64 = 128;

#[cfg(target_os = "linux")]
#[test]
fn a_misbehaving_engine_loses_its_games_and_nothing_else() {
    for (number, (vice, word)) in VICES.iter().enumerate() {
        let folder = Folder::new();
        let mock = child("faults::engines::mock", &number.to_string());
        let mut words = vec![format!("'{}'", mock.get_program().display())];
        words.extend(mock.get_args().map(|word| format!("'{}'", word.display())));
        let engine = format!("cmd=\"{}\"", words.join(" "));
        let words = [
            "match",
            "--a",
            &engine,
            "--b",
            "self depth=1",
            "--games",
            "2",
            "--st",
            "0.2",
            "--pgn",
            "games.pgn",
            "--max-moves",
            "30",
        ];
        // Endless output is discarded; storing it would exceed this memory limit.
        let (code, error) = with_memory(&folder, &words, 1 << 20);
        assert_eq!(code, Some(0), "{vice}: {error}");
        let games = std::fs::read_to_string(folder.path().join("games.pgn")).expect("games");
        assert_eq!(games.matches("[Result \"").count(), 2, "{vice}: {games}");
        let forfeits = games.matches(&format!("[Termination \"{word}\"]")).count();
        assert_eq!(forfeits, 2, "{vice}: {games}");
    }
}

/// Not a test: the mock engine.
#[test]
fn mock() {
    let Some(words) = words_of_child() else { return };
    let vice: usize = words.parse().expect("a number");
    let mut out = std::io::stdout().lock();
    let (mut game, mut before, mut moves) = (Game::default(), Game::default(), 0);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] => say(&mut out, "id name Liar\nuciok"),
            ["isready"] => say(&mut out, "readyok"),
            ["ucinewgame"] => moves = 0,
            ["position", "startpos", "moves", ref list @ ..] => {
                before = game;
                game = Game::from_uci(None, list.iter().copied(), false).expect("legal");
            }
            ["go", ..] => {
                moves += 1;
                let best = |game: &Game| game.position().uci(game.position().legal_moves()[0]);
                match (moves, vice) {
                    (3, 0) => endless(&mut out),
                    (3, 1) => {
                        // The move was legal two plies ago, but the piece has left its square since
                        // then.
                        let mv = game.moves()[game.moves().len() - 2];
                        say(&mut out, &format!("bestmove {}", before.position().uci(mv)));
                    }
                    (3, 2) => {
                        say(&mut out, "info depth 5 score cp 31 pv e2e4");
                        std::process::exit(0);
                    }
                    (3, 3) => say(&mut out, "info depth 5 score cp 31 pv e2e4"),
                    _ => say(&mut out, &format!("bestmove {}", best(&game))),
                }
            }
            ["quit"] => return,
            _ => {}
        }
    }
}

fn say(out: &mut StdoutLock<'_>, text: &str) {
    // The reader may have exited.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn endless(out: &mut StdoutLock<'_>) {
    let part = vec![b'x'; 1 << 20];
    let most = from_env("STOPDOWN_TRUST_LONG_LINE").unwrap_or(LONG_LINE);
    let written = (0..most).try_for_each(|_| out.write_all(&part));
    let _ = written.and_then(|()| out.flush());
}
