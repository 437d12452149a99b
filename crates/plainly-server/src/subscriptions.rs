//! Subscriptions: clients choose the changes that they want, and are notified of them.
//!
//! ```text
//! program ─┐                                                                    ┌─► modern
//! stores ──┼─► changes ─► topics of each listener ─► listener ─► notifications ─┤
//! tasks ───┘                                                                    └─► legacy
//! ```
//!
//! There are no queues: a change marks its topic with each listener that has it, and a notification
//! is encoded when there is room to send it. So the cost of a slow reader does not grow with the
//! number of changes.
//!
//! A modern client subscribes with a request that stays open (`subscriptions/listen`), whose filter
//! becomes the topics. A legacy client subscribes to single resources, and also gets notifications
//! of all lists, on the only stream of its session.

mod announcements;
mod listener;
mod listeners;
mod watch;

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::StreamExt;
use plainly_errors::mistake::printable;
use plainly_errors::{ProtocolError, Refusal};
use plainly_protocol::envelope::Object;
use plainly_protocol::meta::SUBSCRIPTION_ID;
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{
    EmptyResult, ListenParams, Meta, RECURSIVE, SubscribeParams, SubscriptionFilter,
    UnsubscribeParams,
};

pub(super) use self::announcements::Announcements;
use self::listener::{Listener, add_tasks};
pub(super) use self::listeners::Listeners;
use self::watch::SharedWatches;
use super::answer::Answer;
use super::audience::MethodAnswer;
use super::changes::{Changes, TopicSubscription};
use super::failure::Failure;
use super::features::check_length;
use super::outgoing::notifications;
use super::request::{MethodCall, check_tasks};
use super::sessions::record::SessionChange;
use super::sessions::session::Session;
use super::source::Sources;
use super::store::Viewer;
use super::tasks::Tasks;
use crate::limits::Limits;
use plainly_transport::quota::Holder;

/// The subscribed clients, and the possible notifications.
#[derive(Debug)]
pub(super) struct Subscriptions {
    changes: Changes,
    announcements: Announcements,
    sources: Sources,
    tasks: Arc<Tasks>,
    listeners: Listeners,
    watches: SharedWatches,
    limits: Limits,
}

impl Subscriptions {
    pub(super) fn new(
        changes: Changes,
        announcements: Announcements,
        sources: &Sources,
        tasks: &Arc<Tasks>,
        listeners: Listeners,
        limits: &Limits,
    ) -> Self {
        Self {
            changes,
            announcements,
            sources: sources.clone(),
            tasks: Arc::clone(tasks),
            listeners,
            watches: SharedWatches::default(),
            limits: limits.clone(),
        }
    }

    /// The bus on which all changes are published.
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    pub(super) fn listeners(&self) -> &Listeners {
        &self.listeners
    }

    /// An empty subscription of `caller`.
    pub(super) fn topics(&self, caller: Option<Holder>) -> TopicSubscription {
        self.changes.subscribe(self.listeners.bytes.part(caller))
    }

    /// Serves `subscriptions/listen`.
    pub(super) fn listen(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let ListenParams {
            notifications: mut asked,
            ..
        } = call.read()?;
        let (peer, id) = (Arc::clone(call.scope.peer()), Arc::<str>::from(call.id));
        let task_ids = self.take_tasks(&mut asked, &peer)?;
        let uris = asked.resource_subscriptions.iter().flatten();
        let uris = uris.map(String::as_str);
        uris.clone()
            .try_for_each(|uri| check_length(uri, &self.limits))?;
        self.limits.subscriptions.check(uris)?;
        let caller = call.scope.caller();
        let topics = self.topics(caller.clone());
        let viewer = Viewer::of(call.scope);
        topics.view(self.viewed(&viewer)?);
        let place = self.admit(caller, topics.into())?;
        let mut accepted = self.announcements.accept(asked, &self.sources, &viewer);
        let of_resources =
            accepted.resources_list_changed.is_some() || accepted.resource_subscriptions.is_some();
        let of_lists =
            accepted.tools_list_changed.is_some() || accepted.prompts_list_changed.is_some();
        // Only sources report changes of the other lists. Tasks need no watch.
        let is_watched = of_resources || of_lists && self.sources.can_watch();
        let (tasks, topics) = (Arc::clone(&self.tasks), Arc::clone(&place.topics));
        // Before the stores are watched, so that no change from then on is lost.
        topics.add(announcements::topics(&accepted, self.is_recursive(call)))?;
        let listener = Listener {
            id: Some(Arc::clone(&id)),
            _watching: is_watched
                .then(|| self.watch(&place.topics, &viewer))
                .transpose()?,
            // The acknowledgement comes first ("Subscriptions", 2026-07-28), even if there are
            // already changes.
            next: Some(Box::pin(async move {
                accepted.task_ids = add_tasks(&topics, task_ids, &tasks, &peer).await;
                Some(notifications::acknowledged(&id, &accepted))
            })),
            is_ending: false,
            place,
            _stream: None,
            keeping: None,
        };
        let answer = Answer::Subscription(listener.boxed(), over(call.id));
        Ok(MethodAnswer::Now(answer))
    }

