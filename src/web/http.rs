//! A minimal HTTP/1.1 server for a browser on the same machine: one request per connection.
//!
//! Everything is limited: the size of the head and of the body, the number of headers, the time for
//! receiving a request, and the time for sending a response. While other clients wait, a client
//! that has not shown the secret has even less time. A request that breaks a rule is answered with
//! a [`Refusal`]. Requests that two parsers could interpret differently, such as those with two
//! `Host` headers, are refused.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::assets::{HTML, NO_REPORT};
use super::backlog::Backlog;
use super::request::{Method, Refusal};

/// The maximum size of a head in bytes.
const MAX_HEAD_SIZE: usize = 16 << 10;
/// The maximum number of headers.
const MAX_HEADERS: usize = 64;
/// The maximum time for receiving a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The time for which a client that has not shown the secret may keep a thread while other clients
/// wait.
const CROWDED_TIMEOUT: Duration = Duration::from_millis(100);
/// The maximum time for sending a response, or an event of a stream.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// The time for reading the rest of a refused request. If a connection is closed with unread input,
/// the response could be lost.
const REFUSED_TIMEOUT: Duration = Duration::from_millis(500);

/// The headers of every response.
const HEADERS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
    Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
    X-Frame-Options: DENY\r\nConnection: close\r\n";

/// The request line and the headers that matter to this server.
#[derive(Debug)]
pub struct Head {
    pub method: Method,
    pub path: String,
    pub query: String,
    pub host: Option<String>,
    pub origin: Option<String>,
    length: usize,
}

/// A connection that carries one request.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    backlog: Arc<Backlog>,
    started: Instant,
    /// The time by which reading must end.
    deadline: Instant,
    /// Whether the client has shown the secret.
    is_trusted: bool,
    /// The bytes of the body that arrived together with the head.
    read_ahead: Vec<u8>,
}

impl Connection {
    /// Starts the clock for a request. `backlog` shows whether other clients are waiting.
    pub fn new(stream: TcpStream, backlog: Arc<Backlog>) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        let started = Instant::now();
        Ok(Connection {
            stream,
            backlog,
            started,
            deadline: started + REQUEST_TIMEOUT,
            is_trusted: false,
            read_ahead: Vec::new(),
        })
    }

    /// Gives the client the full time for a request, because it has shown the secret.
    pub fn trust(&mut self) {
        self.is_trusted = true;
    }

    /// The time left for reading. It can become shorter when other clients arrive.
    fn time_left(&self) -> Option<Duration> {
        let is_hurried = !self.is_trusted && self.backlog.is_crowded();
        let hurried = self.started + CROWDED_TIMEOUT;
        let deadline = if is_hurried { self.deadline.min(hurried) } else { self.deadline };
        deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }

    /// Waits for input. Returns the number of bytes read, which is 0 at the end of the input.
    fn receive(&mut self, bytes: &mut [u8]) -> Result<usize, Refusal> {
        loop {
            let left = self.time_left().ok_or(Refusal::Slow)?;
            // Look at the backlog from time to time.
            self.stream.set_read_timeout(Some(left.min(CROWDED_TIMEOUT)))?;
            match self.stream.read(bytes) {
                Ok(count) => return Ok(count),
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock
                    | io::ErrorKind::TimedOut
                    | io::ErrorKind::Interrupted => {}
                    _ => return Err(Refusal::Io(error)),
                },
            }
        }
    }

    /// Appends input to `into`, up to a total length of `max` bytes.
    fn read(&mut self, into: &mut Vec<u8>, max: usize) -> Result<(), Refusal> {
        let mut bytes = [0; 8192];
        let room = max.saturating_sub(into.len()).min(bytes.len());
        match self.receive(bytes.get_mut(..room).unwrap_or_default())? {
            0 => Err(Refusal::Malformed("it ends too early".to_owned())),
            count => {
                into.extend(bytes.iter().take(count));
                Ok(())
            }
        }
    }

    /// Reads the head of the request.
    pub fn head(&mut self) -> Result<Head, Refusal> {
        let mut bytes = Vec::new();
        loop {
            self.read(&mut bytes, MAX_HEAD_SIZE)?;
            if let Some((head, length)) = parse(&bytes)? {
                self.read_ahead = bytes.split_off(length.min(bytes.len()));
                return Ok(head);
            }
            if bytes.len() >= MAX_HEAD_SIZE {
                return Err(Refusal::HeadTooLarge(MAX_HEAD_SIZE));
            }
        }
    }

    /// Reads the body of the request, if it has at most `max` bytes.
    pub fn body(&mut self, head: &Head, max: usize) -> Result<Vec<u8>, Refusal> {
        if head.length > max {
            return Err(Refusal::TooLarge(max));
        }
        let mut body = std::mem::take(&mut self.read_ahead);
        body.truncate(head.length);
        while body.len() < head.length {
            self.read(&mut body, head.length)?;
        }
        Ok(body)
    }

    /// Sends a response. `policy` is its content security policy.
    pub fn answer(mut self, kind: &str, policy: &str, body: &[u8]) -> io::Result<()> {
        self.send("200 OK", kind, &format!("Content-Security-Policy: {policy}"), body)
    }

    /// Sends a response that the browser saves as a file.
    pub fn download(mut self, kind: &str, name: &str, body: &[u8]) -> io::Result<()> {
        let disposition = format!("Content-Disposition: attachment; filename=\"{name}\"");
        self.send("200 OK", kind, &disposition, body)
    }

    /// Redirects the browser to another address on this server.
    pub fn redirect(mut self, address: &str) -> io::Result<()> {
        let location = format!("Location: {address}");
        self.send("308 Permanent Redirect", "text/plain; charset=utf-8", &location, &[])
    }

    /// Sends a refusal, then keeps reading briefly: the browser reads the response only after it has
    /// sent the whole file.
    pub fn refuse(mut self, refusal: &Refusal) -> io::Result<()> {
        let policy = "Content-Security-Policy: default-src 'none'";
        let (kind, text) = match refusal {
            // The browser shows this one to the user.
            Refusal::NoReport => (HTML, NO_REPORT.to_owned()),
            _ => ("text/plain; charset=utf-8", refusal.to_string()),
        };
        self.send(refusal.status(), kind, policy, text.as_bytes())?;
        let timeout = if self.is_trusted { REQUEST_TIMEOUT } else { REFUSED_TIMEOUT };
        self.deadline = Instant::now() + timeout;
        let mut bytes = vec![0; 64 << 10];
        while self.receive(&mut bytes).is_ok_and(|count| count > 0) {}
        Ok(())
    }

    /// Starts a stream of server-sent events.
    pub fn events(mut self) -> io::Result<Events> {
        self.write(&format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{HEADERS}\r\n"
        ))?;
        Ok(Events(self))
    }

    /// Sends a complete response with one extra header.
    fn send(&mut self, status: &str, kind: &str, header: &str, body: &[u8]) -> io::Result<()> {
        let length = body.len();
        self.write(&format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{header}\r\n\
             {HEADERS}\r\n"
        ))?;
        self.write_all(body)?;
        self.stream.shutdown(Shutdown::Write)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let deadline = Instant::now() + WRITE_TIMEOUT;
        while !bytes.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.stream.set_write_timeout(Some(left))?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// A stream of server-sent events.
