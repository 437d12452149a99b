//! Runs the command of a row to its end, with its server.

use std::fs::File;
use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::play::{self, on_http};
use crate::pty::terminal;
use crate::row::{Outcome, Row};

/// The time limit, which is far more than any command of the table needs on a slow machine. A
/// command that waits for its own timeout ends earlier, and its error names that timeout.
const PATIENCE: Duration = Duration::from_mins(4);

/// The most address space of the command, in KiB. It is enough for a few messages of the largest
/// size.
const MEMORY: &str = "1500000";

/// The display of the row's server, which must be the same for each of its command lines.
pub(crate) fn outcome(row: &Arc<Row>) -> String {
    let mut outcomes = row.commands.iter().map(|words| run(row, words));
    let first = outcomes.next().expect(&row.title);
    for other in outcomes {
        if other != first {
            return format!("{first}and by the other command line\n{other}");
        }
    }
    first
}

fn run(row: &Arc<Row>, words: &[String]) -> String {
    let lifelines = TcpListener::bind("127.0.0.1:0").unwrap();
    let lifeline = lifelines.local_addr().unwrap().to_string();
    let host = on_http(row);
    let url = format!("http://{host}/mcp");
    let server = std::env::current_exe().unwrap();
    let server = server.to_str().unwrap();
    let names = [("URL", &*url), ("HOST", &*host), ("SERVER", server)];
    // The command has the form `$ plainly …`, or `$ tty plainly …` for a terminal.
    let is_for_people = words.first().is_some_and(|word| word == "tty");
    let words = words
        .iter()
        .skip(1 + usize::from(is_for_people))
        .map(|word| {
            let put = |word: String, (name, value): &(&str, &str)| word.replace(name, value);
            names.iter().fold(word.clone(), put)
        });
    let mut command = Command::new("sh");
    let limited = format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
    command.args(["-c", &limited, env!("CARGO_BIN_EXE_plainly")]);
    command
        .args(words)
        .env(play::ROW, &row.title)
        .env(play::LIFELINE, lifeline);
    for name in ["RUST_LOG", "NO_COLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let output = match is_for_people {
        true => on_terminal(command),
        false => piped(command),
    };
    let shown = |said: &[u8]| {
        let said = String::from_utf8_lossy(said).into_owned();
        let put = |said: String, (name, value): &(&str, &str)| said.replace(value, name);
        names.iter().fold(said, put)
    };
    let outcome = Outcome {
        status: output.status.code(),
        stdout: shown(&output.stdout),
        stderr: shown(&output.stderr),
    };
    let is_commanded = match is_for_people {
        true => outcome.stdout.contains(is_command),
        false => outcome.stderr.contains(is_command),
    };
    let commands = is_commanded.then_some("a command to the terminal\n");
    let running = is_running(&lifelines).then_some("a process that still runs\n");
    outcome.text() + commands.unwrap_or_default() + running.unwrap_or_default()
}

fn piped(command: Command) -> Output {
    let mut command = assert_cmd::Command::from_std(command);
    command.timeout(PATIENCE).output().unwrap()
}

/// Runs the command on a terminal, where all its output is one stream.
fn on_terminal(mut command: Command) -> Output {
    let (person, terminal) = terminal();
    command
        .env("NO_COLOR", "1")
        .env("TERM", "xterm")
        .stdin(Stdio::null());
    command
        .stdout(terminal.try_clone().unwrap())
        .stderr(terminal);
    let mut child = command.spawn().unwrap();
    // The command also holds the terminal open.
    drop(command);
    let reading = thread::spawn(move || {
        let mut seen = Vec::new();
        // On Linux, reading fails when no process has the terminal open any more.
        let _ = File::from(person).read_to_end(&mut seen);
        seen
    });
    let end = Instant::now() + PATIENCE;
    while child.try_wait().unwrap().is_none() && Instant::now() < end {
        thread::sleep(Duration::from_millis(10));
    }
    // Fails if the command has ended.
    let _ = child.kill();
    let status = child.wait().unwrap();
    let seen = reading.join().unwrap();
    let seen = String::from_utf8_lossy(&seen).replace("\r\n", "\n");
    // The moving line is erased before other output.
    let lines = seen.split_inclusive('\n');
    let shown: String = lines
        .map(|line| line.rsplit("\x1b[2K").next().unwrap_or(line))
        .collect();
    Output {
        status,
        stdout: shown.into_bytes(),
        stderr: Vec::new(),
    }
}

/// Whether a character could control a terminal, or change the order of others.
fn is_command(character: char) -> bool {
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character != '\n' && (character.is_control() || turns)
}

/// Whether a process that connected here is still running.
fn is_running(lifelines: &TcpListener) -> bool {
    lifelines.set_nonblocking(true).unwrap();
    let all: Vec<TcpStream> = std::iter::from_fn(|| lifelines.accept().ok())
        .map(|(stream, _)| stream)
        .collect();
    all.into_iter().any(|mut stream| {
        stream.set_nonblocking(false).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(10)))
            .unwrap();
        let ended = stream.read(&mut [0]);
        ended.is_err_and(|error| {
            matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            )
        })
    })
}
