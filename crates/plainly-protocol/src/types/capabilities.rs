//! The capabilities that each side declares. One struct for each side holds those of all revisions;
//! it does not say which of them a revision allows.

use serde_json::Value;

use super::json::JsonObject;
use super::record::record;

record! {
    /// The capabilities of a server (Lifecycle, "Capability Negotiation"). A capability that is
    /// present is offered, even if it is empty.
    #[derive(Default)]
    pub struct ServerCapabilities {
        /// Completion of arguments; from 2025-03-26.
        pub completions: Option<JsonObject>,
        /// Unstandardised capabilities by name.
        pub experimental: Option<JsonObject>,
        /// Extensions by identifier, each with its settings; from 2026-07-28.
        pub extensions: Option<JsonObject>,
        /// Log messages.
        pub logging: Option<JsonObject>,
        /// Prompts.
        pub prompts: Option<ListCapability>,
        /// Resources.
        pub resources: Option<ResourcesCapability>,
        /// Tasks, as 2025-11-25 had them.
        pub tasks: Option<JsonObject>,
        /// Tools.
        pub tools: Option<ListCapability>,
    }

    /// No capability at all.
    pub fn new();
}

impl ServerCapabilities {
    /// The settings of an extension, if the server declares it.
    #[must_use]
    pub fn extension(&self, identifier: &str) -> Option<&Value> {
        let settings = self.extensions.as_ref()?.get(identifier)?;
        settings.is_object().then_some(settings)
    }
}

record! {
    /// The capabilities of a client (Lifecycle, "Capability Negotiation"). A capability that is
    /// present is offered, even if it is empty.
    #[derive(Default)]
    pub struct ClientCapabilities {
        /// Questions to the user; from 2025-06-18.
        pub elicitation: Option<ElicitationCapability>,
        /// Unstandardised capabilities by name.
        pub experimental: Option<JsonObject>,
        /// Extensions by identifier, each with its settings; from 2026-07-28.
        pub extensions: Option<JsonObject>,
        /// Roots.
        pub roots: Option<ListCapability>,
        /// Sampling from the client's model.
        pub sampling: Option<SamplingCapability>,
        /// Tasks, as 2025-11-25 had them.
        pub tasks: Option<JsonObject>,
    }

    /// No capability at all.
    pub fn new();
}

impl ClientCapabilities {
    /// The settings of an extension, if the client declares it.
    #[must_use]
    pub fn extension(&self, identifier: &str) -> Option<&Value> {
        let settings = self.extensions.as_ref()?.get(identifier)?;
        settings.is_object().then_some(settings)
    }
}

record! {
    /// A capability for a list: prompts and tools of a server, roots of a client.
    #[derive(Default)]
    pub struct ListCapability {
        /// Whether notifications report changes of the list.
        pub list_changed: Option<bool>,
    }

    /// The capability without notifications.
    pub fn new();
}

record! {
    /// The server's `resources` capability (Resources, "Capabilities").
    #[derive(Default)]
    pub struct ResourcesCapability {
        /// Whether clients can subscribe to changes of one resource.
        pub subscribe: Option<bool>,
        /// Whether notifications report changes of the list.
        pub list_changed: Option<bool>,
    }

    /// The capability without subscriptions and notifications.
    pub fn new();
}

record! {
    /// The client's `elicitation` capability (Elicitation, "Capabilities").
    #[derive(Default)]
    pub struct ElicitationCapability {
        /// Forms, declared explicitly.
        pub form: Option<JsonObject>,
        /// Visits to a URL; from 2025-11-25.
        pub url: Option<JsonObject>,
    }

    /// The empty object, which means forms only.
    pub fn new();
}

impl ElicitationCapability {
    /// Whether forms are offered: if they are declared, or if nothing is, as in the empty object of
    /// older revisions.
    #[must_use]
    pub fn offers_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether visits to a URL are offered.
    #[must_use]
    pub fn offers_url(&self) -> bool {
        self.url.is_some()
    }
}

record! {
    /// The client's `sampling` capability (Sampling, "Capabilities").
    #[derive(Default)]
    pub struct SamplingCapability {
        /// Inclusion of context from servers.
        pub context: Option<JsonObject>,
        /// Use of tools; from 2025-11-25.
        pub tools: Option<JsonObject>,
    }

    /// Sampling without context and tools.
    pub fn new();
}
