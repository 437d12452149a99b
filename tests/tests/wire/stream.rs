//! The client's end of a byte stream of lines.

use plainly::server::Server;
use plainly_peer::Peer;
use plainly_tests::valid::Conversation;

use crate::sender::{Sender, initialize};

const OTHER_RESOURCES: &str = r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed""#;

/// A connection to a server.
pub(crate) struct Stream {
    sender: Sender,
    conversation: Conversation,
    /// Whether the client may send invalid messages.
    says_anything: bool,
    /// The bytes of an unfinished line.
    begun: Vec<u8>,
    pub(crate) peer: Peer,
}

impl Stream {
    /// Connects. A legacy client opens its session.
    pub(crate) async fn open(server: &Server, sender: Sender) -> Self {
        let mut stream = Self {
            sender,
            conversation: Conversation::new(),
            says_anything: false,
            begun: Vec::new(),
            peer: Peer::with_room(server, 64 << 10),
        };
        if let Sender::Legacy(revision) = sender {
            let reply = stream.ask(&initialize("\"opens\"", revision)).await;
            let expected = format!(r#""protocolVersion":"{revision}""#);
            assert!(reply.contains(&expected), "{reply}");
        }
        stream
    }

    /// Connects to send invalid messages.
    pub(crate) async fn careless(server: &Server, sender: Sender) -> Self {
        let mut stream = Self::open(server, sender).await;
        stream.says_anything = true;
        stream
    }

    /// Writes bytes unchanged.
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.begun.extend_from_slice(bytes);
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<_> = self.begun.drain(..=end).collect();
            self.conversation.note(&line);
        }
        self.peer.write(bytes).await;
    }

    /// Writes a message and its newline.
    pub(crate) async fn send(&mut self, template: impl AsRef<[u8]>) {
        let mut bytes = self.sender.fill(template.as_ref());
        if !self.says_anything {
            self.conversation.check(&bytes);
        }
        bytes.push(b'\n');
        self.write(&bytes).await;
    }

    /// Returns the next line, except notifications of a changed list of resources, which a session
    /// may receive at any time.
    pub(crate) async fn next(&mut self) -> String {
        loop {
            let line = self.peer.line().await;
            let line = line.expect("the server closed the stream");
            self.conversation.heard(line.as_bytes());
            if !line.starts_with(OTHER_RESOURCES) {
                return line;
            }
        }
    }

    /// Sends a request and returns the next line as its reply.
    pub(crate) async fn ask(&mut self, template: &str) -> String {
        self.send(template).await;
        self.next().await
    }

    /// Sends a valid request, and returns the lines before its reply, which answer earlier
    /// messages.
    pub(crate) async fn before_a_good_reply(&mut self, after: &str) -> Vec<String> {
        self.send(crate::sender::say("\"good\"", "echo", "still here"))
            .await;
        let mut before = Vec::new();
        loop {
            let line = self.next().await;
            if line.starts_with(r#"{"jsonrpc":"2.0","id":"good","result":{"content":[{"type":"text","text":"still here"}]"#) {
                return before;
            }
            assert!(!line.contains("\"good\""), "after {after}: {line}");
            before.push(line);
        }
    }

    /// Closes the sending side, and returns all further lines.
    pub(crate) async fn end(mut self) -> Vec<String> {
        self.peer.finish().await;
        self.rest().await
    }

    /// Returns all lines until the server closes the stream.
    pub(crate) async fn rest(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.peer.line().await {
            self.conversation.heard(line.as_bytes());
            lines.push(line);
        }
        self.peer.served().await.unwrap();
        lines
    }
}
