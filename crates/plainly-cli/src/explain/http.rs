//! An HTTP response with its head, as `curl -i` or `curl -v` prints it: the status, what its headers ask for, and the error in
//! its body.

use std::time::Duration;

use plainly::errors::problem::in_seconds;
use plainly::errors::{Fault, Retry};

use super::formed::formed;
use super::{Explanation, Setting, status};

/// A response: its status, its headers, and the text of its body.
#[derive(Debug)]
pub(super) struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Response {
    /// The last response in a text that begins with one: those before it are of a proxy, or led to the next.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain = without_marks(text);
        let mut lines = plain.lines();
        let mut response = Self::head(&mut lines)?;
        while let Some(next) = Self::head(&mut lines) {
            response = next;
        }
        response.body = lines.collect::<Vec<_>>().join("\n");
        Some(response)
    }

    /// Reads the head that comes next, if one does, and the empty line after it.
    fn head(lines: &mut std::str::Lines<'_>) -> Option<Self> {
        let mut ahead = lines.clone();
        let first = ahead.by_ref().find(|line| !line.trim().is_empty())?;
        let (version, rest) = first.split_once(' ')?;
        version.strip_prefix("HTTP/")?;
        let status = rest.split_whitespace().next()?.parse().ok()?;
        let fields = ahead.by_ref().map_while(|line| line.split_once(':'));
        let headers = fields
            .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
            .collect();
        *lines = ahead;
        Some(Self {
            status,
            headers,
            body: String::new(),
        })
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter();
        let (_, value) = all.find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    /// The error in the body, after the status where that says more.
    pub(super) fn explain(&self, setting: Setting) -> Vec<Explanation> {
        let body = self.body.trim();
        let setting = Setting {
            http_status: Some(self.status),
            ..setting
        };
        let within = formed(body, setting).unwrap_or_default();
        let comes_first = within.is_empty() || status::outweighs_its_body(self.status);
        let within = within.into_iter().map(|explained| self.carrying(explained));
        let of_status = comes_first.then(|| self.explain_status(body));
        of_status.into_iter().chain(within).collect()
    }

    /// An error in the body; where its code means nothing, the status does.
    fn carrying(&self, explained: Explanation) -> Explanation {
        let says_nothing = explained.fault == Fault::Unknown && self.status >= FAILED;
        let told = match says_nothing {
            true => Explanation {
                given: explained.given,
                name: explained.name,
                code: explained.code,
                message: explained.message,
                revision: explained.revision,
                hints: explained.hints,
                irregular: explained.irregular,
                ..status::explain(self.status)
            },
            false => explained,
        };
        Explanation {
            http_status: Some(self.status),
            ..told
        }
    }

    fn explain_status(&self, body: &str) -> Explanation {
        let mut explained = status::explain(self.status);
        // The beginning of a page for people says nothing.
        let line = body
            .lines()
            .next()
            .filter(|line| !line.starts_with(['<', '{']));
        explained.message = line.map(|line| line.chars().take(SHOWN).collect());
        for asked in self.asked(&explained) {
            explained.advice = format!("{asked}; {}", explained.advice);
        }
        if let Some(wait) = self.wait() {
            explained.wait = Some(wait);
            explained.retry = Retry::AfterDelay;
        }
        explained
    }

    /// What the headers ask for, the least urgent first.
    fn asked(&self, explained: &Explanation) -> Vec<String> {
        let is_redirect = (300..400).contains(&self.status);
        let location = self.header("Location").filter(|_| is_redirect);
        let challenge = self.header("WWW-Authenticate");
        let encoding = self
            .header("Content-Encoding")
            .filter(|_| explained.message.is_none());
        let allow = self
            .header("Allow")
            .filter(|_| self.status == METHOD_NOT_ALLOWED);
        let asked = [
            location.map(|url| format!("it is at {url}")),
            challenge.map(challenged),
            allow.map(|methods| format!("this path takes {methods}")),
            encoding.map(|it| format!("the body is compressed ({it}): curl --compressed shows it")),
            self.header("Retry-After")
                .map(|value| match seconds_of(value) {
                    Some(wait) => format!("wait {}", in_seconds(wait)),
                    None => format!("wait until {value}"),
                }),
        ];
        asked.into_iter().flatten().collect()
    }

    fn wait(&self) -> Option<Duration> {
        seconds_of(self.header("Retry-After")?)
    }
}

/// The least status that is about a failure.
const FAILED: u16 = 400;
/// How much of a body that is no error is shown.
const SHOWN: usize = 200;

const METHOD_NOT_ALLOWED: u16 = 405;

/// What a challenge asks for: its parameters that help, which are those of OAuth.
fn challenged(challenge: &str) -> String {
    let named = |name: &str| {
        let (_, rest) = challenge.split_once(&format!("{name}="))?;
        let value = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next()?,
            None => rest.split([',', ' ']).next()?,
        };
        Some(format!("{name} {value}"))
    };
    let known = ["error", "error_description", "scope", "resource_metadata"];
    let told: Vec<_> = known.into_iter().filter_map(named).collect();
    match told.is_empty() {
        true => format!("it wants {challenge}"),
        false => format!("it says {}", told.join(", ")),
    }
}

fn seconds_of(value: &str) -> Option<Duration> {
    value.parse().ok().map(Duration::from_secs)
}

/// The text without what `curl -v` puts before each line, and without the lines that are of the request.
fn without_marks(text: &str) -> String {
    if !text.lines().any(|line| line.starts_with("< HTTP/")) {
        return text.to_owned();
    }
    let shown = text.lines().filter_map(|line| match line.get(..1) {
        Some("<") => Some(line.get(1..)?.trim()),
        Some("*" | ">") => None,
        // How much was sent and received.
        _ if line.starts_with("{ [") || line.starts_with("} [") => None,
        _ => Some(line),
    });
    shown.collect::<Vec<_>>().join("\n")
}
