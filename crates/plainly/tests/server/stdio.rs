//! A process that serves its standard input and output, whatever they are. Even if its peer neither
//! closes the input nor reads the output, the serving future returns, and then the process ends.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(target_os = "linux")]
mod shared;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use plainly::limits::Limits;
use plainly::{Server, Tool};
use rustix::process::{Pid, Signal, kill_process};

/// The environment variable that makes this program the server: the number of milliseconds that a
/// reply may stay unread. The number is large if the test itself may be delayed.
const SERVES: &str = "PLAINLY_TEST_SERVES";
const PATIENCE: Duration = Duration::from_secs(20);

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// Serves, if this program was started as the server. Otherwise this test does nothing.
#[test]
fn server() {
    if let Ok(stall) = std::env::var(SERVES) {
        serve(Duration::from_millis(stall.parse().unwrap()));
    }
}

/// Serves like the `main` of a program, which drops the runtime at its end.
fn serve(stall: Duration) {
    let mut limits = Limits::default();
    limits.write_stall = stall;
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

/// Returns the command that runs this program as a server.
fn command() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "stdio::server",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(SERVES, "60000");
    command
}

/// The kinds of standard input and output. Each creates a pair whose first end reads what is
/// written to the second.
const KINDS: [fn() -> (OwnedFd, OwnedFd); 2] = [
    || {
        let (from, to) = io::pipe().unwrap();
        (from.into(), to.into())
    },
    || {
        let (from, to) = UnixStream::pair().unwrap();
        (from.into(), to.into())
    },
];

/// Starts a server, and returns the test's ends of its input and output.
fn start((input, to): (OwnedFd, OwnedFd), (from, output): (OwnedFd, OwnedFd)) -> (Child, Peer) {
    let child = command().stdin(input).stdout(output).spawn().unwrap();
    let peer = Peer {
        to: to.into(),
        from: BufReader::new(from.into()),
    };
    (child, peer)
}

struct Peer {
    to: File,
    from: BufReader<File>,
}

impl Peer {
    fn call(&mut self) {
        writeln!(self.to, "{CALL}").unwrap();
    }

    /// Returns whether a reply was received, and ignores the output of the test harness.
    fn has_reply(&mut self) -> bool {
        let mut lines = self.from.by_ref().lines().map(Result::unwrap);
        lines.any(|line| line.contains("jsonrpc") && line.contains("xxx"))
    }
}

/// Waits for the process, and returns its exit code.
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
    for kind in KINDS {
        let (child, mut peer) = start(kind(), kind());
        peer.call();
        assert!(peer.has_reply());
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        assert_eq!(end(child), Some(0));
    }
}

#[test]
fn a_server_whose_replies_nobody_reads_ends() {
    for kind in KINDS {
        let ((input, to), (from, output)) = (kind(), kind());
        let mut command = command();
        command.env(SERVES, "300").stdin(input).stdout(output);
        let child = command.spawn().unwrap();
        writeln!(File::from(to), "{CALL}").unwrap();
        assert_eq!(end(child), Some(1));
        drop(from);
    }
}

#[test]
fn files_are_served() {
    let mut input = tempfile::tempfile().unwrap();
    writeln!(input, "{CALL}").unwrap();
    input.rewind().unwrap();
    let mut output = tempfile::tempfile().unwrap();
    let child = command()
        .stdin(input)
        .stdout(output.try_clone().unwrap())
        .spawn()
        .unwrap();
    assert_eq!(end(child), Some(0));
    output.rewind().unwrap();
    assert!(io::read_to_string(output).unwrap().contains("xxx"));
}
