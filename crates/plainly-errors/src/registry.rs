//! The known errors: the [codes](registry()) that JSON-RPC or any revision of MCP ever defined, and
//! the [conditions](conditions()) that they express. The dialects, the recogniser and the
//! documentation read the registry. Together with the specification's allocation policy
//! (2026-07-28, "Error Codes"), it determines which codes [may be sent](may_emit).

pub(crate) mod table;
mod words;

pub use self::words::capability_names;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::code::{Code, CodeRange};
use crate::kind::ErrorKind;
use crate::retry::Retry;
use crate::revision::{Revision, Revisions};

/// The choice of a code for a missing resource on revisions that defined a separate one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a choice between two; a third would be a new decision everywhere"
)]
pub enum Dialect {
    /// -32602 on every revision, as decided by SEP-2164.
    #[default]
    Uniform,
    /// -32002 up to 2025-11-25, for servers whose old clients expect it; -32602 from 2026-07-28.
    PerRevision,
}

impl Dialect {
    /// Both dialects.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::PerRevision];
}

/// An error code: its name and meaning, who may send it, and what to do about it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// The name of the code in the specification that defines it.
    pub name: &'static str,
    /// The meaning of the code.
    pub meaning: &'static str,
    /// The revisions that define the code: all of them if JSON-RPC does.
    pub revisions: Revisions,
    /// Whether this implementation may send the code.
    pub emit: Emit,
    /// The assumption that a receiver may make.
    pub receive: &'static str,
    /// The shape of `data`.
    pub data: &'static str,
    /// Whether sending the request again helps.
    pub retry: Retry,
    /// The advice for a receiver.
    pub advice: &'static str,
    /// The document that defines the code.
    pub source: &'static str,
    /// Returns the error that the code means with this `data`; `None` if it has no meaning, or none
    /// with such data.
    pub(crate) read: fn(Option<&Value>) -> Option<ErrorKind>,
}

/// Compares only codes, because a code has a single row.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Entry {}

/// Whether this implementation may send a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Emit {
    /// On the revisions that define the code.
    Defined,
    /// On the revisions that define the code, but only with [`Dialect::PerRevision`].
    PerRevision,
    /// Never, because the code is only of historical interest.
    Never,
}

/// All codes.
pub fn registry() -> &'static [Entry] {
    &table::CODES
}

/// The code with its name: `InvalidParams -32602`, or `code -32000` if no revision defines the
/// code.
///
/// ```
/// use plainly_errors::{Code, registry};
///
/// assert_eq!(registry::named(Code::new(-32602)), "InvalidParams -32602");
/// assert_eq!(registry::named(Code::new(-32000)), "code -32000");
/// ```
pub fn named(code: Code) -> String {
    let entry = lookup(code).filter(|entry| entry.revisions != Revisions::NONE);
    let name = entry.map_or("code", |entry| entry.name);
    format!("{name} {code}")
}

/// The row of `code`, if JSON-RPC or MCP ever defined it.
pub fn lookup(code: Code) -> Option<&'static Entry> {
    table::CODES.iter().find(|entry| entry.code == code)
}

impl Entry {
    /// Whether `revision` defines the code.
    pub fn defined_in(&self, revision: Revision) -> bool {
        self.revisions.has(revision)
    }

    /// The HTTP statuses of the responses that carry the code, in words. They include the revisions
    /// if these differ, and are `any` if this implementation never sends the code.
    pub fn http_status(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        let mut left = Revisions::filter(|revision| !self.statuses(revision).is_empty());
        while let Some(revision) = left.iter().next() {
            let statuses = self.statuses(revision);
            let same = Revisions::filter(|it| left.has(it) && self.statuses(it) == statuses);
            let list: Vec<_> = statuses.iter().map(u16::to_string).collect();
            // Revisions are named only if they differ.
            words.push(match same == left && words.is_empty() {
                true => list.join(", "),
                false => format!("{} ({same})", list.join(", ")),
            });
            left = Revisions::filter(|it| left.has(it) && !same.has(it));
        }
        if words.is_empty() {
            return "any".to_owned();
        }
        words.join("; ")
    }

    fn statuses(&self, revision: Revision) -> BTreeSet<u16> {
        let numbers = conditions()
            .iter()
            .flat_map(|condition| Dialect::ALL.map(|dialect| condition.number(dialect, revision)));
        let written = numbers.filter(|(code, _)| *code == self.code);
        written.map(|(_, status)| status).collect()
    }
}

/// A code and the HTTP status of its response.
type Number = (Code, u16);

/// A condition that causes an error, with its code and status for each revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Condition {
    /// A description of the condition.
    pub name: &'static str,
    /// The revisions on which the condition can occur.
    pub revisions: Revisions,
    /// The code and HTTP status for each revision, oldest first.
    written: [Number; Revision::ALL.len()],
    /// The code that [`Dialect::PerRevision`] writes on the revisions that define it.
    pinned: Option<Code>,
    /// Whether sending the request again helps, if that differs from the code's row.
    retry: Option<Retry>,
    /// Whether a handler may return the error. The other errors are about the message, the
    /// connection or the session, which a handler does not know: they determine the HTTP status,
    /// and clients react to them.
    by_handler: bool,
}

