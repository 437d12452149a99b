//! The choice of the client id: configured, stored, a metadata document, or a dynamic registration
//! (2026-07-28, "Client Registration").

use http::HeaderMap;
use plainly_oauth::credentials::{ClientAuthMethod, Credentials, Grant, Registration};
use plainly_oauth::metadata::ServerMetadata;
use plainly_oauth::registration::RegistrationRequest;
use plainly_oauth::{check_page, scope};

use super::OAuthError;
use super::authorization::Approver;
use super::client_id::{ClientId, ClientProof, RegisteredClient};
use super::device::Screen;
use super::failures::{self, Request};
use super::flow::Flow;
use super::policy::{Goal, Login};
use super::{Consent, ConsentError};

/// The redirect URI for servers that require the name `localhost`.
const LOCALHOST: &str = "http://localhost/callback";

/// Whether a registered client can request these scopes. The server may reject scopes that the
/// client did not register for (RFC 7591, 2). In that case, the client registers again if it can.
fn can_request(client: &Registration, server: &ServerMetadata, scope: &[String]) -> bool {
    let can_register = server.registration_endpoint.is_some();
    !client.is_own() || !can_register || !scope::is_wider(scope, &client.scope)
}

/// The way to ask the user for approval.
#[derive(Clone, Copy)]
enum UserAgent<'a> {
    /// A browser that is redirected to this program.
    Browser(&'a dyn Consent),
    /// Another device.
    Device(&'a Screen),
}

impl UserAgent<'_> {
    async fn prepare(self, redirect: Option<&str>) -> Result<Approver, ConsentError> {
        match self {
            Self::Browser(consent) => Ok(Approver::Browser(consent.prepare(redirect).await?)),
            Self::Device(screen) => Ok(Approver::Device(screen.clone())),
        }
    }
}

impl Flow {
    /// Chooses the client of a login, and prepares the approval.
    pub(super) async fn register(
        &self,
        goal: &Goal,
        login: &Login,
    ) -> Result<(RegisteredClient, Approver), OAuthError> {
        let server = &login.found.server;
        if self.settings.has_user() {
            let agent = self.user_agent(goal, login).await?;
            return self.client_of_user(login, agent).await;
        }
        let client = self.configured_client(server).await?;
        let anonymous = || Registration::new(server.issuer.as_str(), "").into();
        Ok((client.unwrap_or_else(anonymous), Approver::Program))
    }

