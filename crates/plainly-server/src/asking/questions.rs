//! The open questions of one request, and the waiters for their answers. It does not know how
//! questions are sent and answers received.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use plainly_errors::{Mistake, ProtocolError, Revision};
use plainly_protocol::types::{InputRequest, InputRequiredResult, RawJson};

use super::binding::Seals;
use super::reading::{InputResponse, read};
use super::rounds::Rounds;
use crate::failure::AskError;
use crate::mistakes;
use plainly_transport::lock::Lock;

/// The questions of one request.
#[derive(Debug, Default)]
pub(crate) struct Questions(Lock<QuestionsState>);

#[derive(Debug, Default)]
struct QuestionsState {
    /// The maximum number of open questions; `None` if the request can't ask any.
    most: Option<usize>,
    /// All keys used so far, with the number of names made from each.
    keys: HashMap<String, usize>,
    open: BTreeMap<String, OpenQuestion>,
    /// The last round in which a question ended, because a later question may depend on its answer.
    over: usize,
    /// The answers that were returned with the request, if it is served in rounds.
    rounds: Option<Rounds>,
    /// Whether answers arrive while the handler waits, as in a task.
    is_parked: bool,
    /// The error of an invalid answer, which becomes the error of the request.
    fault: Option<ProtocolError>,
    is_over: bool,
    /// Wakes the task that runs the handler when a question is asked.
    runner: Option<Waker>,
}

#[derive(Debug)]
struct OpenQuestion {
    question: InputRequest,
    answer: Option<Result<InputResponse, AskError>>,
    asker: Option<Waker>,
}

impl OpenQuestion {
    fn answer(&mut self, answer: Result<InputResponse, AskError>) {
        self.answer = Some(answer);
        if let Some(asker) = self.asker.take() {
            asker.wake();
        }
    }
}

impl QuestionsState {
    /// A unique name for a question with the key `key`. It is the same each time the handler runs.
    fn name(&mut self, key: &str) -> String {
        let mut name = key.to_owned();
        let mut count = self.keys.get(key).copied().unwrap_or(1);
        while self.keys.contains_key(&name) {
            count += 1;
            name = format!("{key}#{count}");
        }
        self.keys.insert(name.clone(), 1);
        self.keys.insert(key.to_owned(), count);
        name
    }

    fn wake_runner(&self) {
        if let Some(runner) = &self.runner {
            runner.wake_by_ref();
        }
    }

    fn unanswered(&self) -> impl Iterator<Item = (&String, &InputRequest)> {
        let open = self.open.iter().filter(|(_, open)| open.answer.is_none());
        open.map(|(key, open)| (key, &open.question))
    }

    /// Looks for an answer that was returned with the request. An invalid answer fails the request
    /// and does not reach the handler, unless the request can't fail any more.
    fn look(
        &mut self,
        key: &str,
        question: &InputRequest,
        revision: Revision,
    ) -> Option<Result<InputResponse, AskError>> {
        let rounds = self.rounds.as_mut()?;
        let answer = rounds.find(key, question)?;
        match read(question, &answer, revision) {
            Ok(read) => {
                rounds.keep(key, question, answer);
                Some(Ok(read))
            }
            Err(mistakes) if self.is_parked => {
                Some(Err(AskError::unreadable(key, &Mistake::list(&mistakes))))
            }
            Err(mistakes) => {
                self.fault = Some(mistakes::in_input_response(key, mistakes));
                None
            }
        }
    }
}

impl Questions {
    /// Allows the handler to have up to `most` open questions. It is served in rounds if `rounds`
    /// has the answers returned with the request.
    pub(crate) fn begin(&self, most: usize, rounds: Option<Rounds>) {
        let mut guard = self.0.lock();
        let state = &mut *guard;
        state.most = Some(most);
        state.rounds = rounds;
        // A layer may run the handler again. The new run uses the same keys, and none of its
        // questions is over.
        state.keys.retain(|key, _| state.open.contains_key(key));
        state.fault = None;
        state.is_over = false;
    }

    /// The answer to the request if the handler waits for something that can't arrive while it
    /// waits: questions, or an error.
    pub(crate) fn suspend(
        &self,
        seals: &Seals,
        context: &Context<'_>,
    ) -> Option<Result<InputRequiredResult, ProtocolError>> {
        let mut state = self.0.lock();
        if state.most.is_none() || state.is_parked {
            return None;
        }
        set(&mut state.runner, context);
        // Before the check of the rounds, because a request in a legacy session has none and can
        // also fail in this way.
        if let Some(fault) = state.fault.take() {
            return Some(Err(fault));
        }
        // In a session the answers arrive while the handler waits, so the handler is not suspended.
        let rounds = state.rounds.as_ref()?;
        let asked: BTreeMap<_, _> = state
            .unanswered()
            .map(|(key, question)| (key.clone(), question.clone()))
            .collect();
        (!asked.is_empty()).then(|| rounds.ask(asked, seals))
    }

