//! An HTTP response with its head, as `curl -i` or `curl -v` prints it: the status, what its headers ask for, and the error in
//! its body.

use std::time::Duration;

use plainly::client::Challenge;
use plainly::errors::problem::wait_in_words;
use plainly::errors::{Fault, HttpStatus, Retry};

use super::formed::formed;
use super::{Explanation, Setting, oauth, status};

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
        self.values(name).next()
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.headers.iter();
        let named = all.filter(move |(known, _)| known.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.as_str())
    }

    /// The error in the body, after the status where that says more.
    pub(super) fn explain(&self, setting: Setting) -> Result<Vec<Explanation>, Vec<String>> {
        let body = self.body.trim();
        let setting = Setting {
            http_status: Some(self.status),
            ..setting
        };
        let within = match (formed(body, setting), status::explain(self.status)) {
            (Ok(within), _) => within,
            (Err(_), Ok(_)) => Vec::new(),
            (Err(of_body), Err(of_status)) => return Err([of_status, of_body].concat()),
        };
        let comes_first = within.is_empty() || status::outweighs_its_body(self.status);
        let within = within.into_iter().map(|explained| self.carrying(explained));
        let of_status = comes_first.then(|| self.explain_status(body));
        Ok(of_status.into_iter().chain(within).collect())
    }

    /// An error in the body; where its code means nothing, the status does.
    fn carrying(&self, explained: Explanation) -> Explanation {
        let says_nothing =
            explained.fault == Fault::Unknown && HttpStatus::of(self.status).is_failure();
        let mut told = match says_nothing {
            true => Explanation {
                given: explained.given,
                name: explained.name,
                code: explained.code,
                message: explained.message,
                revision: explained.revision,
                wait: explained.wait,
                hints: explained.hints,
                irregular: explained.irregular,
                mistakes: explained.mistakes,
                ..status::failure(self.status)
            },
            false => explained,
        };
        told.http_status = Some(self.status);
        if let Some(pause) = self.pause() {
            told.advice = format!("{pause}; {}", told.advice);
            // The body may ask for more.
            told.wait = told.wait.max(self.wait());
        }
        told
    }

    fn explain_status(&self, body: &str) -> Explanation {
        let mut explained = status::failure(self.status);
        // The beginning of a page for people says nothing.
        let line = body
            .lines()
            .next()
            .filter(|line| !line.starts_with(['<', '{']));
        explained.message = line.map(|line| line.chars().take(SHOWN).collect());
        let challenge = self.challenge();
        let wrong = challenge.as_ref().and_then(|it| it.error.as_deref());
        if let Some((means, advice)) = wrong.and_then(oauth::told) {
            explained.means = means.to_owned();
            explained.advice = advice.to_owned();
        }
        for asked in self.asked(&explained, challenge.as_ref()) {
            explained.advice = format!("{asked}; {}", explained.advice);
        }
        if let Some(wait) = self.wait() {
            explained.wait = Some(wait);
            explained.retry = Retry::AfterDelay;
        }
        explained
    }

    /// What the headers ask for, the least urgent first.
    fn asked(&self, explained: &Explanation, challenge: Option<&Challenge>) -> Vec<String> {
        let is_redirect = (300..400).contains(&self.status);
        let location = self.header("Location").filter(|_| is_redirect);
        let encoding = self
            .header("Content-Encoding")
            .filter(|_| explained.message.is_none());
        let allow = self
            .header("Allow")
            .filter(|_| self.status == METHOD_NOT_ALLOWED);
        let asked = [
            location.map(|url| format!("it is at {url}")),
            challenge.map(|challenge| format!("it wants {challenge}")),
            allow.map(|methods| format!("this path takes {methods}")),
            encoding.map(|it| format!("the body is compressed ({it}): curl --compressed shows it")),
            self.pause(),
        ];
        asked.into_iter().flatten().collect()
    }

    /// The credentials that it wants.
    fn challenge(&self) -> Option<Challenge> {
        Challenge::read(self.values("WWW-Authenticate"))
    }

    /// How long it asks to wait.
    fn pause(&self) -> Option<String> {
        let value = self.header("Retry-After")?;
        Some(match self.wait() {
            Some(wait) => format!("wait {}", wait_in_words(wait)),
            None => format!("wait until {value}"),
        })
    }

    fn wait(&self) -> Option<Duration> {
        let seconds = self.header("Retry-After")?.parse().ok()?;
        Some(Duration::from_secs(seconds))
    }
}

/// How much of a body that is no error is shown.
const SHOWN: usize = 200;

const METHOD_NOT_ALLOWED: u16 = 405;

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
