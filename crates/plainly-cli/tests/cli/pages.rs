//! The guide from outside: its programs are the examples of this package, and print what its pages say they print.

use std::path::Path;
use std::process::Command;

use crate::support::{PATIENCE, PLAINLY, Serving, example, plainly};

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
const URL: &str = "http://127.0.0.1:3000/mcp";

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
fn the_programs_of_the_guide_print_what_it_says() {
    for (name, page, _) in PAGES {
        let program = example(name);
        for session in sessions(page) {
            let mut serving: Option<Serving> = None;
            for (command, expected) in commands(session) {
                if command == PROGRAM {
                    let mut server = Command::new(&program);
                    server.env("ADDRESS", "127.0.0.1:0");
                    serving = Some(Serving::start(server));
                    assert_eq!(expected, URL);
                } else {
                    let url = serving.as_ref().map_or("", |server| &server.url);
                    let command = command.replace(PROGRAM, program.to_str().unwrap());
                    prints(&command.replace(URL, url), expected);
                }
            }
        }
    }
}

#[test]
fn the_commands_of_the_readme_print_what_it_says() {
    let mut command = plainly();
    command.args(["serve", "docs", "--http", "127.0.0.1:0"]);
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let serving = Serving::start(command);
    let page = include_str!("../../../../README.md");
    let url = "http://127.0.0.1:3333/mcp";
    let (_, section) = page.split_once("\n## Talk to it\n").unwrap();
    let session = sessions(section).next().unwrap();
    for (command, expected) in commands(session) {
        prints(&command.replace(url, &serving.url), expected);
    }
}

/// What somebody typed on a page, and what was printed.
fn sessions(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("```console\n").skip(1);
    blocks.map(|block| block.split_once("\n```").unwrap().0)
}

/// The commands of a session, each a line that begins with `$`, with what they print.
fn commands(session: &str) -> impl Iterator<Item = (&str, &str)> {
    let steps = session.trim_start_matches("$ ").split("\n$ ");
    steps.map(|step| step.split_once('\n').unwrap_or((step, "")))
}

/// Runs a command and compares what it prints, but for the widths of columns.
#[track_caller]
fn prints(command: &str, expected: &str) {
    let mut shell = Command::new("sh");
    let directory = Path::new(PLAINLY).parent().unwrap().display();
    let script = format!("PATH={directory}:$PATH; exec 2>&1; {command}");
    shell.args(["-c", &script]).env_remove("RUST_LOG");
    let mut shell = assert_cmd::Command::from_std(shell);
    let printed = shell.timeout(PATIENCE).output().unwrap().stdout;
    let printed = String::from_utf8(printed).unwrap();
    assert_eq!(words(&printed), words(expected), "{command}");
}

/// The words of each line.
fn words(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().map(str::split_whitespace);
    lines.map(Iterator::collect).collect()
}
