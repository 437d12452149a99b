//! The table of the dialects as literals: the encoding of each typed error on each revision.

use plainly_errors::{
    ApplicationCode, Code, ErrorKind, Internal, InvalidParams, InvalidRequest, Mistake,
    ProtocolError, Refusal, Unavailable, UrlElicitation,
};
use serde_json::{Map, Value, json};

/// The code and the HTTP status.
pub(crate) type Number = (i64, u16);

/// An error, its common parts, and its numbers on 2026-07-28, on 2025-11-25 and on earlier
/// revisions.
pub(crate) struct Row {
    pub(crate) error: ProtocolError,
    pub(crate) message: &'static str,
    pub(crate) data: Value,
    pub(crate) numbers: [Number; 3],
}

fn row(
    error: impl Into<ProtocolError>,
    message: &'static str,
    data: Value,
    numbers: [Number; 3],
) -> Row {
    let error = error.into();
    Row {
        error,
        message,
        data,
        numbers,
    }
}

/// Returns the row of an error that has the same number on all revisions.
pub(crate) fn same(
    error: impl Into<ProtocolError>,
    message: &'static str,
    data: Value,
    number: Number,
) -> Row {
    row(error, message, data, [number; 3])
}

/// Returns the row of an error for a client without these capabilities.
fn capabilities(required: Value, message: &'static str) -> Row {
    let members: Map<String, Value> = required.as_object().expect("a literal").clone();
    let error = ProtocolError::missing_client_capability(members);
    let data = json!({ "requiredCapabilities": required });
    let numbers = [(-32021, 400), (-32602, 200), (-32602, 200)];
    row(error, message, data, numbers)
}

/// Returns the kinds of errors whose number depends on the revision, or whose status differs from
/// that of their code.
pub(crate) fn kinds() -> Vec<Row> {
    let elicitation = UrlElicitation::new("550e8400", "https://mcp.example.com/connect", "Sign in");
    vec![
        same(ErrorKind::Parse, "Parse error", Value::Null, (-32700, 400)),
        same(
            ProtocolError::parse_error("no JSON"),
            "no JSON",
            Value::Null,
            (-32700, 400),
        ),
        row(
            ProtocolError::method_not_found("tools/fly"),
            "Method not found: tools/fly",
            json!({ "method": "tools/fly" }),
            [(-32601, 404), (-32601, 200), (-32601, 200)],
        ),
        row(
            ErrorKind::MethodNotFound { method: None },
            "Method not found",
            Value::Null,
            [(-32601, 404), (-32601, 200), (-32601, 200)],
        ),
        row(
            ProtocolError::header_mismatch("Mcp-Name is 'foo', the body says 'bar'"),
            "Mcp-Name is 'foo', the body says 'bar'",
            Value::Null,
            [(-32020, 400), (-32600, 400), (-32600, 400)],
        ),
        capabilities(
            json!({ "sampling": {} }),
            "The client must declare the capability sampling for this request",
        ),
        capabilities(
            json!({ "elicitation": { "form": {}, "url": {} }, "extensions": { "com.example/a": {} } }),
            "The client must declare the capabilities elicitation.form, elicitation.url, \
             extensions[\"com.example/a\"] for this request",
        ),
        row(
            ProtocolError::unsupported_version(["2026-07-28", "2025-11-25"], "1900-01-01"),
            "Unsupported protocol version \"1900-01-01\": use 2026-07-28 or 2025-11-25",
            json!({ "supported": ["2026-07-28", "2025-11-25"], "requested": "1900-01-01" }),
            [(-32022, 400), (-32602, 400), (-32602, 400)],
        ),
        row(
            ProtocolError::url_elicitation_required([elicitation]),
            "The user must visit https://mcp.example.com/connect first",
            json!({ "elicitations": [{
                "mode": "url",
                "elicitationId": "550e8400",
                "url": "https://mcp.example.com/connect",
                "message": "Sign in",
            }] }),
            [(-32603, 200), (-32042, 200), (-32603, 200)],
        ),
    ]
}

pub(crate) fn unavailable() -> Vec<Row> {
    vec![
        same(
            Unavailable::Overloaded,
            "Too many requests in flight: try again later",
            json!({ "kind": "overloaded" }),
            (503, 503),
        ),
        same(
            Unavailable::ShuttingDown,
            "The server is shutting down",
            json!({ "kind": "shutting_down" }),
            (503, 503),
        ),
        same(
            Unavailable::CannotVerify,
            "Access tokens can't be verified at the moment: try again later",
            json!({ "kind": "cannot_verify" }),
            (503, 503),
        ),
    ]
}

