//! Asking the client before a request is answered.

use plainly_errors::{Mistake, ProtocolError};
use plainly_protocol::types::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams,
    ElicitResult, ElicitUrlParams, InputRequest, ListRootsParams, Root,
};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{
    Extract, PromptCall, PromptChannel, ResourceCall, ResourceChannel, ToolCall, ToolChannel,
};
use crate::asking::{AskError, InputResponse, Rounds, Subject, form_of};
use crate::failure::Failure;
use crate::given;
use crate::request::Scope;

/// Asks the client: its user, its model, or for its roots. The same code works for clients of every
/// revision that supports it.
///
/// ```
/// use plainly::protocol::types::{BooleanField, ElicitFormParams};
/// use plainly::{Ask, Failure, Tool};
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Confirmation {
///     sure: bool,
/// }
///
/// async fn delete_all(ask: Ask) -> Result<&'static str, Failure> {
///     let form = ElicitFormParams::new("Delete everything?")
///         .field("sure", BooleanField::new().title("I am sure"));
///     match ask.elicit("confirm", form).await?.accepted()? {
///         Some(Confirmation { sure: true }) => Ok("All is gone."),
///         Some(_) | None => Ok("Nothing was deleted."),
///     }
/// }
///
/// let tool = Tool::new("delete-all", delete_all);
/// ```
///
/// # How a question is sent
///
/// **A newer client is asked in rounds.** The server drops the handler where it waits, and answers
/// the request with the questions. When the client sends the request again with the answers, the
/// handler runs **again from the beginning**, and this time the question is answered at once. Any
/// code before a question therefore runs once in each round: ask first, then act. If an action must
/// happen only once in any case, the server has to remember it itself, because a client may send
/// the same request with the same answers more than once.
///
/// **An older client is asked with a request from the server**, while the handler waits. The
/// handler's deadline is suspended meanwhile.
///
/// Questions that are asked concurrently, with `tokio::join!` or `try_join!`, are sent together.
///
/// # Keys
///
/// Each question has a key that identifies its answer. The key is the same each time the handler
/// runs. If the handler uses a key again, that is another question (`confirm#2`). An answer belongs
/// to exactly one question: if the text of the question has changed since, it is asked again.
///
/// # Errors
///
/// A user who declines has answered. An [`AskError`] means that there is no answer. A client that
/// did not declare the capability is never asked; the error for that bypasses the model and goes to
/// the host, which must act. A handler that can work without the answer checks
/// [`capabilities`](Self::capabilities) first, or handles the error.
#[derive(Clone, Debug)]
pub struct Ask {
    scope: Scope,
}

impl Ask {
    /// The client's capabilities, which list the possible questions.
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.scope.peer().capabilities
    }

    /// Asks the user to fill in a form (Elicitation). Never use it for secrets, because the client
    /// sees them.
    pub async fn elicit(
        &self,
        key: &str,
        form: ElicitFormParams,
    ) -> Result<ElicitResult, AskError> {
        match self.ask(key, form.into()).await? {
            InputResponse::Elicited(result) => Ok(result),
            InputResponse::Said(_) | InputResponse::Roots(_) => Err(AskError::impossible()),
        }
    }

    /// Asks the user for a `T` with a form of its fields, whose documentation explains them.
    /// Returns `None` if the user declined or cancelled.
    ///
    /// The fields can be strings, numbers, booleans, enums without data, and lists of such enums;
    /// an `Option` is not required.
    ///
    /// ```
    /// use plainly::{Ask, AskError};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Confirmation {
    ///     /// Delete everything, for good
    ///     sure: bool,
    /// }
    ///
    /// async fn is_sure(ask: &Ask) -> Result<bool, AskError> {
    ///     let answer: Option<Confirmation> = ask.form("confirm", "Delete everything?").await?;
    ///     Ok(answer.is_some_and(|answer| answer.sure))
    /// }
    /// ```
    pub async fn form<T: DeserializeOwned + JsonSchema>(
        &self,
        key: &str,
        message: impl Into<String>,
    ) -> Result<Option<T>, AskError> {
        let form = form_of::<T>(message).map_err(|why| AskError::no_form(&why))?;
        let answer = self.elicit(key, form).await?;
        let read = answer.is_accepted().then(|| {
            // The user can accept a form without values if all its fields are optional.
            given::read_value(&json!(answer.content.unwrap_or_default()))
        });
        let unreadable = |mistake: Mistake| AskError::unreadable(key, &mistake.to_string());
        read.transpose().map_err(unreadable)
    }

    /// Asks the user to visit `url`, with `message` as the reason (Elicitation, "URL Mode").
    /// Acceptance means that the user opened the URL, not that the interaction there is complete.
    ///
    /// The URL must not grant access by itself. The server must verify that the user who opens it
    /// is the user who was asked.
    pub async fn visit(
        &self,
        key: &str,
        url: impl Into<String>,
        message: impl Into<String>,
    ) -> Result<ElicitAction, AskError> {
        let visit = ElicitUrlParams::new(url, message);
        match self.ask(key, visit.into()).await? {
            InputResponse::Elicited(result) => Ok(result.action),
            InputResponse::Said(_) | InputResponse::Roots(_) => Err(AskError::impossible()),
        }
    }

    /// Asks the client's model (Sampling).
    pub async fn sample(
        &self,
        key: &str,
        params: CreateMessageParams,
    ) -> Result<CreateMessageResult, AskError> {
        match self.ask(key, params.into()).await? {
            InputResponse::Said(result) => Ok(result),
            InputResponse::Elicited(_) | InputResponse::Roots(_) => Err(AskError::impossible()),
        }
    }

    /// Asks for the roots: the locations in the file system that the server may use (Roots).
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>, AskError> {
        match self.ask(key, ListRootsParams::new().into()).await? {
            InputResponse::Roots(result) => Ok(result.roots),
            InputResponse::Elicited(_) | InputResponse::Said(_) => Err(AskError::impossible()),
        }
    }

    async fn ask(&self, key: &str, question: InputRequest) -> Result<InputResponse, AskError> {
        self.scope.ask(key, question).await
    }

    /// Prepares questions for a request about `subject`. Without a subject the request can't be
    /// answered with questions.
    pub(crate) fn of(
        scope: &Scope,
        subject: Option<&Subject<'_>>,
        arguments: &str,
    ) -> Result<Self, ProtocolError> {
        // Without a subject, every question fails with an error that it is impossible.
        if let Some(subject) = subject {
            let rounds = match scope.session() {
                Some(_) => None,
                None => Some(Rounds::of(scope.peer(), subject, arguments)?),
            };
            scope.questions().begin(subject.seals.questions, rounds);
        }
        Ok(Self {
            scope: scope.clone(),
        })
    }
}

impl Extract<ToolChannel> for Ask {
    fn extract(call: &ToolCall<'_>) -> Result<Self, Failure> {
        Ok(Self::of(call.scope, Some(&call.subject), call.arguments)?)
    }
}

impl Extract<PromptChannel> for Ask {
    fn extract(call: &PromptCall<'_>) -> Result<Self, Failure> {
        let arguments = serde_json::to_string(call.arguments)?;
        Ok(Self::of(call.scope, Some(&call.subject), &arguments)?)
    }
}

impl Extract<ResourceChannel> for Ask {
    fn extract(call: &ResourceCall<'_>) -> Result<Self, Failure> {
        Ok(Self::of(call.scope, call.subject.as_ref(), "{}")?)
    }
}
