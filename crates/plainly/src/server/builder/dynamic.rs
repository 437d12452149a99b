//! What an author says may come and go while the server runs, so that peers can be told before it does.

use super::ServerBuilder;

/// What may change while the server runs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dynamic {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
}

impl Dynamic {
    pub(super) fn is_any(self) -> bool {
        self.tools || self.prompts || self.resources
    }
}

impl ServerBuilder {
    /// Lets tools come and go while the server runs: [`Server::add_tool`](crate::server::Server::add_tool) and
    /// [`Server::remove_tool`](crate::server::Server::remove_tool). Peers are told from the beginning that there are tools,
    /// even if there are none yet, and that they hear of every change.
    #[must_use]
    pub fn dynamic_tools(mut self) -> Self {
        self.dynamic.tools = true;
        self
    }

    /// Lets prompts come and go while the server runs: [`Server::add_prompt`](crate::server::Server::add_prompt) and
    /// [`Server::remove_prompt`](crate::server::Server::remove_prompt); as [`dynamic_tools`](Self::dynamic_tools) does with tools.
    #[must_use]
    pub fn dynamic_prompts(mut self) -> Self {
        self.dynamic.prompts = true;
        self
    }

    /// Lets resources come and go while the server runs: [`Server::add_resource`](crate::server::Server::add_resource) and
    /// [`Server::remove_resource`](crate::server::Server::remove_resource); as [`dynamic_tools`](Self::dynamic_tools) does with tools.
    #[must_use]
    pub fn dynamic_resources(mut self) -> Self {
        self.dynamic.resources = true;
        self
    }
}
