//! Has requests let in: which credentials each one carries, whether they may be sent at all, and what comes of it when they
//! are refused. Knows no connection.

use std::error::Error as StdError;
use std::net::IpAddr;
use std::sync::Arc;

use http::{Method, StatusCode};
use reqwest::Url;

use super::Http;
use crate::authorization::bearer::BearerToken;
use crate::authorization::token_source::TokenSource;
use crate::authorization::{
    Again, AuthError, Authorizer, Credentials, Head, Outgoing, Refusal, dpop_nonce,
};
use crate::builder::Builder;
use crate::clocks::Clocks;
use crate::error::Challenges;

/// How often one request is sent again, whatever its authorizer says.
const MOST: u32 = 5;

impl Builder<Http> {
    /// Sends this token with every HTTP request, as `Authorization: Bearer …`. It stays the same: one that expires needs a
    /// [function](Self::token).
    ///
    /// Of this, [`token`](Self::token) and [`authorizer`](Self::authorizer), the last one counts.
    ///
    /// ```no_run
    /// # async fn example(token: String) -> plainly::client::Result<()> {
    /// use plainly::Client;
    ///
    /// let client = Client::http("https://mcp.example.com/mcp").bearer(token).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`connect`](Self::connect) fails with [`AuthError::Plaintext`] if the URL begins with `http` and is of another
    /// machine, unless that is [allowed](Self::allow_plaintext_token); with [`AuthError::TokenUnusable`] if it is no token;
    /// and with [`LocalError::ReservedHeader`](crate::LocalError::ReservedHeader) if there is a
    /// [header](Self::header) `Authorization` too.
    pub fn bearer(self, token: impl Into<String>) -> Self {
        self.authorizer(BearerToken::new(&token.into()))
    }

    /// Sends the token that `ask` gives with every HTTP request. It is asked before the first one, and again when the token is
    /// refused with 401: once for each call, and once for all calls that wait meanwhile.
    ///
    /// ```no_run
    /// # async fn renewed() -> Result<String, std::io::Error> { Ok(String::new()) }
    /// # async fn example() -> plainly::client::Result<()> {
    /// use plainly::Client;
    ///
    /// let client = Client::http("https://mcp.example.com/mcp")
    ///     .token(|| async { Ok(renewed().await?) })
    ///     .connect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`bearer`](Self::bearer), of any call; and [`AuthError::Assertion`] if `ask` fails.
    pub fn token<A>(self, ask: impl Fn() -> A + Send + Sync + 'static) -> Self
    where
        A: Future<Output = Result<String, Box<dyn StdError + Send + Sync>>> + Send + 'static,
    {
        self.authorizer(TokenSource::new(ask))
    }

    /// Lets `authorizer` provide the credentials of every HTTP request.
    ///
    /// # Errors
    ///
    /// Any call may fail with the authorizer's error, as
    /// [`LocalError::Authorization`](crate::LocalError::Authorization); and as [`bearer`](Self::bearer) says.
    pub fn authorizer(mut self, authorizer: impl Authorizer + 'static) -> Self {
        self.target.authorizer = Some(Arc::new(authorizer));
        self
    }

    /// Sends credentials unencrypted to other machines too: for a network where everybody who could read them may have them.
    /// What is set as a [header](Self::header) is sent wherever the URL says anyway.
    pub fn allow_plaintext_token(mut self) -> Self {
        self.target.is_plaintext_allowed = true;
        self
    }
}

/// The way in for requests to one server.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    authorizer: Arc<dyn Authorizer>,
    /// Whether somebody else can read what is sent.
    readers: Readers,
    /// The URL of the server.
    server: String,
    clocks: Clocks,
}

/// The readers of what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// The server alone, as it is encrypted.
    Server,
    /// This machine, as it never leaves it.
    Machine,
    /// Anybody on the way, which is allowed.
    Allowed,
    /// Anybody on the way.
    Anybody,
}

impl Gate {
    /// The way to the server at `url`; the clocks are those of the connection.
    pub(super) fn new(target: &Http, url: &Url, clocks: Clocks) -> Option<Self> {
        let readers = match url.scheme() {
            "https" => Readers::Server,
            _ if target.is_plaintext_allowed => Readers::Allowed,
            _ if is_this_machine(url) => Readers::Machine,
            _ => Readers::Anybody,
        };
        Some(Self {
            authorizer: target.authorizer.clone()?,
            readers,
            server: url.to_string(),
            clocks,
        })
    }

    /// Whether a proxy would get to know what only this machine may.
    pub(super) fn keeps_proxies_out(&self) -> bool {
        self.readers == Readers::Machine
    }

