//! Definitions with a name or a template. `plainly tools`, `plainly prompts` and `plainly
//! templates` list them: as a table for users, as fields for scripts, or as the specification's
//! objects. For an unknown name, `plainly call` and `plainly prompt` print the same error.

use plainly::client::{self, LocalError};
use plainly::errors::{AnsweredRequest, Certainty, Dialect, ProtocolError, Revision, WireError};
use plainly::protocol::types::{Meta, Prompt, ResourceTemplate, Skill, Tool};
use serde::Serialize;

use super::declared::problems;
use super::described::{self, Description, command_line};
use super::lacking::or_none;
use super::parameter::Callee;
use crate::args::{PromptsArgs, Server, TemplatesArgs, ToolsArgs};
use crate::asking;
use crate::connection::with_client;
use crate::failure::{Failure, MissingName, Subject};
use crate::near::did_you_mean;
use crate::output::Output;

pub(crate) async fn tools(mut args: ToolsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let one = words.next();
    words.end()?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let tools = with_client(server, args.server, async |client| {
        let tools = or_none(client.tools().await, "tools", &output);
        tools.map_err(Failure::about(Subject::Tools))
    })
    .await?;
    match one {
        Some(name) => show(
            Callee::Tool,
            &name,
            &tools,
            described::tool,
            &at,
            &mut output,
        ),
        None => print(&tools, ["NAME", "DESCRIPTION"], &mut output),
    }
}

pub(crate) async fn templates(mut args: TemplatesArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let templates = with_client(server, args.server, async |client| {
        let templates = or_none(
            client.resource_templates().await,
            "resource templates",
            &output,
        );
        templates.map_err(Failure::about(Subject::Resources))
    })
    .await?;
    print(&templates, ["TEMPLATE", "DESCRIPTION"], &mut output)
}

pub(crate) async fn prompts(mut args: PromptsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let one = words.next();
    words.end()?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let prompts = with_client(server, args.server, async |client| {
        let prompts = or_none(client.prompts().await, "prompts", &output);
        prompts.map_err(Failure::about(Subject::Prompts))
    })
    .await?;
    match one {
        Some(name) => show(
            Callee::Prompt,
            &name,
            &prompts,
            described::prompt,
            &at,
            &mut output,
        ),
        None => print(&prompts, ["NAME", "PURPOSE"], &mut output),
    }
}

/// Displays the definition with this name, or prints the specification's object.
fn show<T: Listable + Serialize>(
    callee: Callee,
    name: &str,
    listed: &[T],
    described: fn(&T) -> Description<'_>,
    server: &Server,
    output: &mut Output,
) -> Result<(), Failure> {
    let found = listed.iter().find(|one| one.named().name == name);
    let one =
        found.ok_or_else(|| Failure::Missing(missing(callee, name, &names(listed), server)))?;
    match output.is_json() {
        true => output.json(one)?,
        false => described(one).show(server, output)?,
    }
    output.flush()
}

/// The error and the advice for a tool or a prompt that the server does not list.
pub(super) fn missing(
    callee: Callee,
    name: &str,
    names: &[String],
    server: &Server,
) -> MissingName {
    let near = did_you_mean(name, names.iter().map(String::as_str));
    let (word, listing) = (callee.word(), callee.listing());
    let shown = command_line(listing, server, &[]);
    let hidden = match near.is_empty() && !asking::is_possible() {
        false => "",
        true => {
            "; some servers have more for a client that they can ask: try --answer, --sample-with or --root"
        }
    };
    MissingName {
        what: format!("no such {word}: {name}{near}"),
        help: format!("`{shown}` lists the {listing}{hidden}"),
    }
}

/// Whether the server's error means that it has no tool or prompt with this name, whatever its
/// code.
pub(super) fn is_missing(callee: Callee, name: &str, error: &client::Error) -> bool {
    let protocol = error.protocol();
    protocol.is_some_and(|error| says_missing(callee, name, error.message().into_owned()))
}

