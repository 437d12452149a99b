//! Answers a server's questions with the handlers that the client was built with. It knows the
//! questions, but not how they arrive: as requests of a legacy server
//! ([`questions`](self::questions)), or in place of a result from 2026-07-28 on.

pub(crate) mod questions;

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, try_join_all};
use plainly_errors::{ProtocolError, UrlElicitation};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams,
    ElicitParams, ElicitResult, ElicitUrlParams, ElicitationCapability, InputRequest,
    InputResponses, JsonObject, ListCapability, ListRootsResult, RawJson, Root, SamplingCapability,
};
use serde::Serialize;

use crate::error::{Error, LocalError};
use plainly_transport::lock::Lock;

/// Answers one kind of question.
type QuestionHandler<Q, A> = Arc<dyn Fn(Q) -> BoxFuture<'static, A> + Send + Sync>;

/// The functions that answer servers' questions. A question without a function is refused.
#[derive(Clone, Default)]
pub(crate) struct QuestionHandlers {
    form: Option<QuestionHandler<ElicitFormParams, ElicitResult>>,
    visit: Option<QuestionHandler<ElicitUrlParams, ElicitAction>>,
    required_visits: Option<QuestionHandler<Vec<UrlElicitation>, bool>>,
    sampling:
        Option<QuestionHandler<CreateMessageParams, Result<CreateMessageResult, ProtocolError>>>,
    roots: Option<QuestionHandler<(), Vec<Root>>>,
}

fn handler<Q, F: Future + Send + 'static>(
    answer: impl Fn(Q) -> F + Send + Sync + 'static,
) -> QuestionHandler<Q, F::Output> {
    Arc::new(move |question| answer(question).boxed())
}

