//! Checks an authorization server's URLs, because a hostile server may write any text in its
//! metadata.

use url::{Host, Url};

/// The reason why a URL is rejected, in words that follow its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnfitEndpoint(pub(crate) &'static str);

/// Checks that a URL can be an endpoint: http or https, with a host, and without characters that
/// disguise other parts. Other code decides which hosts may be contacted.
pub(crate) fn check(url: &str) -> Result<(), UnfitEndpoint> {
    let is_plain = |it: u8| it.is_ascii_graphic() && !b"\"'<>\\^`{|}".contains(&it);
    let hides = UnfitEndpoint("has characters that are invalid in a URL");
    if !url.bytes().all(is_plain) {
        return Err(hides);
    }
    let parsed = Url::parse(url).map_err(|_why| UnfitEndpoint("is not a URL"))?;
    // The parser decodes encoded characters in a host.
    if !parsed.as_str().bytes().all(is_plain) {
        return Err(hides);
    }
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(UnfitEndpoint("is not an https URL"));
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(UnfitEndpoint("has a user name"));
    }
    if parsed.fragment().is_some() {
        return Err(UnfitEndpoint("has a fragment"));
    }
    Ok(())
}

/// Checks that a browser may open this URL, like any endpoint, and with http only on this machine.
pub fn check_page(url: &str) -> Result<(), UnfitEndpoint> {
    check(url)?;
    let parsed = Url::parse(url).map_err(|_why| UnfitEndpoint("is not a URL"))?;
    match parsed.scheme() {
        "http" if !is_this_machine(&parsed) => Err(UnfitEndpoint("is not an https URL")),
        _ => Ok(()),
    }
}

/// Whether requests to this URL stay on this machine.
pub fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_that_hides_something_is_unfit() {
        for (url, expected) in [
            ("https://as.example/authorize?a=b&c=%20", None),
            ("http://127.0.0.1:1/authorize", None),
            ("https://as.example/?$(calc)", None),
            ("file:///etc/passwd", Some("is not an https URL")),
            ("javascript:alert(1)", Some("is not an https URL")),
            ("ms-settings:", Some("is not an https URL")),
            (
                "https://as.example/a b",
                Some("has characters that are invalid in a URL"),
            ),
            (
                "https://as.example/\"",
                Some("has characters that are invalid in a URL"),
            ),
            (
                "https://as.example/'",
                Some("has characters that are invalid in a URL"),
            ),
            (
                "https://as.example/`id`",
                Some("has characters that are invalid in a URL"),
            ),
            (
                "https://as.example/\n",
                Some("has characters that are invalid in a URL"),
            ),
            (
                "https://as.example/ü",
                Some("has characters that are invalid in a URL"),
            ),
            (
                "https://as.example%60id%60/",
                Some("has characters that are invalid in a URL"),
            ),
            (
                "https://as.example%22/",
                Some("has characters that are invalid in a URL"),
            ),
            ("https://as.example/%60%22", None),
            ("https://user@as.example/", Some("has a user name")),
            ("https://:secret@as.example/", Some("has a user name")),
            ("https://as.example/#x", Some("has a fragment")),
            ("/authorize", Some("is not a URL")),
            ("", Some("is not a URL")),
        ] {
            let found = check(url).err().map(|why| why.0);
            assert_eq!(found, expected, "{url}");
        }
    }

    #[test]
    fn a_page_is_encrypted_unless_it_is_of_this_machine() {
        for (url, expected) in [
            ("https://as.example/authorize?a=b", true),
            ("http://127.0.0.1:8080/authorize", true),
            ("http://127.1/authorize", true),
            ("http://[::1]:8080/authorize", true),
            ("http://localhost/authorize", true),
            ("http://as.example/authorize", false),
            ("http://localhost.example/authorize", false),
            ("http://10.0.0.1/authorize", false),
            ("http://[::ffff:127.0.0.1]/authorize", false),
            ("https://user@as.example/authorize", false),
            ("https://as.example/\u{202e}", false),
            ("javascript:alert(1)", false),
        ] {
            assert_eq!(check_page(url).is_ok(), expected, "{url}");
        }
    }
}
