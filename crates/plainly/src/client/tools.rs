//! Tools as a client sees them: listed and called.

use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CallToolParams, CallToolResult, ListToolsParams, ListToolsResult, Tool,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::error::LocalError;
use super::pages::Pages;
use super::rounds::Call;
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
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<CallToolResult> {
        let method = Method::CallTool;
        let params = tool_params(&name.into(), &arguments);
        Call::new(self, method, params, move |result| {
            Ok(result.decode(method.name())?.body)
        })
    }
}

/// The parameters of such a call, as JSON.
fn tool_params(name: &str, arguments: &impl Serialize) -> Result<Box<RawValue>> {
    let wrong = |source| LocalError::Parameters {
        method: Method::CallTool.name(),
        source,
    };
    let arguments = to_raw_value(arguments).map_err(|error| wrong(Some(error)))?;
    let params = CallToolParams::new(name);
    let params = match arguments.get() {
        "null" => params,
        text if text.starts_with('{') => params.arguments(&arguments),
        _ => return Err(wrong(None).into()),
    };
    Ok(to_raw_value(&params).map_err(|error| wrong(Some(error)))?)
}
