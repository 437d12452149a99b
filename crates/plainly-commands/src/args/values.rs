//! Parsers of option values that are not plain text.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::builder::{PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use plainly::errors::Revision;
use plainly::server::auth::scope;
use url::Url;

/// A number of bytes; with the suffix `K`, `M` or `G`, of KiB, MiB or GiB.
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

/// A size of at least one byte.
pub(super) fn some_size(text: &str) -> Result<u64, String> {
    match size(text)? {
        0 => Err("it must be at least 1 byte: use a size such as 4M".to_owned()),
        bytes => Ok(bytes),
    }
}

/// An address to listen at. `localhost` means 127.0.0.1; other names would need a lookup.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:");
    let numeric = port.map(|port| format!("127.0.0.1:{port}"));
    numeric
        .as_deref()
        .unwrap_or(text)
        .parse()
        .map_err(|_invalid| {
            let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
            let is_port = port.parse::<u16>().is_ok();
            let is_number = !port.is_empty() && port.bytes().all(|it| it.is_ascii_digit());
            let fault = match (is_port, is_number) {
                (false, true) => "a port is at most 65535: ",
                (true, _) if !host.is_empty() => "names are not looked up: ",
                _ => "",
            };
            let port = if is_port { port } else { "3333" };
            format!(
                "{fault}use an address with a port, such as 127.0.0.1:{port} or localhost:{port}"
            )
        })
}

/// The URL of an endpoint.
pub(super) fn endpoint(text: &str) -> Result<String, String> {
    let url = Url::parse(text).ok();
    let url = url.filter(|url| ["http", "https"].contains(&url.scheme()) && url.has_host());
    match url.is_some_and(|url| url.fragment().is_none()) {
        true => Ok(text.to_owned()),
        false => {
            Err("use the URL of the endpoint, such as https://docs.example.com/mcp".to_owned())
        }
    }
}

/// The scopes in the value of one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scopes(pub(crate) Vec<String>);

impl Scopes {
    /// The scopes of an option that can be given several times.
    pub(crate) fn all(given: &[Self]) -> Vec<String> {
        given
            .iter()
            .flat_map(|Self(scopes)| scopes)
            .cloned()
            .collect()
    }
}

/// One or more scopes, separated by spaces as in OAuth.
pub(super) fn scopes(text: &str) -> Result<Scopes, String> {
    let words = text.split(' ').filter(|word| !word.is_empty());
    let scopes: Vec<String> = words.map(str::to_owned).collect();
    let is_scope = |word: &String| scope::read(word) == [word.as_str()];
    match !scopes.is_empty() && scopes.iter().all(is_scope) {
        true => Ok(Scopes(scopes)),
        false => Err("use scopes such as docs:read, with spaces between them and without quotes, backslashes and letters \
                      beyond ASCII".to_owned()),
    }
}

/// `KEY=TEXT`.
pub(super) fn pair(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    let (key, text) = pair.ok_or("use KEY=TEXT, such as user=ada")?;
    Ok((key.to_owned(), text.to_owned()))
}

/// A number of seconds, or zero.
pub(super) fn seconds_or_none(text: &str) -> Result<Duration, String> {
    match text {
        "0" => Ok(Duration::ZERO),
        text => seconds(text),
    }
}

/// A number of seconds, with or without a fraction.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    const USAGE: &str = "use a number of seconds, such as 30 or 0.5";
    let number: f64 = text.parse().map_err(|_invalid| match in_seconds(text) {
        Some(seconds) => format!("write it in seconds and without a unit: {seconds}"),
        None => USAGE.to_owned(),
    })?;
    match Duration::try_from_secs_f64(number) {
        Ok(Duration::ZERO) => Err("it must be more than 0, such as 30 or 0.5".to_owned()),
        Ok(duration) => Ok(duration),
        Err(_) if number < 0.0 => Err("it must be more than 0, such as 30 or 0.5".to_owned()),
        Err(_) if number.is_nan() => Err(USAGE.to_owned()),
        Err(_) => Err("it is too long: use a number of seconds, such as 30".to_owned()),
    }
}

/// A time with a unit, in seconds.
fn in_seconds(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 7] = [
        ("ms", 0.001),
        ("sec", 1.0),
        ("s", 1.0),
        ("min", 60.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
    ];
    let (number, unit) = UNITS
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let number: f64 = number.trim_end().parse().ok()?;
    Some(number * unit).filter(|seconds| seconds.is_finite())
}

