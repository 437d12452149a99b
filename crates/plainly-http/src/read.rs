//! Reads the whole body of a request within its limits. A body that has already arrived needs no
//! copy and no timer. Otherwise returns why the request is rejected before it reaches the server.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::Body;
use plainly_errors::{ProtocolError, Refusal, Unavailable};
use tokio::time::Instant;

use super::HttpLimits;
use plainly_transport::quota::{QuotaExhausted, QuotaPart};

/// Reads the whole body, and counts its bytes in `held`.
pub(super) async fn read<B>(
    body: B,
    limits: &HttpLimits,
    held: &mut QuotaPart,
) -> Result<Bytes, Rejection>
where
    B: Body<Data = Bytes>,
{
    // Before the first poll, which makes hyper send 100 Continue to a client that sent
    // `Expect: 100-continue`.
    let declared = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if declared > limits.message_bytes {
        return Err(limits.too_large().into());
    }
    // Reserved before reading, so that a body without room is rejected at once and not after half
    // of it was sent.
    held.grow(declared)?;
    let mut read = Parts {
        limits,
        declared,
        held,
        first: Bytes::new(),
        joined: BytesMut::new(),
    };
    let mut body = pin!(body);
    let here = poll_fn(|cx| Poll::Ready(read.poll(body.as_mut(), cx))).await;
    if let Poll::Ready(result) = here {
        return result;
    }
    let start = Instant::now();
    let mut timer = pin!(tokio::time::sleep_until(
        start + limits.body_time(read.length())
    ));
    poll_fn(|cx| {
        if let Poll::Ready(result) = read.poll(body.as_mut(), cx) {
            return Poll::Ready(result);
        }
        while timer.as_mut().poll(cx).is_ready() {
            let deadline = start + limits.body_time(read.length());
            if Instant::now() >= deadline {
                return Poll::Ready(Err(Refusal::RequestTimeout.into()));
            }
            timer.as_mut().reset(deadline);
        }
        Poll::Pending
    })
    .await
}

struct Parts<'a> {
    limits: &'a HttpLimits,
    /// The length that the peer declared, if it did; at most the limit.
    declared: usize,
    held: &'a mut QuotaPart,
    /// The first piece as it was received, which is usually the only one.
    first: Bytes,
    /// All pieces, if there are several.
    joined: BytesMut,
}

impl Parts<'_> {
    fn poll<B>(
        &mut self,
        mut body: Pin<&mut B>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Bytes, Rejection>>
    where
        B: Body<Data = Bytes>,
    {
        while !body.is_end_stream() {
            match ready!(body.as_mut().poll_frame(cx)) {
                // Trailers have no meaning and are ignored.
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        self.push(data)?;
                    }
                }
                // The framing is invalid or the peer is gone. If it is still connected, it gets an
                // error.
                Some(Err(_)) => return Poll::Ready(Err(self.broken())),
                None => break,
            }
        }
        Poll::Ready(Ok(self.finish()))
    }

    fn push(&mut self, data: Bytes) -> Result<(), Rejection> {
        let length = self.length();
        if data.len() > self.limits.message_bytes - length {
            return Err(self.limits.too_large().into());
        }
        // The declared length has already been counted.
        let more = (length + data.len()).saturating_sub(self.held.amount());
        self.held.grow(more)?;
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

    /// The error for a body that ended too early.
    fn broken(&self) -> Rejection {
        let (length, declared) = (self.length(), self.declared);
        let why = match declared {
            0 => "its chunks are malformed, or it breaks off before the last one".to_owned(),
            _ => format!("it breaks off after {length} of {declared} bytes"),
        };
        let message = format!("Bad request: the body is incomplete: {why}");
        Rejection::Because(Refusal::BadRequest, message.into())
    }

    fn length(&self) -> usize {
        self.first.len().max(self.joined.len())
    }

    fn finish(&mut self) -> Bytes {
        if self.joined.is_empty() {
            std::mem::take(&mut self.first)
        } else {
            std::mem::take(&mut self.joined).freeze()
        }
    }
}

/// The reason for rejecting a request before it reaches the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rejection {
    /// The request is invalid.
    For(Refusal),
    /// Like `For`, with the exact fault.
    Because(Refusal, Box<str>),
    /// The request may be valid, but there is no room for its body.
    Overloaded,
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        Self::For(refusal)
    }
}

impl From<QuotaExhausted> for Rejection {
    fn from(_exhausted: QuotaExhausted) -> Self {
        Self::Overloaded
    }
}

impl From<Rejection> for ProtocolError {
    fn from(refused: Rejection) -> Self {
        match refused {
            Rejection::For(refusal) => refusal.into(),
            Rejection::Because(refusal, why) => Self::from(refusal).with_message(String::from(why)),
            Rejection::Overloaded => Unavailable::Overloaded.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use axum::body::Body;
    use futures_util::stream;

    use super::*;
    use plainly_transport::quota::Quota;

    /// A body with a piece of `bytes` every second, `count` times. It ends afterwards if `ends` is
    /// true.
    fn body(bytes: usize, count: usize, ends: bool) -> Body {
        Body::from_stream(stream::unfold(0, move |sent| async move {
            if sent == count {
                if !ends {
                    std::future::pending::<()>().await;
                }
                return None;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok::<_, Infallible>(vec![b' '; bytes]), sent + 1))
        }))
    }

    /// The result of reading a body, and the seconds that it took.
    async fn read_within(
        body: Body,
        change: fn(&mut HttpLimits),
    ) -> (Result<usize, Rejection>, u64) {
        let mut limits = HttpLimits::default();
        change(&mut limits);
        let mut held = Quota::new(usize::MAX).part(None);
        let start = Instant::now();
        let result = read(body, &limits, &mut held).await;
        (result.map(|bytes| bytes.len()), start.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_has_a_time_in_all_and_a_least_rate_after_a_while() {
        const LATE: Result<usize, Rejection> = Err(Rejection::For(Refusal::RequestTimeout));
        let cases = [
            // Within its first seconds a body may have any speed.
            (body(1, 4, true), (Ok(4), 4)),
            (body(1, 100, true), (LATE, 5)),
            (body(0, 0, false), (LATE, 5)),
            // The bytes that arrive extend the time, but not beyond the limit for all bodies.
            (body(1 << 10, 20, true), (Ok(20 << 10), 20)),
            (body(1 << 9, 9, true), (Ok(9 << 9), 9)),
            (body(1 << 9, 100, true), (LATE, 9)),
            (body(1 << 10, 100, true), (LATE, 30)),
            (body(1 << 20, 1, false), (LATE, 30)),
        ];
        for (number, (body, expected)) in cases.into_iter().enumerate() {
            let found = read_within(body, |_default| {}).await;
            assert_eq!(found, expected, "case {number}");
        }
        let any_rate = |limits: &mut HttpLimits| limits.body_rate = 0;
        assert_eq!(read_within(body(1, 20, true), any_rate).await, (Ok(20), 20));
        assert_eq!(read_within(body(1, 100, true), any_rate).await, (LATE, 30));
        let short = |limits: &mut HttpLimits| limits.body_grace = Duration::from_secs(2);
        assert_eq!(read_within(body(1, 100, true), short).await, (LATE, 2));
    }
}
