//! What has a name or a template. `plainly tools`, `plainly prompts` and `plainly templates` list it: as a table for people, as
//! fields for scripts, or as the specification's objects. Where a name is none of them, `plainly call` and `plainly prompt` say
//! which there are.

use plainly::client::{self, Error};
use plainly::protocol::types::{Meta, Tool};
use serde::Serialize;

use super::declared::problems;
use super::lacking::or_none;
use super::tool;
use crate::args::{PromptsArgs, TemplatesArgs, ToolsArgs};
use crate::connection::with_client;
use crate::failure::{Failure, Subject, known};
use crate::output::Output;

pub(crate) async fn tools(mut args: ToolsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let one = words.next();
    words.end()?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let tools = with_client(server, args.server, async |client| {
        let tools = or_none(client.tools().await, "tools");
        tools.map_err(Failure::about(Subject::Tools(Vec::new())))
    })
    .await?;
    if let Some(name) = one {
        let found = tools.iter().find(|tool| tool.name == name);
        let tool = found.ok_or_else(|| missing(&name, &tools))?;
        match output.is_json() {
            true => output.json(tool)?,
            false => tool::show(tool, &at, &mut output)?,
        }
        return output.flush();
    }
    print(&tools, ["NAME", "DESCRIPTION"], &mut output, |tool| Named {
        name: &tool.name,
        title: tool.title.as_deref(),
        description: tool.description.as_deref(),
        meta: tool.meta.as_ref(),
    })
}

/// Why a tool can't be shown that the server does not list.
fn missing(name: &str, tools: &[Tool]) -> Failure {
    let names: Vec<_> = tools.iter().map(|tool| tool.name.clone()).collect();
    Failure::refused(format!("no such tool: {name}{}", known("tools", &names)))
}

pub(crate) async fn templates(mut args: TemplatesArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let templates = with_client(server, args.server, async |client| {
        let templates = or_none(client.resource_templates().await, "resource templates");
        templates.map_err(Failure::about(Subject::Resources))
    })
    .await?;
    print(&templates, ["TEMPLATE", "DESCRIPTION"], &mut output, |it| {
        Named {
            name: &it.uri_template,
            title: it.title.as_deref().or(Some(&it.name)),
            description: it.description.as_deref(),
            meta: it.meta.as_ref(),
        }
    })
}

pub(crate) async fn prompts(mut args: PromptsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let prompts = with_client(server, args.server, async |client| {
        let prompts = or_none(client.prompts().await, "prompts");
        prompts.map_err(Failure::about(Subject::Prompts(Vec::new())))
    })
    .await?;
    print(&prompts, ["NAME", "PURPOSE"], &mut output, |prompt| Named {
        name: &prompt.name,
        title: prompt.title.as_deref(),
        description: prompt.description.as_deref(),
        meta: prompt.meta.as_ref(),
    })
}

/// Something that a server has, by its name.
struct Named<'a> {
    name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    meta: Option<&'a Meta>,
}

impl<'a> Named<'a> {
    /// Its description in one line: the first that isn't empty, or else the title.
    fn line(&self) -> &'a str {
        let lines = self.description.unwrap_or_default().lines();
        let first = lines.map(str::trim).find(|line| !line.is_empty());
        first.or(self.title).unwrap_or("-")
    }
}

/// Prints all of `listed`; over a table stands `head`.
fn print<T: Serialize>(
    listed: &[T],
    head: [&str; 2],
    output: &mut Output,
    named: fn(&T) -> Named<'_>,
) -> Result<(), Failure> {
    if !listed.is_empty() {
        output.head(head, columns)?;
    }
    for one in listed {
        let named = named(one);
        match (output.is_json(), problems(named.meta)) {
            (true, _) => output.json(one)?,
            (false, None) => output.row([named.name, named.line()], columns)?,
            (false, Some(codes)) => output.row([named.name, named.line(), &codes], failing)?,
        }
    }
    output.flush()
}

fn columns([name, about]: [&str; 2]) -> String {
    format!("{name:<24}  {about}")
}

fn failing([name, about, codes]: [&str; 3]) -> String {
    format!("{}  [{codes}]", columns([name, about]))
}

/// Why `name` was refused; with the names that there are, if it is none of them.
pub(super) async fn refused(
    error: Error,
    name: &str,
    names: impl Future<Output = client::Result<Vec<String>>>,
    subject: fn(Vec<String>) -> Subject,
) -> Failure {
    let mut there = match error.is_invalid_params() {
        // Only a help: where this fails too, the first error says more.
        true => names.await.unwrap_or_default(),
        false => Vec::new(),
    };
    if there.iter().any(|it| it == name) {
        there.clear();
    }
    Failure::about(subject(there))(error)
}
