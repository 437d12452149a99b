//! Peers that want to hear of changes: what they may ask for, and what each is told as it comes. A modern peer listens by
//! a request that stays open; a legacy one subscribes within its session, and hears of it on the session's stream. Knows
//! nothing of how messages travel.

use std::collections::HashSet;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{Stream, StreamExt};
use plainly_errors::{ProtocolError, Refusal};
use plainly_protocol::meta::SUBSCRIPTION_ID;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    EmptyResult, Meta, SubscribeParams, SubscriptionFilter, UnsubscribeParams,
};

use super::Server;
use super::announcements::Announcements;
use super::answer::Answer;
use super::audience::{Answering, Audience};
use super::changes::{Topic, TopicSubscription};
use super::features::check_length;
use super::listeners::ListenerPlace;
use super::news::{News, OpenStream};
use super::notices;
use super::request::Scope;
use super::watching::Watched;
use crate::transport::{Event, Feed};

/// What one peer is told, message by message. Dropping it ends it without a word.
pub(super) struct Listening {
    server: Server,
    /// The request that it answers, a JSON token; none if it is the stream of a session.
    id: Option<Box<str>>,
    /// What is said next.
    first: Option<Bytes>,
    /// What is to be said next, where that takes a look at a task; nothing if there is none any more.
    looking: Option<BoxFuture<'static, Option<Bytes>>>,
    /// It was told to end. The subscription of a session goes on: there may be another stream.
    is_ending: bool,
    subscription: Arc<TopicSubscription>,
    _stream: Option<OpenStream>,
    _watched: Option<Watched>,
    _place: ListenerPlace,
}

impl Server {
    /// Serves `subscriptions/listen`: the request `id`, a JSON token.
    pub(super) fn listen(
        &self,
        id: &str,
        mut asked: SubscriptionFilter,
        scope: &Scope,
    ) -> Result<Answer, ProtocolError> {
        let tasks = self.tasks_asked_for(&mut asked, scope)?;
        let uris = asked.resource_subscriptions.as_deref().unwrap_or_default();
        self.check_uris(uris.iter().map(String::as_str))?;
        let subscription = Arc::new(self.0.changes.subscribe());
        let principal = scope.peer().principal.as_ref();
        let place = self.take_place_of_request(principal, &subscription)?;
        let told = self.told(asked);
        subscription.add(topics(&told));
        let of_resources =
            told.resources_list_changed.is_some() || told.resource_subscriptions.is_some();
        let mut listening = Listening {
            server: self.clone(),
            id: Some(id.into()),
            first: None,
            looking: None,
            is_ending: false,
            subscription: Arc::clone(&subscription),
            _stream: None,
            _watched: of_resources.then(|| self.watch()).transpose()?,
            _place: place,
        };
        if tasks.is_empty() {
            listening.first = Some(notices::acknowledged(id, &told));
        } else {
            let (server, id, scope) = (self.clone(), id.into(), scope.clone());
            let listen = server.listen_to_tasks(id, told, tasks, scope, subscription);
            listening.looking = Some(Box::pin(listen));
        }
        Ok(Answer::Subscription(listening.boxed(), over(id)))
    }

    /// Opens the stream of a session, on which all is told that changes; there is one.
    pub(super) fn listen_in_session(&self, news: &Arc<News>) -> Result<Listening, ProtocolError> {
        let announced = self.0.announcements;
        if announced.lists().is_empty() {
            return Err(Refusal::MethodNotAllowed.into());
        }
        let stream = news.open(announced.lists())?;
        let place = self.take_place_of_session(&news.subscription)?;
        Ok(Listening {
            server: self.clone(),
            id: None,
            first: None,
            looking: None,
            is_ending: false,
            subscription: Arc::clone(&news.subscription),
            _stream: Some(stream),
            _watched: announced.resources.then(|| self.watch()).transpose()?,
            _place: place,
        })
    }

    /// Serves `resources/subscribe`.
    pub(super) fn subscribe(
        &self,
        SubscribeParams { uri, .. }: SubscribeParams,
        scope: &Scope,
    ) -> Result<Answering, ProtocolError> {
        let news = Arc::clone(news_of(Method::Subscribe, scope)?);
        self.check_uris([&*uri])?;
        let (server, scope) = (self.clone(), scope.clone());
        let subscribing = async move {
            // What a source has is for it to know.
            if server.0.sources.is_plain() {
                server.0.features.metadata(&uri, &scope).await?;
            }
            if !server.can_tell(&uri) {
                let why = format!("Invalid params: changes of {uri} are not reported");
                return Err(ProtocolError::invalid_params(why).into());
            }
            let before = news.subscription.resources();
            let before = before.iter().map(|uri| &**uri);
            server.check_uris(before.filter(|before| **before != *uri).chain([&*uri]))?;
            news.subscription.add([Topic::Resource(uri.into())]);
            Ok(Answer::empty())
        };
        Ok(Answering::Later(Audience::Code, Box::pin(subscribing)))
    }

