//! Attacks on files that must not be served: beside the directory, behind links, under other names.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::place::{Place, Talking};

/// All requests for a resource with this URI.
fn entries(uri: &str) -> Vec<(&'static str, Value)> {
    let call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        ("tools/call", params)
    };
    vec![
        ("resources/read", json!({"uri": uri})),
        ("resources/list", json!({"uri": uri})),
        ("resources/metadata", json!({"uri": uri})),
        ("resources/directory/read", json!({"uri": uri})),
        call("list_resources", json!({"uri": uri})),
        call("tree", json!({"uri": uri})),
        call("stat_resource", json!({"uri": uri})),
        call("read_resource", json!({"uri": uri})),
        call("read_resources", json!({"uris": [uri]})),
        call("search", json!({"uri": uri, "pattern": "."})),
        call("search", json!({"uri": uri, "glob": "**"})),
    ]
}

/// Checks that the entries above include each tool that the server lists, so that new tools are
/// attacked, too.
#[test]
fn these_are_all_tools_and_all_methods_that_take_a_uri() {
    let place = Place::new();
    let listed = Talking::start(&place).ask("tools/list", json!({}));
    let listed = listed["result"]["tools"].as_array().unwrap().iter();
    let entries = entries("x");
    for tool in listed {
        let is_there = entries
            .iter()
            .any(|(_, params)| params["name"] == tool["name"]);
        assert!(is_there, "{}", tool["name"]);
    }
}

/// Checks that no entry leads to files outside with any of these URIs. A valid file is read after
/// each.
pub(super) fn nothing_comes_out(place: &Place, uris: &[&str]) {
    let mut server = Talking::start(place);
    for uri in uris {
        for (method, params) in entries(uri) {
            let said = server.ask(method, params);
            place.unseen(&said, uri);
            if method != "tools/call" {
                assert_eq!(said["error"]["code"], -32602, "{method} {uri}: {said}");
            }
        }
        let good = server.ask("resources/read", json!({"uri": "file:///data/a.txt"}));
        assert_eq!(good["result"]["contents"][0]["text"], "A", "after {uri}");
    }
}

#[test]
fn cve_2025_53110_directory_that_begins_with_the_same_name() {
    let place = Place::new();
    let evil = place.root.path().join("data-evil/secret.txt");
    nothing_comes_out(
        &place,
        &[
            "file:///data-evil",
            "file:///data-evil/secret.txt",
            "file:///data/../data-evil/secret.txt",
            "file:///data%2Devil/secret.txt",
            "file:///data-evil/../data/a.txt",
            &format!("file://{}", evil.to_str().unwrap()),
            evil.to_str().unwrap(),
            "../data-evil/secret.txt",
            "data-evil/secret.txt",
        ],
    );
}

#[test]
fn cve_2025_53109_links_that_lead_out() {
    let place = Place::new();
    let root = place.root.path();
    place.link("../secret.txt", "file.txt");
    place.link(root.join("secret.txt"), "absolute.txt");
    place.link("../outside", "directory");
    place.link("..", "up");
    place.link("sub/../../outside", "winding");
    place.link("file.txt", "again.txt");
    place.link("nowhere", "dangling.txt");
    place.link("loop", "loop");
    place.link("/proc/self/root", "proc");
    place.link("/proc/self/environ", "environ");
    let mut before = "../secret.txt".to_owned();
    for number in 0..41 {
        let name = format!("chain-{number}");
        place.link(&before, &name);
        before = name;
    }
    let links = [
        "file.txt",
        "absolute.txt",
        "directory",
        "directory/secret.txt",
        "up",
        "up/secret.txt",
        "up/data/a.txt",
        "winding/secret.txt",
        "again.txt",
        "dangling.txt",
        "loop",
        "loop/loop/a.txt",
        "proc/etc/passwd",
        "environ",
        "chain-0",
        "chain-40",
    ];
    let uris = links.map(|link| format!("file:///data/{link}"));
    nothing_comes_out(&place, &uris.each_ref().map(String::as_str));
    // The links are not in any listing either.
    let mut server = Talking::start(&place);
    let listed = server.ask("resources/list", json!({})).to_string();
    for link in ["file.txt", "directory", "up", "environ", "chain-0"] {
        let expected = format!("file:///data/{link}\"");
        assert!(!listed.contains(&expected), "{link}: {listed}");
    }
}

