//! `plainly prompt`: prints a filled-in prompt.

use plainly::client::Client;
use plainly::protocol::types::{Arguments, GetPromptResult, PromptArgument, Role};

use super::arguments::GivenArguments;
use super::blocks::{Printer, write_one};
use super::described;
use super::listed::{if_given, is_missing, missing, names};
use super::parameter::Callee;
use crate::args::{PromptArgs, SaveArgs, Server};
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::terminal;

pub(crate) async fn run(mut args: PromptArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let name = words.take_name("PROMPT")?;
    let asked = GivenArguments::of_prompt(words, &server)?;
    let mut output = Output::new(args.server.format());
    let at = server.clone();
    let result = with_client(server, args.server, async |client| {
        fill_in(client, &name, asked, &at).await
    })
    .await?;
    match output.is_json() {
        true => output.json(&result)?,
        false => print(&result, &name, &args.save, &mut output)?,
    }
    output.flush()
}

/// Fills in the prompt. The prompts are listed first, because otherwise the server might ignore a
/// misspelt argument, and missing ones would have no names.
async fn fill_in(
    client: &Client,
    name: &str,
    asked: GivenArguments,
    server: &Server,
) -> Result<GetPromptResult, Failure> {
    let prompts = if_given(client.prompts().await).map_err(Failure::about(Subject::Prompts))?;
    let arguments = asked.fit_one(name, prompts.as_deref(), described::prompt, server)?;
    let texts = arguments
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_str()?.to_owned())));
    terminal::doing(&format!("waiting for {name}"));
    let filling = client.prompt(name, Arguments::from_iter(texts));
    let filled = filling.on_progress(terminal::report).await;
    filled.map_err(|error| {
        // Some servers report an unknown prompt as an internal error.
        let is_unlisted = prompts.is_some() && error.is_internal() && error.problem().is_none();
        let prompts = prompts.unwrap_or_default();
        let one = prompts.iter().find(|prompt| prompt.name == name);
        let subject = match one {
            Some(prompt) => {
                let arguments = prompt.arguments.iter().flatten();
                Subject::Prompt(arguments.map(shown_argument).collect())
            }
            None if is_unlisted || is_missing(Callee::Prompt, name, &error) => {
                Subject::Missing(missing(Callee::Prompt, name, &names(&prompts), server))
            }
            None => Subject::Prompts,
        };
        Failure::about(subject)(error)
    })
}

fn shown_argument(argument: &PromptArgument) -> String {
    let name = &argument.name;
    match argument.required {
        Some(true) => format!("{name} (required)"),
        Some(false) | None => name.clone(),
    }
}

fn print(
    result: &GetPromptResult,
    name: &str,
    save: &SaveArgs,
    output: &mut Output,
) -> Result<(), Failure> {
    if let Some(path) = &save.output {
        let blocks = result.messages.iter().map(|message| &message.content);
        return write_one(blocks, path, output);
    }
    let mut printer = Printer::new(name, save)?;
    // A single message is printed without its role, so that a script gets only the text.
    let are_several = result.messages.len() > 1;
    for message in &result.messages {
        if are_several {
            output.text(&format!("{}:\n", who(message.role)))?;
        }
        printer.print(&message.content, output)?;
    }
    Ok(())
}

fn who(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        _ => "unknown role",
    }
}
