//! Standard input and output, and who moves their bytes: the reactor, where it can without a change to what this process
//! shares with others; else a thread for each.

#[cfg(target_os = "linux")]
mod reactor;
mod thread;

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Standard input. Where a thread reads, it reads ahead, and goes on when nobody wants it any more.
pub(crate) fn input() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Some(input) = reactor::input() {
        return Ok(input);
    }
    Ok(Box::new(thread::ThreadReader::new(io::stdin())?))
}

/// Standard output.
pub(crate) fn output() -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Some(output) = reactor::output() {
        return Ok(output);
    }
    Ok(Box::new(thread::ThreadWriter::new(io::stdout())?))
}
