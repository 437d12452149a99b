//! Tests `serve --write` and `trash`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{Docs, PLAINLY, Run, Serving, Target, of, plainly, run};

const TOOLS: [&str; 5] = [
    "create_collection",
    "delete_resource",
    "edit_resource",
    "move_resource",
    "write_resource",
];

/// The names of the tools, in order.
fn tools(target: &Target) -> Vec<String> {
    let listed = target.run("tools", &["--json"]).succeeded();
    let names = listed.json_lines().into_iter();
    let mut names: Vec<String> = names
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

fn call(target: &Target, tool: &str, arguments: &Value) -> Run {
    target.run("call", &[tool, "--args", &arguments.to_string()])
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn without_the_option_nothing_of_it_is_there() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let names = tools(&target);
        assert!(
            TOOLS
                .iter()
                .all(|tool| !names.contains(&(*tool).to_owned())),
            "{names:?}"
        );
        let refused = call(
            &target,
            "write_resource",
            &json!({"uri": "docs/x", "text": ""}),
        );
        assert_ne!(refused.status, 0);
    }
    let before = fs::read_dir(&docs.path).unwrap().count();
    assert_eq!(before, 4);
}

/// Tools show a notebook as Markdown, but the file is JSON.
#[test]
fn a_notebook_stays_one() {
    const NOTEBOOK: &str =
        r##"{"nbformat":4,"cells":[{"cell_type":"markdown","source":["# One\n","Two\n"]}]}"##;
    let docs = Docs::new();
    let (uri, path) = ("file:///docs/a.ipynb", docs.path.join("a.ipynb"));
    fs::write(&path, NOTEBOOK).unwrap();
    let [target, _] = Target::docs_with(&docs, &["--write"]);
    let edit = |old: &str, new: &str| {
        let edits = json!([{"old": old, "new": new}]);
        call(
            &target,
            "edit_resource",
            &json!({"uri": uri, "edits": edits}),
        )
    };
    let write = |text: &str| {
        call(
            &target,
            "write_resource",
            &json!({"uri": uri, "text": text}),
        )
    };
    for (refused, why) in [
        (
            edit("# One\nTwo", "# One"),
            format!("copy `old` from the text of {uri}#bytes=0-."),
        ),
        (
            edit("Two", "Two\nThree"),
            format!("no longer be JSON. Read the JSON as {uri}#bytes=0-,"),
        ),
        (
            write("# One\n"),
            "is a notebook, which must stay JSON".to_owned(),
        ),
    ] {
        assert_eq!(refused.status, 5);
        assert!(refused.stderr.contains(&why), "{}", refused.stderr);
    }
    assert_eq!(read(&path), NOTEBOOK);
    let own = target.run("call", &["read_resource", &format!("uri={uri}#bytes=0-")]);
    assert!(own.text().starts_with(NOTEBOOK), "{}", own.text());
    edit("Two\\n", "Two\\n\",\"Three\\n").succeeded();
    let seen = target.run("call", &["read_resource", &format!("uri={uri}")]);
    assert_eq!(seen.text(), "# One\nTwo\nThree\n");
    write(NOTEBOOK).succeeded();
    assert_eq!(read(&path), NOTEBOOK);
}

