//! Tests `ls` and `discover`.

use std::fs;

use serde_json::json;

use crate::fake::fake;
use crate::support::{Docs, REVISIONS, Target, run};

fn uris(listing: &str) -> Vec<&str> {
    listing.lines().collect()
}

#[test]
fn everything_is_listed_by_uri_and_in_fields_that_scripts_can_cut() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for revision in REVISIONS {
            let run = target.run("ls", &["--revision", revision]).succeeded();
            assert_eq!(
                uris(run.text()),
                [
                    "file:///",
                    "file:///docs",
                    "file:///docs/all.bin",
                    "file:///docs/guide",
                    "file:///docs/intro.md",
                    "file:///docs/guide/one.md",
                    "file:///docs/guide/two%20words.md",
                ]
            );
            let long = target.run("ls", &["-l", "--revision", revision]);
            let run = long.succeeded();
            let fields: Vec<&str> = run.text().lines().nth(5).unwrap().split('\t').collect();
            let [kind, size, modified, mime_type, _] = fields[..] else {
                panic!("{fields:?}");
            };
            assert_eq!((kind, size, mime_type), ("resource", "3", "text/markdown"));
            assert!(
                modified.starts_with("20") && modified.ends_with('Z'),
                "{modified}"
            );
            assert!(run.text().starts_with("collection\t-\t"));
        }
    }
}

#[test]
fn the_children_of_a_collection_are_listed_alone() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for revision in REVISIONS {
            let run = target.run("ls", &["file:///docs/guide", "--revision", revision]);
            let expected = [
                "file:///docs/guide/one.md",
                "file:///docs/guide/two%20words.md",
            ];
            assert_eq!(uris(run.succeeded().text()), expected);
        }
        let run = target.run("ls", &["file:///docs/intro.md"]);
        assert_eq!(run.status, 6, "{}", run.stderr);
    }
}

#[test]
fn what_is_below_a_collection_is_listed_down_to_the_last_or_to_the_limit() {
    let docs = Docs::new();
    fs::create_dir_all(docs.path.join("guide/deep/deeper")).unwrap();
    fs::write(docs.path.join("guide/deep/deeper/end.md"), "").unwrap();
    let all = [
        "file:///docs/all.bin",
        "file:///docs/guide",
        "file:///docs/intro.md",
        "file:///docs/guide/deep",
        "file:///docs/guide/one.md",
        "file:///docs/guide/two%20words.md",
        "file:///docs/guide/deep/deeper",
        "file:///docs/guide/deep/deeper/end.md",
    ];
    for target in Target::docs(&docs) {
        let run = target.run("ls", &["file:///docs", "-R"]).succeeded();
        assert_eq!(uris(run.text()), all);
        let run = target.run("ls", &["file:///docs", "-R", "--limit", "5"]);
        assert_eq!(uris(run.succeeded().text()), all[..5]);
        let run = target.run("ls", &["--limit", "1", "-l"]).succeeded();
        assert!(run.text().starts_with("collection\t"), "{}", run.text());
        assert_eq!(target.run("ls", &["-R"]).status, 2);
    }
}

#[test]
#[cfg(unix)]
fn a_loop_of_links_costs_the_listing_no_other_directory() {
    let docs = Docs::new();
    std::os::unix::fs::symlink(".", docs.path.join("a-loop")).unwrap();
    for target in Target::docs(&docs) {
        let run = target.run("ls", &["file:///docs", "-R"]);
        assert_eq!(run.status, 1, "{}", run.stderr);
        let listed = uris(run.text());
        assert!(listed.contains(&"file:///docs/guide/one.md"), "{listed:?}");
        assert!(run.stderr.contains("could not be listed"), "{}", run.stderr);
    }
}

#[test]
fn every_page_is_listed() {
    let docs = Docs::new();
    fs::create_dir(docs.path.join("many")).unwrap();
    for number in 0..2_500 {
        fs::write(docs.path.join(format!("many/{number:04}")), "").unwrap();
    }
    for target in Target::docs(&docs) {
        let run = target.run("ls", &["file:///docs/many"]).succeeded();
        let expected: Vec<String> = (0..2_500)
            .map(|number| format!("file:///docs/many/{number:04}"))
            .collect();
        assert_eq!(uris(run.text()), expected);
    }
}

#[test]
fn json_is_one_resource_of_the_specification_a_line() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let resources = target.run("ls", &["--json"]).succeeded().json_lines();
        assert_eq!(resources.len(), 7);
        assert_eq!(resources[0]["isCollection"], true);
        assert_eq!(resources[5]["uri"], "file:///docs/guide/one.md");
        assert_eq!(resources[5]["size"], 3);
    }
}

