//! One call from beginning to end: its deadline, and a new session or revision if the server has
//! forgotten the session or refuses the revision. The methods that callers use are in other files.

mod forward;
mod listen;
mod recovery;
mod rounds;
mod tasks;
mod visits;

use std::time::Duration;

use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CallToolResult, DiscoverResult, EmptyResult, IF_NONE_MATCH, RawJson,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use self::recovery::Recovery;
use self::visits::VisitsOfCall;
use crate::cache::Fetch;
use crate::connect::Client;
use crate::connect::client::ClientState;
use crate::connect::operation::Operation;
use crate::error::{LocalError, Result};
use crate::link::CallExtras;
use crate::message::reply::{self, RawResult, TypedResult};
use crate::message::request::{RawMembers, RequestWriter};
use crate::message::timeouts::{CallQuestions, Timeouts};
use crate::message::trace_context;

pub use self::forward::ForwardCall;
pub use self::listen::Subscription;
pub use self::rounds::{Call, InputRequired, Round, StartedCall};
pub use self::tasks::TaskHandle;

impl Client {
    /// Asks a modern server again what it supports (`server/discover`), unless its answer is
    /// [cached](crate::Builder::cache).
    ///
    /// # Errors
    ///
    /// [`LocalError::NotInRevision`] on a legacy connection.
    pub async fn discover(&self) -> Result<DiscoverResult> {
        Ok(self.call(Method::Discover, &json!({})).await?.body)
    }

    /// Checks whether the server still answers, with `ping`, or with `server/discover` on modern
    /// servers, which no longer have `ping`. If the server does not answer, the call ends with an
    /// error for which [`is_timeout`](crate::Error::is_timeout) or
    /// [`is_closed`](crate::Error::is_closed) holds.
    pub async fn ping(&self) -> Result<()> {
        if Method::Ping.is_in(self.revision()) {
            self.call::<EmptyResult>(Method::Ping, &json!({}))
                .await
                .map(drop)
        } else {
            self.fresh().discover().await.map(drop)
        }
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

    /// The result of a call, whatever its `resultType`.
    pub(crate) async fn result(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<RawResult> {
        self.reported(method, params, extras, None).await
    }

    /// The result of a call that may send the user to pages, if there are `visits`. Reports the
    /// call to the observer.
    async fn reported(
        &self,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
        visits: Option<&VisitsOfCall>,
    ) -> Result<RawResult> {
        let recovery = Recovery::new(self, method, visits);
        let connected = &self.connected;
        let observer = &connected.options.observer;
        // The caller's own trace takes precedence.
        let trace = match trace_context::is_in(extras.meta) {
            true => None,
            false => observer.begin.current(),
        };
        let name = observer.is_on().then(|| subject(method, params)).flatten();
        let extras = CallExtras {
            trace: trace.as_ref(),
            ..extras
        };
        let result = self.made(params, extras, &recovery).await;
        observer.report(|| Operation {
            method: method.name(),
            name: name.as_deref(),
            trace: trace.as_ref(),
            error: result.as_ref().err(),
            revision: connected.revision(),
            transport: connected.link.connection().transport(),
            duration: recovery.start.elapsed(),
            tries: recovery.attempts(),
        });
        result
    }

    /// The cached result of a call, or the result of an attempt. Makes more attempts as long as it
    /// can remove the causes of failure.
    async fn made(
        &self,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
        recovery: &Recovery<'_>,
    ) -> Result<RawResult> {
        let method = recovery.method;
        let fetch = self.fetch(method, params, &extras).await;
        if let Some(kept) = fetch.as_ref().and_then(|fetch| fetch.find()) {
            return RawResult::kept(method, kept, fetch);
        }
        let mut unproven = fetch.as_ref().and_then(|fetch| fetch.unproven());
        loop {
            let condition = unproven.as_ref().map(|(_, tag)| if_none_match(tag));
            let extras = CallExtras {
                meta: condition.as_ref().or(extras.meta),
                fetch: fetch.as_deref(),
                budget: Some(&recovery.budget),
                ..extras
            };
            let epoch = self.connected.epoch();
            let writer = self.connected.writer();
            recovery.begin_attempt();
            let error = match self.attempt(&writer, method, params, extras).await {
                Ok(result) => {
                    let known = unproven.take().filter(|_| result.is_not_modified());
                    let Some((json, _)) = known else {
                        return Ok(result.keep_for(fetch));
                    };
                    // With other credentials, the same tag may belong to another content.
                    if fetch.as_ref().is_some_and(|fetch| fetch.is_of_others()) {
                        continue;
                    }
                    return Ok(result.with_cached(json).keep_for(fetch));
                }
                Err(error) => self.connected.link.tell_stray(error),
            };
            // The server may accept the state that it sent with its questions only once.
            let may_repeat = extras.inputs.is_none() && self.is_repeatable(method, params);
            let recovering = self.recover(recovery, &error, epoch, may_repeat);
            if !recovering.await? {
                let stale = fetch.as_ref().and_then(|fetch| fetch.instead_of(&error));
                let stale = stale.ok_or(error)?;
                return RawResult::kept(method, stale, fetch);
            }
        }
    }

    /// The cache lookup for a call; `None` if there is no cache, or the call has more than its
    /// parameters.
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
        // If there are no credentials, the call itself reports why.
        let credentials = connected.link.credentials(self.timeout).await?;
        let is_conditional = connected.server.reads_conditionally();
        Some(Box::new(fetch.by(&credentials).conditional(is_conditional)))
    }

    /// The longest time for one call, however often the server reports progress.
    pub(crate) fn longest(&self) -> Duration {
        self.connected.options.longest.max(self.timeout)
    }

    fn is_repeatable(&self, method: Method, params: &impl Serialize) -> bool {
        let is_safe_tool = || {
            let name = reply::subject(method, params);
            name.is_some_and(|name| self.connected.tools.is_repeatable(&name))
        };
        method.row().is_read_only || method == Method::CallTool && is_safe_tool()
    }

    /// Sends the request of a call once, and reads its reply.
    async fn attempt(
        &self,
        writer: &RequestWriter,
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
        let link = &self.connected.link;
        let calling = async {
            let reply = link.ask(writer, method, params, extras).await?;
            reply.result(method, params, link.least)
        };
        timeouts
            .wait_for(method, progress, &questions, calling)
            .await
    }
}

impl ClientState {
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
}

/// The `_meta` of a request that asks for the content only if its tag is another.
fn if_none_match(tag: &str) -> RawMembers {
    let tag = RawJson::encode(&tag).ok();
    let tag = tag.map(|tag| (IF_NONE_MATCH.to_owned(), tag));
    tag.into_iter().collect()
}

/// The name or URI that a call is about.
fn subject(method: Method, params: &impl Serialize) -> Option<String> {
    let member = method.row().subject?;
    let params = serde_json::to_value(params).ok()?;
    Some(params.get(member)?.as_str()?.to_owned())
}
