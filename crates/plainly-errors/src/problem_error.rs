//! Problems as protocol errors. The table of codes determines the kind, so the dialect chooses the
//! number and the HTTP status as for every error. The problem's own code is in `data.code`.

use serde_json::Value;

use crate::code::ApplicationCode;
use crate::kind::{ErrorKind, Internal, InvalidParams};
use crate::problem::{CodeForm, Problem, ProblemCode, Problems};
use crate::protocol_error::ProtocolError;

impl Problem {
    /// Converts the problem to a protocol error, for resources, prompts and completions, because no
    /// model reads their errors.
    ///
    /// ```
    /// use plainly_errors::{Dialect, Problem, Revision};
    ///
    /// let error = Problem::already_exists("user", "ada").to_protocol_error();
    /// let wire = Dialect::default().encode(&error, Revision::LATEST);
    /// assert_eq!(wire.code.get(), 409);
    /// assert_eq!(wire.data.as_ref().unwrap()["code"], "ALREADY_EXISTS");
    ///
    /// let received = wire.recognise();
    /// assert_eq!(received.problem(), Some(&Problem::already_exists("user", "ada")));
    /// ```
    pub fn to_protocol_error(&self) -> ProtocolError {
        self.clone().into()
    }

    /// Converts the problem to the response to a request for the resource at `uri`: `NOT_FOUND`
    /// becomes the protocol's error for a missing resource, with only the URI as data.
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let error = Problem::not_found("note", "7").for_resource("note://7");
    /// assert!(error.is_resource_not_found());
    /// assert_eq!(error.message(), "The note '7' was not found.");
    /// ```
    pub fn for_resource(self, uri: impl Into<String>) -> ProtocolError {
        if *self.code() != ProblemCode::NotFound {
            return self.into();
        }
        let kind = ErrorKind::ResourceNotFound {
            uri: Some(uri.into()),
        };
        let message = self.owned_sentences();
        ProtocolError::new(kind)
            .with_message(message)
            .with_problem(self)
    }
}

impl ProblemCode {
    /// The kind of protocol error for this code, and `data` if the kind itself can't hold it.
    pub(crate) fn kind(&self, data: Value) -> (ErrorKind, Option<Value>) {
        match self.written() {
            CodeForm::InvalidParams => (
                ErrorKind::InvalidParams(InvalidParams::MALFORMED),
                Some(data),
            ),
            CodeForm::Internal => (ErrorKind::Internal(Internal::Failed), Some(data)),
            CodeForm::Status => {
                let code = ApplicationCode::of_status(self.http_status());
                let data = Some(data);
                (ErrorKind::Application { code, data }, None)
            }
        }
    }
}

impl From<Problem> for ProtocolError {
    fn from(problem: Problem) -> Self {
        let (kind, data) = problem.code().kind(problem.to_data());
        Self::with_all_data(kind, problem.owned_sentences(), data).with_problem(problem)
    }
}

impl Problems {
    /// Converts all problems to one protocol error: it has the code of the first, the
    /// [summary](Self::summary) as message, and all problems in its data. They are also its source,
    /// for logs.
    ///
    /// ```
    /// use plainly_errors::problem::{Problem, ProblemBag};
    ///
    /// let bag = ProblemBag::from_iter([Problem::missing_required("name"), Problem::missing_required("age")]);
    /// let problems = bag.into_result().unwrap_err();
    /// assert_eq!(problems.to_protocol_error().message(), "2 validation errors occurred.");
    /// ```
    pub fn to_protocol_error(&self) -> ProtocolError {
        let first = self.first();
        let (kind, data) = first.code().kind(self.to_data());
        let summary = self.summary().into_owned();
        // A single problem represents all of them, with the waiting time of all and the code of the
        // first.
        let mut problem = Problem::new(first.code().clone(), summary.clone());
        if let Some(time) = self.retry_after() {
            problem = problem.retry_in(time);
        }
        ProtocolError::with_all_data(kind, summary.into(), data)
            .with_problem(problem)
            .with_source(self.clone())
    }
}
