//! Access control: a request must name this host, come from our own page, and contain the secret.
//! The documentation of the module `web` explains why.

use super::http::Head;
use super::request::{Method, Refusal};

/// The secret and the host names that requests are checked against.
#[derive(Debug)]
pub struct Access {
    secret: String,
    /// The values of the Host header that name this server. The first is the one in the address.
    hosts: Vec<String>,
}

/// The port that browsers leave out of addresses.
const DEFAULT_PORT: u16 = 80;

impl Access {
    pub fn new(port: u16) -> Result<Access, getrandom::Error> {
        Ok(Access { secret: secret()?, hosts: hosts(port) })
    }

    /// Returns the page's address.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.secret)
    }

    /// Returns the page's path on this server.
    pub fn path(&self) -> String {
        format!("/{}/", self.secret)
    }

    /// Returns the part of the path after the secret, or a refusal. The result is `None` if the
    /// slash after the secret is missing.
    pub fn check<'a>(&self, head: &'a Head) -> Result<Option<&'a str>, Refusal> {
        let host = head.host.as_deref().filter(|host| self.hosts.iter().any(|own| own == host));
        let host = host.ok_or(Refusal::Forbidden(
            "the Host header does not name this server; use the address that stopdown web printed",
        ))?;
        let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        match (&head.origin, head.method) {
            (Some(origin), _) if is_own(origin) => {}
            (None, Method::Get) => {}
            _ => return Err(Refusal::Forbidden("requests from other websites are refused")),
        }
        let path = head.path.strip_prefix('/').unwrap_or_default();
        match path.split_once('/') {
            Some((secret, rest)) if is_equal(secret, &self.secret) => Ok(Some(rest)),
            None if is_equal(path, &self.secret) => Ok(None),
            _ => Err(Refusal::Forbidden(
                "the address lacks the secret; use the whole address that stopdown web printed",
            )),
        }
    }
}

/// Returns the values of the Host header that name this server.
fn hosts(port: u16) -> Vec<String> {
    let names = ["127.0.0.1", "localhost"];
    let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    if port == DEFAULT_PORT {
        hosts.extend(names.map(str::to_owned));
    }
    hosts
}

/// Compares two strings in constant time, so that the timing does not reveal how much of a guess is
/// right.
fn is_equal(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// Returns 128 random bits in hexadecimal.
pub fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_port_may_be_left_out() {
        assert!(hosts(80).contains(&"127.0.0.1".to_owned()));
        assert_eq!(hosts(8080), ["127.0.0.1:8080", "localhost:8080"]);
    }
}
