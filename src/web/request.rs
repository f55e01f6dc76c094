//! A request from the page, and the reasons for refusing one. A request arrives through an HTTP
//! connection or as a message to a Web Worker.

use std::io;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// A request without its body.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub method: Method,
    /// The path relative to the page.
    pub path: &'a str,
    pub query: &'a str,
}

impl<'a> Request<'a> {
    /// Returns a value from the query. Our own queries need no escapes.
    pub fn query_value(&self, name: &str) -> Option<&'a str> {
        let mut pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// Reads the body of a request. The argument is the maximum length in bytes.
pub type ReadBody<'a> = dyn FnMut(usize) -> Result<Vec<u8>, Refusal> + 'a;

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("this is not a valid HTTP request: {0}")]
    Malformed(String),
    #[error("{0}")]
    Forbidden(&'static str),
    #[error("there is no page at this address")]
    NotFound,
    #[error("this game is no longer open; reload the page to continue it")]
    NoGame,
    #[error("this report is no longer available; analyse the games again")]
    NoReport,
    #[error("only GET and POST are supported")]
    Method,
    #[error("the request is larger than {} MiB", .0 >> 20)]
    TooLarge(usize),
    #[error("the request line and headers are larger than {0} bytes")]
    HeadTooLarge(usize),
    #[error("the request did not arrive in time")]
    Slow,
    #[error("{0}")]
    Invalid(String),
    #[error("the server is busy; try again")]
    Busy,
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Refusal {
    pub fn status(&self) -> &'static str {
        match self {
            Refusal::Malformed(_) | Refusal::Invalid(_) | Refusal::Io(_) => "400 Bad Request",
            Refusal::Forbidden(_) => "403 Forbidden",
            Refusal::NotFound | Refusal::NoGame | Refusal::NoReport => "404 Not Found",
            Refusal::Method => "405 Method Not Allowed",
            Refusal::TooLarge(_) => "413 Content Too Large",
            Refusal::HeadTooLarge(_) => "431 Request Header Fields Too Large",
            Refusal::Slow => "408 Request Timeout",
            Refusal::Busy => "503 Service Unavailable",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_in_the_query() {
        let request = Request { method: Method::Get, path: "state", query: "session=7&a=b" };
        assert_eq!(request.query_value("session"), Some("7"));
        assert_eq!(request.query_value("c"), None);
    }
}
