//! The changes that options allow, and the clients that may make them.

use std::net::SocketAddr;

use plainly::limits::Limits;
use plainly::server::Tool;
use plainly::server::auth::ResourceServerBuilder;
use plainly_directory::{DirectoryStore, DirectoryStoreBuilder};

use super::{filesystem, network};
use crate::args::{Mount, Scopes, ServeArgs, ToolNames, WriteArgs, named};
use crate::failure::Failure;
use crate::machine::is_this_machine;

/// Whether any file may be changed.
pub(super) fn is_on(args: &ServeArgs) -> bool {
    args.writing.write || args.mounts.iter().any(|mount| mount.is_writable)
}

/// The names of the tools that change files, if any file may be changed.
pub(super) fn names(args: &ServeArgs) -> Vec<&'static str> {
    match is_on(args) {
        true => args.content.tool_names.writing(),
        false => Vec::new(),
    }
}

/// Rejects options that would have no effect, or would let every client that reaches the server
/// make changes.
pub(super) fn check(args: &ServeArgs) -> Result<(), Failure> {
    let scope = (!args.auth.write_scope.is_empty()).then_some("--write-scope");
    let writing = args.content.tool_names.writing();
    let named = named(&args.content.tools);
    let tool = named.into_iter().find(|name| writing.contains(name));
    let given = args.writing.given().or(scope).or(tool);
    if let Some(option) = given.filter(|_| !is_on(args)) {
        let why = format!("{option} is for a server that writes: add --write");
        return Err(Failure::impossible(why, None));
    }
    if args.writing.write && args.mounts.is_empty() {
        let why = "--write changes the files of directories: give a directory to serve";
        return Err(Failure::impossible(why, None));
    }
    if is_on(args) && args.content.no_tools {
        let why = "files are written by tools: leave out --no-tools";
        return Err(Failure::impossible(why, None));
    }
    let is_guarded = !args.auth.write_scope.is_empty();
    if is_on(args) && !is_guarded && is_reachable(args) {
        let why = "other machines can reach the server, and could change the files: name the scope that they need with \
                   --write-scope";
        return Err(Failure::impossible(why, None));
    }
    Ok(())
}

/// Whether other machines can reach the server, directly or through a proxy.
fn is_reachable(args: &ServeArgs) -> bool {
    let is_remote = |address: SocketAddr| !address.ip().to_canonical().is_loopback();
    let named = args.allow_host.iter().map(String::as_str);
    let mut hosts = named.chain(super::public_host(args));
    let is_behind_proxy = !args.network.trusted_proxy.is_empty();
    is_behind_proxy || args.http.is_some_and(is_remote) || hosts.any(|host| !is_this_machine(host))
}

/// Raises the message limit to fit the largest write in base64.
pub(super) fn limit(args: &WriteArgs, limits: &mut Limits) {
    let largest = usize::try_from(args.max_write_size.div_ceil(3)).unwrap_or(usize::MAX);
    let message = largest.saturating_mul(4).saturating_add(1 << 20);
    limits.message_bytes = limits.message_bytes.max(message);
}

/// Sets the limits for changes of the store.
pub(super) fn prepared(builder: DirectoryStoreBuilder, args: &ServeArgs) -> DirectoryStoreBuilder {
    builder
        .writable(args.writing.write)
        .max_write_bytes(args.writing.max_write_size)
}

/// Adds a directory.
pub(super) fn mounted(builder: DirectoryStoreBuilder, mount: &Mount) -> DirectoryStoreBuilder {
    match (&mount.name, mount.is_writable) {
        (Some(name), true) => builder.mount_writable_as(name, &mount.path),
        (Some(name), false) => builder.mount_as(name, &mount.path),
        (None, true) => builder.mount_writable(&mount.path),
        (None, false) => builder.mount(&mount.path),
    }
}

/// The tools that change files: those that `--tools` names, or all if it names none of them.
pub(super) fn tools(store: &DirectoryStore, args: &ServeArgs) -> Vec<Tool> {
    if !is_on(args) {
        return Vec::new();
    }
    let bytes = usize::try_from(args.writing.max_write_size).unwrap_or(usize::MAX);
    let own = match network::is_local(args) {
        true => store.local_write_tools(),
        false => store.write_tools(),
    };
    let own = own.confirm(args.writing.confirm.into()).max_bytes(bytes);
    let names = args.content.tool_names;
    let mut tools = match names {
        ToolNames::Plainly => own.build(),
        ToolNames::Filesystem => filesystem::tools(store, args).writing(own),
    };
    let (writing, named) = (names.writing(), named(&args.content.tools));
    if named.iter().any(|name| writing.contains(name)) {
        tools.retain(|tool| named.contains(&tool.name()));
    }
    tools
}

/// Adds to the gate the scopes that these tools require.
pub(super) fn guarded(mut gate: ResourceServerBuilder, args: &ServeArgs) -> ResourceServerBuilder {
    let scopes = Scopes::all(&args.auth.write_scope);
    if !scopes.is_empty() {
        for name in args.content.tool_names.writing() {
            gate = gate.tool(name, scopes.clone());
        }
    }
    gate
}