/// All conditions, from the message as a whole to internal failures.
///
/// ```
/// use plainly_errors::{Dialect, Revision, conditions};
///
/// let missing = conditions().iter().find(|it| it.name == "the resource does not exist").unwrap();
/// let (code, status) = missing.written(Dialect::Uniform, Revision::LATEST).unwrap();
/// assert_eq!((code.get(), status), (-32602, 200));
/// ```
pub fn conditions() -> &'static [Condition] {
    table::CONDITIONS
}

impl Condition {
    /// A condition that can occur on every revision and is written in the same way on all.
    const fn new(name: &'static str, code: Code, http_status: u16) -> Self {
        Self {
            name,
            revisions: Revisions([true; Revision::ALL.len()]),
            written: [(code, http_status); Revision::ALL.len()],
            pinned: None,
            retry: None,
            by_handler: true,
        }
    }

    /// Limits the condition to these revisions.
    const fn on(self, revisions: Revisions) -> Self {
        Self { revisions, ..self }
    }

    /// Marks the condition as one that only the server itself may report.
    const fn by_server(self) -> Self {
        Self {
            by_handler: false,
            ..self
        }
    }

    /// Sets the codes and HTTP statuses: one entry for each revision, oldest first.
    const fn written_as(self, written: [Number; Revision::ALL.len()]) -> Self {
        Self { written, ..self }
    }

    /// The code and the HTTP status that `dialect` writes for the condition on `revision`, if it
    /// can occur there.
    pub fn written(&self, dialect: Dialect, revision: Revision) -> Option<(Code, u16)> {
        let can_happen = self.revisions.has(revision);
        can_happen.then(|| self.number(dialect, revision))
    }

    /// Like [`written`](Self::written), but also for a revision on which the condition can't occur.
    pub(crate) fn number(&self, dialect: Dialect, revision: Revision) -> Number {
        let (code, http_status) = self.written[revision as usize];
        // Old clients know the pinned code, but it may be sent only on the revisions that defined
        // it.
        let pinned = self.pinned.filter(|pinned| {
            dialect == Dialect::PerRevision
                && lookup(*pinned).is_some_and(|entry| entry.defined_in(revision))
        });
        (pinned.unwrap_or(code), http_status)
    }

    /// Whether a handler may return the error.
    pub(crate) fn may_be_a_handlers(&self) -> bool {
        self.by_handler
    }

    /// Whether sending the request again helps: the condition's own value, or that of its newest
    /// code.
    pub(crate) fn retry(&self) -> Retry {
        let [.., (code, _)] = self.written;
        self.retry.unwrap_or_else(|| retry_of(code))
    }
}

/// Whether a request that ended with `code` should be sent again. For an undefined code it should
/// not.
pub(crate) fn retry_of(code: Code) -> Retry {
    lookup(code).map_or(Retry::Never, |entry| entry.retry)
}

/// Whether `code` may be sent to a peer of `revision` in `dialect`, by the allocation policy of the
/// specification and by this table. A test checks the output of the dialects against this function
/// over all integers.
pub fn may_emit(code: Code, revision: Revision, dialect: Dialect) -> bool {
    match (code.range(), lookup(code)) {
        (CodeRange::Application, _) => true,
        // No implementation may define its own codes in the ranges of JSON-RPC and MCP.
        (_, None) => false,
        (_, Some(entry)) => {
            entry.defined_in(revision)
                && (entry.emit != Emit::PerRevision || dialect == Dialect::PerRevision)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::table::RESOURCE_NOT_FOUND;
    use super::*;

    #[test]
    fn each_code_has_one_row() {
        let codes: BTreeSet<_> = registry().iter().map(|entry| entry.code).collect();
        assert_eq!(codes.len(), registry().len());
    }

    #[test]
    fn what_a_handler_fails_with_never_chooses_the_http_status() {
        for condition in conditions().iter().filter(|it| it.by_handler) {
            let is_in_band = condition.written.iter().all(|(_, status)| *status == 200);
            // Only a handler knows which input it needs from the client. The specification defines
            // the status.
            let is_asking = condition.name == "the client lacks a capability";
            assert!(is_in_band || is_asking, "{}", condition.name);
        }
    }

    #[test]
    fn each_condition_has_its_own_name() {
        let names: BTreeSet<_> = conditions().iter().map(|it| it.name).collect();
        assert_eq!(names.len(), conditions().len());
    }

    #[test]
    fn the_legacy_range_is_closed_but_for_minus_32002_on_the_revisions_that_defined_it() {
        for code in (-32019..=-32000).map(Code::new) {
            for revision in Revision::ALL {
                assert!(
                    !may_emit(code, revision, Dialect::Uniform),
                    "{code} {revision}"
                );
                let allowed = code == RESOURCE_NOT_FOUND && revision != Revision::V2026_07_28;
                assert_eq!(
                    may_emit(code, revision, Dialect::PerRevision),
                    allowed,
                    "{code} {revision}"
                );
            }
        }
    }

    #[test]
    fn the_specification_s_range_holds_what_each_revision_defines() {
        for revision in Revision::ALL {
            let emitted: Vec<_> = (-32099..=-32020)
                .filter(|code| may_emit(Code::new(*code), revision, Dialect::Uniform))
                .collect();
            let expected: &[i64] = match revision {
                Revision::V2024_11_05 | Revision::V2025_03_26 | Revision::V2025_06_18 => &[],
                Revision::V2025_11_25 => &[-32042],
                Revision::V2026_07_28 => &[-32022, -32021, -32020],
            };
            assert_eq!(emitted, expected, "{revision}");
        }
    }
}
