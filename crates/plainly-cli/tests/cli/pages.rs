//! Tests the documentation from outside: the programs of the guide are the examples of this
//! package, and every command on a page prints the output on the page.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{PATIENCE, PLAINLY, Serving, example, of, of_nobody, plainly};

/// The pages with their programs, which are examples.
macro_rules! pages {
    ($($page:literal: $example:literal,)*) => {
        [$((
            $example,
            include_str!(concat!("../../../../docs/guide/", $page, ".md")),
            include_str!(concat!("../../examples/", $example, ".rs")),
        )),*]
    };
}

const PAGES: [(&str, &str, &str); 8] = pages! {
    "tool": "library_tool",
    "first-client": "library_client",
    "errors": "library_errors",
    "resource": "library_resources",
    "state": "library_state",
    "http": "library_http",
    "asking": "library_asking",
    "progress": "library_progress",
};
/// The pages whose commands use `plainly serve docs`, or no server.
const SERVED: [&str; 10] = [
    include_str!("../../../../README.md"),
    include_str!("../../../../docs/client.md"),
    include_str!("../../../../docs/coming-from.md"),
    include_str!("../../../../docs/commands.md"),
    include_str!("../../../../docs/debug.md"),
    include_str!("../../../../docs/exit-codes.md"),
    include_str!("../../../../docs/hosts/README.md"),
    include_str!("../../../../docs/intro.md"),
    include_str!("../../../../docs/serve.md"),
    include_str!("../../../../docs/sessions.md"),
];
/// The pages about hosts, whose commands are for a new user.
const HOSTS: [&str; 5] = [
    include_str!("../../../../docs/hosts/claude-code.md"),
    include_str!("../../../../docs/hosts/claude-desktop.md"),
    include_str!("../../../../docs/hosts/codex.md"),
    include_str!("../../../../docs/hosts/cursor.md"),
    include_str!("../../../../docs/hosts/vscode.md"),
];
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The command on the pages that starts the program.
const PROGRAM: &str = "cargo run -q";
/// The path of the first program of the guide.
const LIBRARY: &str = "../library/target/debug/library";
/// The URL of that program on the pages.
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
    let library = example("library_tool");
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
                    let command = command.replace(LIBRARY, library.to_str().unwrap());
                    prints(&command.replace(URL, url), expected, Path::new(ROOT));
                }
            }
        }
    }
}

#[test]
fn a_program_of_the_guide_that_cannot_serve_says_why() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    let starts = |address: &str| {
        let mut program = Command::new(example("library_http"));
        program.env("ADDRESS", address);
        of(program)
    };
    let run = starts(&taken);
    let why = "Caused by:\n    Address already in use (os error ";
    let expected = format!("Error: cannot listen at {taken}\n\n{why}");
    assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    let run = starts("0.0.0.0:0");
    let (url, error) = run.stderr.split_once('\n').unwrap();
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/mcp");
    let expected = format!(
        "Error: {} is not a loopback address: name the hosts that clients use (allow_host)\n",
        address.unwrap()
    );
    assert_eq!((error, run.status), (expected.as_str(), 1));
}

#[test]
fn the_commands_of_the_other_pages_print_what_they_say() {
    let project = TempDir::new().unwrap();
    copy(&Path::new(ROOT).join("docs"), &project.path().join("docs"));
    let mut command = plainly();
    command.args(["serve", "docs", "--http", "127.0.0.1:0"]);
    command.current_dir(&project);
    let serving = Serving::start(command);
    let path = project.path().canonicalize().unwrap();
    let here = |text: &str| {
        text.replace("http://127.0.0.1:3333/mcp", &serving.url)
            .replace("/usr/local/bin/plainly", PLAINLY)
            .replace("/home/me/project", path.to_str().unwrap())
    };
    for page in SERVED {
        // Sessions that need another server are tested elsewhere.
        let own = sessions(page).filter(|session| !session.contains("$ cargo "));
        for (command, expected) in own.flat_map(commands) {
            if command.contains("--http 127.0.0.1:3333") {
                prints(command, expected, &path);
            } else if command.starts_with("plainly watch ") {
                tells(&here(command), expected, &path.join("docs"));
            } else {
                prints(&here(command), &here(expected), &path);
            }
        }
    }
}

#[test]
fn the_pages_of_hosts_show_what_is_written() {
    for page in HOSTS {
        let user = TempDir::new().unwrap();
        let home = user.path().canonicalize().unwrap();
        let project = home.join("project");
        fs::create_dir_all(project.join("docs")).unwrap();
        for (command, expected) in sessions(page).flat_map(commands) {
            let expected = expected
                .replace("/usr/local/bin/plainly", PLAINLY)
                .replace("/home/me", home.to_str().unwrap());
            let command = format!("HOME={}; {command}", home.display());
            prints(&command, &expected, &project);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// Runs a command that does not end, and changes the files until it has printed every line.
#[track_caller]
fn tells(command: &str, expected: &str, docs: &Path) {
    let mut child = shell(&format!("exec {command}"), docs)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (told, lines) = channel();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    std::thread::spawn(move || stdout.lines().try_for_each(|line| told.send(line.unwrap())));
    let mut missing: Vec<&str> = expected.lines().collect();
    let start = Instant::now();
    while !missing.is_empty() {
        assert!(start.elapsed() < PATIENCE, "{command}: {missing:?}");
        for file in ["intro.md", "guide/http.md"] {
            let text = fs::read_to_string(docs.join(file)).unwrap();
            fs::write(docs.join(file), text).unwrap();
        }
        while let Ok(line) = lines.recv_timeout(Duration::from_millis(300)) {
            missing.retain(|expected| *expected != line);
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The console sessions on a page: commands and their output.
fn sessions(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("```console\n").skip(1);
    blocks.map(|block| block.split_once("\n```").unwrap().0)
}

/// The commands of a session, which are the lines that begin with `$`, with their output.
fn commands(session: &str) -> impl Iterator<Item = (&str, &str)> {
    let steps = session.trim_start_matches("$ ").split("\n$ ");
    steps.map(|step| step.split_once('\n').unwrap_or((step, "")))
}

/// Runs a command and compares its output, except for the widths of columns and for times.
#[track_caller]
fn prints(command: &str, expected: &str, directory: &Path) {
    let mut shell = assert_cmd::Command::from_std(shell(command, directory));
    let printed = shell.timeout(PATIENCE).output().unwrap().stdout;
    let printed = String::from_utf8(printed).unwrap();
    assert_eq!(words(&printed), words(expected), "{command}");
}

fn shell(command: &str, directory: &Path) -> Command {
    let mut shell = Command::new("sh");
    let programs = Path::new(PLAINLY).parent().unwrap().display();
    let script = format!("PATH={programs}:$PATH; exec 2>&1; {command}");
    of_nobody(&mut shell).args(["-c", &script]);
    shell.current_dir(directory);
    shell
}

/// The words of each line.
fn words(text: &str) -> Vec<Vec<&str>> {
    let is_time = |word: &str| word.starts_with("20") && word.contains('T') && word.ends_with('Z');
    let word = |word| if is_time(word) { "TIME" } else { word };
    let lines = text.lines().map(str::split_whitespace);
    lines.map(|words| words.map(word).collect()).collect()
}
