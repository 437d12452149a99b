//! The URLs of metadata, built from a server's URL or an issuer, in the order in which they are
//! tried. Texts are split and joined, but never normalized.

/// The origin of a URL, without changes: scheme, host and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin<'a> {
    /// The origin, such as `https://example.com:8443`.
    pub text: &'a str,
    /// The path after the origin, without query and fragment.
    pub path: &'a str,
}

impl<'a> Origin<'a> {
    /// The origin of a URL; `None` if it has none.
    pub fn of(url: &'a str) -> Option<Self> {
        let scheme = url.find("://")?;
        // Without a valid scheme before them, these slashes do not end the scheme, because some
        // parsers need none.
        let is_scheme = |it: u8| it.is_ascii_alphanumeric() || b"+-.".contains(&it);
        if !url[..scheme].bytes().all(is_scheme) {
            return None;
        }
        let rest = &url[scheme + 3..];
        let host = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        if host == 0 {
            return None;
        }
        let (text, rest) = url.split_at(scheme + 3 + host);
        let path = rest.find(['?', '#']).map_or(rest, |end| &rest[..end]);
        Some(Self { text, path })
    }
}

/// The URL of an MCP server without the parts that may be secret: user name, query and fragment.
/// `None` if it has no host.
pub fn server_address(url: &str) -> Option<String> {
    let Origin { text, path } = Origin::of(url)?;
    let (scheme, host) = text.split_once("://")?;
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    Some(format!("{scheme}://{host}{path}"))
}

/// The possible URLs of an MCP server's metadata, if the server names none (2026-07-28, "Protected
/// Resource Metadata Discovery Requirements").
pub fn resource_metadata_urls(server: &str) -> Vec<String> {
    const NAME: &str = "/.well-known/oauth-protected-resource";
    let Some(Origin { text, path }) = Origin::of(server) else {
        return Vec::new();
    };
    let root = format!("{text}{NAME}");
    match path {
        "" | "/" => vec![root],
        path => vec![format!("{text}{NAME}{path}"), root],
    }
}

/// The possible URLs of an authorization server's metadata (2026-07-28, "Authorization Server
/// Metadata Discovery").
pub fn server_metadata_urls(issuer: &str) -> Vec<String> {
    const OAUTH: &str = "/.well-known/oauth-authorization-server";
    const OPENID: &str = "/.well-known/openid-configuration";
    let Some(Origin { text, path }) = Origin::of(issuer) else {
        return Vec::new();
    };
    match path.strip_suffix('/').unwrap_or(path) {
        "" => vec![format!("{text}{OAUTH}"), format!("{text}{OPENID}")],
        path => vec![
            format!("{text}{OAUTH}{path}"),
            format!("{text}{OPENID}{path}"),
            format!("{text}{path}{OPENID}"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_server_has_no_secrets() {
        for (url, expected) in [
            (
                "https://user:pass@a.example:1/mcp?token=x#y",
                Some("https://a.example:1/mcp"),
            ),
            ("https://a.example", Some("https://a.example")),
            ("http://[::1]:1/", Some("http://[::1]:1/")),
            ("a.example", None),
            ("http:a.example://user@b.example/", None),
            ("/http://a.example", None),
        ] {
            assert_eq!(server_address(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn the_urls_are_tried_in_the_order_of_the_specification() {
        for (server, expected) in [
            (
                "https://example.com/public/mcp?token=x",
                &[
                    "https://example.com/.well-known/oauth-protected-resource/public/mcp",
                    "https://example.com/.well-known/oauth-protected-resource",
                ][..],
            ),
            (
                "https://example.com:8443/",
                &["https://example.com:8443/.well-known/oauth-protected-resource"],
            ),
            (
                "http://[::1]:1",
                &["http://[::1]:1/.well-known/oauth-protected-resource"],
            ),
            ("example.com", &[]),
            ("https:///x", &[]),
        ] {
            assert_eq!(resource_metadata_urls(server), expected, "{server}");
        }
        for (issuer, expected) in [
            (
                "https://auth.example.com/tenant1",
                &[
                    "https://auth.example.com/.well-known/oauth-authorization-server/tenant1",
                    "https://auth.example.com/.well-known/openid-configuration/tenant1",
                    "https://auth.example.com/tenant1/.well-known/openid-configuration",
                ][..],
            ),
            (
                "https://auth.example.com/",
                &[
                    "https://auth.example.com/.well-known/oauth-authorization-server",
                    "https://auth.example.com/.well-known/openid-configuration",
                ],
            ),
            (
                "https://auth.example.com/a/",
                &[
                    "https://auth.example.com/.well-known/oauth-authorization-server/a",
                    "https://auth.example.com/.well-known/openid-configuration/a",
                    "https://auth.example.com/a/.well-known/openid-configuration",
                ],
            ),
        ] {
            assert_eq!(server_metadata_urls(issuer), expected, "{issuer}");
        }
    }
}
