//! Tools as a client sees them: listed and called.

use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CallToolParams, CallToolResult, ListToolsParams, ListToolsResult, Tool,
};
use serde::Serialize;
use serde_json::value::to_raw_value;

use super::error::LocalError;
use super::pages::Pages;
use super::{Client, Result};

impl Client {
    /// One page of `tools/list`.
    pub async fn list_tools(&self, params: &ListToolsParams) -> Result<ListToolsResult> {
        Ok(self.call(Method::ListTools, params).await?.body)
    }

    /// All tools, page after page. Whole or an error, like [`resources`](Self::resources).
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        let mut params = ListToolsParams::new();
        let mut pages = Pages::of(Method::ListTools.name());
        let mut tools = Vec::new();
        loop {
            let page = self.list_tools(&params).await?;
            tools.extend(page.tools);
            params.cursor = pages.after(page.next_cursor)?;
            if params.cursor.is_none() {
                return Ok(tools);
            }
        }
    }

    /// Calls a tool (`tools/call`). `arguments` must be written as a JSON object; `()` stands for none.
    ///
    /// A tool that fails is no `Err`: look at [`CallToolResult::is_tool_error`].
    ///
    /// # Errors
    ///
    /// [`LocalError::Parameters`] if the arguments are no JSON object; nothing was sent then.
    pub async fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Result<CallToolResult> {
        let method = Method::CallTool;
        let wrong = |source| LocalError::Parameters {
            method: method.name(),
            source,
        };
        let arguments = to_raw_value(&arguments).map_err(|error| wrong(Some(error)))?;
        let name = name.into();
        let params = CallToolParams::new(name.as_str());
        let params = match arguments.get() {
            "null" => params,
            text if text.starts_with('{') => params.arguments(&arguments),
            _ => return Err(wrong(None).into()),
        };
        Ok(self.call(method, &params).await?.body)
    }
}
