//! Standard error while a command runs: lines that stay, and below them one that moves, on a terminal, while a server keeps
//! people waiting. Whoever writes there goes through here, so that nothing is written into something else.

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
    /// The work that the command waits for, if any.
    activity: Option<Activity>,
    /// The display of it, once it has lasted.
    bar: Option<ProgressBar>,
    /// The lines that wait for the end of a conversation, if there is one.
    held: Option<HeldLines>,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows nothing that moves from now on.
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

/// Writes a line that stays.
pub(crate) fn line(text: &str) {
    screen().line(text);
}

/// Writes with nothing that moves on the screen, as to standard output, which may be the same terminal.
pub(crate) fn aside<T>(write: impl FnOnce() -> T) -> T {
    screen().aside(write)
}

/// Shows the work that the command waits for from now on, as in `waiting for search`.
pub(crate) fn doing(what: &str) {
    screen().set(Some(Activity::new(what)));
}

/// Shows no work from now on.
pub(crate) fn rest() {
    screen().set(None);
}

/// Shows how far the work is, as the server reports it.
pub(crate) fn report(update: ProgressUpdate) {
    if let Some(activity) = &mut screen().activity {
        activity.report(update);
    }
}

/// Shows how many bytes have arrived.
pub(crate) fn count(received: impl Fn() -> u64 + Send + 'static) {
    if let Some(activity) = &mut screen().activity {
        activity.count(received);
    }
}

/// Ctrl-C was pressed: what the terminal shows for it goes away with the line that moves, or else stands on a line of its own.
pub(crate) fn interrupted() {
    let screen = screen();
    if screen.bar.is_none() && screen.held.is_none() && is_attended() {
        write("\n");
    }
}

/// Waits for `work`, and shows what it does while it lasts.
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

/// Nothing moves any more when this is dropped: at the end of the work, or when a signal came first.
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
            // What the terminal shows of a key must not begin another line, which nobody would clear.
            write("\r");
        }
    }

    /// Stops the display while the user is asked: nothing moves, and lines wait.
    fn hold(&mut self) {
        self.clear();
        self.held.get_or_insert_default();
    }

    /// Goes on after a conversation.
    fn release(&mut self) {
        if let Some(activity) = &mut self.activity {
            activity.begin();
        }
        for line in self.held.take().into_iter().flat_map(HeldLines::into_lines) {
            self.line(&line);
        }
    }
}

/// Writes text that may have our own escape sequences in it, which `NO_COLOR` and simple terminals want none of.
fn write(text: &str) {
    let mut stderr = anstream::stderr().lock();
    // Where standard error is gone there is nobody left to tell.
    let _gone = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}
