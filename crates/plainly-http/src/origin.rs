//! Checks the origin of a request and the name by which it addresses this server. This protects
//! against pages in a browser that attack servers on the user's machine, directly (`Origin`) or by
//! a foreign name that resolves to it (`Host`). Each rejected name is logged once, so that the
//! operator learns which names to allow and no peer can fill the log.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use plainly_errors::Refusal;
use plainly_errors::mistake::printable;

use super::read::Rejection;
use plainly_transport::EscapedText;
use plainly_transport::lock::Lock;

const LOOPBACK: [&[u8]; 3] = [b"localhost", b"127.0.0.1", b"[::1]"];
/// The ports that are omitted from a host, for http and https.
const DEFAULT_PORTS: [u16; 2] = [80, 443];
/// The schemes of the server's own pages, in the same order.
const SCHEMES: [&[u8]; 2] = [b"http://", b"https://"];

/// The advice for a rejected host and for a rejected origin.
const ALLOW_HOST: &str =
    "if clients should reach the server by this name, allow it (--allow-host, allow_host)";
const ALLOW_ORIGIN: &str =
    "if pages of this origin should use the server, allow it (--allow-origin, allow_origin)";

/// The maximum number of rejected values that are logged, and therefore stored.
const MOST: usize = 16;
/// The maximum length in bytes of a logged value; real names and origins are shorter.
const LONGEST: usize = 255;

/// The accepted names and origins: those of the loopback interface with any port, because a
/// balancer or a tunnel may listen at another one, and the added ones.
#[derive(Clone, Debug, Default)]
pub(super) struct AllowedNames {
    /// Whether the server is reached by https.
    pub(super) is_secure: bool,
    hosts: Vec<(Box<[u8]>, Option<u16>)>,
    origins: Vec<Box<[u8]>>,
    strangers: Arc<RejectedNames>,
}

/// A name to allow that is not valid.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum InvalidAllowance {
    /// The host is not valid: use `example.com`, for any port, or `example.com:8443`.
    #[error("{0:?} is not a host such as \"example.com\" or \"example.com:8443\"")]
    Host(String),
    /// The origin is not valid: use scheme, host and, unless it is the default, port, without a
    /// path.
    #[error("{0:?} is not an origin such as \"https://app.example.com\"")]
    Origin(String),
}

plainly_errors::debug_with_causes!(InvalidAllowance);

impl AllowedNames {
    pub(super) fn allow_host(&mut self, host: &str) -> Result<(), InvalidAllowance> {
        let authority = Authority::parse(host.as_bytes())
            .ok_or_else(|| InvalidAllowance::Host(host.to_owned()))?;
        self.hosts.push((authority.name.into(), authority.port));
        Ok(())
    }

    pub(super) fn allow_origin(&mut self, origin: &str) -> Result<(), InvalidAllowance> {
        if !is_origin(origin) {
            return Err(InvalidAllowance::Origin(origin.to_owned()));
        }
        // Browsers write origins in lower case, and without the default port of their scheme.
        let mut origin = origin.to_ascii_lowercase();
        for (scheme, port) in SCHEMES.into_iter().zip(DEFAULT_PORTS) {
            if origin.as_bytes().starts_with(scheme)
                && let Some(rest) = origin.strip_suffix(&format!(":{port}"))
            {
                origin.truncate(rest.len());
            }
        }
        self.origins.push(origin.into_bytes().into());
        Ok(())
    }

    /// Whether hosts other than those of loopback are accepted.
    pub(super) fn names_hosts(&self) -> bool {
        !self.hosts.is_empty()
    }

    /// Checks the name by which the client addressed the server, then the origin.
    pub(super) fn check(&self, head: &Parts) -> Result<(), Rejection> {
        let host = self.host(head)?;
        let mut origins = head.headers.get_all(ORIGIN).iter();
        match (origins.next(), origins.next()) {
            (None, _) => Ok(()),
            (Some(origin), None) if self.allows_origin(origin.as_bytes(), host) => Ok(()),
            (Some(origin), None) => {
                let origin = String::from_utf8_lossy(origin.as_bytes());
                Err(self.strangers.origin(&origin))
            }
            // Browsers send one `Origin`. If there are two, a proxy may have checked only the
            // other.
            (Some(_), Some(_)) => {
                let why = "Forbidden: Origin is given more than once";
                Err(Rejection::Because(Refusal::ForbiddenOrigin, why.into()))
            }
        }
    }

