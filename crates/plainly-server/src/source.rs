//! Answers as plain JSON, for code that knows its methods and results only as JSON, such as another
//! server to which requests are forwarded. Sources come after the program's own tools, resources
//! and prompts.
//!
//! ```text
//! route ─► sources ─┬─► features: typed, the program's own
//!                   └─► a source: raw parameters in, a raw result out
//! ```

mod listing;
mod raw;
mod resources;

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use plainly_errors::{ErrorKind, InvalidParams, ProtocolError};
use plainly_protocol::method::{Capability, Method};
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::types::{RawJson, SKILLS_EXTENSION, ServerCapabilities, TASKS_EXTENSION};

use super::answer::AnswerFuture;
use super::asking::Subject;
use super::audience::{Audience, MethodAnswer};
use super::changes::{Changes, SubscribedResources, Topic};
use super::extract::{Ask, Context};
use super::failure::{Failure, Meaning};
use super::features::Features;
use super::request::MethodCall;

/// A component that answers requests for a server: another server, a registry of plug-ins, a
/// recording.
///
/// It is called for every method of tools, resources, prompts, completion and tasks whose
/// capability it declares. Parameters and results are JSON, and members without a type in this
/// crate are passed on byte for byte. Several sources can be combined, after the program's own
/// tools, resources and prompts. Listings are joined. Every other request goes from one source to
/// the next as long as the answer is that the tool, prompt, resource or task does not exist. A
/// source that declares tasks must check itself whose task it is.
///
/// ```
/// use plainly::protocol::method::Method;
/// use plainly::protocol::peer::Peer;
/// use plainly::protocol::types::{ListCapability, RawJson, ServerCapabilities};
/// use plainly::server::{Source, SourceRequest};
/// use plainly::{Failure, ProtocolError, Server};
///
/// /// Has one tool, and knows it as JSON.
/// struct Echo;
///
/// impl Source for Echo {
///     fn capabilities(&self, _: &Peer) -> ServerCapabilities {
///         ServerCapabilities::new().tools(ListCapability::new())
///     }
///
///     async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
///         Ok(match request.method() {
///             Method::ListTools => RawJson::parse(r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#)?,
///             Method::CallTool => RawJson::parse(r#"{"content":[{"type":"text","text":"echo"}]}"#)?,
///             other => return Err(ProtocolError::method_not_found(other.name()).into()),
///         })
///     }
/// }
///
/// let server = Server::builder("echo", "1.0.0").source(Echo).build()?;
/// # Ok::<(), plainly::server::BuildErrors>(())
/// ```
pub trait Source: Send + Sync + 'static {
    /// The capabilities of this source for `peer`. The server declares them together with those of
    /// other sources, and calls this method again for each request, so it should be fast.
    fn capabilities(&self, peer: &Peer) -> ServerCapabilities;

    /// Answers a request with its result, a JSON object.
    ///
    /// The server adds members that a revision requires in every result, such as `resultType`, if
    /// they are missing. Errors reach the client's code: a [`ProtocolError`] about the request
    /// unchanged, others like those of a resource handler. An error about the source's own
    /// connection, such as an unknown session, reaches the client as an internal error with the
    /// same message. Dropping the future cancels the request.
    ///
    /// If a resource has contents in several formats, clients get those that they request or
    /// support, as for this server's own resources.
    ///
    /// For a source without `resources/metadata` the server uses its listing instead, and the
    /// contents of resources that it does not list. Empty contents are passed on only for
    /// collections, because otherwise a client can't distinguish them from a missing resource.
    fn answer(
        &self,
        request: SourceRequest,
    ) -> impl Future<Output = Result<RawJson, Failure>> + Send;

    /// Reports changes, from the call until the stream is dropped; `None` if this source can't. If
    /// it can, the server offers clients subscriptions to everything that the source declares.
    ///
    /// A server calls it once when it is built, to check whether the source reports changes, and
    /// drops the stream unused. Later it calls it whenever a client listens and none did before. A
    /// source that must poll for changes should poll only the `subscribed` resources, which may
    /// include resources of others.
    fn watch(&self, subscribed: SubscribedResources) -> Option<BoxStream<'static, Topic>> {
        drop(subscribed);
        None
    }
}

/// A request for a [`Source`].
#[derive(Clone, Debug)]
pub struct SourceRequest {
    method: Method,
    params: RawJson,
    context: Context,
    ask: Result<Ask, ProtocolError>,
}

impl SourceRequest {
    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The parameters, as an object. `_meta` is between this server and its client, so it contains
    /// only the members about a resource: the formats that the client requests, and the tag of its
    /// content.
    pub fn params(&self) -> &RawJson {
        &self.params
    }

    /// The client that the transport has authenticated.
    pub fn principal(&self) -> Option<&Principal> {
        self.context.principal()
    }

