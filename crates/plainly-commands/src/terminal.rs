//! Standard error while a command runs: permanent lines, and below them, on a terminal, a moving
//! line while the user waits for a server. All output to standard error goes through here, so that
//! texts don't mix.

mod activity;
mod conversation;
mod held;
mod keyboard;
#[cfg(unix)]
mod unechoed;

use std::io::{self, IsTerminal, Write};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::ProgressBar;
use plainly::client::ProgressUpdate;
use tokio::time::sleep;

use self::activity::Activity;
pub(crate) use self::conversation::Conversation;
use self::held::HeldLines;

/// The interval between two frames of the moving line.
const FRAME: Duration = Duration::from_millis(100);

static SCREEN: LazyLock<Mutex<Screen>> = LazyLock::new(Mutex::default);

/// The state of standard error.
#[derive(Debug, Default)]
struct Screen {
    is_quiet: bool,
    /// The work that the command waits for, if there is any.
    activity: Option<Activity>,
    /// The moving line, after the work has lasted a while.
    bar: Option<ProgressBar>,
    /// The lines that wait for the end of a conversation, if there is one.
    held: Option<HeldLines>,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hides the moving line from now on.
pub(crate) fn be_quiet() {
    screen().is_quiet = true;
}

/// Whether the user can be asked at the terminal.
pub(crate) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Whether standard error is a terminal.
pub(crate) fn is_seen() -> bool {
    io::stderr().is_terminal()
}

/// Writes a permanent line.
pub(crate) fn line(text: &str) {
    screen().line(text);
}

/// Writes while the moving line is hidden, for example to standard output, which may be the same
/// terminal.
pub(crate) fn aside<T>(write: impl FnOnce() -> T) -> T {
    screen().aside(write)
}

/// Shows the work that the command waits for, such as `waiting for search`.
pub(crate) fn doing(what: &str) {
    screen().set(Some(Activity::new(what)));
}

/// Hides the work.
pub(crate) fn rest() {
    screen().set(None);
}

/// Shows the progress that the server reports.
pub(crate) fn report(update: ProgressUpdate) {
    if let Some(activity) = &mut screen().activity {
        activity.report(update);
    }
}

/// Shows the number of bytes that have arrived.
pub(crate) fn count(received: impl Fn() -> u64 + Send + 'static) {
    if let Some(activity) = &mut screen().activity {
        activity.count(received);
    }
}

/// Handles Ctrl-C: its echo on the terminal disappears with the moving line, or else stays on a
/// separate line.
pub(crate) fn interrupted() {
    let screen = screen();
    if screen.bar.is_none() && screen.held.is_none() && is_attended() {
        write("\n");
    }
}

/// Waits for `work`, and shows its progress meanwhile.
pub(crate) async fn during<T>(work: impl Future<Output = T>) -> T {
    let _shown = ActivityGuard;
    if screen().is_quiet || !io::stderr().is_terminal() {
        return work.await;
    }
    tokio::select! {
        biased;
        done = work => done,
        never = frames() => match never {},
    }
}

async fn frames() -> std::convert::Infallible {
    loop {
        sleep(FRAME).await;
        screen().draw();
    }
}

/// Hides the moving line when dropped, at the end of the work or after a signal.
struct ActivityGuard;

impl Drop for ActivityGuard {
    fn drop(&mut self) {
        rest();
    }
}

impl Screen {
    fn line(&mut self, text: &str) {
        match &mut self.held {
            Some(held) => held.push(text),
            None => self.aside(|| write(&format!("{text}\n"))),
        }
    }

    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn set(&mut self, activity: Option<Activity>) {
        self.activity = activity;
        self.clear();
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn draw(&mut self) {
        if let (Some(activity), None) = (&self.activity, &self.held)
            && activity.has_lasted()
        {
            activity.draw(self.bar.get_or_insert_with(ProgressBar::no_length));
            // The echo of a key must not begin another line, because that line would not be
            // cleared.
            write("\r");
        }
    }

    /// Hides the moving line and keeps other lines back while the user is asked.
    fn hold(&mut self) {
        self.clear();
        self.held.get_or_insert_default();
    }

    /// Continues after a conversation.
    fn release(&mut self) {
        if let Some(activity) = &mut self.activity {
            activity.begin();
        }
        for line in self.held.take().into_iter().flat_map(HeldLines::into_lines) {
            self.line(&line);
        }
    }
}

/// Writes text that may contain this program's own escape sequences. They are removed if `NO_COLOR`
/// is set or the terminal does not support them.
fn write(text: &str) {
    let mut stderr = anstream::stderr().lock();
    // A failure is ignored, because there is no other output.
    let _gone = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}
