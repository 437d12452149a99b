//! `plainly tools`: the tools of a server, as a table for people, as fields for scripts, or as the specification's objects.

use anstyle::Style;
use plainly::protocol::types::Tool;

use super::client::with_client;
use crate::args::ToolsArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::visible::visible;

pub(crate) async fn run(mut args: ToolsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let tools = with_client(server, args.server, async |client| {
        client.tools().await.map_err(Failure::tools)
    })
    .await?;
    print(&tools, &mut output)?;
    output.flush()
}

fn print(tools: &[Tool], output: &mut Output) -> Result<(), Failure> {
    if output.is_table() && !tools.is_empty() {
        output.styled(Style::new().bold(), &columns("NAME", "WHAT IT DOES"))?;
    }
    for tool in tools {
        let (name, about) = (tool.name.as_str(), about(tool));
        if output.is_json() {
            output.json(tool)?;
        } else if output.is_table() {
            output.styled(Style::new(), &columns(&visible(name), &visible(about)))?;
        } else {
            output.fields(&[name, about])?;
        }
    }
    Ok(())
}

/// What a tool does, in one line: the first of its description, or else its title.
fn about(tool: &Tool) -> &str {
    let description = tool.description.as_deref().unwrap_or_default();
    let title = tool.title.as_deref();
    let first = description
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty());
    first.or(title).unwrap_or("-")
}

fn columns(name: &str, about: &str) -> String {
    format!("{name:<24}  {about}")
}