    /// The context of the request: data about the client, and progress and log messages that can be
    /// sent before the reply.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Asks the client questions before the reply, as handlers do.
    ///
    /// # Errors
    ///
    /// Fails if the client returned answers to questions that this server did not ask, as for a
    /// source that asks through its own results (`resultType` `input_required`).
    pub fn ask(&self) -> Result<&Ask, ProtocolError> {
        self.ask.as_ref().map_err(Clone::clone)
    }

    /// Another request in place of this one.
    fn about(&self, method: Method, params: RawJson) -> Self {
        Self {
            method,
            params,
            ..self.clone()
        }
    }

    fn new(call: &MethodCall<'_>, features: &Features) -> Result<Self, Failure> {
        let params = match call.params {
            Some(params) => raw::parameters(params)?,
            None => RawJson::parse("{}")?,
        };
        let name = call.subject_name();
        let arguments = call.params.and_then(|params| params.get("arguments"));
        let subject = Subject {
            method: call.method,
            name: name.as_deref().unwrap_or_default(),
            params: call.params,
            seals: &features.seals,
        };
        let subject = call.method.row().may_ask.then_some(&subject);
        Ok(Self {
            method: call.method,
            params,
            context: Context::of(call.scope),
            ask: Ask::of(call.scope, subject, arguments.unwrap_or("{}")),
        })
    }
}

/// A source of any type.
trait ErasedSource: Send + Sync {
    fn capabilities(&self, peer: &Peer) -> ServerCapabilities;
    fn watch(&self, subscribed: SubscribedResources) -> Option<BoxStream<'static, Topic>>;
    fn answer(
        self: Arc<Self>,
        request: SourceRequest,
    ) -> BoxFuture<'static, Result<RawJson, Failure>>;
}

impl<S: Source> ErasedSource for S {
    fn capabilities(&self, peer: &Peer) -> ServerCapabilities {
        Source::capabilities(self, peer)
    }

    fn watch(&self, subscribed: SubscribedResources) -> Option<BoxStream<'static, Topic>> {
        Source::watch(self, subscribed)
    }

    fn answer(
        self: Arc<Self>,
        request: SourceRequest,
    ) -> BoxFuture<'static, Result<RawJson, Failure>> {
        Box::pin(async move { Source::answer(&*self, request).await })
    }
}

/// All components that answer for a server: the features of the program, followed by its sources.
#[derive(Clone)]
pub(super) struct Sources {
    features: Arc<Features>,
    others: Arc<[OtherSource]>,
}

/// A source other than the features.
struct OtherSource {
    source: Arc<dyn ErasedSource>,
    /// Whether the source reports changes.
    can_watch: bool,
}

/// The features or one of the sources, as a candidate for an answer.
#[derive(Clone)]
enum Candidate {
    Features(Arc<Features>),
    Other(Arc<dyn ErasedSource>, Arc<Features>),
}

/// Collects the sources of a server that is being built.
#[derive(Default)]
pub(super) struct SourceList(Vec<Arc<dyn ErasedSource>>);

impl SourceList {
    pub(super) fn push(&mut self, source: impl Source) {
        self.0.push(Arc::new(source));
    }
}

impl Sources {
    /// Whether there are sources other than the program's own features.
    pub(super) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    pub(super) fn new(features: Arc<Features>, list: SourceList) -> Self {
        let others = list.0.into_iter().map(|source| {
            let nothing = SubscribedResources::new(&Changes::new());
            let can_watch = source.watch(nothing).is_some();
            OtherSource { source, can_watch }
        });
        Self {
            features,
            others: others.collect(),
        }
    }

    pub(super) fn features(&self) -> &Arc<Features> {
        &self.features
    }

    /// Whether there are only the features.
    pub(super) fn is_plain(&self) -> bool {
        self.others.is_empty()
    }

    /// The capabilities of each other source for `peer`, and whether it reports changes.
    pub(super) fn capabilities(
        &self,
        peer: &Peer,
    ) -> impl Iterator<Item = (ServerCapabilities, bool)> {
        let others = self.others.iter();
        others.map(|other| (other.source.capabilities(peer), other.can_watch))
    }

    /// Whether any source reports changes.
    pub(super) fn can_watch(&self) -> bool {
        self.others.iter().any(|other| other.can_watch)
    }

