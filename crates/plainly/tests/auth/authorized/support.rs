//! The server with authorization, and requests to it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use plainly::limits::Limits;
use plainly::protocol::types::{BooleanField, ElicitFormParams};
use plainly::server::Changes;
use plainly::server::auth::{AuthSetupError, Caller, ResourceServer, ResourceServerBuilder};
use plainly::transport::http::HttpService;
use plainly::{Ask, AskError, Context, Prompt, Resource, Server, State, TaskSupport, Tool};
use plainly_peer::{Response, Site, message};
use serde_json::{Value, json};

use super::issuer::{Issuer, NOW};

/// The URL that clients know. No request is sent to it, because the test serves at another address.
pub(crate) const RESOURCE: &str = "https://mcp.example.com/mcp";

/// A clock that the test sets.
#[derive(Clone, Debug)]
pub(crate) struct Time(Arc<AtomicU64>);

impl Time {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(NOW)))
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

/// The number of times that a handler has run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran(Arc<AtomicUsize>);

impl Ran {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

async fn who(State(ran): State<Ran>, context: Context) -> String {
    ran.0.fetch_add(1, Ordering::SeqCst);
    let caller = context.extension::<Caller>();
    let told = caller.map(|caller| {
        json!({
            "issuer": caller.issuer(), "subject": caller.subject(), "client": caller.client_id(),
            "scopes": caller.scopes(), "expires": caller.expires_at(), "email": caller.claim("email"),
            "jti": caller.claim("jti"), "debug": format!("{caller:?}"),
        })
    });
    serde_json::to_string(&told).unwrap()
}

async fn delete(State(ran): State<Ran>) -> &'static str {
    ran.0.fetch_add(1, Ordering::SeqCst);
    "deleted"
}

fn sure() -> ElicitFormParams {
    ElicitFormParams::new("Sure?").field("sure", BooleanField::new())
}

async fn asks(ask: Ask) -> Result<String, AskError> {
    let answer = ask.elicit("sure", sure()).await?;
    Ok(format!("{:?}", answer.action))
}

async fn touch(State(changes): State<Changes>) -> &'static str {
    changes.tools_changed();
    "touched"
}

async fn greeting() -> &'static str {
    "Hello!"
}

pub(crate) fn server() -> (Server, Ran) {
    let (ran, changes) = (Ran::default(), Changes::new());
    let mut limits = Limits::default();
    limits.page_entries = 2;
    let server = Server::builder("guarded", "1")
        .limits(limits)
        .state(ran.clone())
        .state(changes.clone())
        .changes(changes)
        .tool(Tool::new("who", who))
        .tool(Tool::new("delete", delete))
        .tool(Tool::new("asks", asks))
        .tool(Tool::new("works", asks).task(TaskSupport::Required))
        .tool(Tool::new("touch", touch))
        .resource(Resource::new("app://greeting", greeting))
        .prompt(Prompt::new("greeting", greeting))
        .build()
        .unwrap();
    (server, ran)
}

/// Returns the service with authorization, without a connection.
pub(crate) fn service(
    configure: impl FnOnce(ResourceServerBuilder) -> ResourceServerBuilder,
) -> (HttpService<Server>, Ran, Time) {
    let time = Time::new();
    let clock = time.clone();
    let auth = ResourceServer::new(RESOURCE)
        .claims(["email"])
        .clock(move || clock.now());
    let (service, ran) = behind(configure(auth).build().unwrap());
    (service, ran, time)
}

fn behind(auth: ResourceServer) -> (HttpService<Server>, Ran) {
    let (server, ran) = server();
    let http = server.http().path("/mcp").sse_endpoint("/sse");
    (http.authenticate(auth), ran)
}

/// A server with authorization.
#[derive(Debug)]
pub(crate) struct Guarded {
    pub(crate) site: Site,
    pub(crate) ran: Ran,
    pub(crate) time: Time,
}

impl Guarded {
    /// Serves a site that accepts the tokens of this issuer.
    pub(crate) async fn by(issuer: &Issuer) -> Self {
        Self::with(|auth| auth.issuer(&issuer.url)).await
    }

    /// Serves a site with this configuration.
    pub(crate) async fn with(
        configure: impl FnOnce(ResourceServerBuilder) -> ResourceServerBuilder,
    ) -> Self {
        let (service, ran, time) = service(configure);
        let site = Site::serve(service).await;
        Self { site, ran, time }
    }

    /// Serves a site with this configuration, once the authorization is ready.
    pub(crate) async fn ready(auth: ResourceServerBuilder) -> Result<Self, AuthSetupError> {
        let time = Time::new();
        let clock = time.clone();
        let auth = auth.clock(move || clock.now()).build()?;
        auth.ready().await?;
        let (service, ran) = behind(auth);
        let site = Site::serve(service).await;
        Ok(Self { site, ran, time })
    }

    /// Posts a message with these headers, in addition to those of a correct client.
    pub(crate) async fn post(&self, headers: &str, body: &Value) -> Response {
        let headers = format!("{}{headers}", mirrored(body));
        self.site.send("POST /mcp", &headers, body).await
    }

    /// Calls a tool with this token.
    pub(crate) async fn call(&self, token: &str, tool: &str) -> Response {
        self.post(&bearer(token), &call(tool)).await
    }

    /// Returns the caller as the tool sees it, or the status and the challenge of the rejection.
    pub(crate) async fn who(&self, token: &str) -> Result<Value, (u16, String)> {
        let mut response = self.call(token, "who").await;
        if response.status != 200 {
            return Err((response.status, challenge(&response)));
        }
        let reply = response.json().await;
        let text = reply["result"]["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{reply}"));
        Ok(serde_json::from_str(text).unwrap())
    }

    /// Returns the reason why a token is rejected, or `None` if it is accepted.
    pub(crate) async fn why_refused(&self, token: &str) -> Option<(u16, String)> {
        let (status, challenge) = self.who(token).await.err()?;
        let (_, why) = challenge
            .split_once("error_description=\"")
            .unwrap_or_default();
        Some((status, why.split('"').next().unwrap_or_default().to_owned()))
    }
}

pub(crate) fn bearer(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// Returns a modern tool call.
pub(crate) fn call(tool: &str) -> Value {
    capable("tools/call", json!({"name": tool, "arguments": {}}))
}

/// Returns a modern request of a client that can answer questions and supports tasks.
pub(crate) fn capable(method: &str, params: Value) -> Value {
    let capabilities = json!({"elicitation": {"form": {}}, "extensions": {message::TASKS: {}}});
    message::capable(1, method, params, capabilities)
}

/// Returns the headers that repeat parts of a modern message.
pub(crate) fn mirrored(body: &Value) -> String {
    let mut headers = String::new();
    let method = body["method"].as_str().unwrap_or_default();
    if body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_string() {
        headers += &format!(
            "MCP-Protocol-Version: {}\r\nMcp-Method: {method}\r\n",
            message::MODERN
        );
        let name = match method {
            "tools/call" | "prompts/get" => &body["params"]["name"],
            "resources/read" => &body["params"]["uri"],
            _ => &body["params"]["taskId"],
        };
        if let Some(name) = name.as_str() {
            headers += &format!("Mcp-Name: {name}\r\n");
        }
    }
    headers
}

/// Returns the challenges of a response.
pub(crate) fn challenge(response: &Response) -> String {
    response
        .header("www-authenticate")
        .unwrap_or_default()
        .to_owned()
}
