//! The open questions of one request, and who waits for which answer. Doesn't know how questions go out and answers
//! come in.

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
    /// The number of questions that may be open; `None` if nothing can be asked.
    most: Option<usize>,
    /// Every key used so far, and the number of names made of it.
    keys: HashMap<String, usize>,
    open: BTreeMap<String, OpenQuestion>,
    /// The last round in which a question ended: a later question may depend on its answer.
    over: usize,
    /// The answers that came back with the request, if it is served in rounds.
    rounds: Option<Rounds>,
    /// Whether answers come while the handler waits, as in a task.
    is_parked: bool,
    /// The error of an invalid answer, with which the request fails.
    fault: Option<ProtocolError>,
    is_over: bool,
    /// Wakes what runs the handler when something is asked.
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
    /// A unique name for a question asked under `key`. It is the same each time the handler runs.
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

    /// Looks for an answer that came with the request. An invalid one fails the request, and does not reach the handler
    /// unless there is no request left to fail.
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
    /// Lets the handler ask up to `most` questions at once; in rounds, if it is given what came back with the request.
    pub(crate) fn begin(&self, most: usize, rounds: Option<Rounds>) {
        let mut guard = self.0.lock();
        let state = &mut *guard;
        state.most = Some(most);
        state.rounds = rounds;
        // A layer may run the handler again: it asks under the same keys, and none of its questions is over.
        state.keys.retain(|key, _| state.open.contains_key(key));
        state.fault = None;
        state.is_over = false;
    }

    /// The answer to the request if the handler waits for something that can't arrive while it waits: questions, or an
    /// error.
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
        // Before the rounds are looked at: a request in a legacy session has none, and can fail like this too.
        if let Some(fault) = state.fault.take() {
            return Some(Err(fault));
        }
        // In a session the answers arrive while the handler waits, so nothing needs to be suspended.
        let rounds = state.rounds.as_ref()?;
        let asked: BTreeMap<_, _> = state
            .unanswered()
            .map(|(key, question)| (key.clone(), question.clone()))
            .collect();
        (!asked.is_empty()).then(|| rounds.ask(asked, seals))
    }

    /// Adds to `result` what the client must bring back with its answers, so that no earlier question is asked again.
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

    /// From here on answers come while the handler waits, and those that came with the request no longer count.
    pub(crate) fn park(&self) {
        let mut state = self.0.lock();
        state.is_parked = true;
        state.rounds = None;
        state.fault = None;
    }

    /// The unanswered questions. The caller is woken when there are others.
    pub(crate) fn open(&self, context: &Context<'_>) -> BTreeMap<String, InputRequest> {
        let mut state = self.0.lock();
        set(&mut state.runner, context);
        let unanswered = state.unanswered();
        unanswered
            .map(|(key, question)| (key.clone(), question.clone()))
            .collect()
    }

    /// Answers an open question; the mistakes are the reasons why the answer is invalid. An answer
    /// to any other question is ignored.
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

    /// Fails the request with `error`: its handler waits in vain.
    pub(crate) fn fail_request(&self, error: ProtocolError) {
        let mut state = self.0.lock();
        state.fault = Some(error);
        state.wake_runner();
    }

    /// Fails all open questions, because no answer can come any more.
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

/// A question that is open until its caller drops it.
#[derive(Debug)]
pub(crate) struct Question {
    questions: Arc<Questions>,
    pub(crate) key: String,
    /// Its round. A question that is asked after another one ended is of a later round than that.
    pub(crate) round: usize,
}

impl Question {
    /// Opens a question to a client of `revision`, if there is room. Its name is `key`, unless that is taken.
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
