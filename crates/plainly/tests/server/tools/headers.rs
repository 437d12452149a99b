//! Arguments that headers repeat: `x-mcp-header` and `Mcp-Param-*`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::StatusCode;
use plainly::server::extract::{Args, State};
use plainly::server::{Server, Tool};
use plainly::{Failure, Revision};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use plainly_peer::Peer;
use plainly_peer::message::modern;

use super::support::{call, client, post, reply_to, told};

#[derive(Deserialize, JsonSchema)]
struct Query {
    /// The region of the data.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    #[schemars(extend("x-mcp-header" = "Limit"))]
    limit: Option<i64>,
    #[schemars(extend("x-mcp-header" = "Dry-Run"))]
    dry_run: Option<bool>,
    #[schemars(extend("x-mcp-header" = "Tier"))]
    tier: Option<String>,
}

#[derive(Clone, Default)]
struct Ran(Arc<AtomicUsize>);

async fn query(State(ran): State<Ran>, Args(query): Args<Query>) -> Result<String, Failure> {
    ran.0.fetch_add(1, Ordering::SeqCst);
    let Query {
        region,
        limit,
        dry_run,
        tier,
    } = query;
    Ok(format!("{region} {limit:?} {dry_run:?} {tier:?}"))
}

async fn nested(Args(all): Args<Map<String, Value>>) -> String {
    Value::Object(all).to_string()
}

fn server() -> (Server, Ran) {
    let ran = Ran::default();
    let schema = r#"{"type":"object","properties":{"options":{"type":"object",
        "properties":{"tenant":{"type":"string","x-mcp-header":"Tenant"}}}}}"#;
    let server = Server::builder("test", "1")
        .state(ran.clone())
        .tool(Tool::new("query", query))
        .tool(Tool::new("nested", nested).input_schema(schema))
        .build()
        .unwrap();
    (server, ran)
}

/// Sends a call with these headers in addition to the standard ones, and returns the reply.
async fn send(server: &Server, more: &[(&str, &str)], message: &Value) -> (StatusCode, Value) {
    let name = message["params"]["name"].as_str().unwrap();
    let mut headers = vec![
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", name),
    ];
    headers.extend(more);
    post(server, &headers, message).await
}

#[tokio::test]
async fn headers_that_say_what_the_arguments_say_let_a_call_through() {
    let (server, _) = server();
    #[rustfmt::skip]
    let cases = [
        (&[("Mcp-Param-Region", "eu")][..], json!({"region": "eu"}), "eu None None None"),
        (&[("MCP-PARAM-REGION", "  eu ")], json!({"region": "eu", "limit": null, "tier": null}), "eu None None None"),
        (&[("mcp-param-region", "=?base64?SGVsbG8=?=")], json!({"region": "Hello"}), "Hello None None None"),
        (&[("mcp-param-region", "=?base64?5LiW?=")], json!({"region": "世"}), "世 None None None"),
        (
            &[
                ("mcp-param-region", "eu"),
                ("mcp-param-limit", "42.0"),
                ("mcp-param-dry-run", "true"),
                ("mcp-param-tier", ""),
            ],
            json!({"region": "eu", "limit": 42, "dry_run": true, "tier": ""}),
            "eu Some(42) Some(true) Some(\"\")",
        ),
        (&[("mcp-param-region", "eu"), ("mcp-param-other", "ignored")], json!({"region": "eu"}), "eu None None None"),
    ];
    for (headers, arguments, text) in cases {
        let (status, reply) = send(&server, headers, &call("query", &arguments)).await;
        assert_eq!(
            (status, told(&reply)),
            (StatusCode::OK, (text, false)),
            "{headers:?}"
        );
    }
    let arguments = json!({"options": {"tenant": "a"}});
    let (_, reply) = send(
        &server,
        &[("mcp-param-tenant", "a")],
        &call("nested", &arguments),
    )
    .await;
    assert_eq!(told(&reply), (&*arguments.to_string(), false));
}

/// The headers, the arguments, and the mismatch.
type Mismatch = (&'static [(&'static str, &'static str)], Value, &'static str);

