//! Opens the user's browser in a separate process, which is this program started again. So Ctrl-C
//! only ends this program, and no command waits for a browser that keeps running.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use super::Page;
use crate::exit::Exit;
use crate::format::Format;
use crate::output::Output;

/// The only argument of the process. It is no command of the command line, so neither help nor
/// completions show it.
const COMMAND: &str = "open-page";

/// The longest wait for the error that there is no browser.
const NEWS: Duration = Duration::from_secs(5);

/// The most bytes of that error.
const LONGEST: usize = 500;

/// Opens a page that the user agreed to. No shell reads its URL.
pub(crate) async fn open(page: &Page) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(page.url().as_bytes()).await?;
    }
    match timeout(NEWS, child.wait_with_output()).await {
        // The process is the browser itself, which keeps running.
        Err(_elapsed) => Ok(()),
        Ok(Ok(ended)) if ended.status.success() => Ok(()),
        Ok(Ok(ended)) => {
            let news = &ended.stdout[..ended.stdout.len().min(LONGEST)];
            Err(io::Error::other(String::from_utf8_lossy(news)))
        }
        Ok(Err(error)) => Err(error),
    }
}

/// Whether the words of the command line start this separate process.
pub(crate) fn is_meant(words: impl Iterator<Item = OsString>) -> bool {
    words.skip(1).eq([COMMAND])
}

/// The work of the separate process: opens the URL on standard input, and writes an error to
/// standard output.
pub(crate) fn run() -> ExitCode {
    let mut url = String::new();
    let opened = io::stdin()
        .lock()
        .read_to_string(&mut url)
        .and_then(|_| Page::parse(&url).map_err(io::Error::other))
        .and_then(|page| webbrowser::open(page.url()));
    match opened {
        Ok(()) => Exit::Success.into(),
        Err(error) => {
            let mut output = Output::new(Format::Text);
            let said = output.write(error.to_string().as_bytes());
            // A failure is ignored, because then no process waits for the error.
            let _ = said.and_then(|()| output.flush());
            Exit::Failure.into()
        }
    }
}
