//! The client's end of a byte stream, such as standard input and output: lines in, lines out.

use plainly::server::Server;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use crate::http::{initialize, modern};
use crate::within;

pub(crate) struct Stream {
    pub(crate) writer: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Stream {
    pub(crate) fn open(server: &Server) -> Self {
        let (near, far) = tokio::io::duplex(64 << 10);
        let server = server.clone();
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(far);
            server.serve(reader, writer).await
        });
        let (reader, writer) = tokio::io::split(near);
        Self {
            writer,
            lines: BufReader::new(reader).lines(),
        }
    }

    /// In a session of an older revision.
    pub(crate) async fn legacy(server: &Server) -> Self {
        let mut stream = Self::open(server);
        stream.say(&initialize()).await;
        let opened = stream.next().await;
        assert!(opened["result"].is_object(), "{opened}");
        stream
            .say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        stream
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        within(self.writer.write_all(bytes)).await.unwrap();
    }

    pub(crate) async fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// The next line, if the server has not closed.
    pub(crate) async fn line(&mut self) -> Option<String> {
        within(self.lines.next_line()).await.unwrap()
    }

    pub(crate) async fn next(&mut self) -> Value {
        let line = self.line().await.expect("the server closed the stream");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Asks for an echo, and gives what came before it.
    pub(crate) async fn before_a_good_reply(&mut self) -> Vec<Value> {
        let params = json!({"name": "echo", "arguments": {"text": "still here"}});
        self.say(&modern("good", "tools/call", params)).await;
        let mut before = Vec::new();
        loop {
            let message = self.next().await;
            if message["id"] == "good" {
                assert_eq!(message["result"]["content"][0]["text"], "still here");
                return before;
            }
            before.push(message);
        }
    }
}
