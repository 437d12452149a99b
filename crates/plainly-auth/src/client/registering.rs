//! The choice of the client id: configured, stored, a metadata document, or a dynamic registration
//! (2026-07-28, "Client Registration").

use http::HeaderMap;
use plainly_oauth::credentials::{ClientAuthMethod, Credentials, Registration};
use plainly_oauth::metadata::ServerMetadata;
use plainly_oauth::registration::RegistrationRequest;
use plainly_oauth::{Secret, scope};

use super::failures;
use super::flow::Flow;
use super::settings::{ClientId, ClientProof};
use super::{Consent, ConsentError, Visit};
use plainly_client::AuthError;

/// The redirect URI for servers that want that name.
const LOCALHOST: &str = "http://localhost/callback";

/// A client that is ready for a login, and its visit.
type Ready = (Registration, Box<dyn Visit>);

impl ClientId {
    fn secret_text(&self) -> Option<&Secret> {
        match &self.proof {
            ClientProof::Secret(secret) => Some(secret),
            ClientProof::Nothing | ClientProof::Key(_) => None,
        }
    }

    /// The registration that this is, at an authorization server.
    pub(super) fn registration(
        &self,
        issuer: &str,
        server: Option<&ServerMetadata>,
    ) -> Registration {
        let mut registration = Registration::new(issuer, self.id.as_str());
        match &self.proof {
            ClientProof::Nothing => {}
            ClientProof::Secret(secret) => {
                registration.client_secret = Some(secret.clone());
                let method = server.map(ClientAuthMethod::of_secret);
                registration.method = method.unwrap_or(ClientAuthMethod::Basic);
            }
            ClientProof::Key(_) => registration.method = ClientAuthMethod::PrivateKey,
        }
        registration
    }
}

/// Whether a client that is registered can ask for this. One that registered for less may be refused (RFC 7591, 2), and registers
/// anew if it can.
fn may_ask(client: &Registration, server: &ServerMetadata, scope: &[String]) -> bool {
    let can_register = server.registration_endpoint.is_some();
    !client.is_own() || !can_register || !scope::is_wider(scope, &client.scope)
}

impl Flow {
    /// The client that the program configured, if any: only at its own authorization server.
    pub(super) async fn given_client(
        &self,
        server: &ServerMetadata,
    ) -> Result<Option<Registration>, AuthError> {
        let Some(given) = &self.settings.client else {
            return Ok(None);
        };
        let issuer = &server.issuer;
        let expected = match &given.issuer {
            Some(expected) => expected.clone(),
            None => {
                let bound = self.bound_issuer(given).await?;
                self.wallet.bind(bound.as_ref().unwrap_or(issuer))
            }
        };
        match expected == *issuer {
            true => Ok(Some(given.registration(issuer, Some(server)))),
            false => Err(AuthError::ClientOfAnotherIssuer {
                expected,
                got: issuer.clone(),
            }),
        }
    }

    /// The authorization server of a configured client, by the stored credentials: the one that
    /// knows its secret, or else the one that issued a token for this server before.
    async fn bound_issuer(&self, given: &ClientId) -> Result<Option<String>, AuthError> {
        let kept = self.settings.store.load().await?;
        let is_it = |it: &&Registration| {
            let secret = it.client_secret.as_ref();
            it.client_id == given.id && secret.is_some() && secret == given.secret_text()
        };
        let of_secret = kept.registrations.iter().find(is_it);
        let of_server = kept.servers.get(&self.server);
        let of_server = of_server.filter(|it| it.client_id == given.id);
        let issuer = of_secret.map(|it| &it.issuer);
        Ok(issuer.or(of_server.map(|it| &it.issuer)).cloned())
    }

