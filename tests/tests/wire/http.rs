//! A listening server, and clients that send it raw requests.

use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plainly::server::Server;
use plainly_peer::{Site, within};
use plainly_tests::valid::Conversation;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::sender::{MODERN, Sender, initialize};

/// A server that listens on loopback.
pub(crate) struct Http {
    pub(crate) address: SocketAddr,
    site: Site,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Http {
    pub(crate) async fn listen(server: &Server) -> Self {
        let site = Site::serve(server.http().path("/mcp")).await;
        let address = site.address;
        Self { address, site }
    }

    /// Creates a client of this server. A legacy client opens its session.
    pub(crate) async fn client(&self, sender: Sender) -> Client {
        let mut client = Client {
            address: self.address,
            sender,
            says_anything: false,
            session: None,
        };
        if let Sender::Legacy(revision) = sender {
            let body = initialize("\"opens\"", revision);
            let opened = client.post("", body.as_bytes()).await;
            assert_eq!(opened.status, 200, "{opened:?}");
            client.session = Some(opened.header("mcp-session-id").unwrap());
        }
        client
    }

    /// Sends a request unchanged.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> Response {
        self.send(bytes, false).await
    }

    /// Sends a request unchanged and then closes the sending side, whatever length it announced.
    pub(crate) async fn cut(&self, bytes: &[u8]) -> Response {
        self.send(bytes, true).await
    }

    async fn send(&self, bytes: &[u8], is_all: bool) -> Response {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        within(stream.write_all(bytes)).await.ok();
        if is_all {
            stream.shutdown().await.ok();
        }
        let mut conversation = Conversation::new();
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            conversation.note(&bytes[end + 4..]);
        }
        Pending {
            stream,
            conversation,
        }
        .response()
        .await
    }

    /// Asks the server to stop. It has stopped when the returned task ends.
    pub(crate) fn stop(mut self) -> JoinHandle<std::io::Result<()>> {
        self.site.stop();
        self.site.serving
    }
}

/// A client whose requests each have their own connection.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    sender: Sender,
    /// Whether the client may send invalid messages.
    says_anything: bool,
    pub(crate) session: Option<String>,
}

impl Client {
    /// Returns a client that may send invalid messages.
    pub(crate) fn saying_anything(mut self) -> Self {
        self.says_anything = true;
        self
    }

    /// Returns a client with another session id, or with none.
    pub(crate) fn with_session(&self, session: Option<String>) -> Self {
        Self {
            session,
            ..self.clone()
        }
    }

    /// Sends `template` with the headers of a valid client.
    pub(crate) async fn send(&self, template: impl AsRef<[u8]>) -> Response {
        let body = self.sender.fill(template.as_ref());
        self.post(&self.headers(&body), &body).await
    }

    /// Like [`send`](Self::send), but does not await the response.
    pub(crate) async fn begin(&self, template: impl AsRef<[u8]>) -> Pending {
        let body = self.sender.fill(template.as_ref());
        self.start("POST", &self.headers(&body), &body).await
    }

    /// Sends `body` with these headers, beside those that HTTP requires.
    pub(crate) async fn post(&self, headers: &str, body: &[u8]) -> Response {
        self.start("POST", headers, body).await.response().await
    }

    /// Ends the session.
    pub(crate) async fn delete(&self) -> Response {
        self.delete_with("").await
    }

    /// Ends the session, with these headers beside its id.
    pub(crate) async fn delete_with(&self, headers: &str) -> Response {
        let headers = self.session_header() + headers;
        self.start("DELETE", &headers, b"").await.response().await
    }

    async fn start(&self, method: &str, headers: &str, body: &[u8]) -> Pending {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut bytes = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n",
            self.address,
            body.len(),
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        within(stream.write_all(&bytes)).await.ok();
        let mut conversation = self.sender.conversation();
        if !self.says_anything && !body.is_empty() {
            conversation.check(body);
        }
        conversation.note(body);
        Pending {
            stream,
            conversation,
        }
    }

    fn session_header(&self) -> String {
        self.session
            .as_ref()
            .map(|id| format!("Mcp-Session-Id: {id}\r\n"))
            .unwrap_or_default()
    }

    /// The headers of a valid client for `body`, without values that can't be in a header.
    pub(crate) fn headers(&self, body: &[u8]) -> String {
        match self.sender {
            Sender::Modern => format!("MCP-Protocol-Version: {MODERN}\r\n{}", mirrored(body)),
            Sender::Legacy(revision @ ("2025-06-18" | "2025-11-25")) => {
                format!(
                    "{}MCP-Protocol-Version: {revision}\r\n",
                    self.session_header()
                )
            }
            Sender::Legacy(_) => self.session_header(),
        }
    }
}

/// `Mcp-Method` and `Mcp-Name` for this body, without a method that can't be in a header.
pub(crate) fn mirrored(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let method = body["method"].as_str().unwrap_or_default();
    let name = match method {
        "tools/call" | "prompts/get" => body["params"]["name"].as_str(),
        "resources/read" => body["params"]["uri"].as_str(),
        _ => None,
    };
    let method = match is_plain(method) {
        true => format!("Mcp-Method: {method}\r\n"),
        false => String::new(),
    };
    let name = match name {
        Some(name) if is_plain(name) => format!("Mcp-Name: {name}\r\n"),
        Some(name) => format!("Mcp-Name: =?base64?{}?=\r\n", STANDARD.encode(name)),
        None => String::new(),
    };
    method + &name
}

/// Reports whether a header can have this text unencoded.
fn is_plain(text: &str) -> bool {
    let is_visible = text
        .bytes()
        .all(|byte| byte == b' ' || byte.is_ascii_graphic());
    is_visible && text.trim() == text && text.len() <= 8 << 10 && !text.starts_with("=?")
}

/// A request whose response is awaited.
pub(crate) struct Pending {
    stream: TcpStream,
    conversation: Conversation,
}

impl Pending {
    pub(crate) async fn response(mut self) -> Response {
        let mut bytes = Vec::new();
        within(self.stream.read_to_end(&mut bytes)).await.ok();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("no response");
        let status = head.get(9..12).and_then(|digits| digits.parse().ok());
        let response = Response {
            status: status.expect("no status"),
            head: head.to_owned(),
            body: body.to_owned(),
        };
        response.check(&mut self.conversation);
        response
    }
}

impl Response {
    /// The value of a header. The case of its name is ignored.
    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "))
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
    }

    /// Checks that all messages in the response are valid.
    fn check(&self, conversation: &mut Conversation) {
        let body = self.body.as_bytes();
        match self.header("content-type").as_deref() {
            Some("application/json") if self.status < 400 => conversation.heard(body),
            Some("application/json") => conversation.refused(body),
            Some("text/event-stream") => {
                // No event spans two chunks, so the lines between events are no messages.
                let data = self
                    .body
                    .lines()
                    .filter_map(|line| line.strip_prefix("data: "));
                data.filter(|data| !data.is_empty())
                    .for_each(|data| conversation.heard(data.as_bytes()));
            }
            _ => {}
        }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}
