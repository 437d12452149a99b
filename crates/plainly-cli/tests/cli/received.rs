//! Reads a request over HTTP, for servers that tests simulate.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use serde_json::Value;

/// The HTTP method and the message of the next request, if there is one. The message is null if the
/// request has none.
pub(crate) fn received(stream: &TcpStream) -> Option<(String, Value)> {
    let (method, _, body) = request(&mut BufReader::new(stream))?;
    Some((method, serde_json::from_slice(&body).unwrap_or_default()))
}

/// The method, the path and the body of the next request, if there is one.
pub(crate) fn request(reader: &mut impl BufRead) -> Option<(String, String, Vec<u8>)> {
    let mut line = || {
        let mut line = String::new();
        let read = reader.read_line(&mut line);
        read.ok().filter(|&read| read > 0).map(|_| line)
    };
    let first = line()?;
    let mut words = first.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut length = 0;
    loop {
        let line = line()?.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((method, path, body))
}
