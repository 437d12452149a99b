//! Tests servers of other implementations: old, unusual or hostile ones.

use serde_json::{Value, json};

use crate::fake::{fake, fake_with};
use crate::support::run;

fn not_found(_: &str, params: &Value) -> Value {
    json!({ "error": { "code": -32002, "message": "who knows", "data": { "uri": params["uri"] } } })
}

#[test]
fn a_resource_is_missing_by_whichever_code_the_server_says_so() {
    let url = fake(not_found);
    for command in ["read", "stat"] {
        run(&[command, &url, "a:b"]).failed(
            4,
            "error: no such resource: a:b\n help: list the resources again, and use one of their URIs\n",
        );
    }
    let run = run(&["read", &url, "a:b", "--json"]);
    assert_eq!(
        run.error_json()["error"],
        json!({ "from": "peer", "kind": "not-found", "code": -32002, "message": "who knows", "data": { "uri": "a:b" } })
    );
}

fn strange_error(_: &str, _: &Value) -> Value {
    json!({ "error": { "code": -32001, "message": "no\n\u{1b}[2Jfake\u{202e}", "data": [1] } })
}

#[test]
fn an_error_of_the_peer_is_shown_as_it_came() {
    let url = fake(strange_error);
    run(&["read", &url, "a:b"]).failed(
        6,
        "error: the server answered: no\\n\\u{1b}[2Jfake\\u{202e} (code -32001), data [1]\n help: \
         go by the message: the code alone has no fixed meaning\n",
    );
    let run = run(&["read", &url, "a:b", "--json"]);
    assert_eq!(
        run.error_json()["error"],
        json!({ "from": "peer", "kind": "refused", "code": -32001, "message": "no\n\u{1b}[2Jfake\u{202e}", "data": [1] })
    );
}

fn unknown_tool(_: &str, _: &Value) -> Value {
    json!({ "error": { "code": -32602, "message": "Unknown tool: nope" } })
}

#[test]
fn nothing_is_added_to_an_error_of_the_peer() {
    let run = run(&["call", &fake(unknown_tool), "nope", "--json"]);
    assert_eq!(
        run.error_json()["error"],
        json!({ "from": "peer", "kind": "refused", "code": -32602, "message": "Unknown tool: nope" })
    );
}

fn demanding(_: &str, params: &Value) -> Value {
    let (message, required) = match params["name"].as_str() {
        Some("open") => ("open needs elicitation", json!({ "elicitation": {} })),
        _ => (
            "no",
            json!({ "elicitation": { "url": {} }, "sampling": {} }),
        ),
    };
    let data = json!({ "requiredCapabilities": required });
    json!({ "error": { "code": -32021, "message": message, "data": data } })
}

fn of_the_future(_: &str, _: &Value) -> Value {
    let data = json!({ "supported": ["2031-01-01", "a\nb"], "requested": "2026-07-28" });
    json!({ "error": { "code": -32022, "message": "no", "data": data } })
}

#[test]
fn what_an_error_asks_for_is_said_below_it() {
    for (answer, tool, expected) in [
        (
            demanding as fn(&str, &Value) -> Value,
            "close",
            "no (MissingRequiredClientCapability -32021)\n help: the server asks to open a page in a \
             browser: run the command on a terminal, where you can agree; the server asks a model: \
             name a command that answers with --sample-with COMMAND",
        ),
        (
            demanding,
            "open",
            "open needs elicitation (MissingRequiredClientCapability -32021)\n help: the server asks for input: run the command on a terminal, or give the answer with --answer accept or --answer NAME=TEXT",
        ),
        (
            of_the_future,
            "close",
            "no (UnsupportedProtocolVersion -32022)\n help: use a version that the server supports: 2031-01-01, a\\nb",
        ),
    ] {
        run(&["call", &fake(answer), tool])
            .failed(6, &format!("error: the server answered: {expected}\n"));
    }
}

fn with_a_problem_alone(_: &str, _: &Value) -> Value {
    let problem = json!({ "success": false, "error": "No room is free.", "code": "NO_ROOM" });
    json!({ "result": { "content": [], "isError": true, "structuredContent": problem } })
}