    /// The client at this server, and a way for browsers to come back to it.
    pub(super) async fn client(
        &self,
        server: &ServerMetadata,
        scope: &[String],
        consent: &dyn Consent,
    ) -> Result<Ready, AuthError> {
        let issuer = &server.issuer;
        let prepare = async |redirect| {
            let visit = consent.prepare(redirect).await;
            visit.map_err(|why| failures::consent(issuer, why))
        };
        if let Some(given) = self.given_client(server).await? {
            return Ok((given, prepare(None).await?));
        }
        let kept = self.settings.store.load().await?;
        let now = self.settings.clock.now();
        let kept = kept.registration(issuer, now);
        let kept = kept.filter(|it| may_ask(it, server, scope));
        if let Some(kept) = kept.filter(|it| !it.is_for_devices) {
            match consent.prepare(kept.redirect_uri.as_deref()).await {
                Ok(visit) => return Ok((kept.clone(), visit)),
                // A registration for another port can be had.
                Err(ConsentError::PortTaken { .. } | ConsentError::Redirect { .. })
                    if server.registration_endpoint.is_some() => {}
                Err(why) => return Err(failures::consent(issuer, why)),
            }
        }
        let document = self.settings.client_document.as_deref();
        if let Some(url) = document.filter(|_| server.reads_client_documents) {
            let client = Registration::new(issuer.as_str(), url);
            return Ok((client, prepare(None).await?));
        }
        let visit = prepare(None).await?;
        let Some(endpoint) = &server.registration_endpoint else {
            return Err(AuthError::NoClientId {
                issuer: issuer.clone(),
                redirect_uri: visit.redirect_uri().to_owned(),
                scopes: scope.to_vec(),
            });
        };
        let redirect = Some(visit.redirect_uri());
        match self.register(server, endpoint, scope, redirect).await {
            Ok(client) => Ok((client, visit)),
            Err(AuthError::RegistrationRefused {
                error: Some(error), ..
            }) if error == "invalid_redirect_uri" => {
                drop(visit);
                let visit = prepare(Some(LOCALHOST)).await?;
                let redirect = Some(visit.redirect_uri());
                let client = self.register(server, endpoint, scope, redirect).await?;
                Ok((client, visit))
            }
            Err(error) => Err(error),
        }
    }

    /// The client at this server, for a login at another device.
    pub(super) async fn client_of_device(
        &self,
        server: &ServerMetadata,
        scope: &[String],
    ) -> Result<Registration, AuthError> {
        let issuer = &server.issuer;
        if let Some(given) = self.given_client(server).await? {
            return Ok(given);
        }
        let kept = self.settings.store.load().await?;
        let kept = kept.registration(issuer, self.settings.clock.now());
        let kept = kept.filter(|it| may_ask(it, server, scope));
        if let Some(kept) = kept.filter(|it| it.is_for_devices) {
            return Ok(kept.clone());
        }
        let document = self.settings.client_document.as_deref();
        if let Some(url) = document.filter(|_| server.reads_client_documents) {
            return Ok(Registration::new(issuer.as_str(), url));
        }
        match &server.registration_endpoint {
            Some(endpoint) => self.register(server, endpoint, scope, None).await,
            None => Err(AuthError::NoClientId {
                issuer: issuer.clone(),
                redirect_uri: String::new(),
                scopes: scope.to_vec(),
            }),
        }
    }

    /// Introduces this client to a server that does not know it, and keeps what comes of it.
    async fn register(
        &self,
        server: &ServerMetadata,
        endpoint: &str,
        scope: &[String],
        redirect_uri: Option<&str>,
    ) -> Result<Registration, AuthError> {
        let method = ClientAuthMethod::preferred(server);
        let before = self.settings.store.load().await?;
        let before = before.registration(&server.issuer, self.settings.clock.now());
        let before = before.map_or(&[][..], |it| &it.scope);
        let scope = scope::union(before, scope.iter().map(String::as_str));
        let mut request =
            RegistrationRequest::new(&self.settings.client_name, redirect_uri, method);
        request.scope = &scope;
        let fetched = self
            .fetcher
            .post_json(endpoint, HeaderMap::new(), request.body())
            .await?;
        let now = self.settings.clock.now();
        let read = request.read(server, fetched.status.as_u16(), &fetched.body, now);
        let client = read.map_err(|why| failures::registration(&server.issuer, why))?;
        let kept = client.clone();
        let keep = Box::new(|credentials: &mut Credentials| credentials.keep_registration(kept));
        self.settings.store.update(keep).await?;
        Ok(client)
    }
}