impl QuestionHandlers {
    pub(crate) fn on_form<F>(
        &mut self,
        answer: impl Fn(ElicitFormParams) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = ElicitResult> + Send + 'static,
    {
        self.form = Some(handler(answer));
    }

    pub(crate) fn on_visit<F>(
        &mut self,
        answer: impl Fn(ElicitUrlParams) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = ElicitAction> + Send + 'static,
    {
        self.visit = Some(handler(answer));
    }

    pub(crate) fn on_required_visits<F>(
        &mut self,
        answer: impl Fn(Vec<UrlElicitation>) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = bool> + Send + 'static,
    {
        self.required_visits = Some(handler(answer));
    }

    pub(crate) fn on_sampling<F>(
        &mut self,
        answer: impl Fn(CreateMessageParams) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<CreateMessageResult, ProtocolError>> + Send + 'static,
    {
        self.sampling = Some(handler(answer));
    }

    pub(crate) fn on_roots<F>(&mut self, answer: impl Fn() -> F + Send + Sync + 'static)
    where
        F: Future<Output = Vec<Root>> + Send + 'static,
    {
        self.roots = Some(handler(move |()| answer()));
    }

    /// These capabilities, plus those that follow from the handlers.
    pub(crate) fn declare(&self, mut declared: ClientCapabilities) -> ClientCapabilities {
        if self.form.is_some() || self.visit.is_some() {
            let before = declared.elicitation.take();
            let has_form = before
                .as_ref()
                .is_some_and(ElicitationCapability::offers_form);
            let mut elicitation = before.unwrap_or_default();
            // An empty capability means forms. If it contains `url`, it must name forms too
            // (2025-11-25, Elicitation, "Capabilities").
            if self.form.is_some() || has_form {
                elicitation.form.get_or_insert_with(JsonObject::new);
            }
            if self.visit.is_some() {
                elicitation.url.get_or_insert_with(JsonObject::new);
            }
            declared.elicitation = Some(elicitation);
        }
        if self.sampling.is_some() {
            declared
                .sampling
                .get_or_insert_with(SamplingCapability::new);
        }
        if self.roots.is_some() {
            declared.roots.get_or_insert_with(ListCapability::new);
        }
        declared
    }
}

/// Answers servers' questions, within the capabilities that this client declared.
#[derive(Debug, Default)]
pub(crate) struct Respondent {
    handlers: QuestionHandlers,
    declared: ClientCapabilities,
    /// The roots, if they were changed.
    roots: Lock<Option<Vec<Root>>>,
}

impl Respondent {
    pub(crate) fn new(handlers: QuestionHandlers, declared: ClientCapabilities) -> Self {
        let roots = Lock::default();
        Self {
            handlers,
            declared,
            roots,
        }
    }

    /// Changes the roots.
    pub(crate) fn set_roots(&self, roots: Vec<Root>) {
        *self.roots.lock() = Some(roots);
    }

    /// Whether there is any handler.
    pub(crate) fn answers_any(&self) -> bool {
        [Method::Elicit, Method::CreateMessage, Method::ListRoots]
            .into_iter()
            .any(|method| self.answers(method))
    }

    /// Whether there is a handler for questions by this method.
    pub(crate) fn answers(&self, method: Method) -> bool {
        let handlers = &self.handlers;
        let answered = [
            (Method::Elicit, handlers.form.is_some()),
            (Method::Elicit, handlers.visit.is_some()),
            (Method::CreateMessage, handlers.sampling.is_some()),
            (Method::ListRoots, handlers.roots.is_some()),
        ];
        answered.contains(&(method, true))
    }

    /// Answers a question, or explains why there is no answer.
    pub(crate) async fn answer(&self, question: InputRequest) -> Result<RawJson, ProtocolError> {
        // A handler may panic, but the server still waits for an answer.
        let answering = AssertUnwindSafe(self.try_answer(question)).catch_unwind();
        answering.await.unwrap_or_else(|_panic| {
            tracing::error!("the handler of a server's question panicked");
            Err(ProtocolError::internal("the client failed to answer"))
        })
    }

    /// Answers all of these questions concurrently. The server asks them before the result of a
    /// call of `method`.
    pub(crate) async fn answer_all(
        &self,
        method: Method,
        questions: &BTreeMap<String, InputRequest>,
    ) -> Result<InputResponses, Error> {
        let answers = questions.iter().map(|(key, question)| async move {
            match self.answer(question.clone()).await {
                Ok(answer) => Ok((key.clone(), answer)),
                Err(source) => Err(Error::from(LocalError::Unanswered {
                    method: method.name(),
                    asked: question.method().name(),
                    key: key.clone(),
                    source,
                })),
            }
        });
        let answers: Vec<(String, RawJson)> = try_join_all(answers).await?;
        Ok(answers.into_iter().collect())
    }

    /// Sends the user to all of these pages; `None` if there is no handler for that.
    pub(crate) fn visit_all(
        &self,
        required: &[UrlElicitation],
    ) -> Option<impl Future<Output = bool> + use<>> {
        let answer = self.handlers.required_visits.as_ref()?;
        let visiting = AssertUnwindSafe(answer(required.to_vec())).catch_unwind();
        Some(async {
            visiting.await.unwrap_or_else(|_panic| {
                tracing::error!("the handler of required visits panicked");
                false
            })
        })
    }

    async fn try_answer(&self, question: InputRequest) -> Result<RawJson, ProtocolError> {
        let method = question.method();
        let unknown = ProtocolError::method_not_found(method.name());
        if !self.answers(method) {
            return Err(unknown);
        }
        match question {
            InputRequest::Elicit(question) => self.elicit(question).await,
            InputRequest::CreateMessage(question) => self.sample(question).await,
            InputRequest::ListRoots(_) => {
                let answer = self.handlers.roots.as_ref().ok_or(unknown)?;
                let changed = self.roots.lock().clone();
                let roots = match changed {
                    Some(roots) => roots,
                    None => answer(()).await,
                };
                write(&ListRootsResult::new(roots))
            }
            _ => Err(unknown),
        }
    }

    async fn elicit(&self, question: ElicitParams) -> Result<RawJson, ProtocolError> {
        let QuestionHandlers { form, visit, .. } = &self.handlers;
        match (question, form, visit) {
            (ElicitParams::Form(question), Some(answer), _) => write(&answer(question).await),
            (ElicitParams::Url(question), _, Some(answer)) => {
                write(&ElicitResult::new(answer(question).await))
            }
            (ElicitParams::Form(_), None, _) => Err(undeclared("forms")),
            (ElicitParams::Url(_), _, None) => Err(undeclared("visits to a URL")),
            _ => Err(undeclared("this kind of question")),
        }
    }

    async fn sample(&self, question: CreateMessageParams) -> Result<RawJson, ProtocolError> {
        match &self.handlers.sampling {
            // Servers must not send tools to a client that did not declare them (2025-11-25,
            // Sampling, "Tools in Sampling").
            Some(_) if question.tools.is_some() && !self.declares_tools() => {
                Err(undeclared("tools in sampling"))
            }
            Some(answer) => write(&answer(question).await?),
            None => Err(undeclared("sampling")),
        }
    }

    fn declares_tools(&self) -> bool {
        let sampling = self.declared.sampling.as_ref();
        sampling.is_some_and(|sampling| sampling.tools.is_some())
    }
}

fn undeclared(what: &str) -> ProtocolError {
    ProtocolError::invalid_params(format!("this client did not declare {what}"))
}

fn write(answer: &impl Serialize) -> Result<RawJson, ProtocolError> {
    RawJson::encode(answer).map_err(|error| {
        ProtocolError::internal("the client's answer can't be written").with_source(error)
    })
}

/// Shows which handlers there are.
impl fmt::Debug for QuestionHandlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuestionHandlers")
            .field("form", &self.form.is_some())
            .field("visit", &self.visit.is_some())
            .field("required_visits", &self.required_visits.is_some())
            .field("sampling", &self.sampling.is_some())
            .field("roots", &self.roots.is_some())
            .finish()
    }
}