fn nothing(_: &str, _: &Value) -> Value {
    json!({ "result": { "contents": [] } })
}

fn text_for_an_error(_: &str, _: &Value) -> Value {
    json!({ "error": "boom" })
}

fn python(_: &str, _: &Value) -> Value {
    json!({ "error": { "code": 0, "message": "Unknown resource: a:b" } })
}

fn npm_fastmcp(method: &str, _: &Value) -> Value {
    let message = match method {
        "resources/read" => "Resource not found: 'a:b'. Available resources: a:c",
        _ => "Unknown prompt: none",
    };
    json!({ "error": { "code": -32601, "message": message } })
}

fn with_a_hint(_: &str, params: &Value) -> Value {
    let message = r#"Resource not found: a:b (did you mean "a:c"?)"#;
    json!({ "error": { "code": -32602, "message": message, "data": { "uri": params["uri"] } } })
}

fn several_problems(method: &str, _: &Value) -> Value {
    if method == "prompts/list" {
        return json!({ "result": { "prompts": [{ "name": "bag" }] } });
    }
    let entry = |message, code| json!({ "message": message, "code": code, "details": {} });
    let errors = [
        entry("Too fast.", "RATE_LIMIT_EXCEEDED"),
        entry("Missing required field: 'name'.", "MISSING_REQUIRED"),
    ];
    let data = json!({ "code": "RATE_LIMIT_EXCEEDED", "error_count": 2, "errors": errors, "retry_after": 60 });
    json!({ "error": { "code": 429, "message": "2 errors occurred.", "data": data } })
}

fn session_lost(_: &str, _: &Value) -> Value {
    json!({ "error": { "code": -32002, "message": "Session not found" } })
}

/// The Python SDK 2.3 reports a missing prompt as an internal error.
fn internal(method: &str, _: &Value) -> Value {
    match method {
        "prompts/list" => json!({ "result": { "prompts": [{ "name": "other" }] } }),
        _ => json!({ "error": { "code": -32603, "message": "Internal server error" } }),
    }
}

fn unknown_tool_of_fastmcp(_: &str, _: &Value) -> Value {
    json!({ "result": {
        "content": [{ "type": "text", "text": "Resource not found: Unknown tool: 'nosuch'" }],
        "isError": true,
    }})
}

const SEVERAL: &str = "the server answered: 2 errors occurred: Too fast; Missing required field: 'name' (code 429)\n help: wait 60 seconds, then send the request again";

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn what_others_say_in_their_own_way_is_told_as_what_it_means() {
    type Case<'a> = (fn(&str, &Value) -> Value, &'a [&'a str], i32, &'a str);
    let cases: [Case<'_>; 11] = [
        (
            npm_fastmcp,
            &["read", "a:b"],
            4,
            "no such resource: a:b: the server says: Available resources: a:c\n help: list the resources again, and use one of their URIs",
        ),
        (
            npm_fastmcp,
            &["prompt", "none"],
            6,
            "no such prompt: none\n help: `plainly prompts URL` lists the prompts; some servers have more for a client that they can ask: try --answer, --sample-with or --root",
        ),
        (
            with_a_hint,
            &["read", "a:b"],
            4,
            "no such resource: a:b (did you mean \"a:c\"?)\n help: list the resources again, and use one of their URIs",
        ),
        (several_problems, &["read", "a:b"], 6, SEVERAL),
        (several_problems, &["prompt", "bag"], 6, SEVERAL),
        (
            internal,
            &["prompt", "none"],
            6,
            "no such prompt: none\n help: `plainly prompts URL` lists the prompts; some servers have more for a client that they can ask: try --answer, --sample-with or --root",
        ),
        (
            unknown_tool_of_fastmcp,
            &["call", "nosuch"],
            6,
            "no such tool: nosuch\n help: `plainly tools URL` lists the tools; some servers have more for a client that they can ask: try --answer, --sample-with or --root",
        ),
        (
            with_a_problem_alone,
            &["call", "book"],
            5,
            "book: No room is free.",
        ),
        (
            nothing,
            &["read", "a:b"],
            1,
            "a:b has no contents: it may be missing or empty",
        ),
        (
            text_for_an_error,
            &["read", "a:b"],
            1,
            "irregular error in answer to `resources/read`: \"boom\" is not of type \"object\"\n \
             help: report it to the server's author: the server violates the protocol",
        ),
        (
            python,
            &["read", "a:b"],
            4,
            "no such resource: a:b\n help: list the resources again, and use one of their URIs",
        ),
    ];
    for (answer, words, status, said) in cases {
        let url = fake(answer);
        let said = said.replace("URL", &url);
        run(&[words[0], &url, words[1]]).failed(status, &format!("error: {said}\n"));
    }
}

