//! An MCP server that accepts requests with a valid token of its authorization server, with the
//! necessary scopes.

use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body;
use axum::extract::{self, Request};
use axum::response::Response;
use plainly::server::{Server, Tool};
use plainly::transport::http::HttpService;
use plainly_oauth::jose::dpop::{self, ProvenRequest, Replays};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

use crate::authorization_server::{State, seen};
use crate::misbehaviour::Switches;
use crate::proof::part;
use crate::rules::Binding;
use crate::{Answer, AuthorizationServer, Endpoint, Misbehaviour, Record, Seen};

/// The path of the metadata.
const METADATA: &str = "/.well-known/oauth-protected-resource";

/// An MCP server protected by an authorization server, which stops on drop. It has the tool
/// `greet`. Each path that starts with the server's own path is a separate server with its own
/// tokens.
#[derive(Debug)]
pub struct ProtectedServer {
    /// The URL.
    pub url: String,
    /// The requests received so far.
    pub record: Record,
    state: Arc<ServerState>,
    serving: JoinHandle<()>,
}

struct ServerState {
    /// The URL without a path.
    origin: String,
    /// The prefix of the paths of its servers.
    path: String,
    record: Record,
    switches: Switches,
    service: HttpService<Server>,
    issuer: Mutex<Arc<State>>,
    needs: Mutex<Needs>,
    replays: Replays,
}

/// Requirements in addition to a valid token.
#[derive(Debug, Default)]
struct Needs {
    /// The scopes required for all requests.
    scope: Vec<String>,
    /// The additional scope required for calling a tool.
    call_scope: Option<String>,
    /// Whether the next request is rejected as if its token were invalid.
    refuses_once: bool,
    count: usize,
}

impl std::fmt::Debug for ServerState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerState").finish_non_exhaustive()
    }
}

impl ProtectedServer {
    /// Starts a server at `/mcp` on a port of its own.
    pub async fn start(issuer: &AuthorizationServer) -> Self {
        Self::at(issuer, "/mcp").await
    }

