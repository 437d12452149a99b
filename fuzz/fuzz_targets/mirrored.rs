//! A tool's schema on the first line, arguments on the second, and other text on the third. With
//! any annotations, a call must pass if the headers equal the arguments, and fail if a header has
//! any other text.

#![no_main]

use std::collections::HashSet;

use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use libfuzzer_sys::fuzz_target;
use plainly::protocol::header::encode;
use plainly::protocol::mirrored::{MirroredArgument, mirrored, text};
use plainly::transport::{Exchange, Frame, ReplyBody};
use plainly::{Args, Server, Tool};
use plainly_fuzz::{modern, simulate};
use serde_json::{Map, Value, json};

const MOST: f64 = 9_007_199_254_740_991.0;
const MISMATCH: i64 = -32020;
/// The code if the arguments are nested too deep, or have too many members.
const TOO_MUCH: i64 = -32600;

async fn any(Args(_): Args<Map<String, Value>>) -> &'static str {
    "called"
}

fuzz_target!(|input: &str| {
    let mut lines = input.splitn(3, '\n');
    let (schema, arguments) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    let other = lines.next().unwrap_or_default();
    let Ok(read) = serde_json::from_str::<Value>(schema) else {
        return;
    };
    let found = mirrored(&read);
    let server = Server::builder("fuzz", "1");
    let server = server
        .tool(Tool::new("tool", any).input_schema(schema))
        .build();
    let found = match found {
        Ok(found) => found,
        Err(wrong) => return assert!(!wrong.is_empty() && server.is_err()),
    };
    let names: HashSet<_> = found.iter().map(|one| &one.header).collect();
    assert_eq!(names.len(), found.len());
    for one in &found {
        assert!(HeaderName::from_bytes(one.header.as_bytes()).is_ok() && !one.path.is_empty());
        assert_eq!(
            annotation(&read, one),
            one.header.strip_prefix("mcp-param-").map(str::to_owned)
        );
    }
    if let (Ok(server), Ok(Value::Object(arguments))) = (server, serde_json::from_str(arguments)) {
        simulate(check(server, found, arguments.into(), other.to_owned()));
    }
});

/// The annotation in the schema for `one`.
fn annotation(schema: &Value, one: &MirroredArgument) -> Option<String> {
    let mut path = one.path.iter();
    let schema = path.try_fold(schema, |schema, name| schema.get("properties")?.get(name))?;
    Some(schema.get("x-mcp-header")?.as_str()?.to_ascii_lowercase())
}

async fn check(server: Server, found: Vec<MirroredArgument>, arguments: Value, other: String) {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "tool"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for one in &found {
        let said = one.value_in(&arguments).map(text);
        // A header can't express this value, which the schema will reject.
        let Some(Some(said)) = said else {
            if said.is_some() {
                return;
            }
            continue;
        };
        // A call with an integer beyond JavaScript's range is rejected, whatever the header
        // contains.
        let number = one.value_in(&arguments).and_then(Value::as_f64);
        if number.is_some_and(|number| number.abs() > MOST) {
            return;
        }
        headers.insert(name(one), HeaderValue::from_str(&encode(&said)).unwrap());
    }
    let code = code(&server, &headers, &arguments).await;
    assert_ne!(code, Some(MISMATCH));
    if code == Some(TOO_MUCH) {
        return;
    }
    for one in &found {
        let said = one.value_in(&arguments).and_then(text);
        let mut changed = headers.clone();
        if let Some(said) = &said {
            changed.remove(name(one));
            assert!(is_mismatch(&server, &changed, &arguments).await);
            changed = headers.clone();
            changed.append(name(one), HeaderValue::from_str(&encode(said)).unwrap());
            assert!(
                is_mismatch(&server, &changed, &arguments).await,
                "there twice"
            );
        }
        let is_number = one.value_in(&arguments).is_some_and(Value::is_number);
        if said.as_deref() != Some(&*other) && !is_number {
            changed.insert(name(one), HeaderValue::from_str(&encode(&other)).unwrap());
            assert!(
                is_mismatch(&server, &changed, &arguments).await,
                "{other:?}"
            );
        }
    }
}

fn name(one: &MirroredArgument) -> HeaderName {
    HeaderName::from_bytes(one.header.as_bytes()).unwrap()
}

async fn is_mismatch(server: &Server, headers: &HeaderMap, arguments: &Value) -> bool {
    code(server, headers, arguments).await == Some(MISMATCH)
}

/// The code of the error in the reply to a call.
async fn code(server: &Server, headers: &HeaderMap, arguments: &Value) -> Option<i64> {
    let params = json!({"name": "tool", "arguments": arguments});
    let body = modern(&json!(1), "tools/call", params).to_string();
    let frame = Frame::new(headers.clone(), body.into()).extensions(Extensions::new());
    let reply = server.exchange(&frame).await;
    let ReplyBody::Whole(body) = reply.body else {
        panic!("{reply:?}");
    };
    let reply: Value = serde_json::from_slice(&body).unwrap();
    reply["error"]["code"].as_i64()
}
