//! `plainly call`: a tool called, and its answer printed.

use plainly::client::{self, Client, LocalError};
use plainly::errors::Mistake;
use plainly::protocol::types::{Body, CallToolResult, Content, RawJson};
use serde_json::Value;

use super::arguments::Asked;
use super::described;
use super::listed::{if_given, names};
use crate::args::{CallArgs, Server};
use crate::connection::with_client;
use crate::failure::{Failure, Subject, known};
use crate::output::Output;

pub(crate) async fn run(mut args: CallArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let name = words.take_name("TOOL")?;
    let asked = Asked::of_tool(args.args.as_deref(), words)?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let (result, there) = with_client(server, args.server, async |client| {
        call(client, &name, asked, &at).await
    })
    .await?;
    if output.is_json() {
        output.json(&result)?;
    } else if !result.is_tool_error() {
        print(&result, &mut output)?;
    }
    output.flush()?;
    if result.is_tool_error() {
        let text = said(&result);
        let help = (!there.is_empty()).then(|| format!("this server{}", known("tools", &there)));
        return Err(Failure::Tool { name, text, help });
    }
    Ok(())
}

/// Calls the tool. Gives its result, and if it fails and the server lists no such tool, the names of those that it lists.
///
/// The tools are listed first, at the cost of a round trip: only so can `limit=10` be a number and `patern=x` a mistake rather
/// than something that the server ignores, and only so are the output's schema and the headers known that the tool asks for. It
/// is little beside starting this program and connecting. All arguments as one JSON object need none of it, and are sent at
/// once.
async fn call(
    client: &Client,
    name: &str,
    asked: Asked,
    server: &Server,
) -> Result<(CallToolResult, Vec<String>), Failure> {
    let tools = match asked.is_exact() {
        true => None,
        false => {
            if_given(client.tools().await).map_err(Failure::about(Subject::Tools(Vec::new())))?
        }
    };
    let arguments = asked.fit_one(name, tools.as_deref(), described::tool, server)?;
    let called = client.call_tool(name, &arguments).await;
    let called = called.or_else(despite_its_schema);
    let may_be_unknown = match &called {
        Ok(result) => result.is_tool_error(),
        Err(error) => error.is_invalid_params(),
    };
    let mut there = match tools {
        _ if !may_be_unknown => Vec::new(),
        Some(tools) => names(&tools),
        // Only a help: where this fails too, the first error says more.
        None => names(&client.tools().await.unwrap_or_default()),
    };
    if there.iter().any(|it| it == name) {
        there.clear();
    }
    match called {
        Ok(result) => Ok((result, there)),
        Err(error) => Err(Failure::about(Subject::Tools(there))(error)),
    }
}

/// The result of a tool that has run, even if it is not what the tool's schema promises: a warning says so.
fn despite_its_schema(error: client::Error) -> client::Result<CallToolResult> {
    match error.local() {
        Some(LocalError::InvalidOutput {
            tool,
            mistakes,
            result,
            ..
        }) => {
            let mistakes = Mistake::list(mistakes);
            tracing::warn!("the structured output of {tool} breaks its schema: {mistakes}");
            Ok(CallToolResult::clone(result))
        }
        _ => Err(error),
    }
}

fn print(result: &CallToolResult, output: &mut Output) -> Result<(), Failure> {
    if let ([], Some(structured)) = (result.content.as_slice(), &result.structured_content) {
        return output.json(structured);
    }
    for content in &result.content {
        output.lines(&shown(content))?;
    }
    Ok(())
}

/// The words of a tool that failed.
fn said(result: &CallToolResult) -> String {
    let text = result
        .content
        .iter()
        .map(shown)
        .collect::<Vec<_>>()
        .join("\n");
    if !text.is_empty() {
        return text;
    }
    match result.problems() {
        Some(problems) => problems.text().into_owned(),
        None => "the tool failed without saying why".to_owned(),
    }
}

/// Text as it is, anything else named.
pub(super) fn shown(content: &Content) -> String {
    match content {
        Content::Text(block) => block.text.clone(),
        Content::Image(block) => format!("[image {}, {} bytes]", block.mime_type, block.data.len()),
        Content::Audio(block) => format!("[audio {}, {} bytes]", block.mime_type, block.data.len()),
        Content::Resource(block) => match &block.resource.body {
            Body::Text(text) => text.clone(),
            Body::Blob(bytes) => {
                format!("[resource {}, {} bytes]", block.resource.uri, bytes.len())
            }
        },
        Content::ResourceLink(resource) => format!("[resource {}]", resource.uri),
        Content::Unknown(block) => text_of(block).unwrap_or_else(unknown),
        _ => unknown(),
    }
}

fn unknown() -> String {
    "[content of unknown type; use --json to see it]".to_owned()
}

/// The text of a block of unknown type, if it has any where all others have it.
fn text_of(block: &RawJson) -> Option<String> {
    let block: Value = block.decode().ok()?;
    block.get("text")?.as_str().map(str::to_owned)
}
