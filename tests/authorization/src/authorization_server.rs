//! An authorization server: metadata, registration, logins that succeed at once, tokens, and
//! revocation.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{self, Request};
use axum::response::Response;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::books::{Access, Books, Code};
use crate::misbehaviour::Switches;
use crate::rules::Binding;
use crate::{Answer, Endpoint, Misbehaviour, Record, Rules, Seen};

/// An authorization server, which stops on drop.
#[derive(Debug)]
pub struct AuthorizationServer {
    /// The issuer, which is also the address.
    pub url: String,
    /// The requests received so far.
    pub record: Record,
    pub(crate) state: Arc<State>,
    serving: JoinHandle<()>,
}

#[derive(Debug)]
pub(crate) struct State {
    pub(crate) url: String,
    pub(crate) rules: Rules,
    pub(crate) switches: Switches,
    pub(crate) books: Mutex<Books>,
    record: Record,
}

impl AuthorizationServer {
    /// Starts a server with these rules.
    pub async fn start(rules: Rules) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let record = Record::default();
        let state = Arc::new(State {
            url: url.clone(),
            books: Mutex::new(Books::new(&rules.clients)),
            rules,
            switches: Switches::default(),
            record: record.clone(),
        });
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::clone(&state));
        let serving = tokio::spawn(async move {
            // The server only stops when the task is aborted.
            drop(axum::serve(listener, router).await);
        });
        Self {
            url,
            record,
            state,
            serving,
        }
    }

    /// Starts a server that misbehaves.
    pub async fn hostile(misbehaviour: Misbehaviour) -> Self {
        let server = Self::start(Rules::default()).await;
        server.set(misbehaviour);
        server
    }

    /// Turns on this misbehaviour.
    pub fn set(&self, misbehaviour: Misbehaviour) {
        self.state.switches.set(misbehaviour);
    }

    /// Turns off all misbehaviour.
    pub fn behave(&self) {
        self.state.switches.clear();
    }

    /// Makes all access tokens expire.
    pub fn expire(&self) {
        let mut books = self.state.books.lock().unwrap();
        books.access.values_mut().for_each(|it| it.has_ended = true);
    }

    /// Revokes all tokens.
    pub fn revoke(&self) {
        let mut books = self.state.books.lock().unwrap();
        books.access.clear();
        books.refresh.clear();
    }

    /// Removes all clients and their tokens.
    pub fn forget_clients(&self) {
        self.revoke();
        self.state.books.lock().unwrap().clients.clear();
    }

    /// Requires a new nonce from now on.
    pub fn change_nonce(&self) {
        self.state.books.lock().unwrap().nonce += 1;
    }

    /// Whether a response that is sent once has not been sent yet.
    #[must_use]
    pub fn is_failing_once(&self) -> bool {
        self.state
            .is_on(|it| matches!(it, Misbehaviour::AnswersOnce(..)))
    }

    /// Whether unknown clients can register.
    #[must_use]
    pub fn registers(&self) -> bool {
        self.state.rules.registers
    }

    /// The number of times that a used refresh token was sent again.
    #[must_use]
    pub fn reused(&self) -> usize {
        self.state.books.lock().unwrap().reused
    }

    /// The token requests with this grant type.
    #[must_use]
    pub fn tokens_for(&self, grant_type: &str) -> Vec<Seen> {
        let mut all = self.record.at("/token");
        all.retain(|it| it.parameter("grant_type").as_deref() == Some(grant_type));
        all
    }
}

impl Drop for AuthorizationServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Reads a whole request, and records it.
pub(crate) async fn seen(record: &Record, request: Request) -> (Seen, http::request::Parts) {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 24).await.unwrap_or_default();
    let seen = Seen {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers.clone(),
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    record.keep(seen.clone());
    (seen, parts)
}

async fn answer(extract::State(state): extract::State<Arc<State>>, request: Request) -> Response {
    let (seen, _) = seen(&state.record, request).await;
    let endpoint = match &*seen.path {
        "/register" => Endpoint::Registration,
        "/token" => Endpoint::Token,
        "/revoke" => Endpoint::Revocation,
        "/device" => Endpoint::Device,
        _ => Endpoint::Metadata,
    };
    let is_page = seen.path == "/authorize";
    let instead = state.switches.answer(endpoint).filter(|_| !is_page);
    let repeats = |it: &Misbehaviour| matches!(it, Misbehaviour::Repeats(at) if *at == endpoint);
    let repeated = (state.is_on(repeats) && !is_page).then(|| seen.repeated());
    let instead = instead.or(repeated);
    let answer = instead.unwrap_or_else(|| match &*seen.path {
        "/.well-known/oauth-authorization-server" => state.metadata(),
        "/register" if state.rules.registers => state.register(&seen),
        "/authorize" => state.authorize(&seen),
        "/token" => state.token(&seen),
        "/revoke" => state.give_back(&seen),
        "/introspect" => state.introspect(&seen),
        "/device" => state.begin_elsewhere(&seen),
        _ => Answer::new(404, ""),
    });
    answer.response().await
}

