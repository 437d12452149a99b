//! Tests how words on the command line become the arguments of tools and prompts.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fake::fake;
use crate::support::{Run, Target, plainly, run};

/// A server with a tool and a prompt that return their arguments.
fn echo() -> String {
    fake(|method, params| {
        let text = params["arguments"].to_string();
        let content = json!({ "type": "text", "text": text });
        let result = match method {
            "tools/list" => json!({ "tools": [{ "name": "add_note", "inputSchema": {
                "type": "object",
                "properties": {
                    "text": { "type": "string" },
                    "count": { "type": "integer" },
                    "ratio": { "type": ["number", "null"] },
                    "dryRun": { "type": "boolean", "default": false },
                    "tags": { "type": "array", "items": { "type": "string" } },
                    "sizes": { "anyOf": [{ "type": "array", "items": { "type": "integer" } }, { "type": "null" }] },
                    "colour": { "$ref": "#/$defs/Colour" },
                    "options": { "type": "object" },
                    "any": {},
                },
                "required": ["text"],
                "additionalProperties": false,
                "$defs": { "Colour": { "enum": ["red", "green"] } },
            }}]}),
            "prompts/list" => json!({ "prompts": [
                { "name": "weather", "description": "Asks for the weather", "arguments": [
                    { "name": "city", "description": "Where", "required": true },
                    { "name": "state" },
                ]},
                { "name": "open" },
            ]}),
            "prompts/get" => json!({ "messages": [{ "role": "user", "content": content }] }),
            _ => json!({ "content": [content] }),
        };
        json!({ "result": result })
    })
}

/// Calls the tool with these words.
fn call(url: &str, words: &[&str]) -> Run {
    run(&[&["call", url, "add_note"], words].concat())
}

#[test]
fn words_become_what_the_schema_wants() {
    let url = echo();
    #[rustfmt::skip]
    let cases = [
        (&["text=10"][..], json!({"text": "10"})),
        (&["text=", "count=10"], json!({"text": "", "count": 10})),
        (&["text=a", "count=1e3", "ratio=0.5"], json!({"text": "a", "count": 1000, "ratio": 0.5})),
        (&["text=a", "ratio=null"], json!({"text": "a", "ratio": null})),
        (&["text=a", "dryRun=true"], json!({"text": "a", "dryRun": true})),
        (&["Text=a", "dry-run=true"], json!({"text": "a", "dryRun": true})),
        (&["text=a", "dry_run:=true"], json!({"text": "a", "dryRun": true})),
        (&["text=a", "tags=b", "tags=c,d"], json!({"text": "a", "tags": ["b", "c,d"]})),
        (&["text=a", "tags=b"], json!({"text": "a", "tags": ["b"]})),
        (&["text=a", "tags=[\"b\", \"c\"]"], json!({"text": "a", "tags": ["b", "c"]})),
        (&["text=a", "sizes=1,2", "colour=red"], json!({"text": "a", "sizes": [1, 2], "colour": "red"})),
        (&["text=a", "sizes=null"], json!({"text": "a", "sizes": null})),
        (&["text=a", "options={\"b\": 1}", "any=[1]"], json!({"text": "a", "options": {"b": 1}, "any": [1]})),
        (&["text=a", "any=b c"], json!({"text": "a", "any": "b c"})),
        (&["text=@@ada"], json!({"text": "@ada"})),
        (&["count=2", "--args", "{\"text\": \"a\", \"count\": 1}"], json!({"text": "a", "count": 2})),
        (&["--args", "{\"no such\": 1}"], json!({"no such": 1})),
    ];
    for (words, expected) in cases {
        let said = call(&url, words).succeeded().json();
        assert_eq!(said, expected, "{words:?}");
    }
}

