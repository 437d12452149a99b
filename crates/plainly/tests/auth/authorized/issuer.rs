//! An authorization server whose signatures and answers a test chooses.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use plainly_oauth::jose::{SigningKey, client_assertion};
use plainly_peer::Site;
use serde_json::{Value, json};

/// The current time of the issuer and the server.
pub(crate) const NOW: u64 = 1_800_000_000;

/// The authorization server, and its behaviour.
#[derive(Debug)]
pub(crate) struct Issuer {
    pub(crate) url: String,
    pub(crate) key: SigningKey,
    pub(crate) behaviour: Arc<Behaviour>,
    _site: Site,
}

#[derive(Debug, Default)]
pub(crate) struct Behaviour {
    /// The number of requests for keys, and of introspection requests.
    keys_asked: AtomicUsize,
    tokens_asked: AtomicUsize,
    /// The answer of each endpoint.
    metadata: Mutex<Option<Answer>>,
    keys: Mutex<Option<Answer>>,
    introspection: Mutex<Option<Answer>>,
    /// The body of the last introspection request.
    asked_with: Mutex<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
    pub(crate) location: Option<String>,
}

impl Answer {
    pub(crate) fn new(status: u16, body: impl ToString) -> Self {
        Self {
            status,
            body: body.to_string(),
            location: None,
        }
    }

    pub(crate) fn redirect(location: String) -> Self {
        Self {
            location: Some(location),
            ..Self::new(302, "")
        }
    }
}

impl Behaviour {
    pub(crate) fn keys_asked(&self) -> usize {
        self.keys_asked.load(Ordering::SeqCst)
    }

    pub(crate) fn tokens_asked(&self) -> usize {
        self.tokens_asked.load(Ordering::SeqCst)
    }

    pub(crate) fn answer_metadata(&self, answer: Answer) {
        *self.metadata.lock().unwrap() = Some(answer);
    }

    pub(crate) fn answer_keys(&self, answer: Answer) {
        *self.keys.lock().unwrap() = Some(answer);
    }

    pub(crate) fn answer_introspection(&self, answer: Answer) {
        *self.introspection.lock().unwrap() = Some(answer);
    }

    pub(crate) fn asked_with(&self) -> String {
        self.asked_with.lock().unwrap().clone()
    }
}

impl Issuer {
    pub(crate) async fn start() -> Self {
        let key = SigningKey::generate().unwrap();
        let behaviour = Arc::new(Behaviour::default());
        let state = Arc::clone(&behaviour);
        let site = Site::listen(async |listener| {
            let router = Router::new().fallback(answer).with_state(state);
            axum::serve(listener, router).await
        })
        .await;
        let url = format!("http://{}", site.address);
        let metadata = json!({
            "issuer": url, "jwks_uri": format!("{url}/keys"), "introspection_endpoint": format!("{url}/introspect"),
        });
        behaviour.answer_metadata(Answer::new(200, metadata));
        let issuer = Self {
            url,
            key,
            behaviour,
            _site: site,
        };
        issuer
            .behaviour
            .answer_keys(Answer::new(200, issuer.keys("k")));
        issuer
    }

    /// Returns the issuer's keys, with this key id.
    pub(crate) fn keys(&self, id: &str) -> Value {
        let mut key = self.key.public_jwk();
        key.insert("kid".to_owned(), id.into());
        json!({"keys": [key]})
    }

    /// Returns the claims of a valid token of Alice.
    pub(crate) fn claims(&self) -> Value {
        json!({
            "iss": self.url, "aud": super::support::RESOURCE, "sub": "alice", "client_id": "app",
            "scope": "read", "iat": NOW, "exp": NOW + 300, "jti": "t-1", "email": "alice@example.com",
        })
    }

    /// Returns a valid token with these claims changed.
    pub(crate) fn token(&self, changes: Value) -> String {
        self.signed("k", &changed(self.claims(), changes))
    }

    /// Returns a token with these claims, whose header contains this key id.
    pub(crate) fn signed(&self, key_id: &str, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.typ = Some("at+jwt".to_owned());
        header.kid = Some(key_id.to_owned());
        signed(&header, claims, &self.key)
    }
}

pub(crate) fn signed(header: &Header, claims: &Value, key: &SigningKey) -> String {
    let document = STANDARD.decode(key.to_secret().expose()).unwrap();
    encoded(header, claims, &EncodingKey::from_ec_der(&document))
}

/// Returns a token with any header, signed with any key. The assertion is signed first, because
/// that installs the cryptography that `jsonwebtoken` needs.
pub(crate) fn encoded(header: &Header, claims: &Value, key: &EncodingKey) -> String {
    client_assertion(&SigningKey::generate().unwrap(), "a", "b", NOW).unwrap();
    jsonwebtoken::encode(header, claims, key).unwrap()
}

/// Returns `value` with these members changed. `null` removes a member.
pub(crate) fn changed(mut value: Value, changes: Value) -> Value {
    let members = value.as_object_mut().unwrap();
    for (name, change) in changes.as_object().unwrap() {
        members.remove(name);
        if !change.is_null() {
            members.insert(name.clone(), change.clone());
        }
    }
    value
}

async fn answer(State(behaviour): State<Arc<Behaviour>>, request: Request) -> Response {
    let answer = match request.uri().path() {
        "/.well-known/oauth-authorization-server" => &behaviour.metadata,
        "/keys" => {
            behaviour.keys_asked.fetch_add(1, Ordering::SeqCst);
            &behaviour.keys
        }
        "/introspect" => {
            behaviour.tokens_asked.fetch_add(1, Ordering::SeqCst);
            let authorization = request.headers().get("authorization").cloned();
            let body = axum::body::to_bytes(request.into_body(), 1 << 20)
                .await
                .unwrap();
            let body = String::from_utf8_lossy(&body).into_owned();
            let with = authorization.map(|it| it.to_str().unwrap().to_owned());
            *behaviour.asked_with.lock().unwrap() = format!("{} {body}", with.unwrap_or_default());
            &behaviour.introspection
        }
        _ => return http::StatusCode::NOT_FOUND.into_response(),
    };
    let answer = answer.lock().unwrap().clone().unwrap();
    let mut response = Response::builder().status(answer.status);
    if let Some(location) = answer.location {
        response = response.header("location", location);
    }
    response.body(answer.body.into()).unwrap()
}