    /// A request that is sent for this time.
    pub(super) fn request<'a>(
        &'a self,
        http: &'a Method,
        url: &'a str,
        attempt: u32,
    ) -> Outgoing<'a> {
        Outgoing {
            http,
            url,
            server: &self.server,
            attempt,
            clocks: &self.clocks,
        }
    }

    /// The extensions that its authorizer makes use of.
    pub(super) fn extensions(&self) -> Vec<&'static str> {
        self.authorizer.extensions()
    }

    /// What the request carries.
    pub(super) async fn credentials(
        &self,
        request: &Outgoing<'_>,
    ) -> Result<Credentials, AuthError> {
        let mut credentials = self.authorizer.credentials(request).await?;
        if !credentials.headers.is_empty() {
            self.check_readers()?;
        }
        for (_, value) in &mut credentials.headers {
            value.set_sensitive(true);
        }
        Ok(credentials)
    }

    /// Whether the request is sent again, now that its credentials of this generation were answered so, as they were `repeated`
    /// times before.
    pub(super) async fn reopens(
        &self,
        request: &Outgoing<'_>,
        (generation, repeated): (u64, u32),
        head: Head<'_>,
    ) -> Result<bool, AuthError> {
        self.authorizer.answered(request, &head);
        let Some(refusal) = refusal(head, generation, repeated).filter(|_| request.attempt < MOST)
        else {
            return Ok(false);
        };
        // Nobody should log in for credentials that can't be sent.
        self.check_readers()?;
        let again = self.authorizer.refused(request, &refusal).await?;
        Ok(again == Again::Retry)
    }

    fn check_readers(&self) -> Result<(), AuthError> {
        match self.readers {
            Readers::Server | Readers::Machine | Readers::Allowed => Ok(()),
            Readers::Anybody => Err(AuthError::Plaintext {
                server: AuthError::shown_url(&self.server),
            }),
        }
    }
}

fn refusal(head: Head<'_>, generation: u64, repeated: u32) -> Option<Refusal> {
    let challenges = Challenges::of(head.status, head.headers).readable;
    let is_refused = match head.status {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => !challenges.is_empty(),
        _ => false,
    };
    is_refused.then(|| Refusal {
        status: head.status,
        challenges,
        generation,
        repeated,
        dpop_nonce: dpop_nonce(head.headers),
    })
}

/// Whether what is sent to this URL never leaves the machine.
fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_name) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use http::HeaderValue;
    use http::header::AUTHORIZATION;

    use super::*;

    /// Lets requests in with what it does not mark as a secret.
    #[derive(Debug)]
    struct Careless;

    impl Authorizer for Careless {
        fn credentials<'a>(
            &'a self,
            _request: &'a Outgoing<'a>,
        ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
            let mut credentials = Credentials::default();
            let token = HeaderValue::from_static("Bearer t0ken");
            credentials.headers.push((AUTHORIZATION, token));
            ready(Ok(credentials)).boxed()
        }
    }

    #[tokio::test]
    async fn credentials_are_marked_and_go_past_nobody_who_may_not_have_them() {
        for (url, is_plaintext_allowed, is_sent, keeps_proxies_out) in [
            ("https://mcp.example/", false, true, false),
            ("https://127.0.0.1/", false, true, false),
            ("http://127.0.0.1/", false, true, true),
            ("http://127.0.0.1/", true, true, false),
            ("http://mcp.example/", false, false, false),
            ("http://mcp.example/", true, true, false),
        ] {
            let target = Http {
                url: url.to_owned(),
                headers: Vec::new(),
                trusted: Vec::new(),
                authorizer: Some(Arc::new(Careless)),
                is_plaintext_allowed,
            };
            let gate = Gate::new(&target, &url.parse().unwrap(), Clocks::default()).unwrap();
            assert_eq!(gate.keeps_proxies_out(), keeps_proxies_out, "{url}");
            let request = gate.request(&Method::POST, url, 0);
            let credentials = gate.credentials(&request).await;
            assert_eq!(credentials.is_ok(), is_sent, "{url}");
            for (_, value) in credentials.iter().flat_map(|it| &it.headers) {
                assert!(value.is_sensitive(), "{url}");
            }
        }
    }

    #[test]
    fn only_what_stays_on_this_machine_or_is_encrypted_needs_no_leave() {
        for (url, is_here) in [
            ("http://127.0.0.1:3333/mcp", true),
            ("http://127.9.9.9/", true),
            ("http://2130706433/", true),
            ("http://[::1]:80/", true),
            ("http://[::ffff:127.0.0.1]/", true),
            ("http://LOCALHOST/", true),
            ("http://localhost.example/", false),
            ("http://a.localhost/", false),
            ("http://127.0.0.1.example/", false),
            ("http://0.0.0.0/", false),
            ("http://10.0.0.1/", false),
            ("http://[::]/", false),
            ("http://user@example.com/@127.0.0.1", false),
        ] {
            assert_eq!(is_this_machine(&url.parse().unwrap()), is_here, "{url}");
        }
    }
}
