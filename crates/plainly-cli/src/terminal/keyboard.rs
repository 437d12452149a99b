//! Standard input, read line by line, and only when somebody waits for a line.

use std::io::{self, BufRead};
use std::sync::{LazyLock, mpsc};
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Mutex, MutexGuard};

static KEYBOARD: LazyLock<Mutex<Keyboard>> = LazyLock::new(|| Mutex::new(Keyboard::start()));

/// The lines that a person types.
#[derive(Debug)]
pub(super) struct Keyboard {
    wanted: mpsc::Sender<()>,
    lines: UnboundedReceiver<Option<String>>,
    /// A line is being read already, for a question that was withdrawn.
    is_reading: bool,
}

impl Keyboard {
    /// The keyboard, for one conversation at a time.
    pub(super) async fn take() -> MutexGuard<'static, Self> {
        KEYBOARD.lock().await
    }

    fn start() -> Self {
        let (wanted, requests) = mpsc::channel();
        let (send, lines) = unbounded_channel();
        // Not one of the runtime's, which waits for its threads at the end: this one may wait for a key that never comes.
        thread::spawn(move || read(&requests, &send));
        Self {
            wanted,
            lines,
            is_reading: false,
        }
    }

    /// The next line, without its end; nothing once the person has ended the input.
    pub(super) async fn line(&mut self) -> Option<String> {
        if !self.is_reading {
            self.wanted.send(()).ok()?;
            self.is_reading = true;
        }
        let line = self.lines.recv().await;
        self.is_reading = false;
        line.flatten()
    }
}

fn read(requests: &mpsc::Receiver<()>, lines: &UnboundedSender<Option<String>>) {
    for () in requests {
        let mut line = Vec::new();
        let line = match io::stdin().lock().read_until(b'\n', &mut line) {
            Ok(1..) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
            Ok(0) | Err(_) => None,
        };
        if lines.send(line).is_err() {
            return;
        }
    }
}
