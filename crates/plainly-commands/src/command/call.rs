//! `plainly call`: calls a tool, and prints its result.

use plainly::client::{self, Client, LocalError, StartedCall, TaskHandle};
use plainly::errors::Mistake;
use plainly::protocol::types::{CallToolResult, Content};
use serde_json::json;

use super::arguments::GivenArguments;
use super::blocks::{Printer, shown, write_one};
use super::described;
use super::lacking::no_tasks;
use super::listed::{if_given, is_missing, missing, names, says_missing};
use super::parameter::Callee;
use crate::args::{CallArgs, SaveArgs, Server};
use crate::connection::{Purpose, with_client_for};
use crate::failure::{Failure, MissingName, Subject};
use crate::output::Output;
use crate::terminal;

pub(crate) async fn run(mut args: CallArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let name = words.take_name("TOOL")?;
    let asked = GivenArguments::of_tool(args.args.as_deref(), words, &server)?;
    let mut output = Output::new(args.server.format());
    let purpose = if args.task {
        Purpose::Task
    } else {
        Purpose::Work
    };
    let at = server.clone();
    let (started, missing) = with_client_for(purpose, server, args.server, async |client| {
        call(client, &name, asked, &at, args.task).await
    })
    .await?;
    let result = match started {
        StartedCall::Complete(result) => result,
        StartedCall::Task(task) => return print_id(&task, &mut output),
    };
    print_whole(&result, &name, &args.save, &mut output)?;
    match missing {
        Some(missing) => Err(Failure::Missing(missing)),
        None if result.is_tool_error() => {
            let text = said(&result);
            Err(Failure::Tool { name, text })
        }
        None => Ok(()),
    }
}

/// Calls the tool, and does not wait for its end if it becomes a task. Returns the result, which
/// may be that there is no such tool.
///
/// The tools are listed first, at the cost of a round trip. Only the listing shows that `limit=10`
/// is a number, or that `patern=x` is a mistake rather than an argument that the server ignores. It
/// also has the schema of the output, and the headers that the tool asks for. The round trip costs
/// little compared with starting this program and connecting. All arguments as one JSON object need
/// no listing, and are sent at once.
async fn call(
    client: &Client,
    name: &str,
    asked: GivenArguments,
    server: &Server,
    may_be_task: bool,
) -> Result<(StartedCall<CallToolResult>, Option<MissingName>), Failure> {
    let tools = match asked.is_exact() {
        true => None,
        false => if_given(client.tools().await).map_err(Failure::about(Subject::Tools))?,
    };
    let arguments = asked.fit_one(name, tools.as_deref(), described::tool, server)?;
    terminal::doing(&format!("waiting for {name}"));
    let calling = client.call_tool(name, &arguments);
    let calling = calling.on_progress(terminal::report);
    let called = match may_be_task {
        true => calling.start().await,
        false => calling.await.map(StartedCall::Complete),
    };
    let called = called.or_else(despite_its_schema);
    if may_be_task {
        warn_of_no_task(client, &called);
    }
    let is_unknown = is_unknown(&called, name);
    let listed = match tools {
        // The listing only improves the advice: if it fails too, the first error says more.
        None if is_unknown => client.tools().await.unwrap_or_default(),
        tools => tools.unwrap_or_default(),
    };
    let names = names(&listed);
    let is_listed = names.iter().any(|it| it == name);
    // The error can't mean that this tool is missing, because the server lists it.
    if is_listed || !is_unknown {
        let subject = match is_listed {
            true => Subject::Tool,
            false => Subject::Tools,
        };
        return Ok((called.map_err(Failure::about(subject))?, None));
    }
    let missing = missing(Callee::Tool, name, &names, server);
    match called {
        Ok(started) => Ok((started, Some(missing))),
        Err(error) => Err(Failure::about(Subject::Missing(missing))(error)),
    }
}

/// Warns why there is a result instead of a task.
fn warn_of_no_task(client: &Client, called: &client::Result<StartedCall<CallToolResult>>) {
    let Ok(StartedCall::Complete(result)) = called else {
        return;
    };
    match no_tasks(client.revision()) {
        _ if result.is_tool_error() => {}
        Some(why) => tracing::warn!("{why}: the result was waited for"),
        None => {
            tracing::warn!("the server returned the result at once, without a task");
        }
    }
}

/// Whether the server has no such tool, according to an error or to the text of the result.
fn is_unknown(called: &client::Result<StartedCall<CallToolResult>>, name: &str) -> bool {
    match called {
        Ok(StartedCall::Complete(result)) if result.is_tool_error() => {
            says_missing(Callee::Tool, name, said(result))
        }
        Ok(_) => false,
        Err(error) => is_missing(Callee::Tool, name, error),
    }
}

/// Prints the id of a task that continues, for other commands.
fn print_id(task: &TaskHandle<CallToolResult>, output: &mut Output) -> Result<(), Failure> {
    match output.is_json() {
        true => output.json(&json!({ "taskId": task.id(), "status": task.status() }))?,
        false => output.fields(&[task.id()])?,
    }
    output.flush()
}

/// The result, without the text of a failed tool, except as JSON.
pub(super) fn print_whole(
    result: &CallToolResult,
    name: &str,
    save: &SaveArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.is_json() {
        output.json(result)?;
    } else if !result.is_tool_error() {
        print(result, name, save, output)?;
    }
    output.flush()
}

/// The result of a tool that has run, with a warning if it does not match the tool's schema.
fn despite_its_schema(error: client::Error) -> client::Result<StartedCall<CallToolResult>> {
    match error.local() {
        Some(LocalError::InvalidOutput {
            tool,
            mistakes,
            result,
            ..
        }) => {
            let mistakes = Mistake::list(mistakes);
            tracing::warn!("the structured output of {tool} breaks its schema: {mistakes}");
            Ok(StartedCall::Complete(CallToolResult::clone(result)))
        }
        _ => Err(error),
    }
}

fn print(
    result: &CallToolResult,
    name: &str,
    save: &SaveArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    let structured = result.structured_content.as_ref();
    match (&result.content[..], structured, &save.output) {
        ([], Some(structured), Some(path)) => {
            output.write_to(path, format!("{}\n", structured.get()).as_bytes())
        }
        ([], Some(structured), None) => output.json(structured),
        (blocks, _, Some(path)) => write_one(blocks.iter(), path, output),
        (blocks, _, None) => {
            let mut printer = Printer::new(name, save)?;
            let mut shown = blocks.iter().filter(|block| !is_named_in(block, blocks));
            shown.try_for_each(|block| printer.print(block, output))
        }
    }
}

/// Whether a link's resource is also named in a text among the blocks.
fn is_named_in(block: &Content, blocks: &[Content]) -> bool {
    let Content::ResourceLink(link) = block else {
        return false;
    };
    let names = |text: &str| text.contains(&link.uri) || is_listed_in(&link.uri, text);
    blocks
        .iter()
        .any(|other| matches!(other, Content::Text(text) if names(&text.text)))
}

/// Whether a line of the text begins with the end of the URI, as in the listing of a directory.
fn is_listed_in(uri: &str, text: &str) -> bool {
    text.lines().any(|line| {
        let path = line.split("  ").next().unwrap_or_default();
        let before = uri.strip_suffix(path).filter(|_| !path.is_empty());
        before.is_some_and(|before| before.ends_with('/') && text.contains(before))
    })
}

/// The text of a failed tool.
pub(super) fn said(result: &CallToolResult) -> String {
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
        None => "the tool failed without a message".to_owned(),
    }
}
