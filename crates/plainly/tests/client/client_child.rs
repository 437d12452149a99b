//! A client whose server is a child process: a shell script that misbehaves as the test requires.
#![cfg(unix)]

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use plainly::client::{Builder, Client, CloseReason, ConnectionEnd, Error, LocalError, Spawn};
use plainly::limits::ClientLimits;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// Answers the probe as a modern server.
const DISCOVER: &str = r#"read -r _
echo '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}'
"#;
/// A time that fails a test that waits for it.
const TOO_LONG: Duration = Duration::from_secs(20);

fn shell(script: &str) -> Builder<Spawn> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    Client::spawn(command)
}

fn modern(then: &str) -> Builder<Spawn> {
    shell(&format!("{DISCOVER}{then}"))
}

fn closed(error: &Error) -> &ConnectionEnd {
    match error.local() {
        Some(LocalError::Closed(closed)) => closed,
        _ => panic!("{error}"),
    }
}

/// A pipe that processes hold open: it ends when the last of them ends.
struct Lifeline {
    _directory: TempDir,
    path: PathBuf,
}

impl Lifeline {
    fn new() -> Self {
        let directory = TempDir::new().expect("a directory");
        let path = directory.path().join("lifeline");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        Self {
            _directory: directory,
            path,
        }
    }

    /// Returns the beginning of a script that opens the pipe. Its child processes hold the pipe
    /// open too.
    fn held(&self) -> String {
        format!("exec 9>'{}'\n", self.path.display())
    }

    /// Opens the reading end, because the script can't open its own end before.
    fn watch(&self) -> std::thread::JoinHandle<()> {
        let path = self.path.clone();
        std::thread::spawn(move || wait_for_end(&path))
    }
}

fn wait_for_end(path: &Path) {
    let mut pipe = std::fs::File::open(path).expect("openable");
    let mut nothing = Vec::new();
    pipe.read_to_end(&mut nothing).expect("readable");
}

async fn all_dead(watch: std::thread::JoinHandle<()>) {
    let waiting = tokio::task::spawn_blocking(move || watch.join());
    let ended = tokio::time::timeout(TOO_LONG, waiting).await;
    ended
        .expect("a process has outlived the client")
        .expect("no panic")
        .expect("no panic");
}

#[tokio::test]
async fn an_exit_at_any_time_fails_what_is_in_flight_and_says_how() {
    let cases = [
        (
            "echo 'no such database' >&2; exit 3",
            "the server exited (exit status: 3)\n\nCaused by:\n    no such database",
        ),
        ("read -r _; exit 0", "the server exited (exit status: 0)"),
        (
            "read -r _; kill -9 $$",
            "the server exited (signal: 9 (SIGKILL))",
        ),
        (
            "read -r _; printf '\\007\\033[31mbad\\033[0m' >&2; exit 1",
            "the server exited (exit status: 1)\n\nCaused by:\n    \\u{7}\\u{1b}[31mbad\\u{1b}[0m",
        ),
    ];
    for (script, text) in cases {
        let error = shell(script).connect().await.unwrap_err();
        assert_eq!(format!("{error:?}"), text, "{script}");
        let client = modern(script).connect().await.unwrap();
        let error = client.tools().await.unwrap_err();
        assert_eq!(format!("{error:?}"), text, "{script}");
        assert!(closed(&error).exit.is_some() && error.is_closed());
        let again = client.tools().await.unwrap_err();
        assert_eq!(format!("{again:?}"), text, "{script}");
    }
}

#[tokio::test]
async fn a_server_that_closes_its_output_and_lives_on_is_ended() {
    let lifeline = Lifeline::new();
    let watch = lifeline.watch();
    let script = format!(
        "{}{DISCOVER}read -r _; exec >&-; while :; do sleep 1; done",
        lifeline.held()
    );
    let client = shell(&script)
        .shutdown(Duration::from_millis(50), Duration::from_millis(50))
        .connect()
        .await
        .unwrap();
    let start = Instant::now();
    let error = client.tools().await.unwrap_err();
    assert!(
        matches!(closed(&error).reason, CloseReason::Peer),
        "{error}"
    );
    assert!(start.elapsed() < TOO_LONG);
    all_dead(watch).await;
}

