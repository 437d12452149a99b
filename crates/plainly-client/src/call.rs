//! One call from beginning to end: its deadline, and a new session or revision for a server that has forgotten the
//! session or now refuses the revision. The methods to call are in other files.

mod listen;
mod rounds;
mod tasks;
mod visits;

use std::time::Duration;

use plainly_protocol::method::Method;
use plainly_protocol::types::{CallToolResult, DiscoverResult, EmptyResult, RawJson};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::time::sleep;

use crate::cache::Fetch;
use crate::connect::Client;
use crate::connect::client::Connected;
use crate::connect::operation::Operation;
use crate::connect::retries::{Tries, is_reading};
use crate::error::{Error, LocalError, Result};
use crate::link::CallExtras;
use crate::message::reply::{self, RawResult, TypedResult};
use crate::message::request::{self};
use crate::message::timeouts::{CallQuestions, Timeouts};

pub use self::listen::Subscription;
pub use self::rounds::{Call, InputRequired, Round, Started};
pub use self::tasks::TaskHandle;

impl Client {
    /// Asks a modern server again what it supports (`server/discover`), unless its answer is [cached](crate::Builder::cache).
    ///
    /// # Errors
    ///
    /// [`LocalError::NotInRevision`] on a legacy connection.
    pub async fn discover(&self) -> Result<DiscoverResult> {
        Ok(self.call(Method::Discover, &json!({})).await?.body)
    }

    /// Checks whether the server still answers, with `ping`, or with `server/discover` on modern servers, which no
    /// longer have `ping`. An error for which [`is_timeout`](Error::is_timeout) or [`is_closed`](Error::is_closed) holds
    /// says that it does not.
    pub async fn ping(&self) -> Result<()> {
        if Method::Ping.is_in(self.revision()) {
            self.call::<EmptyResult>(Method::Ping, &json!({}))
                .await
                .map(drop)
        } else {
            self.fresh().discover().await.map(drop)
        }
    }

