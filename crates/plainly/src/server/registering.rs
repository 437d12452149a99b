//! Adding and removing tools, prompts and resources while the server runs. Clients that listen for changes are told.

use super::Server;
use super::features::{BuildErrors, Prompt, Resource, Tool};

impl Server {
    /// Serves one more tool from now on. It is listed after those that the server was built with, or, if it has the name of
    /// one of those, in its place. Whoever listens for changes of the tools is told.
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
        let features = &self.0.features;
        features.add(tool, &features.tools)?;
        self.0.changes.tools_changed();
        Ok(())
    }

    /// Serves the tool `name` no longer, and tells whoever listens for changes of the tools. Calls that run go on. False if
    /// there is none of this name, or the server was built without
    /// [`dynamic_tools`](super::ServerBuilder::dynamic_tools).
    pub fn remove_tool(&self, name: &str) -> bool {
        let was_there = self.0.features.tools.remove(name);
        if was_there {
            self.0.changes.tools_changed();
        }
        was_there
    }

    /// Serves one more prompt from now on, as [`add_tool`](Self::add_tool) does with a tool.
    ///
    /// # Errors
    ///
    /// What would have kept the server from being built with it; a prompt of this name; a server that was built without
    /// [`dynamic_prompts`](super::ServerBuilder::dynamic_prompts). Nothing has changed then.
    pub fn add_prompt(&self, prompt: Prompt) -> Result<(), BuildErrors> {
        let features = &self.0.features;
        features.add(prompt, &features.prompts)?;
        self.0.changes.prompts_changed();
        Ok(())
    }

    /// Serves the prompt `name` no longer, as [`remove_tool`](Self::remove_tool) does with a tool.
    pub fn remove_prompt(&self, name: &str) -> bool {
        let was_there = self.0.features.prompts.remove(name);
        if was_there {
            self.0.changes.prompts_changed();
        }
        was_there
    }

    /// Serves one more resource from now on, as [`add_tool`](Self::add_tool) does with a tool. Its URI is its own, whatever
    /// template or store has it too.
    ///
    /// # Errors
    ///
    /// What would have kept the server from being built with it; a resource at this URI; a server that was built without
    /// [`dynamic_resources`](super::ServerBuilder::dynamic_resources). Nothing has changed then.
    pub fn add_resource(&self, resource: Resource) -> Result<(), BuildErrors> {
        let features = &self.0.features;
        features.add(resource, features.resources.fixed())?;
        self.0.changes.resources_changed();
        Ok(())
    }

    /// Serves the resource at `uri` no longer, as [`remove_tool`](Self::remove_tool) does with a tool. Whoever is subscribed
    /// to the resource itself hears of that too.
    pub fn remove_resource(&self, uri: &str) -> bool {
        let was_there = self.0.features.resources.fixed().remove(uri);
        if was_there {
            self.0.changes.resources_changed();
            self.0.changes.resource_updated(uri);
        }
        was_there
    }
}
