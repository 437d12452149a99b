//! Progress of what takes long, on standard error if that is a terminal; gone when it is done.

use std::pin::pin;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use plainly::client::Client;
use tokio::time::{interval, timeout};

use crate::visible::visible;

/// How long to wait before showing anything: most work is done sooner.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often it is drawn again.
const FRAME: Duration = Duration::from_millis(100);

/// Waits for `work`, and shows how much of `what` has arrived.
pub(crate) async fn shown<T>(client: &Client, what: &str, work: impl Future<Output = T>) -> T {
    let before = client.received_bytes();
    let mut work = pin!(work);
    if let Ok(done) = timeout(PATIENCE, &mut work).await {
        return done;
    }
    let bar = ProgressBar::no_length().with_style(style());
    bar.set_message(visible(what));
    let mut frames = interval(FRAME);
    loop {
        tokio::select! {
            done = &mut work => {
                bar.finish_and_clear();
                return done;
            }
            _ = frames.tick() => bar.set_position(client.received_bytes() - before),
        }
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template(
        "{spinner} {msg}  {binary_bytes}  {binary_bytes_per_sec}  {elapsed}",
    )
    .expect("the template is one")
}
