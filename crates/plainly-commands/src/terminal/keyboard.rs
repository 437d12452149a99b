//! Standard input, which is read line by line, and only while a line is wanted. The next reader,
//! such as a shell, gets everything that is typed afterwards.

use std::{io, thread};

use tokio::sync::oneshot;

#[cfg(unix)]
use super::unechoed::EchoGuard;

/// The longest line of a program, in bytes.
#[cfg(unix)]
const LONGEST: usize = 64 << 10;

/// The next line that the user types, without its line break; `None` after the user has ended the
/// input.
pub(super) async fn line() -> Option<String> {
    next(read).await
}

/// Like `line`, but without echo from this call on, even before the line is awaited.
#[cfg(unix)]
pub(super) fn unseen_line() -> impl Future<Output = Option<String>> {
    let unechoed = EchoGuard::begin();
    async {
        let line = next(read).await;
        drop(unechoed);
        line
    }
}

#[cfg(not(unix))]
pub(super) async fn unseen_line() -> Option<String> {
    use std::io::IsTerminal;

    match io::stdin().is_terminal() {
        true => next(read_unseen).await,
        false => next(read).await,
    }
}

async fn next(read: fn() -> io::Result<Vec<u8>>) -> Option<String> {
    let (send, line) = oneshot::channel();
    // This is no thread of the runtime, which waits for its threads at the end: this one may wait
    // for a key forever.
    thread::spawn(move || {
        if is_typed(&send) {
            let line = read().unwrap_or_default();
            // This fails if the line is no longer wanted.
            let _gone = send.send(line);
        }
    });
    let line = line.await.unwrap_or_default();
    let text = String::from_utf8_lossy(&line);
    (!line.is_empty()).then(|| text.trim_end().to_owned())
}

/// Waits until a line is complete; `false` if the line is no longer wanted.
#[cfg(unix)]
fn is_typed(send: &oneshot::Sender<Vec<u8>>) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    /// The interval between two checks whether the line is still wanted.
    const PAUSE: Timespec = Timespec {
        tv_sec: 0,
        tv_nsec: 20_000_000,
    };

    let stdin = io::stdin();
    while !send.is_closed() {
        let ready = poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&PAUSE));
        if ready.is_ok_and(|count| count > 0) {
            return !send.is_closed();
        }
    }
    false
}

/// On other systems, this can't be determined.
#[cfg(not(unix))]
fn is_typed(_: &oneshot::Sender<Vec<u8>>) -> bool {
    true
}

/// Reads a single line, unlike a buffer, which would read more. A terminal returns one line per
/// read; a program's output is read byte by byte.
#[cfg(unix)]
fn read() -> io::Result<Vec<u8>> {
    use std::io::IsTerminal as _;

    let stdin = io::stdin();
    if stdin.is_terminal() {
        let mut line = vec![0; 4 << 10];
        let length = rustix::io::read(stdin, &mut *line)?;
        line.truncate(length);
        return Ok(line);
    }
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") && line.len() < LONGEST && rustix::io::read(&stdin, &mut byte)? > 0
    {
        line.extend(byte);
    }
    Ok(line)
}

#[cfg(not(unix))]
fn read() -> io::Result<Vec<u8>> {
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    Ok(line.into_bytes())
}

/// Like `read`, key by key, without echo. Ctrl-D is an ordinary key there, and does not end the
/// input.
#[cfg(not(unix))]
fn read_unseen() -> io::Result<Vec<u8>> {
    let mut line = console::Term::stderr().read_secure_line()?.into_bytes();
    line.push(b'\n');
    Ok(line)
}