    /// Opens the only stream of a session, on which its client is notified of all changes.
    pub(super) fn open_stream(
        self: &Arc<Self>,
        session: &Arc<Session>,
        caller: Option<Holder>,
        viewer: &Viewer,
    ) -> Result<Listener, ProtocolError> {
        let lists = self.announcements.lists();
        if lists.is_empty() {
            // There would never be a message on it, so 405 tells the client that the stream does
            // not exist ("Listening for Messages from the Server").
            return Err(Refusal::MethodNotAllowed.into());
        }
        // Before a slot is taken, so that a second stream is rejected for that reason and not for
        // lack of room.
        let viewed = self.viewed(viewer)?;
        let stream = session.subscription.open(lists)?;
        session.subscription.topics.view(viewed);
        let place = self.admit(caller, Arc::clone(&session.subscription.topics))?;
        // If a source reports changes, those of resources are announced too.
        let is_watched = self.announcements.resources;
        Ok(Listener {
            id: None,
            _watching: is_watched
                .then(|| self.watch(&place.topics, viewer))
                .transpose()?,
            next: None,
            is_ending: false,
            place,
            _stream: Some(stream),
            keeping: session.keeping(),
        })
    }

    /// Serves `resources/subscribe`.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let session = Arc::clone(call.session()?);
        let SubscribeParams { uri, .. } = call.read()?;
        check_length(&uri, &self.limits)?;
        let is_recursive = self.is_recursive(call);
        let (this, scope) = (Arc::clone(self), call.scope.clone());
        let subscribing = async move {
            let viewer = Viewer::of(&scope);
            let topics = &session.subscription.topics;
            topics.view(this.viewed(&viewer)?);
            // The resource need not exist yet.
            if !this
                .announcements
                .has_resource(&uri, &this.sources, &viewer)
            {
                // The features know only their own resources. With sources, the resource may be one
                // of theirs.
                if this.sources.is_plain() {
                    this.sources.features().metadata(&uri, &scope).await?;
                }
                let uri = printable(&uri);
                let why = format!("Invalid params: changes of {uri} are not reported");
                return Err(ProtocolError::invalid_params(why).into());
            }
            if let Some(storing) = session.change(SessionChange::Subscribe { uri, is_recursive })? {
                storing.await.map_err(Failure::of_server)?;
            }
            Ok(())
        };
        Ok(MethodAnswer::once(subscribing))
    }

    /// Serves `resources/unsubscribe`.
    pub(super) fn unsubscribe(&self, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        let session = Arc::clone(call.session()?);
        let UnsubscribeParams { uri, .. } = call.read()?;
        let storing = session.change(SessionChange::Unsubscribe(uri))?;
        Ok(MethodAnswer::after(storing))
    }

    /// Whether a client that subscribes should also get the changes of everything below its
    /// resources.
    fn is_recursive(&self, call: &MethodCall<'_>) -> bool {
        let meta = call.params.and_then(Object::meta);
        let asked = meta.as_ref().and_then(|meta| meta.get(RECURSIVE));
        asked == Some("true") && self.sources.features().resources.can_tell_below()
    }

    /// Removes the ids of tasks from a filter, and returns each once.
    fn take_tasks(
        &self,
        filter: &mut SubscriptionFilter,
        peer: &Peer,
    ) -> Result<Vec<String>, ProtocolError> {
        let Some(mut ids) = filter.task_ids.take() else {
            return Ok(Vec::new());
        };
        check_tasks(peer)?;
        let limit = self.limits.subscriptions.uris;
        if ids.len() > limit {
            let why = format!("Invalid params: a subscription to more than {limit} tasks");
            return Err(ProtocolError::invalid_params(why));
        }
        let mut seen = HashSet::new();
        ids.retain(|id| seen.insert(id.clone()));
        Ok(ids)
    }
}

/// The result that ends the subscription of the request `id`, a JSON token.
fn over(id: &str) -> EmptyResult {
    let id = serde_json::from_str(id).expect("an id is a JSON token");
    EmptyResult::new().meta(Meta::from_iter([(SUBSCRIPTION_ID, id)]))
}
