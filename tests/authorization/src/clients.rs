//! Registration and authentication of clients.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::authorization_server::State;
use crate::proof::part;
use crate::rules::Proof;
use crate::{Answer, Endpoint, Seen, parameters};

impl State {
    pub(crate) fn register(&self, seen: &Seen) -> Answer {
        let Ok(asked) = serde_json::from_str::<Value>(&seen.body) else {
            return Answer::refusal(400, "invalid_client_metadata");
        };
        let mut books = self.books.lock().unwrap();
        let id = books.word("client", "registered");
        let method = asked["token_endpoint_auth_method"].as_str().unwrap();
        let mut answer = json!({
            "client_id": id, "redirect_uris": asked["redirect_uris"],
            "token_endpoint_auth_method": method,
        });
        let proof = match method {
            "none" => Proof::Nothing,
            method => {
                let secret = books.word(self.rules.marker, "client");
                answer["client_secret"] = secret.clone().into();
                answer["client_secret_expires_at"] = 0.into();
                match method {
                    "client_secret_post" => Proof::Post(secret),
                    _ => Proof::Basic(secret),
                }
            }
        };
        let scope = asked["scope"].as_str().unwrap_or_default();
        books.scopes.insert(id.clone(), scope.to_owned());
        books.clients.insert(id, proof);
        drop(books);
        self.switches.bend(Endpoint::Registration, &mut answer);
        Answer::json(201, &answer)
    }

    /// The client that sent a request, if it is authenticated.
    pub(crate) fn client(&self, seen: &Seen) -> Option<String> {
        let in_header = seen.header("authorization").and_then(basic);
        let (id, in_header) = match in_header {
            Some((id, secret)) => (id, Some(secret)),
            None => (seen.parameter("client_id")?, None),
        };
        let mut books = self.books.lock().unwrap();
        let Some(proof) = books.clients.get(&id).cloned() else {
            let is_document = self.rules.reads_client_documents && id.starts_with("https://");
            return is_document.then_some(id);
        };
        let in_form = seen.parameter("client_secret");
        let is_proven = match proof {
            Proof::Nothing => in_header.is_none() && in_form.is_none(),
            Proof::Basic(secret) => in_header == Some(secret) && in_form.is_none(),
            Proof::Post(secret) => in_form == Some(secret) && in_header.is_none(),
            Proof::Key(_) => {
                let claims = seen.parameter("client_assertion");
                let claims = claims.and_then(|it| part(&it, 1)).unwrap_or_default();
                let is_own = claims["iss"] == *id && claims["sub"] == *id;
                let is_fresh = books.spent.insert(claims["jti"].to_string());
                is_own && is_fresh && claims["aud"] == *self.url
            }
        };
        is_proven.then_some(id)
    }
}

/// The decoded name and password in a header (RFC 6749, 2.3.1).
fn basic(header: &str) -> Option<(String, String)> {
    let bytes = BASE64_STANDARD
        .decode(header.strip_prefix("Basic ")?)
        .ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (id, secret) = text.split_once(':')?;
    let decoded = |text: &str| parameters(&format!("a={text}")).pop().map(|(_, it)| it);
    Some((decoded(id)?, decoded(secret)?))
}
