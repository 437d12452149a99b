//! A call that is configured before it is made, and the rounds until its final result. A server may
//! answer with questions, and is then called again with the answers (2026-07-28, Multi Round-Trip
//! Requests). The methods that callers use, and the handlers that answer questions, are in other
//! files.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    InputRequest, InputRequiredResult, InputResponseParams, InputResponses, ResultType,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use crate::call::tasks::{FollowedCall, TaskHandle};
use crate::call::visits::VisitsOfCall;
use crate::connect::Client;
use crate::error::{Error, LocalError, Result};
use crate::link::CallExtras;
use crate::message::progress::{ProgressListener, ProgressUpdate};
use crate::message::reply::{self, RawResult, ResultReader};

/// A call that is made when it is awaited, and cancelled when it is dropped before its end.
///
/// Questions that the server asks before it answers go to the handlers that the client was
/// [built](crate::Builder::on_elicitation) with; [`once`](Self::once) leaves them to the caller.
#[must_use = "nothing is sent until it is awaited"]
pub struct Call<T> {
    /// `None` once the call is made.
    setup: Option<CallSetup<T>>,
    made: Option<BoxFuture<'static, Result<T>>>,
}

/// The configuration of a call that is not made yet.
struct CallSetup<T> {
    client: Client,
    method: Method,
    /// The parameters. An error is returned when the call is awaited.
    params: Result<Box<RawValue>>,
    inputs: Option<InputResponseParams>,
    progress: Option<Arc<ProgressListener>>,
    read: Arc<ResultReader<T>>,
}

/// The outcome of one request of a [`Call`].
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a result is final or it is not")]
pub enum Round<T> {
    /// The final result.
    Complete(T),
    /// The server asks questions before it answers.
    InputRequired(InputRequired<T>),
}

/// The outcome of [starting](Call::start) a call.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a result is there or it is not")]
pub enum StartedCall<T> {
    /// The final result.
    Complete(T),
    /// The server continues the call as a task.
    Task(TaskHandle<T>),
}

/// A server's questions before it answers a call. The server does not wait: the client decides
/// whether and when to call it again.
#[derive(Debug)]
#[non_exhaustive]
pub struct InputRequired<T> {
    /// The questions, by keys that the answers must use too. May be empty.
    pub requests: BTreeMap<String, InputRequest>,
    /// State to send back unchanged.
    pub state: Option<String>,
    /// The call, in a box because most results are final and need no room for it.
    call: Box<CallSetup<T>>,
}

impl<T> InputRequired<T> {
    /// The call with these answers, by the keys of their questions.
    pub fn answer(self, answers: InputResponses) -> Call<T> {
        let mut inputs = InputResponseParams::new(answers);
        inputs.request_state = self.state;
        Call::of(CallSetup {
            inputs: Some(inputs),
            ..*self.call
        })
    }
}

impl<T> Call<T> {
    /// A call of `method` whose final result is read by `read`.
    pub(crate) fn new(
        client: &Client,
        method: Method,
        params: Result<impl Serialize>,
        read: impl Fn(RawResult) -> Result<T> + Send + Sync + 'static,
    ) -> Self {
        Self::of(CallSetup {
            client: client.clone(),
            method,
            params: params.and_then(|params| to_json(method, &params)),
            inputs: None,
            progress: None,
            read: Arc::new(read),
        })
    }

    fn of(setup: CallSetup<T>) -> Self {
        Self {
            setup: Some(setup),
            made: None,
        }
    }

    /// Asks the server to report progress, and passes it to `tell`. Whether and how often it does
    /// so is up to the server; the [timeout](crate::Builder::timeout) restarts each time.
    ///
    /// `tell` runs where the connection is read, and must neither block nor wait for a call.
    pub fn on_progress(mut self, tell: impl FnMut(ProgressUpdate) + Send + 'static) -> Self {
        if let Some(setup) = &mut self.setup {
            setup.progress = Some(ProgressListener::new(Box::new(tell)));
        }
        self
    }

    /// Makes the call, and returns as soon as there is a final result, or a task that continues at
    /// the server. The task can be [waited for](TaskHandle::wait) later, even by another program.
    /// Questions that the server asks before go to the handlers, as usual.
    ///
    /// ```no_run
    /// use plainly::client::{Client, Result, StartedCall};
    ///
    /// async fn scan(client: &Client) -> Result<()> {
    ///     match client.call_tool("scan", ()).start().await? {
    ///         StartedCall::Complete(result) => println!("{:?}", result.content),
    ///         StartedCall::Task(task) => println!("plainly task wait URL {}", task.id()),
    ///     }
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the call was polled before.
    pub async fn start(self) -> Result<StartedCall<T>> {
        let setup = self.setup;
        setup.expect("the call is not made yet").start().await
    }

