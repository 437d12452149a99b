//! The HTTP clients behind the fence: one for each scheme, each with its own resolver, and one for
//! requests through a proxy of the environment, which resolves names itself.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
#[cfg(feature = "client")]
use plainly_oauth::network::Network;
use plainly_oauth::network::Zone;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

use super::error::{FetchError, Outside};
use super::fence::{self, Fence, OpenZones};
use super::resolver::{CheckedResolver, LookUp};
use super::target::Target;
use plainly_transport::tls::{self, Certificate};

/// The time for which an unused connection is kept open, which is shorter than most servers'
/// timeout.
const IDLE: Duration = Duration::from_secs(30);

/// The open zones, and the clients for them.
pub(super) struct Ways {
    tls: Way,
    plain: Option<Way>,
    proxied: Client,
    proxies: Proxies,
}

/// The open zones of one scheme.
struct Way {
    open: OpenZones,
    client: Client,
}

/// The proxies of the environment.
#[derive(Clone)]
pub(super) struct Proxies(Arc<Matcher>);

impl Proxies {
    /// The proxies that the HTTP client uses.
    pub(super) fn of_the_environment() -> Self {
        Self(Arc::new(Matcher::from_system()))
    }

    #[cfg(test)]
    pub(super) fn none() -> Self {
        Self(Arc::new(Matcher::builder().build()))
    }

    /// One proxy for everything.
    #[cfg(test)]
    pub(super) fn of(url: &str) -> Self {
        Self(Arc::new(Matcher::builder().all(url).build()))
    }

    /// Whether a proxy is used for this URL. None is used for this machine, because it would reach
    /// the proxy's machine instead.
    pub(super) fn are_for(&self, url: &Url) -> bool {
        if fence::network(url).is_some_and(|it| it.zone == Zone::Loopback) {
            return false;
        }
        let uri: Option<Uri> = url.as_str().parse().ok();
        uri.is_some_and(|uri| self.0.intercept(&uri).is_some())
    }
}

impl Ways {
    /// The clients behind a fence. They accept servers with certificates that the system trusts, or
    /// with one of these.
    pub(super) fn new(
        fence: Fence,
        look_up: &Arc<dyn LookUp>,
        proxies: Proxies,
        trusted: &[Certificate],
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let way = |scheme, open: OpenZones| {
            let client = client(scheme, trusted)?.no_proxy();
            let checked = CheckedResolver {
                look_up: look_up.clone(),
                open: open.clone(),
            };
            let client = client.dns_resolver(Arc::new(checked)).build()?;
            Ok::<_, Box<dyn Error + Send + Sync>>(Way { open, client })
        };
        Ok(Self {
            tls: way("https", fence.tls)?,
            plain: fence.plain.map(|open| way("http", open)).transpose()?,
            proxied: client("https", trusted)?.build()?,
            proxies,
        })
    }

    /// The client for a target, if the target may be requested.
    pub(super) fn to(&self, target: &Target) -> Result<&Client, FetchError> {
        let fenced = |why| FetchError::Fenced {
            url: target.shown(),
            why,
        };
        let way = match target.is_https() {
            true => Some(&self.tls),
            false => self.plain.as_ref(),
        };
        let Some(way) = way else {
            let why = "expected https, because the MCP server is not on this machine";
            return Err(fenced(why.to_owned()));
        };
        if let Some(network) = fence::network(target.url()) {
            let checked = way.open.check("its host", network);
            checked.map_err(|Outside(why)| fenced(why))?;
        }
        match self.proxies.are_for(target.url()) {
            true => Ok(&self.proxied),
            false => Ok(&way.client),
        }
    }
}

/// A client that does not follow redirects.
fn client(
    scheme: &str,
    trusted: &[Certificate],
) -> Result<ClientBuilder, Box<dyn Error + Send + Sync>> {
    Ok(Client::builder()
        .tls_backend_preconfigured(tls::config(scheme, trusted)?)
        .redirect(Policy::none())
        .referer(false)
        .pool_idle_timeout(IDLE))
}

/// The zone of the server at a URL. If it has several addresses, the outermost zone; if it can't be
/// resolved, the public one.
///
/// A name that leads only to this machine may lead elsewhere later, so every name but `localhost`
/// counts at least as private.
#[cfg(feature = "client")]
pub(super) async fn zone(url: &str, look_up: &dyn LookUp, proxies: &Proxies) -> Zone {
    let Ok(url) = Url::parse(url) else {
        return Zone::Public;
    };
    let zone = match fence::network(&url) {
        // The user chose this URL, so it counts as private here.
        Some(network) if network.zone == Zone::Metadata => Zone::Private,
        Some(network) => network.zone,
        None if proxies.are_for(&url) => Zone::Public,
        None => {
            let host = url.host_str().unwrap_or_default().to_owned();
            let found = look_up.addresses(host).await.unwrap_or_default();
            let zones = found.into_iter().map(|address| Network::of(address).zone);
            zones.max().unwrap_or(Zone::Public).max(Zone::Private)
        }
    };
    tracing::debug!(?zone, "the server's zone");
    zone
}
