//! The discovery of a server's authorization server: from its own metadata, and the authorization
//! server's (2026-07-28, "Authorization Server Discovery").

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use plainly_errors::Revision;
use plainly_oauth::credentials::Credentials;
use plainly_oauth::metadata::{
    Origin, ResourceMetadata, ServerMetadata, resource_metadata_urls, server_metadata_urls,
};
use plainly_protocol::header::MCP_PROTOCOL_VERSION;

use super::failures;
use super::flow::{Flow, lock_name};
use super::need::Wanted;
use crate::fetch::Fetched;
use plainly_client::{AuthError, IssuerPlace};

/// The most authorization servers of one resource that are looked at.
const ISSUERS: usize = 3;

/// The authorization server of an MCP server, and the resource that it issues tokens for.
#[derive(Debug)]
pub(super) struct Protection {
    /// The server that tokens are for, as its metadata writes it; `None` without metadata.
    pub(super) resource: Option<String>,
    /// The scopes that most clients request.
    pub(super) scopes: Option<Vec<String>>,
    /// Whether the server takes tokens that are bound to a key.
    pub(super) takes_dpop: bool,
    /// The authorization server.
    pub(super) server: ServerMetadata,
    /// The URLs where nothing was found, each with its status, if the authorization server is only where servers of 2025-03-26
    /// have theirs: then there may be none.
    pub(super) is_guess: Option<Vec<(String, u16)>>,
}

impl Protection {
    /// The name of the lock that a flow must hold.
    pub(super) fn name(&self) -> String {
        lock_name(
            &self.server.issuer,
            self.resource.as_deref().unwrap_or_default(),
        )
    }
}

/// A document, if there is one.
enum MetadataAnswer<T> {
    Read(T),
    /// Nothing is there, under this status; or something that is no metadata.
    Absent(StatusCode),
}

impl Flow {
    /// Finds the authorization server that lets clients in.
    pub(super) async fn discover(&self, wanted: &Wanted) -> Result<Protection, AuthError> {
        let mut tried = Vec::new();
        let Some((resource, found_at)) = self.resource_metadata(wanted, &mut tried).await? else {
            return self.without_metadata(wanted, tried).await;
        };
        let is_it = match self.settings.wants_exact_resource {
            true => resource.resource == self.server,
            false => resource.covers(&self.server, &found_at),
        };
        if !is_it {
            return Err(AuthError::ResourceMismatch {
                expected: self.server.clone(),
                got: resource.resource,
            });
        }
        let server = self.authorization_server(&resource, tried).await?;
        Ok(Protection {
            takes_dpop: wanted.dpop
                || resource.requires_dpop
                || !resource.dpop_algorithms.is_empty(),
            resource: Some(resource.resource),
            scopes: resource.scopes_supported,
            server,
            is_guess: None,
        })
    }

