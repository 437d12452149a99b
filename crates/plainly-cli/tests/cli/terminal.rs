//! Tests output to a terminal.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::json;

use crate::fake::fake;
use crate::pty::terminal;
use crate::support::{Docs, Serving, plainly};

/// Runs the binary with a terminal as its standard output. Returns the status and the output.
fn on_terminal(words: &[&str], no_color: bool) -> (Option<i32>, String) {
    let no_color = no_color.then_some(("NO_COLOR", "1"));
    on_terminal_with(words, no_color.as_slice())
}

/// Like `on_terminal`, with these additional variables.
fn on_terminal_with(words: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
    on_terminal_of(0, words, variables)
}

/// Like `on_terminal_with`, with this width of the terminal; 0 means an unknown width.
fn on_terminal_of(
    columns: u16,
    words: &[&str],
    variables: &[(&str, &str)],
) -> (Option<i32>, String) {
    let (master, terminal) = terminal();
    let size = Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&terminal, size).unwrap();
    let mut command = plainly();
    let mut child = command
        .env("TERM", "xterm")
        .envs(variables.iter().copied())
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::from(terminal))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The command also holds the terminal open.
    drop(command);
    let mut seen = Vec::new();
    // On Linux, reading fails when no process has the terminal open any more.
    let _ = File::from(master).read_to_end(&mut seen);
    let seen = String::from_utf8(seen).unwrap().replace("\r\n", "\n");
    (child.wait().unwrap().code(), seen)
}

#[test]
fn a_server_that_waits_for_a_client_says_so_to_whoever_types() {
    let docs = Docs::new();
    let (_person, terminal) = terminal();
    let mut child = plainly()
        .args(["serve", docs.str(), "--stdio"])
        .stdin(Stdio::from(terminal))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.read_line(&mut said).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let expected = "waiting for a client's messages";
    assert!(said.starts_with(expected), "{said}");
}

#[test]
fn a_listing_is_a_table_with_a_header() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let (status, seen) = on_terminal(&["ls", "-l", &server.url, "file:///docs/guide"], true);
    assert_eq!(status, Some(0));
    let mut lines = seen.lines();
    let header = "KIND          SIZE  MODIFIED          MIME TYPE                 URI";
    assert_eq!(lines.next(), Some(header));
    let row = lines.next().unwrap();
    assert!(row.starts_with("resource        3B  20"), "{row}");
    let end = "  text/markdown             file:///docs/guide/one.md";
    assert!(row.ends_with(end), "{row}");
}

#[test]
fn colours_are_only_for_those_who_want_them() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let words = ["ls", &server.url, "file:///docs"];
    assert!(on_terminal(&words, false).1.contains('\u{1b}'));
    assert!(!on_terminal(&words, true).1.contains('\u{1b}'));
}

#[test]
fn content_can_send_no_commands_to_the_terminal() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let read = |words: &[&str]| on_terminal(&[&["read", &server.url], words].concat(), true);
    let (status, seen) = read(&["file:///docs/intro.md"]);
    assert_eq!(status, Some(0));
    let expected = "# Grüße, 世界!\\r\n\\u{1b}[31mno newline at the end\n";
    assert_eq!(seen, expected);
    assert_eq!(read(&["file:///docs/all.bin"]), (Some(1), String::new()));
    let (status, seen) = read(&["file:///docs/intro.md", "-o", "-"]);
    assert_eq!(status, Some(0));
    assert!(seen.contains("\u{1b}[31m"), "{seen:?}");
}

#[test]
fn long_text_is_broken_between_words_and_stays_in_its_column() {
    let url = fake(|_, _| {
        let about = "Finds everything that was ever written in the directory, however old it is.";
        let properties = json!({ "pattern": { "type": "string", "description": about } });
        json!({ "result": { "tools": [
            { "name": "find", "description": about,
              "inputSchema": { "type": "object", "properties": properties, "required": ["pattern"] } },
        ]}})
    });
    let plain = [("NO_COLOR", "1")];
    let (_, seen) = on_terminal_of(60, &["tools", &url], &plain);
    let expected = "\
NAME                      DESCRIPTION
find                      Finds everything that was ever
                          written in the directory, however
                          old it is.
";
    assert_eq!(seen, expected);
    let (_, seen) = on_terminal_of(60, &["tools", &url, "find"], &plain);
    let expected = "\
find(pattern: string)

Finds everything that was ever written in the directory,
however old it is.

ARGUMENT          TYPE              MEANING
pattern           string            Finds everything that
                              was ever written in the
                              directory, however old it is.
                              (required)

";
    assert!(seen.starts_with(expected), "{seen}");
    let (_, seen) = on_terminal_of(0, &["tools", &url], &[]);
    let name = "\u{1b}[1mfind\u{1b}[0m  ";
    assert!(seen.contains(name), "{seen:?}");
    assert_eq!(seen.lines().count(), 2, "{seen}");
}

#[test]
fn an_image_is_shown_where_the_terminal_can() {
    let url = fake(|method, _| {
        let image = json!({ "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=" });
        json!({ "result": match method {
            "tools/list" => json!({ "tools": [{ "name": "shot", "inputSchema": { "type": "object" } }] }),
            _ => json!({ "content": [image] }),
        }})
    });
    let named = "[image image/png, 8 bytes]\n";
    assert_eq!(on_terminal(&["call", &url, "shot"], true).1, named);
    let (_, seen) = on_terminal_with(&["call", &url, "shot"], &[("KITTY_WINDOW_ID", "1")]);
    assert_eq!(
        seen,
        format!("\u{1b}_Ga=T,f=100,m=0;iVBORw0KGgo=\u{1b}\\\n{named}")
    );
}

#[test]
fn the_table_of_codes_fits_a_terminal() {
    let (status, seen) = on_terminal(&["explain", "--list"], true);
    assert_eq!(status, Some(0));
    let head = "CODE    NAME                             REVISIONS                 RETRY";
    assert_eq!(seen.lines().next(), Some(head));
    let released = seen.lines().filter(|line| !line.contains("none released"));
    let too_wide: Vec<_> = released.filter(|line| line.len() > 80).collect();
    assert!(too_wide.is_empty(), "{too_wide:?}");
}

/// More than the time after which a read shows its progress.
const LONG: std::time::Duration = std::time::Duration::from_millis(1_500);

#[test]
fn what_takes_long_shows_that_it_goes_on() {
    let url = fake(|_, params| {
        std::thread::sleep(LONG);
        json!({ "result": { "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "contents": [{ "uri": params["uri"], "text": "at last" }] } })
    });
    let (master, terminal) = terminal();
    let mut child = plainly()
        .env("TERM", "xterm")
        .args(["read", &url, "a:b"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::from(terminal))
        .spawn()
        .unwrap();
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "at last");
    assert!(child.wait().unwrap().success());
    // The terminal is still open in this process, so only the available output is read.
    let mut seen = [0; 4096];
    let read = File::from(master).read(&mut seen).unwrap();
    let seen = String::from_utf8_lossy(&seen[..read]);
    assert!(seen.contains("a:b  0 B"), "{seen:?}");
}
