//! No tool returns anything from outside the mount for any argument. Each call checks its result
//! for the secret and for host paths.

use serde_json::{Value, json};

use super::{Answer, Tools};
use crate::fixture::{Fixture, SECRET};
use crate::uris::{bad_beginnings, bad_paths};

/// Calls every tool with one URI.
fn ask_all(tools: &Tools<'_>, uri: &str) -> Vec<(&'static str, Answer)> {
    let calls: [(&str, Value); 7] = [
        ("list_resources", json!({"uri": uri})),
        ("tree", json!({"uri": uri})),
        ("stat_resource", json!({"uri": uri})),
        ("read_resource", json!({"uri": uri})),
        ("read_resources", json!({"uris": [uri]})),
        ("search", json!({"uri": uri, "pattern": "."})),
        ("search", json!({"uri": uri, "glob": "*"})),
    ];
    let answers = calls.map(|(name, arguments)| (name, tools.call(name, arguments)));
    answers.into()
}

#[test]
fn no_spelling_leads_outside() {
    let fixture = Fixture::new(&[("ok.txt", "inside"), ("a/x", "inside")]);
    let tools = Tools::of(&fixture);
    let paths = bad_paths()
        .flat_map(|path| [format!("file:///docs/{path}"), format!("docs/{path}")])
        .chain(bad_beginnings())
        .chain([
            "/etc/passwd".to_owned(),
            "../secret.txt".to_owned(),
            "./../secret.txt".to_owned(),
            "docs/../../secret.txt".to_owned(),
        ]);
    for uri in paths {
        for (tool, answer) in ask_all(&tools, &uri) {
            // If the spelling is only unusual, the result is from inside.
            let is_inside = matches!(tool, "read_resource" | "read_resources");
            assert!(
                answer.is_error || !is_inside || answer.text.contains("inside"),
                "{uri:?}: {}",
                answer.text
            );
        }
    }
}

