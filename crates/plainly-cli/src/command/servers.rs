//! `plainly servers`: the servers that hosts are configured with.

use clap::ValueEnum;
use serde_json::json;

use crate::args::{Host, ServersArgs};
use crate::failure::Failure;
use crate::output::Output;
use crate::servers::{Configured, Search};

pub(crate) fn run(args: &ServersArgs) -> Result<(), Failure> {
    let servers = Search::new(args.config.as_deref()).all()?;
    if servers.is_empty() {
        tracing::warn!(
            "no servers are configured here: `plainly servers --help` says where they are looked for"
        );
    }
    let mut output = Output::new(args.format());
    if !servers.is_empty() {
        output.head(["NAME", "HOST", "FILE", "SERVER"], columns)?;
    }
    for (at, server) in servers.iter().enumerate() {
        let nearer = servers.get(..at).unwrap_or_default();
        let nearer = nearer.iter().find(|it| it.name == server.name);
        print(server, nearer, &mut output)?;
    }
    output.flush()
}

/// Prints a server, unless a `nearer` one of the same name, which is used instead, is the same in all.
fn print(
    server: &Configured,
    nearer: Option<&Configured>,
    output: &mut Output,
) -> Result<(), Failure> {
    let host = server.host.as_ref().and_then(Host::to_possible_value);
    let host = host.as_ref().map(|host| host.get_name());
    let file = server.path.display().to_string();
    let is_other = nearer.is_some_and(|nearer| nearer.entry != server.entry);
    let nearer = nearer.map(|nearer| nearer.path.display().to_string());
    let entry = server.entry.as_ref();
    let shown = entry.map(|entry| entry.reach.shown());
    let is_disabled = entry.is_ok_and(|entry| entry.is_disabled);
    if output.is_json() {
        let names: Option<Vec<_>> = entry.ok().map(|entry| entry.reach.names().collect());
        return output.json(&json!({
            "name": server.name,
            "host": host,
            "file": file,
            "server": shown.clone().ok(),
            "given": names,
            "disabled": is_disabled,
            "wrong": shown.err(),
            "hiddenBy": nearer,
            "differs": is_other,
        }));
    }
    let mut text = match shown {
        Ok(shown) => shown,
        Err(why) => format!("(wrong: {why})"),
    };
    if is_disabled {
        text.push_str(" (disabled)");
    }
    match nearer {
        Some(nearer) if is_other => text.push_str(&format!(" (not used: {nearer} has another)")),
        Some(_) => text.push_str(" (the same again)"),
        None => {}
    }
    output.row([&server.name, host.unwrap_or("-"), &file, &text], columns)
}

fn columns([name, host, file, server]: [&str; 4]) -> String {
    format!("{name:<20}  {host:<14}  {file:<32}  {server}")
}
