//! Questions to the user (Elicitation): forms that the client shows, and URLs that the user visits,
//! whose pages the client does not see.

use std::borrow::Cow;

use serde::de::{DeserializeOwned, Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::form::{Field, FormSchema};
use super::json::{JsonObject, Meta, RawJson};
use super::record::{record, variants};

/// The parameters of `elicitation/create`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitParams {
    /// A form to fill in; from 2025-06-18.
    Form(ElicitFormParams),
    /// A URL to visit; from 2025-11-25.
    Url(ElicitUrlParams),
}

variants!(ElicitParams: Form(ElicitFormParams), Url(ElicitUrlParams));

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(form) => form.serialize(serializer),
            Self::Url(visit) => visit.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Mode<'a> {
            #[serde(borrow)]
            mode: Option<Cow<'a, str>>,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let read = |text| {
            let mode: Mode<'_> = serde_json::from_str(text)?;
            match mode.mode.as_deref() {
                Some("url") => serde_json::from_str(text).map(Self::Url),
                // That type rejects any other mode.
                Some(_) | None => serde_json::from_str(text).map(Self::Form),
            }
        };
        read(raw.get()).map_err(D::Error::custom)
    }
}

record! {
    /// Asks the user to fill in a form: the parameters of `elicitation/create` with `mode: form`;
    /// from 2025-06-18.
    ///
    /// ```
    /// use plainly_protocol::types::{BooleanField, ChoiceField, ElicitFormParams, NumberField, TextField};
    ///
    /// let form = ElicitFormParams::new("Where shall it go?")
    ///     .field("name", TextField::new().max_length(80))
    ///     .field("speed", ChoiceField::new([("a", "By air"), ("s", "By sea")]).default_value("s"))
    ///     .optional("copies", NumberField::integer().minimum(1).default_value(1))
    ///     .optional("insured", BooleanField::new());
    /// assert_eq!(form.requested_schema.required, ["name", "speed"]);
    /// ```
    ///
    /// Never ask for secrets: the client sees the values that the user fills in.
    pub struct ElicitFormParams {
        /// The mode `form`; from 2025-11-25. Absent means the same.
        #[no_setter]
        pub mode: Option<FormMode>,
        /// The reason for the question, for the user.
        pub message: String,
        /// The fields to fill in.
        pub requested_schema: FormSchema,
    }
}

/// The mode that the parameters of a form name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "another mode has other parameters")]
pub enum FormMode {
    /// `form`
    Form,
}

impl ElicitFormParams {
    /// A form without fields, with `message` as the reason.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            mode: Some(FormMode::Form),
            message: message.into(),
            requested_schema: FormSchema::new(),
        }
    }

    /// Adds a required field, or replaces the field with this name.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, field: impl Into<Field>) -> Self {
        self.requested_schema = self.requested_schema.field(name, field);
        self
    }

    /// Adds an optional field, or replaces the field with this name.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<Field>) -> Self {
        self.requested_schema = self.requested_schema.optional(name, field);
        self
    }
}

record! {
    /// Asks the user to visit a URL: the parameters of `elicitation/create` with `mode: url`; from
    /// 2025-11-25.
    #[derive(Eq)]
    #[serde(tag = "mode", rename = "url")]
    pub struct ElicitUrlParams {
        /// The reason for the visit, for the user.
        pub message: String,
        /// The URL to visit.
        pub url: String,
        /// The id of the visit in the notification that it is over. 2025-11-25 requires it; later
        /// revisions have none.
        pub elicitation_id: Option<String>,
    }

    /// Asks the user to visit `url`, with `message` as the reason.
    pub fn new(url: impl Into<String>, message: impl Into<String>);
}

record! {
    /// The user's answer to a question: the result of `elicitation/create`.
    pub struct ElicitResult {
        /// The action that the user took.
        pub action: ElicitAction,
        /// The values filled in, if the user accepted a form.
        #[no_setter]
        pub content: Option<JsonObject>,
        /// Metadata of the result; until 2025-11-25.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// An answer with this action and no values.
    pub fn new(action: ElicitAction);
}

/// The action that the user took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ElicitAction {
    /// The user agreed, and filled in the form if there was one. A visit may still be in progress.
    Accept,
    /// The user declined.
    Decline,
    /// The user dismissed the question without a choice.
    Cancel,
}

impl ElicitResult {
    /// The user accepted, and filled in `content`.
    ///
    /// ```
    /// use plainly_protocol::types::ElicitResult;
    ///
    /// let result = ElicitResult::accept([("name", "Ada".into()), ("age", 36.into())].into());
    /// assert!(result.is_accepted());
    /// ```
    #[must_use]
    pub fn accept(content: JsonObject) -> Self {
        Self {
            content: Some(content),
            ..Self::new(ElicitAction::Accept)
        }
    }

    /// The user declined.
    #[must_use]
    pub fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// The user dismissed the question without an answer.
    #[must_use]
    pub fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }

    /// Whether the user accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.action == ElicitAction::Accept
    }

    /// The values filled in, as `T`; `None` if the user did not accept. An accepted answer without
    /// content counts as an empty form.
    ///
    /// ```
    /// use plainly_protocol::types::ElicitResult;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Confirmation {
    ///     yes: bool,
    /// }
    ///
    /// let result: ElicitResult = serde_json::from_str(r#"{"action":"accept","content":{"yes":true}}"#)?;
    /// assert!(result.accepted::<Confirmation>()?.is_some_and(|answer| answer.yes));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn accepted<T: DeserializeOwned>(&self) -> serde_json::Result<Option<T>> {
        if !self.is_accepted() {
            return Ok(None);
        }
        match &self.content {
            // Through text, so that an error has a position and numbers are read as on the wire.
            Some(content) => RawJson::encode(content)?.decode().map(Some),
            // The user can accept a form without values if all its fields are optional.
            None => serde_json::from_str("{}").map(Some),
        }
    }
}

record! {
    /// The parameters of `notifications/elicitation/complete`, which reports that a visit is over
    /// (2025-11-25).
    #[derive(Eq)]
    pub struct ElicitationCompleteParams {
        /// The id of the visit.
        pub elicitation_id: String,
    }

    /// Reports that the visit with this id is over.
    pub fn new(elicitation_id: impl Into<String>);
}
