//! An HTTP response, read as far as the test needs.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::net::TcpStream;

use crate::{check_words, within};

/// A response whose head was read.
#[derive(Debug)]
pub struct Response<S = TcpStream> {
    /// The status.
    pub status: u16,
    /// The whole head.
    pub head: String,
    /// The part of the body that was not read yet.
    pub stream: BufReader<S>,
    /// The part of the events that was read but not parsed yet.
    unread: String,
    is_over: bool,
}

/// An event with its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The type of the event, if it has one.
    pub name: Option<String>,
    /// The id, from which a client can resume.
    pub id: Option<String>,
    /// The time after which a client may reconnect, in milliseconds.
    pub retry: Option<u64>,
    /// The data.
    pub data: String,
}

impl Event {
    /// The message in the data.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    #[must_use]
    pub fn json(&self) -> Value {
        let json = serde_json::from_str(&self.data);
        let json = json.unwrap_or_else(|error| panic!("{error}: {self:?}"));
        check_words(&json);
        json
    }

    fn parse(text: &str) -> Self {
        let mut event = Self::default();
        for line in text.lines() {
            let (field, value) = line.split_once(": ").unwrap();
            match field {
                "event" => event.name = Some(value.to_owned()),
                "id" => event.id = Some(value.to_owned()),
                "retry" => event.retry = Some(value.parse().unwrap()),
                "data" => value.clone_into(&mut event.data),
                other => panic!("{other} in {text}"),
            }
        }
        event
    }
}

impl<S: AsyncRead + Unpin> Response<S> {
    /// Reads the head of the next response on `stream`.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    pub async fn read(mut stream: BufReader<S>) -> Self {
        let mut head = read_head(&mut stream).await;
        // Informational responses come before the final one.
        while head.starts_with("HTTP/1.1 1") {
            head = read_head(&mut stream).await;
        }
        let status = head.get(9..12).and_then(|status| status.parse().ok());
        Self {
            status: status.unwrap_or_else(|| panic!("no status: {head}")),
            head,
            stream,
            unread: String::new(),
            is_over: false,
        }
    }

    /// The value of a header, whose name may be in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// The id of the session that the response opens.
    ///
    /// # Panics
    ///
    /// Panics if it opens none.
    #[must_use]
    pub fn session(&self) -> String {
        let session = self.header("mcp-session-id");
        session
            .unwrap_or_else(|| panic!("no session: {}", self.head))
            .to_owned()
    }

    /// Reads the next part of the body, as the server wrote it; empty at its end.
    pub async fn part(&mut self) -> String {
        let mut part = Vec::new();
        if self.is_over {
        } else if let Some(length) = self.header("content-length") {
            part = vec![0; length.parse().unwrap()];
            within(self.stream.read_exact(&mut part)).await.unwrap();
            self.is_over = true;
        } else if self.header("transfer-encoding").is_some() {
            let size = line(&mut self.stream).await.expect("the server closed");
            let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
            part = vec![0; size + 2];
            within(self.stream.read_exact(&mut part)).await.unwrap();
            part.truncate(size);
            self.is_over = size == 0;
        } else {
            within(self.stream.read_buf(&mut part)).await.unwrap();
            self.is_over = part.is_empty();
        }
        String::from_utf8(part).unwrap()
    }

    /// Reads everything until the server closes the connection, as the server wrote it.
    pub async fn rest(mut self) -> String {
        let mut bytes = Vec::new();
        // A reset counts as closing too.
        let _end = within(self.stream.read_to_end(&mut bytes)).await;
        String::from_utf8(bytes).unwrap()
    }

    /// Reads the rest of the body.
    pub async fn body(&mut self) -> String {
        let mut body = std::mem::take(&mut self.unread);
        while !self.is_over {
            body += &self.part().await;
        }
        body
    }

    /// Reads the rest of the body as a message.
    pub async fn json(&mut self) -> Value {
        let body = self.body().await;
        let json = serde_json::from_str(&body);
        let json = json.unwrap_or_else(|error| panic!("{error}: {} {body}", self.head));
        check_words(&json);
        json
    }

    /// Reads the next event, skipping comments; `None` at the end of the stream, which must be a
    /// regular one.
    pub async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.unread.find("\n\n") {
                let text: String = self.unread.drain(..end + 2).collect();
                if !text.starts_with(':') {
                    return Some(Event::parse(text.trim_end_matches('\n')));
                }
            } else if self.is_over {
                assert_eq!(self.unread, "", "an event that has no end");
                return None;
            } else {
                let part = self.part().await;
                self.unread += &part;
            }
        }
    }

    /// Reads the next message, from an event or from the whole body; `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        if self.header("content-type") == Some("text/event-stream") {
            loop {
                match self.event().await? {
                    // An event that only has an id to resume from.
                    event if event.data.is_empty() => {}
                    event => return Some(event.json()),
                }
            }
        }
        match self.is_over {
            true => None,
            false => Some(self.json().await),
        }
    }

    /// Reads the next message.
    ///
    /// # Panics
    ///
    /// Panics at the end.
    pub async fn message(&mut self) -> Value {
        self.next().await.expect("the response is over")
    }
}

async fn read_head(stream: &mut (impl AsyncBufReadExt + Unpin)) -> String {
    head(stream).await.expect("the server closed")
}

/// Reads the next head; `None` if the stream ends before it.
pub(crate) async fn head(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        head += &line(stream).await?;
    }
    Some(head)
}

async fn line(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<String> {
    let mut line = String::new();
    within(stream.read_line(&mut line)).await.ok();
    line.ends_with('\n').then_some(line)
}

pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut headers = head.lines().filter_map(|line| line.split_once(": "));
    let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}
