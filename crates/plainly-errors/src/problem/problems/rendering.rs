//! Problems on each channel: text, object, data of a protocol error, and body of an HTTP API, in
//! the form of `mcp-error-codes`. None contains a problem's context or source.

use std::borrow::Cow;
use std::time::Duration;

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use super::Problems;
use crate::problem::object::{HttpBody, to_text, to_value};
use crate::problem::{Category, Details, Problem};

impl Problems {
    /// A single summary: message and suggestion of the only problem, or the number of problems.
    pub fn summary(&self) -> Cow<'_, str> {
        match self.all() {
            [only] => only.sentences(),
            all if all.iter().all(|one| one.category() == Category::Validation) => {
                format!("{} validation errors occurred.", all.len()).into()
            }
            all => format!("{} errors occurred.", all.len()).into(),
        }
    }

    /// The text for a model: the [summary](Self::summary) and, if there are several problems, each
    /// on a separate line.
    ///
    /// ```
    /// use plainly_errors::problem::{Problem, ProblemBag};
    ///
    /// let bag = ProblemBag::from_iter([
    ///     Problem::missing_required("name"),
    ///     Problem::validation("age", "Not a number").suggest("Write it in digits."),
    /// ]);
    /// let problems = bag.into_result().unwrap_err();
    /// assert_eq!(
    ///     problems.text(),
    ///     "2 validation errors occurred.\n\
    ///      - Missing required field: 'name'.\n\
    ///      - Invalid value for 'age': Not a number. Write it in digits.",
    /// );
    /// ```
    pub fn text(&self) -> Cow<'_, str> {
        if let [only] = self.all() {
            return only.text();
        }
        let lines = self.iter().map(|problem| format!("\n- {problem}"));
        std::iter::once(self.summary().into_owned())
            .chain(lines)
            .collect::<String>()
            .into()
    }

    /// The longest waiting time of all problems.
    pub fn retry_after(&self) -> Option<Duration> {
        // The longest, because a client that retries sooner fails again with one of the others.
        self.iter().filter_map(Problem::retry_after).max()
    }

    /// The waiting time in whole seconds, rounded up: the value of HTTP's `Retry-After`.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.iter().filter_map(Problem::retry_after_seconds).max()
    }

    /// The status for an HTTP API that returns the problems: that of the first.
    pub fn http_status(&self) -> u16 {
        self.first().http_status()
    }

    /// The object of a tool result, as the problems serialize: `success` (false), `error` (the
    /// [summary](Self::summary)), `code` (of the first), `error_count`, `errors`, each with
    /// `message`, `code`, `details` and optionally `suggestion`, and optionally `retry_after`
    /// (whole seconds).
    ///
    /// ```
    /// use plainly_errors::problem::{Problem, Problems};
    ///
    /// let problems = Problems::from(Problem::missing_required("name"));
    /// assert_eq!(
    ///     serde_json::to_string(&problems).unwrap(),
    ///     r#"{"success":false,"error":"Missing required field: 'name'.","code":"MISSING_REQUIRED","error_count":1,"errors":[{"message":"Missing required field: 'name'.","code":"MISSING_REQUIRED","details":{"field":"name"}}]}"#,
    /// );
    /// ```
    pub fn to_object(&self) -> Value {
        to_value(self)
    }

    /// The body of an HTTP API's response, like that of [one problem](Problem::to_http_body), with
    /// `error_count` and `errors`.
    pub fn to_http_body(&self) -> String {
        let first = self.first();
        to_text(&HttpBody {
            title: first.code().http_phrase(),
            status: first.http_status(),
            detail: self.summary(),
            extensions: self.as_data(),
        })
    }

    pub(crate) fn to_data(&self) -> Value {
        to_value(&self.as_data())
    }

    fn as_data(&self) -> ProblemsData<'_> {
        let errors = self.iter().map(|problem| ProblemEntry {
            message: problem.message(),
            code: problem.code().as_str(),
            suggestion: problem.suggestion(),
            details: problem.details(),
        });
        ProblemsData {
            code: self.first().code().as_str(),
            error_count: self.iter().len(),
            errors: errors.collect(),
            retry_after: self.retry_after_seconds(),
        }
    }
}

#[derive(serde::Serialize)]
struct ProblemsObject<'a> {
    success: bool,
    error: Cow<'a, str>,
    #[serde(flatten)]
    data: ProblemsData<'a>,
}

/// `retry_after`, and the `suggestion` of an entry, are additions to `mcp-error-codes`, which drops
/// them.
#[derive(serde::Serialize)]
struct ProblemsData<'a> {
    code: &'a str,
    error_count: usize,
    errors: Vec<ProblemEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

#[derive(serde::Serialize)]
struct ProblemEntry<'a> {
    message: &'a str,
    code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
    details: &'a Details,
}

/// Writes the object of [`Problems::to_object`], with the members in that order.
impl Serialize for Problems {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = ProblemsObject {
            success: false,
            error: self.summary(),
            data: self.as_data(),
        };
        object.serialize(serializer)
    }
}
