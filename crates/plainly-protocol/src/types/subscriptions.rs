//! Subscriptions to changes, and their notifications (Subscriptions; Resources, "Subscriptions"):
//! the filter of `subscriptions/listen` and its acknowledgement, `resources/subscribe` and
//! `unsubscribe` of older revisions, and the notifications of both. Other code stores and
//! authorizes subscriptions.

use super::common::or_default;
use super::record::record;
use crate::id::RequestId;

/// The key in the `_meta` of a subscription to resources that also requests changes of everything
/// below them.
pub const RECURSIVE: &str = "dev.plainly/recursive";

record! {
    /// The kinds of change that a client subscribes to. An absent kind is not requested.
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

    /// A filter that requests nothing.
    pub fn new();
}

impl SubscriptionFilter {
    /// Sets the resources whose changes to report.
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
        /// The changes that the client wants to be notified of.
        pub notifications: SubscriptionFilter,
    }

    /// Requests these changes.
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
        /// The subscription that is acknowledged.
        #[serde(rename = "_meta", default, deserialize_with = "or_default")]
        pub meta: SubscriptionMeta,
        /// The changes that the server will report, which are at most the requested ones.
        pub notifications: SubscriptionFilter,
    }
}

impl AcknowledgedParams {
    /// Acknowledges these changes for the subscription that the request `id` opened.
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
        /// The subscription that the notification belongs to; from 2026-07-28.
        #[serde(
            rename = "_meta",
            default,
            deserialize_with = "or_default",
            skip_serializing_if = "SubscriptionMeta::is_empty"
        )]
        pub meta: SubscriptionMeta,
        /// The resource that changed or was removed: one with a subscription, or one inside it.
        pub uri: String,
    }
}

impl ResourceUpdatedParams {
    /// Reports a change of the resource with this URI.
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
    /// The parameters of `notifications/resources/list_changed`, `notifications/tools/list_changed`
    /// and `notifications/prompts/list_changed`. Before 2026-07-28 they are usually absent.
    #[derive(Eq, Default)]
    pub struct ListChangedParams {
        /// The subscription that the notification belongs to; from 2026-07-28.
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
    /// Parameters without a subscription.
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
    /// The result of `subscriptions/listen`, from 2026-07-28. It means that the server ended the
    /// subscription normally.
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
        /// The URI of the resource.
        pub uri: String,
    }

    /// Subscribes to the resource with this URI.
    pub fn new(uri: impl Into<String>);
}

record! {
    /// The parameters of `resources/unsubscribe`, up to 2025-11-25.
    #[derive(Eq)]
    pub struct UnsubscribeParams {
        /// The URI of the resource.
        pub uri: String,
    }

    /// Unsubscribes from the resource with this URI.
    pub fn new(uri: impl Into<String>);
}
