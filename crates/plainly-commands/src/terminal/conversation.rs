//! A conversation with the user at the terminal. Only one question is asked at a time.

use std::sync::LazyLock;

use tokio::sync::{Mutex, MutexGuard};

use super::keyboard;
use super::{screen, write};

/// The lock of the conversation with the user.
static TURN: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);

/// Reserves the terminal until it is dropped: the moving line is hidden, and other lines wait.
#[derive(Debug)]
pub(crate) struct Conversation {
    _turn: MutexGuard<'static, ()>,
    /// Whether the cursor is after a prompt.
    is_asking: bool,
}

impl Conversation {
    /// Starts after all other conversations have ended.
    pub(crate) async fn begin() -> Self {
        let turn = TURN.lock().await;
        screen().hold();
        Self {
            _turn: turn,
            is_asking: false,
        }
    }

    /// Writes lines.
    pub(crate) fn say(&self, text: &str) {
        write(&format!("{text}\n"));
    }

    /// The line that the user types; `None` if the user ends the input.
    pub(crate) async fn ask(&mut self, prompt: &str) -> Option<String> {
        self.answered(prompt, keyboard::line()).await
    }

    /// Like `ask`, for an answer that the terminal must not show.
    pub(crate) async fn ask_unseen(&mut self, prompt: &str) -> Option<String> {
        self.answered(prompt, keyboard::unseen_line()).await
    }

    async fn answered(
        &mut self,
        prompt: &str,
        line: impl Future<Output = Option<String>>,
    ) -> Option<String> {
        write(prompt);
        self.is_asking = true;
        let line = line.await?;
        self.is_asking = false;
        Some(line)
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        if self.is_asking {
            // The next output begins on a new line.
            write("\n");
        }
        screen().release();
    }
}
