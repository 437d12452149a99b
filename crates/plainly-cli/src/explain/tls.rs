//! Failures of TLS, in the words of this program and of others, and what to do about each.

use plainly::client::TlsError;
use plainly::errors::{Fault, Retry};

use super::Explanation;
use super::link::Link;
use crate::shell_word::shell_word;

/// A failure of TLS.
struct Row {
    name: &'static str,
    /// Words for it, in small letters: those of this program, then those of rustls, OpenSSL, Go and Node.
    words: &'static [&'static str],
    means: &'static str,
    fault: Fault,
    advice: &'static str,
}

const UNTRUSTED: Row = Row {
    name: "untrusted certificate",
    words: &[
        "certificate is not trusted",
        "unknownissuer",
        "badsignature",
        "unsupportedsignaturealgorithm",
        "self-signed certificate",
        "self signed certificate",
        "self_signed_cert",
        "unable to get local issuer certificate",
        "unable_to_verify_leaf_signature",
        "certificate signed by unknown authority",
    ],
    means: "the server's certificate is self-signed, or signed by an authority that this machine does not know",
    fault: Fault::User,
    advice: "if you trust the server, give its certificate, or that of its authority: --cacert FILE",
};

const AUTHORITY: Row = Row {
    name: "certificate of an authority",
    words: &["that of an authority (ca:true)", "causedasendentity"],
    means: "the server presents a certificate that may sign others (CA:TRUE), as openssl req -x509 makes it, and no server may use that",
    fault: Fault::Server,
    advice: "make the server's certificate anew with -addext basicConstraints=critical,CA:FALSE, and trust it with --cacert FILE",
};

const WRONG_NAME: Row = Row {
    name: "certificate for another name",
    words: &[
        "certificate is not for",
        "certificate not valid for name",
        "notvalidforname",
        "hostname mismatch",
        "altnames",
        "altname_invalid",
    ],
    means: "the host in the URL is none of the names that the server's certificate has (subjectAltName)",
    fault: Fault::Server,
    advice: "use a URL with a name of the certificate, or have one made with the name of the URL: -addext subjectAltName=DNS:NAME",
};

const EXPIRED: Row = Row {
    name: "expired certificate",
    words: &[
        "certificate expired",
        "certificate has expired",
        "cert_has_expired",
    ],
    means: "the server's certificate is not valid any more",
    fault: Fault::Server,
    advice: "have the server's certificate renewed; if it is new, correct the clock of this machine",
};

const NOT_YET_VALID: Row = Row {
    name: "certificate of the future",
    words: &[
        "certificate is not valid before",
        "certificate not valid yet",
        "certificate is not yet valid",
        "cert_not_yet_valid",
    ],
    means: "the server's certificate is not valid yet",
    fault: Fault::Server,
    advice: "correct the clock of this machine, or wait",
};

const NO_TLS: Row = Row {
    name: "no TLS",
    words: &[
        "does not use tls",
        "invalidcontenttype",
        "wrong version number",
        "wrong_version_number",
    ],
    means: "the URL begins with https, and the server answers without TLS",
    fault: Fault::Client,
    advice: "use a URL that begins with http, if nobody can listen on the way",
};

const ROWS: [Row; 6] = [
    UNTRUSTED,
    AUTHORITY,
    WRONG_NAME,
    EXPIRED,
    NOT_YET_VALID,
    NO_TLS,
];

/// Advice about a failure of TLS with the server at `url`.
pub(super) fn advice(error: &TlsError, url: &str) -> Option<String> {
    let row = match error {
        TlsError::Untrusted => UNTRUSTED,
        TlsError::Authority => AUTHORITY,
        TlsError::WrongName { .. } => WRONG_NAME,
        TlsError::Expired { .. } => EXPIRED,
        TlsError::NotYetValid { .. } => NOT_YET_VALID,
        TlsError::NoTls => {
            return Some(format!(
                "use {}",
                shell_word(&url.replacen("https://", "http://", 1))
            ));
        }
        _ => return None,
    };
    Some(row.advice.to_owned())
}

/// The failure of TLS that a text has the words of.
pub(super) fn within(text: &str) -> Option<Explanation> {
    let words = text.to_lowercase();
    let row = ROWS
        .into_iter()
        .find(|row| row.words.iter().any(|it| words.contains(it)))?;
    Some(Explanation {
        message: Some(text.to_owned()),
        fault: row.fault,
        retry: Retry::AfterFix,
        advice: row.advice.to_owned(),
        link: Link::to_certificates(),
        ..Explanation::new("tls", row.name, row.means)
    })
}
