//! Phrases of other programs, and what each means: one table, for `plainly explain` and for every
//! command that fails.

use plainly::client::TlsError;
use plainly::errors::{Fault, Retry};

use super::Explanation;
use super::link::Link;
use crate::shell_word::shell_word;

/// A phrase in the text of an error.
#[derive(Debug)]
pub(crate) struct Phrase {
    name: &'static str,
    /// Words in small letters, one of which the text has. About TLS, those of this program come
    /// first, then those of rustls, OpenSSL, Go and Node.
    words: &'static [&'static str],
    /// Further words, of which the text has one too; empty if the first suffice.
    and: &'static [&'static str],
    of: Speaker,
    means: &'static str,
    fault: Fault,
    pub(crate) advice: &'static str,
}

/// The program that the phrase is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// A client, about the way to the server.
    Network,
    /// A tool or a server, about what it asks of the client.
    Server,
}

/// The words of servers for what a client lacks.
const LACKING: &[&str] = &["support", "not found", "capabilit"];

const UNTRUSTED: Phrase = Phrase {
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
    and: &[],
    of: Speaker::Network,
    means: "the server's certificate is self-signed, or signed by an authority that this machine does not know",
    fault: Fault::User,
    advice: "if you trust the server, give its certificate, or that of its authority: --cacert FILE",
};

const AUTHORITY: Phrase = Phrase {
    name: "certificate of an authority",
    words: &["that of an authority (ca:true)", "causedasendentity"],
    and: &[],
    of: Speaker::Network,
    means: "the server presents a certificate that may sign others (CA:TRUE), as openssl req -x509 makes it, and no server may use that",
    fault: Fault::Server,
    advice: "make the server's certificate anew with -addext basicConstraints=critical,CA:FALSE, and trust it with --cacert FILE",
};

const WRONG_NAME: Phrase = Phrase {
    name: "certificate for another name",
    words: &[
        "certificate is not for",
        "certificate not valid for name",
        "notvalidforname",
        "hostname mismatch",
        "altnames",
        "altname_invalid",
    ],
    and: &[],
    of: Speaker::Network,
    means: "the host in the URL is none of the names that the server's certificate has (subjectAltName)",
    fault: Fault::Server,
    advice: "use a URL with a name of the certificate, or have one made with the name of the URL: -addext subjectAltName=DNS:NAME",
};

const EXPIRED: Phrase = Phrase {
    name: "expired certificate",
    words: &[
        "certificate expired",
        "certificate has expired",
        "cert_has_expired",
    ],
    and: &[],
    of: Speaker::Network,
    means: "the server's certificate is not valid any more",
    fault: Fault::Server,
    advice: "have the server's certificate renewed; if it is new, correct the clock of this machine",
};

const NOT_YET_VALID: Phrase = Phrase {
    name: "certificate of the future",
    words: &[
        "certificate is not valid before",
        "certificate not valid yet",
        "certificate is not yet valid",
        "cert_not_yet_valid",
    ],
    and: &[],
    of: Speaker::Network,
    means: "the server's certificate is not valid yet",
    fault: Fault::Server,
    advice: "correct the clock of this machine, or wait",
};

const NO_TLS: Phrase = Phrase {
    name: "no TLS",
    words: &[
        "does not use tls",
        "invalidcontenttype",
        "wrong version number",
        "wrong_version_number",
    ],
    and: &[],
    of: Speaker::Network,
    means: "the URL begins with https, and the server answers without TLS",
    fault: Fault::Client,
    advice: "use a URL that begins with http, if nobody can listen on the way",
};

pub(crate) const INPUT: Phrase = Phrase {
    name: "input required",
    words: &["elicitation"],
    and: LACKING,
    of: Speaker::Server,
    means: "the server asks the user for input",
    fault: Fault::User,
    advice: "the server asks for input: run the command on a terminal, or give the answer with --answer NAME=TEXT",
};

pub(crate) const MODEL: Phrase = Phrase {
    name: "model required",
    words: &["sampling"],
    and: LACKING,
    of: Speaker::Server,
    means: "the server asks a model of the client",
    fault: Fault::User,
    advice: "the server asks a model: --sample-with COMMAND names a command that answers",
};

