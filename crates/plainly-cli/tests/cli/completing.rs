//! Tests the completions of words: the right candidates, in time, and no others.

use serde_json::json;

use crate::home::Home;
use crate::support::{PLAINLY, Serving, toolbox};

#[cfg(unix)]
mod scripts;

/// A user with servers that have tools and documents, that never answer, and that don't exist.
fn home() -> Home {
    let home = Home::new();
    home.project("docs/intro.md", "# Intro");
    home.project("docs/other.md", "# Other");
    let serve = ["serve", "docs", "--stdio"];
    let servers = json!({ "mcpServers": {
        "box": { "command": toolbox() },
        "docs": { "command": PLAINLY, "args": serve },
        "silent": { "command": "sleep", "args": ["100"] },
        "gone": { "url": "http://127.0.0.1:1/" },
    } });
    home.allowed(".mcp.json", &servers.to_string());
    home
}

/// The candidates at the end of a line.
fn candidates(home: &Home, line: &str) -> Vec<String> {
    let listed = home.run(&["candidates", "--line", line]).succeeded();
    let values = listed.text().lines().map(|line| line.split('\t').nth(1));
    values.map(|value| value.unwrap().to_owned()).collect()
}

#[test]
fn every_place_has_its_candidates() {
    let home = home();
    let servers = ["box", "docs", "gone", "silent"];
    for (line, expected) in [
        ("plainly too", &["tools"][..]),
        ("plainly compl", &["complete", "completions"]),
        ("plainly cand", &[]),
        ("plainly completions ", &["bash", "zsh", "fish"]),
        (
            "plainly ls --revision 2025-0",
            &["2025-03-26", "2025-06-18"],
        ),
        ("plainly --log-format ", &["text", "json"]),
        ("plainly serve --max-f", &["--max-file-size"]),
        ("plainly login --tolerate ", &["issuer-slash"]),
        ("plainly logout ", &servers),
        ("plainly serve --as", &["--as-is"]),
        ("plainly serve do", &["docs/"]),
        ("plainly serve docs/i", &["docs/intro.md"]),
        ("plainly ls --config .mc", &[".mcp.json"]),
        ("plainly install cu", &["cursor"]),
        ("plainly uninstall cursor ", &servers),
        ("plainly ls ", &servers),
        ("plainly ls --timeout 5 d", &["docs"]),
        ("plainly tools box ", &["greet", "divide"]),
        ("plainly call --json box gr", &["greet"]),
        ("plainly call box 'gr", &["greet"]),
        ("plainly call box divide div", &["dividend=", "divisor="]),
        ("plainly call box divide divisor:=1 ", &["dividend="]),
        ("plainly call docs list_resources sort=s", &["sort=size"]),
        (
            "plainly call docs list_resources sort:=",
            &["sort:=\"name\"", "sort:=\"size\"", "sort:=\"modified\""],
        ),
        ("plainly prompt box ", &["poem", "farewell"]),
        ("plainly prompt box poem l", &["lines="]),
        ("plainly complete box po", &["poem"]),
        ("plainly complete box poem a", &["about"]),
        (
            "plainly read docs file:///docs/i",
            &["file:///docs/intro.md"],
        ),
        // These have no completions, or no server that answers.
        ("plainly discover box ", &[]),
        ("plainly call box greet name=", &[]),
        ("plainly tools nobody ", &[]),
        ("plainly tools gone ", &[]),
        ("plainly call -- do", &["docs/"]),
        ("plainly tools http://127.0.0.1:1/ ", &[]),
        ("plainly nonsense ", &[]),
        ("", &[]),
    ] {
        assert_eq!(candidates(&home, line), expected, "{line:?}");
    }
}

#[test]
fn a_url_is_asked_too() {
    let home = Home::new();
    let serving = Serving::toolbox();
    let line = format!("plainly call {} ", serving.url);
    assert_eq!(candidates(&home, &line), ["greet", "divide"]);
}
