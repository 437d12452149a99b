//! Streams whose reads and writes block, such as standard input and output: each has its own
//! thread.
//!
//! Not one of tokio's threads for blocking work, because a runtime waits for those when it shuts
//! down, and the process would wait for a peer that neither writes nor reads any more.

use std::io::{self, ErrorKind, Read, Write};
use std::pin::Pin;
use std::sync::mpsc as blocking;
use std::task::{Context, Poll, ready};
use std::thread;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

/// The maximum number of bytes that are read or written at once.
const CHUNK: usize = 64 << 10;

/// A reader whose bytes come from a thread.
#[derive(Debug)]
pub(super) struct ThreadReader {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    /// The rest of the last chunk.
    rest: Bytes,
}

impl ThreadReader {
    /// Starts a thread that reads ahead by at most two chunks.
    pub(super) fn new(mut from: impl Read + Send + 'static) -> io::Result<Self> {
        let (sender, chunks) = mpsc::channel(1);
        spawn("plainly reads", move || {
            let mut buffer = vec![0; CHUNK];
            loop {
                let chunk = match from.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(read) => Ok(Bytes::copy_from_slice(
                        buffer.get(..read).unwrap_or_default(),
                    )),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_last = chunk.is_err();
                if sender.blocking_send(chunk).is_err() || is_last {
                    break;
                }
            }
        })?;
        Ok(Self {
            chunks,
            rest: Bytes::new(),
        })
    }
}

impl AsyncRead for ThreadReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.rest.is_empty() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => self.rest = chunk?,
                None => return Poll::Ready(Ok(())),
            }
        }
        let some = self.rest.len().min(buffer.remaining());
        buffer.put_slice(&self.rest.split_to(some));
        Poll::Ready(Ok(()))
    }
}

/// A writer whose bytes a thread writes.
#[derive(Debug)]
pub(super) struct ThreadWriter {
    chunks: blocking::Sender<Vec<u8>>,
    /// Returns each chunk after it has been written.
    written: mpsc::Receiver<(Vec<u8>, io::Result<()>)>,
    /// The buffer for the next chunk; `None` while it is being written.
    free: Option<Vec<u8>>,
}

impl ThreadWriter {
    /// Starts a thread that writes one chunk at a time and flushes each.
    pub(super) fn new(mut to: impl Write + Send + 'static) -> io::Result<Self> {
        let (chunks, received) = blocking::channel::<Vec<u8>>();
        let (sender, written) = mpsc::channel(1);
        spawn("plainly writes", move || {
            for mut chunk in received {
                let outcome = to.write_all(&chunk).and_then(|()| to.flush());
                chunk.clear();
                if sender.blocking_send((chunk, outcome)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self {
            chunks,
            written,
            free: Some(Vec::new()),
        })
    }

    /// Waits until no chunk is being written.
    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.free.is_some() {
            return Poll::Ready(Ok(()));
        }
        let (free, outcome) = ready!(self.written.poll_recv(cx)).ok_or_else(panicked)?;
        self.free = Some(free);
        Poll::Ready(outcome)
    }
}

impl AsyncWrite for ThreadWriter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_written(cx))?;
        let mut chunk = self.free.take().unwrap_or_default();
        let some = buffer.get(..CHUNK).unwrap_or(buffer);
        chunk.extend_from_slice(some);
        self.chunks.send(chunk).map_err(|_| panicked())?;
        Poll::Ready(Ok(some.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_written(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(cx)
    }
}

/// The error for a thread that ended without being stopped.
fn panicked() -> io::Error {
    io::Error::other("the thread that writes has panicked")
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // The thread is never joined.
    let _handle = thread::Builder::new().name(name.to_owned()).spawn(work)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn what_one_writes_the_other_reads_to_its_end() {
        let (from, to) = io::pipe().unwrap();
        let (mut reader, mut writer) = (
            ThreadReader::new(from).unwrap(),
            ThreadWriter::new(to).unwrap(),
        );
        let all: Vec<u8> = (0..1_000_000_u32).map(|number| number as u8).collect();
        let sent = all.clone();
        let writing = tokio::spawn(async move {
            writer.write_all(&sent).await?;
            writer.flush().await
        });
        let mut read = Vec::new();
        reader.read_to_end(&mut read).await.unwrap();
        writing.await.unwrap().unwrap();
        assert!(read == all);
    }

    #[tokio::test]
    async fn a_failure_is_told_to_who_flushes_and_to_who_reads() {
        let (from, to) = io::pipe().unwrap();
        drop(from);
        let mut writer = ThreadWriter::new(to).unwrap();
        writer.write_all(b"x").await.unwrap();
        let failure = writer.flush().await.unwrap_err();
        assert_eq!(failure.kind(), ErrorKind::BrokenPipe);

        struct BrokenStream;
        impl Read for BrokenStream {
            fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
                Err(ErrorKind::ConnectionReset.into())
            }
        }
        let mut reader = ThreadReader::new(BrokenStream).unwrap();
        let failure = reader.read_u8().await.unwrap_err();
        assert_eq!(failure.kind(), ErrorKind::ConnectionReset);
    }
}
