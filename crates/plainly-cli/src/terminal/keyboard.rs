//! Standard input, read line by line, and only while somebody waits for a line: whoever reads there next, such as a shell,
//! finds all that was typed since.

use std::thread;

use tokio::sync::oneshot;

/// The next line that the person at the terminal types, without its end; nothing once they have ended the input.
pub(super) async fn line() -> Option<String> {
    let (send, line) = oneshot::channel();
    // Not one of the runtime's, which waits for its threads at the end: this one may wait for a key that never comes.
    thread::spawn(move || {
        if is_typed(&send) {
            let line = read().unwrap_or_default();
            // Whoever has gone meanwhile has no more questions.
            let _gone = send.send(line);
        }
    });
    let line = line.await.unwrap_or_default();
    let text = String::from_utf8_lossy(&line);
    (!line.is_empty()).then(|| text.trim_end().to_owned())
}

/// Waits until a line is complete; `false` if nobody waits for it any more.
#[cfg(unix)]
fn is_typed(send: &oneshot::Sender<Vec<u8>>) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// How often to look whether somebody still waits.
    const PAUSE: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 20_000_000,
    };

    let stdin = std::io::stdin();
    while !send.is_closed() {
        let ready = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&PAUSE));
        if ready.is_ok_and(|count| count > 0) {
            return !send.is_closed();
        }
    }
    false
}

/// Elsewhere it can't be known.
#[cfg(not(unix))]
fn is_typed(_: &oneshot::Sender<Vec<u8>>) -> bool {
    true
}

/// All that a terminal has in a line, and not more, as a buffer would take.
#[cfg(unix)]
fn read() -> std::io::Result<Vec<u8>> {
    let mut line = vec![0; 4 << 10];
    let length = rustix::io::read(std::io::stdin(), &mut *line)?;
    line.truncate(length);
    Ok(line)
}

#[cfg(not(unix))]
fn read() -> std::io::Result<Vec<u8>> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    Ok(line.into_bytes())
}