pub(crate) fn invalid_requests() -> Vec<Row> {
    let plain = |detail: InvalidRequest, message, kind: &str, status| {
        same(detail, message, json!({ "kind": kind }), (-32600, status))
    };
    vec![
        same(
            InvalidRequest::Malformed,
            "Invalid request",
            json!({ "kind": "malformed" }),
            (-32600, 400),
        ),
        plain(
            InvalidRequest::DuplicateId,
            "Invalid request: another request with this id is still being served",
            "duplicate_id",
            400,
        ),
        plain(
            InvalidRequest::SessionRequired,
            "Invalid request: no session. Send initialize first, then the Mcp-Session-Id from its response; \
             or use the headers and _meta of revision 2026-07-28",
            "session_required",
            400,
        ),
        plain(
            InvalidRequest::SessionNotFound,
            "Invalid request: unknown or expired session. Send initialize again",
            "session_not_found",
            404,
        ),
    ]
}

pub(crate) fn refusals() -> Vec<Row> {
    #[rustfmt::skip]
    let refusals = [
        (Refusal::BadRequest, "Bad request: the HTTP request is contradictory or malformed", "bad_request", 400),
        (Refusal::Unauthorized, "Unauthorized: this server needs an access token", "unauthorized", 401),
        (Refusal::InsufficientScope, "Forbidden: the access token lacks a scope that this request needs", "insufficient_scope", 403),
        (Refusal::ForbiddenHost, "Forbidden: this server does not accept that Host", "forbidden_host", 403),
        (Refusal::ForbiddenOrigin, "Forbidden: requests from that Origin are not allowed", "forbidden_origin", 403),
        (Refusal::UnknownPath, "Not found: this path is not the MCP endpoint", "unknown_path", 404),
        (Refusal::MethodNotAllowed, "Method not allowed: send messages by POST", "method_not_allowed", 405),
        (Refusal::NotAcceptable, "Not acceptable: accept both application/json and text/event-stream", "not_acceptable", 406),
        (Refusal::RequestTimeout, "Request timeout: the body did not arrive in time", "request_timeout", 408),
        (Refusal::StreamTaken, "Conflict: the stream of this session is already open", "stream_taken", 409),
        (Refusal::TooLarge { limit: None }, "Payload too large", "too_large", 413),
        (Refusal::UnsupportedMediaType, "Unsupported media type: send the message as application/json", "unsupported_media_type", 415),
        (Refusal::TooManyFailures, "Too many requests: too many access tokens from this address were rejected", "too_many_failures", 429),
    ];
    let refused = |(refusal, message, name, status)| {
        let data = json!({ "kind": "refused", "refusal": name });
        same(refusal, message, data, (-32600, status))
    };
    let mut rows: Vec<_> = refusals.map(refused).into();
    rows.push(same(
        Refusal::TooLarge { limit: Some(9) },
        "Payload too large: a message may have at most 9 bytes",
        json!({ "kind": "refused", "refusal": "too_large", "limit": 9 }),
        (-32600, 413),
    ));
    rows
}

pub(crate) fn invalid_params() -> Vec<Row> {
    let (name, keys) = ("fly", ["a", "b"]);
    let mut rows = vec![
        same(
            InvalidParams::MALFORMED,
            "Invalid params",
            json!({ "kind": "malformed" }),
            (-32602, 200),
        ),
        same(
            InvalidParams::Malformed {
                problems: problems(),
            },
            "Invalid params: /a: 5 is not of type \"string\"; /b: it is missing",
            json!({ "kind": "malformed", "problems": [
                { "path": "/a", "message": "5 is not of type \"string\"" },
                { "path": "/b", "message": "it is missing" },
            ] }),
            (-32602, 200),
        ),
        same(
            InvalidParams::NotAnObject,
            "Invalid params: not an object",
            json!({ "kind": "not_an_object" }),
            (-32602, 400),
        ),
        same(
            InvalidParams::MissingMeta {
                keys: keys.map(str::to_owned).to_vec(),
                problems: Vec::new(),
            },
            "Invalid params: _meta must contain a and b",
            json!({ "kind": "missing_meta", "keys": keys }),
            (-32602, 400),
        ),
        same(
            InvalidParams::UnknownTool { name: name.into() },
            "Unknown tool: fly",
            json!({ "kind": "unknown_tool", "name": name }),
            (-32602, 200),
        ),
        same(
            InvalidParams::UnknownPrompt { name: name.into() },
            "Unknown prompt: fly",
            json!({ "kind": "unknown_prompt", "name": name }),
            (-32602, 200),
        ),
        same(
            InvalidParams::UnknownSkill { uri: name.into() },
            "Unknown skill: fly",
            json!({ "kind": "unknown_skill", "uri": name }),
            (-32602, 200),
        ),
    ];
    rows.extend(odd_names());
    rows.extend(invalid_resource_params());
    rows.extend(invalid_part_params());
    rows
}

/// Returns errors with names that a message must escape.
fn odd_names() -> Vec<Row> {
    vec![
        same(
            InvalidParams::UnknownTool { name: "".into() },
            "Unknown tool: \"\"",
            json!({ "kind": "unknown_tool", "name": "" }),
            (-32602, 200),
        ),
        same(
            InvalidParams::UnknownTool {
                name: "a\u{1b}[2J\n\u{202e}".into(),
            },
            r"Unknown tool: a\u{1b}[2J\n\u{202e}",
            json!({ "kind": "unknown_tool", "name": "a\u{1b}[2J\n\u{202e}" }),
            (-32602, 200),
        ),
    ]
}