    /// Whether this origin was added and pages of it are accepted.
    pub(super) fn names_origin(&self, origin: &[u8]) -> bool {
        self.origins.iter().any(|allowed| **allowed == *origin)
    }

    /// Checks only the name by which the client addressed the server.
    pub(super) fn check_host(&self, head: &Parts) -> Result<(), Rejection> {
        self.host(head).map(drop)
    }

    /// Checks the name by which the client addressed the server. An address is accepted, because it
    /// can't be a foreign name that resolves to this server.
    pub(super) fn check_name(&self, head: &Parts) -> Result<(), Rejection> {
        let name = named_host(head)?.name;
        let name = std::str::from_utf8(name).unwrap_or_default();
        let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        match is_address {
            true => Ok(()),
            false => self.check_host(head),
        }
    }

    fn host<'a>(&self, head: &'a Parts) -> Result<Authority<'a>, Rejection> {
        let host = named_host(head)?;
        if !self.allows_host(host) {
            return Err(self.strangers.host(&host.to_string()));
        }
        Ok(host)
    }

    fn allows_host(&self, host: Authority<'_>) -> bool {
        // Clients omit the default port. A proxy may speak https in front of a server that doesn't.
        let is_port = |port: u16| match host.port {
            Some(own) => own == port,
            None => DEFAULT_PORTS.contains(&port),
        };
        let is_added = |(name, port): &(Box<[u8]>, Option<u16>)| {
            host.name.eq_ignore_ascii_case(name) && port.is_none_or(is_port)
        };
        host.is_loopback() || self.hosts.iter().any(is_added)
    }

    fn port_of(&self, host: Authority<'_>) -> u16 {
        let default = DEFAULT_PORTS[usize::from(self.is_secure)];
        host.port.unwrap_or(default)
    }

    fn allows_origin(&self, origin: &[u8], host: Authority<'_>) -> bool {
        let is_own = origin
            .strip_prefix(SCHEMES[usize::from(self.is_secure)])
            .and_then(Authority::parse)
            .is_some_and(|origin| {
                // Another port is another program on the same machine, whose pages are as foreign
                // as any other.
                LOOPBACK.contains(&origin.name) && self.port_of(origin) == self.port_of(host)
            });
        is_own && host.is_loopback() || self.names_origin(origin)
    }
}

/// Whether the text is an origin: scheme, host and port.
fn is_origin(text: &str) -> bool {
    let authority = text
        .split_once("://")
        .filter(|(scheme, _)| {
            // For example, pages of browser extensions have the scheme chrome-extension.
            let is_of_scheme =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
            scheme.bytes().all(is_of_scheme) && !scheme.is_empty()
        })
        .and_then(|(_, rest)| Authority::parse(rest.as_bytes()));
    authority.is_some()
}

/// The only host that the request names, in `Host` or in the target (`:authority` in HTTP/2).
fn named_host(head: &Parts) -> Result<Authority<'_>, Rejection> {
    let mut hosts = head.headers.get_all(HOST).iter();
    let header = match (hosts.next(), hosts.next()) {
        (Some(host), None) => Some(host.as_bytes()),
        (None, _) => None,
        (Some(_), Some(_)) => return Err(bad("Host is given more than once")),
    };
    let target = head
        .uri
        .authority()
        .map(|authority| authority.as_str().as_bytes());
    // RFC 9112, 3.2: HTTP/1.1 requires exactly one `Host`, even if the target contains one. If the
    // two differ, a proxy in front of the server may have checked the other one.
    let named = match (header, target) {
        (Some(header), Some(target)) if header.eq_ignore_ascii_case(target) => header,
        (Some(_), Some(_)) => {
            return Err(bad(
                "Host and the target of the request name different hosts",
            ));
        }
        (Some(host), None) => host,
        (None, Some(target)) if head.version >= http::Version::HTTP_2 => target,
        (None, _) => return Err(bad("there is no Host")),
    };
    Authority::parse(named).ok_or_else(|| {
        let named = String::from_utf8_lossy(named);
        bad(&format!(
            "invalid Host \"{}\": expected a host name and an optional port",
            printable(&named)
        ))
    })
}

fn bad(why: &str) -> Rejection {
    Rejection::Because(Refusal::BadRequest, format!("Bad request: {why}").into())
}

