//! Discovers a server's authorization server, from the server's own metadata and the authorization
//! server's (2026-07-28, "Authorization Server Discovery").

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use plainly_errors::Revision;
use plainly_oauth::credentials::Credentials;
use plainly_oauth::metadata::{
    Origin, ResourceMetadata, ServerMetadata, resource_metadata_urls, server_metadata_urls,
};
use plainly_protocol::header::MCP_PROTOCOL_VERSION;

use super::failures;
use super::flow::Flow;
use super::need::{Need, Purpose};
use super::{IssuerPlace, OAuthError};
use crate::fetch::FetchResponse;

/// The most authorization servers of one resource that are tried.
const ISSUERS: usize = 3;

/// The authorization server of an MCP server, and the resource that it issues tokens for.
#[derive(Debug)]
pub(super) struct Protection {
    /// The resource that tokens are for, as its metadata spells it; empty without metadata.
    pub(super) resource: String,
    /// The scopes of the rejection, or else those that most clients request.
    pub(super) scopes: Vec<String>,
    /// Whether the server accepts tokens that are bound to a key.
    pub(super) accepts_dpop: bool,
    /// The authorization server.
    pub(super) server: ServerMetadata,
    /// The URLs without metadata, each with its status, if the authorization server is a guess, at
    /// the place that servers of 2025-03-26 use.
    pub(super) guess: Option<Vec<(String, u16)>>,
}

/// A document, if it exists.
enum MetadataAnswer<T> {
    Read(T),
    /// The URL has no metadata, and this status.
    Absent(StatusCode),
}

impl Flow {
    /// Finds the authorization server.
    pub(super) async fn discover(&self, need: &Need) -> Result<Protection, OAuthError> {
        let mut tried = Vec::new();
        let Some(resource) = self.resource_metadata(need, &mut tried).await? else {
            return self.without_metadata(need, tried).await;
        };
        let server = self.authorization_server(&resource, tried).await?;
        let accepts_dpop = resource.requires_dpop || !resource.dpop_algorithms.is_empty();
        Ok(Protection {
            scopes: match need.scope.is_empty() {
                true => resource.scopes_supported.unwrap_or_default(),
                false => need.scope.clone(),
            },
            accepts_dpop: need.dpop || accepts_dpop,
            resource: resource.resource,
            server,
            guess: None,
        })
    }

    /// The error of a login. If the authorization server was only a guess, the error that there may
    /// be none.
    pub(super) fn unless_guess(&self, found: &Protection, error: OAuthError) -> OAuthError {
        let wants_server = matches!(
            error,
            OAuthError::LoginRequired { .. } | OAuthError::RegistrationRefused { .. }
        );
        let guess = wants_server.then(|| self.without_server(found)).flatten();
        guess.unwrap_or(error)
    }

    /// The error that there may be no authorization server, if the known one is only a guess.
    pub(super) fn without_server(&self, found: &Protection) -> Option<OAuthError> {
        let tried = found.guess.clone()?;
        Some(self.no_authorization_server(tried))
    }

    fn no_authorization_server(&self, tried: Vec<(String, u16)>) -> OAuthError {
        OAuthError::NoAuthorizationServer {
            server: self.server.clone(),
            tried,
        }
    }

    /// The metadata of the server: from the server's challenge, or else from the first well-known
    /// place that has it.
    async fn resource_metadata(
        &self,
        need: &Need,
        tried: &mut Vec<(String, u16)>,
    ) -> Result<Option<ResourceMetadata>, OAuthError> {
        let mut urls: Vec<_> = need.metadata.iter().cloned().collect();
        for url in resource_metadata_urls(&self.server) {
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        let mut other = None;
        for url in urls {
            let fetched = self.fetcher.get(&url).await?;
            let metadata = match document(&fetched, ResourceMetadata::read)? {
                MetadataAnswer::Read(metadata) => metadata,
                MetadataAnswer::Absent(status) => {
                    tried.push((url, status.as_u16()));
                    continue;
                }
            };
            if metadata.covers(&self.server, &url) {
                return Ok(Some(metadata));
            }
            let mismatch = OAuthError::ResourceMismatch {
                expected: self.server.clone(),
                got: metadata.resource,
            };
            if need.metadata.as_ref() == Some(&url) {
                return Err(mismatch);
            }
            // Some servers have the document of their root at each path.
            other = other.or(Some(mismatch));
        }
        other.map_or(Ok(None), Err)
    }

    /// The choice among the authorization servers that the metadata names: one that this client
    /// knows, or else the first whose metadata can be read.
    async fn authorization_server(
        &self,
        resource: &ResourceMetadata,
        mut tried: Vec<(String, u16)>,
    ) -> Result<ServerMetadata, OAuthError> {
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
        Err(failure.unwrap_or_else(|| self.no_authorization_server(tried)))
    }

    /// The metadata of an authorization server, from the first place that has it.
    async fn server_metadata(
        &self,
        issuer: &str,
        tried: &mut Vec<(String, u16)>,
    ) -> Result<Option<ServerMetadata>, OAuthError> {
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
            Some(got) => Err(OAuthError::IssuerMismatch {
                expected: issuer.to_owned(),
                got,
                at: IssuerPlace::Metadata,
            }),
            None => Ok(None),
        }
    }

