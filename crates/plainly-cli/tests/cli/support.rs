//! Servers for tests, and running the binary to its end.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
#[cfg(unix)]
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::Value;
use tempfile::TempDir;

/// The time limit for tests, which is far more than any of them needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const PLAINLY: &str = env!("CARGO_BIN_EXE_plainly");

/// An example server, which is built with the tests of this package.
pub(crate) fn example(name: &str) -> PathBuf {
    let built = Path::new(PLAINLY).with_file_name("examples").join(name);
    let path = built.with_extension(std::env::consts::EXE_EXTENSION);
    assert!(
        path.exists(),
        "{} is missing: run `cargo build -p plainly-cli --examples`",
        path.display()
    );
    path
}

/// The example that has tools and prompts.
pub(crate) fn toolbox() -> PathBuf {
    example("toolbox")
}

/// The exit status of the binary, and its output.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.stdout).unwrap()
    }

    /// Each line of the output as JSON.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let lines = self.text().lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The output as one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout).unwrap()
    }

    /// The one line of standard error as JSON.
    pub(crate) fn error_json(&self) -> Value {
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        serde_json::from_str(&self.stderr).unwrap()
    }

    /// Checks that the command succeeded, with empty standard error.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!((self.status, self.stderr.as_str()), (0, ""));
        self
    }

    /// Checks that the command failed with this status and exactly this error.
    #[track_caller]
    pub(crate) fn failed(self, status: i32, stderr: &str) -> Self {
        assert_eq!((self.stderr.as_str(), self.status), (stderr, status));
        self
    }
}

/// The binary for a user without files, in an environment that sets neither logs nor colours nor
/// images.
pub(crate) fn plainly() -> Command {
    let mut command = Command::new(PLAINLY);
    of_nobody(&mut command).current_dir(nobody());
    command
}

/// A home directory that stays empty.
fn nobody() -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nobody");
    fs::create_dir_all(&path).unwrap();
    path
}

/// The command in an environment without such variables.
pub(crate) fn of_nobody(command: &mut Command) -> &mut Command {
    for variable in [
        "RUST_LOG",
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "KITTY_WINDOW_ID",
        "TERM_PROGRAM",
        "TMUX",
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "APPDATA",
        "LOCALAPPDATA",
        "BROWSER",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_SERVICE_NAME",
    ] {
        command.env_remove(variable);
    }
    #[cfg(unix)]
    {
        hear_hangups();
        have_little_stack();
    }
    // Tests must not use a real keychain.
    command.env("PLAINLY_LOGINS_IN", "file");
    // Tests don't have the time limit of an interactive completion.
    command.env("PLAINLY_COMPLETION_TIMEOUT", PATIENCE.as_secs().to_string());
    command.env("HOME", nobody()).env("USERPROFILE", nobody())
}

/// Lets SIGHUP end every child, even if the tests run under `nohup`: child processes inherit an
/// ignored signal, but not a handled one.
#[cfg(unix)]
fn hear_hangups() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::default()).unwrap();
    });
}

/// Gives the main thread of every child the stack size of Windows: 1 MiB.
#[cfg(unix)]
fn have_little_stack() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let limit = Rlimit {
            current: Some(1 << 20),
            ..getrlimit(Resource::Stack)
        };
        setrlimit(Resource::Stack, limit).unwrap();
    });
}

/// Waits until this file exists.
pub(crate) fn appears(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < PATIENCE, "{} is missing", path.display());
        std::thread::yield_now();
    }
}

/// Runs the binary with these words.
pub(crate) fn run(words: &[&str]) -> Run {
    let mut command = plainly();
    command.args(words);
    of(command)
}

/// Runs the command to its end.
pub(crate) fn of(command: Command) -> Run {
    within(PATIENCE, command)
}

/// Runs the command to its end, within this time limit.
pub(crate) fn within(patience: Duration, command: Command) -> Run {
    let output = assert_cmd::Command::from_std(command)
        .timeout(patience)
        .output()
        .unwrap();
    Run {
        status: output.status.code().expect("it ended by itself"),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A directory named `docs` with files of each kind.
pub(crate) struct Docs {
    _root: TempDir,
    pub(crate) path: PathBuf,
}

pub(crate) const INTRO: &str = "# Grüße, 世界!\r\n\u{1b}[31mno newline at the end";

impl Docs {
    pub(crate) fn new() -> Self {
        let root = TempDir::new().unwrap();
        let path = root.path().join("docs");
        fs::create_dir_all(path.join("guide")).unwrap();
        fs::write(path.join("intro.md"), INTRO).unwrap();
        fs::write(path.join("all.bin"), bytes()).unwrap();
        fs::write(path.join("guide/one.md"), "one").unwrap();
        fs::write(path.join("guide/two words.md"), "two").unwrap();
        fs::write(path.join(".hidden"), "hidden").unwrap();
        Self { _root: root, path }
    }

    pub(crate) fn str(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

/// All byte values.
pub(crate) fn bytes() -> Vec<u8> {
    (0..=255).collect()
}

/// A server in a separate process, which ends when this is dropped.
pub(crate) struct Serving {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Serving {
    /// Starts `command` and reads its URL from its standard error.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        let url = loop {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "no URL: {said}");
            if let Some((_, rest)) = said.split_once("http://") {
                break format!("http://{}", rest.trim_end());
            }
        };
        // Otherwise the server could block on its standard error.
        std::thread::spawn(move || stderr.read_to_end(&mut Vec::new()));
        Self { child, url }
    }

    pub(crate) fn docs(docs: &Docs) -> Self {
        Self::with(docs, &[])
    }

    /// Starts a server for `docs` with these options.
    pub(crate) fn with(docs: &Docs, options: &[&str]) -> Self {
        let mut command = plainly();
        command.args(["serve", docs.str(), "--http", "127.0.0.1:0"]);
        command.args(options);
        Self::start(command)
    }

    pub(crate) fn toolbox() -> Self {
        let mut command = Command::new(toolbox());
        command.arg("127.0.0.1:0");
        Self::start(command)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A server, reached in one of two ways: over HTTP or as a child process.
pub(crate) enum Target {
    Http(Serving),
    Child(Vec<String>),
}

impl Target {
    /// `plainly serve` in both ways.
    pub(crate) fn docs(docs: &Docs) -> [Self; 2] {
        Self::docs_with(docs, &[])
    }

    /// `plainly serve` with these options in both ways.
    pub(crate) fn docs_with(docs: &Docs, options: &[&str]) -> [Self; 2] {
        let command = [&[PLAINLY, "serve", docs.str(), "--stdio"], options].concat();
        [
            Self::Http(Serving::with(docs, options)),
            Self::Child(command.into_iter().map(str::to_owned).collect()),
        ]
    }

    /// The server with tools in both ways.
    pub(crate) fn toolbox() -> [Self; 2] {
        let command = toolbox().to_str().unwrap().to_owned();
        [Self::Http(Serving::toolbox()), Self::Child(vec![command])]
    }

    /// Runs `plainly COMMAND` with this target and these words.
    pub(crate) fn run(&self, command: &str, words: &[&str]) -> Run {
        match self {
            Self::Http(server) => run(&[&[command, &server.url], words].concat()),
            Self::Child(child) => {
                let child: Vec<&str> = child.iter().map(String::as_str).collect();
                run(&[&[command], words, &["--"], &child].concat())
            }
        }
    }
}

pub(crate) const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

/// Opens a page on this machine, and returns its head and its text.
pub(crate) fn get(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}