fn problems() -> Vec<Mistake> {
    vec![
        Mistake::new("/a", r#"5 is not of type "string""#),
        Mistake::new("/b", "it is missing"),
    ]
}

fn invalid_resource_params() -> Vec<Row> {
    let uri = "file:///a";
    vec![
        same(
            InvalidParams::InvalidCursor,
            "Invalid cursor: start again without one",
            json!({ "kind": "invalid_cursor" }),
            (-32602, 200),
        ),
        same(
            InvalidParams::InvalidRequestState,
            "Invalid requestState: start again without one",
            json!({ "kind": "invalid_request_state" }),
            (-32602, 200),
        ),
        same(
            InvalidParams::InvalidInputResponse {
                key: "a".into(),
                problems: Vec::new(),
            },
            "Invalid input response: a",
            json!({ "kind": "invalid_input_response", "key": "a" }),
            (-32602, 200),
        ),
        same(
            InvalidParams::UnknownTask,
            "Unknown task: it does not exist or has expired",
            json!({ "kind": "unknown_task" }),
            (-32602, 200),
        ),
        same(
            InvalidParams::InvalidUri {
                uri: uri.into(),
                problems: problems(),
            },
            "Invalid URI: file:///a: /a: 5 is not of type \"string\"; /b: it is missing",
            json!({ "kind": "invalid_uri", "uri": uri, "problems": problems() }),
            (-32602, 200),
        ),
        same(
            InvalidParams::NotACollection { uri: uri.into() },
            "Not a collection: file:///a",
            json!({ "kind": "not_a_collection", "uri": uri }),
            (-32602, 200),
        ),
    ]
}

fn invalid_part_params() -> Vec<Row> {
    let uri = "file:///a";
    vec![
        same(
            InvalidParams::ResourceTooLarge {
                uri: uri.into(),
                size: 3,
                limit: 2,
                parts: Vec::new(),
            },
            "Resource too large: file:///a has 3 bytes, the limit is 2",
            json!({ "kind": "resource_too_large", "uri": uri, "size": 3, "limit": 2 }),
            (-32602, 200),
        ),
        same(
            InvalidParams::ResourceTooLarge {
                uri: uri.into(),
                size: 3,
                limit: 2,
                parts: vec!["file:///a#tail=1".into()],
            },
            "Resource too large: file:///a has 3 bytes, the limit is 2: read a part, such as file:///a#tail=1",
            json!({ "kind": "resource_too_large", "uri": uri, "size": 3, "limit": 2, "parts": ["file:///a#tail=1"] }),
            (-32602, 200),
        ),
        same(
            InvalidParams::NoSuchPart {
                uri: uri.into(),
                size: 3,
            },
            "No such part: file:///a begins after the end, at 3",
            json!({ "kind": "no_such_part", "uri": uri, "size": 3 }),
            (-32602, 200),
        ),
    ]
}

pub(crate) fn internals() -> Vec<Row> {
    vec![
        same(
            Internal::Failed,
            "Internal error",
            Value::Null,
            (-32603, 200),
        ),
        same(
            Internal::Incident {
                incident: "7f".to_owned(),
            },
            "Internal error. See the server's log for incident 7f",
            json!({ "kind": "incident", "incident": "7f" }),
            (-32603, 200),
        ),
        same(
            Internal::DeadlineExceeded { limit_ms: 5 },
            "Internal error: not finished within 5 ms",
            json!({ "kind": "deadline_exceeded", "limitMs": 5 }),
            (-32603, 200),
        ),
        same(
            Internal::ReplyTooLarge { limit: 5 },
            "Internal error: the reply is larger than 5 bytes",
            json!({ "kind": "reply_too_large", "limit": 5 }),
            (-32603, 200),
        ),
    ]
}

pub(crate) fn applications() -> Vec<Row> {
    let code = ApplicationCode::of::<418>();
    let with_data = |code: i64, data: Value| ErrorKind::Unrecognised {
        code: Code::new(code),
        data: Some(data),
    };
    vec![
        same(
            ProtocolError::application(code, "I'm a teapot"),
            "I'm a teapot",
            Value::Null,
            (418, 200),
        ),
        same(
            ErrorKind::Application {
                code,
                data: Some(json!([1])),
            },
            "Application error 418",
            json!([1]),
            (418, 200),
        ),
        same(
            with_data(7, json!({ "a": 1 })),
            "Error 7",
            json!({ "a": 1 }),
            (7, 200),
        ),
        same(
            with_data(-32000, json!({ "a": 1 })),
            "Error -32000",
            Value::Null,
            (-32603, 200),
        ),
        same(
            with_data(-32022, json!({ "a": 1 })),
            "Error -32022",
            Value::Null,
            (-32603, 200),
        ),
    ]
}
