//! A UCI engine with known values that misbehaves on request.

use std::fs::OpenOptions;
use std::io::{BufRead, Read, StdoutLock, Write};

use stopdown::board::{Game, Move};
use stopdown::math::fingerprint;

/// The mock's value of a move at a depth, in centipawns.
pub fn value(mv: &str, depth: u8) -> i32 {
    (fingerprint(format!("{mv} {depth}").as_bytes()) % 400) as i32 - 200
}

/// The behaviour of the mock engine, and a file that counts its searches if the behaviour changes
/// from search to search.
#[derive(Clone, Debug)]
struct Behaviour {
    name: String,
    count: String,
}

#[derive(Default)]
struct State {
    game: Game,
    lines: usize,
    /// The value of the option `move overhead`.
    overhead: String,
    /// Whether a search is running that only `stop` ends.
    endless: bool,
}

/// Runs the engine with a behaviour such as `plain` or `crash-once:FILE`.
pub fn run(words: &str) -> std::io::Result<()> {
    let (name, count) = words.split_once(':').unwrap_or((words, ""));
    let behaviour = Behaviour { name: name.to_owned(), count: count.to_owned() };
    let mut state = State { lines: 1, ..State::default() };
    let out = &mut std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uci"] => introduce(&behaviour, out)?,
            ["isready"] => writeln!(out, "readyok")?,
            ["setoption", "name", "MultiPV", "value", n] => state.lines = n.parse().unwrap_or(1),
            ["setoption", "name", "Temper", ..] => writeln!(out, "info string {line}")?,
            ["setoption", "name", "move", "overhead", "value", n] => state.overhead = n.to_owned(),
            ["position", "startpos", ref moves @ ..] => {
                let moves = moves.iter().skip(1).copied();
                state.game = Game::from_uci(None, moves, false).unwrap_or_default();
            }
            ["position", "fen", ref fields @ ..] => {
                let fen = fields[..6].join(" ");
                let moves = fields.iter().skip(7).copied();
                state.game = Game::from_uci(Some(&fen), moves, false).unwrap_or_default();
            }
            ["go", ref bounds @ ..] => state.go(bounds, &behaviour, out)?,
            ["stop"] if std::mem::take(&mut state.endless) => {
                writeln!(out, "bestmove {}", state.best(1))?;
            }
            ["quit"] => return Ok(()),
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}

fn introduce(behaviour: &Behaviour, out: &mut StdoutLock<'_>) -> std::io::Result<()> {
    writeln!(out, "id name Mock 1\nid author a test")?;
    if behaviour.name == "bare-crash-twice" {
        return writeln!(out, "uciok");
    }
    writeln!(out, "option name Hash type spin default 8 min 1 max 64")?;
    match &*behaviour.name {
        "deaf" => {}
        "lowercase" => {
            writeln!(out, "option name move overhead type spin default 10 min 0 max 90")?
        }
        "few" => writeln!(out, "option name MultiPV type spin default 1 min 1 max 3")?,
        _ => writeln!(out, "option name MultiPV type spin default 1 min 1 max 500")?,
    }
    writeln!(out, "option name Temper type combo default Solid var Solid var Risky")?;
    writeln!(out, "option name UCI_Elo type spin default 2000 min 1000 max 3000")?;
    writeln!(out, "uciok")
}

impl State {
    fn go(
        &mut self,
        bounds: &[&str],
        behaviour: &Behaviour,
        out: &mut StdoutLock<'_>,
    ) -> std::io::Result<()> {
        let position = self.game.position();
        let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
        let searchmoves = bounds.iter().position(|&word| word == "searchmoves");
        if let Some(at) = searchmoves.filter(|_| behaviour.name != "deaf") {
            moves.retain(|&m| bounds[at..].contains(&&*position.uci(m)));
        }
        let number = |key: &str| {
            let at = bounds.iter().position(|&word| word == key)?;
            bounds.get(at + 1)?.parse::<u8>().ok()
        };
        if !self.overhead.is_empty() {
            writeln!(out, "info string the overhead is {}", self.overhead)?;
        }
        let searches = searched(&behaviour.count)?;
        misbehave(behaviour, searches, out)?;
        let depth = number("depth").unwrap_or(2);
        for depth in 1..=depth {
            let is_shown = behaviour.name != "sparse" || depth % 2 == 0;
            let names = moves.iter().map(|&m| position.uci(m));
            let mut lines: Vec<(i32, String)> =
                names.map(|name| (value(&name, depth), name)).collect();
            lines.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            for (index, (value, name)) in lines.iter().take(self.lines).enumerate() {
                let bound =
                    if behaviour.name == "sparse" && depth == 4 { " lowerbound" } else { "" };
                if is_shown {
                    writeln!(
                        out,
                        "info depth {depth} multipv {} score cp {value}{bound} wdl 1 2 3 \
                         nodes {depth} pv {name}",
                        index + 1
                    )?;
                }
            }
        }
        self.endless = bounds.contains(&"infinite");
        match self.endless {
            true => Ok(()),
            false => writeln!(out, "bestmove {}", self.best(depth)),
        }
    }

    /// The move with the highest value at a depth.
    fn best(&self, depth: u8) -> String {
        let names = self.game.position().legal_moves().into_iter();
        let names = names.map(|m| self.game.position().uci(m));
        names.max_by_key(|name| value(name, depth)).unwrap_or_else(|| "0000".to_owned())
    }
}

/// The number of searches started before this one.
fn searched(count: &str) -> std::io::Result<usize> {
    if count.is_empty() {
        return Ok(0);
    }
    let before = if std::fs::exists(count)? { std::fs::read(count)?.len() } else { 0 };
    OpenOptions::new().append(true).create(true).open(count)?.write_all(b".")?;
    Ok(before)
}

fn misbehave(
    behaviour: &Behaviour,
    searches: usize,
    out: &mut StdoutLock<'_>,
) -> std::io::Result<()> {
    match (&*behaviour.name, searches) {
        ("crash", _) | ("crash-once", 2) | ("crash-twice" | "bare-crash-twice", 2 | 3) => {
            std::process::exit(3)
        }
        ("stall", _) => loop {
            let mut nothing = [0; 1];
            if std::io::stdin().read(&mut nothing)? == 0 {
                std::process::exit(0);
            }
        },
        ("flood", _) => loop {
            writeln!(out, "info depth 1 score cp 1 nodes 1 pv e2e4")?;
        },
        ("garbage", _) => out.write_all(
            b"\xff\xfe\x00\ninfo depth 1 score cp\ninfo depth x score cp 9 pv e2e4\n\
              info depth 1 score mate pv\nbest move e2e4\ninfo depth 1 score cp 999 pv a1a8\n",
        ),
        _ => Ok(()),
    }
}
