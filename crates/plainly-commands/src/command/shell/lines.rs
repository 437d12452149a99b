//! The source of a session's lines: the user at a terminal, or a script.

use std::io::IsTerminal;

use plainly::client::Client;
use tokio::io::{AsyncBufReadExt, BufReader, Stdin};

use super::editor::Editor;
use crate::failure::Failure;
use crate::terminal::Conversation;

/// The lines of a session.
pub(super) enum Lines {
    Terminal(Box<Editor>),
    Script(tokio::io::Lines<BufReader<Stdin>>),
}

impl Lines {
    /// The lines that the user types, if standard input is a terminal; otherwise the lines of
    /// standard input.
    pub(super) fn new(client: &Client) -> Result<Self, Failure> {
        match std::io::stdin().is_terminal() {
            true => Editor::new(client).map(Box::new).map(Self::Terminal),
            false => Ok(Self::Script(BufReader::new(tokio::io::stdin()).lines())),
        }
    }

    /// Whether the lines come from a script.
    pub(super) fn is_script(&self) -> bool {
        matches!(self, Self::Script(_))
    }

    /// Clears the screen, if there is one.
    pub(super) fn clear(&mut self) -> Result<(), Failure> {
        match self {
            Self::Terminal(editor) => editor.clear(),
            Self::Script(_) => Ok(()),
        }
    }

    /// The next line; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<String>, Failure> {
        match self {
            Self::Terminal(editor) => {
                // Messages and questions of the server wait until the line is complete.
                let _conversation = Conversation::begin().await;
                editor.next().await
            }
            Self::Script(lines) => lines
                .next_line()
                .await
                .map_err(|error| Failure::caused("cannot read standard input", error)),
        }
    }
}
