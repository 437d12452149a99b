//! The answers over a pipe: lines and HTTP responses.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

use super::wire::Cut;

pub(crate) async fn write(stream: &mut BufReader<DuplexStream>, text: &str) -> Result<(), Cut> {
    stream.write_all(text.as_bytes()).await.map_err(|_| Cut)
}

pub(crate) async fn say(stream: &mut BufReader<DuplexStream>, message: &Value) -> Result<(), Cut> {
    write(stream, &format!("{message}\n")).await
}

/// Reads the next complete line.
pub(crate) async fn line(stream: &mut BufReader<DuplexStream>) -> Result<String, Cut> {
    let mut line = String::new();
    stream.read_line(&mut line).await.map_err(|_| Cut)?;
    if line.ends_with('\n') {
        Ok(line)
    } else {
        Err(Cut)
    }
}

/// An HTTP response.
pub(crate) struct Response {
    pub(crate) stream: BufReader<DuplexStream>,
    /// The head, after it was read.
    head: Option<Head>,
    /// The id of the last event.
    pub(crate) last: Option<String>,
}

pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    pub(crate) is_events: bool,
    length: usize,
}

impl Head {
    async fn read(stream: &mut BufReader<DuplexStream>) -> Result<Self, Cut> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            head += &line(stream).await?;
        }
        let header = |wanted: &str| {
            head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case(wanted).then(|| value.to_owned())
            })
        };
        let length = header("content-length").map_or(0, |length| length.parse().unwrap());
        Ok(Self {
            status: head[9..12].parse().unwrap(),
            session: header("mcp-session-id"),
            is_events: header("content-type").as_deref() == Some("text/event-stream"),
            length,
        })
    }
}

impl Response {
    /// Returns the response to the request that was just sent.
    pub(crate) fn on(stream: BufReader<DuplexStream>) -> Self {
        Self {
            stream,
            head: None,
            last: None,
        }
    }

    pub(crate) async fn head(&mut self) -> Result<&Head, Cut> {
        let head = match self.head.take() {
            Some(head) => head,
            None => Head::read(&mut self.stream).await?,
        };
        Ok(self.head.insert(head))
    }

    /// Reads the next message, which is the data of an event or the whole body.
    pub(crate) async fn message(&mut self) -> Result<String, Cut> {
        let head = self.head().await?;
        if !head.is_events {
            let mut body = vec![0; head.length];
            self.stream.read_exact(&mut body).await.map_err(|_| Cut)?;
            return Ok(String::from_utf8(body).unwrap());
        }
        loop {
            let line = line(&mut self.stream).await?;
            if let Some(id) = line.strip_prefix("id: ") {
                self.last = Some(id.trim_end().to_owned());
            }
            let data = line.strip_prefix("data: ").map(str::trim_end);
            if let Some(data) = data.filter(|data| !data.is_empty()) {
                return Ok(data.to_owned());
            }
        }
    }
}
