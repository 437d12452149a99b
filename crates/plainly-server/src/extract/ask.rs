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

/// Asks the client: its user, its model, or for its roots. The same code works for clients of every revision that can be
/// asked.
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
/// **A newer client is asked in rounds.** The handler is dropped where it waits, and the request is answered with the
/// questions. When the client sends it again with the answers, the handler runs **again from the beginning**, and this
/// time the question is answered at once. Anything before a question therefore happens once in each round: ask first,
/// then act. If something must happen only once in any case, the server has to remember it itself, because a client may
/// send the same request with the same answers more than once.
///
/// **An older client is asked with a request from the server**, while the handler waits. The handler's deadline is
/// suspended meanwhile.
///
/// Questions that are asked concurrently, with `tokio::join!` or `try_join!`, are sent together.
///
/// # Keys
///
/// Each question has a key that identifies its answer: the same each time the handler runs. If the handler uses a key
/// again, that is another question (`confirm#2`). An answer belongs to exactly that question: if its text has changed
/// since, it is asked again.
///
/// # Errors
///
/// A user who declines has answered. An [`AskError`] means that there is no answer. A client that did not declare the
/// capability is never asked; the error for that bypasses the model and goes to the host, which must act. A handler that
/// can do without the answer checks [`capabilities`](Self::capabilities) first, or handles the error.
#[derive(Clone, Debug)]
pub struct Ask {
    scope: Scope,
}

impl Ask {
    /// The client's capabilities, which list the possible questions.
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.scope.peer().capabilities
    }

    /// Asks the user to fill in a form (Elicitation). Never for secrets: the client sees them.
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

    /// Asks the user for a `T`: a form with its fields, whose documentation explains them. Returns
    /// `None` if the user declined or cancelled.
    ///
    /// The fields can be strings, numbers, booleans, enums without data, and lists of such enums; an `Option` is not
    /// required.
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
            // A form whose fields may all be left out can be accepted without any.
            given::read_value(&json!(answer.content.unwrap_or_default()))
        });
        let unreadable = |mistake: Mistake| AskError::unreadable(key, &mistake.to_string());
        read.transpose().map_err(unreadable)
    }

    /// Asks the user to visit `url`, with `message` as the reason (Elicitation, "URL Mode"). Acceptance means that the
    /// user went there, not that everything there is done.
    ///
    /// The URL must not grant access by itself, and whoever opens it must be verified to be the user who was asked.
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

    /// Asks for the roots: where in the file system the server may work (Roots).
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>, AskError> {
        match self.ask(key, ListRootsParams::new().into()).await? {
            InputResponse::Roots(result) => Ok(result.roots),
            InputResponse::Elicited(_) | InputResponse::Said(_) => Err(AskError::impossible()),
        }
    }

    async fn ask(&self, key: &str, question: InputRequest) -> Result<InputResponse, AskError> {
        self.scope.ask(key, question).await
    }

    /// Prepares asking for a request about `subject`; without one the request can't be answered with questions.
    pub(crate) fn of(
        scope: &Scope,
        subject: Option<&Subject<'_>>,
        arguments: &str,
    ) -> Result<Self, ProtocolError> {
        // Without one, whoever asks is told that it is impossible.
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
