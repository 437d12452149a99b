//! The page of a tool that hosts show (MCP Apps, SEP-1865): an HTML resource, with a policy for its
//! sandbox.

use std::fmt;
use std::future::ready;

use plainly_protocol::types::{self, JsonObject};
use serde::Serialize;
use serde_json::json;

use super::resources::Resource;
use super::setters::setters;

/// The name of the extension.
pub(crate) const UI_EXTENSION: &str = "io.modelcontextprotocol/ui";
/// The beginning of the URI of each page.
pub(super) const UI_SCHEME: &str = "ui://";
/// The MIME type of a page.
const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// A page on which hosts show the results of a tool, in a sandbox: MCP Apps, the extension
/// `io.modelcontextprotocol/ui`. [`Tool::app`](super::Tool::app) refers to the page by its URI.
///
/// The page may run its own scripts and styles. It can load from and connect to only the domains
/// that you list; for anything else it must ask the host.
///
/// ```
/// use plainly::server::{App, Server, Tool};
///
/// async fn dice() -> &'static str {
///     "4"
/// }
///
/// let page = App::new("ui://dice", "<!doctype html><title>Dice</title>...").title("Dice");
/// let server = Server::builder("games", "1.0.0")
///     .app(page)
///     .tool(Tool::new("dice", dice).app("ui://dice"))
///     .build()?;
/// # Ok::<(), plainly::server::BuildErrors>(())
/// ```
pub struct App {
    definition: types::Resource,
    html: String,
    policy: Policy,
    prefers_border: Option<bool>,
}

/// The domains that a page may use, in the form for hosts. An empty list is sent too, because it
/// allows none.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Policy {
    connect_domains: Vec<String>,
    resource_domains: Vec<String>,
}

impl App {
    /// A page at a `ui://` URI with this HTML.
    pub fn new(uri: impl Into<String>, html: impl Into<String>) -> Self {
        let uri = uri.into();
        Self {
            definition: types::Resource::new(uri.clone(), uri).mime_type(MIME_TYPE),
            html: html.into(),
            policy: Policy::default(),
            prefers_border: None,
        }
    }

    setters! {
        name = "Its name, for programs.",
        title,
        description = "A description of the page.",
        icons,
    }

    /// Sets the origins that the page's scripts may send requests to, such as
    /// `https://api.example.com`. By default none.
    #[must_use]
    pub fn connect_domains<D: Into<String>>(
        mut self,
        origins: impl IntoIterator<Item = D>,
    ) -> Self {
        self.policy.connect_domains = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the origins that the page may load scripts, styles, images, fonts and media from. By
    /// default none.
    #[must_use]
    pub fn resource_domains<D: Into<String>>(
        mut self,
        origins: impl IntoIterator<Item = D>,
    ) -> Self {
        self.policy.resource_domains = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether hosts should draw a border around the page. By default the host decides.
    #[must_use]
    pub fn prefers_border(mut self, prefers: bool) -> Self {
        self.prefers_border = Some(prefers);
        self
    }

    /// The settings of the extension.
    pub(crate) fn settings() -> JsonObject {
        [("mimeTypes", json!([MIME_TYPE]))].into()
    }
}

/// Converts the page to the resource that serves it.
/// [`ServerBuilder::app`](crate::ServerBuilder::app) also declares the extension.
impl From<App> for Resource {
    fn from(app: App) -> Self {
        let App {
            definition,
            html,
            policy,
            prefers_border,
        } = app;
        let mut ui = json!({"csp": policy});
        if let Some(prefers) = prefers_border {
            ui["prefersBorder"] = json!(prefers);
        }
        let meta = types::Meta::from([("ui", ui)]);
        Self::described(definition, move || ready(html.clone())).meta(meta)
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("definition", &self.definition)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
