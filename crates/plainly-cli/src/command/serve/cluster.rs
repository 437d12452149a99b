//! The other replicas of the server, over NATS.

use plainly::server::ServerBuilder;
use plainly_nats::Nats;

use super::key_of;
use crate::args::ServeArgs;
use crate::failure::Failure;

/// The server as one of several replicas, if it is one. NATS is reached in the background.
pub(super) async fn join(
    builder: ServerBuilder,
    args: &ServeArgs,
) -> Result<ServerBuilder, Failure> {
    let cluster = &args.network.cluster;
    if cluster.cluster.is_empty() || args.print_config.is_some() {
        return Ok(builder);
    }
    let has_password = cluster.cluster.iter().any(|url| url.contains('@'));
    if has_password && std::env::var_os("PLAINLY_CLUSTER").is_none() {
        let why = "everybody on this machine can read the password in --cluster: \
                   put the URLs into the variable PLAINLY_CLUSTER";
        return Err(Failure::impossible(why, None));
    }
    let name = cluster.cluster_name.clone();
    let mut nats = Nats::connect(&cluster.cluster).name(name.unwrap_or_else(|| key_of(args)));
    if let Some(file) = &cluster.cluster_creds {
        nats = nats.credentials(file);
    }
    if let Some(file) = &cluster.cluster_ca {
        nats = nats.root_certificate(file);
    }
    let nats = nats.await.map_err(super::impossible)?;
    Ok(builder.cluster(nats))
}
