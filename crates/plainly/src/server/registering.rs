//! What an author adds and removes while the server runs. Peers that want to know are told.

use super::Server;
use super::builder::{BuildError, BuildErrors};
use super::tools::{ServedTool, Tool};

impl Server {
    /// Serves one more tool from now on, after those that the server was built with. Whoever listens for changes of the
    /// tools is told.
    ///
    /// ```
    /// use plainly::server::{Server, Tool};
    ///
    /// let server = Server::builder("greeter", "1.0.0").dynamic_tools().build()?;
    /// server.add_tool(Tool::new("hello", async || "Hello!"))?;
    /// assert!(server.remove_tool("hello"));
    /// # Ok::<(), plainly::server::BuildErrors>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What would have kept the server from being built with it; a tool of this name; a server that was built without
    /// [`dynamic_tools`](super::ServerBuilder::dynamic_tools). Nothing has changed then.
    pub fn add_tool(&self, tool: Tool) -> Result<(), BuildErrors> {
        let routes = &self.0.routes;
        let subject = format!("tool {}", tool.name());
        let mut errors = Vec::new();
        if !routes.tools.is_dynamic() {
            let problem = "can't be added: the server was built without dynamic_tools()";
            errors.push(BuildError::new(&subject, problem));
        }
        let checked = ServedTool::check(tool, &routes.states, self.limits(), &mut errors);
        let Some(tool) = checked.filter(|_| errors.is_empty()) else {
            return Err(BuildErrors::of("the tool can't be added", errors));
        };
        if !routes.tools.add(tool) {
            let twice = BuildError::twice(&subject);
            return Err(BuildErrors::of("the tool can't be added", vec![twice]));
        }
        self.0.changes.tools_changed();
        Ok(())
    }

    /// Serves the tool `name` no longer, and tells whoever listens for changes of the tools. Calls that run go on. False if
    /// there is none of this name, or the server was built without
    /// [`dynamic_tools`](super::ServerBuilder::dynamic_tools).
    pub fn remove_tool(&self, name: &str) -> bool {
        let tools = &self.0.routes.tools;
        let was_there = tools.is_dynamic() && tools.remove(name);
        if was_there {
            self.0.changes.tools_changed();
        }
        was_there
    }
}
