//! A server's log, as in its operator's terminal.

use std::io;
use std::sync::{Arc, Mutex, Once};

use tracing::subscriber::DefaultGuard;

/// Sets a global subscriber once. The first thread to reach a log statement decides whether it is
/// enabled for all threads, so every thread needs a subscriber.
static LISTENING: Once = Once::new();

/// The log of this thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Captures the log until the guard is dropped.
    pub(crate) fn capture() -> (Self, DefaultGuard) {
        LISTENING.call_once(|| {
            let nowhere = tracing_subscriber::fmt()
                .with_max_level(tracing::Level::TRACE)
                .with_writer(io::sink)
                .finish();
            tracing::subscriber::set_global_default(nowhere).unwrap();
        });
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
