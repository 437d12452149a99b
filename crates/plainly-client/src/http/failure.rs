//! The reason why there is no response over HTTP. Knows no connection.

use std::error::Error;
use std::fmt;

use crate::http::authorization::AuthError;

/// The reason why there is no response, or why it was interrupted.
#[derive(Debug)]
pub(super) enum HttpFailure {
    /// No server was reached.
    Unreachable(reqwest::Error),
    /// The connection broke.
    Broken(reqwest::Error),
    /// A message is larger than this limit, in bytes.
    TooLarge(usize),
    /// There are no credentials that the server accepts.
    Authorization(AuthError),
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(_) => f.write_str("nobody could be reached"),
            Self::Broken(_) => f.write_str("the connection broke"),
            Self::TooLarge(limit) => write!(f, "it is larger than {limit} bytes"),
            Self::Authorization(error) => error.fmt(f),
        }
    }
}

impl HttpFailure {
    /// Whether the connection ended before any byte of the request was sent.
    pub(super) fn was_never_sent(&self) -> bool {
        match self {
            Self::Unreachable(error) | Self::Broken(error) => was_never_sent(error),
            Self::TooLarge(_) | Self::Authorization(_) => false,
        }
    }

    pub(super) fn of(error: reqwest::Error) -> Self {
        // The URL may contain secrets; callers name it without them.
        let error = error.without_url();
        if error.is_connect() {
            Self::Unreachable(error)
        } else {
            Self::Broken(error)
        }
    }
}

/// Whether the connection ended before any byte of the request was sent.
fn was_never_sent(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&cause| cause.source());
    causes.any(|cause| {
        let of_connection = cause.downcast_ref::<hyper::Error>();
        of_connection.is_some_and(hyper::Error::is_canceled)
    })
}

impl From<AuthError> for HttpFailure {
    fn from(error: AuthError) -> Self {
        Self::Authorization(error)
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use hyper::client::conn::http1::handshake;
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn what_is_said_before_anything_was_asked_is_no_answer() {
        let (ours, mut theirs) = duplex(1 << 10);
        let (mut requests, connection) = handshake(TokioIo::new(ours)).await.unwrap();
        theirs.write_all(b"SSH-2.0-OpenSSH_9.6\r\n").await.unwrap();
        connection.await.unwrap_err();
        let request = Request::new(reqwest::Body::from("{}"));
        let error = requests.send_request(request).await.unwrap_err();
        assert!(was_never_sent(&error), "{error:?}");
    }

    #[tokio::test]
    async fn what_was_sent_in_part_was_sent() {
        let (ours, mut theirs) = duplex(1 << 10);
        let (mut requests, connection) = handshake(TokioIo::new(ours)).await.unwrap();
        let request = Request::new(reqwest::Body::from("{}"));
        let hang_up = async {
            theirs.read_u8().await.unwrap();
            drop(theirs);
        };
        let (_, answer, ()) = tokio::join!(connection, requests.send_request(request), hang_up);
        let error = answer.unwrap_err();
        assert!(!was_never_sent(&error), "{error:?}");
    }
}