    /// The changes from now on in each source that reports them.
    pub(super) fn watch(&self, changes: &Changes) -> Vec<BoxStream<'static, Topic>> {
        let watchable = self.others.iter().filter(|other| other.can_watch);
        let watch = |other: &OtherSource| other.source.watch(SubscribedResources::new(changes));
        watchable.filter_map(watch).collect()
    }

    /// Answers a request by the first candidate that knows its subject.
    pub(super) fn answer(&self, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        if self.is_plain() {
            return self.features.answer(call);
        }
        let providers = self.providers(call);
        match call.method.row().listing {
            Some(member) => listing::joined(&providers, self.others.len(), member, call),
            None => first(&providers, call),
        }
    }

    /// The answer `found` or, if the subject does not exist there, that of a source.
    pub(super) fn or_answer(
        &self,
        found: MethodAnswer,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let providers = self.providers(call);
        match found {
            MethodAnswer::Later(Audience::Code, found) if !providers.is_empty() => {
                Ok(or_next(found, first(&providers, call)?))
            }
            found @ (MethodAnswer::Now(_) | MethodAnswer::Later(..)) => Ok(found),
        }
    }

    /// The candidates that declare the capability of the method, in order. Each has its number
    /// among all candidates, whatever the others declare.
    fn providers(&self, call: &MethodCall<'_>) -> Vec<(usize, Candidate)> {
        let (peer, capability) = (call.scope.peer(), call.method.row().capability);
        let is_served = capability.is_none_or(|capability| self.features.serves(capability));
        let features = is_served.then(|| (0, Candidate::Features(Arc::clone(&self.features))));
        let others = (1..).zip(self.others.iter().map(|other| &other.source));
        let others = others.filter(|(_, source)| {
            capability.is_none_or(|capability| declares(&source.capabilities(peer), capability))
        });
        let others = others.map(|(number, source)| {
            let (source, features) = (Arc::clone(source), Arc::clone(&self.features));
            (number, Candidate::Other(source, features))
        });
        features.into_iter().chain(others).collect()
    }
}

impl Candidate {
    fn answer(&self, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        match self {
            Self::Features(features) => features.answer(call),
            Self::Other(source, features) => {
                let request = SourceRequest::new(call, features);
                let source = Arc::clone(source);
                let answering: AnswerFuture =
                    Box::pin(
                        async move { raw::answer(&resources::answered(source, request?).await?) },
                    );
                Ok(MethodAnswer::Later(Audience::Code, answering))
            }
        }
    }
}

/// Answers by the first provider that knows the name, or with the error of the last one.
fn first(
    providers: &[(usize, Candidate)],
    call: &MethodCall<'_>,
) -> Result<MethodAnswer, ProtocolError> {
    let Some(((_, provider), rest)) = providers.split_first() else {
        return Err(ProtocolError::method_not_found(call.method.name()));
    };
    let answering = provider.answer(call);
    if rest.is_empty() {
        return answering;
    }
    match answering {
        Err(error) if is_unknown(&error) => first(rest, call),
        // A tool is found before it runs. A resource may be searched for.
        Ok(MethodAnswer::Later(Audience::Code, found)) => {
            // Created now, because the parameters borrow from the message, but polled only if the
            // first answer says that the subject does not exist.
            Ok(or_next(found, first(rest, call)?))
        }
        answering => answering,
    }
}

/// The answer `found` or, if the subject does not exist there, the next one.
fn or_next(found: AnswerFuture, next: MethodAnswer) -> MethodAnswer {
    let answering = async move {
        match (found.await, next) {
            (Err(failure), MethodAnswer::Now(next)) if says_unknown(&failure) => Ok(next),
            (Err(failure), MethodAnswer::Later(_, next)) if says_unknown(&failure) => next.await,
            (answered, _) => answered,
        }
    };
    MethodAnswer::Later(Audience::Code, Box::pin(answering))
}

fn says_unknown(failure: &Failure) -> bool {
    matches!(
        failure.meaning(),
        Meaning::Protocol(error) | Meaning::Server(error) if is_unknown(&error)
    )
}

/// Whether the error only means that the tool, prompt, resource or task does not exist here.
fn is_unknown(error: &ProtocolError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ResourceNotFound { .. }
            | ErrorKind::MethodNotFound { .. }
            | ErrorKind::InvalidParams(
                InvalidParams::UnknownTool { .. }
                    | InvalidParams::UnknownPrompt { .. }
                    | InvalidParams::UnknownSkill { .. }
                    | InvalidParams::UnknownTask
            )
    )
}

/// Whether `capabilities` contains this one.
pub(super) fn declares(capabilities: &ServerCapabilities, capability: Capability) -> bool {
    match capability {
        Capability::Resources => capabilities.resources.is_some(),
        Capability::ResourcesSubscribe => {
            let resources = capabilities.resources.as_ref();
            resources.is_some_and(|resources| resources.subscribe == Some(true))
        }
        Capability::Tools => capabilities.tools.is_some(),
        Capability::Prompts => capabilities.prompts.is_some(),
        Capability::Completions => capabilities.completions.is_some(),
        Capability::Logging => capabilities.logging.is_some(),
        Capability::Tasks => capabilities.extension(TASKS_EXTENSION).is_some(),
        Capability::Skills => capabilities.extension(SKILLS_EXTENSION).is_some(),
        _ => false,
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sources").finish_non_exhaustive()
    }
}

impl fmt::Debug for SourceList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SourceList").field(&self.0.len()).finish()
    }
}
