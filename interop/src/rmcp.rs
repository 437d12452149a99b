//! The cases implemented with rmcp: directly on `ServerHandler`, without its macros and routers,
//! which is the shortest path of a request. Independent of transports.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::ServerHandler;
use rmcp::handler::server::tool::schema_for_type;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    JsonObject, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ResourceContents, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde_json::json;

use crate::Case;
use crate::contents::{Content, Held, TOOL_DESCRIPTION, TOOL_SCHEMA, TOOLS_TTL, tool_names};

/// What `echo` takes: its schema is made of it, as the macros would; it is read by hand.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Echo {
    text: String,
}

/// The contents for the case. Cloned for each request over HTTP.
#[derive(Debug, Clone)]
pub struct Server {
    held: Option<Arc<Held>>,
    tools: Arc<[Tool]>,
}

impl Server {
    /// Builds a server for the case.
    ///
    /// # Errors
    /// Never fails, unless the schema of the tools is not a JSON object.
    pub fn new(case: Case) -> Result<Self, serde_json::Error> {
        let tools = match case {
            Case::List => {
                let schema: Arc<JsonObject> = serde_json::from_str(TOOL_SCHEMA).map(Arc::new)?;
                let tool = |name| Tool::new(name, TOOL_DESCRIPTION, Arc::clone(&schema));
                tool_names().map(tool).collect()
            }
            Case::Echo => [Tool::new_with_raw("echo", None, schema_for_type::<Echo>())].into(),
            Case::Read | Case::ReadText | Case::ReadBinary | Case::Missing => [].into(),
        };
        Ok(Self {
            held: case.held().map(Arc::new),
            tools,
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_resources()
                .build(),
        )
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request
            .arguments
            .as_ref()
            .and_then(|arguments| arguments.get("text"))
            .and_then(|text| text.as_str());
        match (request.name.as_ref(), text) {
            ("echo", Some(text)) => {
                Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
            }
            _ => Err(ErrorData::invalid_params("no such tool, or no text", None)),
        }
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec())
            .with_ttl_ms(TOOLS_TTL)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        ReadResourceRequestParams { uri, .. }: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let Some(held) = self.held.as_deref().filter(|held| held.uri == uri) else {
            let message = format!("Resource not found: {uri}");
            let data = json!({ "uri": uri });
            return Err(ErrorData::resource_not_found(message, Some(data)));
        };
        let contents = match &held.content {
            Content::Text(text) => {
                ResourceContents::text(text.as_str(), uri).with_mime_type("text/plain")
            }
            Content::Binary(bytes) => ResourceContents::blob(STANDARD.encode(bytes), uri)
                .with_mime_type("application/octet-stream"),
        };
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(0)
            .with_cache_scope(CacheScope::Private)
            .into())
    }
}
