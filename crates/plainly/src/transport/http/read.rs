//! Reads the body of a request: whole, within its limits, and without a copy or a timer where it is already here.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::Body;
use plainly_errors::Refusal;

use super::HttpLimits;

/// The whole body.
pub(super) async fn read<B>(body: B, limits: &HttpLimits) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes>,
{
    // Before the first poll: that is what tells a client to go on that sent `Expect: 100-continue`.
    if body.size_hint().lower() > limits.message_bytes as u64 {
        return Err(Refusal::TooLarge);
    }
    let mut read = Parts {
        limit: limits.message_bytes,
        declared: usize::try_from(body.size_hint().lower()).unwrap_or(0),
        first: Bytes::new(),
        joined: BytesMut::new(),
    };
    let mut body = pin!(body);
    let here = poll_fn(|cx| Poll::Ready(read.poll(body.as_mut(), cx))).await;
    if let Poll::Ready(result) = here {
        return result;
    }
    let rest = poll_fn(|cx| read.poll(body.as_mut(), cx));
    tokio::time::timeout(limits.body, rest)
        .await
        .unwrap_or(Err(Refusal::RequestTimeout))
}

struct Parts {
    limit: usize,
    /// The length that the peer declared, if it did; within the limit.
    declared: usize,
    /// The first piece, as it came: mostly the only one.
    first: Bytes,
    /// All pieces, once there are several.
    joined: BytesMut,
}

impl Parts {
    fn poll<B>(
        &mut self,
        mut body: Pin<&mut B>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Bytes, Refusal>>
    where
        B: Body<Data = Bytes>,
    {
        while !body.is_end_stream() {
            match ready!(body.as_mut().poll_frame(cx)) {
                // Trailers say nothing to us.
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.push(data)?;
                    }
                }
                // The framing is broken or the peer is gone; should it still listen, it learns that it was to blame.
                Some(Err(_)) => return Poll::Ready(Err(Refusal::BadRequest)),
                None => break,
            }
        }
        Poll::Ready(Ok(self.finish()))
    }

    fn push(&mut self, data: Bytes) -> Result<(), Refusal> {
        let length = self.first.len().max(self.joined.len());
        if data.len() > self.limit - length {
            return Err(Refusal::TooLarge);
        }
        if length == 0 {
            self.first = data;
            return Ok(());
        }
        if self.joined.is_empty() {
            self.joined.reserve(self.declared.max(length + data.len()));
            self.joined.extend_from_slice(&self.first);
        }
        self.joined.extend_from_slice(&data);
        Ok(())
    }

    fn finish(&mut self) -> Bytes {
        if self.joined.is_empty() {
            std::mem::take(&mut self.first)
        } else {
            std::mem::take(&mut self.joined).freeze()
        }
    }
}
