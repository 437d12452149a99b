//! The place of an error in the documentation: a heading of a page, with the anchor that GitHub
//! gives it.

use plainly::errors::registry::lookup;
use plainly::errors::{Code, CodeRange, Dialect, ProblemCode, ProtocolError, Revision};

/// A place in the documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    page: &'static str,
    anchor: String,
}

impl Link {
    fn to(heading: &str) -> Self {
        Self {
            page: "errors.md",
            anchor: anchor(heading),
        }
    }

    /// The section about commands and clients that fail to reach a server.
    pub(super) fn to_troubleshooting() -> Self {
        Self {
            page: "troubleshooting.md",
            anchor: anchor("Commands and clients"),
        }
    }

    /// The section about the certificate of a server.
    pub(super) fn to_certificates() -> Self {
        Self {
            page: "troubleshooting.md",
            anchor: anchor("`the server's certificate …`"),
        }
    }

    /// The section about failed logins.
    pub(super) fn to_logins() -> Self {
        Self {
            page: "logins.md",
            anchor: anchor("Failed logins"),
        }
    }

    /// The section about refused HTTP requests, with the statuses.
    pub(super) fn to_refusals() -> Self {
        Self::to("refused")
    }

    pub(super) fn to_problems() -> Self {
        Self::to("Problems")
    }

    pub(super) fn to_problem(code: &ProblemCode) -> Self {
        match ProblemCode::all().contains(code) {
            true => Self::to(code.as_str()),
            false => Self::to_problems(),
        }
    }

    pub(super) fn to_code(code: Code) -> Self {
        match (lookup(code), code.range()) {
            (Some(entry), _) => Self::to(&format!("{code} {}", entry.name)),
            (None, CodeRange::Application) => Self::to("Read what other servers mean"),
            (None, _) => Self::to("Ranges"),
        }
    }

    /// The most specific heading for the error: its problem, its kind, or its code.
    pub(super) fn to_error(error: &ProtocolError, code: Code) -> Self {
        if let Some(problem) = error.problem() {
            return Self::to_problem(problem.code());
        }
        if error.is_resource_not_found() {
            return Self::to("Resource not found");
        }
        let alone = ProtocolError::new(error.kind().clone());
        let data = Dialect::default().encode(&alone, Revision::LATEST).data;
        let kind = data.as_ref().and_then(|data| data.get("kind")?.as_str());
        match kind.filter(|_| error.condition().is_some()) {
            Some(kind) => Self::to(kind),
            None => Self::to_code(code),
        }
    }

    /// The path in a checkout. A URL would lead nowhere until the repository is published.
    pub(super) fn path(&self) -> String {
        format!("docs/{}#{}", self.page, self.anchor)
    }
}

/// The anchor that GitHub gives to a heading.
fn anchor(heading: &str) -> String {
    let is_kept = |it: &char| it.is_alphanumeric() || " -_".contains(*it);
    let kept: String = heading.chars().filter(is_kept).collect();
    kept.to_lowercase().replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use plainly::errors::registry;

    use super::super::kind::KINDS;
    use super::super::{oauth, read};
    use super::*;

    fn headings(page: &str) -> Vec<String> {
        let lines = page.lines().filter(|line| line.starts_with('#'));
        lines
            .map(|line| anchor(line.trim_start_matches('#').trim()))
            .collect()
    }

    const OTHERS: &[&str] = &[
        "1234",
        "UnknownIssuer",
        "\"x\"",
        "{\"isError\":true}",
        "{\"error\":\"x\"}",
        "{\"error\":\"invalid_token\"}",
        "{\"error\":{\"from\":\"local\",\"kind\":\"failure\",\"message\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"error\":\"x\"}",
        "{\"success\":false,\"error\":\"x\",\"code\":\"OWN\"}",
        "{\"code\":1,\"message\":\"x\",\"data\":{\"kind\":\"own\"}}",
    ];

    #[test]
    fn every_link_leads_to_a_heading_that_is_there() {
        let errors = headings(include_str!("../../../../docs/errors.md"));
        let troubleshooting = headings(include_str!("../../../../docs/troubleshooting.md"));
        let logins = headings(include_str!("../../../../docs/logins.md"));
        let codes = registry().iter().map(|entry| entry.code.to_string());
        let problems = ProblemCode::all().iter().map(ToString::to_string);
        let statuses = (100..600).map(|status| format!("HTTP {status}"));
        let others = OTHERS.iter().map(|text| (*text).to_owned());
        let all = codes
            .chain(problems)
            .chain(statuses)
            .chain(others)
            .chain(oauth::names().map(str::to_owned))
            .chain(KINDS.map(str::to_owned));
        let all = all.flat_map(|text| read(&text, None).unwrap_or_default());
        for explained in all {
            let Link { page, anchor } = &explained.link;
            let there = match *page {
                "errors.md" => &errors,
                "logins.md" => &logins,
                _ => &troubleshooting,
            };
            assert!(there.contains(anchor), "{page}#{anchor} of {there:?}");
        }
    }
}