/// A time in the future: a duration from now, or a day.
pub(super) fn end(text: &str) -> Result<SystemTime, String> {
    const HOUR: u64 = 60 * 60;
    let wrong = || "use a while such as 12h or 90d, or a day such as 2027-01-31".to_owned();
    if let Ok(day) = text.parse::<jiff::civil::Date>() {
        let begins = day.to_zoned(jiff::tz::TimeZone::UTC).map_err(|_| wrong())?;
        let begins = SystemTime::from(begins.timestamp());
        return match begins > SystemTime::now() {
            true => Ok(begins),
            false => Err("that day has started already".to_owned()),
        };
    }
    let unit = text.strip_suffix('h').map(|number| (number, HOUR));
    let unit = unit.or_else(|| Some((text.strip_suffix('d')?, 24 * HOUR)));
    let (number, unit) = unit.ok_or_else(wrong)?;
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let seconds = number.checked_mul(unit).filter(|seconds| *seconds > 0);
    let ends =
        seconds.and_then(|seconds| SystemTime::now().checked_add(Duration::from_secs(seconds)));
    ends.ok_or_else(wrong)
}

/// A number above zero.
pub(super) fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_invalid| "use a whole number from 1, such as 100".to_owned())
}

/// `KEY=VALUE`, a variable of the environment.
pub(super) fn variable(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(key, _)| !key.is_empty());
    let (key, value) = pair.ok_or("use KEY=VALUE, such as DEBUG=1")?;
    match key.contains('\0') || value.contains('\0') {
        true => Err("no variable can have a null character in it".to_owned()),
        false => Ok((key.to_owned(), value.to_owned())),
    }
}

/// Headers on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HeaderArg {
    /// A name and a value, which may contain variables.
    Pair(String, String),
    /// A file with one header per line.
    File(PathBuf),
}

impl HeaderArg {
    /// Whether it is the header for a token. Headers in files are not known yet.
    pub(crate) fn is_authorization(&self) -> bool {
        matches!(self, Self::Pair(name, _) if name.eq_ignore_ascii_case("authorization"))
    }

    /// The headers in the lines of a file. Empty lines, and lines that begin with `#`, are skipped.
    pub(crate) fn in_lines(text: &str) -> Result<Vec<(String, String)>, String> {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let headers =
            lines.map(|(at, line)| header(line).map_err(|why| format!("line {}: {why}", at + 1)));
        headers.collect()
    }
}

/// Parses a header of a request. No error repeats its value, which may be a secret.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header;

impl TypedValueParser for Header {
    type Value = HeaderArg;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, arg, value)?;
        if let Some(file) = text.strip_prefix('@') {
            return Ok(HeaderArg::File(file.into()));
        }
        match header(&text) {
            Ok((name, value)) => Ok(HeaderArg::Pair(name, value)),
            Err(why) => Err(command.clone().error(ErrorKind::ValueValidation, why)),
        }
    }
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once(':')
        .filter(|(name, _)| !name.trim().is_empty())
        .ok_or("--header takes NAME: VALUE, such as 'Authorization: Bearer TOKEN'")?;
    let (name, value) = (name.trim(), value.trim());
    if name.contains(|it: char| !it.is_ascii_alphanumeric() && !"!#$%&'*+-.^_`|~".contains(it)) {
        return Err(format!(
            "{name:?} can't be the name of a header: use letters, digits and -, as in 'X-Api-Key: KEY'"
        ));
    }
    match value.chars().find(|it| it.is_control() && *it != '\t') {
        None => Ok((name.to_owned(), value.to_owned())),
        Some('\n' | '\r') => Err(format!(
            "the value of the header {name} has a line break, and a header is one line: give each its own --header"
        )),
        Some(other) => Err(format!(
            "the value of the header {name} has the control character {other:?}, which no header can have"
        )),
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
        for (text, why) in [
            ("", "such as 30"),
            ("soon", "such as 30"),
            ("NaN", "such as 30"),
            ("0", "more than 0"),
            ("-1", "more than 0"),
            ("-inf", "more than 0"),
            ("inf", "too long"),
            ("1e300", "too long"),
            ("1h", "without a unit: 3600"),
            ("1.5 min", "without a unit: 90"),
            ("500ms", "without a unit: 0.5"),
            ("30s", "without a unit: 30"),
        ] {
            let said = seconds(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    #[test]
    fn headers() {
        let parsed = header("Authorization: Bearer a:b ").unwrap();
        assert_eq!(
            parsed,
            ("Authorization".to_owned(), "Bearer a:b".to_owned())
        );
        for (text, why) in [
            ("", "NAME: VALUE"),
            ("Authorization", "NAME: VALUE"),
            (": value", "NAME: VALUE"),
            ("a b: secret", "\"a b\" can't be the name"),
            ("ä: secret", "\"ä\" can't be the name"),
            ("a: secret\nb: secret", "a has a line break"),
            ("a: sec\u{1}ret", "the control character '\\u{1}'"),
        ] {
            let said = header(text).unwrap_err();
            assert!(said.contains(why) && !said.contains("secret"), "{said}");
        }
        assert!(header("a: b\tü").is_ok());
    }
}
