//! A server that requires a login, and its authorization server, both on one port and for one user.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::support::get;

/// The text that every secret of these servers contains.
pub(crate) const MARK: &str = "s3cret";

/// The settings of the servers, and their received requests.
#[derive(Debug)]
pub(crate) struct State {
    /// Whether the server requires a login.
    pub(crate) is_locked: bool,
    /// Whether only the list of tools requires a login, and only its rejection names the metadata.
    pub(crate) is_lazy: bool,
    /// Whether the answers to token requests wait.
    pub(crate) is_held: bool,
    /// The announced lifetime of a token in seconds.
    pub(crate) lifetime: u64,
    /// The number of issued tokens. Only the last one is accepted.
    pub(crate) given: u32,
    /// The number of polls to which a device gets no token yet.
    pub(crate) pending: u32,
    /// The page for logins, if it is another one.
    pub(crate) page: Option<&'static str>,
    /// The user's account, if the client gets an ID token.
    pub(crate) account: Option<&'static str>,
    /// The error code for a client that the user rejects.
    pub(crate) denial: Option<&'static str>,
    /// The scopes of each token, if they differ from the requested ones.
    pub(crate) granted: Option<&'static str>,
    /// Each request except those to the MCP server: its path, and its form or its query.
    pub(crate) requests: Vec<(String, String)>,
}

/// The servers, which end with the tests.
pub(crate) struct Protected {
    /// The URL of the MCP server.
    pub(crate) url: String,
    /// The authorization server.
    pub(crate) issuer: String,
    state: Arc<Mutex<State>>,
}

impl Protected {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            is_locked: true,
            is_lazy: false,
            is_held: false,
            lifetime: 3600,
            given: 0,
            pending: 1,
            page: None,
            account: None,
            denial: None,
            granted: None,
            requests: Vec::new(),
        }));
        let (shared, base) = (Arc::clone(&state), issuer.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (state, base) = (Arc::clone(&shared), base.clone());
                thread::spawn(move || converse(stream.unwrap(), &state, &base));
            }
        });
        Self {
            url: format!("{issuer}/mcp"),
            issuer,
            state,
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The forms or queries that were sent to this path.
    pub(crate) fn sent(&self, path: &str) -> Vec<String> {
        let state = self.state();
        let to_it = state.requests.iter().filter(|(it, _)| it == path);
        to_it.map(|(_, sent)| sent.clone()).collect()
    }
}

/// Simulates the user's browser: returns the redirect after the user has agreed.
pub(crate) fn agree(page: &str) -> String {
    let (head, _) = get(page);
    let location = head
        .lines()
        .find_map(|line| line.strip_prefix("Location: "));
    location.unwrap().to_owned()
}

/// The value of a parameter of a form or a query.
pub(crate) fn parameter(form: &str, name: &str) -> Option<String> {
    let pairs = url::form_urlencoded::parse(form.as_bytes());
    let mut values = pairs.filter(|(it, _)| it == name);
    values.next().map(|(_, value)| value.into_owned())
}

struct Received {
    method: String,
    path: String,
    query: String,
    authorization: Option<String>,
    body: String,
}

fn received(stream: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length, mut authorization) = (None, 0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let line = line.trim();
        let Some(head) = &head else {
            head = Some(line.to_owned());
            continue;
        };
        let _: &String = head;
        let Some((name, value)) = line.split_once(": ") else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.parse().unwrap();
        }
        if name.eq_ignore_ascii_case("authorization") {
            authorization = Some(value.to_owned());
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let head = head?;
    let mut words = head.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Some(Received {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        authorization,
        body: String::from_utf8(body).unwrap(),
    })
}

/// A response: its status, an additional header, and its JSON.
type Answer = (&'static str, Option<(&'static str, String)>, Value);

fn converse(mut stream: TcpStream, state: &Mutex<State>, base: &str) -> Option<()> {
    let received = received(&stream)?;
    let (status, header, body) = answer(&received, &mut state.lock().unwrap(), base);
    while received.path == "/token" && state.lock().unwrap().is_held {
        thread::sleep(Duration::from_millis(10));
    }
    let body = match body.is_null() {
        true => String::new(),
        false => body.to_string(),
    };
    let header = header.map(|(name, value)| format!("{name}: {value}\r\n"));
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{body}",
        body.len(),
        header.unwrap_or_default()
    );
    stream.write_all(answer.as_bytes()).ok()
}

