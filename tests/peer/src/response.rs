//! A response of HTTP, read as far as the test wants to.

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::net::TcpStream;

use crate::{check_words, within};

/// A response whose head is read.
#[derive(Debug)]
pub struct Response<S = TcpStream> {
    /// Its status.
    pub status: u16,
    /// All before the body.
    pub head: String,
    /// The body as far as it was not read yet.
    pub stream: BufReader<S>,
    /// What of the events was read and is none yet.
    unread: String,
    is_over: bool,
}

/// One event, as its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// What kind of event it is, if it says so.
    pub name: Option<String>,
    /// From where on a client can ask for more.
    pub id: Option<String>,
    /// After how many milliseconds it may.
    pub retry: Option<u64>,
    /// What it carries.
    pub data: String,
}

impl Event {
    /// Its message.
    ///
    /// # Panics
    ///
    /// If there is none.
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
    /// Reads the head of the response that comes on `stream`.
    ///
    /// # Panics
    ///
    /// If none comes.
    pub async fn read(mut stream: BufReader<S>) -> Self {
        let mut head = read_head(&mut stream).await;
        // An informational one comes before the other.
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

    /// What a header says; its name in any case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// The session that it opens.
    ///
    /// # Panics
    ///
    /// If it opens none.
    #[must_use]
    pub fn session(&self) -> String {
        let session = self.header("mcp-session-id");
        session
            .unwrap_or_else(|| panic!("no session: {}", self.head))
            .to_owned()
    }

    /// The next part of the body, as the server wrote it; empty at its end.
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

    /// All that still comes until the server closes, as it wrote it.
    pub async fn rest(mut self) -> String {
        let mut bytes = Vec::new();
        // A reset is an end too.
        let _end = within(self.stream.read_to_end(&mut bytes)).await;
        String::from_utf8(bytes).unwrap()
    }

    /// All of the body that is left.
    pub async fn body(&mut self) -> String {
        let mut body = std::mem::take(&mut self.unread);
        while !self.is_over {
            body += &self.part().await;
        }
        body
    }

    /// The body, or what is left of it, as a message.
    pub async fn json(&mut self) -> Value {
        let body = self.body().await;
        let json = serde_json::from_str(&body);
        let json = json.unwrap_or_else(|error| panic!("{error}: {} {body}", self.head));
        check_words(&json);
        json
    }

    /// The next event, comments left out; none at the end of the stream, if that is a good one.
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

    /// The next message, of an event or as the whole body; none at the end.
    pub async fn next(&mut self) -> Option<Value> {
        if self.header("content-type") == Some("text/event-stream") {
            loop {
                match self.event().await? {
                    // An event that only says from where on a client can ask for more.
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

    /// The next message.
    ///
    /// # Panics
    ///
    /// At the end.
    pub async fn message(&mut self) -> Value {
        self.next().await.expect("the response is over")
    }
}

async fn read_head(stream: &mut (impl AsyncBufReadExt + Unpin)) -> String {
    head(stream).await.expect("the server closed")
}

/// The head of what comes next; none if the stream ends before.
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