#[test]
fn a_listing_can_not_answer_that_a_resource_is_missing() {
    run(&["templates", &fake(session_lost)]).failed(
        6,
        "error: the server answered: Session not found (code -32002)\n help: show the message to the user; the server's author should use a defined code, or one from the application range\n",
    );
}

#[test]
fn a_script_can_tell_an_answer_without_contents_from_an_empty_resource() {
    let read = run(&["read", &fake(nothing), "a:b", "--json"]);
    assert_eq!((read.status, read.json()), (1, json!({ "contents": [] })));
}

fn children_unsaid(_: &str, params: &Value) -> Value {
    let asked = params["uri"].as_str().unwrap();
    let content = |uri: &str| json!({ "uri": uri, "text": format!("text of {uri}") });
    json!({ "result": { "contents": [content("a:c"), content(asked)] } })
}

#[test]
fn of_contents_of_several_uris_the_one_that_was_asked_for_is_written() {
    let url = fake(children_unsaid);
    let read = run(&["read", &url, "a:b"]);
    assert_eq!((read.status, read.text()), (0, "text of a:b"));
    assert!(read.stderr.contains("several URIs"), "{}", read.stderr);
}

fn old_listing(method: &str, _: &Value) -> Value {
    match method {
        "resources/list" => json!({ "result": {
            "resultType": "complete",
            "resources": [{ "uri": "a:b\tc\n\u{1b}[2J\u{202e}", "name": "b", "mimeType": "te\txt" }],
            "ttlMs": 0,
            "cacheScope": "private",
        }}),
        _ => json!({ "error": { "code": -32601, "message": "unknown method" } }),
    }
}

#[test]
fn no_field_breaks_out_of_its_place() {
    let url = fake(old_listing);
    let run = run(&["ls", "-l", &url]).succeeded();
    let expected = "-\t-\t-\tte\\txt\ta:b\\tc\\n\\u{1b}[2J\\u{202e}\n";
    assert_eq!(run.text(), expected);
}

#[test]
fn metadata_is_looked_up_in_the_listing_of_a_server_that_can_not_be_asked() {
    let url = fake(old_listing);
    let listed = run(&["stat", &url, "a:b\tc\n\u{1b}[2J\u{202e}", "--json"]).succeeded();
    assert_eq!(listed.json()["name"], "b");
    run(&["stat", &url, "a:b"]).failed(
        1,
        "error: the server does not support `resources/metadata`, and a:b is not in its listing\n \
         help: read the resource: it may exist without being listed\n",
    );
}

fn representations(_: &str, params: &Value) -> Value {
    let content = |mime_type: &str, text: &str| json!({ "uri": params["uri"], "mimeType": mime_type, "text": text });
    json!({ "result": {
        "resultType": "complete",
        "contents": [content("text/markdown", "# one"), content("text/html", "<h1>one</h1>")],
        "ttlMs": 0,
        "cacheScope": "private",
    }})
}

#[test]
fn of_several_representations_one_is_written() {
    let url = fake(representations);
    let read = |options: &[&str]| run(&[&["read", &url, "a:b"], options].concat()).succeeded();
    assert_eq!(read(&[]).text(), "# one");
    assert_eq!(read(&["--as", "text/html"]).text(), "<h1>one</h1>");
    let expected = "<h1>one</h1>";
    assert_eq!(read(&["--json"]).json()["contents"][1]["text"], expected);
}

