//! Problems: failures in an application's own terms, stated by its author. A problem renders to
//! every channel: the text and the object of a tool result, a protocol error, and the body of an
//! HTTP API. It is independent of the revision.

mod bag;
mod code;
mod details;
mod factories;
mod object;
mod problems;
mod recognise;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub use self::bag::ProblemBag;
pub(crate) use self::code::CodeForm;
pub use self::code::{Category, ProblemCode};
pub use self::details::Details;
pub use self::problems::Problems;
pub(crate) use self::recognise::seconds;

/// A semantic failure: a [code](ProblemCode) that programs know, a message, and help to fix it. Its
/// size is one word.
///
/// ```
/// use plainly_errors::Problem;
///
/// let problem = Problem::not_found("user", "user-123")
///     .suggest("Check if the user ID is correct.")
///     .context("searched_in", "active_users");
///
/// // A tool result: the text is for the model, the object for programs.
/// assert_eq!(
///     problem.text(),
///     "The user 'user-123' was not found. Check if the user ID is correct.",
/// );
/// assert_eq!(
///     serde_json::to_string(&problem).unwrap(),
///     r#"{"success":false,"error":"The user 'user-123' was not found. Check if the user ID is correct.","code":"NOT_FOUND","details":{"entity_type":"user","identifier":"user-123"}}"#,
/// );
/// ```
///
/// Data that only logs may contain goes into the [context](Self::context) and the
/// [source](Self::with_source), which are never rendered. [`Debug`] shows both: use it only in
/// logs.
///
/// Displayed as an error, it is the text that the model gets. Two problems are equal if their
/// renderings are; context and source don't matter.
#[derive(Clone, Debug)]
// Boxed for the same reason as a protocol error: most calls have none.
pub struct Problem(Box<Parts>);

/// The parts of a problem. Also the [source](Error::source) of every problem, because that is the
/// only access to a problem wrapped by a transparent error.
#[derive(Clone, Debug)]
struct Parts {
    code: ProblemCode,
    message: Cow<'static, str>,
    suggestion: Option<Cow<'static, str>>,
    details: Details,
    retry_after: Option<Duration>,
    context: Details,
    // Shared, so that clones and errors made from the problem keep its cause.
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl Problem {
    /// A problem with this code; `message` is one sentence for users and models, so it must not
    /// contain secrets.
    ///
    /// ```
    /// use plainly_errors::Problem;
    /// use plainly_errors::problem::ProblemCode;
    ///
    /// let problem = Problem::new(ProblemCode::PayloadTooLarge, "The picture has 7 MB, at most 5 MB are taken.");
    /// assert_eq!(problem.code().as_str(), "PAYLOAD_TOO_LARGE");
    /// ```
    pub fn new(code: ProblemCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Parts {
            code,
            message: message.into(),
            suggestion: None,
            details: Details::new(),
            retry_after: None,
            context: Details::new(),
            source: None,
        }))
    }

    /// Adds a suggestion: one sentence after the message, which then ends with a full stop.
    #[must_use]
    pub fn suggest(mut self, suggestion: impl Into<Cow<'static, str>>) -> Self {
        if let Cow::Owned(sentence) = sentence(&self.0.message) {
            self.0.message = sentence.into();
        }
        self.0.suggestion = Some(suggestion.into());
        self
    }

    /// Adds a detail for programs, which can be any JSON.
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::validation("size", "Too large").detail("limit", 10);
    /// assert_eq!(problem.details().get("limit"), Some(&10.into()));
    /// ```
    #[must_use]
    pub fn detail(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.0.details.set(name.into(), value.into());
        self
    }

    /// Adds data that only logs may contain. It is never sent.
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::internal("The report failed.").context("shard", "db-7");
    /// assert!(!serde_json::to_string(&problem).unwrap().contains("db-7"));
    /// assert!(format!("{problem:?}").contains("db-7"));
    /// ```
    #[must_use]
    pub fn context(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        self.0.context.set(name.into(), value.into());
        self
    }

    /// Sets the time after which to try again. On the wire it is in whole seconds, rounded up.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::timeout("export").retry_in(Duration::from_millis(1500));
    /// assert_eq!(problem.retry_after(), Some(Duration::from_millis(1500)));
    /// assert_eq!(problem.retry_after_seconds(), Some(2));
    /// ```
    #[must_use]
    pub fn retry_in(mut self, time: Duration) -> Self {
        // The message may contain the time, as that of a rate limit does.
        if let Some(before) = self.retry_after()
            && let Some(rest) = self.0.message.strip_suffix(&*try_again(before))
        {
            self.0.message = format!("{rest}{}", try_again(time)).into();
        }
        self.0.retry_after = Some(time);
        self
    }

    /// Sets the error that caused the problem, for logs. It is never sent.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Rewrites the problem: `words` returns a new text for the message, the suggestion and each
    /// detail that is a text.
    #[must_use]
    pub fn reworded(mut self, words: impl Fn(&str) -> String) -> Self {
        self.0.message = words(&self.0.message).into();
        self.0.suggestion = self.0.suggestion.map(|text| words(&text).into());
        self.0.details.reword(words);
        self
    }

    /// The code, which names the failure.
    pub fn code(&self) -> &ProblemCode {
        &self.0.code
    }

    /// The message only, without the suggestion.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The suggestion for a remedy.
    pub fn suggestion(&self) -> Option<&str> {
        self.0.suggestion.as_deref()
    }

    /// Details for programs.
    pub fn details(&self) -> &Details {
        &self.0.details
    }

    /// The context for logs.
    pub fn log_context(&self) -> &Details {
        &self.0.context
    }

    /// The time after which to try again, exactly as it was set.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The time after which to try again in whole seconds, rounded up: the value of HTTP's
    /// `Retry-After`.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.0.retry_after.map(whole_seconds)
    }

    /// The category of the code.
    pub fn category(&self) -> Category {
        self.0.code.category()
    }

    /// Whether the same request may succeed later.
    pub fn is_recoverable(&self) -> bool {
        self.0.code.is_recoverable()
    }

    /// The HTTP status for an HTTP API that returns the problem. It is never the status of a
    /// JSON-RPC response.
    pub fn http_status(&self) -> u16 {
        self.0.code.http_status()
    }

    /// The text for users and models: the message, followed by the suggestion and the time of a
    /// retry, unless the message contains the time.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::service_unavailable("search").retry_in(Duration::from_secs(5));
    /// assert_eq!(problem.text(), "The service 'search' is unavailable. Try again in 5 seconds.");
    /// ```
    pub fn text(&self) -> Cow<'_, str> {
        let said = self.sentences();
        // The time of a retry is not repeated if the author has already stated it.
        match self.retry_after() {
            Some(time) if !said.contains(TRY_AGAIN) => {
                format!("{} {}", sentence(&said), try_again(time)).into()
            }
            Some(_) | None => said,
        }
    }

    /// The message followed by the suggestion, without the time, for renderings with a separate
    /// member for it.
    fn sentences(&self) -> Cow<'_, str> {
        match &self.0.suggestion {
            Some(suggestion) => format!("{} {suggestion}", self.0.message).into(),
            None => Cow::Borrowed(&self.0.message),
        }
    }

    /// The problem that `error` is, or that it wraps so that only the problem can be found: with
    /// `#[error(transparent)]` of thiserror, in an [`io::Error`](std::io::Error), or behind an
    /// `Arc`. Its sources are not searched.
    ///
    /// ```
    /// use std::error::Error;
    /// use std::io;
    ///
    /// use plainly_errors::Problem;
    ///
    /// let error = io::Error::other(Problem::not_found("note", "7"));
    /// let mut chain = std::iter::successors(Some(&error as &(dyn Error + 'static)), |&error| error.source());
    /// assert_eq!(chain.find_map(Problem::downcast), Some(Problem::not_found("note", "7")));
    /// ```
    pub fn downcast(error: &(dyn Error + 'static)) -> Option<Self> {
        let parts = || error.downcast_ref::<Parts>().cloned();
        let problem = error.downcast_ref::<Self>().cloned();
        problem.or_else(|| Some(Self(Box::new(parts()?))))
    }

    /// The sentences as an owned text; a static text is not copied.
    pub(crate) fn owned_sentences(&self) -> Cow<'static, str> {
        match &self.0.suggestion {
            Some(_) => self.sentences().into_owned().into(),
            None => self.0.message.clone(),
        }
    }
}