#[tokio::test]
async fn a_grandchild_that_holds_the_pipe_delays_nothing_and_does_not_survive() {
    let lifeline = Lifeline::new();
    let watch = lifeline.watch();
    let script = format!(
        "{}{DISCOVER}sleep 1000 & read -r _; exit 7",
        lifeline.held()
    );
    let client = shell(&script).connect().await.unwrap();
    let start = Instant::now();
    let error = client.tools().await.unwrap_err();
    let found = closed(&error).exit.and_then(|exit| exit.code());
    assert_eq!(found, Some(7), "{error}");
    assert!(start.elapsed() < TOO_LONG);
    all_dead(watch).await;
}

#[tokio::test]
async fn closing_waits_for_the_end_and_leaves_nobody() {
    let patient = "while read -r _; do :; done; echo done >&2";
    let stubborn = "trap '' TERM; sleep 1000 & while :; do sleep 1; done";
    for script in [patient, stubborn] {
        let lifeline = Lifeline::new();
        let watch = lifeline.watch();
        let client = shell(&format!("{}{DISCOVER}{script}", lifeline.held()))
            .shutdown(Duration::from_millis(300), Duration::from_millis(100))
            .connect()
            .await
            .unwrap();
        client.close().await;
        all_dead(watch).await;
        assert!(matches!(
            closed(&client.tools().await.unwrap_err()).reason,
            CloseReason::Ours
        ));
    }
}

#[tokio::test]
async fn a_server_that_is_asked_to_terminate_can_say_goodbye() {
    let lifeline = Lifeline::new();
    let watch = lifeline.watch();
    let directory = TempDir::new().unwrap();
    let farewell = directory.path().join("farewell");
    let script = format!(
        "{}trap 'echo bye > \"{}\"; exit 0' TERM\n{DISCOVER}while :; do sleep 0.05; done",
        lifeline.held(),
        farewell.display()
    );
    let client = shell(&script)
        .shutdown(Duration::from_millis(50), TOO_LONG)
        .connect()
        .await
        .unwrap();
    client.close().await;
    all_dead(watch).await;
    assert_eq!(std::fs::read_to_string(farewell).unwrap(), "bye\n");
}

#[tokio::test]
async fn the_last_client_dropped_ends_the_whole_tree() {
    let lifeline = Lifeline::new();
    let watch = lifeline.watch();
    let script = format!(
        "{}{DISCOVER}trap '' TERM; sleep 1000 & while :; do sleep 1; done",
        lifeline.held()
    );
    let client = shell(&script)
        .shutdown(Duration::from_millis(50), Duration::from_millis(50))
        .connect()
        .await
        .unwrap();
    drop(client);
    all_dead(watch).await;
}

