//! A UCI engine in a process of its own, as a player.
//!
//! Whatever the engine does, we go on: every wait has a deadline, and an engine that fails is ended
//! and started afresh for its next game. Before every move it is asked whether it is ready; what it
//! said earlier is stale then, a late move of an earlier search above all, and is thrown away.

use std::time::{Duration, Instant};

use super::contestant::{Choice, Contestant, Fault, PlayerCard, Request};
use super::process::{Process, Silence};
use super::spec::{ExternalSpec, PlayerSpec};
use super::time_control::TimeControl;
use crate::board::{Game, STARTING_FEN};
use crate::value::Value;

/// How long an engine may take to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(10);

/// How long a search may take to end after `stop`.
const STOPPING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct External {
    spec: ExternalSpec,
    /// How long the engine may be silent where no clock says so.
    patience: Duration,
    process: Option<Process>,
    introduction: Introduction,
    name: Option<String>,
}

/// What an engine says before `uciok`.
#[derive(Debug, Default)]
struct Introduction {
    name: Option<String>,
    /// Names of the options with their defaults.
    options: Vec<(String, String)>,
}

impl External {
    /// The engine is started when it is first needed.
    pub fn new(spec: &PlayerSpec, external: &ExternalSpec) -> External {
        External {
            spec: external.clone(),
            patience: spec.patience,
            process: None,
            introduction: Introduction::default(),
            name: spec.name.clone(),
        }
    }

    fn launch(&mut self) -> Result<(), Fault> {
        let program = &self.spec.program;
        let process = Process::start(program, &self.spec.arguments, self.spec.directory.as_deref())
            .map_err(|error| Fault::Unusable(format!("{program} cannot be started: {error}")))?;
        self.process = Some(process);
        self.introduction = self.introduce()?;
        let mut commands = Vec::new();
        for (name, value) in &self.spec.options {
            let known = &self.introduction.options;
            if !known.iter().any(|(option, _)| option.eq_ignore_ascii_case(name)) {
                let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
                let known = known.join(", ");
                let program = &self.spec.program;
                let fault = format!("{program} has no option \"{name}\"; it has {known}");
                return Err(self.fail(Fault::Unusable(fault)));
            }
            let with_value =
                if value.is_empty() { String::new() } else { format!(" value {value}") };
            commands.push(format!("setoption name {name}{with_value}"));
        }
        for command in commands {
            self.send(&command)?;
        }
        self.synchronise()
    }

    fn introduce(&mut self) -> Result<Introduction, Fault> {
        self.send("uci")?;
        let deadline = Instant::now() + INTRODUCTION;
        let mut introduction = Introduction::default();
        loop {
            let line = match self.receive(deadline) {
                Err(Fault::Stalled(_)) => {
                    let program = &self.spec.program;
                    let fault = format!("{program} does not answer \"uci\"; is it a UCI engine?");
                    return Err(Fault::Unusable(fault));
                }
                answer => answer?.0,
            };
            if line == "uciok" {
                return Ok(introduction);
            } else if let Some(name) = line.strip_prefix("id name ") {
                introduction.name = Some(name.trim().to_owned());
            } else if let Some(option) = line.strip_prefix("option ") {
                introduction.options.extend(parse_option(option));
            }
        }
    }

    /// Waits until the engine has nothing left to do or say.
    fn synchronise(&mut self) -> Result<(), Fault> {
        self.send("isready")?;
        let deadline = Instant::now() + self.patience;
        while self.receive(deadline)?.0 != "readyok" {}
        Ok(())
    }