#[test]
fn files_are_changed_and_restored() {
    for at in 0..2 {
        let docs = Docs::new();
        let target = &Target::docs_with(&docs, &["--write"])[at];
        let names = tools(target);
        assert!(
            TOOLS.iter().all(|tool| names.contains(&(*tool).to_owned())),
            "{names:?}"
        );
        let uri = "docs/guide/new.txt";
        call(
            target,
            "write_resource",
            &json!({"uri": uri, "text": "a\r\nb\r\n"}),
        )
        .succeeded();
        let edits = json!([{"old": "a\nb", "new": "1\n2"}]);
        let edited = call(
            target,
            "edit_resource",
            &json!({"uri": uri, "edits": edits}),
        )
        .succeeded();
        assert!(
            edited.text().contains("-a\n-b\n+1\n+2\n"),
            "{}",
            edited.text()
        );
        let path = docs.path.join("guide/new.txt");
        assert_eq!(read(&path), "1\r\n2\r\n");
        let intro = read(&docs.path.join("intro.md"));
        call(target, "delete_resource", &json!({"uri": "docs/intro.md"})).succeeded();
        assert!(!docs.path.join("intro.md").exists());
        call(target, "create_collection", &json!({"uri": "docs/a/b"})).succeeded();
        call(
            target,
            "move_resource",
            &json!({"from": uri, "to": "docs/a/b/c"}),
        )
        .succeeded();
        assert_eq!(read(&docs.path.join("a/b/c")), "1\r\n2\r\n");

        let listed = run(&["trash", docs.str(), "--json"])
            .succeeded()
            .json_lines();
        let paths: Vec<&str> = listed
            .iter()
            .filter_map(|one| one["path"].as_str())
            .collect();
        assert_eq!(paths, ["intro.md", "guide/new.txt"]);
        assert_eq!(listed[1]["size"], 6);
        let name = listed[0]["name"].as_str().unwrap();
        let restored = run(&["trash", docs.str(), "restore", name]).succeeded();
        assert_eq!(restored.text(), "intro.md\n");
        assert_eq!(read(&docs.path.join("intro.md")), intro);
        let gone = run(&["trash", docs.str(), "restore", name]);
        assert_eq!(gone.status, 2, "{}", gone.stderr);
        // The earlier version of this file is still in the trash, although the file was moved.
        let table = run(&["trash", docs.str()]).succeeded();
        assert!(table.text().contains("guide/new.txt"), "{}", table.text());
    }
}

#[test]
fn a_directory_can_be_the_only_one_that_is_changed() {
    let (docs, src) = (Docs::new(), Docs::new());
    let words = [
        format!("docs={}:rw", docs.str()),
        format!("src={}", src.str()),
    ];
    let call = |uri: &str| {
        let mut command = plainly();
        command.args([
            "call",
            "write_resource",
            &format!("uri={uri}"),
            "text=x",
            "--",
        ]);
        command.args([PLAINLY, "serve"]).args(&words).arg("--stdio");
        of(command)
    };
    call("docs/new").succeeded();
    assert_eq!(read(&docs.path.join("new")), "x");
    let refused = call("src/new");
    assert_eq!(refused.status, 5, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("Access denied"),
        "{}",
        refused.stderr
    );
    assert!(!src.path.join("new").exists());
}

