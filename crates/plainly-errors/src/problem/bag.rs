//! Several problems at once, so that a caller learns of all its mistakes in one answer.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use super::object::{HttpBody, to_text, to_value};
use super::{Category, Details, Problem};

/// Problems in the order in which they were found; possibly none.
///
/// ```
/// use plainly_errors::ProblemBag;
///
/// fn check(email: &str, name: &str) -> Result<(), ProblemBag> {
///     let mut bag = ProblemBag::new();
///     if !email.contains('@') {
///         bag.invalid("email", "Invalid email format");
///     }
///     if name.len() < 2 {
///         bag.invalid("name", "Name must have at least 2 characters");
///     }
///     bag.into_result()
/// }
///
/// assert!(check("ada@example.com", "Ada").is_ok());
/// let bag = check("ada", "A").unwrap_err();
/// assert_eq!(bag.summary(), "2 validation errors occurred.");
/// assert_eq!(bag.by_field("name").count(), 1);
/// ```
///
/// As an error it displays the [text](Self::text) that the model gets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProblemBag(Vec<Problem>);

impl ProblemBag {
    /// None yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds one.
    pub fn add(&mut self, problem: Problem) -> &mut Self {
        self.0.push(problem);
        self
    }

    /// Adds that the value of `field` is wrong, as [`Problem::validation`] says it.
    pub fn invalid(&mut self, field: impl Into<String>, reason: impl Into<String>) -> &mut Self {
        self.add(Problem::validation(field, reason))
    }

    /// Adds all of another.
    pub fn merge(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Takes all out.
    pub fn clear(&mut self) -> &mut Self {
        self.0.clear();
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first, whose code is the code of all.
    pub fn first(&self) -> Option<&Problem> {
        self.0.first()
    }

    /// All, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// Those whose detail `field` is this one.
    pub fn by_field(&self, field: &str) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(move |problem| problem.details().get("field").is_some_and(|it| it == field))
    }

    /// Those about this.
    pub fn by_category(&self, category: Category) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(move |problem| problem.category() == category)
    }

    /// `Ok` if there are none: `bag.into_result()?` ends a handler with all that it found.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    /// Every value, or else every problem; `collect` into a `Result` would stop at the first.
    ///
    /// ```
    /// use plainly_errors::{Problem, ProblemBag};
    ///
    /// let number = |text: &str| text.parse::<u8>().map_err(|_| Problem::validation(text, "Not a number"));
    /// let collect = |texts: [&str; 3]| ProblemBag::collect_results(texts.map(number));
    /// assert_eq!(collect(["1", "2", "3"]), Ok(vec![1, 2, 3]));
    /// assert_eq!(collect(["1", "b", "c"]).unwrap_err().len(), 2);
    /// ```
    pub fn collect_results<T>(
        results: impl IntoIterator<Item = Result<T, Problem>>,
    ) -> Result<Vec<T>, Self> {
        let mut bag = Self::new();
        let mut values = Vec::new();
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(problem) => bag.0.push(problem),
            }
        }
        bag.into_result().map(|()| values)
    }

    /// One sentence for all: the text of the only one, or how many there are.
    pub fn summary(&self) -> Cow<'_, str> {
        match &*self.0 {
            [] => "No errors".into(),
            [only] => only.text(),
            all if all.iter().all(|one| one.category() == Category::Validation) => {
                format!("{} validation errors occurred.", all.len()).into()
            }
            all => format!("{} errors occurred.", all.len()).into(),
        }
    }

    /// What a model reads: the [summary](Self::summary), and if there are several each of them on a line of its own.
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
        if self.len() < 2 {
            return self.summary();
        }
        let lines = self.iter().map(|problem| format!("\n- {problem}"));
        std::iter::once(self.summary().into_owned())
            .chain(lines)
            .collect::<String>()
            .into()
    }

    /// The longest time that one of them says to wait.
    pub fn retry_hint(&self) -> Option<Duration> {
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

    /// The object of a tool result, as it serializes: `success` (false), `error` (the [summary](Self::summary)), `code` (of
    /// the first), `error_count` and `errors`, each with `message`, `code` and `details`; if there are none, `success`
    /// (true) and no `errors`.
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

    /// The body of an HTTP API's answer, as of [one problem](Problem::to_http_body), with `error_count` and `errors`. `None`
    /// if there are none.
    pub fn to_http_body(&self) -> Option<String> {
        let first = self.first()?;
        Some(to_text(&HttpBody {
            title: first.code().http_phrase(),
            status: first.http_status(),
            detail: self.summary(),
            extensions: self.as_data(first),
        }))
    }

    pub(super) fn to_data(&self, first: &Problem) -> Value {
        to_value(&self.as_data(first))
    }

    fn as_data<'a>(&'a self, first: &'a Problem) -> Data<'a> {
        Data {
            list: self.as_list(first),
            retry_after: self.retry_after_seconds(),
        }
    }

    fn as_list<'a>(&'a self, first: &'a Problem) -> List<'a> {
        let entry = |problem: &'a Problem| Entry {
            message: problem.message(),
            code: problem.code().as_str(),
            details: problem.details(),
        };
        List {
            code: first.code().as_str(),
            error_count: self.len(),
            errors: self.iter().map(entry).collect(),
        }
    }
}

#[derive(serde::Serialize)]
struct Object<'a> {
    success: bool,
    error: Cow<'a, str>,
    #[serde(flatten)]
    list: List<'a>,
}

/// What protocol errors and HTTP bodies say of a bag. `retry_after` is beyond `mcp-error-codes`, which loses it.
#[derive(serde::Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    list: List<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

#[derive(serde::Serialize)]
struct List<'a> {
    code: &'a str,
    error_count: usize,
    errors: Vec<Entry<'a>>,
}

#[derive(serde::Serialize)]
struct Entry<'a> {
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
            Some(first) => Object {
                success: false,
                error: self.summary(),
                list: self.as_list(first),
            }
            .serialize(serializer),
        }
    }
}

impl fmt::Display for ProblemBag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

impl Error for ProblemBag {}

impl From<Problem> for ProblemBag {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl Extend<Problem> for ProblemBag {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        self.0.extend(problems);
    }
}

impl FromIterator<Problem> for ProblemBag {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> Self {
        Self(problems.into_iter().collect())
    }
}

impl IntoIterator for ProblemBag {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ProblemBag {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