/// The start of a sentence with the time of a retry.
const TRY_AGAIN: &str = "Try again in ";

fn try_again(time: Duration) -> String {
    format!("{TRY_AGAIN}{}.", wait_in_words(time))
}

/// A waiting time in words, rounded up: `61 seconds`. From two days on it is in days, and from two
/// years on in years.
pub fn wait_in_words(time: Duration) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let seconds = whole_seconds(time);
    let units = [(365 * DAY, "year"), (DAY, "day"), (1, "second")];
    let mut units = units.into_iter().filter(|(unit, _)| seconds >= 2 * unit);
    let (unit, noun) = units.next().unwrap_or((1, "second"));
    counted(seconds.div_ceil(unit), noun)
}

/// The text, with a full stop unless it ends with a punctuation mark.
fn sentence(text: &str) -> Cow<'_, str> {
    match text.ends_with(['.', '!', '?', '…', ':']) {
        true => text.into(),
        false => format!("{text}.").into(),
    }
}

fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A waiting time in whole seconds. It is rounded up, because a client that retries a moment too
/// early is rejected again.
pub fn whole_seconds(time: Duration) -> u64 {
    time.as_secs()
        .saturating_add(u64::from(time.subsec_nanos() > 0))
}

impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        self.code() == other.code()
            && self.message() == other.message()
            && self.suggestion() == other.suggestion()
            && self.details() == other.details()
            && self.retry_after() == other.retry_after()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

/// The source of a problem is its parts, whose source is the cause. Thereby
/// [`downcast`](Problem::downcast) finds the problem in errors that expose only its sources.
impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.fmt(f)
    }
}

impl Error for Parts {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.source.as_ref()?;
        Some(&**source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_a_problem_is_one_word() {
        assert_eq!(size_of::<Result<(), Problem>>(), size_of::<usize>());
    }

    #[test]
    fn a_wait_is_told_in_a_unit_that_people_can_imagine() {
        for (seconds, words) in [
            (0, "0 seconds"),
            (1, "1 second"),
            (172_799, "172799 seconds"),
            (172_800, "2 days"),
            (172_801, "3 days"),
            (2_400_000_000, "77 years"),
        ] {
            assert_eq!(wait_in_words(Duration::from_secs(seconds)), words);
        }
    }

    #[test]
    fn seconds_are_rounded_up() {
        for (time, seconds) in [
            (Duration::ZERO, 0),
            (Duration::from_nanos(1), 1),
            (Duration::from_millis(999), 1),
            (Duration::from_secs(1), 1),
            (Duration::from_millis(1001), 2),
            (Duration::MAX, u64::MAX),
        ] {
            assert_eq!(whole_seconds(time), seconds, "{time:?}");
        }
    }
}
