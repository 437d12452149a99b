//! Adding and removing tools, prompts and resources while the server runs. Subscribed clients are
//! notified.

use super::Server;
use super::features::{BuildErrors, Prompt, Resource, Tool};

impl Server {
    /// Adds a tool. It is listed after the tools that the server was built with, unless one of
    /// those had the same name and was removed: then it gets that tool's position. Clients that
    /// listen for changes of the tools are notified.
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
    /// Fails if the server could not have been built with the tool, if there is already a tool with
    /// this name, or if the server was built without
    /// [`dynamic_tools`](super::ServerBuilder::dynamic_tools). In that case nothing has changed.
    pub fn add_tool(&self, tool: Tool) -> Result<(), BuildErrors> {
        let features = &self.0.features;
        features.add(tool, &features.tools)?;
        self.0.subscriptions.changes().tools_changed();
        Ok(())
    }

    /// Removes the tool `name`, and notifies clients that listen for changes of the tools. Running
    /// calls continue. Returns false if there is no tool with this name, or if the server was built
    /// without [`dynamic_tools`](super::ServerBuilder::dynamic_tools).
    pub fn remove_tool(&self, name: &str) -> bool {
        let was_there = self.0.features.tools.remove(name);
        if was_there {
            self.0.subscriptions.changes().tools_changed();
        }
        was_there
    }

    /// Adds a prompt, as [`add_tool`](Self::add_tool) does for a tool.
    ///
    /// # Errors
    ///
    /// Fails if the server could not have been built with the prompt, if there is already a prompt
    /// with this name, or if the server was built without
    /// [`dynamic_prompts`](super::ServerBuilder::dynamic_prompts). In that case nothing has
    /// changed.
    pub fn add_prompt(&self, prompt: Prompt) -> Result<(), BuildErrors> {
        let features = &self.0.features;
        features.add(prompt, &features.prompts)?;
        self.0.subscriptions.changes().prompts_changed();
        Ok(())
    }

    /// Removes the prompt `name`, as [`remove_tool`](Self::remove_tool) does for a tool.
    pub fn remove_prompt(&self, name: &str) -> bool {
        let was_there = self.0.features.prompts.remove(name);
        if was_there {
            self.0.subscriptions.changes().prompts_changed();
        }
        was_there
    }

    /// Adds a resource, as [`add_tool`](Self::add_tool) does for a tool. It takes precedence over a
    /// template or a store with the same URI.
    ///
    /// # Errors
    ///
    /// Fails if the server could not have been built with the resource, if there is already a
    /// resource at this URI, or if the server was built without
    /// [`dynamic_resources`](super::ServerBuilder::dynamic_resources). In that case nothing has
    /// changed.
    pub fn add_resource(&self, resource: Resource) -> Result<(), BuildErrors> {
        let features = &self.0.features;
        features.add(resource, features.resources.fixed())?;
        self.0.subscriptions.changes().resources_changed();
        Ok(())
    }

    /// Removes the resource at `uri`, as [`remove_tool`](Self::remove_tool) does for a tool.
    /// Clients subscribed to the resource itself are notified too.
    pub fn remove_resource(&self, uri: &str) -> bool {
        let was_there = self.0.features.resources.fixed().remove(uri);
        if was_there {
            self.0.subscriptions.changes().resources_changed();
            self.0.subscriptions.changes().resource_updated(uri);
        }
        was_there
    }
}
