//! A connection of a raw client, which can send any bytes, and need not read responses.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use socket2::SockRef;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::message::Message;

/// The time after which a wait fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// Small, because there are many connections.
const BUFFER: usize = 512;
/// The receive buffer of a client that reads nothing.
const NARROW: u32 = 4 << 10;
/// The maximum segment size of Ethernet. Over loopback, with segments of 64 KiB, the server's
/// operating system buffers 2.5 MB for each client that doesn't read; over a network, it buffers 50
/// KB.
const ETHERNET: u32 = 1_460;

/// One of the many loopback addresses. The server counts each as a separate peer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source(Ipv4Addr);

impl Source {
    /// The address of the watching client.
    pub(crate) const WATCHER: Self = Self(Ipv4Addr::LOCALHOST);

    /// A unique address, other than the watching client's.
    pub(crate) fn other(number: usize) -> Self {
        let low = (number % (1 << 16)) as u16;
        let [high, low] = low.to_be_bytes();
        Self(Ipv4Addr::new(127, 1, high, low))
    }
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Peer {
    stream: BufReader<TcpStream>,
    server: SocketAddr,
}

/// The head of a response whose body was not read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    length: Option<usize>,
}

impl Peer {
    pub(crate) async fn connect(server: SocketAddr, source: Source) -> Result<Self> {
        Self::open(server, source, TcpSocket::new_v4()?).await
    }

    /// Connects with small buffers in the operating systems on both sides.
    pub(crate) async fn connect_narrow(server: SocketAddr, source: Source) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(NARROW)?;
        SockRef::from(&socket).set_tcp_mss(ETHERNET)?;
        Self::open(server, source, socket).await
    }

    async fn open(server: SocketAddr, Source(source): Source, socket: TcpSocket) -> Result<Self> {
        socket.bind((source, 0).into())?;
        let stream = timeout(PATIENCE, socket.connect(server))
            .await
            .context("no connection in time")??;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream: BufReader::with_capacity(BUFFER, stream),
            server,
        })
    }

    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// Sends a request, and reads the whole response.
    pub(crate) async fn ask(&mut self, message: &Message) -> Result<(Head, Vec<u8>)> {
        self.send(&message.http(self.server)).await?;
        timeout(PATIENCE, self.response())
            .await
            .context("no response in time")?
    }

    /// Sends a request, whose response must be complete and successful.
    pub(crate) async fn reply(&mut self, message: &Message) -> Result<Value> {
        let (head, body) = self.ask(message).await?;
        ensure!(
            head.status == 200,
            "status {}: {}",
            head.status,
            String::from_utf8_lossy(&body)
        );
        Ok(serde_json::from_slice(&body)?)
    }

    /// Sends a request, whose response must be an event stream.
    pub(crate) async fn open_events(&mut self, message: &Message) -> Result<()> {
        self.send(&message.http(self.server)).await?;
        let head = timeout(PATIENCE, self.head())
            .await
            .context("no head in time")??;
        ensure!(
            head.status == 200 && head.length.is_none(),
            "no stream of events: {head:?}"
        );
        Ok(())
    }

    async fn response(&mut self) -> Result<(Head, Vec<u8>)> {
        let head = self.head().await?;
        let mut body = vec![0; head.length.context("no length")?];
        self.stream.read_exact(&mut body).await?;
        Ok((head, body))
    }

    pub(crate) async fn head(&mut self) -> Result<Head> {
        let mut head = Head {
            status: 0,
            length: None,
        };
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            if line.is_empty() {
                return Ok(head);
            } else if let Some(rest) = line.strip_prefix("http/1.1 ") {
                head.status = rest.get(..3).unwrap_or_default().parse()?;
            } else if let Some(length) = line.strip_prefix("content-length: ") {
                head.length = Some(length.parse()?);
            }
        }
    }

    /// The next event of a stream; `None` at its end. Comments are skipped.
    pub(crate) async fn event(&mut self) -> Result<Option<Value>> {
        loop {
            let Some(chunk) = self.chunk().await? else {
                return Ok(None);
            };
            let data = chunk.lines().find_map(|line| line.strip_prefix("data: "));
            if let Some(data) = data {
                return Ok(Some(serde_json::from_str(data)?));
            }
        }
    }

    /// The next chunk of the response. The server writes one event into each.
    async fn chunk(&mut self) -> Result<Option<String>> {
        let size = usize::from_str_radix(&self.line().await?, 16)?;
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).await?;
        chunk.truncate(size);
        Ok((size > 0).then_some(String::from_utf8(chunk)?))
    }

    async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            bail!("the server closed");
        }
        Ok(line.trim_end().to_owned())
    }

    /// Reads until the server closes the connection.
    pub(crate) async fn closed(&mut self) {
        let mut buffer = [0; BUFFER];
        while matches!(self.stream.read(&mut buffer).await, Ok(bytes) if bytes > 0) {}
    }

    /// Reads this number of bytes, or until the server closes the connection.
    pub(crate) async fn skip(&mut self, bytes: usize) {
        let mut left = bytes;
        let mut buffer = [0; BUFFER];
        while left > 0 {
            match self.stream.read(&mut buffer).await {
                Ok(read) if read > 0 => left = left.saturating_sub(read),
                _ => break,
            }
        }
    }

    /// Closes the connection with a reset, which leaves no state on either side.
    pub(crate) fn reset(self) {
        // Fails if the connection is closed already.
        self.stream.into_inner().set_zero_linger().ok();
    }
}
