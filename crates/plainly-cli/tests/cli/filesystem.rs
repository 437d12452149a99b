//! Tests `serve --tool-names filesystem`: the tools of `@modelcontextprotocol/server-filesystem`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Docs, PLAINLY, Run, Serving, Target, run};

const FILESYSTEM: [&str; 2] = ["--tool-names", "filesystem"];

/// The names of that server's tools, in its order.
const ALL: [&str; 14] = [
    "read_file",
    "read_text_file",
    "read_media_file",
    "read_multiple_files",
    "write_file",
    "edit_file",
    "create_directory",
    "list_directory",
    "list_directory_with_sizes",
    "directory_tree",
    "move_file",
    "search_files",
    "get_file_info",
    "list_allowed_directories",
];

const WRITING: [&str; 4] = ["write_file", "edit_file", "create_directory", "move_file"];

fn served(docs: &Docs, options: &[&str]) -> Target {
    let command = [PLAINLY, "serve", docs.str(), "--stdio"];
    let command = [&command, &FILESYSTEM[..], options].concat();
    Target::Child(command.into_iter().map(str::to_owned).collect())
}

fn call(target: &Target, tool: &str, arguments: &Value) -> Run {
    target.run("call", &[tool, "--args", &arguments.to_string()])
}

/// The definitions of the tools.
fn definitions(docs: &Docs, options: &[&str]) -> Vec<Value> {
    let listed = served(docs, options).run("tools", &["--json"]);
    listed.succeeded().json_lines()
}

