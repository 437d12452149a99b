//! Phrases of other programs, with their meanings: one table, for `plainly explain` and for every
//! command that fails.

use plainly::client::TlsError;
use plainly::errors::mistake::shortened;
use plainly::errors::{Fault, Retry};

use self::Speaker::{Network, Server};
use super::link::Link;
use super::{Explanation, LONGEST_CAUSE};
use crate::shell_word::shell_word;

/// A phrase in the text of an error.
#[derive(Debug)]
pub(super) struct Phrase {
    of: Speaker,
    name: &'static str,
    /// Words in lower case, at least one of which is in the text. For TLS, this program's words
    /// come first, then those of rustls, OpenSSL, Go and Node.
    words: &'static [&'static str],
    /// More words, at least one of which must be in the text, too; empty if the first ones suffice.
    and: &'static [&'static str],
    /// Whether the text begins with the first words.
    is_at_start: bool,
    fault: Fault,
    means: &'static str,
    pub(super) advice: &'static str,
}

/// The kind of program that uses the phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// A client, about the way to a server.
    Network,
    /// A tool or a server, about a requirement for the client.
    Server,
}

/// The words of servers for a client's missing capability.
const LACKING: &[&str] = &["support", "not found", "capabilit"];

/// The phrase of several SDKs.
#[rustfmt::skip]
pub(super) const TASK_REQUIRED: Phrase =
    phrase(Server, "task required", &["task augmentation"], &[],
        Fault::Client, "the tool runs only as a task of 2025-11-25",
        "use another client: this tool runs only as a task of 2025-11-25, and plainly supports \
            tasks from 2026-07-28 on");
#[rustfmt::skip]
pub(super) const INPUT_REQUIRED: Phrase =
    phrase(Server, "input required", &["elicitation"], LACKING,
        Fault::User, "the server asks the user for input",
        "the server asks for input: run the command on a terminal, or give the answer with \
            --answer accept or --answer NAME=TEXT");
#[rustfmt::skip]
pub(super) const MODEL_REQUIRED: Phrase =
    phrase(Server, "model required", &["sampling"], LACKING,
        Fault::User, "the server requests an answer of the client's model",
        "the server asks a model: name a command that answers with --sample-with COMMAND");
#[rustfmt::skip]
pub(super) const ROOTS_REQUIRED: Phrase =
    phrase(Server, "roots required", &["roots"], LACKING,
        Fault::User, "the server asks for directories to work in",
        "the server asks for directories to work in: name one with --root DIR");

/// The phrases. The first match counts.
#[rustfmt::skip]
const PHRASES: &[Phrase] = &[
    phrase(Network, "untrusted certificate",
        &["certificate is not trusted", "unknownissuer", "badsignature",
            "unsupportedsignaturealgorithm", "self-signed certificate", "self signed certificate",
            "self_signed_cert", "unable to get local issuer certificate",
            "unable_to_verify_leaf_signature", "certificate signed by unknown authority"], &[],
        Fault::User, "the server's certificate is self-signed, or signed by an authority that this \
            machine does not know",
        "if you trust the server, give its certificate, or that of its authority: --cacert FILE"),
    phrase(Network, "certificate of an authority",
        &["that of an authority (ca:true)", "causedasendentity"], &[],
        Fault::Server, "the server's certificate is that of an authority (CA:TRUE), as openssl \
            req -x509 makes it, and no server may use one",
        "make a new certificate with -addext basicConstraints=critical,CA:FALSE, and trust it \
            with --cacert FILE"),
    phrase(Network, "certificate for another name",
        &["certificate is not for", "certificate not valid for name", "notvalidforname",
            "hostname mismatch", "altnames", "altname_invalid"], &[],
        Fault::Server, "the server's certificate is not for the host in the URL (subjectAltName)",
        "use a URL with a name in the certificate, or make a new certificate with the name in \
            the URL: -addext subjectAltName=DNS:NAME"),
    phrase(Network, "expired certificate",
        &["certificate expired", "certificate has expired", "cert_has_expired"], &[],
        Fault::Server, "the server's certificate has expired",
        "have the server's certificate renewed; if it is new, correct the clock of this machine"),
    phrase(Network, "certificate of the future",
        &["certificate is not valid before", "certificate not valid yet",
            "certificate is not yet valid", "cert_not_yet_valid"], &[],
        Fault::Server, "the server's certificate is not valid yet",
        "correct the clock of this machine, or wait"),
    phrase(Network, "no TLS",
        &["does not use tls", "invalidcontenttype", "wrong version number",
            "wrong_version_number"], &[],
        Fault::Client, "the URL begins with https, and the server answers without TLS",
        "use a URL that begins with http, but only if you trust the network"),
    // FastMCP.
    phrase(Server, "older revision required",
        &["via server-initiated requests is unavailable"], &[],
        Fault::Server, "the server can ask questions only in an older revision",
        "add --revision 2025-11-25: this server can ask questions only in an older revision"),
    TASK_REQUIRED,
    // plainly's servers.
    phrase(Server, "masked error", &["internal error"], &[],
        Fault::Server, "something failed in the server, which hides the details",
        "read the server's log; if the command starts the server, --server-log debug shows it")
        .at_start(),
    INPUT_REQUIRED,
    MODEL_REQUIRED,
    ROOTS_REQUIRED,
];