    /// Sends one request, and leaves the server's questions to the caller. The call does not become
    /// a task. [Declare](crate::Builder::capabilities) the capabilities to answer.
    ///
    /// Only modern servers answer with questions. Questions from older servers go to the handlers
    /// that the client was built with, or are refused.
    ///
    /// ```no_run
    /// use plainly::client::{Client, Result, Round};
    /// use plainly::protocol::types::{CallToolResult, InputResponses, RawJson};
    ///
    /// async fn delete(client: &Client) -> Result<CallToolResult> {
    ///     let mut call = client.call_tool("delete", ());
    ///     loop {
    ///         match call.once().await? {
    ///             Round::Complete(result) => return Ok(result),
    ///             Round::InputRequired(asked) => {
    ///                 let decline = RawJson::parse(r#"{"action":"decline"}"#).expect("it is JSON");
    ///                 let keys: Vec<_> = asked.requests.keys().cloned().collect();
    ///                 let answers = keys.into_iter().map(|key| (key, decline.clone()));
    ///                 call = asked.answer(answers.collect());
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the call was polled before.
    pub async fn once(self) -> Result<Round<T>> {
        let setup = self.setup;
        setup.expect("the call is not made yet").once().await
    }
}

impl<T> CallSetup<T> {
    /// Makes the call, and waits for the end of the task if the server makes the call a task.
    async fn make(self) -> Result<T> {
        let begun = Instant::now();
        let task = match self.start().await? {
            StartedCall::Complete(result) => return Ok(result),
            StartedCall::Task(task) => task,
        };
        // This is in a box, because most calls become no task and need no room for one.
        Box::pin(task.finish(begun)).await
    }

    /// Repeats the call with answers until there is a final result, or a task that continues.
    async fn start(self) -> Result<StartedCall<T>> {
        let (client, method) = (self.client.clone(), self.method);
        let limit = client.connected.limits().rounds;
        let may_continue = method.row().may_continue;
        let mut setup = self;
        let mut rounds = 0;
        let visits = VisitsOfCall::default();
        loop {
            let result = setup.send(may_continue, Some(&visits)).await?;
            if may_continue && result.fields.result_type == ResultType::Task {
                return setup.continued(&result).map(StartedCall::Task);
            }
            let asked = match setup.round(result)? {
                Round::Complete(result) => return Ok(StartedCall::Complete(result)),
                Round::InputRequired(asked) => asked,
            };
            if rounds == limit {
                let (method, asked) = (method.name(), asked.requests);
                return Err(LocalError::TooManyRounds {
                    method,
                    limit,
                    asked,
                }
                .into());
            }
            rounds += 1;
            let respondent = client.connected.link.dispatcher().respondent();
            // This is in a box, because most servers ask no questions.
            let answers = Box::pin(respondent.answer_all(method, &asked.requests)).await?;
            let mut inputs = InputResponseParams::new(answers);
            inputs.request_state = asked.state;
            setup = Self {
                inputs: Some(inputs),
                ..*asked.call
            };
        }
    }

    async fn once(self) -> Result<Round<T>> {
        let result = self.send(false, None).await?;
        self.round(result)
    }

    /// Makes the call once. The server may answer with a task, and may send the user to pages.
    async fn send(&self, tasks: bool, visits: Option<&VisitsOfCall>) -> Result<RawResult> {
        let params = self.params.as_ref().map_err(Error::clone)?;
        self.client.check_declared(self.method)?;
        let extras = CallExtras {
            inputs: self.inputs.as_ref(),
            progress: self.progress.as_ref(),
            tasks,
            ..CallExtras::default()
        };
        self.client
            .reported(self.method, params, extras, visits)
            .await
    }

    /// The server's answer: the final result, or questions.
    fn round(self, result: RawResult) -> Result<Round<T>> {
        // If the method may not ask, `read` rejects a result of this type.
        if result.fields.result_type != ResultType::InputRequired || !self.method.row().may_ask {
            return Ok(Round::Complete((self.read)(result)?));
        }
        let most = self.client.connected.limits().questions;
        let asked = input_required(&result, self.method, most)?;
        Ok(Round::InputRequired(InputRequired {
            requests: asked.input_requests,
            state: asked.request_state,
            call: Box::new(Self {
                inputs: None,
                ..self
            }),
        }))
    }

    /// The task that the server started for the call.
    fn continued(self, result: &RawResult) -> Result<TaskHandle<T>> {
        let handle = result.body(self.method)?;
        let params = self.params?;
        let call = FollowedCall {
            client: self.client,
            subject: reply::subject(self.method, &params),
            progress: self.progress,
            read: self.read,
        };
        Ok(TaskHandle::created(handle, call))
    }
}

fn to_json(method: Method, params: &impl Serialize) -> Result<Box<RawValue>> {
    to_raw_value(params).map_err(|error| {
        LocalError::Parameters {
            method: method.name(),
            source: Some(error),
        }
        .into()
    })
}

/// The questions in `result`, at most `most` of them.
fn input_required(result: &RawResult, method: Method, most: usize) -> Result<InputRequiredResult> {
    let asked: InputRequiredResult = result.body(method)?;
    let why = match asked.input_requests.len() {
        0 if asked.request_state.is_none() => {
            "it wants input, but has neither `inputRequests` nor `requestState`".to_owned()
        }
        asks if asks <= most => return Ok(asked),
        _ => format!("it asks for more than {most} things at a time"),
    };
    Err(Error::invalid_response(method.name(), why))
}

impl<T: 'static> Future for Call<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(setup) = self.setup.take() {
            self.made = Some(setup.make().boxed());
        }
        let made = self.made.as_mut();
        made.expect("a call that is not set up is made")
            .poll_unpin(context)
    }
}

impl<T> fmt::Debug for CallSetup<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &self.method)
            .field("params", &self.params)
            .field("inputs", &self.inputs)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.setup).finish()
    }
}
