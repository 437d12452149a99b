//! One round over HTTP: `wrk` repeats one request on a fixed number of connections, after and before a look at the answer.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{ChildStdout, Command};
use std::time::Duration;

use plainly_interop::{Case, REQUEST_ID, REVISION};

use crate::server::{Measure, Program, Running};

pub(crate) const CONNECTIONS: usize = 32;

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/benches/throughput/request.lua"
);

pub(crate) fn round(
    program: &Program,
    case: Case,
    length: Duration,
) -> Result<Measure, Box<dyn Error>> {
    let mut server = Running::start(program, case)?;
    let url = address(server.child.stdout.take())?;
    check(program, case, &url)?;
    let before = server.cpu_seconds()?;
    let (requests, seconds) = wrk(case, &url, length)?;
    let cpu_seconds = server.cpu_seconds()? - before;
    check(program, case, &url)?;
    Ok(Measure {
        requests,
        seconds,
        cpu_seconds,
    })
}

fn address(stdout: Option<ChildStdout>) -> Result<String, Box<dyn Error>> {
    let mut line = String::new();
    BufReader::new(stdout.ok_or("no standard output")?).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

fn headers(case: Case) -> [(&'static str, &'static str); 5] {
    [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", REVISION),
        ("Mcp-Method", case.method()),
        ("Mcp-Name", case.target()),
    ]
}

/// Sends the request once, by hand, and compares the answer.
fn check(program: &Program, case: Case, url: &str) -> Result<(), Box<dyn Error>> {
    let (host, path) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .ok_or("not an address")?;
    let body = case.request(REQUEST_ID);
    let headers = headers(case)
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .concat();
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    let answered = reply
        .split_once("\r\n\r\n")
        .is_some_and(|(_, body)| case.is_answered_by(REQUEST_ID, body.as_bytes()));
    if answered {
        Ok(())
    } else {
        Err(format!("{} answered wrongly: {reply}", program.name).into())
    }
}

fn wrk(case: Case, url: &str, length: Duration) -> Result<(u64, f64), Box<dyn Error>> {
    let headers = headers(case)
        .map(|(name, value)| format!("{name}: {value}\n"))
        .concat();
    let output = Command::new("wrk")
        .args(["--threads", "1", "--connections", &CONNECTIONS.to_string()])
        .args([
            "--duration",
            &format!("{}s", length.as_secs()),
            "--script",
            SCRIPT,
            url,
        ])
        .env("REQUEST_BODY", case.request(REQUEST_ID))
        .env("REQUEST_HEADERS", headers)
        .output()
        .map_err(|error| format!("can't start wrk: {error}"))?;
    let text = String::from_utf8(output.stdout)?;
    let result = text
        .lines()
        .find_map(|line| line.strip_prefix("RESULT "))
        .ok_or("wrk printed no result")?;
    let numbers = result
        .split(' ')
        .map(str::parse)
        .collect::<Result<Vec<u32>, _>>()?;
    match *numbers.as_slice() {
        [requests, microseconds, 0] if requests > 0 => {
            Ok((u64::from(requests), f64::from(microseconds) / 1e6))
        }
        _ => Err(format!("wrk saw errors: {text}").into()),
    }
}
