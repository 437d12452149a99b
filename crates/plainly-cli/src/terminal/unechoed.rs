//! The terminal while it does not show what is typed, for what nobody who looks on, and nothing that keeps what a terminal has
//! shown, is to have.

use std::io;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// What is typed is not shown, except that a line ends, until this is dropped.
pub(super) struct Unechoed {
    /// How the terminal was before; nothing if standard input is none.
    settings: Option<Termios>,
}

impl Unechoed {
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

impl Drop for Unechoed {
    fn drop(&mut self) {
        if let Some(settings) = &self.settings {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, settings);
        }
    }
}
