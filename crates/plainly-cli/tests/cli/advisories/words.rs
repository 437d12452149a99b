//! Attacks with words that are interpreted: as options, as commands, or as expensive patterns.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;

use super::paths::nothing_comes_out;
use super::place::{Place, Talking};
use crate::support::{PATIENCE, run};

/// Values that look like options are plain text here, because no program is started.
#[test]
fn cve_2025_68144_arguments_that_are_options() {
    let (place, elsewhere) = (Place::new(), TempDir::new().unwrap());
    let target = elsewhere.path().join("pwned");
    let output = format!("--output={}", target.display());
    let command = format!("$(touch {})", target.display());
    let uris = [output.as_str(), command.as_str(), "-rf", "--", "--pre=sh"];
    nothing_comes_out(&place, &uris);
    let mut server = Talking::start(&place);
    for text in uris {
        for arguments in [
            json!({"pattern": text}),
            json!({"glob": text, "pattern": text}),
        ] {
            let call = json!({"name": "search", "arguments": arguments});
            place.unseen(&server.ask("tools/call", call), text);
        }
    }
    assert!(!target.exists());
}

/// There, a server's text was passed to a shell. Here, a command consists of the words that the
/// user typed.
#[test]
fn cve_2025_6514_command_that_goes_through_a_shell() {
    let place = Place::new();
    let target = place.root.path().join("pwned");
    let words = [
        format!("$(touch {})", target.display()),
        format!("; touch {}", target.display()),
        format!("`touch {}`", target.display()),
        format!("| touch {}", target.display()),
    ];
    for word in &words {
        assert_ne!(run(&["ls", "--", "echo", word]).status, 0);
        assert_ne!(run(&["ls", "--", word]).status, 0);
        assert_ne!(run(&["ls", word]).status, 0);
    }
    assert!(!target.exists());
}

/// Patterns and globs for which backtracking engines would need years.
#[test]
fn cve_2026_0621_search_that_takes_for_ever() {
    let place = Place::new();
    let name = "a".repeat(200);
    fs::write(Path::new(&place.data()).join(name), "a".repeat(100_000)).unwrap();
    let mut server = Talking::start(&place);
    let start = Instant::now();
    for arguments in [
        json!({"pattern": "(a+)+$b"}),
        json!({"pattern": "(a|aa)+b"}),
        json!({"pattern": "(.*)*x"}),
        json!({"pattern": "(a*)*(a*)*(a*)*c"}),
        json!({"pattern": "(a{1,1000}){1,1000}{1,1000}"}),
        json!({"pattern": "\\w{1000}{1000}"}),
        json!({"pattern": "(".repeat(100_000)}),
        json!({"glob": "*a".repeat(100) + "b"}),
        json!({"glob": "{a*,{a*,{a*,{a*,a*}}}}*b"}),
        json!({"glob": "**/".repeat(1_000) + "b"}),
    ] {
        let call = json!({"name": "search", "arguments": arguments});
        let said = server.ask("tools/call", call);
        assert!(said["result"].is_object(), "{arguments}: {said}");
    }
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
}
