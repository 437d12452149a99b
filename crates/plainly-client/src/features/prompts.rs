//! Prompts on the client's side: listing them, getting them, and completing their arguments.

use plainly_protocol::method::Method;
use plainly_protocol::types::{
    Arguments, CompleteParams, CompleteResult, Completion, GetPromptParams, GetPromptResult,
    ListPromptsParams, ListPromptsResult, Prompt,
};

use crate::call::Call;
use crate::connect::Client;
use crate::error::Result;
use crate::features::pages::ListingPage;

impl Client {
    /// One page of `prompts/list`. An unreadable prompt is left out, and named in a warning in the
    /// log.
    pub async fn list_prompts(&self, params: &ListPromptsParams) -> Result<ListPromptsResult> {
        Ok(self.prompts_page(params).await?.body)
    }

    /// All prompts, of all pages. Complete or an error, like [`resources`](Self::resources).
    pub async fn prompts(&self) -> Result<Vec<Prompt>> {
        self.all_pages(Method::ListPrompts, |cursor| async move {
            let mut params = ListPromptsParams::new();
            params.cursor = cursor;
            let page = self.prompts_page(&params).await?;
            Ok(page.map(|body| (body.prompts, body.next_cursor)))
        })
        .await
    }

    async fn prompts_page(
        &self,
        params: &ListPromptsParams,
    ) -> Result<ListingPage<ListPromptsResult>> {
        self.page(Method::ListPrompts, "prompts", params).await
    }

    /// A prompt, filled in with these arguments (`prompts/get`); use `()` for none.
    ///
    /// # Errors
    ///
    /// An error for which [`is_prompt_not_found`](crate::Error::is_prompt_not_found) holds, if
    /// there is no such prompt. One for which
    /// [`is_invalid_params`](crate::Error::is_invalid_params) holds, if the prompt requires other
    /// arguments.
    pub fn prompt(
        &self,
        name: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Call<GetPromptResult> {
        let method = Method::GetPrompt;
        let mut params = GetPromptParams::new(name);
        params.arguments = Some(arguments.into()).filter(|arguments| !arguments.is_empty());
        Call::new(self, method, Ok(params), move |result| {
            Ok(result.decode(method)?.body)
        })
    }

    /// Completes an argument of a prompt or of a resource template (`completion/complete`).
    pub async fn complete(&self, params: &CompleteParams) -> Result<Completion> {
        let answer = self.call::<CompleteResult>(Method::Complete, params);
        Ok(answer.await?.body.completion)
    }
}