    /// The metadata of the server, and their URL: from its challenge, or else from the well-known
    /// places.
    async fn resource_metadata(
        &self,
        wanted: &Wanted,
        tried: &mut Vec<(String, u16)>,
    ) -> Result<Option<(ResourceMetadata, String)>, AuthError> {
        let mut urls: Vec<_> = wanted.metadata.iter().cloned().collect();
        for url in resource_metadata_urls(&self.server) {
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        for url in urls {
            let fetched = self.fetcher.get(&url).await?;
            match document(&fetched, ResourceMetadata::read)? {
                MetadataAnswer::Read(metadata) => return Ok(Some((metadata, url))),
                MetadataAnswer::Absent(status) => tried.push((url, status.as_u16())),
            }
        }
        Ok(None)
    }

    /// The authorization server among those that the metadata name: one that this client knows, or else the first that can be
    /// read.
    async fn authorization_server(
        &self,
        resource: &ResourceMetadata,
        mut tried: Vec<(String, u16)>,
    ) -> Result<ServerMetadata, AuthError> {
        let kept = self.settings.store.load().await?;
        let mut issuers: Vec<_> = resource.authorization_servers.iter().collect();
        issuers.sort_by_key(|issuer| acquaintance(&kept, issuer));
        let mut failure = None;
        for issuer in issuers.into_iter().take(ISSUERS) {
            match self.server_metadata(issuer, &mut tried).await {
                Ok(Some(metadata)) => return Ok(metadata),
                Ok(None) => {}
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or_else(|| AuthError::NoAuthorizationServer {
            server: self.server.clone(),
            tried,
        }))
    }

    /// The metadata of an authorization server, from the first place that has them.
    async fn server_metadata(
        &self,
        issuer: &str,
        tried: &mut Vec<(String, u16)>,
    ) -> Result<Option<ServerMetadata>, AuthError> {
        let mut other = None;
        for url in server_metadata_urls(issuer) {
            let fetched = self.fetcher.get_with(&url, self.announced()).await?;
            match document(&fetched, ServerMetadata::read)? {
                MetadataAnswer::Read(metadata) if self.is_same(&metadata.issuer, issuer) => {
                    return Ok(Some(metadata));
                }
                MetadataAnswer::Read(metadata) => other = other.or(Some(metadata.issuer)),
                MetadataAnswer::Absent(status) => tried.push((url, status.as_u16())),
            }
        }
        match other {
            Some(got) => Err(AuthError::IssuerMismatch {
                expected: issuer.to_owned(),
                got,
                at: IssuerPlace::Metadata,
            }),
            None => Ok(None),
        }
    }

    /// Whether an issuer is the expected one. A slash at the end makes it another one, unless the
    /// program says otherwise.
    fn is_same(&self, got: &str, expected: &str) -> bool {
        let has_path = |issuer| Origin::of(issuer).is_none_or(|it| !matches!(it.path, "" | "/"));
        let trimmed = |issuer: &str| issuer.trim_end_matches('/').to_owned();
        got == expected
            || self.settings.tolerates_issuer_slash
                && !has_path(got)
                && trimmed(got) == trimmed(expected)
    }

    /// A server of 2025-03-26 has no metadata of its own: it is its own authorization server, with endpoints where that revision
    /// puts them. Only if nothing says that it is a newer one; and never because something did not answer, which would be a way
    /// to get at what belongs elsewhere.
    async fn without_metadata(
        &self,
        wanted: &Wanted,
        mut tried: Vec<(String, u16)>,
    ) -> Result<Protection, AuthError> {
        let kept = self.settings.store.load().await?;
        let origin = Origin::of(&self.server).map(|it| it.text);
        let is_elsewhere = kept
            .grant(&self.server)
            .is_some_and(|it| Some(it.key.issuer.trim_end_matches('/')) != origin);
        let is_absent = tried.iter().all(|(_, status)| (400..500).contains(status));
        let is_old =
            self.settings.falls_back && wanted.metadata.is_none() && is_absent && !is_elsewhere;
        let Some(origin) = origin.filter(|_| is_old) else {
            return Err(AuthError::NoAuthorizationServer {
                server: self.server.clone(),
                tried,
            });
        };
        let server = match self.server_metadata(origin, &mut tried).await {
            // Nothing has said yet how it spells itself.
            Err(AuthError::IssuerMismatch { got, .. }) if got.strip_suffix('/') == Some(origin) => {
                self.server_metadata(&got, &mut tried).await?
            }
            found => found?,
        };
        Ok(Protection {
            resource: None,
            scopes: None,
            takes_dpop: wanted.dpop,
            is_guess: server.is_none().then_some(tried),
            server: server.unwrap_or_else(|| ServerMetadata::expected_at(origin)),
        })
    }

    /// The header that servers of 2025-03-26 require before they answer.
    fn announced(&self) -> HeaderMap {
        let version = HeaderValue::from_static(Revision::LATEST.as_str());
        HeaderMap::from_iter([(HeaderName::from_static(MCP_PROTOCOL_VERSION), version)])
    }
}

/// The rank of an authorization server by how well the client knows it: 0 is best.
fn acquaintance(kept: &Credentials, issuer: &str) -> u8 {
    let has_grant = kept.grants.iter().any(|it| it.key.issuer == issuer);
    let is_registered = kept.registrations.iter().any(|it| it.issuer == issuer);
    match (has_grant, is_registered) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

/// The document in an answer, if there is one. A server without the URL answers 4xx, or with a
/// page; any other failure ends the search, or blocking one document would be a way to have another
/// one read.
fn document<T>(
    fetched: &Fetched,
    read: fn(&[u8]) -> Result<T, plainly_oauth::Unreadable>,
) -> Result<MetadataAnswer<T>, AuthError> {
    let Fetched {
        url, status, body, ..
    } = fetched;
    if status.is_client_error() {
        return Ok(MetadataAnswer::Absent(*status));
    }
    if *status != StatusCode::OK {
        return Err(failures::refused(url, *status));
    }
    if !body.trim_ascii_start().starts_with(b"{") {
        return Ok(MetadataAnswer::Absent(*status));
    }
    let read = read(body).map_err(|why| failures::unreadable(url, &why))?;
    Ok(MetadataAnswer::Read(read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_waits_for_the_renewal_of_what_it_is_for() {
        let mut found = Protection {
            resource: Some("https://a.example".to_owned()),
            scopes: None,
            takes_dpop: false,
            server: ServerMetadata::expected_at("https://as.example"),
            is_guess: None,
        };
        let name = lock_name("https://as.example", "https://a.example");
        assert_eq!(found.name(), name);
        found.resource = None;
        assert_eq!(found.name(), lock_name("https://as.example", ""));
    }
}