/// Each page has new collections, and there is always another page.
fn endless(method: &str, params: &Value) -> Value {
    assert_eq!(method, "resources/list");
    let page: u64 = params["cursor"]
        .as_str()
        .map_or(0, |cursor| cursor.parse().unwrap());
    let resources: Vec<Value> = (0..5_000)
        .map(|n| {
            let uri = format!("x:{page}/{n}");
            json!({ "uri": uri, "name": "x", "isCollection": true })
        })
        .collect();
    json!({ "result": {
        "resultType": "complete",
        "resources": resources,
        "nextCursor": (page + 1).to_string(),
        "ttlMs": 0,
        "cacheScope": "private",
    }})
}

#[test]
fn a_collection_without_end_has_one_on_the_way_down() {
    let run = run(&[
        "ls",
        &fake_with(json!({ "dev.plainly/resources": {} }), endless),
        "x:",
        "-R",
    ]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let expected = "more than 100000 collections";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    // There are as many as were read, and no further page.
    assert_eq!(run.text().lines().count(), 100_000);
}

/// Control characters that JSON need not escape, and characters that change the direction of text.
const COMMANDS: &str = "\u{9b}2J\u{7f}\u{202e}\u{e0001}é";

fn commanding(method: &str, _: &Value) -> Value {
    match method {
        "resources/list" => json!({ "result": {
            "resultType": "complete",
            "resources": [{ "uri": "a:b", "name": COMMANDS }],
            "ttlMs": 0,
            "cacheScope": "private",
        }}),
        _ => json!({ "error": { "code": -32001, "message": COMMANDS } }),
    }
}

#[test]
fn json_can_send_no_commands_to_a_terminal() {
    let url = fake(commanding);
    let listed = run(&["ls", &url, "--json"]).succeeded();
    let refused = run(&["read", &url, "a:b", "--json"]);
    let listed_json: Value = serde_json::from_str(listed.text()).unwrap();
    assert_eq!(listed_json["name"], COMMANDS);
    assert_eq!(refused.error_json()["error"]["message"], COMMANDS);
    for said in [listed.text(), &refused.stderr] {
        assert!(
            !said.contains(['\u{9b}', '\u{7f}', '\u{202e}', '\u{e0001}']),
            "{said:?}"
        );
        assert!(said.contains("\\udb40\\udc01é"), "{said:?}");
    }
}

fn only_templates(method: &str, params: &Value) -> Value {
    let listed = json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "resources": [], "resourceTemplates": [
        { "uriTemplate": "note://{user}/{id}", "name": "note", "description": "\nA note.\nOf a user." },
        { "uriTemplate": "user://{user}", "name": "user", "title": "A user" },
    ] });
    match method {
        "completion/complete" => {
            let values = json!([params["ref"]["uri"], params["context"]["arguments"]["user"]]);
            json!({ "result": { "resultType": "complete", "completion": { "values": values, "hasMore": true } } })
        }
        _ => json!({ "result": listed }),
    }
}

#[test]
fn templates_are_listed_and_completed() {
    let url = fake(only_templates);
    let nothing = run(&["ls", &url]);
    assert_eq!((nothing.status, nothing.text()), (0, ""));
    let note = "there are 2 templates: `plainly templates` lists them";
    assert!(nothing.stderr.contains(note), "{}", nothing.stderr);
    let templates = run(&["templates", &url]).succeeded();
    assert_eq!(
        templates.text(),
        "note://{user}/{id}\tA note.\nuser://{user}\tA user\n"
    );
    let objects = run(&["templates", &url, "--json"]).succeeded().json_lines();
    assert_eq!(objects[1]["uriTemplate"], "user://{user}");
    let words = ["complete", &url, "note://{user}/{id}", "id"];
    let values = run(&[&words[..], &["--given", "user=ada"]].concat());
    assert_eq!(values.text(), "note://{user}/{id}\nada\n");
    let more = "warning: there are more: give the start of the text\n";
    assert_eq!(values.stderr, more);
}

