//! A person at a terminal, who types, sees what is shown, and waits for it.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use crate::pty::terminal;
use crate::support::PATIENCE;

/// What clears the line that moves.
const CLEARED: &str = "\r\u{1b}[2K";

/// What is left on the screen of what was shown: how often a line moved there, or whether at all, says how fast a machine is.
pub(crate) fn on_screen(shown: &str) -> String {
    let lines = shown.split_inclusive('\n');
    let left = lines.map(|line| line.rsplit_once(CLEARED).map_or(line, |(_, left)| left));
    left.collect()
}

/// A person at a terminal where a command runs: its standard input and error are there, and its output is not.
pub(crate) struct Person {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// All that was shown.
    pub(crate) seen: String,
    /// How much of it was waited for.
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
        // It holds the terminal too.
        drop(command);
        let keyboard = File::from(master);
        let mut from = keyboard.try_clone().unwrap();
        let (send, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The end of a terminal is an error on Linux: nobody writes there any more.
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

    /// Waits until this is shown, after what was waited for before.
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

    /// Whether the terminal shows what is typed.
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

    /// Waits for the end: the status, what was printed, and what is left on the screen. What must never be shown there is not in
    /// `seen` after [`wait`](Self::wait).
    pub(crate) fn ends(mut self) -> (i32, String, String) {
        let (status, printed) = self.wait();
        (status, printed, on_screen(&self.seen))
    }

    /// Waits for the end: the status, and what was printed.
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
        // All that is looked for is ASCII.
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        self.seen.push_str(&text);
    }
}
