//! A page that a server wants to open, and the warnings about its URL.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use url::{Host, Url};

/// The most bytes of a URL that a user can be expected to read.
const LONGEST: usize = 4_096;

/// A web page that a server wants to open.
#[derive(Debug)]
pub(crate) struct Page {
    /// The URL as it is opened. It contains only letters, digits, and the marks with a meaning in
    /// URLs, without quotation marks.
    url: Url,
    host: String,
}

impl Page {
    /// Parses the URL, or returns the reason why it must not be opened.
    pub(crate) fn parse(url: &str) -> Result<Self, &'static str> {
        const TOO_LONG: &str = "it is too long to be checked";
        if url.len() > LONGEST {
            return Err(TOO_LONG);
        }
        let url = without_quotes(url).ok_or("it is not a URL")?;
        if url.as_str().len() > LONGEST {
            return Err(TOO_LONG);
        }
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
    pub(crate) fn url(&self) -> &str {
        self.url.as_str()
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The scheme, host and port of the URL.
    pub(crate) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// The warnings about the page.
    pub(crate) fn warnings(&self) -> Vec<&'static str> {
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
            has_user.then_some("the part before the @ is not the host"),
            (self.url.scheme() == "http").then_some("it is not encrypted (http:)"),
            place,
        ];
        all.into_iter().flatten().collect()
    }
}

/// The URL with all characters encoded that are quotation marks, or that have a meaning to shells
/// but none in a URL. On some systems, the last resort for starting a browser is a script with the
/// URL in quotation marks.
fn without_quotes(url: &str) -> Option<Url> {
    const STRANGE: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'\'')
        .add(b'<')
        .add(b'>')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    let url = Url::parse(url).ok()?;
    let text = utf8_percent_encode(url.as_str(), STRANGE).to_string();
    Url::parse(&text).ok()
}

const THIS_MACHINE: &str = "it is on this machine";
const OWN_NETWORK: &str = "it is in your own network";

/// The description of a name of this machine or of its network.
fn own_name(name: &str) -> Option<&'static str> {
    let name = name.trim_end_matches('.');
    if name == "localhost" || name.ends_with(".localhost") {
        return Some(THIS_MACHINE);
    }
    let endings = [".local", ".internal", ".lan", ".home.arpa", ".intranet"];
    let is_own = !name.contains('.') || endings.iter().any(|ending| name.ends_with(ending));
    is_own.then_some(OWN_NETWORK)
}

/// The description of an address of this machine or of its network.
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
    // The last range is of providers that share an address among customers (RFC 6598).
    let [first, second, ..] = address.octets();
    address.is_private() || address.is_link_local() || first == 100 && (64..128).contains(&second)
}

fn is_own_v6(address: Ipv6Addr) -> bool {
    address.is_unique_local() || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A URL, its form when it is opened, its host, and a part of the warnings.
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
    fn no_shell_finds_a_command_or_the_end_of_a_word_in_what_is_opened() {
        let plain = |it: char| it.is_ascii_alphanumeric() || "-._~:/?#[]@!$&()*+,;=%".contains(it);
        for url in [
            "https://as.example/'; calc; '?a='$(calc)'#'",
            "https://as.example/\"&calc&\"?\"|calc|\"",
            "https://as.example/`calc`?`calc`#`calc`",
            "https://as.example/$(calc)\u{2019};calc;\u{2018}?\u{201b}",
            "https://as.example/{a,b}^&calc?{a}^b|c\\d<e>f",
            "https://as.example/\\..\\calc.exe",
            "https://as.example/\r\ncalc\t\0calc?\r\ncalc\0",
            "https://a'b:c`d@as.example/",
            "https://as.example/-flag --flag",
            "\u{1}https://as.example/ ",
        ] {
            let page = Page::parse(url).unwrap();
            assert!(page.url().chars().all(plain), "{url}: {}", page.url());
            assert!(page.url().starts_with("https://"), "{}", page.url());
            assert_eq!(page.host(), "as.example");
            // Parsing the opened URL again must not change it.
            let again = Page::parse(page.url()).unwrap();
            assert_eq!(again.url(), page.url());
        }
        let meant = "https://as.example/a?b=$(c)&d=%27;e!*,[f]@g:h#i";
        assert_eq!(Page::parse(meant).unwrap().url(), meant);
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
