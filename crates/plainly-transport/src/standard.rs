//! Standard input and output. The reactor handles them if it can do so without changing state that
//! this process shares with others; otherwise each has a thread.

#[cfg(target_os = "linux")]
mod reactor;
mod thread;

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

/// Standard input. If a thread reads it, the thread reads ahead, and keeps reading after this is
/// dropped.
pub fn input() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Some(input) = reactor::input() {
        return Ok(input);
    }
    Ok(Box::new(thread::ThreadReader::new(io::stdin())?))
}

/// Standard output.
pub fn output() -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    #[cfg(target_os = "linux")]
    if let Some(output) = reactor::output() {
        return Ok(output);
    }
    Ok(Box::new(thread::ThreadWriter::new(io::stdout())?))
}
