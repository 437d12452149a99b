//! The change that a caller requests.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use plainly_errors::Problem;
use plainly_protocol::types::ElicitFormParams;
use plainly_server::Failure;
use plainly_server::extract::Ask;
use plainly_server::store::{StoreCaller, Writable, WriteError};

use super::{Confirm, Writing, problems};
use crate::StoreView;

/// The change that a caller requests.
pub(super) struct Change<S> {
    /// The store as the caller sees it.
    pub(super) view: Arc<StoreView<S>>,
    pub(super) writing: Arc<Writing<S>>,
    pub(super) ask: Ask,
    pub(super) caller: Option<StoreCaller>,
}

/// The reason why a change was not made.
pub(super) enum Stop {
    Store(WriteError),
    Failure(Failure),
}

impl From<WriteError> for Stop {
    fn from(error: WriteError) -> Self {
        Self::Store(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Failure(problem.into())
    }
}

impl<S: Writable> Change<S> {
    /// Makes the change of the resource by calling `run`, whose argument is whether content may be
    /// lost permanently. First asks the user if necessary, unless `check` fails. `action` describes
    /// the change, as in "Delete file:///notes/a.md".
    pub(super) async fn make<T, F>(
        &self,
        uri: &str,
        action: &str,
        check: impl Future<Output = Result<(), Stop>> + Send,
        run: impl Fn(bool) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Stop>> + Send,
    {
        self.agreed(uri, action, check).await?;
        self.run(uri, action, run).await
    }

    /// Makes a change like [`make`](Self::make), but without asking the user first.
    pub(super) async fn run<T, F>(
        &self,
        uri: &str,
        action: &str,
        run: impl Fn(bool) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Stop>> + Send,
    {
        let may_lose = self.writing.settings.confirm == Confirm::Never;
        match self.in_turn(uri, run(may_lose)).await? {
            Err(Stop::Store(WriteError::Permanent { why })) => {
                let why = format!("the present content would be lost for good: {why}");
                self.confirmed("permanent", action, Some(&why)).await?;
                self.done(uri, self.in_turn(uri, run(true)).await?).await
            }
            outcome => self.done(uri, outcome).await,
        }
    }

    /// Makes a change that can't lose content.
    pub(super) async fn make_harmless<T, F>(
        &self,
        uri: &str,
        action: &str,
        check: impl Future<Output = Result<(), Stop>> + Send,
        run: F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Stop>> + Send,
    {
        self.agreed(uri, action, check).await?;
        self.done(uri, self.in_turn(uri, run).await?).await
    }

    /// Asks the user if all changes must be confirmed, unless `check` fails. Fails unless the user
    /// agrees.
    async fn agreed(
        &self,
        uri: &str,
        action: &str,
        check: impl Future<Output = Result<(), Stop>> + Send,
    ) -> Result<(), Failure> {
        if self.writing.settings.confirm != Confirm::All {
            return Ok(());
        }
        self.done(uri, check.await).await?;
        self.confirmed("confirm", action, None).await
    }

    /// Runs a change after earlier changes of the resource, if the caller has not made too many.
    async fn in_turn<T>(&self, uri: &str, run: impl Future<Output = T>) -> Result<T, Failure> {
        self.count()?;
        let _turn = self.writing.turns.wait(uri).await;
        Ok(run.await)
    }

    /// Counts a change, or a dry run of one. Fails if the caller has made too many.
    pub(super) fn count(&self) -> Result<(), Problem> {
        let caller = self.caller.as_ref();
        let counted = self.writing.rate.count(caller, Instant::now());
        counted.map_err(problems::too_often)
    }

    /// Returns the result of a change or of its check, with its error explained.
    pub(super) async fn done<T>(&self, uri: &str, outcome: Result<T, Stop>) -> Result<T, Failure> {
        match outcome {
            Ok(done) => Ok(done),
            Err(Stop::Failure(failure)) => Err(failure),
            Err(Stop::Store(error)) => Err(problems::of(&self.view, uri, error).await.into()),
        }
    }

    /// Fails unless the user agrees.
    pub(super) async fn confirmed(
        &self,
        key: &str,
        action: &str,
        why: Option<&str>,
    ) -> Result<(), Failure> {
        let message = match why {
            Some(why) => format!("{action}? If so, {why}."),
            None => format!("{action}?"),
        };
        match self.ask.elicit(key, ElicitFormParams::new(message)).await {
            Ok(answer) if answer.is_accepted() => Ok(()),
            Ok(_) => Err(problems::declined(action).into()),
            Err(error) => Err(problems::not_asked(action, why, error).into()),
        }
    }
}
