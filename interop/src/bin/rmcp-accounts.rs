//! rmcp over HTTP, protected by tokens of an authorization server in the same process. The
//! authorization server is hand-written, as in rmcp's examples: it follows 2025-03-26, without
//! resource metadata or error details for rejected requests. Its metadata name its endpoints, it
//! doesn't accept its refresh tokens, and it doesn't ask users for consent.
//!
//! Its first line of output is its URL. It then reads the commands `expire`, `revoke` and `forget`.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, LOCATION};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use plainly_interop::Case;
use plainly_interop::rmcp::Server;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, stdin};
use tokio::net::TcpListener;
use url::form_urlencoded;

/// The maximum size of a request's body, in bytes.
const LONGEST: usize = 1 << 16;

/// The state of the authorization server.
#[derive(Debug)]
struct Accounts {
    origin: String,
    issued: Mutex<Issued>,
}

#[derive(Debug, Default)]
struct Issued {
    count: u32,
    clients: HashSet<String>,
    /// Authorization codes, each with its client.
    codes: HashMap<String, String>,
    tokens: HashSet<String>,
}

impl Issued {
    fn word(&mut self, kind: &str) -> String {
        self.count += 1;
        format!("{kind}-{}", self.count)
    }
}

impl Accounts {
    fn issued(&self) -> MutexGuard<'_, Issued> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn obey(&self, command: &str) {
        let mut issued = self.issued();
        issued.tokens.clear();
        if command == "forget" {
            issued.clients.clear();
        }
    }

    fn metadata(&self) -> Value {
        let at = |path: &str| format!("{}/oauth/{path}", self.origin);
        json!({
            "issuer": self.origin,
            "authorization_endpoint": at("authorize"),
            "token_endpoint": at("token"),
            "registration_endpoint": at("register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        })
    }

    fn register(&self, body: &[u8]) -> (StatusCode, Value) {
        let asked: Value = serde_json::from_slice(body).unwrap_or_default();
        let mut issued = self.issued();
        let id = issued.word("client");
        issued.clients.insert(id.clone());
        let answer = json!({
            "client_id": id,
            "client_secret": "nobody-checks-it",
            "client_name": asked["client_name"],
            "redirect_uris": asked["redirect_uris"],
        });
        (StatusCode::CREATED, answer)
    }

    /// The redirect URL for a user who agrees.
    fn authorize(&self, query: &Parameters) -> Option<String> {
        let mut issued = self.issued();
        let client = query
            .get("client_id")
            .filter(|it| issued.clients.contains(*it))?;
        let code = issued.word("code");
        issued.codes.insert(code.clone(), client.clone());
        let state = query.get("state")?;
        Some(format!(
            "{}?code={code}&state={state}",
            query.get("redirect_uri")?
        ))
    }

    fn token(&self, form: &Parameters) -> (StatusCode, Value) {
        let refused = |error: &str| (StatusCode::BAD_REQUEST, json!({ "error": error }));
        if form
            .get("grant_type")
            .is_none_or(|it| it != "authorization_code")
        {
            return refused("unsupported_grant_type");
        }
        let mut issued = self.issued();
        if form
            .get("code")
            .and_then(|it| issued.codes.remove(it))
            .is_none()
        {
            return refused("invalid_grant");
        }
        let (token, refresh) = (issued.word("access"), issued.word("refresh"));
        issued.tokens.insert(token.clone());
        let answer = json!({
            "access_token": token, "refresh_token": refresh,
            "token_type": "Bearer", "expires_in": 3600, "scope": "",
        });
        (StatusCode::OK, answer)
    }
}

type Parameters = HashMap<String, String>;

fn parameters(text: &[u8]) -> Parameters {
    form_urlencoded::parse(text).into_owned().collect()
}

/// Responds to a request to the authorization server.
async fn answer(State(accounts): State<Arc<Accounts>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, LONGEST).await.unwrap_or_default();
    let (status, value) = match (&head.method, head.uri.path()) {
        (&Method::GET, "/.well-known/oauth-authorization-server") => {
            (StatusCode::OK, accounts.metadata())
        }
        (&Method::GET, "/oauth/authorize") => {
            let query = parameters(head.uri.query().unwrap_or_default().as_bytes());
            match accounts.authorize(&query) {
                Some(location) => return redirect(&location),
                None => (
                    StatusCode::BAD_REQUEST,
                    json!({ "error": "invalid_request" }),
                ),
            }
        }
        (&Method::POST, "/oauth/register") => accounts.register(&body),
        (&Method::POST, "/oauth/token") => accounts.token(&parameters(&body)),
        _ => (StatusCode::NOT_FOUND, Value::Null),
    };
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    if let Ok(json) = "application/json".parse() {
        response.headers_mut().insert(CONTENT_TYPE, json);
    }
    response
}

fn redirect(location: &str) -> Response {
    let mut response = empty(StatusCode::SEE_OTHER);
    if let Ok(location) = location.parse() {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// Accepts requests with a valid token.
async fn gate(State(accounts): State<Arc<Accounts>>, request: Request, next: Next) -> Response {
    let header = request.headers().get(AUTHORIZATION);
    let token = header.and_then(|it| it.to_str().ok()?.strip_prefix("Bearer "));
    let is_in = token.is_some_and(|it| accounts.issued().tokens.contains(it));
    match is_in {
        true => next.run(request).await,
        false => empty(StatusCode::UNAUTHORIZED),
    }
}

#[expect(clippy::print_stdout, reason = "whoever started it reads that")]
fn say(line: &str) {
    println!("{line}");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    say(&format!("{origin}/mcp"));
    let accounts = Arc::new(Accounts {
        origin,
        issued: Mutex::default(),
    });
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false);
    let server = Server::new(Case::Echo)?;
    let sessions = NeverSessionManager::default().into();
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let protected = Router::new()
        .nest_service("/mcp", service)
        .layer(from_fn_with_state(Arc::clone(&accounts), gate));
    let router = Router::new()
        .fallback(answer)
        .with_state(Arc::clone(&accounts))
        .merge(protected);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        accounts.obey(&line);
        say("done");
    }
    Ok(())
}
