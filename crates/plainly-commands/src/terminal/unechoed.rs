//! The terminal without echo, for secrets that must not be visible on it or in its recordings.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Turns off the echo, except for line ends, until it is dropped.
pub(super) struct EchoGuard {
    /// The earlier settings of the terminal; `None` if standard input is no terminal.
    settings: Option<Termios>,
}

impl EchoGuard {
    pub(super) fn begin() -> Self {
        let settings = tcgetattr(io::stdin()).ok();
        if let Some(settings) = &settings {
            let mut unechoed = settings.clone();
            unechoed.local_modes.remove(LocalModes::ECHO);
            unechoed.local_modes.insert(LocalModes::ECHONL);
            // If this fails, the terminal shows what the user types, as it would have anyway.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &unechoed);
        }
        Self { settings }
    }
}

impl Drop for EchoGuard {
    fn drop(&mut self) {
        if let Some(settings) = &self.settings {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, settings);
        }
    }
}
