//! A server that acts as its row requires, over standard input and output and over HTTP.

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::received::received;
use crate::row::Row;
use crate::text::{bytes, filled};

/// The environment variable with the title of a server's row.
pub(crate) const ROW: &str = "BAD_SERVER";
/// The environment variable with the address that a server stays connected to during its life.
pub(crate) const LIFELINE: &str = "BAD_SERVER_LIFELINE";

/// JSON text with control sequences (fill the clipboard, link elsewhere, clear the screen, in two
/// ways each), and with characters that are invisible or change the direction of text.
const EVIL: &str =
    r"\u001b]52;c;aGk=\u0007\u009d8;;http://evil.example\u009c\u001b[2J\u009b2J\u202e\u200b";

/// The number of times that a server received each method.
type Counts = Mutex<HashMap<String, usize>>;

/// One exchange: a request, and the stream for its answer.
struct Stage<'a> {
    out: &'a mut dyn Write,
    /// The connection, if the exchange is over HTTP.
    http: Option<&'a TcpStream>,
    /// The id in its original spelling, and the token for progress.
    id: String,
    token: String,
    /// The number of earlier requests with this method.
    nth: usize,
    /// Whether the answer is a stream of events that has started.
    is_streaming: bool,
}

/// Serves the row on standard input and output.
pub(crate) fn on_stdio(row: &Row) -> io::Result<()> {
    let counts = Counts::default();
    let mut out = io::stdout().lock();
    perform(row, &counts, "start", &Value::Null, &mut out, None)?;
    for line in io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line?)?;
        let method = message["method"].as_str().unwrap_or("answer");
        perform(row, &counts, method, &message, &mut out, None)?;
    }
    perform(row, &counts, "end", &Value::Null, &mut out, None)
}

/// Serves the row over HTTP until the tests end. Returns the host and port.
pub(crate) fn on_http(row: &Arc<Row>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let row = Arc::clone(row);
    thread::spawn(move || {
        let counts = Arc::new(Counts::default());
        for stream in listener.incoming() {
            let (row, counts) = (Arc::clone(&row), Arc::clone(&counts));
            // Fails when the client closes the connection, in which case the client reports the
            // error.
            thread::spawn(move || converse(&row, &counts, &stream.unwrap()));
        }
    });
    host
}

fn converse(row: &Row, counts: &Counts, stream: &TcpStream) -> io::Result<()> {
    let mut out = stream;
    perform(row, counts, "start", &Value::Null, &mut out, Some(stream))?;
    let Some((verb, message)) = received(stream) else {
        return Ok(());
    };
    let method = message["method"].as_str().unwrap_or("answer");
    let method = if verb == "POST" { method } else { &verb };
    perform(row, counts, method, &message, &mut out, Some(stream))
}

/// Performs all steps of the row for this method.
fn perform(
    row: &Row,
    counts: &Counts,
    method: &str,
    message: &Value,
    out: &mut dyn Write,
    http: Option<&TcpStream>,
) -> io::Result<()> {
    let nth = {
        let mut counts = counts.lock().unwrap();
        let count = counts.entry(method.to_owned()).or_default();
        *count += 1;
        *count - 1
    };
    let mut stage = Stage {
        out,
        http,
        id: message["id"].to_string(),
        token: message["params"]["_meta"]["progressToken"].to_string(),
        nth,
        is_streaming: false,
    };
    let steps = row.steps(method, nth);
    steps.iter().try_for_each(|step| stage.act(step))
}

impl Stage<'_> {
    fn act(&mut self, step: &str) -> io::Result<()> {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let nth = self.nth.to_string();
        let values = [
            ("$id", &*self.id),
            ("$token", &self.token),
            ("$n", &nth),
            ("$evil", EVIL),
        ];
        let text = filled(rest, &values);
        match verb {
            "result" | "error" => {
                let reply = format!(r#"{{"jsonrpc":"2.0","id":{},"{verb}":{text}}}"#, self.id);
                self.reply(&reply)
            }
            "reply" => self.reply(&text),
            "tell" => {
                let (method, params) = text.split_once(' ').unwrap();
                let method = format!("notifications/{method}");
                self.first(&format!(
                    r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#
                ))
            }
            "first" => self.first(&text),
            "accept" => self.accept(),
            "http" => self.http(&text),
            "say" => self.say(&bytes(&text)),
            "stderr" => io::stderr().write_all(&bytes(&text)),
            "forever" => loop {
                self.act(rest)?;
            },
            "times" => {
                let (times, step) = rest.split_once(' ').unwrap();
                (0..times.parse().unwrap()).try_for_each(|_: u32| self.act(step))
            }
            "sleep" => {
                thread::sleep(Duration::from_millis(text.parse().unwrap()));
                Ok(())
            }
            "nothing" => Ok(()),
            _ => self.end(verb, &text),
        }
    }

    /// Ends the server in one of several ways, or makes it silent.
    fn end(&self, verb: &str, text: &str) -> io::Result<()> {
        match (verb, self.http) {
            ("silence", None) => Ok(()),
            ("silence", Some(mut connection)) => connection.read_to_end(&mut Vec::new()).map(drop),
            ("stuck", None) => loop {
                thread::park();
            },
            #[cfg(unix)]
            ("close", None) => {
                let nowhere = std::fs::File::options().write(true).open("/dev/null")?;
                Ok(rustix::stdio::dup2_stdout(nowhere)?)
            }
            ("exit", None) => exit(text.parse().unwrap()),
            ("abort", None) => std::process::abort(),
            ("fork", None) => {
                let mut lingering = Command::new(std::env::current_exe()?);
                lingering.env(ROW, "").stdin(Stdio::null());
                lingering.spawn().map(drop)
            }
            _ => panic!("no step {verb}"),
        }
    }

    /// Sends a whole message: a line, a body, or an event.
    fn reply(&mut self, message: &str) -> io::Result<()> {
        match (self.http, self.is_streaming) {
            (None, _) => self.say(format!("{message}\n").as_bytes()),
            (Some(_), true) => self.say(format!("data: {message}\n\n").as_bytes()),
            (Some(_), false) => self.http(&format!(
                "200 OK; Content-Type: application/json => {message}"
            )),
        }
    }

    /// Sends a message before the reply.
    fn first(&mut self, message: &str) -> io::Result<()> {
        if self.http.is_some() && !self.is_streaming {
            self.is_streaming = true;
            self.say(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
            )?;
        }
        self.reply(message)
    }

    fn accept(&mut self) -> io::Result<()> {
        match self.http {
            Some(_) => self.http("202 Accepted"),
            None => Ok(()),
        }
    }

    /// Sends an HTTP response: `STATUS; Header: value => body`.
    fn http(&mut self, text: &str) -> io::Result<()> {
        let (head, body) = text.split_once(" => ").unwrap_or((text, ""));
        let head = head.replace("; ", "\r\n");
        let length = body.len();
        let head =
            format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
        self.say((head + body).as_bytes())
    }

    fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }
}

#[expect(clippy::exit, reason = "it plays a process that ends")]
fn exit(status: i32) -> ! {
    std::process::exit(status)
}
