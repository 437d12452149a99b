//! Tests `serve --app`: the page on which hosts show the files, and the tool that opens it. Tests
//! in a browser are with those of the hosts, in `interop/apps`.

use serde_json::{Value, json};

use crate::support::{Docs, Target};

const PAGE: &str = "ui://plainly/files";

/// The tool in the server's list.
fn browse(target: &Target) -> Option<Value> {
    let listed = target.run("tools", &["--json"]).succeeded();
    let mut tools = listed.json_lines().into_iter();
    tools.find(|tool| tool["name"] == "browse")
}

#[test]
fn a_tool_opens_the_page() {
    let docs = Docs::new();
    for target in Target::docs_with(&docs, &["--app", "--tools", "tree"]) {
        let tool = browse(&target).unwrap();
        assert_eq!(tool["_meta"]["ui"]["resourceUri"], PAGE);
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        for (arguments, first) in [
            (json!({}), json!({"isCollection": true})),
            (
                json!({"uri": "file:///docs/intro.md"}),
                json!({"uri": "file:///docs/intro.md", "isCollection": false}),
            ),
            (
                json!({"uri": "file:///docs/guide/"}),
                json!({"uri": "file:///docs/guide", "isCollection": true}),
            ),
        ] {
            let words = ["browse", "--args", &arguments.to_string(), "--json"];
            let opened = target.run("call", &words).succeeded().json();
            assert_eq!(opened["structuredContent"], first);
        }
        for missing in ["docs/gone", "ui:x", "../x"] {
            let uri = format!("uri={missing}");
            let run = target.run("call", &["browse", &uri]);
            let advice = "Use a URI exactly as it is listed.";
            assert!(run.stderr.contains(advice), "{}", run.stderr);
        }
        // The tools that the page calls are served whatever else is not.
        for words in [
            &["search", "pattern=Intro"][..],
            &["read_resource", "uri=file:///docs/intro.md"],
        ] {
            target.run("call", words).succeeded();
        }
    }
}

/// The contents of a file can only become text on the page.
#[test]
fn the_page_loads_nothing_and_makes_nothing_of_text() {
    let docs = Docs::new();
    for target in Target::docs_with(&docs, &["--app"]) {
        let read = target.run("read", &[PAGE, "--json"]).succeeded().json();
        let content = &read["contents"][0];
        assert_eq!(content["mimeType"], "text/html;profile=mcp-app");
        let text = content["text"].as_str().unwrap();
        assert!(text.starts_with("<!doctype html>") && text.contains("function markdown("));
        for word in [
            "src=",
            "href=",
            "http://",
            "@import",
            "url(",
            "HTML(",
            "HTML =",
            "document.write",
            "eval(",
            "Function(",
            "fetch(",
            "import(",
            "setAttribute",
            "DOMParser",
            "srcdoc",
        ] {
            assert!(!text.contains(word), "{word}");
        }
    }
}

#[test]
fn without_the_option_there_is_no_page() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        assert_eq!(browse(&target), None);
        assert_ne!(target.run("read", &[PAGE]).status, 0);
    }
}