pub(crate) const ROOTS: Phrase = Phrase {
    name: "roots required",
    words: &["roots"],
    and: LACKING,
    of: Speaker::Server,
    means: "the server asks for directories to work in",
    fault: Fault::User,
    advice: "the server asks for directories to work in: name one with --root DIR",
};

/// A phrase of FastMCP.
const OLDER: Phrase = Phrase {
    name: "older revision required",
    words: &["via server-initiated requests is unavailable"],
    and: &[],
    of: Speaker::Server,
    means: "the server can ask questions in an older revision only",
    fault: Fault::Server,
    advice: "this server can ask questions in an older revision only: add --revision 2025-11-25",
};

/// A phrase of the SDKs.
const TASK: Phrase = Phrase {
    name: "task required",
    words: &["task augmentation"],
    and: &[],
    of: Speaker::Server,
    means: "the tool runs only as a task of 2025-11-25",
    fault: Fault::Client,
    advice: "this tool runs only as a task of 2025-11-25, and plainly has tasks from 2026-07-28 on",
};

/// A phrase of plainly's servers.
const MASKED: Phrase = Phrase {
    name: "masked error",
    words: &["internal error"],
    and: &[],
    of: Speaker::Server,
    means: "something failed inside the server, which hides the details",
    fault: Fault::Server,
    advice: "the server's log says why; if the command starts the server, --server-log debug shows it",
};

/// The first that fits counts.
const PHRASES: &[Phrase] = &[
    UNTRUSTED,
    AUTHORITY,
    WRONG_NAME,
    EXPIRED,
    NOT_YET_VALID,
    NO_TLS,
    OLDER,
    TASK,
    MASKED,
    INPUT,
    MODEL,
    ROOTS,
];

impl Phrase {
    /// The phrase of this speaker that a text has.
    pub(crate) fn within(text: &str, of: Speaker) -> Option<&'static Self> {
        let text = text.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|it| text.contains(it));
        let mut phrases = PHRASES.iter().filter(|phrase| phrase.of == of);
        phrases.find(|phrase| has(phrase.words) && (phrase.and.is_empty() || has(phrase.and)))
    }

    /// The phrase of any speaker that a text has.
    pub(super) fn of_any(text: &str) -> Option<&'static Self> {
        let network = Self::within(text, Speaker::Network);
        network.or_else(|| Self::within(text, Speaker::Server))
    }

    /// All that is known about an error with this phrase.
    pub(super) fn explain(&self, text: &str) -> Explanation {
        Explanation {
            message: Some(text.to_owned()),
            fault: self.fault,
            retry: Retry::AfterFix,
            advice: self.advice.to_owned(),
            link: match self.of {
                Speaker::Network => Link::to_certificates(),
                Speaker::Server => Link::to_troubleshooting(),
            },
            ..Explanation::new("error", self.name, self.means)
        }
    }
}

/// Advice about a failure of TLS with the server at `url`.
pub(super) fn tls_advice(error: &TlsError, url: &str) -> Option<String> {
    let phrase = match error {
        TlsError::Untrusted => UNTRUSTED,
        TlsError::Authority => AUTHORITY,
        TlsError::WrongName { .. } => WRONG_NAME,
        TlsError::Expired { .. } => EXPIRED,
        TlsError::NotYetValid { .. } => NOT_YET_VALID,
        TlsError::NoTls => {
            let plain = url.replacen("https://", "http://", 1);
            return Some(format!("use {}", shell_word(&plain)));
        }
        _ => return None,
    };
    Some(phrase.advice.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_could_not_ask_is_recognised_by_its_words() {
        for (text, name) in [
            (
                "Method not found: elicitation/create",
                Some("input required"),
            ),
            (
                "Client does not support form elicitation.",
                Some("input required"),
            ),
            ("Client does not support sampling", Some("model required")),
            ("the client has no capability roots", Some("roots required")),
            (
                "elicitation via server-initiated requests is unavailable on 2026-07-28 connections.",
                Some("older revision required"),
            ),
            (
                "MCP error -32601: Tool scan requires task augmentation",
                Some("task required"),
            ),
            ("Internal error", Some("masked error")),
            ("Elicitation was cancelled", None),
            ("the roots of this tree", None),
            ("note not found", None),
            ("the certificate has expired", None),
        ] {
            let found = Phrase::within(text, Speaker::Server).map(|phrase| phrase.name);
            assert_eq!(found, name, "{text}");
        }
    }
}
