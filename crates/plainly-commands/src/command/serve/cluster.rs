//! The other replicas of the server.

use plainly::server::ServerBuilder;

use super::key_of;
use crate::args::ServeArgs;
use crate::command::engine::EngineSettings;
use crate::failure::Failure;

/// Rejects contradictory options, with all mistakes at once.
pub(super) fn check(args: &ServeArgs) -> Result<(), Failure> {
    let cluster = &args.network.cluster;
    if !cluster.is_on() {
        return Ok(());
    }
    let mut mistakes = Vec::new();
    if args.content.key_file.is_none() {
        mistakes.push(
            "it needs keys that all replicas have: make a file with `openssl rand -hex 32 > keys`, and add --key-file keys"
                .to_owned(),
        );
    }
    if args.stdio {
        mistakes.push("only servers over HTTP have replicas: leave out --stdio".to_owned());
    }
    mistakes.extend(settings(args).mistakes());
    match mistakes.is_empty() {
        true => Ok(()),
        false => {
            let why = format!("cannot use --cluster: {}", mistakes.join("; "));
            Err(Failure::impossible(why, None))
        }
    }
}

/// Makes the server one of several replicas, if options require it. The engine is connected in the
/// background.
pub(super) async fn join(
    builder: ServerBuilder,
    args: &ServeArgs,
) -> Result<ServerBuilder, Failure> {
    let cluster = &args.network.cluster;
    if !cluster.is_on() || args.print_config.is_some() {
        return Ok(builder);
    }
    settings(args).join(builder).await
}

fn settings(args: &ServeArgs) -> EngineSettings<'_> {
    let cluster = &args.network.cluster;
    let name = cluster.cluster_name.clone();
    EngineSettings {
        urls: &cluster.cluster,
        name: name.unwrap_or_else(|| key_of(args)),
        files: &cluster.engine,
        copies: cluster.cluster_replicas,
    }
}