    /// Serves `resources/unsubscribe`.
    pub(super) fn unsubscribe(
        &self,
        UnsubscribeParams { uri, .. }: UnsubscribeParams,
        scope: &Scope,
    ) -> Result<Answering, ProtocolError> {
        let news = news_of(Method::Unsubscribe, scope)?;
        news.subscription.remove(&Topic::Resource(uri.into()));
        Ok(Answering::Now(Answer::empty()))
    }

    /// Whether changes of the resource at `uri` are announced.
    fn can_tell(&self, uri: &str) -> bool {
        let (all, resources) = (self.0.announcements.all, &self.0.features.resources);
        resources.can_tell(uri, all) || all && !self.0.sources.is_plain()
    }

    /// The part of what was asked for that this server tells. A resource need not exist: it may come to.
    fn told(&self, asked: SubscriptionFilter) -> SubscriptionFilter {
        let Announcements {
            tools,
            prompts,
            resources,
            ..
        } = self.0.announcements;
        let both =
            |is_told: bool, asked: Option<bool>| (is_told && asked == Some(true)).then_some(true);
        let mut told = SubscriptionFilter::new();
        told.tools_list_changed = both(tools, asked.tools_list_changed);
        told.prompts_list_changed = both(prompts, asked.prompts_list_changed);
        told.resources_list_changed = both(resources, asked.resources_list_changed);
        let mut seen = HashSet::new();
        let mut uris = asked.resource_subscriptions.unwrap_or_default();
        uris.retain(|uri| self.can_tell(uri) && seen.insert(uri.clone()));
        told.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        told
    }

    /// Whether one peer may be told of all these resources together.
    fn check_uris<'a>(&self, uris: impl IntoIterator<Item = &'a str>) -> Result<(), ProtocolError> {
        let limits = self.limits();
        let (mut count, mut bytes) = (0, 0);
        for uri in uris {
            check_length(uri, limits)?;
            count += 1;
            bytes += uri.len();
        }
        if count > limits.listen_uris || bytes > limits.listen_bytes {
            return Err(ProtocolError::invalid_params(format!(
                "Invalid params: a subscription to more than {} resources, or more than {} bytes of URIs",
                limits.listen_uris, limits.listen_bytes
            )));
        }
        Ok(())
    }
}

fn topics(filter: &SubscriptionFilter) -> Vec<Topic> {
    let lists = [
        (filter.tools_list_changed, Topic::Tools),
        (filter.prompts_list_changed, Topic::Prompts),
        (filter.resources_list_changed, Topic::Resources),
    ];
    let lists = lists
        .into_iter()
        .filter(|(is_wanted, _)| is_wanted.is_some())
        .map(|(_, list)| list);
    let uris = filter.resource_subscriptions.iter().flatten();
    lists
        .chain(uris.map(|uri| Topic::Resource(uri.as_str().into())))
        .collect()
}

/// How a subscription ends: the result of the request `id`, a JSON token.
fn over(id: &str) -> EmptyResult {
    let id = serde_json::from_str(id).expect("an id is a JSON token");
    EmptyResult::new().meta(Meta::from_iter([(SUBSCRIPTION_ID, id)]))
}

/// Only who has a session is of a revision that has the method, so the error is answered to nobody.
fn news_of(method: Method, scope: &Scope) -> Result<&Arc<News>, ProtocolError> {
    let session = scope.session();
    session
        .map(|session| &session.news)
        .ok_or_else(|| ProtocolError::method_not_found(method.name()))
}

impl Listening {
    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if self.subscription.is_closed() {
                return Poll::Ready(None);
            }
            if let Some(looking) = &mut self.looking {
                self.first = ready!(looking.as_mut().poll(context));
                self.looking = None;
            }
            if let Some(first) = self.first.take() {
                return Poll::Ready(Some(first));
            }
            let next = match self.is_ending {
                true => None,
                false => ready!(self.subscription.poll_next(context)),
            };
            match next {
                Some(Topic::Task(task)) => {
                    let server = self.server.clone();
                    self.looking = Some(Box::pin(server.told_of_task(task, self.id.clone())));
                }
                Some(topic) => self.first = notices::changed(&topic, self.id.as_deref()),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl Feed for Listening {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.poll_message(context)
            .map(|message| message.map(Event::from))
    }

    fn end(&mut self) {
        self.is_ending = true;
    }
}

impl Stream for Listening {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.get_mut().poll_message(context)
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