/// Changes of the directories of `confirming` that can't be made, and the reasons.
const IMPOSSIBLE: [(&str, &str, &str); 16] = [
    (
        "write_resource",
        r#"{"uri": "src/a", "text": ""}"#,
        "read-only",
    ),
    (
        "write_resource",
        r#"{"uri": "docs/x.log", "text": ""}"#,
        "nothing is served",
    ),
    (
        "write_resource",
        r#"{"uri": "docs/y.log", "text": ""}"#,
        "nothing is served",
    ),
    (
        "write_resource",
        r#"{"uri": "docs/.git/config", "text": ""}"#,
        "hidden ones may not be served",
    ),
    (
        "write_resource",
        r#"{"uri": "docs/guide", "text": ""}"#,
        "a directory",
    ),
    (
        "write_resource",
        r#"{"uri": "docs/intro.md", "text": "", "if_tag": "0"}"#,
        "changed meanwhile",
    ),
    (
        "write_resource",
        r#"{"uri": "docs/intro.md", "text": "", "create_only": true}"#,
        "already exists",
    ),
    (
        "edit_resource",
        r#"{"uri": "docs/intro.md", "edits": [{"old": "none", "new": ""}]}"#,
        "does not occur",
    ),
    ("create_collection", r#"{"uri": "src/a/b"}"#, "read-only"),
    (
        "create_collection",
        r#"{"uri": "docs/.a/b"}"#,
        "nothing is served",
    ),
    (
        "create_collection",
        r#"{"uri": "docs/intro.md"}"#,
        "already exists",
    ),
    (
        "delete_resource",
        r#"{"uri": "docs/none"}"#,
        "was not found",
    ),
    ("delete_resource", r#"{"uri": "docs/guide"}"#, "not empty"),
    (
        "move_resource",
        r#"{"from": "docs/intro.md", "to": "src/a"}"#,
        "read-only",
    ),
    (
        "move_resource",
        r#"{"from": "docs/intro.md", "to": "docs/guide"}"#,
        "already exists",
    ),
    (
        "move_resource",
        r#"{"from": "docs/none", "to": "docs/a"}"#,
        "was not found",
    ),
];

/// A server that asks about all changes of `docs`, and makes none of `src`.
fn confirming(docs: &Docs, src: &Docs) -> Target {
    fs::write(docs.path.join(".gitignore"), "*.log\n").unwrap();
    fs::write(docs.path.join("x.log"), "x").unwrap();
    let served = format!("docs={}:rw src={}", docs.str(), src.str());
    let command = format!("{PLAINLY} serve {served} --stdio --confirm all");
    Target::Child(command.split(' ').map(str::to_owned).collect())
}

#[test]
fn nobody_is_asked_to_agree_to_what_can_not_be_done() {
    let (docs, src) = (Docs::new(), Docs::new());
    let target = confirming(&docs, &src);
    for (tool, arguments, expected) in IMPOSSIBLE {
        // This applies to a client that can't ask, and to one whose user declines.
        for answer in [&[][..], &["--answer", "decline"]] {
            let refused = target.run("call", &[&[tool, "--args", arguments], answer].concat());
            assert_eq!(refused.status, 5, "{}", refused.stderr);
            let why = refused.stderr;
            assert!(why.contains(expected), "{tool} {arguments}: {why}");
        }
    }
}

#[test]
fn an_answer_to_another_question_agrees_to_nothing() {
    let (docs, src) = (Docs::new(), Docs::new());
    let target = confirming(&docs, &src);
    let new = docs.path.join("new");
    let write = |answer: &[&str]| {
        let words = ["write_resource", "uri=docs/new", "text=x"];
        target.run("call", &[&words, answer].concat())
    };
    let unasked = write(&[]).stderr;
    assert!(unasked.contains("Confirmation required"), "{unasked}");
    let why = "error: no answer is for this question: agree with --answer accept\n";
    write(&["--answer", "confirm=yes"]).failed(1, why);
    assert!(!new.exists());
    write(&["--answer", "accept"]).succeeded();
    assert_eq!(read(&new), "x");
}

#[test]
fn a_path_in_the_trash_stands_for_its_newest_content() {
    let docs = Docs::new();
    let target = &Target::docs_with(&docs, &["--write"])[0];
    for text in ["second", "third"] {
        let write = json!({"uri": "docs/intro.md", "text": text});
        call(target, "write_resource", &write).succeeded();
    }
    call(target, "delete_resource", &json!({"uri": "docs/intro.md"})).succeeded();
    run(&["trash", docs.str(), "restore", "./intro.md"]).succeeded();
    assert_eq!(read(&docs.path.join("intro.md")), "third");
}

#[test]
fn a_tree_is_deleted_if_the_user_agrees() {
    let docs = Docs::new();
    for target in Target::docs_with(&docs, &["--write"]) {
        fs::create_dir_all(docs.path.join("tree/inner")).unwrap();
        fs::write(docs.path.join("tree/inner/file"), "x").unwrap();
        let delete = |answer: &[&str]| {
            let words = ["delete_resource", "uri=docs/tree", "recursive:=true"];
            target.run("call", &[&words, answer].concat())
        };
        let declined = delete(&["--answer", "decline"]);
        assert_eq!(declined.status, 5);
        assert!(
            declined.stderr.contains("The user declined."),
            "{}",
            declined.stderr
        );
        assert!(docs.path.join("tree/inner/file").exists());
        delete(&["--answer", "accept"]).succeeded();
        assert!(!docs.path.join("tree").exists());
        // The trash lists it by the path of its only file.
        run(&["trash", docs.str(), "restore", "tree"]).succeeded();
        assert_eq!(read(&docs.path.join("tree/inner/file")), "x");
    }
}

#[test]
fn other_machines_need_a_scope() {
    let docs = Docs::new();
    let keys = docs.path.with_file_name("keys.json");
    let keys = keys.to_str().unwrap();
    run(&["key", "new", "x", "--file", keys]);
    let reachable = "error: other machines can reach the server, and could change the files: name the scope that they need \
                     with --write-scope\n";
    let sourceless = "error: --write-scope needs a source of scopes: add --auth-issuer, --auth-introspect or --auth-keys\n";
    let open = ["--http", "0.0.0.0:0", "--allow-host", "docs.example.com"];
    let cases: [(&[&str], &str); 7] = [
        (&open, reachable),
        (&["--trusted-proxy", "127.0.0.1"], reachable),
        (
            &["--http", "127.0.0.1:0", "--allow-host", "docs.example.com"],
            reachable,
        ),
        (
            &[
                "--http",
                "127.0.0.1:0",
                "--public-url",
                "https://docs.example.com/mcp",
            ],
            reachable,
        ),
        (
            &["--http", "[::]:0", "--allow-host", "localhost"],
            reachable,
        ),
        (
            &["--http", "127.0.0.1:0", "--write-scope", "write"],
            sourceless,
        ),
        (
            &["--no-tools"],
            "error: the argument '--write' cannot be used with '--no-tools'",
        ),
    ];
    for (options, expected) in cases {
        let refused = run(&[&["serve", docs.str(), "--write"], options].concat());
        assert_eq!(refused.status, 2, "{options:?}: {}", refused.stderr);
        assert!(
            refused.stderr.starts_with(expected),
            "{options:?}: {}",
            refused.stderr
        );
    }
    let idle = run(&["serve", docs.str(), "--stdio", "--confirm", "all"]);
    idle.failed(
        2,
        "error: --confirm is for a server that writes: add --write\n",
    );
}

#[test]
fn only_the_tools_that_are_named_are_served() {
    let docs = Docs::new();
    let serve = |names: &str| {
        let command = [
            PLAINLY,
            "serve",
            docs.str(),
            "--stdio",
            "--write",
            "--tools",
            names,
        ];
        tools(&Target::Child(command.map(str::to_owned).into()))
    };
    assert_eq!(serve("two").len(), 2 + TOOLS.len());
    assert_eq!(serve("tree,edit_resource"), ["edit_resource", "tree"]);
    assert_eq!(serve("edit_resource"), ["edit_resource"]);
    let idle = run(&["serve", docs.str(), "--stdio", "--tools", "edit_resource"]);
    idle.failed(
        2,
        "error: edit_resource is for a server that writes: add --write\n",
    );
}

#[test]
fn a_key_without_the_scope_can_only_read() {
    let docs = Docs::new();
    let keys = docs.path.with_file_name("keys.json");
    let keys = keys.to_str().unwrap();
    let key = |name: &str, scope: &str| {
        let words = ["key", "new", name, "--scope", scope, "--file", keys];
        let made = run(&words);
        format!("Authorization: Bearer {}", made.text().trim_end())
    };
    let [reader, writer] = [key("ada", "read"), key("bob", "read write")];
    let options = ["--write", "--write-scope", "write", "--auth-keys", keys];
    let server = Serving::with(&docs, &options);
    let write = |header: &str| {
        let words = [
            "write_resource",
            "uri=docs/new",
            "text=x",
            "--header",
            header,
        ];
        run(&[&["call", &server.url], &words[..]].concat())
    };
    let refused = write(&reader);
    assert_eq!(refused.status, 7, "{}", refused.stderr);
    assert!(!docs.path.join("new").exists());
    write(&writer).succeeded();
    assert_eq!(read(&docs.path.join("new")), "x");
    run(&["read", &server.url, "file:///docs/new", "--header", &reader]).succeeded();
}

#[test]
fn each_change_is_in_the_audit_file() {
    let docs = Docs::new();
    let audit = docs.path.with_file_name("audit.jsonl");
    let server = Serving::with(&docs, &["--write", "--audit", audit.to_str().unwrap()]);
    let words = [
        "write_resource",
        "uri=docs/new",
        "text=x",
        "create_only:=true",
    ];
    let write = || run(&[&["call", &server.url], &words[..]].concat());
    write().succeeded();
    assert_eq!(write().status, 5);
    let lines = read(&audit);
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls = lines.filter(|line| line["method"] == "tools/call");
    let calls: Vec<Value> = calls
        .map(|line| json!([line["name"], line["outcome"], line["address"], line["uris"]]))
        .collect();
    let line = |outcome: &str| json!(["write_resource", outcome, "127.0.0.1", ["docs/new"]]);
    let expected = ["begun", "served", "begun", "tool failed"].map(line);
    assert_eq!(calls, expected);
}

#[test]
fn a_host_gets_a_server_that_writes() {
    let docs = Docs::new();
    let words = [
        "install",
        "zed",
        docs.str(),
        "--write",
        "--confirm",
        "all",
        "--dry-run",
    ];
    let dry = run(&words).succeeded();
    for word in ["--write", "--confirm", "all", "--stdio"] {
        assert!(
            dry.text().contains(&format!("\"{word}\"")),
            "{}",
            dry.text()
        );
    }
    let writable = format!("docs={}:rw", docs.str());
    let printed = run(&["serve", &writable, "--print-config", "cursor"]);
    assert!(printed.text().contains(&writable), "{}", printed.text());
}