const fn phrase(
    of: Speaker,
    name: &'static str,
    words: &'static [&'static str],
    and: &'static [&'static str],
    fault: Fault,
    means: &'static str,
    advice: &'static str,
) -> Phrase {
    Phrase {
        of,
        name,
        words,
        and,
        is_at_start: false,
        fault,
        means,
        advice,
    }
}

impl Phrase {
    /// The phrase of this speaker in a text.
    pub(super) fn within(text: &str, of: Speaker) -> Option<&'static Self> {
        let text = text.to_lowercase();
        let mut phrases = PHRASES.iter().filter(|phrase| phrase.of == of);
        phrases.find(|phrase| phrase.is_in_lower(&text))
    }

    /// Limits the phrase to the start of a text.
    const fn at_start(self) -> Self {
        Self {
            is_at_start: true,
            ..self
        }
    }

    /// Whether the phrase is in a text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.is_in_lower(&text.to_lowercase())
    }

    /// Whether the phrase is in a text in lower case.
    fn is_in_lower(&self, text: &str) -> bool {
        let has = |words: &[&str]| words.iter().any(|it| text.contains(it));
        let is_there = match self.is_at_start {
            true => self.words.iter().any(|it| text.starts_with(it)),
            false => has(self.words),
        };
        is_there && (self.and.is_empty() || has(self.and))
    }

    /// The explanation of an error with this phrase, with the line of `text` that contains it.
    pub(super) fn explain(&self, text: &str) -> Explanation {
        let line = text.lines().find(|line| self.is_in(line)).unwrap_or(text);
        let message = shortened(line.trim(), LONGEST_CAUSE);
        Explanation {
            message: Some(message.into_owned()),
            fault: self.fault,
            retry: Retry::AfterFix,
            advice: self.advice.to_owned(),
            link: match self.of {
                Network => Link::to_certificates(),
                Server => Link::to_troubleshooting(),
            },
            ..Explanation::new("error", self.name, self.means)
        }
    }
}

/// The advice about a TLS failure with the server at `url`, if that is the cause.
pub(super) fn tls_advice(cause: &(dyn std::error::Error + 'static), url: &str) -> Option<String> {
    let cause: &TlsError = cause.downcast_ref()?;
    if *cause == TlsError::NoTls {
        let plain = url.replacen("https://", "http://", 1);
        return Some(format!("use {}", shell_word(&plain)));
    }
    Phrase::within(&cause.to_string(), Network).map(|phrase| phrase.advice.to_owned())
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
            ("upstream said: Internal error", None),
            ("Elicitation was cancelled", None),
            ("the roots of this tree", None),
            ("note not found", None),
            ("the certificate has expired", None),
        ] {
            let found = Phrase::within(text, Server).map(|phrase| phrase.name);
            assert_eq!(found, name, "{text}");
        }
    }

    #[test]
    fn the_message_is_the_line_with_the_phrase_at_a_bounded_length() {
        for (text, message) in [
            (
                "a\n  certificate expired: b\nc",
                "certificate expired: b".to_owned(),
            ),
            (
                &format!("certificate expired{}", "x".repeat(1 << 20)),
                format!("certificate expired{}…{}", "x".repeat(493), "x".repeat(512)),
            ),
        ] {
            let phrase = Phrase::within(text, Network).unwrap();
            assert_eq!(phrase.explain(text).message, Some(message));
        }
        // The words are in several lines.
        let text = "the client lacks\nsampling,\na capability";
        let message = Phrase::within(text, Server).unwrap().explain(text).message;
        assert_eq!(message.as_deref(), Some(text));
    }
}