    /// The way to ask the user, if both this authorization server and the program support it.
    async fn user_agent(&self, goal: &Goal, login: &Login) -> Result<UserAgent<'_>, OAuthError> {
        let server = &login.found.server;
        let issuer = &server.issuer;
        if let Some(screen) = &self.settings.screen {
            return match server.device_authorization_endpoint {
                Some(_) => Ok(UserAgent::Device(screen)),
                None => {
                    let lacking = failures::lacking(issuer, "device_authorization_endpoint");
                    Err(self.without_server(&login.found).unwrap_or(lacking))
                }
            };
        }
        let name = "authorization_endpoint";
        let Some(endpoint) = server.authorization_endpoint.as_deref() else {
            return Err(failures::lacking(issuer, name));
        };
        if !server.has_pkce() {
            let issuer = issuer.clone();
            return Err(OAuthError::PkceUnsupported { issuer });
        }
        let Some(consent) = self.settings.consent.as_deref() else {
            return Err(OAuthError::LoginRequired {
                server: self.server.clone(),
                scopes: login.scope.clone(),
                has_login: goal.token_to_step_up().is_some(),
            });
        };
        check_page(endpoint)
            .map_err(|why| failures::metadata(issuer, format!("its `{name}` {why}")))?;
        self.fetcher.check(endpoint).await?;
        Ok(UserAgent::Browser(consent))
    }

    async fn client_of_user(
        &self,
        login: &Login,
        agent: UserAgent<'_>,
    ) -> Result<(RegisteredClient, Approver), OAuthError> {
        let server = &login.found.server;
        let issuer = &server.issuer;
        let prepare = async |redirect| {
            let prepared = agent.prepare(redirect).await;
            prepared.map_err(|why| failures::consent(issuer, why))
        };
        if let Some(client) = self.configured_client(server).await? {
            return Ok((client, prepare(None).await?));
        }
        let stored = self.settings.store.load().await?;
        let stored = stored.registration(issuer, self.settings.clock.now());
        let is_for_devices = matches!(agent, UserAgent::Device(_));
        let stored = stored.filter(|it| it.is_for_devices == is_for_devices);
        if let Some(stored) = stored.filter(|it| can_request(it, server, &login.scope)) {
            match agent.prepare(stored.redirect_uri.as_deref()).await {
                Ok(approver) => return Ok((stored.clone().into(), approver)),
                // The client can register with another port.
                Err(ConsentError::PortTaken { .. } | ConsentError::Redirect { .. })
                    if server.registration_endpoint.is_some() => {}
                Err(why) => return Err(failures::consent(issuer, why)),
            }
        }
        let approver = prepare(None).await?;
        let document = self.settings.client_document.as_deref();
        if let Some(url) = document.filter(|_| server.reads_client_documents) {
            return Ok((Registration::new(issuer.as_str(), url).into(), approver));
        }
        let redirect_uri = approver.redirect_uri();
        match self.register_at(server, redirect_uri, &login.scope).await {
            Err(OAuthError::RegistrationRefused { error, .. })
                if redirect_uri.is_some() && error.as_deref() == Some("invalid_redirect_uri") =>
            {
                drop(approver);
                let approver = prepare(Some(LOCALHOST)).await?;
                let redirect_uri = approver.redirect_uri();
                let client = self.register_at(server, redirect_uri, &login.scope).await?;
                Ok((client.into(), approver))
            }
            registered => Ok((registered?.into(), approver)),
        }
    }

    /// Registers this client at a server where it has no id, and stores the registration.
    async fn register_at(
        &self,
        server: &ServerMetadata,
        redirect_uri: Option<&str>,
        scope: &[String],
    ) -> Result<Registration, OAuthError> {
        let Some(endpoint) = &server.registration_endpoint else {
            return Err(OAuthError::NoClientId {
                issuer: server.issuer.clone(),
                redirect_uri: redirect_uri.unwrap_or_default().to_owned(),
                scopes: scope.to_vec(),
            });
        };
        let method = ClientAuthMethod::preferred(server);
        let stored = self.settings.store.load().await?;
        let before = stored.registration(&server.issuer, self.settings.clock.now());
        let before = before.map_or(&[][..], |it| &it.scope);
        let scope = scope::union(before, scope.iter().map(String::as_str));
        let mut request =
            RegistrationRequest::new(&self.settings.client_name, redirect_uri, method);
        request.scope = &scope;
        let posted = self
            .fetcher
            .post_json(endpoint, HeaderMap::new(), request.body());
        let fetched = posted.await?;
        let now = self.settings.clock.now();
        let read = request.read(server, fetched.status.as_u16(), &fetched.body, now);
        let client = read.map_err(|why| Request::Registration.failed(&server.issuer, why))?;
        let stored = client.clone();
        let change = Box::new(|it: &mut Credentials| it.keep_registration(stored));
        self.settings.store.update(change).await?;
        Ok(client)
    }

    /// The client that the program configured, if there is one. It is only used at its own
    /// authorization server.
    async fn configured_client(
        &self,
        server: &ServerMetadata,
    ) -> Result<Option<RegisteredClient>, OAuthError> {
        let Some(client) = &self.settings.client else {
            return Ok(None);
        };
        let issuer = &server.issuer;
        let expected = match &client.issuer {
            Some(expected) => expected.clone(),
            None => {
                let known = self.known_issuer(client).await?;
                self.wallet.bind(known.as_ref().unwrap_or(issuer))
            }
        };
        match expected == *issuer {
            true => Ok(Some(client.at(issuer, Some(server)))),
            false => Err(OAuthError::ClientOfAnotherIssuer {
                expected,
                got: issuer.clone(),
            }),
        }
    }

    /// The authorization server of a configured client, according to the stored credentials: the
    /// server that has its secret, or else the server that issued a token for this MCP server
    /// before.
    async fn known_issuer(&self, client: &ClientId) -> Result<Option<String>, OAuthError> {
        let stored = self.settings.store.load().await?;
        let secret = match &client.proof {
            ClientProof::Secret(secret) => Some(secret),
            ClientProof::Nothing | ClientProof::Key(_) => None,
        };
        let mut registrations = stored.registrations.iter().filter(|_| secret.is_some());
        let of_secret = registrations
            .find(|it| it.client_id == client.id && it.client_secret.as_ref() == secret);
        let of_server = stored.servers.get(&self.server);
        let of_server = of_server.filter(|it| it.client_id == client.id);
        let issuer = of_secret.map(|it| &it.issuer);
        Ok(issuer.or(of_server.map(|it| &it.issuer)).cloned())
    }

    /// The client that a grant was issued to.
    pub(super) fn client_of(&self, grant: &Grant, stored: &Credentials) -> RegisteredClient {
        let key = &grant.key;
        let mut registrations = stored.registrations.iter();
        let stored =
            registrations.find(|it| it.issuer == key.issuer && it.client_id == key.client_id);
        let configured = self.settings.client.as_ref().filter(|it| {
            it.id == key.client_id && it.issuer.as_ref().is_none_or(|it| *it == key.issuer)
        });
        let Some(configured) = configured else {
            let unknown = || Registration::new(key.issuer.as_str(), key.client_id.as_str());
            return stored.cloned().unwrap_or_else(unknown).into();
        };
        let mut client = configured.at(&key.issuer, None);
        // The login determined how the server accepts the secret.
        if let Some(stored) = stored.filter(|_| client.registration.client_secret.is_some()) {
            client.registration.method = stored.method;
        }
        client
    }

    /// Removes a client that registered itself, because its server may not know it any more. The
    /// next login registers it again.
    pub(super) async fn forget_client(&self, client: &Registration) -> Result<(), OAuthError> {
        if !client.is_own() {
            return Ok(());
        }
        let change = Box::new(|it: &mut Credentials| {
            it.forget_registration(&client.issuer, &client.client_id);
        });
        Ok(self.settings.store.update(change).await?)
    }
}
