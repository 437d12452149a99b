//! Reads lines that a user types, with a prompt, editing keys, a history and completion.

use std::path::PathBuf;

use plainly::client::Client;
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Helper};
use tokio::runtime::Handle;

use crate::command::candidates::{Candidate, of_line};
use crate::failure::Failure;
use crate::shell_word::shell_word;
use crate::state;
use crate::visible::visible;

/// The most characters of a server's name in the prompt.
const LONGEST_NAME: usize = 24;
/// The most lines that are stored for the next session.
const KEPT: usize = 1_000;

type Readline = rustyline::Editor<Completion, FileHistory>;

/// An editor for lines, with its history.
pub(super) struct Editor {
    /// The line reader; `None` while it waits for a line.
    readline: Option<Readline>,
    prompt: String,
    history: Option<PathBuf>,
    /// Restores the terminal when this is dropped, even in the middle of a line.
    _terminal: Terminal,
}

impl Editor {
    pub(super) fn new(client: &Client) -> Result<Self, Failure> {
        let config = Config::builder()
            .history_ignore_space(true)
            .max_history_size(KEPT)
            .and_then(|config| config.history_ignore_dups(true))
            .map_err(unreadable)?
            .build();
        let terminal = Terminal::now();
        let mut readline = Readline::with_config(config).map_err(unreadable)?;
        readline.set_helper(Some(Completion {
            client: client.clone(),
            runtime: Handle::current(),
        }));
        let history = history();
        if let Some(path) = &history
            && let Err(error) = readline.load_history(path)
        {
            tracing::debug!(%error, "no earlier lines");
        }
        Ok(Self {
            readline: Some(readline),
            prompt: prompt(client),
            history,
            _terminal: terminal,
        })
    }

    /// Clears the screen.
    pub(super) fn clear(&mut self) -> Result<(), Failure> {
        match &mut self.readline {
            Some(readline) => readline.clear_screen().map_err(unreadable),
            None => Ok(()),
        }
    }

    /// The next line; `None` after Ctrl-D.
    pub(super) async fn next(&mut self) -> Result<Option<String>, Failure> {
        while let Some(mut readline) = self.readline.take() {
            let prompt = self.prompt.clone();
            let waiting = tokio::task::spawn_blocking(move || {
                let line = readline.readline(&prompt);
                (readline, line)
            });
            let (readline, line) = waiting.await.map_err(unreadable)?;
            let readline = self.readline.insert(readline);
            match line {
                Ok(line) => {
                    keep(readline, &line, self.history.as_ref());
                    return Ok(Some(line));
                }
                // Ctrl-C discards the line.
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(None),
                Err(error) => return Err(unreadable(error)),
            }
        }
        Ok(None)
    }
}

fn unreadable(error: impl std::error::Error + 'static) -> Failure {
    Failure::caused("cannot read from the terminal", error)
}

/// The prompt with the name of the server, if it has one.
fn prompt(client: &Client) -> String {
    let name = client.server().map_or("", |server| &server.name);
    let name: String = visible(name).chars().take(LONGEST_NAME).collect();
    format!("{name}> ")
}

/// The file with the history of earlier sessions.
fn history() -> Option<PathBuf> {
    Some(state::directory()?.join("history"))
}

/// Stores a line in the history. A failure does no harm.
fn keep(readline: &mut Readline, line: &str, path: Option<&PathBuf>) {
    let kept = match readline.add_history_entry(line) {
        Ok(true) => path,
        Ok(false) | Err(_) => None,
    };
    let Some(path) = kept else { return };
    let appended = path
        .parent()
        .map_or(Ok(()), state::make_private)
        .map_err(ReadlineError::from)
        .and_then(|()| readline.append_history(path));
    if let Err(error) = appended {
        tracing::debug!(%error, path = %path.display(), "the line is not kept");
    }
}

/// Completes the word before the cursor.
struct Completion {
    client: Client,
    runtime: Handle,
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = line.get(..at).unwrap_or(line);
        let start = typed.rfind(char::is_whitespace).map_or(0, |it| it + 1);
        let (before, current) = typed.split_at(start);
        // Words are split differently within quotation marks.
        let Some(before) = shlex::split(before) else {
            return Ok((at, Vec::new()));
        };
        let found = self
            .runtime
            .block_on(of_line(&self.client, &before, current));
        Ok((start, found.iter().map(pair).collect()))
    }
}

/// The display of a candidate, and its text on the line.
fn pair(candidate: &Candidate) -> Pair {
    // The user types the value after `limit=`, so no space follows.
    let end = if candidate.value.ends_with('=') {
        ""
    } else {
        " "
    };
    Pair {
        display: visible(&candidate.value),
        replacement: shell_word(&candidate.value).into_owned() + end,
    }
}

impl Hinter for Completion {
    type Hint = String;
}
impl Highlighter for Completion {}
impl Validator for Completion {}
impl Helper for Completion {}

/// The original settings of the terminal. While the user types a line, the terminal neither echoes
/// nor handles Ctrl-C. The settings must be restored if the session ends meanwhile.
struct Terminal {
    #[cfg(unix)]
    settings: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Terminal {
    fn now() -> Self {
        let settings = rustix::termios::tcgetattr(std::io::stdin()).ok();
        Self { settings }
    }
}

#[cfg(unix)]
impl Drop for Terminal {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(settings) = &self.settings {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, settings);
        }
    }
}

#[cfg(not(unix))]
impl Terminal {
    fn now() -> Self {
        Self {}
    }
}
