//! One public client for all users, for authorization servers that register no clients (Entra,
//! Okta, Cognito).
//!
//! The metadata of a resource can't name a client (RFC 9728). So the resource names itself as the
//! authorization server, and publishes metadata as one (RFC 8414). The endpoints are those of the
//! real authorization server, except for the registration endpoint here, which always returns the
//! same client (RFC 7591). Users, codes and tokens go directly between the client and the real
//! authorization server, so no secret passes through this server.
//!
//! The issuer in that metadata must be the one that the client requested (RFC 8414, 3.3), so it
//! can't be the real one. A real authorization server that sends its own name with codes (RFC 9207)
//! can't be used like this, because clients would treat that as an attack.

use bytes::Bytes;
use http::StatusCode;
use plainly_oauth::Pkce;
use plainly_oauth::metadata::ServerMetadata;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::issuer_keys::metadata;
use crate::fetch::Fetcher;
use plainly_http::Route;
use plainly_transport::lock::Lock;

/// The path of an authorization server's metadata, below its origin (RFC 8414, 3).
const WELL_KNOWN: &str = "/.well-known/oauth-authorization-server";

/// The client, and its authorization server.
#[derive(Debug)]
pub(super) struct PublicClient {
    id: String,
    /// The real authorization server.
    upstream: String,
    /// The public URL of this server, which acts as the issuer.
    issuer: String,
    metadata_paths: [String; 2],
    registration_path: String,
    registration_url: String,
    fetcher: Fetcher,
    /// The metadata, after that of the real authorization server was read.
    document: Lock<Option<Bytes>>,
}

#[derive(Serialize)]
struct Document<'a> {
    issuer: &'a str,
    authorization_endpoint: &'a str,
    token_endpoint: &'a str,
    registration_endpoint: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    revocation_endpoint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    device_authorization_endpoint: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    scopes_supported: &'a [String],
    response_types_supported: [&'static str; 1],
    grant_types_supported: Vec<&'a str>,
    token_endpoint_auth_methods_supported: [&'static str; 1],
    code_challenge_methods_supported: [&'static str; 1],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    dpop_signing_alg_values_supported: &'a [String],
}

/// The used part of a client's registration.
#[derive(Deserialize)]
struct RegistrationForm {
    redirect_uris: Vec<String>,
}

impl PublicClient {
    /// The client with this id at `upstream`, for the server at `resource`, whose origin and path
    /// are passed separately.
    pub(super) fn new(
        id: String,
        upstream: &str,
        resource: &str,
        (origin, path): (&str, &str),
        fetcher: Fetcher,
    ) -> Self {
        let registration_path = format!("{path}/register");
        Self {
            id,
            upstream: upstream.to_owned(),
            issuer: resource.to_owned(),
            // Clients of 2025-03-26 request no path.
            metadata_paths: [format!("{WELL_KNOWN}{path}"), WELL_KNOWN.to_owned()],
            registration_url: format!("{origin}{registration_path}"),
            registration_path,
            fetcher,
            document: Lock::default(),
        }
    }

    /// Reads the metadata of the real authorization server. The error is for the operator.
    pub(super) async fn read_upstream(&self) -> Result<(), String> {
        let upstream = metadata(&self.fetcher, &self.upstream).await?;
        *self.document.lock() = Some(self.composed(&upstream)?);
        Ok(())
    }

    fn composed(&self, upstream: &ServerMetadata) -> Result<Bytes, String> {
        if upstream.sends_issuer {
            return Err(format!(
                "{} sends its issuer along with codes (RFC 9207), so clients would reject them: \
                 give clients the id instead, as with plainly login --client-id",
                self.upstream
            ));
        }
        let missing = |name| format!("the metadata of {} has no {name}", self.upstream);
        let authorization = upstream.authorization_endpoint.as_deref();
        let token = upstream.token_endpoint.as_deref();
        let mut grants = vec!["authorization_code"];
        let others = [
            "refresh_token",
            "urn:ietf:params:oauth:grant-type:device_code",
        ];
        grants.extend(others.into_iter().filter(|grant| upstream.gives(grant)));
        let document = Document {
            issuer: &self.issuer,
            authorization_endpoint: authorization
                .ok_or_else(|| missing("authorization_endpoint"))?,
            token_endpoint: token.ok_or_else(|| missing("token_endpoint"))?,
            registration_endpoint: &self.registration_url,
            revocation_endpoint: upstream.revocation_endpoint.as_deref(),
            device_authorization_endpoint: upstream.device_authorization_endpoint.as_deref(),
            scopes_supported: &upstream.scopes,
            response_types_supported: ["code"],
            grant_types_supported: grants,
            token_endpoint_auth_methods_supported: ["none"],
            // Every server that accepts public clients supports it, even if its metadata does not
            // say so (as for Entra).
            code_challenge_methods_supported: [Pkce::METHOD],
            dpop_signing_alg_values_supported: &upstream.dpop_algorithms,
        };
        // This can't fail, because all members are texts and lists of texts.
        Ok(serde_json::to_vec(&document).unwrap_or_default().into())
    }

    /// The metadata, if it was read, and the registration endpoint.
    pub(super) fn routes(&self) -> Vec<(String, Route)> {
        let metadata = self.document.lock().clone().map(Route::document);
        let paths = self.metadata_paths.iter().cloned();
        let mut routes: Vec<_> = paths.zip(metadata.into_iter().cycle()).collect();
        let id = self.id.clone();
        let register = Route::form(move |body| register(&id, body));
        routes.push((self.registration_path.clone(), register));
        routes
    }
}

/// The response to a client that registers: the one client, with the redirect URIs that the client
/// asks for. The authorization server accepts only those that are registered for it.
fn register(id: &str, body: &[u8]) -> (StatusCode, Bytes) {
    let (status, answer) = match serde_json::from_slice::<RegistrationForm>(body) {
        Ok(RegistrationForm { redirect_uris }) => (
            StatusCode::CREATED,
            json!({
                "client_id": id,
                "redirect_uris": redirect_uris,
                "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
            }),
        ),
        Err(_) => (
            StatusCode::BAD_REQUEST,
            json!({
                "error": "invalid_client_metadata",
                "error_description": "expected a JSON object with `redirect_uris`, a list of texts",
            }),
        ),
    };
    (status, answer.to_string().into())
}
