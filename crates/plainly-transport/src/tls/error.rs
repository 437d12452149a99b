//! Failures of TLS with a known cause, in words: those of the TLS library are for its programmers.

use std::error::Error;
use std::io;
use std::time::Duration;

use plainly_errors::mistake::printable;
use plainly_errors::problem::wait_in_words;
use rustls::pki_types::UnixTime;
use rustls::{CertificateError, InvalidMessage};

/// A failure of TLS with a known cause, as a source of an error about a URL that could not be reached.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The server's certificate is self-signed, or no authority that is trusted here has signed it.
    #[error(
        "the server's certificate is not trusted: it is self-signed, or its authority is unknown here"
    )]
    Untrusted,
    /// The server's certificate is that of an authority, which no server may use itself.
    #[error("the server's certificate is invalid: it is that of an authority (CA:TRUE)")]
    Authority,
    /// The server's certificate has other names than the one in the URL.
    #[error("the server's certificate is not for {wanted}, but for {}", names(.presented))]
    #[non_exhaustive]
    WrongName {
        /// The host in the URL.
        wanted: String,
        /// The names in the certificate; empty if it has none.
        presented: Vec<String>,
    },
    /// The server's certificate is not valid any more.
    #[error("the server's certificate expired {} ago", wait_in_words(*.ago))]
    #[non_exhaustive]
    Expired {
        /// The time since then.
        ago: Duration,
    },
    /// The server's certificate is not valid yet.
    #[error("the server's certificate is not valid before {} from now", wait_in_words(*.wait))]
    #[non_exhaustive]
    NotYetValid {
        /// The time until then.
        wait: Duration,
    },
    /// The server answers without TLS.
    #[error("the server does not use TLS")]
    NoTls,
}

plainly_errors::debug_with_causes!(TlsError);

impl TlsError {
    /// The failure of TLS at the bottom of an error.
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
            // The last two: an authority that is trusted here has the name of the one that signed, and another key.
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
            // The library that checks certificates has no public type for it.
            CertificateError::Other(other) if other.to_string() == "CaUsedAsEndEntity" => {
                Some(Self::Authority)
            }
            _ => None,
        }
    }
}

/// The error itself, or in its place the failure of TLS that it is about.
pub fn in_words(error: impl Error + Send + Sync + 'static) -> Box<dyn Error + Send + Sync> {
    match TlsError::beneath(&error) {
        Some(tls) => tls.into(),
        None => error.into(),
    }
}

/// The cause of an error: an I/O error holds it within, rather than as its source.
fn cause<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref().and_then(io::Error::get_ref) {
        Some(within) => Some(within),
        None => error.source(),
    }
}

/// The name in the debug text of one: `DnsName("a.example")`, `IpAddress(127.0.0.1)`.
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