    /// Whether an issuer is the expected one. A slash at the end makes it a different issuer,
    /// unless the program allows both.
    fn is_same(&self, got: &str, expected: &str) -> bool {
        let has_path = |issuer| Origin::of(issuer).is_none_or(|it| !matches!(it.path, "" | "/"));
        let trimmed = |issuer: &str| issuer.trim_end_matches('/').to_owned();
        got == expected
            || self.settings.tolerates_issuer_slash
                && !has_path(got)
                && trimmed(got) == trimmed(expected)
    }

    /// The authorization server of a server without metadata: of the earlier login, if the user
    /// wants another one, or else the server itself, as in 2025-03-26, with the endpoints of that
    /// revision. The latter only if nothing shows that the server is newer, and
    /// never after a failed request, because then an attacker could redirect the login by blocking
    /// that request.
    async fn without_metadata(
        &self,
        need: &Need,
        mut tried: Vec<(String, u16)>,
    ) -> Result<Protection, OAuthError> {
        let kept = self.settings.store.load().await?;
        let grant = kept.grant(&self.server);
        // The server may name its authorization server only in answers to some requests.
        if let Some(grant) = grant.filter(|_| need.purpose == Purpose::Login)
            && let Some(server) = self.server_metadata(&grant.key.issuer, &mut tried).await?
        {
            return Ok(Protection {
                resource: grant.key.resource.clone(),
                scopes: grant.requested_scope.clone(),
                accepts_dpop: need.dpop || grant.dpop_key.is_some(),
                server,
                guess: None,
            });
        }
        let origin = Origin::of(&self.server).map(|it| it.text);
        let is_elsewhere =
            grant.is_some_and(|it| Some(it.key.issuer.trim_end_matches('/')) != origin);
        let is_old = self.settings.falls_back && need.metadata.is_none() && !is_elsewhere;
        let is_absent = tried.iter().all(|(_, status)| (400..500).contains(status));
        let Some(origin) = origin.filter(|_| is_old) else {
            return Err(self.no_authorization_server(tried));
        };
        let server = match self.server_metadata(origin, &mut tried).await {
            // The issuer's own spelling is known only now.
            Err(OAuthError::IssuerMismatch { got, .. })
                if got.strip_suffix('/') == Some(origin) =>
            {
                self.server_metadata(&got, &mut tried).await?
            }
            found => found?,
        };
        // A site may answer everything with a page, so its endpoints are not guessed.
        if server.is_none() && !is_absent {
            return Err(self.no_authorization_server(tried));
        }
        Ok(Protection {
            resource: String::new(),
            scopes: need.scope.clone(),
            accepts_dpop: need.dpop,
            guess: server.is_none().then_some(tried),
            server: server.unwrap_or_else(|| ServerMetadata::expected_at(origin)),
        })
    }

    /// The header that servers of 2025-03-26 require in requests for metadata.
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

/// The document in an answer, if there is one. A server without the document answers with 4xx, or
/// with a page. Any other failure ends the search, because otherwise an attacker could block one
/// document so that another one is read.
fn document<T>(
    fetched: &FetchResponse,
    read: fn(&[u8]) -> Result<T, plainly_oauth::Unreadable>,
) -> Result<MetadataAnswer<T>, OAuthError> {
    let FetchResponse {
        url, status, body, ..
    } = fetched;
    if status.is_client_error() {
        return Ok(MetadataAnswer::Absent(*status));
    }
    if *status != StatusCode::OK {
        return Err(OAuthError::Metadata {
            url: url.clone(),
            why: format!("HTTP status {status}"),
            status: Some(status.as_u16()),
        });
    }
    if !body.trim_ascii_start().starts_with(b"{") {
        return Ok(MetadataAnswer::Absent(*status));
    }
    let read = read(body).map_err(|why| failures::metadata(url, format!("it {why}")))?;
    Ok(MetadataAnswer::Read(read))
}
