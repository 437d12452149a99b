//! The user's browser, started without a shell: a URL is one argument, whatever is in it.

use std::io;
use std::process::{Command, Stdio};
use std::thread;

/// The program that opens a URL as the user would, and its arguments before the URL.
const OPENER: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("open", &[])
} else if cfg!(windows) {
    ("rundll32.exe", &["url.dll,FileProtocolHandler"])
} else {
    ("xdg-open", &[])
};

/// Opens `url`, which was agreed to.
pub(super) fn open(url: &str) -> io::Result<()> {
    let (program, arguments) = OPENER;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // So that Ctrl-C ends this program alone.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    // It may be the browser itself, which stays.
    thread::spawn(move || child.wait());
    Ok(())
}
