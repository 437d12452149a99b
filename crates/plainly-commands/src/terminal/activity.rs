//! The work that a command waits for, and the line that shows it: a bar if the end is known,
//! otherwise the progress so far.

use std::fmt;
use std::time::{Duration, Instant};

use indicatif::{BinaryBytes, ProgressBar, ProgressStyle};
use plainly::client::ProgressUpdate;
use plainly::errors::mistake::shortened;

use crate::visible::visible;

/// The time before the line is shown, because most work ends sooner.
const PATIENCE: Duration = Duration::from_millis(500);
/// The most bytes of a name or a message, because a line has no room for more.
const LONGEST: usize = 200;
/// The parts of a bar.
const PARTS: u64 = 1_000;

/// The work that a command waits for.
pub(super) struct Activity {
    what: String,
    since: Instant,
    progress: Option<ProgressUpdate>,
    received: Option<Box<dyn Fn() -> u64 + Send>>,
}

impl Activity {
    pub(super) fn new(what: &str) -> Self {
        Self {
            what: visible(&shortened(what, LONGEST)),
            since: Instant::now(),
            progress: None,
            received: None,
        }
    }

    pub(super) fn report(&mut self, update: ProgressUpdate) {
        self.progress = Some(update);
    }

    pub(super) fn count(&mut self, received: impl Fn() -> u64 + Send + 'static) {
        self.received = Some(Box::new(received));
    }

    /// Starts waiting again.
    pub(super) fn begin(&mut self) {
        self.since = Instant::now();
    }

    /// Whether the work has lasted long enough to be shown.
    pub(super) fn has_lasted(&self) -> bool {
        self.since.elapsed() >= PATIENCE
    }

    /// Shows the current state on the bar.
    pub(super) fn draw(&self, bar: &ProgressBar) {
        let template = match self.share() {
            Some(share) => {
                bar.set_length(PARTS);
                bar.set_position(share);
                "{spinner} {bar:24} {wide_msg}"
            }
            None => "{spinner} {wide_msg}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is one");
        bar.set_style(style.progress_chars("=> "));
        bar.set_message(self.line());
        bar.tick();
    }

    /// The completed share, if it is known.
    fn share(&self) -> Option<u64> {
        let progress = self.progress.as_ref()?;
        let total = progress.total.filter(|total| *total > 0.0)?;
        let share = (progress.done / total).clamp(0.0, 1.0) * PARTS as f64;
        Some(share as u64)
    }

    /// The text of the line: `waiting for scan  2/4  page 2 of 4  3s`.
    fn line(&self) -> String {
        let elapsed = self.since.elapsed().as_secs();
        let mut parts = vec![self.what.clone()];
        if let Some(received) = &self.received {
            let bytes = received();
            parts.push(BinaryBytes(bytes).to_string());
            parts.push(format!("{}/s", BinaryBytes(bytes / elapsed.max(1))));
        }
        if let Some(progress) = &self.progress {
            parts.push(match progress.total {
                Some(total) => format!("{}/{}", amount(progress.done), amount(total)),
                None => amount(progress.done),
            });
            let message = progress.message.as_deref().unwrap_or_default();
            parts.push(visible(&shortened(message, LONGEST)));
        }
        parts.push(format!("{elapsed}s"));
        parts.retain(|part| !part.is_empty());
        parts.join("  ")
    }
}

/// A number in its usual form.
fn amount(number: f64) -> String {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => format!("{number:.0}"),
        false => format!("{number:.3e}")
            .parse::<f64>()
            .unwrap_or(number)
            .to_string(),
    }
}

impl fmt::Debug for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Activity")
            .field("what", &self.what)
            .field("since", &self.since)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn numbers_are_short() {
        for (number, shown) in [
            (4.0, "4"),
            (0.0, "0"),
            (-1.5, "-1.5"),
            (2.0 / 3.0, "0.6667"),
            (1_234_567.0, "1234567"),
        ] {
            assert_eq!(amount(number), shown);
        }
        assert!(amount(1e300).len() < 320);
    }
}