    /// Starts a server at this path on a port of its own.
    pub async fn at(issuer: &AuthorizationServer, path: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let url = format!("{origin}{path}");
        let greet = Tool::new("greet", async || "Hello").description("Says hello");
        let server = Server::builder("protected", "1").tool(greet).build();
        let record = Record::default();
        let state = Arc::new(ServerState {
            origin,
            path: path.to_owned(),
            record: record.clone(),
            switches: Switches::default(),
            service: server.unwrap().http(),
            issuer: Mutex::new(Arc::clone(&issuer.state)),
            needs: Mutex::default(),
            replays: Replays::default(),
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

    /// Turns on this misbehaviour.
    pub fn set(&self, misbehaviour: Misbehaviour) {
        self.state.switches.set(misbehaviour);
    }

    /// Turns off all misbehaviour.
    pub fn behave(&self) {
        self.state.switches.clear();
    }

    /// Changes the authorization server, so that only the new one's tokens are accepted.
    pub fn migrate(&self, issuer: &AuthorizationServer) {
        *self.state.issuer.lock().unwrap() = Arc::clone(&issuer.state);
    }

    /// Requires these scopes for all requests.
    pub fn need(&self, scope: &[&str]) {
        self.state.needs.lock().unwrap().scope = scope.iter().map(|&it| it.to_owned()).collect();
    }

    /// Requires this additional scope for calling a tool.
    pub fn need_to_call(&self, scope: &str) {
        self.state.needs.lock().unwrap().call_scope = Some(scope.to_owned());
    }

    /// Rejects the next request, whatever its token.
    pub fn refuse_once(&self) {
        self.state.needs.lock().unwrap().refuses_once = true;
    }
}

impl Drop for ProtectedServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(
    extract::State(state): extract::State<Arc<ServerState>>,
    request: Request,
) -> Response {
    let (seen, parts) = seen(&state.record, request).await;
    let is_metadata = seen.path.starts_with(METADATA);
    let endpoint = match is_metadata {
        true => Endpoint::Metadata,
        false => Endpoint::Server,
    };
    let refused = if let Some(answer) = state.switches.answer(endpoint) {
        Some(answer)
    } else if is_metadata {
        Some(state.metadata(&seen.path))
    } else if !seen.path.starts_with(&state.path) {
        Some(Answer::new(404, ""))
    } else {
        state.refusal(&seen)
    };
    match refused {
        Some(answer) => answer.response().await,
        None => {
            let request = Request::from_parts(parts, Body::from(seen.body));
            let response = state.service.clone().oneshot(request).await;
            response.unwrap().map(Body::new)
        }
    }
}

impl ServerState {
    fn issuer(&self) -> Arc<State> {
        Arc::clone(&self.issuer.lock().unwrap())
    }

    fn metadata(&self, path: &str) -> Answer {
        let path = path.strip_prefix(METADATA).unwrap_or_default();
        if !path.starts_with(&self.path) {
            return Answer::new(404, "");
        }
        let issuer = self.issuer();
        let mut metadata = json!({
            "resource": format!("{}{path}", self.origin), "authorization_servers": [issuer.url],
            "bearer_methods_supported": ["header"],
        });
        if issuer.rules.binding != Binding::Bearer {
            metadata["dpop_bound_access_tokens_required"] = true.into();
        }
        self.switches.bend(Endpoint::Metadata, &mut metadata);
        Answer::json(200, &metadata)
    }

    /// The response to a request that is not authorized.
    fn refusal(&self, seen: &Seen) -> Option<Answer> {
        let refuses = self.switches.find(|it| {
            let Misbehaviour::Refuses(status, challenges) = it else {
                return None;
            };
            Some((*status, challenges.clone()))
        });
        if let Some((status, challenges)) = refuses {
            let all = challenges.into_iter();
            return Some(all.fold(Answer::new(status, ""), |answer, challenge| {
                answer.with("www-authenticate", challenge)
            }));
        }
        let mut needs = self.needs.lock().unwrap();
        if std::mem::take(&mut needs.refuses_once) {
            return Some(self.challenge(seen, 401, &[("error", "invalid_token")]));
        }
        let scope = match self.accepted(seen) {
            Ok(scope) => scope,
            Err(answer) => return Some(answer),
        };
        let mut wanted = needs.scope.clone();
        if self.switches.find(wants_more).is_some() {
            needs.count += 1;
            wanted.push(format!("scope-{}", needs.count));
        }
        let message: Value = serde_json::from_str(&seen.body).unwrap_or_default();
        let is_call = message["method"] == "tools/call";
        wanted.extend(needs.call_scope.clone().filter(|_| is_call));
        let has = |it: &String| scope.split(' ').any(|held| held == it);
        let lacks = !wanted.iter().all(has);
        lacks.then(|| {
            let wanted = wanted.join(" ");
            self.challenge(
                seen,
                403,
                &[("error", "insufficient_scope"), ("scope", &wanted)],
            )
        })
    }

    /// The scopes of a request's token.
    fn accepted(&self, seen: &Seen) -> Result<String, Answer> {
        let bad = || self.challenge(seen, 401, &[("error", "invalid_token")]);
        let Some(header) = seen.header("authorization") else {
            return Err(self.challenge(seen, 401, &[]));
        };
        let (scheme, token) = header.split_once(' ').ok_or_else(bad)?;
        let issuer = self.issuer();
        let mut books = issuer.books.lock().unwrap();
        let access = books.access.get(token).cloned().ok_or_else(bad)?;
        let is_for_this = access
            .resource
            .as_deref()
            .is_none_or(|it| self.is_of(it, &seen.path));
        if access.has_ended || !is_for_this {
            return Err(bad());
        }
        let Some(key) = &access.thumbprint else {
            return if scheme == "Bearer" {
                Ok(access.scope)
            } else {
                Err(bad())
            };
        };
        let proof = seen.header("dpop").filter(|_| scheme == "DPoP");
        let proof = proof.ok_or_else(bad)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let proven = ProvenRequest {
            method: &seen.method,
            url: &format!("{}{}", self.origin, seen.path),
            access_token: token,
            key,
            holder: key,
            nonces: None,
            now: now.as_secs(),
        };
        let refused = dpop::check(proof, &proven, &self.replays);
        refused.map_err(|_why| self.challenge(seen, 401, &[("error", "invalid_dpop_proof")]))?;
        let nonce = part(proof, 1).unwrap_or_default()["nonce"].clone();
        let is_never = self.switches.find(never).is_some();
        let wants_nonce = issuer.rules.binding == Binding::DpopWithNonce;
        if is_never || wants_nonce && nonce != *books.nonce() {
            if is_never {
                books.nonce += 1;
            }
            let nonce = books.nonce();
            let answer = self.challenge(seen, 401, &[("error", "use_dpop_nonce")]);
            return Err(answer.with("dpop-nonce", nonce));
        }
        Ok(access.scope)
    }

    /// Whether a resource is the server at this path, or is above it.
    fn is_of(&self, resource: &str, path: &str) -> bool {
        let rest = format!("{}{path}", self.origin);
        let rest = rest.strip_prefix(resource);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn challenge(&self, seen: &Seen, status: u16, parameters: &[(&str, &str)]) -> Answer {
        let is_bearer = self.issuer().rules.binding == Binding::Bearer;
        let scheme = if is_bearer { "Bearer" } else { "DPoP" };
        let (origin, path) = (&self.origin, &seen.path);
        let mut text = format!("{scheme} resource_metadata=\"{origin}{METADATA}{path}\"");
        for (name, value) in parameters {
            text += &format!(", {name}=\"{value}\"");
        }
        Answer::new(status, "").with("www-authenticate", text)
    }
}

fn wants_more(it: &Misbehaviour) -> Option<()> {
    matches!(it, Misbehaviour::WantsMoreForEver).then_some(())
}

fn never(it: &Misbehaviour) -> Option<()> {
    matches!(it, Misbehaviour::NonceForEver).then_some(())
}
