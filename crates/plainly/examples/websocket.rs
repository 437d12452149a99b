//! Serves and calls over WebSocket, which MCP has no transport for: a type that carries messages is all that both sides need.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use plainly::client::{Builder, OverMessages};
use plainly::server::BuildErrors;
use plainly::transport::{FlushProgress, Inbound, Messages};
use plainly::{Args, Client, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config, client_async};

/// The largest message that the server receives.
const MESSAGE_BYTES: usize = 4 << 20;

/// Messages over WebSocket, each in a text frame of its own.
pub(crate) struct WebSocket {
    stream: WebSocketStream<TcpStream>,
    /// Why something could not be sent: the next flush says so.
    failed: Option<tungstenite::Error>,
}

impl Messages for WebSocket {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        loop {
            let message = match ready!(self.stream.poll_next_unpin(context)) {
                Some(Ok(Message::Text(text))) => Bytes::from(text),
                // Pings are answered by the library, and binary frames have no meaning here.
                Some(Ok(_)) => continue,
                Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error))),
                None => return Poll::Ready(Ok(None)),
            };
            return Poll::Ready(Ok(Some(Inbound::Message(message))));
        }
    }

    fn send(&mut self, message: Bytes) {
        let text = Utf8Bytes::try_from(message).map_err(tungstenite::Error::from);
        let sent = text.and_then(|text| self.stream.start_send_unpin(Message::Text(text)));
        self.failed = self.failed.take().or(sent.err());
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        if let Some(error) = self.failed.take() {
            return Poll::Ready(Err(io::Error::other(error)));
        }
        let flushed = ready!(self.stream.poll_flush_unpin(context));
        Poll::Ready(match flushed {
            Ok(()) => Ok(FlushProgress::Complete),
            Err(error) => Err(io::Error::other(error)),
        })
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let closed = self.stream.poll_close_unpin(context);
        closed.map_err(io::Error::other)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who is greeted.
    name: String,
}

async fn greet(Args(Greet { name }): Args<Greet>) -> String {
    format!("Hello, {name}!")
}

fn server() -> Result<Server, BuildErrors> {
    Server::builder("greeter", "1.0.0")
        .tool(Tool::new("greet", greet).read_only())
        .build()
}

/// Serves everyone who connects, each by a task of its own.
pub(crate) async fn serve(listener: TcpListener) -> Result<(), Box<dyn Error>> {
    let server = server()?;
    loop {
        let (stream, peer) = listener.accept().await?;
        let server = server.clone();
        tokio::spawn(async move {
            if let Err(error) = serve_one(&server, stream).await {
                eprintln!("{peer}: {error}");
            }
        });
    }
}

async fn serve_one(server: &Server, stream: TcpStream) -> Result<(), Box<dyn Error + Send + Sync>> {
    let config = WebSocketConfig::default().max_message_size(Some(MESSAGE_BYTES));
    let stream = accept_async_with_config(stream, Some(config)).await?;
    let failed = None;
    Ok(server.serve_messages(WebSocket { stream, failed }).await?)
}

/// A client of the server at `address`.
pub(crate) async fn client(
    address: SocketAddr,
) -> Result<Builder<OverMessages<WebSocket>>, tungstenite::Error> {
    let stream = TcpStream::connect(address).await?;
    let (stream, _response) = client_async(format!("ws://{address}"), stream).await?;
    let failed = None;
    Ok(Client::over_messages(WebSocket { stream, failed }))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { serve(listener).await.map_err(|error| error.to_string()) });
    let client = client(address).await?.connect().await?;
    let greeting = client
        .call_tool("greet", serde_json::json!({"name": "Ada"}))
        .await?;
    println!("{}: {:?}", client.revision(), greeting.content);
    client.close().await;
    Ok(())
}