    fn send(&mut self, text: &str) -> Result<(), Fault> {
        let process = self.process.as_mut().expect("started before it is spoken to");
        match process.send(text) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.crash()),
        }
    }

    /// The next line with its time of arrival. Silence ends the process.
    fn receive(&mut self, deadline: Instant) -> Result<(String, Instant), Fault> {
        let process = self.process.as_mut().expect("started before it is listened to");
        match process.receive(deadline) {
            Ok(line) => Ok((line.text, line.at)),
            Err(Silence::Closed) => Err(self.crash()),
            Err(Silence::Timeout) => Err(self.fail(Fault::Stalled(self.patience))),
        }
    }

    fn crash(&mut self) -> Fault {
        let words = self.process.as_mut().map(Process::end).unwrap_or_default();
        self.fail(Fault::Crashed(words))
    }

    /// Ends the process: there is no telling what state it is in.
    fn fail(&mut self, fault: Fault) -> Fault {
        if let Some(mut process) = self.process.take() {
            process.end();
        }
        fault
    }

    /// Waits for the move that answers a `go` sent at `start`.
    fn await_move(&mut self, request: &Request<'_>, start: Instant) -> Result<Choice, Fault> {
        let allowance = request.own_clock().allowance().map(|time| time + request.margin);
        let deadline = start + allowance.unwrap_or(self.patience);
        let mut last_info = String::new();
        loop {
            let process = self.process.as_mut().expect("started before it is listened to");
            let line = match process.receive(deadline) {
                Ok(line) => line,
                Err(Silence::Closed) => return Err(self.crash()),
                Err(Silence::Timeout) if allowance.is_some() => return Err(self.stop()),
                Err(Silence::Timeout) => return Err(self.fail(Fault::Stalled(self.patience))),
            };
            if let Some(answer) = line.text.strip_prefix("bestmove") {
                let word = answer.split_whitespace().next().unwrap_or_default();
                let Ok(mv) = request.game.position().parse_uci(word) else {
                    return Err(self.fail(Fault::Illegal(word.chars().take(80).collect())));
                };
                let elapsed = line.at.saturating_duration_since(start);
                return Ok(Choice { elapsed, ..parse_info(&last_info, mv) });
            }
            if is_evaluation(&line.text) {
                last_info = line.text;
            }
        }
    }

    /// The time is over: ends the search, or the engine if it does not obey.
    fn stop(&mut self) -> Fault {
        let deadline = Instant::now() + STOPPING;
        if self.send("stop").is_ok() {
            while let Ok((line, _)) = self.receive(deadline) {
                if line.starts_with("bestmove") {
                    return Fault::Overtime;
                }
            }
        }
        self.fail(Fault::Overtime)
    }

    fn value_of(&self, option: &str) -> Option<String> {
        let find = |options: &[(String, String)]| {
            let found = options.iter().find(|(name, _)| name.eq_ignore_ascii_case(option));
            found.map(|(_, value)| value.clone())
        };
        find(&self.spec.options).or_else(|| find(&self.introduction.options))
    }
}

impl Contestant for External {
    fn card(&self) -> PlayerCard {
        let own_name = self.name.clone().or_else(|| self.introduction.name.clone());
        PlayerCard {
            name: own_name.unwrap_or_else(|| self.spec.program.clone()),
            threads: self.value_of("Threads"),
            hash: self.value_of("Hash"),
        }
    }

    fn begin(&mut self, game: &Game) -> Result<(), Fault> {
        if self.process.is_none() {
            self.launch()?;
        }
        if self.value_of("UCI_Chess960").is_some() {
            let chess960 = game.start().is_chess960();
            self.send(&format!("setoption name UCI_Chess960 value {chess960}"))?;
        }
        self.send("ucinewgame")?;
        self.synchronise()
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<Choice, Fault> {
        self.synchronise()?;
        self.send(&position_command(request.game))?;
        let start = Instant::now();
        self.send(&go_command(request))?;
        self.await_move(request, start)
    }
}

fn position_command(game: &Game) -> String {
    let fen = game.start().fen();
    let mut command = match fen == STARTING_FEN {
        true => "position startpos".to_owned(),
        false => format!("position fen {fen}"),
    };
    let mut position = game.start().clone();
    for (index, &m) in game.moves().iter().enumerate() {
        command.push_str(if index == 0 { " moves " } else { " " });
        command.push_str(&position.uci(m));
        position.play(m);
    }
    command
}

fn go_command(request: &Request<'_>) -> String {
    let mut command = "go".to_owned();
    let mut add = |name: &str, number: u64| command.push_str(&format!(" {name} {number}"));
    let clock = request.own_clock();
    match clock.control() {
        Some(TimeControl::PerMove(time)) => add("movetime", milliseconds(time)),
        Some(TimeControl::Clock { .. }) => {
            // An opponent without a clock is shown with the mover's own: engines want to see both.
            for (side, names) in
                [(&request.white, ["wtime", "winc"]), (&request.black, ["btime", "binc"])]
            {
                let side = match side.control() {
                    Some(TimeControl::Clock { .. }) => side,
                    _ => clock,
                };
                add(names[0], milliseconds(side.allowance().unwrap_or_default()));
                if let Some(TimeControl::Clock { increment, .. }) = side.control() {
                    add(names[1], increment.as_millis() as u64);
                }
            }
            if let Some(moves) = clock.moves_to_go() {
                add("movestogo", u64::from(moves));
            }
        }
        None => {}
    }
    if let Some(depth) = request.limits.depth {
        add("depth", u64::from(depth));
    }
    if let Some(nodes) = request.limits.nodes {
        add("nodes", nodes);
    }
    command
}

/// Engines take a time of zero for no time control.
fn milliseconds(time: Duration) -> u64 {
    (time.as_millis() as u64).max(1)
}

/// `name Clear Hash type button`, without the first word: the name and the default.
fn parse_option(text: &str) -> Option<(String, String)> {
    let (name, rest) = text.trim().strip_prefix("name ")?.split_once(" type ")?;
    let default = rest.split_once(" default ").map_or("", |(_, value)| value);
    let end = [" min ", " max ", " var "].iter().filter_map(|word| default.find(word)).min();
    let value = &default[..end.unwrap_or(default.len())];
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

/// Is this a line on the best line of the position?
fn is_evaluation(line: &str) -> bool {
    line.starts_with("info ")
        && line.contains(" score ")
        && !line.starts_with("info string")
        && line.split_once(" multipv ").is_none_or(|(_, rest)| rest.starts_with("1 "))
}

/// What an `info` line says about the move that follows it.
fn parse_info(line: &str, mv: crate::board::Move) -> Choice {
    let mut choice = Choice { mv, value: None, depth: 0, nodes: 0, elapsed: Duration::ZERO };
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "depth" => choice.depth = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "nodes" => choice.nodes = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "score" => {
                let (unit, number) = (words.next(), words.next().and_then(|n| n.parse().ok()));
                choice.value = number.and_then(|number| parse_score(unit?, number));
            }
            "pv" | "string" => break,
            _ => {}
        }
    }
    choice
}

