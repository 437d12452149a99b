//! What each side says it can do. One struct a side holds the capabilities of all revisions: which of them may be sent
//! to whom is not decided here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::JsonObject;
use super::setters::setters;

/// What a server offers (Lifecycle, "Capability Negotiation"). A capability that is present is offered, even if empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// Completion of arguments; from 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<JsonObject>,
    /// Unstandardised capabilities by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<JsonObject>,
    /// Extensions by identifier, each with its settings; from 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<JsonObject>,
    /// Log messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logging: Option<JsonObject>,
    /// Prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ListCapability>,
    /// Resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// Tasks, as 2025-11-25 had them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<JsonObject>,
    /// Tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ListCapability>,
}

impl ServerCapabilities {
    /// No capability at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The settings of an extension, if the server declares it.
    #[must_use]
    pub fn extension(&self, identifier: &str) -> Option<&Value> {
        self.extensions.as_ref()?.get(identifier)
    }

    setters! {
        /// Declares completion of arguments.
        completions: JsonObject;
        /// Sets the unstandardised capabilities.
        experimental: JsonObject;
        /// Sets the extensions.
        extensions: JsonObject;
        /// Declares log messages.
        logging: JsonObject;
        /// Declares prompts.
        prompts: ListCapability;
        /// Declares resources.
        resources: ResourcesCapability;
        /// Declares tasks.
        tasks: JsonObject;
        /// Declares tools.
        tools: ListCapability;
    }
}

/// What a client offers (Lifecycle, "Capability Negotiation"). A capability that is present is offered, even if empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// Questions to the user; from 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// Unstandardised capabilities by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<JsonObject>,
    /// Extensions by identifier, each with its settings; from 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<JsonObject>,
    /// Roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<ListCapability>,
    /// Sampling from the client's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// Tasks, as 2025-11-25 had them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<JsonObject>,
}

impl ClientCapabilities {
    /// No capability at all.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The settings of an extension, if the client declares it.
    #[must_use]
    pub fn extension(&self, identifier: &str) -> Option<&Value> {
        self.extensions.as_ref()?.get(identifier)
    }

    setters! {
        /// Declares questions to the user.
        elicitation: ElicitationCapability;
        /// Sets the unstandardised capabilities.
        experimental: JsonObject;
        /// Sets the extensions.
        extensions: JsonObject;
        /// Declares roots.
        roots: ListCapability;
        /// Declares sampling.
        sampling: SamplingCapability;
        /// Declares tasks.
        tasks: JsonObject;
    }
}

/// A capability whose subject is a list: prompts and tools of a server, roots of a client.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListCapability {
    /// Whether changes of the list are notified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
}

impl ListCapability {
    /// The capability without notifications.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets whether changes of the list are notified.
        list_changed: bool;
    }
}

/// The server's `resources` capability (Resources, "Capabilities").
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourcesCapability {
    /// Whether changes of one resource can be subscribed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// Whether changes of the list are notified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
}

impl ResourcesCapability {
    /// The capability without subscriptions and notifications.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets whether changes of one resource can be subscribed to.
        subscribe: bool;
        /// Sets whether changes of the list are notified.
        list_changed: bool;
    }
}

/// The client's `elicitation` capability (Elicitation, "Capabilities").
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// Forms, declared in so many words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<JsonObject>,
    /// Visits to a URL; from 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<JsonObject>,
}

impl ElicitationCapability {
    /// The empty object, which means forms only.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether forms are offered: if they are declared, or nothing is (the empty object of older revisions).
    #[must_use]
    pub fn offers_form(&self) -> bool {
        self.form.is_some() || self.url.is_none()
    }

    /// Whether visits to a URL are offered.
    #[must_use]
    pub fn offers_url(&self) -> bool {
        self.url.is_some()
    }

    setters! {
        /// Declares forms.
        form: JsonObject;
        /// Declares visits to a URL.
        url: JsonObject;
    }
}

/// The client's `sampling` capability (Sampling, "Capabilities").
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingCapability {
    /// Inclusion of context from servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<JsonObject>,
    /// Use of tools; from 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<JsonObject>,
}

impl SamplingCapability {
    /// Sampling without context and tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Declares inclusion of context.
        context: JsonObject;
        /// Declares use of tools.
        tools: JsonObject;
    }
}
