//! Tests one connection with many commands: from a script, and from a user at a terminal.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::pty::terminal;
use crate::support::{Docs, PATIENCE, PLAINLY, Run, Serving, plainly, run};

/// Runs a shell of the server at `url` with these lines as its standard input.
fn script(options: &[&str], url: &str, lines: &str) -> Run {
    let mut command = plainly();
    command.arg("shell").args(options).arg(url);
    let output = assert_cmd::Command::from_std(command)
        .write_stdin(lines)
        .timeout(PATIENCE)
        .output()
        .unwrap();
    Run {
        status: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn the_commands_of_a_script_are_those_of_the_command_line() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    for words in [
        &["ls"][..],
        &["ls", "file:///docs/guide", "-l"],
        &["read", "file:///docs/guide/one.md"],
        &["tools"],
        &["stat", "file:///docs/intro.md", "--json"],
        &["call", "search", "pattern=two words"],
        &["discover"],
    ] {
        let alone = run(&[&words[..1], &[&server.url], &words[1..]].concat()).succeeded();
        let line = shlex::try_join(words.iter().copied()).unwrap();
        let typed = script(&[], &server.url, &format!("# as typed\n\n{line}\n")).succeeded();
        assert_eq!(typed.text(), alone.text(), "{line}");
    }
}

#[test]
fn a_script_ends_where_it_fails() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let ended = |lines: &str| script(&[], &server.url, lines);
    let rest = "\nread file:///docs/guide/one.md\n";
    let run = ended(&format!("read file:///docs/nope{rest}"));
    assert_eq!(run.text(), "");
    assert_eq!(run.status, 4);
    assert!(run.stderr.starts_with("error: no such resource"));
    let run = ended("read file:///docs/guide/one.md\nexit\nserch\n");
    assert_eq!(run.succeeded().text(), "one");
    for (line, said) in [
        ("serch", "error: unrecognized subcommand 'serch'"),
        ("read 'a", "error: the line ends within quotes"),
        ("read", "error: <URI> is missing"),
        ("ls a:b c:d", "error: unexpected argument \"c:d\" found"),
        (
            "ls --revision 2025-06-18",
            "error: the connection is open: --revision is for `plainly shell` itself",
        ),
        (
            "task get 7 --record f",
            "error: the connection is open: --record is",
        ),
        (
            "call t --answer decline",
            "error: the connection is open: --answer is",
        ),
        (
            "tools -- server",
            "error: the connection is open: a command after -- is",
        ),
    ] {
        let run = ended(&format!("{line}{rest}"));
        assert_eq!((run.status, run.text()), (2, ""), "{line}");
        assert!(run.stderr.starts_with(said), "{line}: {}", run.stderr);
        assert!(!run.stderr.contains("TARGET"), "{line}: {}", run.stderr);
    }
}

#[test]
fn json_of_the_shell_is_json_of_its_commands() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let run = script(
        &["--json"],
        &server.url,
        "ls file:///docs/guide\nread a:b\n",
    );
    assert_eq!(run.json_lines().len(), 2);
    assert_eq!(run.error_json()["error"]["kind"], "not-found");
}

#[test]
fn the_server_is_started_once_and_ends_with_the_session() {
    let docs = Docs::new();
    let log = docs.path.with_file_name("log");
    let log = log.to_str().unwrap();
    let served = format!(
        "echo begun >> {log}; {PLAINLY} serve {} --stdio; echo ended >> {log}",
        docs.str()
    );
    let mut command = plainly();
    command.args(["shell", "--", "sh", "-c", &served]);
    let output = assert_cmd::Command::from_std(command)
        .write_stdin("ls\ntools\nread file:///docs/guide/one.md\n")
        .timeout(PATIENCE)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(fs::read_to_string(log).unwrap(), "begun\nended\n");
}

/// A user at a terminal, and the shell that the user types in.
struct Person {
    terminal: File,
    output: Receiver<String>,
    shell: Child,
    seen: String,
}

impl Person {
    fn new(server: &[&str], home: &Path) -> Self {
        let (person, terminal) = terminal();
        let end = || Stdio::from(terminal.try_clone().unwrap());
        let shell = plainly()
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", home)
            .arg("shell")
            .args(server)
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .unwrap();
        let terminal = File::from(person);
        Self {
            output: output(terminal.try_clone().unwrap()),
            terminal,
            shell,
            seen: String::new(),
        }
    }

