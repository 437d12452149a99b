//! THE list of cases: what is done in every cell, and what is then seen.

use futures_util::FutureExt;
use plainly::errors::Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};
use serde_json::json;

use crate::acts::{messages, serving, tasks, telling};
use crate::table::Seen::{Has, Lacks};
use crate::table::{Case, case};

#[rustfmt::skip]
pub(crate) const CASES: &[Case] = &[
    case("tools are listed", |c| serving::tools(c).boxed(), &[
        (V2024_11_05, Has("greet and 21 more, 0 with output schemas")),
        (V2025_06_18, Has("greet and 21 more, 1 with output schemas")),
    ]),
    case("a tool is called", |c| serving::call(c).boxed(), &[(V2024_11_05, Has("Hello, Ada!"))]),
    case("a tool with a structured result", |c| serving::structured(c).boxed(), &[
        (V2024_11_05, Lacks(r#"{"total":3}"#)),
        (V2025_06_18, Has(r#"{"total":3} + {"total":3}"#)),
    ]),
    case("pictures, sound and links", |c| c.call_bare("media").boxed(), &[
        (V2024_11_05, Lacks("<image> | Audio (audio/wav, 1 bytes), which protocol version 2024-11-05 can't carry | Resource motd: app://motd")),
        (V2025_03_26, Lacks("<image> | <audio> | Resource motd: app://motd")),
        (V2025_06_18, Has("<image> | <audio> | <resource_link>")),
    ]),
    case("resources are listed", |c| serving::resources(c).boxed(), &[(V2024_11_05, Has("app://motd and 16 more"))]),
    case("children of a collection", |c| serving::children(c, "note://home").boxed(), &[(V2024_11_05, Has("note://home/garden note://home/recipes"))]),
    case("a resource is read", |c| c.read("app://motd").boxed(), &[(V2024_11_05, Has("Be kind."))]),
    case("a collection is read", |c| c.read("note://home").boxed(), &[(V2024_11_05, Has("Water the tomatoes."))]),
    case("metadata", |c| serving::metadata(c, "note://home").boxed(), &[(V2024_11_05, Has("home Some(true)"))]),
    case("resource templates are listed", |c| serving::templates(c).boxed(), &[(V2024_11_05, Has("user://{name}"))]),
    case("a resource of a template", |c| c.read("user://ada").boxed(), &[(V2024_11_05, Has("ada is a user."))]),
    case("prompts are listed", |c| serving::prompts(c).boxed(), &[(V2024_11_05, Has("review form broken panics problem"))]),
    case("a prompt", |c| c.prompt("review", &[("language", "rust")]).boxed(), &[(V2024_11_05, Has("Review rust "))]),
    case("the capability of completion", |c| serving::can_complete(c).boxed(), &[
        (V2024_11_05, Lacks("false")),
        (V2025_03_26, Has("true")),
    ]),
    case("completion of an argument", |c| serving::language(c).boxed(), &[(V2024_11_05, Has("rust | ruby"))]),
    case("completion with other arguments", |c| serving::framework(c, "ruby").boxed(), &[(V2024_11_05, Has("ruby on rails"))]),
    case("completion of a variable", |c| serving::variable(c).boxed(), &[(V2024_11_05, Has("ada"))]),
    case("elicitation", |c| c.call("form").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2025_06_18, Has("Ada")),
    ]),
    case("elicitation declined", |c| c.call("declined").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2025_06_18, Has("Decline")),
    ]),
    case("elicitation answered wrongly", |c| c.call("many").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2025_06_18, Has(r#"tool error: The client's answer to many is not what was asked for: /many: "few" is not of type "integer""#)),
        (V2026_07_28, Has(r#"HTTP 200: -32602 {"key":"many","kind":"invalid_input_response"}"#)),
    ]),
    case("elicitation of a prompt", |c| c.prompt("form", &[]).boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2025_06_18, Has("Ada")),
    ]),
    case("elicitation of a resource", |c| c.read("app://form").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2025_06_18, Has("Ada")),
    ]),
    case("elicitation of a client that can't", |c| c.call_bare("form").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2025_06_18, Has(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2026_07_28, Has(r#"HTTP 400: -32021 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
    ]),
    case("url elicitation", |c| c.call("visit").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"url":{}}}}"#)),
        (V2025_11_25, Has("Accept")),
    ]),
    case("url elicitation of a client that can't", |c| c.call_bare("visit").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"url":{}}}}"#)),
        (V2025_11_25, Has(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"url":{}}}}"#)),
        (V2026_07_28, Has(r#"HTTP 400: -32021 {"requiredCapabilities":{"elicitation":{"url":{}}}}"#)),
    ]),
    case("url elicitation required, tool", |c| c.call("sign-in").boxed(), &[
        (V2024_11_05, Lacks("tool error: The user must visit https://example.com/sign-in first\n- Sign in: https://example.com/sign-in")),
        (V2025_11_25, Has(r#"HTTP 200: -32042 {"elicitations":[{"elicitationId":"sign-in","message":"Sign in","mode":"url","url":"https://example.com/sign-in"}]}"#)),
        (V2026_07_28, Has("signed in")),
    ]),
    case("url elicitation required, resource", |c| c.read("app://sign-in").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32603 {"elicitations":[{"elicitationId":"sign-in","message":"Sign in","mode":"url","url":"https://example.com/sign-in"}]}"#)),
        (V2025_11_25, Has(r#"HTTP 200: -32042 {"elicitations":[{"elicitationId":"sign-in","message":"Sign in","mode":"url","url":"https://example.com/sign-in"}]}"#)),
        (V2026_07_28, Has("signed in")),
    ]),
    case("url elicitation required of a client that can't", |c| c.call_bare("sign-in").boxed(), &[
        (V2024_11_05, Lacks("tool error: The user must visit https://example.com/sign-in first\n- Sign in: https://example.com/sign-in")),
        (V2025_11_25, Has("tool error: The user must visit https://example.com/sign-in first\n- Sign in: https://example.com/sign-in")),
        (V2026_07_28, Has(r#"HTTP 400: -32021 {"requiredCapabilities":{"elicitation":{"url":{}}}}"#)),
    ]),
    case("sampling", |c| c.call("sample").boxed(), &[(V2024_11_05, Has("Hello?!"))]),
    case("sampling of a client that can't", |c| c.call_bare("sample").boxed(), &[
        (V2024_11_05, Has(r#"HTTP 200: -32602 {"requiredCapabilities":{"sampling":{}}}"#)),
        (V2026_07_28, Has(r#"HTTP 400: -32021 {"requiredCapabilities":{"sampling":{}}}"#)),
    ]),
    case("sampling refused", |c| c.call("refused").boxed(), &[
        (V2024_11_05, Has("tool error: The client did not answer model: the user said no (-32600)")),
        (V2026_07_28, Has("local: `tools/call` needs an answer to `sampling/createMessage`, and there is no handler for it")),
    ]),
    case("roots", |c| c.call("roots").boxed(), &[(V2024_11_05, Has("file:///work"))]),
    case("roots of a client that can't", |c| c.call_bare("roots").boxed(), &[
        (V2024_11_05, Has(r#"HTTP 200: -32602 {"requiredCapabilities":{"roots":{}}}"#)),
        (V2026_07_28, Has(r#"HTTP 400: -32021 {"requiredCapabilities":{"roots":{}}}"#)),
    ]),
    case("several questions", |c| c.call("several").boxed(), &[(V2024_11_05, Has("1 first! second!"))]),
    case("a resource that changes", |c| telling::updated(c, "app://motd").boxed(), &[(V2024_11_05, Has("app://motd changed"))]),
    case("a subscription to what isn't there", |c| telling::updated(c, "app://nope").boxed(), &[
        (V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"app://nope"}"#)),
        (V2026_07_28, Has("not honoured")),
    ]),
    case("other tools", |c| telling::other_tools(c).boxed(), &[(V2024_11_05, Has("Some(Tools)"))]),
    case("other prompts", |c| telling::other_prompts(c).boxed(), &[(V2024_11_05, Has("Some(Prompts)"))]),
    case("other resources", |c| telling::other_resources(c).boxed(), &[(V2024_11_05, Has("Some(Resources)"))]),
    case("progress", |c| telling::progress(c).boxed(), &[(V2024_11_05, Has("1/2 step 1, 2/2 step 2, done"))]),
    case("nothing to who wants nothing", |c| telling::nothing(c).boxed(), &[(V2024_11_05, Has("done []"))]),
    case("logging of a tool", |c| telling::logs(c, false).boxed(), &[(V2024_11_05, Has(r#"done ["1", "2"]"#))]),
    case("logging of a resource", |c| telling::logs(c, true).boxed(), &[(V2024_11_05, Has(r#"done ["1", "2"]"#))]),
    case("cancellation of a tool", |c| telling::cancellation(c).boxed(), &[(V2024_11_05, Has("ended, then Hello, Bob!"))]),
    case("cancellation of a resource", |c| telling::cancelled_reading(c).boxed(), &[(V2024_11_05, Has("ended, then Hello, Bob!"))]),
    case("is the server there", |c| telling::ping(c).boxed(), &[(V2024_11_05, Has("there"))]),
    case("ping", |c| messages::ask(c, "ping", json!({})).boxed(), &[
        (V2024_11_05, Has("a result")),
        (V2026_07_28, Lacks(r#"HTTP 404: -32601 {"method":"ping"}"#)),
    ]),
    case("discovery", |c| telling::discover(c).boxed(), &[
        (V2024_11_05, Lacks("server/discover is not in the revision")),
        (V2026_07_28, Has("2026-07-28")),
    ]),
    case("server/discover", |c| messages::ask(c, "server/discover", json!({})).boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32601 {"method":"server/discover"}"#)),
        (V2026_07_28, Has("a result")),
    ]),
    case("initialize", |c| messages::initialize(c).boxed(), &[
        (V2024_11_05, Has("a result")),
        (V2026_07_28, Lacks(r#"HTTP 404: -32601 {"method":"initialize"}"#)),
    ]),
    case("logging/setLevel", |c| messages::ask(c, "logging/setLevel", json!({"level": "info"})).boxed(), &[
        (V2024_11_05, Has("a result")),
        (V2026_07_28, Lacks(r#"HTTP 404: -32601 {"method":"logging/setLevel"}"#)),
    ]),
    case("resources/subscribe", |c| messages::ask(c, "resources/subscribe", json!({"uri": "app://motd"})).boxed(), &[
        (V2024_11_05, Has("a result")),
        (V2026_07_28, Lacks(r#"HTTP 404: -32601 {"method":"resources/subscribe"}"#)),
    ]),
    case("a task", |c| tasks::done(c, "job").boxed(), &[
        (V2024_11_05, Lacks(r#"no task, "done""#)),
        (V2026_07_28, Has(r#"no task, "done""#)),
    ]),
    case("a task that must be", |c| tasks::done(c, "long-job").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#)),
        (V2026_07_28, Has(r#"task, "done""#)),
    ]),
    case("a task that must be, of a client that can't", |c| c.call_bare("long-job").boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#)),
        (V2026_07_28, Has(r#"HTTP 400: -32021 {"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#)),
    ]),
    case("a task that asks", |c| tasks::asks(c).boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2026_07_28, Has(r#""Who?" "Ada""#)),
    ]),
    case("a task is cancelled", |c| tasks::cancelled(c).boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32601 {"method":"tasks/cancel"}"#)),
        (V2026_07_28, Has(r#""cancelled""#)),
    ]),
    case("unknown task", |c| tasks::unknown(c).boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32601 {"method":"tasks/get"}"#)),
        (V2026_07_28, Has(r#"HTTP 200: -32602 {"kind":"unknown_task"}"#)),
    ]),
    case("unknown method", |c| messages::ask(c, "no/such", json!({})).boxed(), &[
        (V2024_11_05, Has(r#"HTTP 200: -32601 {"method":"no/such"}"#)),
        (V2026_07_28, Has(r#"HTTP 404: -32601 {"method":"no/such"}"#)),
    ]),
    case("invalid params", |c| messages::ask(c, "tools/call", json!({"name": 7})).boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"kind":"malformed"}"#))]),
    case("params that are a list", |c| messages::list_of_params(c).boxed(), &[(V2024_11_05, Has(r#"HTTP 400: -32602 {"kind":"not_an_object"}"#))]),
    case("no _meta", |c| messages::no_meta(c).boxed(), &[
        (V2024_11_05, Lacks("a result")),
        (V2026_07_28, Has(r#"HTTP 400: -32602 {"keys":["io.modelcontextprotocol/protocolVersion","io.modelcontextprotocol/clientCapabilities"],"kind":"missing_meta"}"#)),
    ]),
    case("unknown tool", |c| c.call_bare("nope").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"kind":"unknown_tool","name":"nope"}"#))]),
    case("unknown prompt", |c| c.prompt("nope", &[]).boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"kind":"unknown_prompt","name":"nope"}"#))]),
    case("unknown prompt to complete", |c| serving::of_unknown_prompt(c).boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"kind":"unknown_prompt","name":"nope"}"#))]),
    case("invalid arguments of a tool", |c| serving::wrong_arguments(c).boxed(), &[(V2024_11_05, Has(r#"tool error: Invalid arguments for tool sum: "b" is a required property; /a: "one" is not of type "integer""#))]),
    case("invalid arguments of a prompt", |c| c.prompt("review", &[]).boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"kind":"malformed"}"#))]),
    case("invalid cursor", |c| serving::cursor(c).boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"kind":"invalid_cursor"}"#))]),
    case("resource not found, not even a URI", |c| messages::ask(c, "resources/read", json!({"uri": "not a uri"})).boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"not a uri"}"#))]),
    case("resource not found, for old clients", |c| serving::pinned(c, "app://nope").boxed(), &[
        (V2024_11_05, Has(r#"HTTP 200: -32002 {"uri":"app://nope"}"#)),
        (V2026_07_28, Lacks(r#"HTTP 200: -32602 {"uri":"app://nope"}"#)),
    ]),
    case("resource not found", |c| c.read("app://nope").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"app://nope"}"#))]),
    case("resource not found, by its handler", |c| c.read("app://gone").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"app://gone"}"#))]),
    case("resource not found, in a store", |c| c.read("note://nope").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"note://nope"}"#))]),
    case("resource not found, metadata", |c| serving::metadata(c, "note://nope").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"note://nope"}"#))]),
    case("resource not found, children", |c| serving::children(c, "note://nope").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"note://nope"}"#))]),
    case("not a collection", |c| serving::children(c, "note://home/garden").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"kind":"not_a_collection","uri":"note://home/garden"}"#))]),
    case("failure of a tool", |c| c.call_bare("broken").boxed(), &[(V2024_11_05, Has("tool error: the disk is on fire"))]),
    case("failure of a resource", |c| c.read("app://broken").boxed(), &[(V2024_11_05, Has("HTTP 200: -32603"))]),
    case("failure of a prompt", |c| c.prompt("broken", &[]).boxed(), &[(V2024_11_05, Has("HTTP 200: -32603"))]),
    case("failure of a completion", |c| serving::framework(c, "broken").boxed(), &[(V2024_11_05, Has("HTTP 200: -32603"))]),
    case("panic of a tool", |c| c.call_bare("panics").boxed(), &[(V2024_11_05, Has("tool error: Internal error"))]),
    case("panic of a resource", |c| c.read("app://panics").boxed(), &[(V2024_11_05, Has("HTTP 200: -32603"))]),
    case("panic of a prompt", |c| c.prompt("panics", &[]).boxed(), &[(V2024_11_05, Has("HTTP 200: -32603"))]),
    case("problem of a tool", |c| c.call_bare("problem").boxed(), &[
        (V2024_11_05, Lacks("tool error: The service 'search' is unavailable.")),
        (V2025_06_18, Has(r#"tool error: The service 'search' is unavailable. + {"success":false,"error":"The service 'search' is unavailable.","code":"SERVICE_UNAVAILABLE","details":{"service":"search"}}"#)),
    ]),
    case("problem of a resource", |c| c.read("app://problem").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: 503 {"code":"SERVICE_UNAVAILABLE","details":{"service":"search"}}"#))]),
    case("problem of a prompt", |c| c.prompt("problem", &[]).boxed(), &[(V2024_11_05, Has(r#"HTTP 200: 503 {"code":"SERVICE_UNAVAILABLE","details":{"service":"search"}}"#))]),
    case("not found as a problem of a tool", |c| c.call_bare("no-user").boxed(), &[
        (V2024_11_05, Lacks("tool error: The user '7' was not found.")),
        (V2025_06_18, Has(r#"tool error: The user '7' was not found. + {"success":false,"error":"The user '7' was not found.","code":"NOT_FOUND","details":{"entity_type":"user","identifier":"7"}}"#)),
    ]),
    case("not found as a problem of a resource", |c| c.read("app://no-user").boxed(), &[(V2024_11_05, Has(r#"HTTP 200: -32602 {"uri":"app://no-user"}"#))]),
    case("an application's error of a tool", |c| c.call_bare("teapot").boxed(), &[(V2024_11_05, Has("tool error: I'm a teapot"))]),
    case("an application's error of a resource", |c| c.read("app://teapot").boxed(), &[(V2024_11_05, Has("HTTP 200: 418"))]),
    case("requestState made up", |c| messages::ask(c, "tools/call", json!({"name": "form", "requestState": "x"})).boxed(), &[
        (V2024_11_05, Lacks(r#"HTTP 200: -32602 {"requiredCapabilities":{"elicitation":{"form":{}}}}"#)),
        (V2026_07_28, Has(r#"HTTP 200: -32602 {"kind":"invalid_request_state"}"#)),
    ]),
    case("parse error", |c| messages::text(c, "{").boxed(), &[
        (V2024_11_05, Lacks("silence")),
        (V2025_11_25, Has("HTTP 400: -32700")),
    ]).over_http(&[(V2024_11_05, Has("HTTP 400: -32700"))]),
    case("no message", |c| messages::text(c, "7").boxed(), &[
        (V2024_11_05, Lacks("silence")),
        (V2025_11_25, Has(r#"HTTP 400: -32600 {"kind":"malformed"}"#)),
    ]).over_http(&[(V2024_11_05, Has(r#"HTTP 400: -32600 {"kind":"malformed"}"#))]),
    case("id that is null", |c| messages::text(c, r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#).boxed(), &[
        (V2024_11_05, Lacks("silence")),
        (V2025_11_25, Has(r#"HTTP 400: -32600 {"kind":"malformed"}"#)),
    ]).over_http(&[(V2024_11_05, Has(r#"HTTP 400: -32600 {"kind":"malformed"}"#))]),
    case("a batch", |c| messages::batch(c).boxed(), &[
        (V2024_11_05, Lacks("silence")),
        (V2025_03_26, Has("Some(2) replies")),
        (V2025_06_18, Lacks("silence")),
        (V2025_11_25, Lacks(r#"HTTP 400: -32600 {"kind":"malformed"}"#)),
    ]).over_http(&[
        (V2024_11_05, Lacks(r#"HTTP 400: -32600 {"kind":"malformed"}"#)),
        (V2025_03_26, Has("Some(2) replies")),
        (V2025_06_18, Lacks(r#"HTTP 400: -32600 {"kind":"malformed"}"#)),
    ]),
    case("unsupported version", |c| messages::version(c).boxed(), &[
        (V2024_11_05, Has(r#"a session of "2025-11-25""#)),
        (V2026_07_28, Has(r#"HTTP 400: -32022 {"requested":"1999-12-31","supported":["2026-07-28"]}"#)),
    ]),
    case("unsupported version in the header", |c| messages::version_header(c).boxed(), &[(V2024_11_05, Lacks("no headers"))]).over_http(&[
        (V2024_11_05, Lacks("a result")),
        (V2025_06_18, Has(r#"HTTP 400: -32602 {"requested":"1999-12-31","supported":["2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}"#)),
        (V2026_07_28, Has("HTTP 400: -32020")),
    ]),
    case("header mismatch", |c| messages::method_header(c).boxed(), &[(V2024_11_05, Lacks("no headers"))]).over_http(&[
        (V2024_11_05, Lacks("a result")),
        (V2026_07_28, Has("HTTP 400: -32020")),
    ]),
    case("no session", |c| messages::session(c, None).boxed(), &[(V2024_11_05, Lacks("no headers"))]).over_http(&[
        (V2024_11_05, Has(r#"HTTP 400: -32600 {"kind":"session_required"}"#)),
        (V2026_07_28, Lacks("a result")),
    ]),
    case("unknown session", |c| messages::session(c, Some("made-up")).boxed(), &[(V2024_11_05, Lacks("no headers"))]).over_http(&[
        (V2024_11_05, Has(r#"HTTP 404: -32600 {"kind":"session_not_found"}"#)),
        (V2026_07_28, Lacks("a result")),
    ]),
];
