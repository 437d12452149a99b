//! Logs: on standard error, one line an event, whatever a peer put into it.

use std::io::{self, Write};

use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::visible::visible;

/// Writes from now on what `filter` lets through, or else what `RUST_LOG` does. That may be meant for other programs: where
/// it says nothing to this one, warnings are written.
pub(crate) fn init(filter: Option<Targets>) {
    let of_all = || std::env::var("RUST_LOG").ok()?.parse().ok();
    let filter = filter.or_else(of_all);
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(LevelFilter::WARN));
    let layer = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(|| Visible(io::stderr()))
        .with_filter(filter);
    tracing_subscriber::registry().with(layer).init();
}

/// Makes one line of each event, which is one call of `write`.
struct Visible<W>(W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        writeln!(self.0, "{}", visible(text.trim_end_matches('\n')))?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let mut written = Vec::new();
        Visible(&mut written)
            .write_all(b"WARN server says \x1b[2J\nERROR fake\n")
            .unwrap();
        assert_eq!(written, b"WARN server says \\u{1b}[2J\\nERROR fake\n");
    }
}
