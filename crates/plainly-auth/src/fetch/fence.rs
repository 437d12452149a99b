//! The fence: which zones may be asked, by which scheme.

use std::ops::RangeInclusive;

use plainly_oauth::network::{Network, Zone};
use reqwest::Url;
use url::Host;

use super::error::Outside;

/// Which zones are open.
#[derive(Clone, Debug)]
pub(super) struct Fence {
    /// By https.
    pub(super) tls: OpenZones,
    /// By http, if it is spoken at all.
    pub(super) plain: Option<OpenZones>,
}

/// The zones that are open by one scheme.
#[derive(Clone, Debug)]
pub(super) struct OpenZones(RangeInclusive<Zone>);

impl Fence {
    /// For what a server in this zone names.
    #[cfg(feature = "client")]
    pub(super) fn around(server: Zone, trusts_private_networks: bool) -> Self {
        let innermost = match trusts_private_networks {
            true => server.min(Zone::Private),
            false => server,
        };
        let here = OpenZones(Zone::Loopback..=Zone::Loopback);
        Self {
            tls: OpenZones(innermost..=Zone::Public),
            plain: (server == Zone::Loopback).then_some(here),
        }
    }

    /// For what an operator configures, and what that names.
    pub(super) fn for_operator() -> Self {
        let open = OpenZones(Zone::Loopback..=Zone::Public);
        Self {
            tls: open.clone(),
            plain: Some(open),
        }
    }
}

impl OpenZones {
    /// Checks where something lies: a host, or one of its addresses.
    pub(super) fn check(&self, what: &str, network: Network) -> Result<(), Outside> {
        let zone = network.zone;
        Err(Outside(if self.0.contains(&zone) {
            return Ok(());
        } else if zone == Zone::Metadata {
            format!("{what} is {network}")
        } else if zone > *self.0.end() {
            format!("http is allowed within this machine only, and {what} is {network}")
        } else {
            format!("{what} is {network}, further inside than the server that named it")
        }))
    }
}

/// The network of a URL's host, if it follows from the URL alone.
pub(super) fn network(url: &Url) -> Option<Network> {
    match url.host()? {
        Host::Ipv4(address) => Some(Network::of(address.into())),
        Host::Ipv6(address) => Some(Network::of(address.into())),
        Host::Domain(name) => Network::of_name(name),
    }
}