/// There, the path was checked and then opened, and another file was swapped in between.
#[test]
fn server_filesystem_path_checked_and_then_opened() {
    let place = Place::new();
    let data = place.root.path().join("data");
    place.link("../secret.txt", "link");
    fs::write(data.join("file"), "inside").unwrap();
    fs::create_dir(data.join("real")).unwrap();
    fs::write(data.join("real/secret.txt"), "inside").unwrap();
    place.link("../outside", "to-outside");
    let is_over = Arc::new(AtomicBool::new(false));
    let (over, swapped) = (Arc::clone(&is_over), data);
    let swapping = std::thread::spawn(move || {
        let rename =
            |from: &str, to: &str| fs::rename(swapped.join(from), swapped.join(to)).unwrap();
        while !over.load(Ordering::Relaxed) {
            for [first, second, name] in [["file", "link", "x"], ["real", "to-outside", "y"]] {
                rename(first, name);
                rename(name, first);
                rename(second, name);
                rename(name, second);
            }
        }
    });
    let mut server = Talking::start(&place);
    let mut inside = 0;
    let start = Instant::now();
    // A starved thread swaps nothing, so the race runs until the swap succeeded at least once.
    let is_run = |inside: usize| inside > 0 && start.elapsed() >= Duration::from_secs(2);
    while !is_run(inside) && start.elapsed() < Duration::from_secs(60) {
        for uri in ["file:///data/x", "file:///data/y/secret.txt"] {
            let said = server.ask("resources/read", json!({"uri": uri}));
            place.unseen(&said, uri);
            inside += usize::from(said.to_string().contains("inside"));
            let call = json!({"name": "read_resource", "arguments": {"uri": uri}});
            place.unseen(&server.ask("tools/call", call), uri);
        }
    }
    is_over.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(inside > 0, "the race was never run");
}

#[test]
fn cve_2026_40576_paths_that_lead_up_or_begin_at_the_root() {
    let place = Place::new();
    let long = format!("file:///data{}/secret.txt", "/sub/..".repeat(300));
    let secret = place.root.path().join("secret.txt");
    nothing_comes_out(
        &place,
        &[
            "file:///data/../secret.txt",
            "file:///data/sub/../../secret.txt",
            "file:///../secret.txt",
            "file:///etc/passwd",
            "/etc/passwd",
            "../../../../../../etc/passwd",
            "file:////etc/passwd",
            "file://localhost/etc/passwd",
            "file://localhost/data/../secret.txt",
            secret.to_str().unwrap(),
            "file:///data/%2e%2e/secret.txt",
            "file:///data/%2E%2E%2Fsecret.txt",
            "file:///data/..%2fsecret.txt",
            "file:///data/%252e%252e/secret.txt",
            "file:///data/..%5csecret.txt",
            "file:///data/..\\secret.txt",
            "file:///data/%c0%ae%c0%ae/secret.txt",
            "file:///data/../secret.txt%00a.txt",
            "file:///data/a.txt/../../secret.txt",
            &long,
        ],
    );
}

/// There, a file that must not be served could be read under another of its names.
#[test]
fn cve_2026_4270_another_spelling_of_what_is_hidden() {
    let place = Place::new();
    place.link(".env", "to-hidden.txt");
    place.link("ignored.txt", "to-ignored.txt");
    place.link("../data/.env", "around.txt");
    nothing_comes_out(
        &place,
        &[
            "file:///data/.env",
            "file:///data/%2Eenv",
            "file:///data/%2eenv",
            "file:///data/./.env",
            "file:///data/sub/../.env",
            "file:///data/.ENV",
            "file:///data/.env/",
            "file:///data/.env.",
            "file:///data/ignored.txt",
            "file:///data/ignored%2Etxt",
            "file:///data//ignored.txt",
            "file:///data/IGNORED.TXT",
            "file:///data/to-hidden.txt",
            "file:///data/to-ignored.txt",
            "file:///data/around.txt",
        ],
    );
}

/// Names of devices or drives on other systems are invalid on every system.
#[test]
fn rustsec_2021_0135_drives_and_devices_in_names() {
    let place = Place::new();
    nothing_comes_out(
        &place,
        &[
            "file:///c:/windows/win.ini",
            "file:///data/c:/windows/win.ini",
            "file:///data/c%3A/windows/win.ini",
            "file:///data/C:a.txt",
            "file:///data/\\\\?\\C:\\x",
            "file:///data/CON",
            "file:///data/NUL.txt",
            "file:///data/COM\u{b9}",
            "file:///data/a.txt::$DATA",
            "file:///data/a.txt:s",
            "file:///data/PROGRA~1",
        ],
    );
}

/// Clients can't change files: without `--write`, nothing can be written, renamed, linked or
/// removed.
#[test]
fn rustsec_2024_0445_nothing_is_written() {
    let place = Place::new();
    let mut server = Talking::start(&place);
    let tools = server.ask("tools/list", json!({}));
    for tool in tools["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let before = fs::read_dir(place.data()).unwrap().count();
    for (method, params) in entries("file:///data/new.txt") {
        server.ask(method, params);
    }
    for method in ["resources/write", "resources/create", "resources/delete"] {
        let params = json!({"uri": "file:///data/new.txt", "text": "x"});
        assert_eq!(server.ask(method, params)["error"]["code"], -32601);
    }
    assert_eq!(fs::read_dir(place.data()).unwrap().count(), before);
}
