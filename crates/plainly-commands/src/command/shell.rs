//! `plainly shell`: one connection for many commands, which the user types or standard input
//! contains.

mod editor;
mod lines;

use std::pin::pin;

use plainly::client::Client;
use plainly::shutdown;

use self::lines::Lines;
use crate::args::{Session, ShellArgs, ShellCommand, ShellLine};
use crate::connection;
use crate::exit::Exit;
use crate::failure::{Failure, Subject};
use crate::format::Format;
use crate::log;
use crate::terminal;
use crate::visible::visible;

/// Runs until the last line, `exit`, a signal or the end of the connection.
pub(crate) async fn run(mut args: ShellArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let format = args.server.format();
    let label = server.label();
    let mut terminated = pin!(shutdown::terminated());
    let client = tokio::select! {
        biased;
        () = &mut terminated => return Err(Failure::Interrupted),
        () = interrupted() => return Err(Failure::Interrupted),
        client = connection::open(server, args.server) => client?,
    };
    let result = tokio::select! {
        biased;
        () = &mut terminated => Err(Failure::Interrupted),
        result = session(&client, format) => result,
    };
    let stopped = async {
        tokio::select! {
            () = terminated => {}
            () = interrupted() => {}
        }
    };
    connection::close(&label, &client, &result, stopped).await;
    result
}

async fn session(client: &Client, format: Format) -> Result<(), Failure> {
    let mut lines = Lines::new(client)?;
    if !lines.is_script() && terminal::is_seen() {
        greet(client);
    }
    let session = Session {
        client: client.clone(),
        format,
        commands: ShellLine::taught,
    };
    loop {
        let line = tokio::select! {
            biased;
            // At a terminal, this key edits the line instead of sending a signal.
            () = interrupted(), if lines.is_script() => return Err(Failure::Interrupted),
            line = lines.next() => line?,
            // In a script, the next command reports the end.
            end = client.closed(), if !lines.is_script() => {
                // This continues below the prompt.
                terminal::line("");
                return Err(Failure::about(Subject::Connection)(end));
            }
        };
        let Some(line) = line else { return Ok(()) };
        // Warnings that appear once per command may appear again.
        log::begin_again();
        let result = match typed(&line) {
            Ok(None) => Ok(()),
            Ok(Some(ShellCommand::Exit)) => return Ok(()),
            Ok(Some(ShellCommand::Clear)) => lines.clear(),
            Ok(Some(ShellCommand::Client(mut command))) => {
                command.server().within(session.clone());
                tokio::select! {
                    biased;
                    // At a terminal, Ctrl-C stops the running command, not the session.
                    () = interrupted() => Err(Failure::Stopped),
                    result = super::run(*command) => result,
                }
            }
            Err(failure) => Err(failure),
        };
        let Err(failure) = result else { continue };
        let is_last = lines.is_script() && failure.exit() != Exit::Success;
        if is_last || failure.ends_the_connection() {
            return Err(failure);
        }
        failure.report(format);
    }
}

/// Shows the server's name, and the first commands.
fn greet(client: &Client) {
    let server = client.server();
    let server = server.map(|it| format!("{} {}", it.name, it.version));
    terminal::line(&format!(
        "connected to {}: help lists the commands, Ctrl-D ends the session",
        visible(server.as_deref().unwrap_or("the server"))
    ));
}

/// The command on the line, unless the line is empty or a comment.
fn typed(line: &str) -> Result<Option<ShellCommand>, Failure> {
    let words = shlex::split(line).ok_or_else(|| {
        Failure::impossible(
            "the line ends within quotes, or with a backslash: close them, or write \\' for a \
             literal quote",
            None,
        )
    })?;
    if words.is_empty() {
        return Ok(None);
    }
    ShellLine::read(words).map(Some).map_err(Failure::Usage)
}

/// Waits for Ctrl-C.
async fn interrupted() {
    // If the signal can't be received, this waits forever.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
    terminal::interrupted();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_a_shell_does() {
        for empty in ["", "  ", "# a comment"] {
            assert!(matches!(typed(empty), Ok(None)), "{empty:?}");
        }
        for end in ["exit", "quit", "exit # now"] {
            assert!(matches!(typed(end), Ok(Some(ShellCommand::Exit))), "{end}");
        }
        let call = "call search pattern='error codes' limit:=3";
        assert!(matches!(typed(call), Ok(Some(ShellCommand::Client(_)))));
        for wrong in ["call 'search", "serch", "serve .", "plainly ls"] {
            let failure = typed(wrong).unwrap_err();
            assert_eq!(failure.exit(), Exit::Usage, "{wrong}");
        }
    }
}
