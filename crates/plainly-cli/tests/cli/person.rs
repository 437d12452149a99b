//! Simulates a user at a terminal, who types and waits for output.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use crate::pty::terminal;
use crate::support::PATIENCE;

/// The sequence that clears the moving line.
const CLEARED: &str = "\r\u{1b}[2K";

/// The text that stays on the screen. The moving line is removed, because its changes depend on the
/// speed of the machine.
pub(crate) fn on_screen(shown: &str) -> String {
    let lines = shown.split_inclusive('\n');
    let left = lines.map(|line| line.rsplit_once(CLEARED).map_or(line, |(_, left)| left));
    left.collect()
}

/// A user at a terminal with a running command, whose standard input and error are the terminal,
/// and whose output is not.
pub(crate) struct Person {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// The output so far.
    pub(crate) seen: String,
    /// The position in it up to which the user has waited.
    read: usize,
}

impl Person {
    pub(crate) fn start(mut command: Command) -> Self {
        let (master, slave) = terminal();
        let child = command
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .stdin(Stdio::from(slave.try_clone().unwrap()))
            .stderr(Stdio::from(slave))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The command also holds the terminal open.
        drop(command);
        let keyboard = File::from(master);
        let mut from = keyboard.try_clone().unwrap();
        let (send, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // On Linux, reading fails when no process has the terminal open any more.
            while let Ok(length @ 1..) = from.read(&mut buffer) {
                if send.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            keyboard,
            screen,
            seen: String::new(),
            read: 0,
        }
    }

    /// Waits until this text is shown, after the text of the last wait.
    #[track_caller]
    pub(crate) fn sees(&mut self, text: &str) -> &mut Self {
        let start = Instant::now();
        loop {
            if let Some(at) = self.seen[self.read..].find(text) {
                self.read += at + text.len();
                return self;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.show(&bytes),
                Err(_) => panic!("{text:?} is not shown: {:?}", &self.seen[self.read..]),
            }
        }
    }

    pub(crate) fn types(&mut self, line: &str) -> &mut Self {
        writeln!(self.keyboard, "{line}").unwrap();
        self
    }

    /// Ends the input, as Ctrl-D does.
    pub(crate) fn leaves(&mut self) -> &mut Self {
        self.keyboard.write_all(b"\x04").unwrap();
        self
    }

    /// Whether the terminal echoes input.
    pub(crate) fn is_echoed(&self) -> bool {
        let settings = rustix::termios::tcgetattr(&self.keyboard).unwrap();
        settings
            .local_modes
            .contains(rustix::termios::LocalModes::ECHO)
    }

    pub(crate) fn interrupts(&mut self) -> &mut Self {
        self.signals(Signal::INT)
    }

    pub(crate) fn signals(&mut self, signal: Signal) -> &mut Self {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        self
    }

    /// Waits for the end, and returns the status, the output, and the text that stays on the
    /// screen. To check that a text was never shown, use `seen` after [`wait`](Self::wait).
    pub(crate) fn ends(mut self) -> (i32, String, String) {
        let (status, printed) = self.wait();
        (status, printed, on_screen(&self.seen))
    }

    /// Waits for the end, and returns the status and the output.
    pub(crate) fn wait(&mut self) -> (i32, String) {
        loop {
            match self.screen.recv_timeout(PATIENCE) {
                Ok(bytes) => self.show(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.child.kill().unwrap();
                    panic!("it does not end: {:?}", self.seen);
                }
            }
        }
        let mut printed = String::new();
        let mut stdout = self.child.stdout.take().unwrap();
        stdout.read_to_string(&mut printed).unwrap();
        let status = self
            .child
            .wait()
            .unwrap()
            .code()
            .expect("it ended by itself");
        (status, printed)
    }

    fn show(&mut self, bytes: &[u8]) {
        // All expected texts are ASCII.
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        self.seen.push_str(&text);
    }
}
