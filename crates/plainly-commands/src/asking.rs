//! Answers to the questions that a server asks while a command runs: from the user at the terminal,
//! from options, or from a command that asks a model. The client does not declare questions that
//! can't be answered, so servers don't ask them.

mod field;
mod form;
mod given;
mod person;
mod roots;
mod sampling;
mod secret;
mod shown;
mod visit;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use plainly::client::Builder;
use plainly::errors::UrlElicitation;
use plainly::protocol::types::{
    ElicitAction, ElicitFormParams, ElicitResult, ElicitUrlParams, Root,
};
use tokio::sync::Notify;

pub(crate) use self::given::GivenAnswers;
pub(crate) use self::person::agrees;
pub(crate) use self::shown::short;
use crate::args::AskingArgs;
use crate::failure::Failure;
use crate::terminal::{self, Conversation};

/// Whether a server may ask the user.
static IS_POSSIBLE: AtomicBool = AtomicBool::new(false);

/// Whether servers may ask questions, because some servers hide tools that would have to ask.
pub(crate) fn is_possible() -> bool {
    IS_POSSIBLE.load(Ordering::Relaxed)
}

/// Answers the questions of one server.
#[derive(Debug)]
pub(crate) struct Respondent(Arc<RespondentState>);

#[derive(Debug)]
struct RespondentState {
    /// The user's name for the server.
    label: String,
    /// The server's own name.
    name: OnceLock<String>,
    given: Option<GivenAnswers>,
    sample_with: Option<String>,
    roots: Vec<Root>,
    /// The pages that the user has agreed to open.
    visited: Mutex<HashSet<String>>,
    /// Whether a wrong answer ends the command.
    is_fatal: bool,
    /// The reason why the command must end.
    failure: Mutex<Option<String>>,
    failed: Notify,
}

impl Respondent {
    /// Answers with the options, or asks the user at the terminal.
    pub(crate) fn new(label: &str, args: &AskingArgs) -> Result<Self, Failure> {
        let given = &args.given_answers;
        Ok(Self(Arc::new(RespondentState {
            label: short(label),
            name: OnceLock::new(),
            given: (!given.is_empty()).then(|| GivenAnswers::new(given)),
            sample_with: args.sample_with.clone(),
            roots: roots::roots(&args.roots)?,
            visited: Mutex::default(),
            is_fatal: true,
            failure: Mutex::default(),
            failed: Notify::new(),
        })))
    }

    /// Answers for many commands: an invalid answer is reported, but ends none of them.
    pub(crate) fn lasting(mut self) -> Self {
        if let Some(own) = Arc::get_mut(&mut self.0) {
            own.is_fatal = false;
        }
        self
    }

    /// Makes the client declare and answer the questions that can be answered.
    pub(crate) fn answering<T>(&self, mut builder: Builder<T>) -> Builder<T> {
        let is_attended = terminal::is_attended();
        let own = &self.0;
        let others = own.given.is_some() || own.sample_with.is_some() || !own.roots.is_empty();
        IS_POSSIBLE.store(is_attended || others, Ordering::Relaxed);
        if own.given.is_some() || is_attended {
            let own = Arc::clone(own);
            builder = builder.on_elicitation(move |form| Arc::clone(&own).fill(form));
        }
        let is_refused = own.given.as_ref().is_some_and(GivenAnswers::is_refusal);
        if is_refused || is_attended {
            let own = Arc::clone(own);
            builder = builder.on_visit(move |visit| Arc::clone(&own).visit(visit));
        }
        if is_attended && !is_refused {
            let own = Arc::clone(own);
            builder = builder.on_required_visits(move |all| Arc::clone(&own).visit_all(all));
        }
        if let Some(command) = own.sample_with.clone() {
            builder = builder.on_sampling(move |params| sampling::sample(command.clone(), params));
        }
        if !own.roots.is_empty() {
            builder = builder.roots(own.roots.clone());
        }
        builder
    }

    /// Stores the server's own name.
    pub(crate) fn learn(&self, name: &str) {
        // Only the first name is stored.
        let _known = self.0.name.set(short(name));
    }

    /// Waits for `work`, unless a question ends the command first.
    pub(crate) async fn unless_failed<T>(
        &self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        tokio::select! {
            biased;
            failure = self.failure() => Err(failure),
            done = work => done,
        }
    }

    async fn failure(&self) -> Failure {
        loop {
            self.0.failed.notified().await;
            let mut failure = self
                .0
                .failure
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(why) = failure.take() {
                return Failure::local(why);
            }
        }
    }

    /// Warns about given answers that matched no question.
    pub(crate) fn name_unused(&self) {
        for name in self.0.given.iter().flat_map(GivenAnswers::unused) {
            tracing::warn!("the server did not ask for {name}: that answer was not used");
        }
    }
}

impl RespondentState {
    async fn fill(self: Arc<Self>, form: ElicitFormParams) -> ElicitResult {
        let Some(given) = &self.given else {
            let mut person = Conversation::begin().await;
            return form::fill(&mut person, &self.who(), &form).await;
        };
        match given.fill(&form.requested_schema, "--answer ") {
            Ok(answer) => answer,
            Err(why) => self.fail(why).await,
        }
    }

    async fn visit(self: Arc<Self>, visit: ElicitUrlParams) -> ElicitAction {
        if let Some(given) = &self.given
            && given.is_refusal()
        {
            return given.action();
        }
        let mut person = Conversation::begin().await;
        let is_known = self.visited().contains(&visit.url);
        let action = visit::visit(&mut person, &self.who(), &visit, is_known).await;
        if action == ElicitAction::Accept {
            self.visited().insert(visit.url);
        }
        action
    }

    async fn visit_all(self: Arc<Self>, required: Vec<UrlElicitation>) -> bool {
        let mut person = Conversation::begin().await;
        visit::visit_all(&mut person, &self.who(), &required).await
    }

    fn visited(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.visited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server's own name, and the label that the server can't choose.
    fn who(&self) -> String {
        match self.name.get() {
            Some(name) if *name != self.label => format!("{name} ({})", self.label),
            Some(_) | None => self.label.clone(),
        }
    }

    /// Ends the command, which cancels the question.
    async fn fail(&self, why: String) -> ElicitResult {
        if !self.is_fatal {
            tracing::warn!("{why}");
            return ElicitResult::cancel();
        }
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        self.failed.notify_one();
        std::future::pending().await
    }
}