fn names(definitions: &[Value]) -> Vec<&str> {
    let names = definitions.iter();
    names.map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn fixture() -> Docs {
    let docs = Docs::new();
    fs::create_dir_all(docs.path.join("src/deep")).unwrap();
    for (path, text) in [
        ("src/a.txt", "one\ntwo\nthree\n"),
        ("src/deep/b.md", "b\n"),
        ("src/crlf.txt", "a\r\nb\r\n"),
    ] {
        fs::write(docs.path.join(path), text).unwrap();
    }
    docs
}

#[test]
fn the_tools_have_the_names_that_they_have_there() {
    let docs = Docs::new();
    let without = definitions(&docs, &[]);
    let mut expected = ALL.to_vec();
    expected.retain(|name| !WRITING.contains(name));
    assert_eq!(names(&without), expected);
    let mut with = definitions(&docs, &["--write"]);
    let size = serde_json::to_string(&with).unwrap().len();
    assert!(size <= 8_000, "{size}");
    with.sort_by_key(|tool| ALL.iter().position(|name| tool["name"] == *name));
    assert_eq!(names(&with), ALL);
    let edit = &with[5]["inputSchema"];
    let members = edit["properties"]["edits"]["items"]["required"].clone();
    assert_eq!(edit["required"], json!(["path", "edits"]));
    assert_eq!(members, json!(["oldText", "newText"]));
    let hints = |tool: &Value| {
        let hints = &tool["annotations"];
        (
            hints["readOnlyHint"].clone(),
            hints["destructiveHint"].clone(),
        )
    };
    assert_eq!(hints(&with[1]), (json!(true), Value::Null));
    assert_eq!(hints(&with[4]), (json!(false), json!(true)));
}

#[test]
fn only_the_tools_of_those_names_can_be_named() {
    let docs = Docs::new();
    let options = ["--tools", "read_text_file,edit_file", "--write"];
    let some = definitions(&docs, &options);
    assert_eq!(names(&some), ["read_text_file", "edit_file"]);
    let serve = |options: &[&str]| run(&[&["serve", docs.str(), "--stdio"], options].concat());
    serve(&["--tools", "edit_file", "--tool-names", "filesystem"]).failed(
        2,
        "error: edit_file is for a server that writes: add --write\n",
    );
    let other = serve(&["--tools", "tree", "--tool-names", "filesystem"]);
    let expected = "error: tree is no tool of --tool-names filesystem: name some of read_file, ";
    assert_eq!(other.status, 2);
    assert!(other.stderr.starts_with(expected), "{}", other.stderr);
    let other = serve(&["--tools", "edit_file", "--write"]);
    let expected =
        "error: edit_file is no tool of --tool-names plainly: name some of list_resources, ";
    assert!(other.stderr.starts_with(expected), "{}", other.stderr);
    let told = run(&[
        &["install", "zed", docs.str(), "--dry-run"],
        &FILESYSTEM[..],
    ]
    .concat());
    assert!(
        told.succeeded().text().contains("\"filesystem\""),
        "the host starts it with the option"
    );
}

#[test]
fn files_are_read_as_there() {
    let docs = fixture();
    let target = served(&docs, &[]);
    let root = docs.str();
    for (tool, arguments, expected) in [
        (
            "read_text_file",
            json!({"path": format!("{root}/src/a.txt")}),
            "one\ntwo\nthree\n".to_owned(),
        ),
        (
            "read_file",
            json!({"path": "src/a.txt", "head": 2}),
            "one\ntwo\n".to_owned(),
        ),
        (
            "read_text_file",
            json!({"path": "src/a.txt", "tail": 1}),
            "three\n".to_owned(),
        ),
        (
            "read_multiple_files",
            json!({"paths": ["src/a.txt", "src/none"]}),
            "src/a.txt:\none\ntwo\nthree\n\n\n---\nsrc/none: Error - The resource".to_owned(),
        ),
        (
            "list_directory",
            json!({"path": "src"}),
            "[FILE] a.txt\n[FILE] crlf.txt\n[DIR] deep".to_owned(),
        ),
        (
            "list_directory_with_sizes",
            json!({"path": "src", "sortBy": "size"}),
            "[FILE] a.txt                                14 B\n".to_owned(),
        ),
        (
            "directory_tree",
            json!({"path": "src", "excludePatterns": ["*.txt"]}),
            r#"[{"name":"deep","type":"directory","children":[{"name":"b.md","type":"file"}]}]"#
                .to_owned(),
        ),
        (
            "search_files",
            json!({"path": root, "pattern": "**/*.md", "excludePatterns": ["intro*", "guide"]}),
            format!("{root}/src/deep/b.md"),
        ),
        (
            "search_files",
            json!({"path": "src", "pattern": "*.rs"}),
            "No matches found".to_owned(),
        ),
        (
            "list_allowed_directories",
            json!({}),
            format!("Allowed directories:\n{root}"),
        ),
        (
            "get_file_info",
            json!({"path": "src/a.txt"}),
            "size: 14\n".to_owned(),
        ),
    ] {
        let done = call(&target, tool, &arguments).succeeded();
        assert!(
            done.text().starts_with(&expected),
            "{tool}: {}",
            done.text()
        );
    }
}

#[test]
fn a_directory_is_named_without_dots() {
    let docs = fixture();
    let path = docs.path.join("src/../src/deep/..");
    let command = [PLAINLY, "serve", path.to_str().unwrap(), "--stdio"];
    let command = [&command[..], &FILESYSTEM].concat();
    let target = Target::Child(command.into_iter().map(str::to_owned).collect());
    let real = docs.path.canonicalize().unwrap().join("src");
    let allowed = call(&target, "list_allowed_directories", &json!({})).succeeded();
    let expected = format!("Allowed directories:\n{}\n", real.display());
    assert_eq!(allowed.text(), expected);
    for path in [path.join("a.txt"), real.join("a.txt")] {
        let read = call(&target, "read_text_file", &json!({"path": path}));
        assert_eq!(read.succeeded().text(), "one\ntwo\nthree\n");
    }
}

#[test]
fn files_are_written_as_there() {
    let docs = fixture();
    let target = served(&docs, &["--write"]);
    let root = docs.str();
    let done = |tool: &str, arguments: Value| {
        let done = call(&target, tool, &arguments).succeeded();
        done.text().to_owned()
    };
    let new = format!("{root}/src/new.txt");
    let text = done("write_file", json!({"path": new, "content": "x\n"}));
    assert_eq!(text, format!("Successfully wrote to {new}\n"));
    let edits = json!([{"oldText": "a\nb", "newText": "1\n2"}]);
    let edit = |dry_run| {
        let arguments = json!({"path": "src/crlf.txt", "edits": edits, "dryRun": dry_run});
        done("edit_file", arguments)
    };
    let crlf = docs.path.join("src/crlf.txt");
    for (dry_run, expected) in [(true, "a\r\nb\r\n"), (false, "1\r\n2\r\n")] {
        let diff = edit(dry_run);
        assert!(diff.starts_with("```diff\n"), "{diff}");
        assert!(diff.contains("-a\n-b\n+1\n+2\n```\n"), "{diff}");
        assert_eq!(fs::read_to_string(&crlf).unwrap(), expected);
    }
    done("create_directory", json!({"path": "made/here"}));
    let moved = json!({"source": new, "destination": format!("{root}/made/here/moved")});
    let text = done("move_file", moved);
    assert_eq!(
        text,
        format!("Successfully moved to {root}/made/here/moved\n")
    );
    assert_eq!(
        fs::read_to_string(docs.path.join("made/here/moved")).unwrap(),
        "x\n"
    );
}

#[test]
fn a_path_is_read_in_each_way_that_it_is_there() {
    let docs = fixture();
    let target = served(&docs, &[]);
    let (root, uri) = (docs.str(), format!("file://{}/src/a.txt", docs.str()));
    for path in [
        "src/a.txt",
        "./src/a.txt",
        "src/../src/a.txt",
        "docs/src/a.txt",
        "file:///docs/src/a.txt",
        &uri,
        &format!("{root}/src/../src/./a.txt"),
    ] {
        let read = call(&target, "read_text_file", &json!({"path": path, "head": 1}));
        assert!(read.succeeded().text().starts_with("one\n"), "{path}");
    }
    for top in [".", "", root] {
        let listed = call(&target, "list_directory", &json!({"path": top}));
        assert!(listed.succeeded().text().contains("[DIR] src\n"), "{top}");
    }
    for path in ["../x", "/etc/passwd", "~/x", "src/../../x"] {
        let refused = call(&target, "read_text_file", &json!({"path": path}));
        assert_eq!(refused.status, 5, "{path}: {}", refused.stderr);
    }
    let variable = format!("HOME={root}");
    let serve = [PLAINLY, "serve", root, "--stdio"];
    let home = [&["env", &variable][..], &serve, &FILESYSTEM].concat();
    let target = Target::Child(home.into_iter().map(str::to_owned).collect());
    let read = call(&target, "read_text_file", &json!({"path": "~/src/a.txt"}));
    assert_eq!(read.succeeded().text(), "one\ntwo\nthree\n");
}

#[test]
fn failures_speak_of_the_arguments_that_there_are() {
    let docs = fixture();
    let target = served(&docs, &["--write"]);
    let edit =
        |old: &str| json!({"path": "src/a.txt", "edits": [{"oldText": old, "newText": "x"}]});
    for (tool, arguments, expected) in [
        ("read_text_file", json!({"path": "src"}), "'path'"),
        ("read_text_file", json!({"uri": "src"}), "path"),
        ("edit_file", edit("t"), "`oldText` occurs"),
        ("edit_file", edit("none"), "copy `oldText` from it"),
        (
            "read_text_file",
            json!({"path": "src/a.txt", "head": 1, "tail": 1}),
            "`offset` and `head`",
        ),
        (
            "move_file",
            json!({"source": "src/a.txt", "destination": "src/deep/"}),
            "'destination'",
        ),
    ] {
        let failed = call(&target, tool, &arguments);
        assert!(
            failed.stderr.contains(expected),
            "{tool}: {}",
            failed.stderr
        );
    }
}

#[test]
fn others_see_no_paths_of_this_machine() {
    let docs = fixture();
    let options = ["--allow-host", "docs.example.com"];
    let server = Serving::with(&docs, &[&FILESYSTEM[..], &options].concat());
    let call = |tool: &str, arguments: Value| {
        run(&["call", &server.url, tool, "--args", &arguments.to_string()])
    };
    let allowed = call("list_allowed_directories", json!({})).succeeded();
    assert_eq!(allowed.text(), "Allowed directories:\n/docs\n");
    let found = call(
        "search_files",
        json!({"path": "/docs/src", "pattern": "*.md"}),
    );
    assert_eq!(found.succeeded().text(), "/docs/src/deep/b.md\n");
    let read = call("read_text_file", json!({"path": "/docs/src/deep/b.md"}));
    assert_eq!(read.succeeded().text(), "b\n");
    let path = format!("{}/src/a.txt", docs.str());
    let refused = call("read_text_file", json!({"path": path}));
    assert_eq!(refused.status, 5, "{}", refused.stderr);
}

#[test]
fn a_key_without_the_scope_can_only_read() {
    let docs = fixture();
    let keys = docs.path.with_file_name("keys.json");
    let keys = keys.to_str().unwrap();
    let made = run(&["key", "new", "ada", "--scope", "read", "--file", keys]);
    let header = format!("Authorization: Bearer {}", made.text().trim_end());
    let options = ["--write", "--write-scope", "write", "--auth-keys", keys];
    let server = Serving::with(&docs, &[&FILESYSTEM[..], &options].concat());
    for (tool, arguments) in [
        ("write_file", json!({"path": "docs/x", "content": ""})),
        ("create_directory", json!({"path": "docs/x"})),
        (
            "move_file",
            json!({"source": "docs/src", "destination": "docs/x"}),
        ),
        (
            "edit_file",
            json!({"path": "src/a.txt", "edits": [{"oldText": "one", "newText": "1"}]}),
        ),
    ] {
        let arguments = arguments.to_string();
        let words = [&server.url, tool, "--args", &arguments, "--header", &header];
        let refused = run(&[&["call"], &words[..]].concat());
        assert_eq!(refused.status, 7, "{tool}: {}", refused.stderr);
    }
    assert!(!docs.path.join("x").exists());
}
