//! Resolves names to addresses, and keeps only those that the fence allows. The connection goes to
//! one of these addresses. The name is not resolved again, so that it can't lead elsewhere
//! meanwhile (DNS rebinding).

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use plainly_oauth::network::Network;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::Outside;
use super::fence::OpenZones;

/// Finds the addresses of a host.
pub(super) trait LookUp: Send + Sync {
    fn addresses(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// Resolves names like the operating system.
pub(super) struct SystemLookUp;

/// The allowed addresses of a host.
pub(super) struct CheckedResolver {
    pub(super) look_up: Arc<dyn LookUp>,
    pub(super) open: OpenZones,
}

impl LookUp for SystemLookUp {
    fn addresses(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|found| found.ip()).collect())
        })
    }
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let open = self.open.clone();
        let found = self.look_up.addresses(name.as_str().to_owned());
        Box::pin(async move {
            let mut outside = None;
            let mut left = Vec::new();
            for address in found.await? {
                match open.check(&format!("its address {address}"), Network::of(address)) {
                    // The HTTP client sets the port.
                    Ok(()) => left.push(SocketAddr::new(address, 0)),
                    Err(why) => outside = Some(why),
                }
            }
            match (left.is_empty(), outside) {
                (true, Some(Outside(why))) => Err(Outside(why).into()),
                (..) => Ok(Box::new(left.into_iter()) as Addrs),
            }
        })
    }
}
