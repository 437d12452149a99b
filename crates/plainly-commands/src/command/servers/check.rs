//! `plainly servers --check`: whether each configured server can be reached, and the number of its
//! tools.

use std::collections::HashSet;

use serde_json::json;

use super::is_allowed;
use crate::args::{DiscoverArgs, ServersArgs};
use crate::command::lacking::is_lacking;
use crate::connection;
use crate::exit::Exit;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::servers::ConfiguredServer;

/// The result of checking a server.
enum State {
    Online { server: String, tools: usize },
    Offline(String),
    Disabled,
    NotAllowed,
}

/// Checks all servers at the same time, and prints the result of each.
pub(super) async fn check(
    servers: Vec<ConfiguredServer>,
    args: &ServersArgs,
) -> Result<(), Failure> {
    let mut names = HashSet::new();
    // Only the nearest server of each name is used.
    let used = servers
        .into_iter()
        .filter(|it| names.insert(it.name.clone()));
    let config = args.config.as_deref();
    let options = config.map(|path| vec!["--config".to_owned(), path.display().to_string()]);
    let options = options.unwrap_or_default();
    let checks = used.map(|server| {
        let name = server.name.clone();
        let is_allowed = config.is_some() || is_allowed(&server);
        (
            name,
            tokio::spawn(state(server, options.clone(), is_allowed)),
        )
    });
    // All checks run before the first is awaited.
    let checks: Vec<_> = checks.collect();
    let all = checks.len();
    let mut output = Output::new(args.format());
    output.head(["NAME", "STATE", "TOOLS", "SERVER"], columns)?;
    let mut online = 0;
    let mut disabled = 0;
    for (name, check) in checks {
        let state = check.await;
        let state = state.map_err(|error| Failure::caused("a check ended early", error))?;
        match state {
            State::Online { .. } => online += 1,
            State::Disabled => disabled += 1,
            State::Offline(_) | State::NotAllowed => {}
        }
        print(&name, &state, &mut output)?;
        output.flush()?;
    }
    let missing = all - online - disabled;
    match missing {
        0 => Ok(()),
        _ => Err(Failure::Local {
            exit: Exit::Unreachable,
            what: format!("{missing} of {all} servers can't be reached"),
            source: None,
        }),
    }
}

async fn state(server: ConfiguredServer, options: Vec<String>, is_allowed: bool) -> State {
    if server.entry.as_ref().is_ok_and(|entry| entry.is_disabled) {
        return State::Disabled;
    }
    if !is_allowed {
        return State::NotAllowed;
    }
    match asked(&server.name, options).await {
        Ok((server, tools)) => State::Online { server, tools },
        Err(failure) => State::Offline(failure.in_a_line()),
    }
}

/// The server's own name, and the number of its tools.
async fn asked(name: &str, options: Vec<String>) -> Result<(String, usize), Failure> {
    let (server, args) = DiscoverArgs::reaching(options, name)?;
    let client = connection::open(server, args).await?;
    let tools = match client.tools().await {
        Err(error) if is_lacking(&error) => Ok(0),
        tools => tools.map(|tools| tools.len()),
    };
    let server = client.server();
    let server = server.map(|it| format!("{} {}", it.name, it.version));
    client.close().await;
    let tools = tools.map_err(Failure::about(Subject::Tools))?;
    Ok((server.unwrap_or_default(), tools))
}

fn print(name: &str, state: &State, output: &mut Output) -> Result<(), Failure> {
    let (word, tools, about) = match state {
        State::Online { server, tools } => ("online", Some(*tools), server.clone()),
        State::Offline(why) => ("offline", None, why.clone()),
        State::Disabled => ("disabled", None, String::new()),
        State::NotAllowed => {
            let why = "see `plainly servers`, and allow its file with --allow FILE";
            ("not allowed", None, why.to_owned())
        }
    };
    if output.is_json() {
        return output.json(&json!({
            "name": name,
            "state": word,
            "tools": tools,
            "about": about,
        }));
    }
    let tools = tools.map_or_else(|| "-".to_owned(), |tools| tools.to_string());
    output.row([name, word, &tools, &about], columns)
}

fn columns([name, state, tools, server]: [&str; 4]) -> String {
    format!("{name:<20}  {state:<11}  {tools:>5}  {server}")
}