    /// Adds to `result` the state that the client must return with its answers, so that no earlier
    /// question is asked again.
    pub(crate) fn carry(
        &self,
        result: InputRequiredResult,
        seals: &Seals,
    ) -> Result<InputRequiredResult, ProtocolError> {
        match &self.0.lock().rounds {
            Some(rounds) if result.request_state.is_none() && !rounds.is_empty() => {
                rounds.carry(result, seals)
            }
            Some(_) | None => Ok(result),
        }
    }

    /// Switches to answers that arrive while the handler waits. Answers returned with the request
    /// no longer count.
    pub(crate) fn park(&self) {
        let mut state = self.0.lock();
        state.is_parked = true;
        state.rounds = None;
        state.fault = None;
    }

    /// The unanswered questions. The caller is woken when they change.
    pub(crate) fn open(&self, context: &Context<'_>) -> BTreeMap<String, InputRequest> {
        let mut state = self.0.lock();
        set(&mut state.runner, context);
        let unanswered = state.unanswered();
        unanswered
            .map(|(key, question)| (key.clone(), question.clone()))
            .collect()
    }

    /// Answers an open question. Returns the mistakes of an invalid answer. An answer to any other
    /// question is ignored.
    pub(crate) fn answer(
        &self,
        key: &str,
        answer: &RawJson,
        revision: Revision,
    ) -> Result<(), Vec<Mistake>> {
        if let Some(open) = self.0.lock().open.get_mut(key)
            && open.answer.is_none()
        {
            open.answer(Ok(read(&open.question, answer, revision)?));
        }
        Ok(())
    }

    /// Fails a question.
    pub(super) fn fail(&self, key: &str, error: AskError) {
        if let Some(open) = self.0.lock().open.get_mut(key) {
            open.answer(Err(error));
        }
    }

    /// Fails the request with `error`, because its handler would wait forever.
    pub(crate) fn fail_request(&self, error: ProtocolError) {
        let mut state = self.0.lock();
        state.fault = Some(error);
        state.wake_runner();
    }

    /// Fails all open questions, because no answer can arrive any more.
    pub(crate) fn close(&self) {
        let mut state = self.0.lock();
        state.is_over = true;
        for open in state.open.values_mut().filter(|open| open.answer.is_none()) {
            open.answer(Err(AskError::over()));
        }
    }
}

fn set(waker: &mut Option<Waker>, context: &Context<'_>) {
    match waker {
        Some(waker) => waker.clone_from(context.waker()),
        None => *waker = Some(context.waker().clone()),
    }
}

/// A question that stays open until its caller drops it.
#[derive(Debug)]
pub(crate) struct Question {
    questions: Arc<Questions>,
    pub(crate) key: String,
    /// The round of the question. A question that is asked after another one ended has a later
    /// round.
    pub(crate) round: usize,
}

impl Question {
    /// Opens a question to a client of `revision`, if there is room. Its name is `key`, unless that
    /// is already used.
    pub(crate) fn open(
        questions: &Arc<Questions>,
        revision: Revision,
        key: &str,
        question: InputRequest,
    ) -> Result<Self, AskError> {
        let mut state = questions.0.lock();
        if state.is_over {
            return Err(AskError::over());
        }
        let Some(most) = state.most else {
            return Err(AskError::impossible());
        };
        if state.open.len() >= most {
            return Err(AskError::too_many(most));
        }
        let key = state.name(key);
        let answer = state.look(&key, &question, revision);
        let round = state.over + 1;
        let open = OpenQuestion {
            question,
            answer,
            asker: None,
        };
        if open.answer.is_none() {
            state.wake_runner();
        }
        state.open.insert(key.clone(), open);
        drop(state);
        Ok(Self {
            questions: Arc::clone(questions),
            key,
            round,
        })
    }
}

impl Future for Question {
    type Output = Result<InputResponse, AskError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.questions.0.lock();
        let Some(open) = state.open.get_mut(&self.key) else {
            return Poll::Ready(Err(AskError::over()));
        };
        if let Some(answer) = open.answer.take() {
            state.open.remove(&self.key);
            state.over = state.over.max(self.round);
            return Poll::Ready(answer);
        }
        set(&mut open.asker, context);
        Poll::Pending
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        let mut state = self.questions.0.lock();
        if state.open.remove(&self.key).is_some() {
            state.over = state.over.max(self.round);
            state.wake_runner();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_question_has_a_name_of_its_own() {
        let mut state = QuestionsState::default();
        let keys = ["a", "a", "a#2", "b", "a#4", "a", "a", "a#2"];
        let names = keys.map(|key| state.name(key));
        let expected = ["a", "a#2", "a#2#2", "b", "a#4", "a#3", "a#5", "a#2#3"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_key_that_is_asked_under_for_ever_costs_no_more_each_time() {
        let mut state = QuestionsState::default();
        for _ in 1..100_000 {
            state.name("again");
        }
        assert_eq!(state.name("again"), "again#100000");
    }
}
