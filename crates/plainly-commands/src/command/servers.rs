//! `plainly servers`: the servers in the configuration of hosts.

mod check;

use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::json;

use crate::args::{Host, ServersArgs};
use crate::failure::Failure;
use crate::output::Output;
use crate::servers::{ConfiguredServer, ProjectFile, Search};

pub(crate) async fn run(args: &ServersArgs) -> Result<(), Failure> {
    let only = args.allow.as_ref().or(args.config.as_ref());
    let servers = Search::new(only.map(PathBuf::as_path)).all()?;
    if let (Some(_), Some(file)) = (
        &args.allow,
        servers.iter().find_map(|it| it.foreign.as_ref()),
    ) {
        file.allow()?;
    }
    if servers.is_empty() {
        tracing::warn!(
            "no servers are configured here: `plainly servers --help` lists the files that are searched"
        );
    }
    if args.check {
        return check::check(servers, args).await;
    }
    let mut output = Output::new(args.format());
    if !servers.is_empty() {
        output.head(["NAME", "HOST", "FILE", "SERVER"], columns)?;
    }
    for (at, server) in servers.iter().enumerate() {
        let nearer = servers.get(..at).unwrap_or_default();
        let nearer = nearer.iter().find(|it| it.name == server.name);
        let is_allowed = only.is_some() || is_allowed(server);
        print(server, nearer, is_allowed, &mut output)?;
    }
    output.flush()
}

fn is_allowed(server: &ConfiguredServer) -> bool {
    server.foreign.as_ref().is_none_or(ProjectFile::is_allowed)
}

/// Prints a server. Omits it if a `nearer` server of the same name, which is used instead, is
/// equal.
fn print(
    server: &ConfiguredServer,
    nearer: Option<&ConfiguredServer>,
    is_allowed: bool,
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
            "allowed": is_allowed,
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
    if !is_allowed {
        text.push_str(" (not allowed yet)");
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
