//! What an author adds and removes while the server runs. Peers that want to know are told.

use super::features::{
    BuildError, BuildErrors, Catalogue, Named, Prompt, ServedPrompt, ServedTool, StaticResource,
    Tool,
};
use super::{Changes, Server};

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
        let routes = &self.0.routes;
        let mut adding = Adding::to(&routes.tools, "tool", tool.name(), "dynamic_tools()");
        let tool = ServedTool::check(tool, &routes.states, self.limits(), &mut adding.errors);
        adding.add(tool)?;
        self.0.changes.tools_changed();
        Ok(())
    }

    /// Serves the tool `name` no longer, and tells whoever listens for changes of the tools. Calls that run go on. False if
    /// there is none of this name, or the server was built without
    /// [`dynamic_tools`](super::ServerBuilder::dynamic_tools).
    pub fn remove_tool(&self, name: &str) -> bool {
        self.remove(&self.0.routes.tools, name, Changes::tools_changed)
    }

    /// Serves one more prompt from now on, as [`add_tool`](Self::add_tool) does with a tool.
    ///
    /// # Errors
    ///
    /// What would have kept the server from being built with it; a prompt of this name; a server that was built without
    /// [`dynamic_prompts`](super::ServerBuilder::dynamic_prompts). Nothing has changed then.
    pub fn add_prompt(&self, prompt: Prompt) -> Result<(), BuildErrors> {
        let routes = &self.0.routes;
        let mut adding = Adding::to(
            &routes.prompts,
            "prompt",
            prompt.name(),
            "dynamic_prompts()",
        );
        let prompt = ServedPrompt::check(prompt, &routes.states, self.limits(), &mut adding.errors);
        adding.add(prompt)?;
        self.0.changes.prompts_changed();
        Ok(())
    }

    /// Serves the prompt `name` no longer, as [`remove_tool`](Self::remove_tool) does with a tool.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.remove(&self.0.routes.prompts, name, Changes::prompts_changed)
    }

    /// Serves one more resource from now on, as [`add_tool`](Self::add_tool) does with a tool. Its URI is its own, whatever
    /// template or store has it too.
    ///
    /// # Errors
    ///
    /// What would have kept the server from being built with it; a resource at this URI; a server that was built without
    /// [`dynamic_resources`](super::ServerBuilder::dynamic_resources). Nothing has changed then.
    pub fn add_resource(&self, resource: StaticResource) -> Result<(), BuildErrors> {
        let routes = &self.0.routes;
        let all = routes.resources.all_fixed();
        let mut adding = Adding::to(all, "resource", resource.uri(), "dynamic_resources()");
        let resource = resource.checked(&routes.states, &mut adding.errors);
        adding.add(resource)?;
        self.0.changes.resources_changed();
        Ok(())
    }

    /// Serves the resource at `uri` no longer, as [`remove_tool`](Self::remove_tool) does with a tool. Whoever is subscribed
    /// to the resource itself hears of that too.
    pub fn remove_resource(&self, uri: &str) -> bool {
        let all = self.0.routes.resources.all_fixed();
        let was_there = self.remove(all, uri, Changes::resources_changed);
        if was_there {
            self.0.changes.resource_updated(uri);
        }
        was_there
    }

    fn remove<T: Named>(&self, from: &Catalogue<T>, name: &str, changed: fn(&Changes)) -> bool {
        let was_there = from.is_dynamic() && from.remove(name);
        if was_there {
            changed(&self.0.changes);
        }
        was_there
    }
}

/// Something that is being added.
struct Adding<'a, T> {
    to: &'a Catalogue<T>,
    subject: String,
    errors: Vec<BuildError>,
}

impl<'a, T: Named> Adding<'a, T> {
    /// A `kind` of thing of this name; `option` makes them dynamic.
    fn to(to: &'a Catalogue<T>, kind: &str, name: &str, option: &str) -> Self {
        let subject = format!("{kind} {name}");
        let mut errors = Vec::new();
        if !to.is_dynamic() {
            let problem = format!("comes too late: the server was built without {option}");
            errors.push(BuildError::new(&subject, problem));
        }
        Self {
            to,
            subject,
            errors,
        }
    }

    /// Adds what was found to be in order, if it was.
    fn add(mut self, item: Option<T>) -> Result<(), BuildErrors> {
        if self.errors.is_empty()
            && let Some(item) = item
            && !self.to.add(item)
        {
            self.errors.push(BuildError::twice(&self.subject));
        }
        match self.errors.is_empty() {
            true => Ok(()),
            false => Err(BuildErrors::of("it can't be added", self.errors)),
        }
    }
}
