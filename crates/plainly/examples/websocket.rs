//! A server and a client over WebSocket, for which MCP defines no transport: both sides need only a
//! type that carries messages.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "says what came of it"
)]

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use plainly::client::{Builder, OverMessages};
use plainly::transport::{FlushProgress, Inbound, Messages, ServeError};
use plainly::{Args, Client, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async};

/// The size limit of a message to the server, in bytes.
const MESSAGE_BYTES: usize = 4 << 20;

/// Messages over WebSocket, each in a text frame of its own.
pub(crate) struct WebSocket(WebSocketStream<TcpStream>);

impl Messages for WebSocket {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        Poll::Ready(loop {
            match ready!(self.0.poll_next_unpin(context)) {
                Some(Ok(Message::Text(text))) => break Ok(Some(Inbound::Message(text.into()))),
                // The library answers pings, and binary frames have no meaning here.
                Some(Ok(_)) => {}
                Some(Err(error)) => break Err(io::Error::other(error)),
                None => break Ok(None),
            }
        })
    }

    fn send(&mut self, message: Bytes) {
        // JSON is UTF-8. If the connection has failed, the next flush returns the error.
        if let Ok(text) = Utf8Bytes::try_from(message) {
            let _sent = self.0.start_send_unpin(Message::Text(text));
        }
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        let flushed = self.0.poll_flush_unpin(context).map_err(io::Error::other);
        flushed.map_ok(|()| FlushProgress::Complete)
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.poll_close_unpin(context).map_err(io::Error::other)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// The name to greet.
    name: String,
}

async fn greet(Args(Greet { name }): Args<Greet>) -> String {
    format!("Hello, {name}!")
}

/// Serves every client that connects, each in a task of its own.
pub(crate) async fn serve(listener: TcpListener) -> Result<(), Box<dyn Error + Send + Sync>> {
    let greet = Tool::new("greet", greet).read_only();
    let server = Server::builder("greeter", "1.0.0").tool(greet).build()?;
    let config = WebSocketConfig::default().max_message_size(Some(MESSAGE_BYTES));
    loop {
        let (stream, peer) = listener.accept().await?;
        let server = server.clone();
        tokio::spawn(async move {
            let accepted = accept_async_with_config(stream, Some(config)).await;
            let served = match accepted {
                Ok(stream) => server.serve_messages(WebSocket(stream)).await,
                Err(error) => Err(ServeError::Connection(io::Error::other(error))),
            };
            if let Err(error) = served {
                eprintln!("{peer}: {error:?}");
            }
        });
    }
}

/// Returns a client of the server at `address`.
pub(crate) async fn client(
    address: SocketAddr,
) -> Result<Builder<OverMessages<WebSocket>>, tungstenite::Error> {
    let stream = TcpStream::connect(address).await?;
    let (stream, _response) = client_async(format!("ws://{address}"), stream).await?;
    Ok(Client::over_messages(WebSocket(stream)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(serve(listener));
    let client = client(address).await?.connect().await?;
    let greeting = client
        .call_tool("greet", serde_json::json!({"name": "Ada"}))
        .await?;
    println!("{}: {:?}", client.revision(), greeting.content);
    client.close().await;
    Ok(())
}