#[derive(Debug)]
pub struct Events(Connection);

impl Events {
    /// Sends an event with one line of data.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        self.0.write(&format!("data: {line}\n\n"))
    }

    /// Sends a comment. This fails if the client has disconnected.
    pub fn keep_alive(&mut self) -> io::Result<()> {
        self.0.write(":\n\n")
    }
}

/// Parses the head. Returns the head and its length, or `None` if it is incomplete.
fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let status = request.parse(bytes).map_err(|error| match error {
        httparse::Error::TooManyHeaders => Refusal::HeadTooLarge(MAX_HEAD_SIZE),
        error => Refusal::Malformed(error.to_string()),
    })?;
    let httparse::Status::Complete(length) = status else { return Ok(None) };
    let method = match request.method {
        Some("GET") => Method::Get,
        Some("POST") => Method::Post,
        _ => return Err(Refusal::Method),
    };
    let target = request.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut head = Head {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        host: None,
        origin: None,
        length: 0,
    };
    let mut lengths = 0;
    for header in request.headers.iter() {
        let value = || {
            let text = std::str::from_utf8(header.value).map(str::trim);
            text.map_err(|_| Refusal::Malformed("a header is not text".to_owned()))
        };
        let set_once = |field: &mut Option<String>| match field.replace(value()?.to_owned()) {
            None => Ok(()),
            Some(_) => Err(Refusal::Malformed(format!("duplicate header {}", header.name))),
        };
        match header.name.to_ascii_lowercase().as_str() {
            "host" => set_once(&mut head.host)?,
            "origin" => set_once(&mut head.origin)?,
            "content-length" => {
                let digits = value()?;
                let number =
                    digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()));
                head.length = number
                    .ok_or_else(|| Refusal::Malformed("invalid Content-Length".to_owned()))?;
                lengths += 1;
            }
            "transfer-encoding" => {
                return Err(Refusal::Malformed("chunked bodies are not supported".to_owned()));
            }
            _ => {}
        }
    }
    match lengths {
        0 | 1 => Ok(Some((head, length))),
        _ => Err(Refusal::Malformed("duplicate header Content-Length".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<(Head, usize)>, Refusal> {
        parse(text.as_bytes())
    }

    #[test]
    fn a_head_is_parsed_when_it_is_complete() {
        let text =
            "POST /x/do?session=7&a=b HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 3\r\n\r\n";
        for cut in 0..text.len() {
            assert!(read(&text[..cut]).expect("a beginning").is_none(), "{cut}");
        }
        let (head, length) = read(&format!("{text}abc")).expect("sound").expect("whole");
        assert_eq!((length, head.length, head.method), (text.len(), 3, Method::Post));
        assert_eq!((head.path.as_str(), head.query.as_str()), ("/x/do", "session=7&a=b"));
        assert_eq!(head.host.as_deref(), Some("127.0.0.1:80"));
    }

    #[test]
    fn ambiguous_requests_are_refused() {
        for (lines, status) in [
            ("Host: a\r\nHost: b", "400"),
            ("Origin: a\r\nOrigin: a", "400"),
            ("Content-Length: 1\r\nContent-Length: 1", "400"),
            ("Content-Length: +1", "400"),
            ("Content-Length: 99999999999999999999999", "400"),
            ("Transfer-Encoding: chunked", "400"),
            ("no header", "400"),
        ] {
            let refusal = read(&format!("GET / HTTP/1.1\r\n{lines}\r\n\r\n")).expect_err(lines);
            assert!(refusal.status().starts_with(status), "{lines}: {refusal}");
        }
        let many = "A: b\r\n".repeat(100);
        let refusal = read(&format!("GET / HTTP/1.1\r\n{many}\r\n")).expect_err("too many");
        assert!(refusal.status().starts_with("431"));
        let refusal = read("DELETE / HTTP/1.1\r\n\r\n").expect_err("no method of ours");
        assert!(refusal.status().starts_with("405"));
    }
}