fn many_types(_: &str, _: &Value) -> Value {
    let schema = json!({
        "type": "object",
        "required": ["query", "how many", "kind", "edits"],
        "properties": {
            "edits": { "type": "array", "items": { "$ref": "#/$defs/edit" } },
            "query": { "type": "string", "description": "What to find,\nin words.\n\nMore." },
            "how many": { "type": ["integer", "null"] },
            "kind": { "$ref": "#/$defs/kind" },
            "tags": { "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "null" }] }, "default": [] },
            "loop": { "$ref": "#/properties/loop" },
            "far": { "$ref": "https://a.example/" },
            "odd\u{1b}[2J": 5,
        },
        "$defs": {
            "kind": { "enum": ["it's", "b"] },
            "edit": {
                "type": "object",
                "required": ["line", "with"],
                "properties": {
                    "with": { "type": "object", "properties": { "text": { "type": "string" } } },
                    "line": { "type": "integer", "description": "Which one." },
                },
            },
        },
    });
    let tool = json!({ "name": "find", "title": "Find", "description": "Finds.\nAll of it.\n", "inputSchema": schema,
        "_meta": { "dev.plainly/problems": ["NOT_FOUND", "TIMEOUT"] } });
    json!({ "result": { "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": [tool] } })
}

#[test]
fn one_tool_is_shown_with_its_arguments_and_a_call() {
    let url = fake(many_types);
    let shown = run(&["tools", &url, "find"]).succeeded();
    let expected = format!(
        r#"find(query: string, how many: integer, kind: it's | b, edits: list of object, far?: anything, loop?: anything, odd\u{{1b}}[2J?: anything, tags?: list of string)

Find

Finds.
All of it.

query	string	What to find, in words. (required)
how many	integer	(required)
kind	it's | b	(required)
edits	list of object	(required)
  line	integer	Which one. (required)
  with	object	(required)
    text	string	-
far	anything	-
loop	anything	-
odd\u{{1b}}[2J	anything	-
tags	list of string	(default: [])

It declares to fail with NOT_FOUND, TIMEOUT.

plainly call {url} find query=TEXT 'how many=1' 'kind=it'\''s' 'edits:=[{{"line":1,"with":{{}}}}]'
"#
    );
    assert_eq!(shown.text(), expected);
    let object = run(&["tools", &url, "find", "--json"]).succeeded().json();
    assert_eq!(object["name"], "find");
    let typo = run(&["tools", &url, "fin"]);
    assert_eq!(typo.status, 6);
    let told = "error: no such tool: fin; did you mean find?\n help: `plainly tools ";
    assert!(typo.stderr.starts_with(told), "{}", typo.stderr);
}

#[test]
fn what_cannot_be_read_is_left_out_of_a_listing_and_named() {
    let url = fake(|method, _| {
        let schema = json!({ "type": "object" });
        json!({ "result": match method {
            "tools/list" => json!({ "tools": [{ "name": "bad" }, { "name": "good", "inputSchema": schema }] }),
            "prompts/list" => json!({ "prompts": [{ "name": "good" }, { "name": 7 }] }),
            "resources/list" => json!({ "resources": [{ "uri": "a:bad" }, { "uri": "a:good", "name": "b" }] }),
            _ => json!({ "resourceTemplates": [{ "name": "bad" }, { "uriTemplate": "{good}", "name": "good" }] }),
        }})
    });
    for (command, told) in [
        (
            "tools",
            "bad: left out of the listing, as it can't be read: \"inputSchema\" is a required property",
        ),
        (
            "prompts",
            "item 2 of its page: left out of the listing, as it can't be read: /name: 7 is not of type \"string\"",
        ),
        (
            "ls",
            "a:bad: left out of the listing, as it can't be read: \"name\" is a required property",
        ),
        (
            "templates",
            "bad: left out of the listing, as it can't be read: \"uriTemplate\" is a required property",
        ),
    ] {
        let run = run(&[command, &url]);
        assert_eq!(run.status, 0, "{command}");
        assert_eq!(run.text().lines().count(), 1, "{command}: {}", run.text());
        assert!(run.text().contains("good"), "{command}: {}", run.text());
        let told = format!("warning: {told} (method: ");
        assert!(run.stderr.starts_with(&told), "{command}: {}", run.stderr);
    }
}
