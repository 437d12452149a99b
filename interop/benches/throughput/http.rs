//! One round over HTTP. `wrk` repeats one request on a fixed number of connections; the response is
//! checked before and after.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{ChildStdout, Command};
use std::time::Duration;

use plainly_interop::{Case, REQUEST_ID, REVISION};

use crate::cores::Cores;
use crate::figures::{Latency, Measure};
use crate::programs::Program;
use crate::running::Running;

pub(crate) const CONNECTIONS: usize = 32;

const SCRIPT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/benches/throughput/request.lua"
);

pub(crate) fn round(
    cores: &Cores,
    program: &Program,
    case: Case,
    length: Duration,
) -> Result<Measure, Box<dyn Error>> {
    let mut server = cores.start(|| Running::start(program, case))?;
    let url = address(server.child.stdout.take())?;
    let idle = server.memory()?.resident;
    check(program, case, &url)?;
    let before = server.cpu_seconds()?;
    let load = wrk(case, &url, length)?;
    let cpu_seconds = server.cpu_seconds()? - before;
    let memory = server.memory()?;
    check(program, case, &url)?;
    Ok(Measure {
        requests: load.requests,
        seconds: load.seconds,
        cpu_seconds,
        latency: load.latency,
        idle,
        peak: memory.peak,
        after: memory.resident,
        own: memory.own,
    })
}

/// Checks that the server answers correctly.
pub(crate) fn answers(program: &Program, case: Case) -> Result<(), Box<dyn Error>> {
    let mut server = Running::start(program, case)?;
    let url = address(server.child.stdout.take())?;
    check(program, case, &url)
}

fn address(stdout: Option<ChildStdout>) -> Result<String, Box<dyn Error>> {
    let mut line = String::new();
    BufReader::new(stdout.ok_or("no standard output")?).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// The headers of the request, each followed by `end`.
fn headers(case: Case, end: &str) -> String {
    let always = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", REVISION),
        ("Mcp-Method", case.method()),
    ];
    let name = case.target().map(|target| ("Mcp-Name", target));
    let lines = always.into_iter().chain(name);
    lines
        .map(|(name, value)| format!("{name}: {value}{end}"))
        .collect()
}

/// Sends the request once, and compares the response. Errors have status 200 too, because their
/// requests are well-formed.
fn check(program: &Program, case: Case, url: &str) -> Result<(), Box<dyn Error>> {
    let (host, path) = url
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .ok_or("not an address")?;
    let body = case.request(REQUEST_ID);
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "POST /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{}Content-Length: {}\r\n\r\n{body}",
        headers(case, "\r\n"),
        body.len()
    )?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or((&reply, ""));
    if head.starts_with("HTTP/1.1 200 ") && case.is_answered_by(REQUEST_ID, body.as_bytes()) {
        return Ok(());
    }
    let start: String = reply.chars().take(2000).collect();
    Err(format!("{} answered {} wrongly: {start}", program.path, case.name()).into())
}

struct Load {
    requests: u64,
    seconds: f64,
    latency: Latency,
}

fn wrk(case: Case, url: &str, length: Duration) -> Result<Load, Box<dyn Error>> {
    let output = Command::new("wrk")
        .args(["--threads", "1", "--connections", &CONNECTIONS.to_string()])
        .args(["--duration", &format!("{}s", length.as_secs())])
        .args(["--script", SCRIPT, url])
        .env("REQUEST_BODY", case.request(REQUEST_ID))
        .env("REQUEST_HEADERS", headers(case, "\n"))
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
    let seconds = |microseconds| f64::from(microseconds) / 1e6;
    match *numbers.as_slice() {
        [requests, length, p50, p99, 0] if requests > 0 => Ok(Load {
            requests: requests.into(),
            seconds: seconds(length),
            latency: Latency {
                p50: seconds(p50),
                p99: seconds(p99),
            },
        }),
        _ => Err(format!("wrk saw errors: {text}").into()),
    }
}