fn parse_score(unit: &str, number: i32) -> Option<Value> {
    let plies = (number.unsigned_abs() as usize).min(90) * 2;
    match unit {
        "cp" => Some(Value::centipawns(number).clamp_evaluation()),
        "mate" if number > 0 => Some(Value::mate_in(plies - 1)),
        "mate" => Some(Value::mated_in(plies)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::time_control::{MoveLimits, PlayerClock};
    use crate::board::Move;

    #[test]
    fn options_are_read_with_their_defaults() {
        let cases = [
            ("name Hash type spin default 16 min 1 max 4096", "Hash", "16"),
            ("name Clear Hash type button", "Clear Hash", ""),
            ("name Book File type string default /my books/a.bin", "Book File", "/my books/a.bin"),
            ("name Style type combo default Solid var Solid var Risky", "Style", "Solid"),
        ];
        for (text, name, default) in cases {
            assert_eq!(parse_option(text), Some((name.to_owned(), default.to_owned())));
        }
        assert_eq!(parse_option("nonsense"), None);
    }

    #[test]
    fn scores_are_read_whatever_stands_around_them() {
        let value = |line| parse_info(line, Move::NONE).value;
        assert_eq!(value("info depth 9 score cp -31 nodes 7"), Some(Value::centipawns(-31)));
        assert_eq!(value("info score mate 2 pv e2e4"), Some(Value::mate_in(3)));
        assert_eq!(value("info score mate -1"), Some(Value::mated_in(2)));
        assert_eq!(value("info score mate -2147483648"), Some(Value::mated_in(180)));
        assert_eq!(value("info score cp"), None);
        assert_eq!(value("info score cp x"), None);
        assert!(is_evaluation("info depth 1 multipv 1 score cp 1"));
        assert!(!is_evaluation("info depth 1 multipv 2 score cp 1"));
        assert!(!is_evaluation("info string a score of 3"));
    }

    #[test]
    fn the_clock_is_told_as_uci_wants_it() {
        let game = Game::from_uci(None, ["e2e4"], false).expect("legal");
        let request = Request {
            game: &game,
            limits: MoveLimits { depth: Some(9), ..MoveLimits::default() },
            white: PlayerClock::new(None),
            black: PlayerClock::new(Some("40/60+0.5".parse().expect("sound"))),
            margin: Duration::ZERO,
        };
        assert_eq!(
            go_command(&request),
            "go wtime 60000 winc 500 btime 60000 binc 500 movestogo 40 depth 9"
        );
        assert_eq!(position_command(&game), "position startpos moves e2e4");
    }
}