/// Whether this text of a server means that it has no tool or prompt with this name.
pub(super) fn says_missing(callee: Callee, name: &str, text: String) -> bool {
    let (method, subject) = (callee.method().name(), Some(name));
    let code = Dialect::default().code(&ProtocolError::invalid_params(""), Revision::LATEST);
    let error = WireError::received(code, text, None);
    let error = error.recognise_as(AnsweredRequest { method, subject }, Certainty::Likely);
    let error = client::Error::from(error);
    error.is_tool_not_found() || error.is_prompt_not_found()
}

/// A definition that a server lists.
pub(super) trait Listable {
    /// The description in a line.
    fn named(&self) -> ListItem<'_>;
}

impl Listable for Tool {
    fn named(&self) -> ListItem<'_> {
        ListItem {
            name: &self.name,
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            meta: self.meta.as_ref(),
        }
    }
}

impl Listable for Prompt {
    fn named(&self) -> ListItem<'_> {
        ListItem {
            name: &self.name,
            title: self.title.as_deref(),
            description: self.description.as_deref(),
            meta: self.meta.as_ref(),
        }
    }
}

impl Listable for ResourceTemplate {
    fn named(&self) -> ListItem<'_> {
        ListItem {
            name: &self.uri_template,
            title: self.title.as_deref().or(Some(&self.name)),
            description: self.description.as_deref(),
            meta: self.meta.as_ref(),
        }
    }
}

impl Listable for Skill {
    fn named(&self) -> ListItem<'_> {
        ListItem {
            // Several resources may have the same name.
            name: &self.uri,
            title: None,
            description: self.description(),
            meta: None,
        }
    }
}

/// The names of all definitions.
pub(super) fn names(listed: &[impl Listable]) -> Vec<String> {
    let names = listed.iter().map(|one| one.named().name.to_owned());
    names.collect()
}

/// A definition of a server, with its name.
pub(super) struct ListItem<'a> {
    pub(super) name: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    meta: Option<&'a Meta>,
}

impl<'a> ListItem<'a> {
    /// The description in one line: its first line that is not empty, or else the title.
    fn line(&self) -> &'a str {
        let lines = self.description.unwrap_or_default().lines();
        let first = lines.map(str::trim).find(|line| !line.is_empty());
        first.or(self.title).unwrap_or("-")
    }
}

/// Prints all of `listed`, with `head` above a table.
pub(super) fn print(
    listed: &[impl Listable + Serialize],
    head: [&str; 2],
    output: &mut Output,
) -> Result<(), Failure> {
    if !listed.is_empty() {
        output.head(head, columns)?;
    }
    for one in listed {
        let named = one.named();
        match (output.is_json(), problems(named.meta)) {
            (true, _) => output.json(one)?,
            (false, None) => output.entry([named.name, named.line()], columns)?,
            (false, Some(codes)) if output.is_table() => {
                let line = format!("{}  [{codes}]", named.line());
                output.entry([named.name, &line], columns)?;
            }
            (false, Some(codes)) => output.fields(&[named.name, named.line(), &codes])?,
        }
    }
    output.flush()
}

fn columns([name, about]: [&str; 2]) -> String {
    format!("{name:<24}  {about}")
}

/// The listing; `None` if the server refuses it or sends an unreadable one, because the call may
/// work nevertheless.
pub(super) fn if_given<T>(listing: client::Result<Vec<T>>) -> client::Result<Option<Vec<T>>> {
    match listing {
        Ok(all) => Ok(Some(all)),
        Err(error) if is_answered(&error) => {
            tracing::debug!(%error, "can't find out what arguments there are");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether the server has answered at all.
fn is_answered(error: &client::Error) -> bool {
    match error {
        client::Error::Protocol(_) => true,
        client::Error::Local(local) => matches!(
            **local,
            LocalError::InvalidResponse { .. } | LocalError::IrregularError { .. }
        ),
    }
}
