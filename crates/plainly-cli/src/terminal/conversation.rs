//! A conversation with the person at the terminal, who is asked one thing after another and never two at a time.

use tokio::sync::MutexGuard;

use super::keyboard::Keyboard;
use super::{terminal, write};

/// Has the terminal for itself until it is dropped: nothing moves, and what others have to say waits.
#[derive(Debug)]
pub(crate) struct Conversation {
    keyboard: MutexGuard<'static, Keyboard>,
    /// The cursor stands behind a prompt.
    is_asking: bool,
}

impl Conversation {
    /// Begins once all others have ended.
    pub(crate) async fn begin() -> Self {
        let keyboard = Keyboard::take().await;
        terminal().hold();
        Self {
            keyboard,
            is_asking: false,
        }
    }

    /// Writes lines.
    pub(crate) fn say(&self, text: &str) {
        write(&format!("{text}\n"));
    }

    /// The line that the person types; nothing if they end the input.
    pub(crate) async fn ask(&mut self, prompt: &str) -> Option<String> {
        write(prompt);
        self.is_asking = true;
        let line = self.keyboard.line().await?;
        self.is_asking = false;
        Some(line)
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        if self.is_asking {
            // What comes next begins on a line of its own.
            write("\n");
        }
        terminal().release();
    }
}
