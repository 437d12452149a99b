//! The tools of the server that options choose.

use plainly::server::Tool;
use plainly_convert::Converting;
use plainly_directory::DirectoryStore;

use super::{app, filesystem, network, write};
use crate::args::{ServeArgs, ToolNames, named};
use crate::failure::Failure;

/// Rejects tools that don't exist under the chosen names.
pub(super) fn check(args: &ServeArgs) -> Result<(), Failure> {
    let names = args.content.tool_names;
    let all = names.all();
    let named = named(&args.content.tools);
    match named.into_iter().find(|name| !all.contains(name)) {
        Some(name) => {
            let why = format!(
                "{name} is no tool of --tool-names {}: name some of {}",
                names.as_str(),
                all.join(", ")
            );
            Err(Failure::impossible(why, None))
        }
        None => Ok(()),
    }
}

/// The named tools, or all if none is named, and those of the page if there is one.
pub(super) fn of(
    store: &DirectoryStore,
    shown: &Converting<DirectoryStore>,
    args: &ServeArgs,
) -> Vec<Tool> {
    let content = &args.content;
    if content.no_tools {
        return Vec::new();
    }
    let named = named(&content.tools);
    // Callers on other machines must not learn this machine's paths.
    let shown = shown.clone();
    let mut tools = match (content.tool_names, network::is_local(args)) {
        (ToolNames::Plainly, true) => store.local_tools_over(shown),
        (ToolNames::Plainly, false) => store.tools_over(shown),
        (ToolNames::Filesystem, _) => filesystem::tools(store, args).reading_over(shown),
    };
    tools.retain(|tool| {
        let is_for_page = content.app && app::TOOLS.contains(&tool.name());
        named.is_empty() || named.contains(&tool.name()) || is_for_page
    });
    tools.extend(write::tools(store, args));
    tools.extend(content.app.then(|| app::tool(store)));
    tools
}