#[test]
fn what_the_tool_does_not_take_is_told_before_it_is_called() {
    let url = echo();
    #[rustfmt::skip]
    let cases = [
        (&[][..], "add_note needs text (string)"),
        (&["count=1", "--args", "{}"], "add_note needs text (string)"),
        (&["txt=a"], "add_note has no argument \"txt\"; did you mean text?"),
        (&["wholly=a"], "add_note has no argument \"wholly\": its arguments are text, any, colour, count"),
        (&["text=a", "count=ten"], "the argument \"count\" must be of type integer, not \"ten\""),
        (&["text=a", "dryRun=yes"], "the argument \"dryRun\" must be of type boolean, not \"yes\""),
        (&["text=a", "colour=gren"], "must be one of red | green, not \"gren\"; did you mean green?"),
        (&["text=a", "options={b: 1}"], "must be of type object, not \"{b: 1}\": it is not JSON at character 2"),
        (&["text=a", "text=b"], "duplicate argument \"text\""),
        (&["text=a", "dryRun=true", "dry-run=false"], "duplicate argument \"dryRun\""),
    ];
    for (words, told) in cases {
        let run = call(&url, words);
        assert_eq!((run.status, run.text()), (2, ""), "{words:?}");
        assert!(run.stderr.contains(told), "{words:?}: {}", run.stderr);
        let help = format!("\n help: `plainly tools {url} add_note` shows what it takes\n");
        assert!(run.stderr.ends_with(&help), "{words:?}: {}", run.stderr);
    }
    let error = &call(&url, &["--json"]).error_json()["error"];
    assert_eq!(error["kind"], "usage");
    assert_eq!(error["from"], "local");
    assert_eq!(error["message"], "add_note needs text (string)");
    // The name of a tool is never corrected, because the other tool may do anything.
    let run = run(&["call", &url, "Add-Note", "text=a"]);
    let told = "error: no such tool: Add-Note; did you mean add_note?\n help: `plainly tools ";
    assert_eq!(run.status, 6);
    assert!(run.stderr.starts_with(told), "{}", run.stderr);
}

#[test]
fn nothing_of_a_file_is_shown_that_does_not_fit() {
    let url = echo();
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("secret.txt");
    std::fs::write(&path, "s3cret").unwrap();
    let file = format!("@{}", path.display());
    for (word, told) in [
        (
            format!("count={file}"),
            "must be of type integer, but the value that was read is not".to_owned(),
        ),
        (
            format!("count:={file}"),
            format!(
                "expected a value: a number, \"text\", true, false, null, [a list] or {{an \
                 object}}; for text, use count={file}"
            ),
        ),
        (
            format!("--args={file}"),
            "it is not JSON at character 1: ".to_owned(),
        ),
    ] {
        let run = call(&url, &["text=a", &word]);
        assert_eq!(run.status, 2, "{word}");
        assert!(
            run.stderr.contains(&told) && !run.stderr.contains("s3c"),
            "{word}: {}",
            run.stderr
        );
    }
}

#[test]
fn values_come_from_files_and_standard_input() {
    let url = echo();
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(path("a.txt"), "one\ntwo\n").unwrap();
    std::fs::write(path("b.json"), "{\"text\": \"all\"}").unwrap();
    std::fs::write(path("c.bin"), [0xff, 0]).unwrap();
    let in_file = |name: &str, file: &str| format!("{name}=@{}", path(file));

    let said = call(&url, &[&in_file("text", "a.txt")]).succeeded().json();
    assert_eq!(said, json!({"text": "one\ntwo\n"}));
    let words = ["text=a", &in_file("options", "b.json")];
    let said = call(&url, &words).succeeded().json();
    assert_eq!(said["options"], json!({"text": "all"}));
    let words = ["text=a", &in_file("options:", "b.json")];
    assert_eq!(call(&url, &words).succeeded().json(), said);
    let words = ["--args", &format!("@{}", path("b.json"))];
    let said = call(&url, &words).succeeded().json();
    assert_eq!(said, json!({"text": "all"}));

    #[rustfmt::skip]
    let cases = [
        (in_file("text", "c.bin"), "the value of text: it is binary, and only text can be given"),
        (in_file("text", "none"), "No such file"),
        ("text=@ada".to_owned(), "for text that starts with @, use text=@@ada"),
    ];
    for (word, told) in cases {
        let run = call(&url, &[&word]);
        assert_eq!(run.status, 2, "{word}");
        assert!(run.stderr.contains(told), "{word}: {}", run.stderr);
    }
    for (words, input, expected) in [
        (
            &["text=-", "count=1"][..],
            "typed",
            json!({"text": "typed", "count": 1}),
        ),
        (&["text=@-"], "", json!({"text": ""})),
        (&["--args", "-"], "{\"text\": \"b\"}", json!({"text": "b"})),
    ] {
        assert_eq!(piped(&url, words, input), expected, "{words:?}");
    }
    let twice = call(&url, &["text=-", "any=-"]);
    let told = "standard input can be read for one argument only";
    assert!(twice.stderr.contains(told), "{}", twice.stderr);
}

