//! The browser board: request headers, addresses, and the requests that the page sends.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

use stopdown::config::built_in_settings;
use stopdown::web::{Host, MadeOpponents, Server};

use super::Target;

/// The memory needed for six games at the same time, each with an engine and its caches.
const SIX_GAMES: u64 = 768 << 20;

pub const WEB: Target = Target {
    name: "web",
    read: |bytes, _| {
        let (host, secret) = server();
        let mut request = replaced(bytes, b"HOST", host.as_bytes());
        request = replaced(&request, b"SECRET", secret.as_bytes());
        let mut stream = TcpStream::connect(host).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a valid timeout");
        // The server may close the connection before it has read all of a rejected request.
        let _ = stream.write_all(&request);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = [0; 512];
        let count = stream.read(&mut answer).unwrap_or(0);
        let answer = &answer[..count];
        assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "), "{answer:?}");
    },
    seeds: || {
        let post = |place: &str, body: &str| {
            format!(
                "POST /SECRET/{place} HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\n\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            )
        };
        let game = "{\"opponent\":{\"kind\":\"profile\",\"name\":\"coin-flipper\"},\
                    \"start\":\"1. e4 e5\",\"clock\":{\"minutes\":1,\"increment\":0},\"seed\":3}";
        let texts = [
            "GET /SECRET/ HTTP/1.1\r\nHost: HOST\r\n\r\n".to_owned(),
            "GET /SECRET/choices HTTP/1.1\r\nHost: HOST\r\nA: b\r\n\r\n".to_owned(),
            "GET /SECRET/state?session=7 HTTP/1.1\r\nHost: HOST\r\n\r\n".to_owned(),
            post("game", game),
            post("act?session=1", "{\"act\":\"move\",\"text\":\"e2e4\"}"),
            post("stop?reading=1", ""),
        ];
        texts.map(String::into_bytes).to_vec()
    },
    words: &[
        b"GET ",
        b"POST ",
        b"/SECRET/",
        b" HTTP/1.1\r\n",
        b"Host: HOST\r\n",
        b"Origin: http://HOST\r\n",
        b"Content-Length: ",
        b"Transfer-Encoding: chunked\r\n",
        b"\r\n",
        b"\n",
        b"\0",
        b"%2e%2e/",
        b"?",
        b"&",
        b"=",
        b"99999999999999999999",
        b"{\"kind\":\"level\",\"elo\":1e308}",
        b"\"plies\":18446744073709551615,",
        b"\"left\":[0,18446744073709551615],",
        b"[[[[[[[[",
        b"\"start\":\"8/8/8/8/8/8/8/8 w - -\",",
        b"\xff",
    ],
    repair: None,
    memory: SIX_GAMES,
    rounds: 500,
};

/// The address of a server in this process, and the secret path of its page.
fn server() -> &'static (String, String) {
    static SERVER: OnceLock<(String, String)> = OnceLock::new();
    SERVER.get_or_init(|| {
        let host = Host {
            config: built_in_settings(),
            engine: Vec::new(),
            made: MadeOpponents::default(),
            has_threads: true,
        };
        let server = Server::open(host, None).expect("a port is free");
        let address = server.address();
        std::thread::spawn(move || server.run());
        let place = address.strip_prefix("http://").expect("an address");
        let (host, secret) = place.trim_end_matches('/').split_once('/').expect("a secret");
        (host.to_owned(), secret.to_owned())
    })
}

fn replaced(bytes: &[u8], word: &[u8], by: &[u8]) -> Vec<u8> {
    let mut found = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(word.len()).position(|window| window == word) {
        found.extend_from_slice(&rest[..at]);
        found.extend_from_slice(by);
        rest = &rest[at + word.len()..];
    }
    found.extend_from_slice(rest);
    found
}
