//! Standard input and output of a process whose peer neither ends its input nor reads its output: what serves them returns, and
//! then the process ends.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use plainly::limits::Limits;
use plainly::{Server, Tool};
use rustix::process::{Pid, Signal, kill_process};

/// Set where this program is the server.
const SERVES: &str = "PLAINLY_TEST_SERVES";
/// How long a reply may be left unread.
const STALL: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(20);

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// As an author's `main` does it: the runtime is dropped at its end.
fn serve() {
    let mut limits = Limits::default();
    limits.write_stall = STALL;
    let large = Tool::new("large", async || "x".repeat(1 << 20));
    let server = Server::builder("test", "1").limits(limits).tool(large);
    let server = server.build().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let served = runtime.block_on(server.serve_stdio());
    drop(runtime);
    #[expect(
        clippy::exit,
        reason = "what the test harness would say now, nobody reads either"
    )]
    std::process::exit(i32::from(served.is_err()));
}

/// This test again, as a server; and what it is to be told.
fn start(test: &str) -> (Child, ChildStdin) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(SERVES, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

/// Its exit code.
fn end(mut child: Child) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    panic!("it still runs");
}

#[test]
fn a_server_that_is_asked_to_stop_ends_though_its_input_does_not() {
    if std::env::var_os(SERVES).is_some() {
        return serve();
    }
    let (mut child, mut stdin) =
        start("a_server_that_is_asked_to_stop_ends_though_its_input_does_not");
    writeln!(stdin, "{CALL}").unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let reply = lines
        .map(Result::unwrap)
        .find(|line| line.contains("jsonrpc"));
    assert!(reply.unwrap().contains("xxx"));
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(end(child), Some(0));
}

#[test]
fn a_server_whose_replies_nobody_reads_ends() {
    if std::env::var_os(SERVES).is_some() {
        return serve();
    }
    let (child, mut stdin) = start("a_server_whose_replies_nobody_reads_ends");
    writeln!(stdin, "{CALL}").unwrap();
    assert_eq!(end(child), Some(1));
}