    /// Forwards a request: parameters and result are JSON, and nothing is lost that this crate has no type for. If the
    /// result asks for input (`resultType` `input_required`), the caller has to answer it. Of `_meta` in the parameters,
    /// the members that introduce the sender or ask for progress or log messages are replaced by this client's.
    ///
    /// # Errors
    ///
    /// [`LocalError::Parameters`] if the parameters, or their `_meta`, are not a JSON object. What the server declared is not
    /// looked at, and of the result only the fields that all results have are read.
    pub async fn forward(&self, method: Method, params: &RawJson) -> Result<RawJson> {
        let (params, meta) = request::split_meta(params).map_err(|_no_object| {
            let (method, source) = (method.name(), None);
            LocalError::Parameters { method, source }
        })?;
        let extras = CallExtras {
            meta: meta.as_ref(),
            ..CallExtras::default()
        };
        let result = self.result(method, &*params, extras).await?;
        let json = str::from_utf8(&result.json).expect("what was scanned as JSON is text");
        Ok(RawJson::parse(json).expect("it was scanned as JSON"))
    }

    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
    ) -> Result<TypedResult<T>> {
        self.check_declared(method)?;
        let result = self.result(method, params, CallExtras::default()).await?;
        result.decode(method)
    }

    /// The result of a call, whatever its `resultType`, tried as often as [`Retries`](crate::Retries) say.
    pub(crate) async fn result(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<RawResult> {
        let mut tries = Tries::begin();
        let result = self.try_again(method, params, extras, &mut tries).await;
        self.report(method, &tries, result.as_ref().err());
        result
    }

    /// Tells the observer what a call came to.
    pub(crate) fn report(&self, method: Method, tries: &Tries, error: Option<&Error>) {
        let connected = &self.connected;
        connected.options.observer.report(|| Operation {
            method: method.name(),
            error,
            revision: connected.revision(),
            transport: connected.link.connection().transport(),
            duration: tries.start.elapsed(),
            tries: tries.count(),
        });
    }

    /// The same after these tries.
    pub(crate) async fn try_again(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
        tries: &mut Tries,
    ) -> Result<RawResult> {
        let fetch = self.fetch(method, params, &extras).await;
        if let Some(kept) = fetch.as_ref().and_then(|fetch| fetch.find()) {
            return RawResult::kept(method, kept, fetch);
        }
        let extras = extras.kept_by(fetch.as_deref());
        loop {
            tries.begin_another();
            let error = match self.attempt(method, params, extras).await {
                Ok(result) => return Ok(result.keep_for(fetch)),
                Err(error) => self.connected.link.tell_stray(error),
            };
            let pause = tries.pause_after(&error, self.retries);
            // State that the server gave out with its questions may be good for one use.
            let may_repeat = extras.inputs.is_none() && self.is_repeatable(method, params);
            let Some(pause) = pause.filter(|_| may_repeat) else {
                let stale = fetch.as_ref().and_then(|fetch| fetch.instead_of(&error));
                let stale = stale.ok_or(error)?;
                return RawResult::kept(method, stale, fetch);
            };
            tracing::debug!(%error, method = method.name(), ?pause, "trying again");
            sleep(pause).await;
        }
    }

    /// A call for the cache; `None` if there is none, or there is more to the call than its parameters.
    async fn fetch(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: &CallExtras<'_>,
    ) -> Option<Box<Fetch>> {
        let connected = &self.connected;
        let shelf = connected.options.shelf.as_ref()?;
        if extras.inputs.is_some() || extras.meta.is_some_and(|meta| !meta.is_empty()) {
            return None;
        }
        let fetch = shelf.fetch(connected.revision(), method, params, self.fresh)?;
        // If they can't be had, the call itself tells why.
        let credentials = connected.link.credentials(self.timeout).await?;
        Some(Box::new(fetch.by(&credentials)))
    }

    /// The time for one call, however often the server gives a sign of life.
    pub(crate) fn longest(&self) -> Duration {
        self.connected.options.longest.max(self.timeout)
    }

    fn is_repeatable(&self, method: Method, params: &impl Serialize) -> bool {
        let is_safe_tool = || {
            let name = reply::subject(method, params);
            name.is_some_and(|name| self.connected.tools.is_repeatable(&name))
        };
        is_reading(method) || method == Method::CallTool && is_safe_tool()
    }

    async fn attempt(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<RawResult> {
        let timeouts = Timeouts {
            idle: self.timeout,
            total: self.longest(),
            clocks: &self.connected.options.clocks,
        };
        let shared = &self.connected.link.dispatcher().questions.shared;
        let questions = CallQuestions::new(shared);
        let extras = CallExtras {
            questions: Some(&questions),
            ..extras
        };
        let progress = extras.progress.map(|listener| &**listener);
        let calling = self.connected.call(method, params, extras);
        timeouts
            .wait_for(method, progress, &questions, calling)
            .await
    }
}

impl Connected {
    /// Checks the structured output of a tool against its schema, if both are known.
    pub(crate) fn check_output(
        &self,
        tool: &str,
        result: CallToolResult,
    ) -> Result<CallToolResult> {
        let checks = self.options.checks.output;
        let mistakes = checks.then(|| self.tools.mistakes(tool, &result));
        match mistakes.filter(|mistakes| !mistakes.is_empty()) {
            Some(mistakes) => Err(LocalError::InvalidOutput {
                tool: tool.to_owned(),
                mistakes,
                result: Box::new(result),
            }
            .into()),
            None => Ok(result),
        }
    }

    async fn call(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<RawResult> {
        let writer = self.writer();
        let reply = self.link.ask(&writer, method, params, extras).await;
        let least = self.link.least;
        let error = match reply.and_then(|reply| reply.result(method, params, least)) {
            Ok(result) => return Ok(result),
            Err(error) => error,
        };
        if !self.is_mended(&error, writer.revision()).await? {
            return Err(error);
        }
        // Once more, but not in a loop: a server that refuses every new session would be called for ever.
        let writer = self.writer();
        let reply = self.link.ask(&writer, method, params, extras).await?;
        reply.result(method, params, least)
    }
}
