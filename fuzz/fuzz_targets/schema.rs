//! A tool's schema on the first line, and arguments on the others. The schema must be rejected with
//! a reason or served, in limited time; and a served tool must be called with exactly the arguments
//! that the library finds valid.

#![no_main]

use jsonschema::PatternOptions;
use libfuzzer_sys::fuzz_target;
use plainly::limits::Limits;
use plainly::{Args, Server, Tool};
use plainly_fuzz::{Peer, has_words, modern, simulate};
use serde_json::{Map, Value, json};

async fn any(Args(_): Args<Map<String, Value>>) -> &'static str {
    "called"
}

fuzz_target!(|text: &str| {
    if has_words(text) {
        return;
    }
    let (schema, arguments) = text.split_once('\n').unwrap_or((text, "{}"));
    let server = Server::builder("fuzz", "1")
        .limits(Limits::default())
        .tool(Tool::new("tool", any).input_schema(schema))
        .build();
    let server = match server {
        Ok(server) => server,
        Err(error) => return assert!(error.to_string().contains("tool"), "{error}"),
    };
    let schema: Value = serde_json::from_str(schema).unwrap();
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else {
        return;
    };
    simulate(check(server, schema, arguments.into()));
});

async fn check(server: Server, schema: Value, arguments: Value) {
    let params = json!({"name": "tool", "arguments": arguments});
    let heard = Peer::connect(&server, None)
        .ask(&modern(&json!(1), "tools/call", params))
        .await;
    let text = heard[0]["result"]["content"][0]["text"].as_str();
    let is_unread = heard[0]["error"]["code"] == -32600;
    let is_too_much = text.is_some_and(|text| text.contains("it is too large to be checked"));
    if is_unread || is_too_much || is_read_otherwise(&schema) {
        return;
    }
    let options = jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(false);
    // The library supports more URIs and drafts than a served tool needs.
    if let Ok(peer) = options.build(&schema) {
        let is_valid = peer.is_valid(&arguments);
        assert_eq!(text == Some("called"), is_valid, "{heard:?}");
    }
}

/// Whether the library differs: it lets `contains` evaluate items in 2019-09 already, and treats
/// the content keywords of drafts 6 and 7 as more than annotations.
fn is_read_otherwise(schema: &Value) -> bool {
    let text = schema.to_string();
    let has = |part| text.contains(part);
    has("\"content") && has("/draft-0") || has("\"contains\"") && has("/2019-09/")
}