impl State {
    pub(crate) fn is_on(&self, is_it: impl Fn(&Misbehaviour) -> bool) -> bool {
        self.switches.find(|it| is_it(it).then_some(())).is_some()
    }

    fn metadata(&self) -> Answer {
        let at = |path: &str| format!("{}{path}", self.url);
        let rules = &self.rules;
        let mut metadata = json!({
            "issuer": self.url,
            "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
            "revocation_endpoint": at("/revoke"), "device_authorization_endpoint": at("/device"),
            "introspection_endpoint": at("/introspect"),
            "token_endpoint_auth_methods_supported": rules.methods,
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": rules.sends_issuer,
            "client_id_metadata_document_supported": rules.reads_client_documents,
            "scopes_supported": rules.scopes,
        });
        if rules.registers {
            metadata["registration_endpoint"] = at("/register").into();
        }
        if rules.binding != Binding::Bearer {
            metadata["dpop_signing_alg_values_supported"] = json!(["ES256"]);
        }
        self.switches.bend(Endpoint::Metadata, &mut metadata);
        Answer::json(200, &metadata)
    }

    /// Redirects the user back at once, as if the user had agreed.
    fn authorize(&self, seen: &Seen) -> Answer {
        let parameter = |name: &str| seen.parameter(name).unwrap_or_default();
        let is_right = parameter("code_challenge_method") == "S256"
            && parameter("response_type") == "code"
            && parameter("code_challenge").len() == 43;
        if !is_right {
            return Answer::refusal(400, "invalid_request");
        }
        let mut books = self.books.lock().unwrap();
        let code = books.word(self.rules.marker, "code");
        let client = parameter("client_id");
        let for_what = Access {
            client: client.clone(),
            resource: seen.parameter("resource"),
            scope: parameter("scope"),
            thumbprint: seen.parameter("dpop_jkt"),
            has_ended: false,
        };
        let redirect_uri = parameter("redirect_uri");
        if !books.may_ask(&client, &for_what.scope) {
            let state = parameter("state");
            let why = format!("error=invalid_scope&state={state}&iss={}", self.url);
            return Answer::redirect(302, &format!("{redirect_uri}?{why}"));
        }
        let entry = Code {
            client,
            redirect_uri: redirect_uri.clone(),
            challenge: parameter("code_challenge"),
            for_what,
        };
        books.codes.insert(code.clone(), entry);
        drop(books);
        let query = self.switches.find(|it| {
            let Misbehaviour::Callback(query) = it else {
                return None;
            };
            Some(*query)
        });
        let query = query.unwrap_or(match self.rules.sends_issuer {
            true => "code={code}&state={state}&iss={iss}",
            false => "code={code}&state={state}",
        });
        let query = query.replace("{code}", &code);
        let query = query.replace("{state}", &parameter("state"));
        let query = query.replace("{iss}", &self.url);
        Answer::redirect(302, &format!("{redirect_uri}?{query}"))
    }

    fn give_back(&self, seen: &Seen) -> Answer {
        if self.client(seen).is_none() {
            return Answer::refusal(401, "invalid_client");
        }
        let token = seen.parameter("token").unwrap_or_default();
        let mut books = self.books.lock().unwrap();
        books.access.remove(&token);
        books.refresh.remove(&token);
        Answer::new(200, "")
    }

    /// The introspection response for a token (RFC 7662).
    fn introspect(&self, seen: &Seen) -> Answer {
        let Some(_server) = self.client(seen) else {
            return Answer::refusal(401, "invalid_client");
        };
        let token = seen.parameter("token").unwrap_or_default();
        let books = self.books.lock().unwrap();
        let good = books.access.get(&token).filter(|it| !it.has_ended);
        Answer::json(200, &good.map_or(json!({ "active": false }), Access::told))
    }

    fn begin_elsewhere(&self, seen: &Seen) -> Answer {
        let Some(client) = self.client(seen) else {
            return Answer::refusal(401, "invalid_client");
        };
        let mut books = self.books.lock().unwrap();
        let scope = seen.parameter("scope").unwrap_or_default();
        if !books.may_ask(&client, &scope) {
            return Answer::refusal(400, "invalid_scope");
        }
        let code = books.word(self.rules.marker, "device");
        let mut begun = json!({
            "device_code": code, "user_code": "WDJB-MJHT",
            "verification_uri": format!("{}/enter", self.url), "expires_in": 600, "interval": 5,
        });
        let given = Access {
            client,
            resource: seen.parameter("resource"),
            scope,
            ..Access::default()
        };
        books.device = Some((code, given));
        drop(books);
        self.switches.bend(Endpoint::Device, &mut begun);
        Answer::json(200, &begun)
    }
}
