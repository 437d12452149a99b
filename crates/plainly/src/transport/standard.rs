//! Standard input and output, and who moves their bytes: the reactor, where it can without a change to what this process
//! shares with others; else a thread for each.

#[cfg(target_os = "linux")]
mod anew;
mod thread;

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Standard input. Where a thread reads, it reads ahead; and it takes what comes until the process ends.
pub(crate) fn input() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Some(receiver) = anew::input() {
        return Ok(Box::new(receiver));
    }
    Ok(Box::new(thread::Reader::new(io::stdin())?))
}

/// Standard output.
pub(crate) fn output() -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Some(sender) = anew::output() {
        return Ok(Box::new(sender));
    }
    Ok(Box::new(thread::Writer::new(io::stdout())?))
}
