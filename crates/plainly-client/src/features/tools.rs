//! Tools on the client's side: listing and calling them. Over HTTP, calls have headers that repeat
//! arguments, if the listing asks for them.

use std::sync::Arc;

use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CallToolParams, CallToolResult, ListToolsParams, ListToolsResult, Tool,
};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::call::Call;
use crate::connect::Client;
use crate::error::{Error, LocalError, Result};
use crate::features::pages::ListingPage;
use crate::message::mirror::Mirror;

impl Client {
    /// One page of `tools/list`.
    ///
    /// An unreadable tool, such as one without a schema of its arguments, is left out and named in
    /// a warning in the log. So are, from a modern server over HTTP, tools with invalid
    /// `x-mcp-header` annotations (2026-07-28, Tools, "x-mcp-header").
    pub async fn list_tools(&self, params: &ListToolsParams) -> Result<ListToolsResult> {
        Ok(self.tools_page(params).await?.body)
    }

    /// All tools, of all pages. Complete or an error, like [`resources`](Self::resources), except
    /// for the tools that [`list_tools`](Self::list_tools) leaves out.
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        self.all_pages(Method::ListTools, |cursor| async move {
            let mut params = ListToolsParams::new();
            params.cursor = cursor;
            let page = self.tools_page(&params).await?;
            Ok(page.map(|body| (body.tools, body.next_cursor)))
        })
        .await
    }

    /// A page. The facts that later calls of its tools need are stored.
    async fn tools_page(&self, params: &ListToolsParams) -> Result<ListingPage<ListToolsResult>> {
        let mut page: ListingPage<ListToolsResult> =
            self.page(Method::ListTools, "tools", params).await?;
        let tools = &mut page.body.tools;
        if let Some(mirror) = self.mirror() {
            tools.retain(|tool| mirror.learn(tool));
        }
        for tool in tools {
            self.connected.tools.learn(tool);
        }
        Ok(page)
    }

    /// Calls a tool (`tools/call`). `arguments` must serialise to a JSON object; use `()` for none.
    ///
    /// A failure of the tool is not an `Err`: check [`CallToolResult::is_tool_error`]. If the
    /// result of a failed tool can't be read, it is an `Err`, which shows the text of the result.
    ///
    /// If the server makes the call a task, the client polls the task until it has ended, answers
    /// its questions with the same handlers, and cancels it if the call is dropped. [`Call::start`]
    /// returns the task instead.
    ///
    /// On a modern server over HTTP, the call is sent with the `Mcp-Param-*` headers that the
    /// tool's last listing asked for. If the server requires others, the client lists the tools and
    /// repeats the call once.
    ///
    /// # Errors
    ///
    /// An error for which [`is_tool_not_found`](crate::Error::is_tool_not_found) holds, if there is
    /// no such tool. [`LocalError::Parameters`] if the arguments are not a JSON object; nothing was
    /// sent in that case. [`LocalError::InvalidOutput`] if the structured output does not match the
    /// output schema that this client has seen in the tool's listing; the tool has run then, and
    /// its result is in the error.
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<CallToolResult> {
        let method = Method::CallTool;
        let name = name.into();
        let params = tool_params(&name, &arguments);
        let connected = Arc::clone(&self.connected);
        Call::new(self, method, params, move |result| {
            let result = result.decode(method)?.body;
            connected.check_output(&name, result)
        })
    }

    /// Lists the tools to learn the headers of a call that the server refused because of its
    /// headers. Returns whether the call may succeed now.
    pub(crate) async fn learn_headers(&self) -> bool {
        if self.mirror().is_none() {
            return false;
        }
        let listed = self.fresh().tools().await;
        if let Err(error) = &listed {
            tracing::debug!(%error, "can't list the tools to find out the headers of a call");
        }
        listed.is_ok()
    }

    /// The arguments that headers repeat, if this server asks for that.
    fn mirror(&self) -> Option<&Mirror> {
        let http = self.connected.link.http();
        let mirror = http.map(|http| http.mirror());
        mirror.filter(|_| self.revision().traits().mirrored_headers)
    }
}

/// The parameters of a `tools/call`, as JSON.
fn tool_params(name: &str, arguments: &impl Serialize) -> Result<Box<RawValue>> {
    let arguments = to_raw_value(arguments).map_err(|error| invalid(Some(error)))?;
    let params = CallToolParams::new(name);
    let params = match arguments.get() {
        "null" => params,
        text if text.starts_with('{') => params.arguments(&arguments),
        _ => return Err(invalid(None)),
    };
    to_raw_value(&params).map_err(|error| invalid(Some(error)))
}

fn invalid(source: Option<serde_json::Error>) -> Error {
    let method = Method::CallTool.name();
    LocalError::Parameters { method, source }.into()
}
