//! Subscriptions to changes, and the notifications of them (Subscriptions; Resources, "Subscriptions"): the filter of
//! `subscriptions/listen` and its acknowledgement, `resources/subscribe` and `unsubscribe` of older revisions, and the
//! notifications of both. How a subscription is kept, and who may have which, is decided elsewhere.

use super::common::or_default;
use super::record::record;
use crate::id::RequestId;

/// The key in the `_meta` of a subscription to resources that asks for changes of all that is below them too.
pub const RECURSIVE: &str = "dev.plainly/recursive";

record! {
    /// The kinds of change that a client subscribes to. An absent one is not asked for.
    #[derive(Eq, Default)]
    pub struct SubscriptionFilter {
        /// Changes of the list of tools.
        pub tools_list_changed: Option<bool>,
        /// Changes of the list of prompts.
        pub prompts_list_changed: Option<bool>,
        /// Changes of the list of resources.
        pub resources_list_changed: Option<bool>,
        /// Changes of one of these resources.
        #[no_setter]
        pub resource_subscriptions: Option<Vec<String>>,
        /// Progress of one of these tasks (extension `io.modelcontextprotocol/tasks`).
        #[no_setter]
        pub task_ids: Option<Vec<String>>,
    }

    /// Asks for nothing yet.
    pub fn new();
}

impl SubscriptionFilter {
    /// Sets the resources whose changes are wanted.
    #[must_use]
    pub fn resource_subscriptions<S: Into<String>>(
        mut self,
        uris: impl IntoIterator<Item = S>,
    ) -> Self {
        self.resource_subscriptions = Some(uris.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the tasks to report.
    #[must_use]
    pub fn task_ids<S: Into<String>>(mut self, ids: impl IntoIterator<Item = S>) -> Self {
        self.task_ids = Some(ids.into_iter().map(Into::into).collect());
        self
    }
}

record! {
    /// The parameters of `subscriptions/listen`, from 2026-07-28.
    #[derive(Eq)]
    pub struct ListenParams {
        /// The changes that the client wants to hear of.
        pub notifications: SubscriptionFilter,
    }

    /// Asks for these.
    pub fn new(notifications: SubscriptionFilter);
}

record! {
    /// The `_meta` of notifications on a subscription: its id, from 2026-07-28.
    #[derive(Eq, Default)]
    pub struct SubscriptionMeta {
        /// The id of the `subscriptions/listen` request.
        #[serde(rename = "io.modelcontextprotocol/subscriptionId")]
        #[no_setter]
        pub subscription_id: Option<RequestId>,
    }
}

impl SubscriptionMeta {
    /// The `_meta` of the subscription that the request `id` opened.
    pub fn new(id: impl Into<RequestId>) -> Self {
        Self {
            subscription_id: Some(id.into()),
        }
    }
}

record! {
    /// The parameters of `notifications/subscriptions/acknowledged`, from 2026-07-28.
    #[derive(Eq)]
    pub struct AcknowledgedParams {
        /// The subscription that this is about.
        #[serde(rename = "_meta", default, deserialize_with = "or_default")]
        pub meta: SubscriptionMeta,
        /// The changes that the server will report: no more than were requested.
        pub notifications: SubscriptionFilter,
    }
}

impl AcknowledgedParams {
    /// Promises these to the subscription that the request `id` opened.
    pub fn new(id: impl Into<RequestId>, notifications: SubscriptionFilter) -> Self {
        Self {
            meta: SubscriptionMeta::new(id),
            notifications,
        }
    }
}

record! {
    /// The parameters of `notifications/resources/updated`.
    #[derive(Eq)]
    pub struct ResourceUpdatedParams {
        /// The subscription that it is sent on; from 2026-07-28.
        #[serde(
            rename = "_meta",
            default,
            deserialize_with = "or_default",
            skip_serializing_if = "SubscriptionMeta::is_empty"
        )]
        pub meta: SubscriptionMeta,
        /// The resource that changed, or is no longer there: one that was subscribed to, or one inside of it.
        pub uri: String,
    }
}

impl ResourceUpdatedParams {
    /// Names the resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self {
            meta: SubscriptionMeta::default(),
            uri: uri.into(),
        }
    }

    /// Sets the subscription: the id of the `subscriptions/listen` request.
    #[must_use]
    pub fn subscription(mut self, id: impl Into<RequestId>) -> Self {
        self.meta = SubscriptionMeta::new(id);
        self
    }
}

record! {
    /// The parameters of `notifications/resources/list_changed`, `notifications/tools/list_changed` and
    /// `notifications/prompts/list_changed`. Before 2026-07-28 there are mostly none.
    #[derive(Eq, Default)]
    pub struct ListChangedParams {
        /// The subscription that it is sent on; from 2026-07-28.
        #[serde(
            rename = "_meta",
            default,
            deserialize_with = "or_default",
            skip_serializing_if = "SubscriptionMeta::is_empty"
        )]
        pub meta: SubscriptionMeta,
    }
}

impl ListChangedParams {
    /// On no subscription.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the subscription: the id of the `subscriptions/listen` request.
    #[must_use]
    pub fn subscription(mut self, id: impl Into<RequestId>) -> Self {
        self.meta = SubscriptionMeta::new(id);
        self
    }
}

impl SubscriptionMeta {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

record! {
    /// The result of `subscriptions/listen`, from 2026-07-28: the server has ended the subscription in good order.
    #[derive(Eq)]
    pub struct ListenResult {
        /// The subscription that has ended.
        #[serde(rename = "_meta", default, deserialize_with = "or_default")]
        pub meta: SubscriptionMeta,
    }
}

impl ListenResult {
    /// The end of the subscription that the request `id` opened.
    pub fn new(id: impl Into<RequestId>) -> Self {
        Self {
            meta: SubscriptionMeta::new(id),
        }
    }
}

record! {
    /// The parameters of `resources/subscribe`, up to 2025-11-25.
    #[derive(Eq)]
    pub struct SubscribeParams {
        /// The resource that is meant.
        pub uri: String,
    }

    /// Names the resource.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The parameters of `resources/unsubscribe`, up to 2025-11-25.
    #[derive(Eq)]
    pub struct UnsubscribeParams {
        /// The resource that is meant.
        pub uri: String,
    }

    /// Names the resource.
    pub fn new(uri: impl Into<String>);
}