/// The arguments that the tool receives, with this text on standard input.
fn piped(url: &str, words: &[&str], input: &str) -> Value {
    let mut child = plainly()
        .args(["call", url, "add_note"])
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn a_prompt_is_shown_and_takes_its_own_arguments_only() {
    let url = echo();
    let shown = run(&["prompts", &url, "weather"]).succeeded();
    let expected = format!(
        "weather(city: string, state?: string)\n\nAsks for the weather\n\n\
         city\tstring\tWhere (required)\nstate\tstring\t-\n\nplainly prompt {url} weather city=TEXT\n"
    );
    assert_eq!(shown.text(), expected);
    let object = run(&["prompts", &url, "weather", "--json"]).succeeded();
    assert_eq!(object.json()["name"], "weather");
    let filled = run(&["prompt", &url, "weather", "City=7", "state=true"]).succeeded();
    assert_eq!(filled.json(), json!({"city": "7", "state": "true"}));
    let open = run(&["prompt", &url, "open", "any=7"]).succeeded();
    assert_eq!(open.json(), json!({"any": "7"}));
    for (words, status, told) in [
        (&["weather"][..], 2, "weather needs city (string)"),
        (
            &["weather", "city=a", "stat=b"],
            2,
            "no argument \"stat\"; did you mean state?",
        ),
        (
            &["wether", "city=a"],
            6,
            "no such prompt: wether; did you mean weather?",
        ),
    ] {
        let run = run(&[&["prompt", &url], words].concat());
        assert_eq!(run.status, status, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(told), "{words:?}: {}", run.stderr);
    }
    for target in Target::toolbox() {
        let run = target.run("prompt", &["poem"]);
        assert_eq!(run.status, 2);
        let told = "error: poem needs about (string)\n help: `plainly prompts ";
        assert!(run.stderr.starts_with(told), "{}", run.stderr);
    }
}

#[test]
fn a_tool_that_is_not_there_is_one_error_whatever_the_server_makes_of_it() {
    let url = fake(|method, params| {
        let text = match params["name"].as_str() {
            Some("nope") => "MCP error -32602: Tool nope not found",
            Some("nada") => "Unknown tool: 'nada'",
            _ => "it is late",
        };
        let text = json!({ "type": "text", "text": text });
        json!({ "result": match method {
            "tools/list" => json!({ "tools": [{ "name": "greet", "inputSchema": { "type": "object" } }] }),
            _ => json!({ "content": [text], "isError": true }),
        }})
    });
    for name in ["nope", "nada"] {
        for words in [&["a=1"][..], &["--args", "{}"]] {
            let ran = run(&[&["call", &url, name], words].concat());
            let told = format!(
                "error: no such tool: {name}\n help: `plainly tools {url}` lists the tools"
            );
            assert_eq!((ran.status, ran.text()), (6, ""));
            assert!(ran.stderr.starts_with(&told), "{}", ran.stderr);
        }
        let json = run(&["call", &url, name, "--json"]);
        assert_eq!((json.status, &json.json()["isError"]), (6, &json!(true)));
        assert_eq!(json.error_json()["error"]["kind"], "refused");
    }
    // A tool that is not listed may exist nevertheless.
    for name in ["hidden", "greet"] {
        run(&["call", &url, name]).failed(5, &format!("error: {name}: it is late\n"));
    }
}

#[test]
fn a_listing_that_is_refused_keeps_nobody_from_a_call() {
    let url = fake(|method, params| match method {
        "tools/list" => json!({ "error": { "code": -32603, "message": "no" } }),
        _ => {
            let text = params["arguments"].to_string();
            json!({ "result": { "content": [{ "type": "text", "text": text }] } })
        }
    });
    let said = run(&["call", &url, "t", "a=1", "b=c"]).succeeded().json();
    assert_eq!(said, json!({"a": 1, "b": "c"}));
}

#[test]
fn output_that_breaks_its_schema_is_printed_with_a_warning() {
    let url = fake(|method, _| {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
        json!({ "result": match method {
            "tools/list" => json!({ "tools": [
                { "name": "t", "inputSchema": { "type": "object" }, "outputSchema": schema },
            ]}),
            _ => json!({
                "content": [{ "type": "text", "text": "said" }], "structuredContent": { "a": "x" },
            }),
        }})
    });
    let ran = run(&["call", &url, "t"]);
    assert_eq!((ran.status, ran.text()), (0, "said\n"));
    let told = "warning: the structured output of t breaks its schema: /a: \"x\" ";
    assert!(ran.stderr.starts_with(told), "{}", ran.stderr);
    let whole = run(&["call", &url, "t", "--json"]);
    assert_eq!(whole.json()["structuredContent"]["a"], "x");
}