/// The result contains the path of the request, and no other path.
#[test]
fn paths_of_the_host_lead_nowhere() {
    let fixture = Fixture::new(&[("ok.txt", "inside")]);
    let tools = Tools::of(&fixture);
    for uri in [
        "/etc/passwd",
        "/",
        "/proc/self/environ",
        "file:///etc",
        "etc/hosts",
        "~/.ssh/id_rsa",
    ] {
        for (tool, answer) in ask_all(&tools, uri) {
            assert!(
                !answer.text.contains("root:"),
                "{tool} {uri}: {}",
                answer.text
            );
            assert!(
                answer.is_error || uri == "/",
                "{tool} {uri}: {}",
                answer.text
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn callers_on_this_machine_may_use_paths_of_a_mount() {
    let fixture = Fixture::new(&[("a b.txt", "inside"), (".env", SECRET)]);
    std::os::unix::fs::symlink("docs", fixture.outside().join("link")).unwrap();
    let linked = Fixture::with(&[], |builder| {
        builder.mount_as("linked", fixture.outside().join("link"))
    });
    let root = fixture.root();
    let root = root.to_str().unwrap();
    let link = fixture.outside().join("link");
    let link = link.to_str().unwrap();
    let encoded = format!("file://{root}/a%20b.txt");
    let written = format!("{root}/a b.txt");
    let (far, near) = (Tools::of(&fixture), Tools::local(&fixture));
    for uri in [&written, &encoded] {
        assert_eq!(near.text("read_resource", json!({"uri": uri})), "inside");
        assert!(!far.can_call("read_resource", json!({"uri": uri})));
    }
    assert_eq!(
        near.call("search", json!({"uri": root})).links(),
        ["docs/a%20b.txt"]
    );
    let file = fixture.root().join("a b.txt");
    let single = Fixture::with(&[], |builder| builder.mount_as("one", file));
    let near = Tools::local(&single);
    assert_eq!(
        near.text("read_resource", json!({"uri": written})),
        "inside"
    );
    let near = Tools::local(&linked);
    for path in [written, format!("{link}/a b.txt")] {
        assert_eq!(near.text("read_resource", json!({"uri": path})), "inside");
    }
    let near = Tools::local(&fixture);
    for path in [
        format!("{root}/../secret.txt"),
        format!("{root}/.env"),
        format!("{}/secret.txt", fixture.outside().display()),
        link.to_owned(),
        "/etc/passwd".to_owned(),
    ] {
        assert!(
            !near.can_call("read_resource", json!({"uri": path})),
            "{path}"
        );
    }
}

#[test]
fn what_is_hidden_is_found_by_nothing() {
    let fixture = Fixture::new(&[
        (".env", SECRET),
        (".git/config", SECRET),
        (".gitignore", "ignored\nlocal/\n"),
        ("ignored", SECRET),
        ("local/x", SECRET),
        ("shown", "inside"),
    ]);
    let tools = Tools::of(&fixture);
    for arguments in [
        json!({"pattern": SECRET, "literal": true}),
        json!({"pattern": "[a-z]"}),
    ] {
        let answer = tools.call("search", arguments);
        assert!(
            answer.structured["files"]
                .as_array()
                .unwrap()
                .iter()
                .all(|file| file["uri"] == "file:///docs/shown")
        );
    }
    let found = tools.call("search", json!({"glob": "**"}));
    assert_eq!(found.links(), ["docs/shown"]);
    assert_eq!(tools.call("search", json!({"glob": ".*"})).links(), [""; 0]);
    assert_eq!(tools.text("tree", json!({})), "file:///docs/\n  shown");
    for name in [".env", ".git", ".git/config", "ignored", "local", "local/x"] {
        for (tool, answer) in ask_all(&tools, &format!("docs/{name}")) {
            assert!(answer.is_error, "{tool} {name}: {}", answer.text);
        }
    }
}

#[cfg(unix)]
#[test]
fn links_out_special_files_and_what_may_not_be_read_are_not_there() {
    use std::os::unix::fs::symlink;
    use std::time::{Duration, Instant};

    use crate::fixture::make_pipe;

    let fixture = Fixture::new(&[("shown", "inside"), ("dir/x", "inside")]);
    std::fs::create_dir(fixture.outside().join("evil")).unwrap();
    std::fs::write(fixture.outside().join("evil/x"), SECRET).unwrap();
    make_pipe(&fixture.root().join("pipe"));
    let absolute = fixture.outside().join("secret.txt");
    for (link, target) in [
        ("file", "../secret.txt"),
        ("evil", "../evil"),
        ("up", ".."),
        ("absolute", absolute.to_str().unwrap()),
        ("root", "/"),
        ("environ", "/proc/self/environ"),
        ("loop", "loop"),
        ("dangling", "none"),
        ("zero", "/dev/zero"),
    ] {
        symlink(target, fixture.root().join(link)).unwrap();
    }
    let tools = Tools::of(&fixture);
    let start = Instant::now();
    for (tool, answer) in ask_all(&tools, "docs") {
        let only = matches!(tool, "read_resource" | "read_resources");
        assert_eq!(answer.is_error, only, "{tool}: {}", answer.text);
    }
    let found = tools.call("search", json!({"pattern": "."}));
    assert_eq!(found.links(), ["docs/dir/x", "docs/shown"]);
    let expected = "file:///docs/\n  dir/\n    x\n  shown";
    assert_eq!(tools.text("tree", json!({})), expected);
    for name in [
        "pipe",
        "file",
        "evil",
        "evil/x",
        "up",
        "up/secret.txt",
        "absolute",
        "root/etc/passwd",
        "environ",
        "zero",
    ] {
        for (tool, answer) in ask_all(&tools, &format!("docs/{name}")) {
            assert!(answer.is_error, "{tool} {name}: {}", answer.text);
        }
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[cfg(target_os = "linux")]
#[test]
fn a_search_finds_nothing_outside_whatever_is_renamed_meanwhile() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::races::{exchange, time, traps};

    let fixture = Fixture::new(&[
        ("file", "inside"),
        ("dir/ok.txt", "inside"),
        ("ok.txt", "inside"),
        ("p/q/r/", ""),
    ]);
    let swaps = traps(&fixture);
    let tools = Tools::of(&fixture);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for (one, other) in &swaps {
            scope.spawn(|| exchange(one, other, &over));
        }
        let start = std::time::Instant::now();
        let (mut calls, mut inside) = (0, 0);
        while start.elapsed() < time() {
            let answer = tools.call("search", json!({"pattern": "[a-z]"}));
            inside += answer.text.matches(": inside").count();
            tools.call("search", json!({"glob": "**"}));
            tools.call("tree", json!({"depth": 9}));
            for uri in ["docs/file", "docs/dir", "docs/dir/ok.txt", "docs/p/q/r/up"] {
                calls += ask_all(&tools, uri).len();
            }
        }
        over.store(true, Ordering::Relaxed);
        println!("{calls} calls, {inside} matches inside");
        assert!(inside > 0);
    });
}
