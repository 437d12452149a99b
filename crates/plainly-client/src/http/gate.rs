//! Authorizes requests: adds their credentials, decides whether they may be sent at all, and
//! handles rejections. Knows no connection.

use std::net::IpAddr;
use std::sync::Arc;

use http::{Method, StatusCode};
use reqwest::Url;

use super::authorization::{
    Again, AuthError, Authorizer, Credentials, Head, Refusal, UnsentRequest, dpop_nonce,
};
use crate::error::Challenges;
use crate::message::budget::{Budget, Cause};
use crate::message::clocks::Clocks;

/// Authorizes the requests to one server.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    authorizer: Arc<dyn Authorizer>,
    /// The possible readers of the requests.
    readers: Readers,
    /// The URL of the server.
    server: String,
    clocks: Clocks,
}

/// The rejections of one request so far.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    pub(crate) refusals: u32,
    /// The generation of the request's last credentials.
    generation: u64,
    /// The number of rejections of these credentials.
    repeated: u32,
}

impl Passage {
    /// Notes that the request had credentials of this generation.
    pub(crate) fn is_of(&mut self, generation: u64) {
        if self.generation != generation {
            (self.generation, self.repeated) = (generation, 0);
        }
    }

    /// Notes that the request was rejected.
    pub(crate) fn is_refused(&mut self) {
        self.refusals += 1;
        self.repeated += 1;
    }
}

/// The possible readers of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// Only the server, because the requests are encrypted.
    Server,
    /// Only this machine, because the requests never leave it.
    Machine,
    /// Others on the network, which the caller has allowed.
    Allowed,
    /// Others on the network.
    Anybody,
}

impl Gate {
    /// Creates the gate for the server at `url`; `clocks` are those of the connection.
    pub(crate) fn new(
        authorizer: Arc<dyn Authorizer>,
        is_plaintext_allowed: bool,
        url: &Url,
        clocks: Clocks,
    ) -> Self {
        let readers = match url.scheme() {
            "https" => Readers::Server,
            _ if is_plaintext_allowed => Readers::Allowed,
            _ if is_this_machine(url) => Readers::Machine,
            _ => Readers::Anybody,
        };
        Self {
            authorizer,
            readers,
            server: url.to_string(),
            clocks,
        }
    }

    /// Whether no proxy may be used, because a proxy on another machine could read the requests.
    pub(crate) fn keeps_proxies_out(&self) -> bool {
        self.readers == Readers::Machine
    }

    /// The request of this attempt.
    pub(crate) fn request<'a>(
        &'a self,
        http: &'a Method,
        url: &'a str,
        attempt: u32,
    ) -> UnsentRequest<'a> {
        UnsentRequest {
            http,
            url,
            server: &self.server,
            attempt,
            clocks: &self.clocks,
            may_ask_user: true,
        }
    }

    /// The extensions that the authorizer uses.
    pub(crate) fn extensions(&self) -> Vec<&'static str> {
        self.authorizer.extensions()
    }

    /// The credentials of the request.
    pub(crate) async fn credentials(
        &self,
        request: &UnsentRequest<'_>,
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

    /// Whether to send the request again after this response.
    pub(crate) async fn reopens(
        &self,
        request: &UnsentRequest<'_>,
        passage: &Passage,
        head: Head<'_>,
        budget: &Budget,
    ) -> Result<bool, AuthError> {
        self.authorizer.answered(request, &head);
        let refusal = refusal(head, passage);
        let Some(refusal) = refusal.filter(|_| budget.spend(Cause::Credentials)) else {
            return Ok(false);
        };
        // Checked first, so that the user does not log in for credentials that can't be sent.
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

fn refusal(head: Head<'_>, passage: &Passage) -> Option<Refusal> {
    let challenges = Challenges::of(head.status, head.headers).readable;
    let is_refused = match head.status {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => !challenges.is_empty(),
        _ => false,
    };
    is_refused.then(|| Refusal {
        status: head.status,
        challenges,
        generation: passage.generation,
        repeated: passage.repeated,
        dpop_nonce: dpop_nonce(head.headers),
    })
}

/// Whether requests to this URL never leave the machine.
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

    /// Authorizes requests with a header that it does not mark as secret.
    #[derive(Debug)]
    struct Careless;

    impl Authorizer for Careless {
        fn credentials<'a>(
            &'a self,
            _request: &'a UnsentRequest<'a>,
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
            let (authorizer, url_parsed) = (Arc::new(Careless), url.parse().unwrap());
            let clocks = Clocks::default();
            let gate = Gate::new(authorizer, is_plaintext_allowed, &url_parsed, clocks);
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