/// A host and its port, as they were written.
#[derive(Clone, Copy)]
struct Authority<'a> {
    name: &'a [u8],
    port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Parses `host [":" port]` without user information; `None` for any other text.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let end = match text {
            [b'[', ..] => text.iter().position(|&byte| byte == b']')? + 1,
            _ => text
                .iter()
                .position(|&byte| byte == b':')
                .unwrap_or(text.len()),
        };
        let (name, rest) = text.split_at_checked(end)?;
        let is_well_formed = match name {
            [b'[', address @ .., b']'] => address
                .iter()
                .all(|byte| matches!(byte, b':' | b'.') || byte.is_ascii_hexdigit()),
            _ => name.iter().all(|byte| {
                matches!(byte, b'-' | b'.' | b'_' | b'~') || byte.is_ascii_alphanumeric()
            }),
        };
        let port = match rest {
            [] => None,
            [b':', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
                Some(std::str::from_utf8(digits).ok()?.parse().ok()?)
            }
            _ => return None,
        };
        (is_well_formed && !name.is_empty()).then_some(Self { name, port })
    }

    fn is_loopback(self) -> bool {
        let is_name = |name: &&[u8]| self.name.eq_ignore_ascii_case(name);
        LOOPBACK.iter().any(is_name)
    }
}

impl fmt::Display for Authority<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.name))?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// The hosts and origins that were logged.
#[derive(Debug, Default)]
struct RejectedNames(Lock<BTreeSet<Box<str>>>);

impl RejectedNames {
    /// Rejects a request that addressed the server by this name.
    fn host(&self, host: &str) -> Rejection {
        if self.is_new(host) {
            tracing::warn!(host = %EscapedText(host), "refused: {ALLOW_HOST}");
        }
        let host = printable(host);
        let why =
            format!("Forbidden: this server does not accept the Host \"{host}\"; {ALLOW_HOST}");
        Rejection::Because(Refusal::ForbiddenHost, why.into())
    }

    /// Rejects a request from a page of this origin.
    fn origin(&self, origin: &str) -> Rejection {
        let mut why = format!(
            "Forbidden: requests from the Origin \"{}\" are not allowed",
            printable(origin)
        );
        // Other values, such as `null`, can't be allowed, so there is no advice.
        if is_origin(origin) {
            why = format!("{why}; {ALLOW_ORIGIN}");
            if self.is_new(origin) {
                tracing::warn!(origin = %EscapedText(origin), "refused: {ALLOW_ORIGIN}");
            }
        }
        Rejection::Because(Refusal::ForbiddenOrigin, why.into())
    }

    fn is_new(&self, value: &str) -> bool {
        let mut told = self.0.lock();
        value.len() <= LONGEST && told.len() < MOST && told.insert(value.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks over HTTP/2, where the target has an authority and usually there is no `Host`.
    fn check(target: &str, host: Option<&str>) -> Result<(), Refusal> {
        let mut request = http::Request::post(target).version(http::Version::HTTP_2);
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        let checked = AllowedNames::default().check(&head);
        checked.map_err(|rejection| match rejection {
            Rejection::For(refusal) | Rejection::Because(refusal, _) => refusal,
            Rejection::Overloaded => panic!("nothing is read"),
        })
    }

    #[test]
    fn the_authority_of_http_2_is_the_host() {
        assert_eq!(check("https://localhost:8443/mcp", None), Ok(()));
        assert_eq!(
            check("https://localhost:8443/mcp", Some("LOCALHOST:8443")),
            Ok(())
        );
        assert_eq!(
            check("https://evil.example/mcp", None),
            Err(Refusal::ForbiddenHost)
        );
        assert_eq!(
            check("https://evil.example/mcp", Some("localhost")),
            Err(Refusal::BadRequest)
        );
        assert_eq!(
            check("https://localhost/mcp", Some("evil.example")),
            Err(Refusal::BadRequest)
        );
        assert_eq!(
            check("https://user@localhost/mcp", None),
            Err(Refusal::BadRequest)
        );
        assert_eq!(check("/mcp", None), Err(Refusal::BadRequest));
    }

    #[test]
    fn each_is_told_once_and_not_more_than_are_remembered() {
        let strangers = RejectedNames::default();
        assert!(strangers.is_new("a.example"));
        assert!(!strangers.is_new("a.example"));
        assert!(!strangers.is_new(&"a".repeat(LONGEST + 1)));
        let told = (0..100).filter(|number| strangers.is_new(&number.to_string()));
        assert_eq!(told.count(), MOST - 1);
    }
}
