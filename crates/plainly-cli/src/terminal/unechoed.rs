//! The terminal without echo, for secrets that no onlooker and no record of the terminal may have.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// Turns off the echo, except for the end of a line, until this is dropped.
pub(super) struct EchoGuard {
    /// The settings of the terminal before; `None` if standard input is none.
    settings: Option<Termios>,
}

impl EchoGuard {
    pub(super) fn begin() -> Self {
        let settings = tcgetattr(io::stdin()).ok();
        if let Some(settings) = &settings {
            let mut unechoed = settings.clone();
            unechoed.local_modes.remove(LocalModes::ECHO);
            unechoed.local_modes.insert(LocalModes::ECHONL);
            // A terminal that can't do that shows what is typed, as it would have anyway.
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
