//! The gate itself, which checks every request step by step.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use http::request::Parts;
use plainly_oauth::Secret;
use plainly_oauth::jose::TokenRefusal;

use super::caller::Caller;
use super::challenge::{DPOP_NONCE, Denial};
use super::credentials::{RequestCredentials, TokenScheme};
use super::proof::Dpop;
use super::public_client::PublicClient;
use super::resource_server::ResourceServer;
use super::scopes::Access;
use super::verifier::VerificationError;
use plainly_http::{Admission, HttpGate, PeerAddress, Recheck, Route, TurnedAway};
use plainly_server::Permissions;

impl HttpGate for ResourceServer {
    fn admit<'a>(&'a self, head: &'a mut Parts) -> BoxFuture<'a, Result<Admission, TurnedAway>> {
        async move {
            let admitted = self.let_in(head).await;
            admitted.map_err(|denial| self.challenges.answer(&denial))
        }
        .boxed()
    }

    fn routes(&self) -> Vec<(String, Route)> {
        let document = self.document.iter().flat_map(|(document, paths)| {
            let route = Route::document(document.clone());
            paths.iter().map(move |path| (path.clone(), route.clone()))
        });
        let client = self.public_client.iter().flat_map(PublicClient::routes);
        document.chain(client).collect()
    }
}

impl ResourceServer {
    async fn let_in(&self, head: &mut Parts) -> Result<Admission, Denial> {
        let now = self.clock.now();
        let (token, scheme) = match RequestCredentials::take(head) {
            RequestCredentials::Token { token, scheme } => (token, scheme),
            RequestCredentials::None => return Err(Denial::NoCredentials),
            RequestCredentials::Ambiguous => return Err(Denial::Ambiguous),
        };
        // A server without support for proofs treats DPoP like any unknown scheme.
        if self.proofs.dpop == Dpop::Refuse && matches!(scheme, TokenScheme::Dpop(_)) {
            return Err(Denial::NoCredentials);
        }
        let refused = |why| match scheme {
            TokenScheme::Bearer => Denial::Token(why),
            TokenScheme::Dpop(_) => Denial::BoundToken(why),
        };
        let address = head.extensions.get().map(|PeerAddress(address)| *address);
        let caller = self.caller(&token, address, now, refused).await?;
        let checked = self.proofs.check((&token, &scheme), &caller, head, now);
        checked.map_err(|denial| {
            match matches!(denial, Denial::NonceWanted(_) | Denial::TooManyProofs) {
                true => denial,
                false => self.failed(denial, address, now),
            }
        })?;
        if let Some(lacking) = self.rules.lacking_always(&caller) {
            return Err(Denial::InsufficientScope(lacking));
        }
        let recheck = self.recheck(token, &caller);
        Ok(self.admission(head, caller, recheck, now))
    }

    /// The caller with this token, from the cache or from a verifier.
    async fn caller(
        &self,
        token: &Secret,
        address: Option<IpAddr>,
        now: u64,
        refused: impl Fn(TokenRefusal) -> Denial,
    ) -> Result<Caller, Denial> {
        if let Some(outcome) = self.tokens.remembered.find(token.expose(), now) {
            return outcome.map_err(refused);
        }
        let judged = match self.tokens.verifier(token) {
            Ok(verifier) if verifier.asks_elsewhere() => {
                if address.is_some_and(|address| self.failures.are_too_many(address, now)) {
                    return Err(Denial::TooManyFailures);
                }
                let judged = self.tokens.judge(verifier, token, now).await;
                judged.map_err(|why| (why, true))
            }
            Ok(verifier) => {
                let judged = self.tokens.judge(verifier, token, now).await;
                judged.map_err(|why| (why, false))
            }
            Err(why) => Err((why.into(), false)),
        };
        judged.map_err(|(why, was_asked)| match why {
            VerificationError::Refused(why) => {
                tracing::debug!(%why, address = ?address, "access token rejected");
                self.failed(refused(why), address, now)
            }
            VerificationError::Unavailable(why) => {
                tracing::error!(why, "access tokens can't be verified");
                match was_asked {
                    true => self.failed(Denial::CannotVerify, address, now),
                    false => Denial::CannotVerify,
                }
            }
        })
    }

    /// Counts a failure. If there are too many from one address, the denial is another one.
    fn failed(&self, denial: Denial, address: Option<IpAddr>, now: u64) -> Denial {
        match address.is_some_and(|address| self.failures.note(address, now)) {
            true => Denial::TooManyFailures,
            false => denial,
        }
    }

    /// Checks whether a stream that was opened with this token may continue. Asks the verifier
    /// instead of the cache.
    fn recheck(&self, token: Secret, caller: &Caller) -> Recheck {
        let (tokens, rules) = (Arc::clone(&self.tokens), Arc::clone(&self.rules));
        let (clock, opened_by) = (self.clock.clone(), caller.principal().clone());
        let facts = Arc::new((tokens, rules, clock, opened_by, token));
        Recheck::new(move || {
            let facts = Arc::clone(&facts);
            async move {
                let (tokens, rules, clock, opened_by, token) = &*facts;
                match tokens.judge_again(token, clock.now()).await {
                    Ok(caller) => {
                        caller.principal() == opened_by && rules.lacking_always(&caller).is_none()
                    }
                    Err(VerificationError::Refused(_)) => false,
                    // A verifier that is down has not revoked the token.
                    Err(VerificationError::Unavailable(_)) => true,
                }
            }
        })
    }

    /// Identifies the caller to the code behind the gate. Identities that earlier layers set are
    /// ignored.
    fn admission(&self, head: &mut Parts, caller: Caller, recheck: Recheck, now: u64) -> Admission {
        let mut admission = Admission::default();
        admission.recheck = Some(recheck);
        let ends = caller.token().good_until();
        admission.lasts = ends.map(|ends| Duration::from_secs(ends.saturating_sub(now)));
        let nonce = self.proofs.next_nonce(now);
        let nonce = nonce.and_then(|nonce| HeaderValue::from_str(&nonce).ok());
        admission
            .headers
            .extend(nonce.map(|nonce| (DPOP_NONCE, nonce)));
        head.extensions.insert(caller.principal().clone());
        if self.rules.look_at_messages() {
            let access = Access {
                caller: caller.clone(),
                rules: self.rules.clone(),
                challenges: self.challenges.clone(),
            };
            head.extensions
                .insert::<Arc<dyn Permissions>>(Arc::new(access));
        }
        head.extensions.insert(caller);
        admission
    }
}