    fn types(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Sends the signal of Ctrl-C. The terminal can't send it, because it is not the shell's
    /// controlling terminal here.
    fn interrupts(&self) {
        let shell = Pid::from_child(&self.shell);
        kill_process(shell, Signal::INT).unwrap();
    }

    /// Waits until this text is shown, and drops everything before its end.
    fn sees(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            match self.output.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.push_str(&more),
                Err(_) => panic!("{text:?} is not in {:?}", self.seen),
            }
        }
    }
}

/// The output on the terminal, as it arrives.
fn output(mut terminal: File) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read) = terminal.read(&mut bytes) {
            let text = String::from_utf8_lossy(&bytes[..read]).into_owned();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    receiver
}

#[test]
fn a_person_types_completes_and_looks_back() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let home = docs.path.with_file_name("state");
    let mut person = Person::new(&[&server.url], &home);
    person.sees("connected to plainly ");
    person.sees(": help lists the commands, Ctrl-D ends the session\r\n");
    person.sees("plainly> ");
    person.types("clear\r");
    person.sees("\u{1b}[H\u{1b}[");
    person.sees("plainly> ");
    person.types("rea\t");
    person.sees("read ");
    person.types("file:///docs/guide/one.md\r");
    person.sees("one\r\n");
    person.sees("plainly> ");
    // The server's names are completed, too.
    person.types("call sea\t");
    person.sees("search ");
    person.types("patt\t");
    person.sees("pattern=");
    person.types("one\r");
    person.sees("file:///docs/guide/one.md");
    person.sees("plainly> ");
    // A failure is reported, and the session continues.
    person.types("read a:b\r");
    person.sees("no such resource: a:b");
    person.sees("plainly> ");
    // The same key discards a line and stops a command.
    person.types("nonsense\u{3}");
    person.sees("plainly> ");
    person.types("watch file:///docs\r");
    let new = docs.path.join("new.md");
    // The change is repeated, because the first one may precede the subscription.
    let changes = std::thread::spawn(move || {
        while !new.with_file_name("seen").exists() {
            fs::write(&new, "new").unwrap();
            fs::remove_file(&new).unwrap();
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    person.sees("updated file:///docs");
    fs::write(docs.path.join("seen"), "").unwrap();
    changes.join().unwrap();
    person.interrupts();
    person.sees("plainly> ");
    person.types("\u{4}");
    assert!(person.shell.wait().unwrap().success());
    let kept = fs::read_to_string(home.join("plainly/history")).unwrap();
    assert!(
        kept.contains("read a:b") && kept.contains("watch"),
        "{kept}"
    );
    assert!(!kept.contains("nonsense"), "{kept}");
    let mut person = Person::new(&[&server.url], &home);
    person.sees("plainly> ");
    person.types("\u{1b}[A");
    person.sees("watch");
    person.types("\u{3}");
    person.sees("plainly> ");
    person.types("\u{4}");
    assert!(person.shell.wait().unwrap().success());
}

#[test]
fn a_server_that_ends_ends_the_session_of_a_person_who_types() {
    let docs = Docs::new();
    let home = docs.path.with_file_name("state");
    let pid = docs.path.with_file_name("pid");
    let served = format!(
        "echo $$ > {}; exec {PLAINLY} serve {} --stdio",
        pid.display(),
        docs.str()
    );
    let mut person = Person::new(&["--", "sh", "-c", &served], &home);
    person.sees("plainly> ");
    person.types("rea");
    person.sees("rea");
    let pid = fs::read_to_string(pid).unwrap().trim().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    person.sees("\r\n");
    person.sees("the server exited (signal: 9 (SIGKILL))\r\n");
    assert_eq!(person.shell.wait().unwrap().code(), Some(3));
}

#[test]
fn a_lost_server_ends_the_session() {
    let docs = Docs::new();
    // The server receives three messages, one of which opens the session.
    let served = format!(
        "for _ in 1 2 3; do read -r line; echo \"$line\"; done | {PLAINLY} serve {} --stdio",
        docs.str()
    );
    let mut command = plainly();
    command.args(["shell", "--", "sh", "-c", &served]);
    let output = assert_cmd::Command::from_std(command)
        .write_stdin("ls\n".repeat(9))
        .timeout(PATIENCE)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    // The shell around the server may end so late that the command only detects the end of the
    // output.
    let ends = ["exited", "closed the connection"].map(|end| format!("error: the server {end}"));
    assert!(ends.iter().any(|end| said.starts_with(end)), "{said}");
}
