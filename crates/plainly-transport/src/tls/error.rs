//! Descriptions of TLS failures with a known cause, because the messages of the TLS library are for
//! its programmers.

use std::error::Error;
use std::io;
use std::time::Duration;

use plainly_errors::mistake::printable;
use plainly_errors::problem::wait_in_words;
use rustls::pki_types::UnixTime;
use rustls::{CertificateError, InvalidMessage};

/// A TLS failure with a known cause, which is the source of an error about an unreachable URL.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The server's certificate is self-signed, or no trusted authority has signed it.
    #[error(
        "the server's certificate is not trusted: it is self-signed, or its authority is unknown here"
    )]
    Untrusted,
    /// The server's certificate belongs to an authority, and a server may not use such a
    /// certificate.
    #[error("the server's certificate is invalid: it is that of an authority (CA:TRUE)")]
    Authority,
    /// The server's certificate is for other names than the one in the URL.
    #[error("the server's certificate is not for {wanted}, but for {}", names(.presented))]
    #[non_exhaustive]
    WrongName {
        /// The host in the URL.
        wanted: String,
        /// The names in the certificate; empty if it has none.
        presented: Vec<String>,
    },
    /// The server's certificate has expired.
    #[error("the server's certificate expired {} ago", wait_in_words(*.ago))]
    #[non_exhaustive]
    Expired {
        /// The time since it expired.
        ago: Duration,
    },
    /// The server's certificate is not valid yet.
    #[error("the server's certificate is not valid before {} from now", wait_in_words(*.wait))]
    #[non_exhaustive]
    NotYetValid {
        /// The time until it is valid.
        wait: Duration,
    },
    /// The server answers without TLS.
    #[error("the server does not use TLS")]
    NoTls,
}

plainly_errors::debug_with_causes!(TlsError);

impl TlsError {
    /// The TLS failure that caused an error.
    pub fn beneath(error: &(dyn Error + 'static)) -> Option<Self> {
        std::iter::successors(Some(error), |&error| cause(error))
            .find_map(|error| Self::of(error.downcast_ref()?))
    }

    fn of(error: &rustls::Error) -> Option<Self> {
        const NO_TLS: rustls::Error =
            rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType);
        if let rustls::Error::InvalidCertificate(why) = error {
            return Self::of_certificate(why);
        }
        (*error == NO_TLS).then_some(Self::NoTls)
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the library has many more, which it puts into words itself"
    )]
    fn of_certificate(why: &CertificateError) -> Option<Self> {
        match why {
            // The last two mean that the issuer has the name of a trusted authority but another
            // key.
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
                Some(Self::Untrusted)
            }
            CertificateError::NotValidForNameContext {
                expected,
                presented,
            } => Some(Self::WrongName {
                wanted: expected.to_str().into_owned(),
                presented: presented.iter().map(|name| own_name(name)).collect(),
            }),
            CertificateError::ExpiredContext { time, not_after } => Some(Self::Expired {
                ago: between(*not_after, *time),
            }),
            CertificateError::NotValidYetContext { time, not_before } => Some(Self::NotYetValid {
                wait: between(*time, *not_before),
            }),
            // The library that checks certificates has no public type for this failure.
            CertificateError::Other(other) if other.to_string() == "CaUsedAsEndEntity" => {
                Some(Self::Authority)
            }
            _ => None,
        }
    }
}

/// The TLS failure that caused the error, or otherwise the error itself.
pub fn in_words(error: impl Error + Send + Sync + 'static) -> Box<dyn Error + Send + Sync> {
    match TlsError::beneath(&error) {
        Some(tls) => tls.into(),
        None => error.into(),
    }
}

/// The cause of an error. An I/O error contains it instead of returning it as its source.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref().and_then(io::Error::get_ref) {
        Some(within) => Some(within),
        None => error.source(),
    }
}

/// The name in the debug text of a name: `DnsName("a.example")`, `IpAddress(127.0.0.1)`.
fn own_name(said: &str) -> String {
    let within = said
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    within.unwrap_or(said).trim_matches('"').to_owned()
}

fn names(presented: &[String]) -> String {
    match presented {
        [] => "no name at all (subjectAltName)".to_owned(),
        names => printable(&names.join(", ")).into_owned(),
    }
}

fn between(earlier: UnixTime, later: UnixTime) -> Duration {
    Duration::from_secs(later.as_secs().saturating_sub(earlier.as_secs()))
}
