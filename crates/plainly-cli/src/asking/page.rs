//! Where a URL leads that a server wants opened, and what is odd about it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// The most bytes of a URL that somebody can be expected to look at.
const LONGEST: usize = 4_096;

/// A page on the web that a server wants opened.
#[derive(Debug)]
pub(super) struct Page {
    /// As it is opened: nothing in it but visible ASCII.
    url: Url,
    host: String,
}

impl Page {
    /// The place, or why it is none that is opened.
    pub(super) fn parse(url: &str) -> Result<Self, &'static str> {
        if url.len() > LONGEST {
            return Err("it is too long to be looked at");
        }
        let url = Url::parse(url).map_err(|_invalid| "it is not a URL")?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("it is not a page on the web (http: or https:)");
        }
        match url
            .host_str()
            .filter(|_| url.as_str().bytes().all(|it| it.is_ascii_graphic()))
        {
            Some(host) => Ok(Self {
                host: host.to_owned(),
                url,
            }),
            None => Err("it is not a URL"),
        }
    }

    /// The whole URL, exactly as it is opened.
    pub(super) fn url(&self) -> &str {
        self.url.as_str()
    }

    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// What is odd about it.
    pub(super) fn warnings(&self) -> Vec<&'static str> {
        let is_punycode = self.host.split('.').any(|label| label.starts_with("xn--"));
        let has_user = !self.url.username().is_empty() || self.url.password().is_some();
        let place = match self.url.host() {
            Some(Host::Ipv4(address)) => own(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => own(IpAddr::V6(address)),
            Some(Host::Domain(name)) => own_name(name),
            None => None,
        };
        let all = [
            is_punycode.then_some(
                "the name of the host has letters that are not Latin, and may look like another: above it is in its exact form",
            ),
            has_user.then_some("what stands before the @ is not the host: the page is not there"),
            (self.url.scheme() == "http").then_some("it is not encrypted (http:)"),
            place,
        ];
        all.into_iter().flatten().collect()
    }
}

const THIS_MACHINE: &str = "it leads to this machine";
const OWN_NETWORK: &str = "it leads into your own network";

/// Whether a name is of this machine or of the network around it.
fn own_name(name: &str) -> Option<&'static str> {
    let name = name.trim_end_matches('.');
    if name == "localhost" || name.ends_with(".localhost") {
        return Some(THIS_MACHINE);
    }
    let endings = [".local", ".internal", ".lan", ".home.arpa", ".intranet"];
    let is_own = !name.contains('.') || endings.iter().any(|ending| name.ends_with(ending));
    is_own.then_some(OWN_NETWORK)
}

/// Whether an address is of this machine or of the network around it.
fn own(address: IpAddr) -> Option<&'static str> {
    match address.to_canonical() {
        IpAddr::V4(address) if address.is_loopback() || address.is_unspecified() => {
            Some(THIS_MACHINE)
        }
        IpAddr::V4(address) => is_own_v4(address).then_some(OWN_NETWORK),
        IpAddr::V6(address) if address.is_loopback() || address.is_unspecified() => {
            Some(THIS_MACHINE)
        }
        IpAddr::V6(address) => is_own_v6(address).then_some(OWN_NETWORK),
    }
}

fn is_own_v4(address: Ipv4Addr) -> bool {
    // The last are of providers that share an address among customers (RFC 6598).
    let [first, second, ..] = address.octets();
    address.is_private() || address.is_link_local() || first == 100 && (64..128).contains(&second)
}

fn is_own_v6(address: Ipv6Addr) -> bool {
    address.is_unique_local() || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A URL, as it is opened, its host, and a part of what is odd about it.
    #[rustfmt::skip]
    const PLACES: [[&str; 4]; 12] = [
        ["https://example.com/a b?c", "https://example.com/a%20b?c", "example.com", ""],
        ["https://example.com/\u{1b}[2J", "https://example.com/%1B[2J", "example.com", ""],
        ["https://ex\u{430}mple.com", "https://xn--exmple-4nf.com/", "xn--exmple-4nf.com", "not Latin"],
        ["https://a.example@b.example/", "https://a.example@b.example/", "b.example", "before the @"],
        ["http://example.com/", "http://example.com/", "example.com", "not encrypted"],
        ["https://2130706433/", "https://127.0.0.1/", "127.0.0.1", "this machine"],
        ["https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "[::ffff:7f00:1]", "this machine"],
        ["https://LOCALHOST./", "https://localhost./", "localhost.", "this machine"],
        ["https://10.1.2.3/", "https://10.1.2.3/", "10.1.2.3", "own network"],
        ["https://169.254.169.254/", "https://169.254.169.254/", "169.254.169.254", "own network"],
        ["https://[fd00::1]/", "https://[fd00::1]/", "[fd00::1]", "own network"],
        ["https://printer/", "https://printer/", "printer", "own network"],
    ];

    #[test]
    fn a_place_is_shown_as_it_is_opened() {
        for [url, shown, host, warning] in PLACES {
            let place = Page::parse(url).unwrap();
            assert_eq!((place.url(), place.host()), (shown, host));
            let warnings = place.warnings().join("\n");
            assert!(warnings.contains(warning), "{url}: {warnings}");
            assert_eq!(warnings.is_empty(), warning.is_empty(), "{url}: {warnings}");
        }
    }

    #[test]
    fn only_pages_on_the_web_are_opened() {
        let long = format!("https://example.com/{}", "a".repeat(LONGEST));
        for url in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "ms-settings:about",
            "/relative",
            "https://",
            "https:// /",
            "",
            &long,
        ] {
            assert!(Page::parse(url).is_err(), "{url}");
        }
    }
}