#[test]
fn discovery_says_who_is_there_on_every_revision() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for revision in REVISIONS {
            let words = ["--json", "--revision", revision];
            let found = target.run("discover", &words).succeeded().json();
            assert_eq!(found["revision"], revision);
            assert_eq!(found["supportedVersions"], json!([revision]));
            let said = target
                .run("discover", &["--revision", revision])
                .succeeded();
            let is_modern = revision == "2026-07-28";
            assert_eq!(said.text().contains("(modern revisions)"), is_modern);
            assert_eq!(
                found["serverInfo"],
                json!({ "name": "plainly", "version": env!("CARGO_PKG_VERSION") })
            );
            assert!(found["capabilities"]["resources"].is_object(), "{found}");
        }
    }
    for target in Target::toolbox() {
        let run = target.run("discover", &[]).succeeded();
        let expected = [
            concat!("server        toolbox ", env!("CARGO_PKG_VERSION")),
            "title         The Toolbox",
            "revision      2026-07-28",
            "supported     2026-07-28 (modern revisions)",
        ];
        assert_eq!(run.text().lines().take(4).collect::<Vec<_>>(), expected);
        assert!(
            run.text()
                .ends_with("instructions  Greet before you divide.\n")
        );
    }
}

#[test]
fn several_directories_are_listed_under_their_names() {
    let docs = Docs::new();
    let guide = docs.path.join("guide");
    let mounts = [
        format!("b={}", docs.str()),
        format!("a={}", guide.to_str().unwrap()),
    ];
    let words = [
        "ls",
        "file:///a",
        "--",
        crate::support::PLAINLY,
        "serve",
        &mounts[0],
        &mounts[1],
        "--stdio",
    ];
    let expected = ["file:///a/one.md", "file:///a/two%20words.md"];
    assert_eq!(uris(run(&words).succeeded().text()), expected);
}

#[test]
fn what_declares_how_it_fails_is_shown_with_the_codes() {
    let url = fake(|method, _| {
        let meta = json!({ "dev.plainly/problems": ["NOT_FOUND", "LOCKED\u{1b}[2J", 7] });
        let result = match method {
            "tools/list" => json!({ "tools": [
                { "name": "lend", "inputSchema": { "type": "object" }, "_meta": meta },
                { "name": "count", "inputSchema": { "type": "object" }, "_meta": { "dev.plainly/problems": [] } },
            ]}),
            _ => json!({ "resource": { "uri": "a:b", "name": "b", "_meta": meta } }),
        };
        json!({ "result": result })
    });
    let tools = run(&["tools", &url]).succeeded();
    let codes = "NOT_FOUND, LOCKED\\u{1b}[2J";
    assert_eq!(tools.text(), format!("lend\t-\t{codes}\ncount\t-\n"));
    let objects = run(&["tools", &url, "--json"]).succeeded().json_lines();
    assert_eq!(objects[0]["_meta"]["dev.plainly/problems"][0], "NOT_FOUND");
    let resource = run(&["stat", &url, "a:b"]).succeeded();
    let expected = format!("\nproblems      {codes}\n");
    assert!(resource.text().contains(&expected), "{}", resource.text());
}

#[test]
fn instructions_are_text_and_json_can_be_indented() {
    let server = r#"import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "a", "version": "1"},
                  "instructions": "First.\n\n  - one\x1b[2J\n"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
    elif "id" in message:
        error = {"code": -32601, "message": "Method not found"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
"#;
    let said = run(&["discover", "--", "python3", "-c", server]).succeeded();
    let expected = "instructions  First.\n\n                - one\\u{1b}[2J\n";
    assert!(said.text().ends_with(expected), "{}", said.text());
    let said = run(&["discover", "--pretty", "--", "python3", "-c", server]).succeeded();
    let expected =
        "{\n  \"capabilities\": {},\n  \"instructions\": \"First.\\n\\n  - one\\u001b[2J\\n\",\n";
    assert!(said.text().starts_with(expected), "{}", said.text());
}

#[test]
fn how_long_it_took_is_told_on_request() {
    for target in Target::toolbox() {
        let text = target.run("tools", &["--time"]);
        let (start, end) = ("time: ", " for the rest\n");
        assert!(
            text.stderr.starts_with(start) && text.stderr.ends_with(end),
            "{}",
            text.stderr
        );
        let time = &target.run("tools", &["--time", "--json"]).error_json()["time"];
        assert!(
            time["connecting"].as_f64().is_some_and(|it| it > 0.0),
            "{time}"
        );
        assert!(time["work"].is_number(), "{time}");
    }
}
