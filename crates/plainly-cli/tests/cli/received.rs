//! A request over HTTP, as a server that a test plays receives it.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;

use serde_json::Value;

/// The next request of a connection, if one comes: its method in HTTP, and its message; null if it has none.
pub(crate) fn received(stream: &TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let (mut method, mut length) = (None, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let name = line.split(' ').next().unwrap_or_default();
        method.get_or_insert_with(|| name.to_owned());
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((method?, serde_json::from_slice(&body).unwrap_or_default()))
}
