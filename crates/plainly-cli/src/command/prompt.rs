//! `plainly prompt`: a prompt filled in, and what it says printed.

use clap::error::ErrorKind;
use plainly::client::{Client, Error};
use plainly::protocol::types::{Arguments, GetPromptResult, PromptArgument, Role};

use super::call::shown;
use crate::args::{PromptArgs, Words};
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::terminal;

pub(crate) async fn run(mut args: PromptArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let name = words.take_name("PROMPT")?;
    let arguments = arguments(words)?;
    let mut output = Output::new(args.server.format());
    let result = with_client(server, args.server, async |client| {
        terminal::doing(&format!("waiting for {name}"));
        let asking = client.prompt(&name, arguments);
        match asking.on_progress(terminal::report).await {
            Ok(result) => Ok(result),
            Err(error) => Err(Failure::about(subject(client, &name, &error).await)(error)),
        }
    })
    .await?;
    match output.is_json() {
        true => output.json(&result)?,
        false => print(&result, &mut output)?,
    }
    output.flush()
}

/// What helps against the error: the arguments of the prompt, or the prompts that there are.
async fn subject(client: &Client, name: &str, error: &Error) -> Subject {
    // Only a help: where this fails too, the first error says more.
    let prompts = match error.protocol() {
        Some(_) => client.prompts().await.unwrap_or_default(),
        None => Vec::new(),
    };
    match prompts.iter().find(|prompt| prompt.name == name) {
        Some(prompt) => Subject::Prompt(
            prompt
                .arguments
                .iter()
                .flatten()
                .map(shown_argument)
                .collect(),
        ),
        None => Subject::Prompts(prompts.into_iter().map(|prompt| prompt.name).collect()),
    }
}

fn shown_argument(argument: &PromptArgument) -> String {
    let name = &argument.name;
    match argument.required {
        Some(true) => format!("{name} (required)"),
        Some(false) | None => name.clone(),
    }
}

/// The arguments, each as `key=text`.
fn arguments(mut words: Words) -> Result<Arguments, Failure> {
    let mut arguments = Arguments::new();
    while let Some(word) = words.next() {
        let Some((name, text)) = word.split_once('=') else {
            let why = format!("{word:?} is not a prompt argument: use key=text");
            return Err(words.wrong(ErrorKind::ValueValidation, &why));
        };
        if let Some(name) = name.strip_suffix(':') {
            let why = format!("the arguments of prompts are always text: use {name}={text}");
            return Err(words.wrong(ErrorKind::ValueValidation, &why));
        }
        if arguments.insert(name.to_owned(), text.to_owned()).is_some() {
            let why = format!("the argument {name:?} is given twice");
            return Err(words.wrong(ErrorKind::ValueValidation, &why));
        }
    }
    Ok(arguments)
}

fn print(result: &GetPromptResult, output: &mut Output) -> Result<(), Failure> {
    // A single message stands alone, so that a script gets nothing but its text.
    let are_several = result.messages.len() > 1;
    for message in &result.messages {
        if are_several {
            output.text(&format!("{}:\n", who(message.role)))?;
        }
        output.lines(&shown(&message.content))?;
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
