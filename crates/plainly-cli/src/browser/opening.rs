//! The user's browser, started by a process of its own: this program, started again. So Ctrl-C ends this program alone, and
//! nobody waits for a browser that stays.

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

/// The only word that the process is started with. It is no command of the command line, so nothing shows or proposes it.
const COMMAND: &str = "open-page";

/// The longest wait for the news that there is no browser.
const NEWS: Duration = Duration::from_secs(5);

/// The most bytes of such news.
const LONGEST: usize = 500;

/// Opens a page that was agreed to. No shell reads its URL.
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
        // It is the browser itself that stays.
        Err(_elapsed) => Ok(()),
        Ok(Ok(ended)) if ended.status.success() => Ok(()),
        Ok(Ok(ended)) => {
            let news = &ended.stdout[..ended.stdout.len().min(LONGEST)];
            Err(io::Error::other(String::from_utf8_lossy(news)))
        }
        Ok(Err(error)) => Err(error),
    }
}

/// Whether this is such a process, given all the words of its command line.
pub(crate) fn is_meant(words: impl Iterator<Item = OsString>) -> bool {
    words.skip(1).eq([COMMAND])
}

/// The process itself: it opens the URL on standard input, and writes an error to standard output.
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
            // If nobody hears it, nobody waits for it.
            let _ = said.and_then(|()| output.flush());
            Exit::Failure.into()
        }
    }
}
