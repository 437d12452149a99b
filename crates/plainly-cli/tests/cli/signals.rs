//! Tests signals that end a command together with the server that it started.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::person::{Person, on_screen};
use crate::pty::terminal;
use crate::serving::status;
use crate::support::{Docs, PATIENCE, PLAINLY, Serving, of_nobody, plainly};

/// A server that never answers, and ignores the end of its input and requests to terminate. Its
/// standard error shows that it runs, and ends with the last of its processes.
const DEAF: &str = "trap '' TERM HUP; echo runs >&2; sleep 1000 & wait";

/// The logged standard error of the server, after the line that shows that it runs.
fn running(child: &mut Child) -> BufReader<impl Read + use<>> {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains(" runs ") {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
    }
    stderr
}

#[test]
fn a_signal_ends_a_command_and_the_server_that_it_started() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        for command in ["ls", "shell"] {
            let mut child = plainly()
                .args([command, "--log", "debug", "--", "sh", "-c", DEAF])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stderr = running(&mut child);
            kill_process(Pid::from_child(&child), signal).unwrap();
            assert_eq!(status(&mut child), Some(130), "{command} {signal:?}");
            let mut said = String::new();
            stderr.read_to_string(&mut said).unwrap();
            assert!(said.ends_with("error: interrupted\n"), "{said}");
        }
    }
}

#[test]
fn a_hangup_that_is_ignored_ends_nothing() {
    let docs = Docs::new();
    let go = docs.path.with_file_name("go");
    let served = format!(
        "echo runs >&2; while [ ! -e {} ]; do sleep 0.01; done; exec {PLAINLY} serve {} --stdio",
        go.display(),
        docs.str()
    );
    let mut command = Command::new("nohup");
    let mut child = of_nobody(&mut command)
        .args([
            PLAINLY, "tools", "--log", "debug", "--", "sh", "-c", &served,
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = running(&mut child);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    fs::write(go, "").unwrap();
    // Otherwise the command could block on its standard error.
    thread::spawn(move || stderr.read_to_end(&mut Vec::new()));
    let mut listed = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut listed).unwrap();
    assert_eq!(status(&mut child), Some(0));
    assert!(listed.starts_with("list_resources\t"), "{listed}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_is_closed_leaves_no_server_behind() {
    for words in [&["ls"][..], &["call", "x"], &["watch"], &["shell"]] {
        let directory = TempDir::new().unwrap();
        let (person, terminal) = terminal();
        let end = || Stdio::from(terminal.try_clone().unwrap());
        let fifo = fifo(directory.path());
        let script = format!("exec 2> {fifo}; {DEAF}");
        // The terminal becomes the controlling terminal of the command, as in a terminal program.
        let mut command = Command::new("setsid");
        let mut child = of_nobody(&mut command)
            .args(["--ctty", PLAINLY])
            .args(words)
            .args(["--", "sh", "-c", &script])
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        // The command also holds the terminal open.
        drop((command, terminal));
        let (send, said) = channel();
        thread::spawn(move || {
            let mut server = BufReader::new(File::open(fifo).unwrap());
            let mut line = String::new();
            server.read_line(&mut line).unwrap();
            send.send(line).unwrap();
            let mut rest = String::new();
            server.read_to_string(&mut rest).unwrap();
            send.send(rest).unwrap();
        });
        assert_eq!(said.recv_timeout(PATIENCE).unwrap(), "runs\n");
        drop(person);
        assert_eq!(status(&mut child), Some(130), "{words:?}");
        let rest = said.recv_timeout(PATIENCE);
        assert_eq!(rest.as_deref(), Ok(""), "the server of {words:?} runs on");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_key_that_interrupts_leaves_nothing_on_the_screen() {
    use std::io::Write;

    let docs = Docs::new();
    let server = Serving::docs(&docs);
    for (words, shown, left) in [
        (
            &["tools", "--", "sleep", "1000"][..],
            "starting sleep",
            &["error: interrupted\n"][..],
        ),
        (
            &["watch", &server.url, "file:///docs/nope"],
            "does not exist yet: file:///docs/nope\r\n",
            // The moving line may appear once more.
            &["\n", ""],
        ),
    ] {
        let (person, terminal) = terminal();
        let mut command = Command::new("setsid");
        let mut child = of_nobody(&mut command)
            .args(["--ctty", PLAINLY])
            .args(words)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .stdin(Stdio::from(terminal.try_clone().unwrap()))
            .stdout(Stdio::null())
            .stderr(Stdio::from(terminal))
            .spawn()
            .unwrap();
        drop(command);
        let mut keyboard = File::from(person);
        let (mut seen, mut buffer) = (String::new(), [0; 4096]);
        let mut is_interrupted = false;
        // On Linux, reading fails when no process has the terminal open any more.
        while let Ok(length @ 1..) = keyboard.read(&mut buffer) {
            seen.push_str(&String::from_utf8_lossy(&buffer[..length]));
            if !is_interrupted && seen.contains(shown) {
                keyboard.write_all(b"\x03").unwrap();
                is_interrupted = true;
            }
        }
        assert_eq!(status(&mut child), Some(130));
        // The terminal echoes the key at any time: within the moving line, which is cleared, or on
        // a separate line.
        assert_eq!(seen.matches("^C").count(), 1, "{seen:?}");
        let seen_left = on_screen(&seen.replace("\r\n", "\n").replace("^C", ""));
        let shown = shown.replace("\r\n", "\n");
        let (_, seen_after) = seen_left.split_once(&shown).unwrap_or(("", &seen_left));
        assert!(left.contains(&seen_after), "{seen:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_second_signal_leaves_no_server_behind() {
    const DISCOVERED: &str = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
    for signal in [Signal::INT, Signal::TERM] {
        let directory = TempDir::new().unwrap();
        let fifo = fifo(directory.path());
        // The server answers once, and then ignores everything.
        let script = format!(
            "exec 2> {fifo}; read -r line; id=${{line#*'\"id\":'}}; id=${{id%%,*}}; \
             echo '{{\"jsonrpc\":\"2.0\",\"id\":'\"$id\"',\"result\":{DISCOVERED}}}'; {DEAF}"
        );
        let mut command = plainly();
        command.args(["tools", "--", "sh", "-c", &script]);
        let mut person = Person::start(command);
        let mut server = BufReader::new(File::open(fifo).unwrap());
        let mut line = String::new();
        server.read_line(&mut line).unwrap();
        assert_eq!(line, "runs\n");
        person.sees("waiting for sh").signals(Signal::INT);
        person.sees("waiting for sh to end: Ctrl-C ends it at once\n");
        person.signals(signal);
        assert_eq!(person.wait().0, 130, "{}", person.seen);
        let (send, ended) = channel();
        thread::spawn(move || send.send(server.read_to_string(&mut line)));
        let ended = ended.recv_timeout(PATIENCE);
        assert!(
            matches!(ended, Ok(Ok(_))),
            "the server runs on after {signal:?}"
        );
    }
}

/// A named pipe.
#[cfg(target_os = "linux")]
fn fifo(directory: &Path) -> String {
    let path = directory.join("said").to_str().unwrap().to_owned();
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    path
}