async fn check_mismatches<const COUNT: usize>(cases: [Mismatch; COUNT]) {
    let (server, ran) = server();
    for (headers, arguments, why) in cases {
        let (status, reply) = send(&server, headers, &call("query", &arguments)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{reply}");
        let error = json!({"code": -32020, "message": format!("Header mismatch: {why}")});
        let expected = json!({"jsonrpc": "2.0", "id": 1, "error": error});
        assert_eq!(reply, expected, "{headers:?}");
    }
    assert_eq!(ran.0.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn headers_that_say_something_else_are_a_mismatch_and_nothing_runs() {
    let missing = "mcp-param-region is missing, but the argument region is given";
    let other = "mcp-param-region does not match the argument region";
    let twice = "mcp-param-region is given more than once";
    let foreign = "mcp-param-region is not visible ASCII: encode it, as =?base64?...?=";
    let base64 = "mcp-param-region: header value contains invalid base64";
    let eu = json!({"region": "eu"});
    let hello = json!({"region": "Hello"});
    check_mismatches([
        (&[], eu.clone(), missing),
        (&[("mcp-param-region", "us")], eu.clone(), other),
        (&[("mcp-param-region", "EU")], eu.clone(), other),
        (&[("mcp-param-region", "")], eu.clone(), other),
        (
            &[("mcp-param-region", "eu"), ("mcp-param-region", "eu")],
            eu,
            twice,
        ),
        (
            &[("mcp-param-region", "é")],
            json!({"region": "é"}),
            foreign,
        ),
        (
            &[("mcp-param-region", "=?base64?SGVsbG8?=")],
            hello.clone(),
            base64,
        ),
        (
            &[("mcp-param-region", "=?base64?SGVs!!!bG8=?=")],
            hello.clone(),
            base64,
        ),
        (&[("mcp-param-region", "=?base64?SGVsbG8=")], hello, other),
    ])
    .await;
}

#[tokio::test]
async fn all_that_is_amiss_is_said_and_before_what_the_schema_says() {
    check_mismatches([
        (
            &[("mcp-param-region", "eu"), ("mcp-param-tier", "gold")],
            json!({"region": "eu"}),
            "mcp-param-tier is given, but the argument tier is not",
        ),
        (
            &[("mcp-param-region", "eu"), ("mcp-param-tier", "null")],
            json!({"region": "eu", "tier": null}),
            "mcp-param-tier is given, but the argument tier is not",
        ),
        (
            &[("mcp-param-region", "eu"), ("mcp-param-dry-run", "TRUE")],
            json!({"region": "eu", "dry_run": true}),
            "mcp-param-dry-run does not match the argument dry_run",
        ),
        (
            &[("mcp-param-region", "us"), ("mcp-param-limit", "9")],
            json!({"region": "eu", "limit": 8}),
            "mcp-param-limit does not match the argument limit; mcp-param-region does not match the argument region",
        ),
        (
            &[],
            json!({"region": "eu", "limit": "many"}),
            "mcp-param-limit is missing, but the argument limit is given; mcp-param-region is missing, but the argument region is given",
        ),
    ])
    .await;
}

#[tokio::test]
async fn what_is_checked_before_is_said_first_and_what_comes_after_is_not_reached() {
    let (server, _) = server();
    let region = json!({"region": "eu"});
    // The name in a header, and then the parameters, are checked before.
    let (_, reply) = send(&server, &[("mcp-name", "query")], &call("query", &region)).await;
    assert!(
        reply["error"]["message"]
            .as_str()
            .unwrap()
            .contains("Mcp-Name"),
        "{reply}"
    );
    let (status, reply) = send(&server, &[], &call("query", &json!(["eu"]))).await;
    assert_eq!(
        (status, &reply["error"]["code"]),
        (StatusCode::OK, &json!(-32602)),
        "{reply}"
    );
    let (_, reply) = send(&server, &[], &call("unknown", &region)).await;
    assert_eq!(reply["error"]["data"]["kind"], "unknown_tool", "{reply}");
    // The model must correct a value that no header can contain.
    let (_, reply) = send(&server, &[], &call("query", &json!({"region": ["eu"]}))).await;
    assert_eq!(
        told(&reply),
        (
            "Invalid arguments for tool query: /region: [\"eu\"] is not of type \"string\"",
            true
        )
    );
}

#[tokio::test]
async fn a_stream_and_older_revisions_have_no_such_headers() {
    let (server, _) = server();
    for revision in Revision::ALL {
        let (mut peer, _) = client(&server, revision).await;
        let params = json!({"name": "query", "arguments": {"region": "eu"}});
        let reply = reply_to(&mut peer, "tools/call", params).await;
        assert_eq!(told(&reply), ("eu None None None", false), "{revision}");
    }
}

#[tokio::test]
async fn the_annotations_are_listed_on_one_type_each() {
    let (server, _) = server();
    let mut peer = Peer::connect(&server);
    let reply = peer.ask(&modern(1, "tools/list", json!({}))).await;
    let properties = &reply["result"]["tools"][0]["inputSchema"]["properties"];
    assert_eq!(
        *properties,
        json!({
            "region": {"type": "string", "description": "The region of the data.", "x-mcp-header": "Region"},
            "limit": {"type": "integer", "x-mcp-header": "Limit"},
            "dry_run": {"type": "boolean", "x-mcp-header": "Dry-Run"},
            "tier": {"type": "string", "x-mcp-header": "Tier"},
        })
    );
}

#[test]
fn a_tool_that_clients_would_drop_is_not_served() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Wrong {
        #[schemars(extend("x-mcp-header" = "A"))]
        number: f64,
        #[schemars(extend("x-mcp-header" = "B C"))]
        named: String,
        #[schemars(extend("x-mcp-header" = "D"))]
        one: String,
        #[schemars(extend("x-mcp-header" = "d"))]
        other: bool,
    }
    async fn wrong(Args(_): Args<Wrong>) {}
    let built = Server::builder("test", "1")
        .tool(Tool::new("wrong", wrong))
        .build();
    let errors: Vec<String> = built.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "tool wrong has an x-mcp-header at the property named, but \"B C\" is not a valid header name",
            "tool wrong has an x-mcp-header at the property number, but its type is not \"string\", \"integer\" or \"boolean\"",
            "tool wrong has an x-mcp-header at the property other, but \"d\" is used twice",
        ]
    );
}

#[tokio::test]
async fn an_enum_that_stands_in_its_place_is_mirrored() {
    #[derive(Deserialize, JsonSchema, Debug)]
    #[serde(rename_all = "lowercase")]
    #[schemars(inline)]
    enum Region {
        Eu,
        Us,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Where {
        #[schemars(extend("x-mcp-header" = "Region"))]
        region: Region,
    }
    async fn go(Args(Where { region }): Args<Where>) -> String {
        format!("{region:?}")
    }
    let server = Server::builder("test", "1")
        .tool(Tool::new("go", go))
        .build()
        .unwrap();
    let (status, _) = send(
        &server,
        &[("mcp-param-region", "us")],
        &call("go", &json!({"region": "eu"})),
    )
    .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let (_, reply) = send(
        &server,
        &[("mcp-param-region", "us")],
        &call("go", &json!({"region": "us"})),
    )
    .await;
    assert_eq!(told(&reply), ("Us", false));
}
