//! A bag on each channel: text, object, data of a protocol error, body of an HTTP API. Shaped as
//! `mcp-error-codes` shapes it; never with a problem's context or source.

use std::borrow::Cow;
use std::time::Duration;

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use super::ProblemBag;
use crate::problem::object::{HttpBody, to_text, to_value};
use crate::problem::{Category, Details, Problem};

impl ProblemBag {
    /// One sentence for all: message and suggestion of the only one, or how many there are.
    pub fn summary(&self) -> Cow<'_, str> {
        match &*self.0 {
            [] => "No errors".into(),
            [only] => only.sentences(),
            all if all.iter().all(|one| one.category() == Category::Validation) => {
                format!("{} validation errors occurred.", all.len()).into()
            }
            all => format!("{} errors occurred.", all.len()).into(),
        }
    }

    /// The text for a model: the [summary](Self::summary), and if there are several each of them on a line of its own.
    ///
    /// ```
    /// use plainly_errors::{Problem, ProblemBag};
    ///
    /// let bag = ProblemBag::from_iter([
    ///     Problem::missing_required("name"),
    ///     Problem::validation("age", "Not a number").suggest("Write it in digits."),
    /// ]);
    /// assert_eq!(
    ///     bag.text(),
    ///     "2 validation errors occurred.\n\
    ///      - Missing required field: 'name'.\n\
    ///      - Invalid value for 'age': Not a number Write it in digits.",
    /// );
    /// ```
    pub fn text(&self) -> Cow<'_, str> {
        if let [only] = &*self.0 {
            return only.text();
        }
        let lines = self.iter().map(|problem| format!("\n- {problem}"));
        std::iter::once(self.summary().into_owned())
            .chain(lines)
            .collect::<String>()
            .into()
    }

    /// The longest time that one of them says to wait.
    pub fn retry_hint(&self) -> Option<Duration> {
        // The longest, because a client that comes back sooner fails again with one of the others.
        self.iter().filter_map(Problem::retry_hint).max()
    }

    /// The same in whole seconds, rounded up: the value of HTTP's `Retry-After`.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.iter().filter_map(Problem::retry_after_seconds).max()
    }

    /// The status of an HTTP API that answers with them: the first one's, or 200 if there are none.
    pub fn http_status(&self) -> u16 {
        self.first().map_or(200, Problem::http_status)
    }

    /// The object of a tool result, as it serializes: `success` (false), `error` (the [summary](Self::summary)), `code`
    /// (of the first), `error_count` and `errors`, each with `message`, `code` and `details`; if there are none,
    /// `success` (true) and no `errors`.
    ///
    /// ```
    /// use plainly_errors::{Problem, ProblemBag};
    ///
    /// let bag = ProblemBag::from(Problem::missing_required("name"));
    /// assert_eq!(
    ///     serde_json::to_string(&bag).unwrap(),
    ///     r#"{"success":false,"error":"Missing required field: 'name'.","code":"MISSING_REQUIRED","error_count":1,"errors":[{"message":"Missing required field: 'name'.","code":"MISSING_REQUIRED","details":{"field":"name"}}]}"#,
    /// );
    /// ```
    pub fn to_object(&self) -> Value {
        to_value(self)
    }

    /// The body of an HTTP API's answer, as of [one problem](Problem::to_http_body), with `error_count` and `errors`.
    /// `None` if there are none.
    pub fn to_http_body(&self) -> Option<String> {
        let first = self.first()?;
        Some(to_text(&HttpBody {
            title: first.code().http_phrase(),
            status: first.http_status(),
            detail: self.summary(),
            extensions: self.as_data(first),
        }))
    }

    pub(crate) fn to_data(&self, first: &Problem) -> Value {
        to_value(&self.as_data(first))
    }

    fn as_data<'a>(&'a self, first: &'a Problem) -> BagData<'a> {
        BagData {
            list: self.as_list(first),
            retry_after: self.retry_after_seconds(),
        }
    }

    fn as_list<'a>(&'a self, first: &'a Problem) -> List<'a> {
        let errors = self.iter().map(|problem| BagEntry {
            message: problem.message(),
            code: problem.code().as_str(),
            details: problem.details(),
        });
        List {
            code: first.code().as_str(),
            error_count: self.len(),
            errors: errors.collect(),
        }
    }
}

#[derive(serde::Serialize)]
struct BagObject<'a> {
    success: bool,
    error: Cow<'a, str>,
    #[serde(flatten)]
    list: List<'a>,
}

/// A bag in protocol errors and HTTP bodies. `retry_after` is beyond `mcp-error-codes`, which loses it.
#[derive(serde::Serialize)]
struct BagData<'a> {
    #[serde(flatten)]
    list: List<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

#[derive(serde::Serialize)]
struct List<'a> {
    code: &'a str,
    error_count: usize,
    errors: Vec<BagEntry<'a>>,
}

#[derive(serde::Serialize)]
struct BagEntry<'a> {
    message: &'a str,
    code: &'a str,
    details: &'a Details,
}

#[derive(serde::Serialize)]
struct Nothing {
    success: bool,
    errors: [(); 0],
}

/// As [`ProblemBag::to_object`] has it, members in that order.
impl Serialize for ProblemBag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.first() {
            None => Nothing {
                success: true,
                errors: [],
            }
            .serialize(serializer),
            Some(first) => BagObject {
                success: false,
                error: self.summary(),
                list: self.as_list(first),
            }
            .serialize(serializer),
        }
    }
}
