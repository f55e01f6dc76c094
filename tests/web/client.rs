//! A minimal HTTP client for the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use serde_json::{Value as Json, json};

use super::common::{Engine, Folder, program};

/// The running server, with the address that it printed.
#[derive(Debug)]
pub struct Server {
    _program: Engine,
    pub address: String,
}

/// A response: the status, the headers and the body.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Server {
    pub fn start() -> Server {
        Server::start_with(&[])
    }

    pub fn start_with(words: &[&str]) -> Server {
        let folder = Folder::new();
        let command = program(&folder, &[&["web", "--no-browser"], words].concat());
        Server::of(command, folder)
    }

    /// Starts a server with this command.
    pub fn of(command: Command, folder: Folder) -> Server {
        let mut program = Engine::spawn(command, folder);
        let line = program.line();
        let (_, address) = line.split_once("http://").expect("an address is printed");
        Server { address: format!("http://{}", address.trim()), _program: program }
    }

    /// `127.0.0.1:PORT`
    pub fn host(&self) -> &str {
        self.address.trim_start_matches("http://").split('/').next().expect("a host")
    }

    /// `/SECRET/`, followed by `rest`.
    pub fn path(&self, rest: &str) -> String {
        let (_, secret) =
            self.address.trim_start_matches("http://").split_once('/').expect("a path");
        format!("/{secret}{rest}")
    }

    /// Sends these bytes and reads until the server closes the connection.
    pub fn send(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(self.host()).expect("the server listens");
        // The server may stop reading early.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { status, head: head.to_owned(), body: body.to_owned() })
    }

    /// Sends a request with these headers.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let headers: String =
            headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let text =
            format!("{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        self.send(text.as_bytes()).expect("an answer")
    }

    /// Sends a GET request as the page does.
    pub fn get(&self, rest: &str) -> Answer {
        self.ask("GET", &self.path(rest), &[("Host", self.host())], "")
    }

    pub fn post(&self, rest: &str, body: &str) -> Json {
        let origin = format!("http://{}", self.host());
        let headers = [("Host", self.host()), ("Origin", &origin)];
        let answer = self.ask("POST", &self.path(rest), &headers, body);
        assert_eq!(answer.status, 200, "{rest}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// Starts a new game in a new session.
    pub fn game(&self, setup: &Json) -> Json {
        self.post("game", &setup.to_string())
    }

    pub fn act(&self, game: &Json, act: &Json) -> Json {
        self.post(&format!("act?session={}", name(game)), &act.to_string())
    }

    /// Reads a stream of events until one satisfies the condition.
    pub fn until(&self, rest: &str, is_wanted: impl Fn(&Json) -> bool) -> Json {
        let mut stream = TcpStream::connect(self.host()).expect("the server listens");
        let request = format!("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n", self.path(rest), self.host());
        stream.write_all(request.as_bytes()).expect("it is sent");
        let lines = std::io::BufRead::lines(std::io::BufReader::new(stream));
        for line in lines.map_while(Result::ok) {
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let event: Json = serde_json::from_str(data).expect("JSON");
            if is_wanted(&event) {
                return event;
            }
        }
        panic!("{rest} ended before the expected event");
    }

    /// Waits until the game satisfies the condition.
    pub fn game_until(&self, game: &Json, is_wanted: impl Fn(&Json) -> bool) -> Json {
        self.until(&format!("events?session={}", name(game)), is_wanted)
    }
}

pub fn name(game: &Json) -> &str {
    game["session"].as_str().expect("a session has a name")
}

pub fn moves(game: &Json) -> Vec<&str> {
    game["moves"].as_array().expect("moves").iter().filter_map(|m| m["san"].as_str()).collect()
}

/// A weak player with depth 1 that replies at once.
pub fn weak() -> Json {
    json!({"kind": "competence", "c": 1, "curve": "levelled", "depth": 1})
}
