//! A user who agrees to every login at once, and clients that the user logs in with.

use std::future::ready;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly::Client;
use plainly::client::Error;
use plainly::client::oauth::{Consent, ConsentError, ConsentPage, OAuth, OAuthError, Visit};
use plainly_authorization::{AuthorizationServer, Misbehaviour, ProtectedServer, Rules, location};
use plainly_peer::within;
use serde_json::json;

/// The redirect URI for browsers.
pub(crate) const REDIRECT: &str = "http://127.0.0.1:8765/callback";

/// The page that a user has agreed to.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) server: String,
    pub(crate) issuer: String,
    pub(crate) scope: Vec<String>,
}

/// A user who agrees to every login by a visit that follows no redirect. Clones are the same user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Person(Arc<Mutex<Vec<Page>>>);

impl Person {
    /// Returns the number of visits.
    pub(crate) fn visits(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    /// Returns the last page.
    pub(crate) fn last(&self) -> Page {
        self.0.lock().unwrap().last().unwrap().clone()
    }

    /// Returns a login that asks this user.
    pub(crate) fn login(&self) -> OAuth {
        OAuth::new().consent(self.clone())
    }
}

impl Consent for Person {
    fn prepare<'a>(
        &'a self,
        _redirect: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Visit>, ConsentError>> {
        ready(Ok(Box::new(self.clone()) as Box<dyn Visit>)).boxed()
    }
}

impl Visit for Person {
    fn redirect_uri(&self) -> &str {
        REDIRECT
    }

    fn visit<'a>(
        self: Box<Self>,
        page: &'a ConsentPage<'a>,
    ) -> BoxFuture<'a, Result<String, ConsentError>> {
        self.0.lock().unwrap().push(Page {
            server: page.server.to_owned(),
            issuer: page.issuer.to_owned(),
            scope: page.scope.to_vec(),
        });
        async {
            let location = location(page.url).await;
            let location = location.map_err(|error| ConsentError::Failed(error.to_string()))?;
            let query = location.split_once('?').map(|(_, query)| query.to_owned());
            query.ok_or_else(|| ConsentError::Failed("there is no query".to_owned()))
        }
        .boxed()
    }
}

/// An MCP server, its authorization server, and the user.
pub(crate) struct World {
    pub(crate) issuer: AuthorizationServer,
    pub(crate) server: ProtectedServer,
    pub(crate) person: Person,
}

impl World {
    pub(crate) async fn new(rules: Rules) -> Self {
        let issuer = AuthorizationServer::start(rules).await;
        let server = ProtectedServer::start(&issuer).await;
        let person = Person::default();
        Self {
            issuer,
            server,
            person,
        }
    }

    /// Creates a world whose authorization server misbehaves.
    pub(crate) async fn hostile(misbehaviour: Misbehaviour) -> Self {
        let world = Self::new(Rules::default()).await;
        world.issuer.set(misbehaviour);
        world
    }

    /// Creates a world whose MCP server misbehaves.
    pub(crate) async fn behind(misbehaviour: Misbehaviour) -> Self {
        let world = Self::new(Rules::default()).await;
        world.server.set(misbehaviour);
        world
    }

    pub(crate) async fn connect(&self) -> Client {
        connect(&self.server.url, self.person.login())
            .await
            .unwrap()
    }

    /// Returns the reason why a login fails.
    pub(crate) async fn refused(&self) -> OAuthError {
        refused(&self.server.url, self.person.login()).await
    }

    /// Returns the number of requests to both servers.
    pub(crate) fn requests(&self) -> usize {
        self.issuer.record.total() + self.server.record.total()
    }

    /// Asserts that no request of a login was sent.
    #[track_caller]
    pub(crate) fn assert_no_login(&self, case: &str) {
        assert_eq!(self.person.visits(), 0, "{case}");
        for path in ["/register", "/authorize", "/token"] {
            assert_eq!(self.issuer.record.count(path), 0, "{case}: {path}");
        }
        assert!(!self.server.record.has("authorization"), "{case}");
    }

    /// Asserts that no code or other secret was sent.
    #[track_caller]
    pub(crate) fn assert_no_token_request(&self, case: &str) {
        assert_eq!(self.issuer.record.count("/token"), 0, "{case}");
        assert!(!self.server.record.has("\"authorization\""), "{case}");
    }
}

/// Connects to the server at `url`.
pub(crate) async fn connect(url: &str, oauth: OAuth) -> Result<Client, Error> {
    within(Client::http(url).authorizer(oauth).connect()).await
}

/// Returns the reason why a login at `url` fails.
pub(crate) async fn refused(url: &str, oauth: OAuth) -> OAuthError {
    let error = connect(url, oauth).await.expect_err("it was let in");
    why(&error)
}

/// Returns the reason why a request was not authorized.
#[track_caller]
pub(crate) fn why(error: &Error) -> OAuthError {
    let why = error.authorization();
    let why = why.and_then(|it| it.downcast_ref::<OAuthError>());
    why.unwrap_or_else(|| panic!("{error:?}")).clone()
}

/// Calls the tool that all servers in these tests have.
pub(crate) async fn greet(client: &Client) -> Result<(), Error> {
    let called = within(async { client.call_tool("greet", json!({})).await }).await?;
    assert!(!called.is_tool_error());
    Ok(())
}

/// Asserts the kind of an error.
macro_rules! assert_why {
    ($error:expr, $case:expr, $($expected:tt)+) => {{
        let error = $error;
        assert!(matches!(error, $($expected)+), "{}: {error:?}", $case);
    }};
}
pub(crate) use assert_why;
