//! The guide from outside: its programs are the examples of this package, and print what its pages say they print.

use std::process::Command;

use crate::support::{PATIENCE, PLAINLY, Serving, example};

/// A page and the example that has its program.
macro_rules! pages {
    ($($page:literal: $example:literal,)*) => {
        [$((
            $example,
            include_str!(concat!("../../../../docs/guide/", $page, ".md")),
            include_str!(concat!("../../examples/", $example, ".rs")),
        )),*]
    };
}

const PAGES: [(&str, &str, &str); 7] = pages! {
    "tool": "library_tool",
    "errors": "library_errors",
    "resource": "library_resources",
    "state": "library_state",
    "http": "library_http",
    "asking": "library_asking",
    "progress": "library_progress",
};
/// How the guide starts the program of a page.
const PROGRAM: &str = "cargo run -q";
/// Where it listens on the page.
const ADDRESS: &str = "127.0.0.1:3000";

#[test]
fn the_programs_of_the_guide_are_examples() {
    for (name, page, example) in PAGES {
        let (_, program) = example.split_once("\n\n").unwrap();
        let fence = format!("```rust,no_run\n{program}```\n");
        assert!(
            page.contains(&fence),
            "{name}: the page must show:\n{fence}"
        );
    }
}

#[test]
#[cfg(unix)]
fn the_programs_of_the_guide_print_what_it_says() {
    for (name, page, _) in PAGES {
        for session in page.split("```console\n").skip(1) {
            let (session, _) = session.split_once("\n```").unwrap();
            replay(name, session);
        }
    }
}

/// The words of each line.
#[cfg(unix)]
fn words(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines();
    lines
        .map(|line| line.split_whitespace().collect())
        .collect()
}

/// Runs the commands of a session, each a line that begins with `$`, and compares what they print, but for the widths
/// of columns.
#[cfg(unix)]
fn replay(program: &str, session: &str) {
    let mut serving = None;
    for step in session.trim_start_matches("$ ").split("\n$ ") {
        let (command, expected) = step.split_once('\n').unwrap_or((step, ""));
        if command == PROGRAM {
            let mut server = Command::new(example(program));
            server.env("ADDRESS", "127.0.0.1:0");
            let server = serving.insert(Serving::start(server));
            assert_eq!(expected, format!("http://{ADDRESS}/mcp"));
            assert!(server.url.ends_with("/mcp"));
            continue;
        }
        let url = serving.as_ref().map_or("", |server: &Serving| &server.url);
        let command = command
            .replace(PROGRAM, example(program).to_str().unwrap())
            .replace(&format!("http://{ADDRESS}/mcp"), url)
            .replace("plainly ", &format!("{PLAINLY} "));
        let mut shell = assert_cmd::Command::from_std({
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("exec 2>&1; {command}")]);
            shell.env_remove("RUST_LOG");
            shell
        });
        let printed = shell.timeout(PATIENCE).output().unwrap().stdout;
        let printed = String::from_utf8(printed).unwrap();
        assert_eq!(words(&printed), words(expected), "{command}");
    }
}