#[test]
fn a_runtime_that_ends_takes_the_whole_tree_with_it() {
    let lifeline = Lifeline::new();
    let watch = lifeline.watch();
    let script = format!(
        "{}{DISCOVER}trap '' TERM; sleep 1000 & while :; do sleep 1; done",
        lifeline.held()
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = runtime.block_on(shell(&script).connect()).unwrap();
    drop(runtime);
    watch.join().unwrap();
    drop(client);
}

#[tokio::test]
async fn a_flood_on_standard_error_blocks_nobody_and_its_end_is_kept() {
    let script =
        format!("head -c 3000000 /dev/zero | tr '\\0' x >&2\n{DISCOVER}echo the end >&2; exit 1");
    let client = shell(&script).connect().await.unwrap();
    let error = client.tools().await.unwrap_err();
    let stderr = &closed(&error).stderr;
    assert_eq!(stderr.len(), 64 << 10);
    assert!(
        stderr.ends_with("xthe end\n"),
        "{:?}",
        stderr.get(stderr.len() - 20..)
    );
}

#[tokio::test]
async fn a_call_that_is_made_while_the_connection_ends_learns_why() {
    let mut limits = ClientLimits::default();
    limits.message_bytes = 1_000;
    // The end of the connection takes a moment, because another process holds standard error open.
    let client = modern("sleep 1000 & head -c 2000 /dev/zero; exec sleep 1000")
        .limits(limits)
        .connect()
        .await
        .unwrap();
    let mut calls = JoinSet::new();
    for _ in 0..100 {
        let client = client.clone();
        calls.spawn(async move { client.tools().await.unwrap_err() });
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for error in calls.join_all().await {
        let reason = &closed(&error).reason;
        assert!(matches!(reason, CloseReason::LineTooLong { .. }), "{error}");
    }
}

#[tokio::test]
async fn text_on_standard_output_is_skipped() {
    let client = shell(&format!(
        "echo 'Listening...'; printf '\\377\\n'\n{DISCOVER}cat >/dev/null"
    ))
    .connect()
    .await
    .unwrap();
    assert_eq!(client.supported_versions(), ["2026-07-28"]);
    client.close().await;
}

#[tokio::test]
async fn a_server_that_never_reads_holds_up_neither_calls_nor_closing() {
    let client = modern("while :; do sleep 1; done")
        .timeout(Duration::from_millis(300))
        .shutdown(Duration::from_millis(50), Duration::from_millis(50))
        .connect()
        .await
        .unwrap();
    let large = "x".repeat(1 << 20);
    let error = client.call_tool(
        "t",
        [("text", &large)]
            .into_iter()
            .collect::<std::collections::HashMap<_, _>>(),
    );
    assert!(error.await.unwrap_err().is_timeout());
    assert!(client.tools().await.unwrap_err().is_timeout());
    tokio::time::timeout(TOO_LONG, client.close())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_server_that_ends_at_a_request_it_does_not_know_is_started_again() {
    let directory = TempDir::new().unwrap();
    let starts = directory.path().join("starts");
    let script = r#"echo start >> "$STARTS"
read -r line
case $line in
  *initialize*) ;;
  *) echo "unknown method" >&2; exit 1 ;;
esac
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'
read -r _; read -r _
echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'
read -r _
"#;
    let command = || {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).env("STARTS", &starts);
        Client::spawn(command)
    };
    let client = command().connect().await.unwrap();
    assert_eq!(client.revision().as_str(), "2025-06-18");
    assert!(client.tools().await.unwrap().is_empty());
    client.close().await;
    assert_eq!(std::fs::read_to_string(&starts).unwrap(), "start\nstart\n");
    // If the second start fails too, the first error is reported. With a fixed revision there is no
    // second start.
    let error = shell("read -r line; echo first >&2; exit 3")
        .connect()
        .await;
    assert!(format!("{:?}", error.unwrap_err()).ends_with("first"));
    let pinned = command()
        .revision(plainly::errors::Revision::LATEST)
        .connect()
        .await;
    assert!(pinned.unwrap_err().is_closed());
    assert_eq!(
        std::fs::read_to_string(&starts).unwrap(),
        "start\nstart\nstart\n"
    );
}

#[tokio::test]
async fn a_second_start_has_no_more_time_than_the_first_has_left() {
    let directory = TempDir::new().unwrap();
    let script = r#"test -e "$STARTED" && exec sleep 60
touch "$STARTED"
read -r _
sleep 2
"#;
    let mut command = Command::new("sh");
    let started = directory.path().join("started");
    command.arg("-c").arg(script).env("STARTED", started);
    let start = Instant::now();
    let builder = Client::spawn(command).connect_timeout(Duration::from_secs(4));
    let error = builder.connect().await.unwrap_err();
    assert_eq!(error.to_string(), "no reply to `initialize` within 4s");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_program_that_can_not_be_started_is_named() {
    for program in ["/no/such/program", "/dev/null"] {
        let error = Client::spawn(Command::new(program))
            .connect()
            .await
            .unwrap_err();
        assert!(error.is_unreachable());
        assert_eq!(error.to_string(), format!("cannot start {program:?}"));
        assert!(std::error::Error::source(&error).is_some());
    }
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let argument = "-a; $(exit 1) `x` \"q\" 'q' *\n\\";
    let mut command = Command::new("sh");
    let script = format!("[ \"$1\" = \"$EXPECTED\" ] || exit 9\n{DISCOVER}cat >/dev/null");
    command
        .args(["-c", &script, "sh", argument])
        .env("EXPECTED", argument);
    let client = Client::spawn(command).connect().await.unwrap();
    client.close().await;
}
