//! Tests `call`.

use serde_json::json;

use crate::support::{Docs, REVISIONS, Target, example};

#[test]
fn a_tool_answers_on_every_revision() {
    for target in Target::toolbox() {
        for revision in REVISIONS {
            let run = target.run(
                "call",
                &["greet", "name=Ada Lovelace", "--revision", revision],
            );
            assert_eq!(run.succeeded().text(), "Hello, Ada Lovelace!\n");
        }
    }
}

#[test]
fn a_listing_is_printed_once() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for words in [
            &["list_resources", "uri=docs/guide"][..],
            &["search", "pattern=one"],
            &["tree"],
        ] {
            let run = target.run("call", words).succeeded();
            let lines = run.text().lines();
            let files = lines.filter(|line| line.contains("one.md"));
            assert_eq!(files.count(), 1, "{words:?}: {}", run.text());
        }
    }
}

#[test]
fn the_panic_of_a_tool_is_shown_by_the_option_that_is_named() {
    let server = example("failing");
    let server = Target::Child(vec![server.to_str().unwrap().to_owned()]);
    let told = server.run("call", &["panic"]);
    let words = "error: panic: Internal error\n help: read the server's log; ";
    assert!(told.stderr.starts_with(words), "{}", told.stderr);
    assert!(
        told.stderr.contains("--server-log debug"),
        "{}",
        told.stderr
    );
    let told = server.run("call", &["panic", "--server-log", "debug"]);
    assert!(
        told.stderr.contains("the password is hunter2"),
        "{}",
        told.stderr
    );
}

#[test]
fn arguments_can_be_text_json_or_one_object() {
    for target in Target::toolbox() {
        for words in [
            &["divide", "dividend:=7", "divisor:=2"][..],
            &["divide", "dividend=7", "divisor=2"],
            &["divide", "divisor=2", "--args", r#"{"dividend": 7}"#],
            &["divide", "--args", r#"{"dividend": 7, "divisor": 2}"#],
        ] {
            let words = [words, &["--json"]].concat();
            let result = target.run("call", &words).succeeded().json();
            let expected = json!({ "quotient": 3, "remainder": 1 });
            assert_eq!(result["structuredContent"], expected);
        }
    }
}

#[test]
fn a_tool_error_has_its_own_status_and_can_send_nothing_to_the_terminal() {
    let words = ["divide", "dividend:=7", "divisor:=0"];
    for target in Target::toolbox() {
        let run = target.run("call", &words);
        assert_eq!(run.stdout, b"");
        run.failed(
            5,
            "error: divide: 7 can't be divided\nby \\u{1b}[31m0\\u{1b}[0m\n",
        );

        let run = target.run("call", &[&words[..], &["--json"]].concat());
        assert_eq!(run.json()["isError"], true);
        run.failed(5, "");
    }
}

#[test]
fn arguments_that_the_tool_does_not_take_are_a_tool_error_that_names_them() {
    for target in Target::toolbox() {
        let words = ["divide", "--args", r#"{"dividend": "7", "divisor": 2}"#];
        let run = target.run("call", &words);
        assert_eq!(run.status, 5);
        assert!(run.stderr.contains("dividend"), "{}", run.stderr);
    }
}

#[test]
fn an_unknown_tool_is_refused() {
    for target in Target::toolbox() {
        let run = target.run("call", &["no-such-tool", "--json"]);
        let error = &run.error_json()["error"];
        assert_eq!(run.status, 6);
        let expected = (&json!("peer"), &json!("refused"));
        assert_eq!((&error["from"], &error["kind"]), expected);
        assert_eq!(error["code"], -32602);
        let told = target.run("call", &["no-such-tool"]).stderr;
        let expected = "error: no such tool: no-such-tool\n help: `plainly tools ";
        assert!(told.starts_with(expected), "{told}");
        let hidden = "` lists the tools; some servers have more for a client that they can ask: try --answer, --sample-with or --root\n";
        assert!(told.ends_with(hidden), "{told}");
        let asked = target.run("call", &["no-such-tool", "--root", "/"]).stderr;
        assert!(asked.ends_with("` lists the tools\n"), "{asked}");
    }
}

#[test]
fn tools_are_listed_on_every_revision() {
    for target in Target::toolbox() {
        for revision in REVISIONS {
            let listed = target.run("tools", &["--revision", revision]).succeeded();
            let expected = "greet\tGreets somebody\ndivide\tDivides with remainder\n";
            assert_eq!(listed.text(), expected);
        }
        let objects = target.run("tools", &["--json"]).succeeded().json_lines();
        assert_eq!(objects.len(), 2);
        assert_eq!(objects[0]["name"], "greet");
        assert_eq!(objects[0]["inputSchema"]["required"], json!(["name"]));
    }
}

#[test]
fn a_served_directory_has_tools_on_every_revision() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for revision in REVISIONS {
            let call =
                |words: &[&str]| target.run("call", &[words, &["--revision", revision]].concat());
            let found = call(&["search", "pattern=one"]).succeeded();
            let expected = "file:///docs/guide/one.md\n1: one\n";
            assert!(found.text().starts_with(expected), "{}", found.text());
            let read = call(&["read_resource", "uri=docs/guide/two words.md"]).succeeded();
            assert_eq!(read.text(), "two\n");
            let missed = call(&["read_resource", "uri=docs/guide/one"]);
            assert_eq!(missed.status, 5);
            let expected = "Did you mean file:///docs/guide/one.md?\n";
            assert!(missed.stderr.ends_with(expected), "{}", missed.stderr);
        }
    }
}

#[test]
fn a_server_without_tools_or_resources_is_said_to_have_none() {
    let docs = Docs::new();
    for target in Target::docs_with(&docs, &["--no-tools"]) {
        let listed = target.run("tools", &[]);
        assert_eq!((listed.status, listed.text()), (0, ""));
        assert_eq!(listed.stderr, "warning: this server has no tools\n");
        let called = target.run("call", &["greet"]);
        assert_eq!(called.status, 6);
        let said = &called.stderr;
        assert!(said.contains("the server has no tools: "), "{said}");
    }
    for target in Target::toolbox() {
        for (command, lacks) in [("ls", "resources"), ("templates", "resource templates")] {
            let listed = target.run(command, &["--json"]);
            assert_eq!((listed.status, listed.text()), (0, ""));
            assert_eq!(
                listed.stderr,
                format!("warning: this server has no {lacks}\n")
            );
        }
        let said = target.run("read", &["a:b"]).stderr;
        assert!(said.contains("the server has no resources: "), "{said}");
    }
}
