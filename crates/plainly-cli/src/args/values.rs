//! Values of options that are more than text.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use plainly::errors::Revision;
use serde_json::{Map, Value};
use tracing_subscriber::filter::Targets;

use crate::log::levels;

/// A number of bytes, or of KiB, MiB or GiB with `K`, `M` or `G` behind it.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let upper = text.to_ascii_uppercase();
    let (digits, shift) = match upper.as_bytes() {
        [.., b'K'] => (upper.trim_end_matches('K'), 10),
        [.., b'M'] => (upper.trim_end_matches('M'), 20),
        [.., b'G'] => (upper.trim_end_matches('G'), 30),
        _ => (upper.as_str(), 0),
    };
    let wrong = || "use a number of bytes, such as 65536, 64K, 16M or 1G".to_owned();
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// An address to listen at. `localhost` is what people call 127.0.0.1; other names would have to be looked up.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:");
    let numeric = port.map(|port| format!("127.0.0.1:{port}"));
    numeric
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_invalid| {
            "use an address with a port, such as 127.0.0.1:3333 or localhost:3333".to_owned()
        })
}

/// A number of seconds, perhaps with a fraction.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "use a number of seconds, such as 30 or 0.5".to_owned())
}

/// Levels of the log, the single ones of which shells complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Levels;

impl TypedValueParser for Levels {
    type Value = Targets;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Targets, clap::Error> {
        let parser = StringValueParser::new().try_map(|text| levels(&text));
        parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let levels = ["off", "error", "warn", "info", "debug", "trace"];
        Some(Box::new(levels.into_iter().map(PossibleValue::new)))
    }
}

/// A JSON object.
pub(super) fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))
}

/// A header as it stands in a request.
pub(super) fn header(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        Some(_) | None => Err("use NAME: VALUE, such as \"Authorization: Bearer …\"".to_owned()),
    }
}

/// A revision of the protocol, which shells complete.
pub(super) fn revision() -> impl TypedValueParser<Value = Revision> {
    PossibleValuesParser::new(Revision::ALL.map(Revision::as_str)).try_map(|text| text.parse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let cases = [
            ("0", Some(0)),
            ("65536", Some(65536)),
            ("64k", Some(65536)),
            ("16M", Some(16 << 20)),
            ("1G", Some(1 << 30)),
            ("", None),
            ("M", None),
            ("-1", None),
            ("1.5M", None),
            ("16MB", None),
            ("99999999999G", None),
        ];
        for (text, bytes) in cases {
            assert_eq!(size(text).ok(), bytes, "{text}");
        }
    }

    #[test]
    fn addresses() {
        for (text, expected) in [
            ("127.0.0.1:0", Some("127.0.0.1:0")),
            ("localhost:3334", Some("127.0.0.1:3334")),
            ("[::1]:3334", Some("[::1]:3334")),
            ("3334", None),
            (":3334", None),
            ("localhost", None),
            ("docs.example:3334", None),
        ] {
            let parsed = address(text).ok().map(|address| address.to_string());
            assert_eq!(parsed.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for text in ["", "0", "-1", "NaN", "inf", "1e300", "soon"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn headers() {
        let parsed = header("Authorization: Bearer a:b ").unwrap();
        assert_eq!(
            parsed,
            ("Authorization".to_owned(), "Bearer a:b".to_owned())
        );
        for text in ["", "Authorization", ": value"] {
            assert!(header(text).is_err(), "{text}");
        }
    }
}
