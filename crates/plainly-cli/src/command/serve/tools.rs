//! The tools of the server: those that the options name.

use plainly::server::Tool;
use plainly_directory::DirectoryStore;

use super::{app, network, write};
use crate::args::{ServeArgs, ServedTools};

/// The tools that are named, all of them if none is, and those of the page if there is one.
pub(super) fn of(store: &DirectoryStore, args: &ServeArgs) -> Vec<Tool> {
    let content = &args.content;
    if content.no_tools {
        return Vec::new();
    }
    let named = ServedTools::names(&content.tools);
    // Callers elsewhere must not learn which paths there are here.
    let mut tools = match network::is_local(args) {
        true => store.local_tools(),
        false => store.tools(),
    };
    tools.retain(|tool| {
        let is_for_page = content.app && app::TOOLS.contains(&tool.name());
        named.is_empty() || named.contains(&tool.name()) || is_for_page
    });
    tools.extend(write::tools(store, args));
    tools.extend(content.app.then(|| app::tool(store)));
    tools
}
