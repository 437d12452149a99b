//! The handlers that answer the server's questions, and how often the server may ask.

use std::future::Future;

use plainly_errors::{ProtocolError, UrlElicitation};
use plainly_protocol::types::{
    CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams, ElicitResult,
    ElicitUrlParams, Root,
};

use super::Builder;

/// The questions that a server may ask, in every revision that has them. A handler's capability is
/// declared automatically. Questions are answered concurrently, and the timeout of a call is
/// suspended meanwhile. A handler that panics counts as a refusal.
impl<T> Builder<T> {
    /// Lets `answer` fill in forms (Elicitation). The user must be able to see the server's name,
    /// to change the answer and to decline.
    ///
    /// ```no_run
    /// use plainly::Client;
    /// use plainly::protocol::types::{ElicitFormParams, ElicitResult};
    ///
    /// async fn ask_user(form: ElicitFormParams) -> ElicitResult {
    ///     println!("{}", form.message);
    ///     ElicitResult::decline()
    /// }
    ///
    /// # async fn example() -> plainly::client::Result<()> {
    /// let client = Client::http("https://example.com/mcp").on_elicitation(ask_user).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_elicitation<F>(
        mut self,
        answer: impl Fn(ElicitFormParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ElicitResult> + Send + 'static,
    {
        self.options.handlers.on_form(answer);
        self.declare()
    }

    /// Lets `answer` send the user to URLs (Elicitation, URL mode). It must show the whole URL,
    /// open it only if the user agrees, and neither fetch it nor inspect what happens there.
    /// [`Accept`](ElicitAction::Accept) means that the user agreed, not that the visit is over.
    pub fn on_visit<F>(
        mut self,
        answer: impl Fn(ElicitUrlParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ElicitAction> + Send + 'static,
    {
        self.options.handlers.on_visit(answer);
        self.declare()
    }

    /// Lets `answer` send the user to all of these URLs, as [`on_visit`](Self::on_visit) does,
    /// which declares this capability. A server of 2025-11-25 requires the visits before it answers
    /// a call ([`is_url_elicitation_required`](crate::Error::is_url_elicitation_required)).
    /// `answer` returns whether the user is done at all URLs; it is dropped when the server reports
    /// that the user is done. Then the call is repeated; otherwise it ends with the error. A call
    /// that is refused for the same visits again ends with the error, too.
    pub fn on_required_visits<F>(
        mut self,
        answer: impl Fn(Vec<UrlElicitation>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        self.options.handlers.on_required_visits(answer);
        self
    }

    /// Lets `answer` ask the model (Sampling). A user should be able to refuse. A refusal is an
    /// error, like any other reason why there is no answer. [Declare](Self::capabilities) whether
    /// requests may include tools.
    pub fn on_sampling<F>(
        mut self,
        answer: impl Fn(CreateMessageParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<CreateMessageResult, ProtocolError>> + Send + 'static,
    {
        self.options.handlers.on_sampling(answer);
        self.declare()
    }

    /// Sends these roots to servers that ask for them (Roots).
    pub fn roots(self, roots: impl Into<Vec<Root>>) -> Self {
        let roots = roots.into();
        self.on_roots(move || std::future::ready(roots.clone()))
    }

    /// Lets `answer` provide the roots for servers that ask for them (Roots).
    pub fn on_roots<F>(mut self, answer: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Vec<Root>> + Send + 'static,
    {
        self.options.handlers.on_roots(answer);
        self.declare()
    }

    /// Declares the capabilities that follow from the handlers.
    pub(super) fn declare(mut self) -> Self {
        let declared = &mut self.options.introduction.capabilities;
        *declared = self.options.handlers.declare(std::mem::take(declared));
        self
    }
}
