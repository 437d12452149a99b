//! Protected resource metadata: the authorization servers of an MCP server, and its scopes (RFC
//! 9728).

use url::Url;

use super::well_known::resource_metadata_urls;
use crate::json::{Object, Unreadable};

/// The metadata of an MCP server about its authorization servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResourceMetadata {
    /// The identifier of the server, as the server spells it.
    pub resource: String,
    /// The issuers whose tokens the server accepts, as the server spells them.
    pub authorization_servers: Vec<String>,
    /// The scopes for common uses; `None` if the server names none.
    pub scopes_supported: Option<Vec<String>>,
    /// Whether the server accepts only bound tokens (RFC 9449).
    pub requires_dpop: bool,
    /// The algorithms of accepted proofs.
    pub dpop_algorithms: Vec<String>,
}

impl ResourceMetadata {
    /// Reads a document.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let object = Object::read(bytes)?;
        Ok(Self {
            resource: object.required_text("resource")?,
            authorization_servers: object.texts("authorization_servers")?.unwrap_or_default(),
            scopes_supported: object.texts("scopes_supported")?,
            requires_dpop: object.flag("dpop_bound_access_tokens_required")?,
            dpop_algorithms: object
                .texts("dpop_signing_alg_values_supported")?
                .unwrap_or_default(),
        })
    }

    /// Whether this describes the server at `url`, or a resource that contains the server: at the
    /// same origin, with the same path or one above it. RFC 9728 (3.3) requires the same URL, but
    /// servers at many paths name their root. Such a document must come from the well-known place
    /// of the root, because one tenant of a host can't speak for all.
    pub fn covers(&self, url: &str, found_at: &str) -> bool {
        let (Ok(resource), Ok(url)) = (Url::parse(&self.resource), Url::parse(url)) else {
            return false;
        };
        let is_named = |it: &Url| !it.username().is_empty() || it.password().is_some();
        if resource.origin() != url.origin() || !url.origin().is_tuple() || is_named(&resource) {
            return false;
        }
        if resource.fragment().is_some() {
            return false;
        }
        if resource.query().is_some() {
            return resource.path() == url.path() && resource.query() == url.query();
        }
        let above = resource.path().trim_end_matches('/');
        let rest = url.path().strip_prefix(above);
        match rest {
            Some("" | "/") => true,
            Some(rest) => rest.starts_with('/') && self.is_at_its_place(found_at),
            None => false,
        }
    }

    /// Whether this was found at the well-known place of its resource.
    fn is_at_its_place(&self, found_at: &str) -> bool {
        let found_at = Url::parse(found_at);
        let places = resource_metadata_urls(&self.resource);
        let mut places = places.iter().map(|place| Url::parse(place));
        found_at.is_ok() && places.any(|place| place == found_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_covers_itself_and_what_is_below_it() {
        for (resource, server, expected) in [
            ("https://a.example/mcp", "https://a.example/mcp", true),
            ("https://a.example", "https://a.example/mcp", true),
            ("https://a.example/", "https://a.example/mcp", true),
            ("https://a.example/mcp/", "https://a.example/mcp", true),
            ("https://a.example/mcp", "https://a.example/mcp/", true),
            ("https://a.example:443/mcp", "https://a.example/mcp", true),
            ("https://A.example/mcp", "https://a.example/mcp", true),
            (
                "https://a.example/mcp",
                "https://a.example/mcp?tenant=1",
                true,
            ),
            ("https://a.example/mcp", "https://a.example/mcpevil", false),
            ("https://a.example/mcpevil", "https://a.example/mcp", false),
            ("https://a.example/other", "https://a.example/mcp", false),
            (
                "https://a.example/mcp/deeper",
                "https://a.example/mcp",
                false,
            ),
            ("https://evil.example/mcp", "https://a.example/mcp", false),
            ("https://a.example:8443/mcp", "https://a.example/mcp", false),
            ("http://a.example/mcp", "https://a.example/mcp", false),
            ("https://user@a.example/mcp", "https://a.example/mcp", false),
            ("https://a.example/mcp#x", "https://a.example/mcp", false),
            ("https://a.example/mcp?x=1", "https://a.example/mcp", false),
            (
                "https://a.example.evil.example/mcp",
                "https://a.example/mcp",
                false,
            ),
            (
                "https://a.example/mcp?x=1",
                "https://a.example/mcp?x=1",
                true,
            ),
            (
                "https://a.example/mcp?x=1",
                "https://a.example/mcp?x=2",
                false,
            ),
            (
                "https://a.example/other?x=1",
                "https://a.example/mcp?x=1",
                false,
            ),
            ("urn:mcp", "https://a.example/mcp", false),
            ("", "https://a.example/mcp", false),
        ] {
            let metadata = ResourceMetadata {
                resource: resource.to_owned(),
                ..ResourceMetadata::default()
            };
            let root = "https://a.example/.well-known/oauth-protected-resource";
            let is_it = metadata.covers(server, root);
            assert_eq!(is_it, expected, "{resource} {server}");
        }
    }

    #[test]
    fn a_tenant_of_a_host_does_not_speak_for_all() {
        let well_known = "https://a.example/.well-known/oauth-protected-resource";
        for (resource, found_at, expected) in [
            (
                "https://a.example/t/mcp",
                "https://a.example/t/meta.json",
                true,
            ),
            (
                "https://a.example/t/mcp/",
                "https://a.example/t/meta.json",
                true,
            ),
            ("https://a.example", "https://a.example/t/meta.json", false),
            (
                "https://a.example/t",
                "https://a.example/t/meta.json",
                false,
            ),
            ("https://a.example", &format!("{well_known}/t/mcp"), false),
            ("https://a.example", well_known, true),
            (
                "https://a.example/",
                "https://a.example:443/.well-known/oauth-protected-resource",
                true,
            ),
            ("https://a.example/t", &format!("{well_known}/t"), true),
            ("https://a.example/t", &format!("{well_known}/u"), false),
            ("https://a.example", "", false),
        ] {
            let metadata = ResourceMetadata {
                resource: resource.to_owned(),
                ..ResourceMetadata::default()
            };
            let is_it = metadata.covers("https://a.example/t/mcp", found_at);
            assert_eq!(is_it, expected, "{resource} at {found_at}");
        }
    }

    #[test]
    fn a_document_without_what_it_must_have_is_refused() {
        for (document, expected) in [
            (r#"{"resource": "https://a.example"}"#, ""),
            ("{}", "has no `resource`"),
            (
                r#"{"resource": 1}"#,
                "has a member `resource` that is not a string",
            ),
            (
                r#"{"resource": "https://a.example", "authorization_servers": "https://b.example"}"#,
                "has a member `authorization_servers` that is not a list of strings",
            ),
        ] {
            let why = ResourceMetadata::read(document.as_bytes()).err();
            assert_eq!(
                why.map(|why| why.0).unwrap_or_default(),
                expected,
                "{document}"
            );
        }
    }
}