fn answer(received: &Received, state: &mut State, base: &str) -> Answer {
    let path = received.path.as_str();
    if path == "/mcp" {
        return mcp(received, state, base);
    }
    let sent = match received.method.as_str() {
        "GET" => received.query.clone(),
        _ => received.body.clone(),
    };
    state.requests.push((path.to_owned(), sent));
    let page = |path| match state.page {
        Some(page) => page.to_owned(),
        None => format!("{base}{path}"),
    };
    let issuer = issuer(state, base);
    let of_issuer = path.strip_prefix("/.well-known/oauth-authorization-server");
    match path {
        _ if !state.is_locked => ("404 Not Found", None, Value::Null),
        _ if path == metadata(state) => ok(json!({
            "resource": format!("{base}/mcp"),
            "authorization_servers": [issuer],
            "scopes_supported": ["mcp:read"],
        })),
        _ if of_issuer.is_some_and(|it| issuer == format!("{base}{it}")) => ok(json!({
            "issuer": issuer,
            "authorization_endpoint": page("/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "revocation_endpoint": format!("{base}/revoke"),
            "device_authorization_endpoint": format!("{base}/device"),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_post", "private_key_jwt"],
            "authorization_response_iss_parameter_supported": true,
        })),
        "/register" => registered(&received.body),
        "/authorize" => authorize(&received.query, state, &issuer),
        "/token" => token(&received.body, state, base),
        "/device" => ok(json!({
            "device_code": format!("{MARK}-device"),
            "user_code": "WDJB-MJHT",
            "verification_uri": page("/enter"),
            "verification_uri_complete": page("/enter?code=WDJB-MJHT"),
            "expires_in": 600,
            "interval": 1,
        })),
        "/revoke" => ("200 OK", None, Value::Null),
        _ => ("404 Not Found", None, Value::Null),
    }
}

/// The path of the MCP server's metadata.
fn metadata(state: &State) -> &'static str {
    match state.is_lazy {
        true => "/metadata",
        false => "/.well-known/oauth-protected-resource/mcp",
    }
}

/// The authorization server. That of a lazy server is not the one of a server without metadata.
fn issuer(state: &State, base: &str) -> String {
    match state.is_lazy {
        true => format!("{base}/as"),
        false => base.to_owned(),
    }
}

fn ok(body: Value) -> Answer {
    ("200 OK", None, body)
}

fn registered(body: &str) -> Answer {
    let mut client: Value = serde_json::from_str(body).unwrap();
    client["client_id"] = "registered".into();
    client["token_endpoint_auth_method"] = "none".into();
    ("201 Created", None, client)
}

fn authorize(query: &str, state: &State, base: &str) -> Answer {
    let value = |name| parameter(query, name).unwrap();
    let outcome = match state.denial {
        Some(error) => ("error", error.to_owned()),
        None => ("code", format!("{MARK}-code")),
    };
    let mut location = url::Url::parse(&value("redirect_uri")).unwrap();
    location
        .query_pairs_mut()
        .append_pair(outcome.0, &outcome.1)
        .append_pair("state", &value("state"))
        .append_pair("iss", base);
    (
        "302 Found",
        Some(("Location", location.into())),
        Value::Null,
    )
}

fn token(form: &str, state: &mut State, base: &str) -> Answer {
    let refused = |error: &str| ("400 Bad Request", None, json!({ "error": error }));
    let grant = parameter(form, "grant_type").unwrap();
    let is_good = match grant.as_str() {
        "authorization_code" => parameter(form, "code") == Some(format!("{MARK}-code")),
        "refresh_token" => {
            let last = format!("{MARK}-refresh-{}", state.given);
            parameter(form, "refresh_token") == Some(last)
        }
        "client_credentials" => {
            let is_signed = parameter(form, "client_assertion").is_some();
            is_signed || parameter(form, "client_secret") == Some(format!("{MARK}-of-client"))
        }
        "urn:ietf:params:oauth:grant-type:device_code" if state.pending > 0 => {
            state.pending -= 1;
            return refused("authorization_pending");
        }
        "urn:ietf:params:oauth:grant-type:device_code" => true,
        "urn:ietf:params:oauth:grant-type:jwt-bearer" => {
            parameter(form, "assertion").is_some_and(|it| it.contains(MARK))
        }
        _ => return refused("unsupported_grant_type"),
    };
    if !is_good {
        return refused("invalid_grant");
    }
    state.given += 1;
    let mut tokens = json!({
        "access_token": format!("{MARK}-access-{}", state.given),
        "token_type": "Bearer",
        "expires_in": state.lifetime,
    });
    if grant != "client_credentials" && !grant.ends_with("jwt-bearer") {
        tokens["refresh_token"] = format!("{MARK}-refresh-{}", state.given).into();
    }
    if let Some(granted) = state.granted {
        tokens["scope"] = granted.into();
    }
    if let Some(account) = state.account {
        let claims = json!({
            "iss": base, "aud": "registered", "exp": u32::MAX, "sub": "1", "email": account, "note": MARK,
        });
        let claims = BASE64_URL_SAFE_NO_PAD.encode(claims.to_string());
        tokens["id_token"] = format!("e30.{claims}.{MARK}").into();
    }
    ok(tokens)
}

fn mcp(received: &Received, state: &State, base: &str) -> Answer {
    let token = format!("Bearer {MARK}-access-{}", state.given);
    let request = serde_json::from_str::<Value>(&received.body);
    let is_discovery = |it: &Value| it["method"] == "server/discover";
    let is_open = state.is_lazy && request.as_ref().is_ok_and(is_discovery);
    if state.is_locked && !is_open && received.authorization.as_deref() != Some(&*token) {
        let metadata = metadata(state);
        let challenge =
            format!("Bearer resource_metadata=\"{base}{metadata}\", scope=\"mcp:read\"");
        return (
            "401 Unauthorized",
            Some(("WWW-Authenticate", challenge)),
            Value::Null,
        );
    }
    let Ok(request) = request else {
        return ("405 Method Not Allowed", None, Value::Null);
    };
    let result = match request["method"].as_str().unwrap() {
        "server/discover" => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} },
            "ttlMs": 0,
            "cacheScope": "private",
        }),
        _ => json!({
            "resultType": "complete",
            "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }],
            "ttlMs": 0,
            "cacheScope": "private",
        }),
    };
    ok(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
}
