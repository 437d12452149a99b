//! The gate itself: one way in for every request, step by step.

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::HeaderValue;
use http::request::Parts;
use plainly_oauth::Secret;
use plainly_oauth::jose::{LONGEST, TokenRefusal};

use super::caller::Caller;
use super::challenge::{DPOP_NONCE, Denial};
use super::credentials::{Presented, Sending};
use super::proof::Dpop;
use super::resource_server::ResourceServer;
use super::scopes::Access;
use super::verifier::Unverified;
use crate::transport::http::{Admission, HttpGate, PeerAddress, TurnedAway};

impl HttpGate for ResourceServer {
    fn admit<'a>(&'a self, head: &'a mut Parts) -> BoxFuture<'a, Result<Admission, TurnedAway>> {
        async move {
            let admitted = self.let_in(head).await;
            admitted.map_err(|denial| self.challenges.answer(&denial))
        }
        .boxed()
    }

    fn document(&self, path: &str) -> Option<Bytes> {
        let (document, paths) = self.document.as_ref()?;
        paths
            .iter()
            .any(|own| own == path)
            .then(|| document.clone())
    }
}

impl ResourceServer {
    async fn let_in(&self, head: &mut Parts) -> Result<Admission, Denial> {
        let now = self.clock.now();
        let (token, scheme) = match Presented::take(head) {
            Presented::Token { token, scheme } => (token, scheme),
            Presented::None => return Err(Denial::NoCredentials),
            Presented::Ambiguous => return Err(Denial::Ambiguous),
        };
        // To a server that knows nothing of proofs it is a scheme like any other that it doesn't.
        if self.proofs.dpop == Dpop::Refuse && matches!(scheme, Sending::Dpop(_)) {
            return Err(Denial::NoCredentials);
        }
        let refused = |why| match scheme {
            Sending::Bearer => Denial::Token(why),
            Sending::Dpop(_) => Denial::BoundToken(why),
        };
        let address = head.extensions.get().map(|PeerAddress(address)| *address);
        let caller = self.caller(&token, address, now, refused).await?;
        let checked = self
            .proofs
            .check((&token, &scheme), caller.token(), head, now);
        checked.inspect_err(|denial| {
            if !matches!(denial, Denial::NonceWanted(_)) {
                self.note_failure(address, now);
            }
        })?;
        if let Some(lacking) = self.rules.lacking_always(&caller) {
            return Err(Denial::InsufficientScope(lacking));
        }
        Ok(self.admission(head, caller, now))
    }

    /// The caller with this token, as was found before or is found now.
    async fn caller(
        &self,
        token: &Secret,
        address: Option<IpAddr>,
        now: u64,
        refused: impl Fn(TokenRefusal) -> Denial,
    ) -> Result<Caller, Denial> {
        if let Some(outcome) = self.remembered.find(token.expose(), now) {
            return outcome.map_err(refused);
        }
        if address.is_some_and(|address| self.failures.are_too_many(address, now)) {
            return Err(Denial::TooManyFailures);
        }
        match self.verify(token, now).await {
            Ok(caller) => Ok(caller),
            Err(Unverified::Refused(why)) => {
                tracing::debug!(%why, address = ?address, "an access token is not taken");
                self.note_failure(address, now);
                Err(refused(why))
            }
            Err(Unverified::Unavailable(why)) => {
                tracing::error!(why, "access tokens can't be verified");
                Err(Denial::CannotVerify)
            }
        }
    }

    async fn verify(&self, token: &Secret, now: u64) -> Result<Caller, Unverified> {
        let text = token.expose();
        // What a token can't be written with is never looked at, nor sent on (RFC 6750, 2.1).
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        if text.is_empty() || text.len() > LONGEST || !text.bytes().all(is_token) {
            return Err(TokenRefusal::Malformed.into());
        }
        let mut verifiers = self.verifiers.iter();
        let Some(verifier) = verifiers.find(|verifier| verifier.recognises(text)) else {
            return Err(unrecognised(text).into());
        };
        let verified = verifier.verify(token, now).await;
        let (good, bad) = verifier.remembered();
        match verified {
            Ok(mut verified) => {
                verified.claims = Caller::chosen(verified.claims, &self.claims);
                let ends = verified.good_until().unwrap_or(u64::MAX);
                let until = ends.min(now.saturating_add(good));
                let caller = Caller::new(verified);
                let principal = caller.principal();
                tracing::debug!(%principal, token = caller.token().token_id, "an access token is taken");
                self.remembered.keep(text, Ok(caller.clone()), now, until);
                Ok(caller)
            }
            Err(Unverified::Refused(why)) => {
                let until = now.saturating_add(bad);
                self.remembered.keep(text, Err(why), now, until);
                Err(why.into())
            }
            Err(unavailable) => Err(unavailable),
        }
    }

    /// Says behind the gate who calls. What layers in front have said of that does not count.
    fn admission(&self, head: &mut Parts, caller: Caller, now: u64) -> Admission {
        let mut admission = Admission::default();
        let ends = caller.token().good_until();
        admission.lasts = ends.map(|ends| Duration::from_secs(ends.saturating_sub(now)));
        let nonce = self.proofs.next_nonce(now);
        let nonce = nonce.and_then(|nonce| HeaderValue::from_str(&nonce).ok());
        admission
            .headers
            .extend(nonce.map(|nonce| (DPOP_NONCE, nonce)));
        head.extensions.insert(caller.principal().clone());
        if self.rules.look_at_messages() {
            head.extensions.insert(Access {
                caller: caller.clone(),
                rules: self.rules.clone(),
                challenges: self.challenges.clone(),
            });
        }
        head.extensions.insert(caller);
        admission
    }

    fn note_failure(&self, address: Option<IpAddr>, now: u64) {
        if let Some(address) = address {
            self.failures.note(address, now);
        }
    }
}

/// What is wrong with a token that nobody recognises.
fn unrecognised(token: &str) -> TokenRefusal {
    match plainly_oauth::jose::AccessToken::read(token) {
        Ok(_) => TokenRefusal::Issuer,
        Err(why) => why,
    }
}
