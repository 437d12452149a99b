//! Fetches all URLs that other parties name: metadata of authorization servers, their keys, and
//! their endpoints. A URL may not be further inside a network than the server that named it, and
//! answers are bounded.

mod error;
mod fence;
mod resolver;
mod target;
#[cfg(test)]
mod tests;
mod ways;

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use tokio::sync::OnceCell;
use tokio::time::timeout;

pub(crate) use self::error::FetchError;
use self::fence::Fence;
use self::resolver::{LookUp, SystemLookUp};
use self::target::Target;
use self::ways::{Proxies, Ways};
use plainly_transport::tls::Certificate;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");

/// Fetches URLs. Clones share their connections.
#[derive(Clone)]
pub(crate) struct Fetcher {
    named_by: NamedBy,
    trusts_private_networks: bool,
    trusted: Vec<Certificate>,
    bounds: Bounds,
    look_up: Arc<dyn LookUp>,
    proxies: Proxies,
    /// The clients, built at first use, because that requires finding the server's network zone.
    ways: Arc<OnceCell<Ways>>,
}

/// The party that names the URLs.
#[derive(Clone, Debug)]
enum NamedBy {
    /// The MCP server at this URL, or a server that it named.
    #[cfg(feature = "client")]
    Server(String),
    /// The operator of this program.
    Operator,
}

/// The limits of one request.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The most bytes of a body.
    bytes: usize,
    /// The time limit for the whole request, including redirects.
    time: Duration,
    /// The most redirects.
    redirects: usize,
}

const BOUNDS: Bounds = Bounds {
    bytes: 1 << 20,
    time: Duration::from_secs(10),
    redirects: 3,
};

/// The answer to a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub(crate) struct FetchResponse {
    /// The final URL: the given one, unless there were redirects.
    pub(crate) url: String,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Fetcher {
    /// A fetcher for URLs that the MCP server at `url` names, or that these servers name in turn.
    /// None of them may be further inside than the MCP server. Plain HTTP is only used within this
    /// machine, and only if the server is there.
    #[cfg(feature = "client")]
    pub(crate) fn for_server(url: impl Into<String>) -> Self {
        Self::new(NamedBy::Server(url.into()))
    }

    /// A fetcher for URLs that an operator configures, and for those that these servers name in
    /// turn. Sizes and redirects are bounded nevertheless.
    pub(crate) fn for_operator() -> Self {
        Self::new(NamedBy::Operator)
    }

    fn new(named_by: NamedBy) -> Self {
        Self {
            named_by,
            trusts_private_networks: false,
            trusted: Vec::new(),
            bounds: BOUNDS,
            look_up: Arc::new(SystemLookUp),
            proxies: Proxies::of_the_environment(),
            ways: Arc::default(),
        }
    }

    /// Allows public servers to name URLs in private networks, for use within a company.
    #[cfg(feature = "client")]
    pub(crate) fn trust_private_networks(mut self) -> Self {
        self.trusts_private_networks = true;
        self.ways = Arc::default();
        self
    }

    /// Also trusts these certificates, besides those that the operating system trusts.
    pub(crate) fn trust(mut self, certificates: impl IntoIterator<Item = Certificate>) -> Self {
        self.trusted.extend(certificates);
        self.ways = Arc::default();
        self
    }

    /// Checks that a URL may be requested, without requesting it: for a URL that the user's browser
    /// opens. Host names are not resolved, because only the browser's result would count.
    #[cfg(feature = "client")]
    pub(crate) async fn check(&self, url: &str) -> Result<(), FetchError> {
        let target = Target::parse(url)?;
        let ways = self.ways.get_or_try_init(|| self.ways(&target)).await?;
        ways.to(&target).map(|_client| ())
    }

    /// Fetches a document. A few redirects are followed, and each is checked by the fence.
    pub(crate) async fn get(&self, url: &str) -> Result<FetchResponse, FetchError> {
        self.get_with(url, HeaderMap::new()).await
    }

    /// Like `get`, with headers that are also sent to redirect targets.
    pub(crate) async fn get_with(
        &self,
        url: &str,
        headers: HeaderMap,
    ) -> Result<FetchResponse, FetchError> {
        self.in_time(url, self.follow(url, headers)).await
    }

    /// Posts a form, already encoded, with headers such as `Authorization`. A redirect is returned
    /// as the answer, because following it would send the form to another party.
    pub(crate) async fn post_form(
        &self,
        url: &str,
        headers: HeaderMap,
        form: String,
    ) -> Result<FetchResponse, FetchError> {
        self.post(url, headers, FORM, form).await
    }

    /// Posts JSON. A redirect is returned as the answer.
    #[cfg(feature = "client")]
    pub(crate) async fn post_json(
        &self,
        url: &str,
        headers: HeaderMap,
        json: String,
    ) -> Result<FetchResponse, FetchError> {
        self.post(url, headers, JSON, json).await
    }

    async fn post(
        &self,
        url: &str,
        mut headers: HeaderMap,
        content: HeaderValue,
        body: String,
    ) -> Result<FetchResponse, FetchError> {
        headers.insert(CONTENT_TYPE, content);
        self.in_time(url, async {
            let target = Target::parse(url)?;
            let response = self
                .send(Method::POST, &target, headers, Some(body))
                .await?;
            self.read(target, response).await
        })
        .await
    }

    async fn follow(&self, url: &str, headers: HeaderMap) -> Result<FetchResponse, FetchError> {
        let mut target = Target::parse(url)?;
        for _ in 0..=self.bounds.redirects {
            let headers = headers.clone();
            let response = self.send(Method::GET, &target, headers, None).await?;
            let Some(location) = location(&response) else {
                return self.read(target, response).await;
            };
            target = target.redirected(location)?;
        }
        Err(FetchError::Redirects {
            url: target::shown(url),
            most: self.bounds.redirects,
        })
    }

    async fn send(
        &self,
        method: Method,
        target: &Target,
        headers: HeaderMap,
        body: Option<String>,
    ) -> Result<reqwest::Response, FetchError> {
        let ways = self.ways.get_or_try_init(|| self.ways(target)).await?;
        let client = ways.to(target)?;
        let mut request = client.request(method, target.url().clone());
        request = request.header(ACCEPT, JSON).headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let sent = request.send().await;
        sent.map_err(|failure| FetchError::of(target.shown(), failure))
    }

    /// The clients for the zones that are open to the party that names the URLs.
    async fn ways(&self, target: &Target) -> Result<Ways, FetchError> {
        let fence = match &self.named_by {
            #[cfg(feature = "client")]
            NamedBy::Server(url) => {
                let zone = ways::zone(url, &*self.look_up, &self.proxies).await;
                Fence::around(zone, self.trusts_private_networks)
            }
            NamedBy::Operator => Fence::for_operator(),
        };
        let ways = Ways::new(fence, &self.look_up, self.proxies.clone(), &self.trusted);
        ways.map_err(|source| FetchError::Unreachable {
            url: target.shown(),
            source,
        })
    }

    /// Reads the body, up to the limit.
    async fn read(
        &self,
        target: Target,
        mut response: reqwest::Response,
    ) -> Result<FetchResponse, FetchError> {
        let mut body = BytesMut::new();
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        loop {
            let chunk = response.chunk().await;
            match chunk.map_err(|failure| FetchError::of(target.shown(), failure))? {
                None => break,
                Some(chunk) if chunk.len() > self.bounds.bytes - body.len() => {
                    return Err(FetchError::TooLarge {
                        url: target.shown(),
                        most: self.bounds.bytes,
                    });
                }
                Some(chunk) => body.extend_from_slice(&chunk),
            }
        }
        Ok(FetchResponse {
            url: target.into_text(),
            status,
            headers,
            body: body.freeze(),
        })
    }

    async fn in_time<T>(
        &self,
        url: &str,
        future: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let after = self.bounds.time;
        let done = timeout(after, future).await;
        done.unwrap_or_else(|_elapsed| {
            let url = target::shown(url);
            Err(FetchError::TimedOut { url, after })
        })
    }
}

/// The target of the response, if it is a redirect.
fn location(response: &reqwest::Response) -> Option<&HeaderValue> {
    match response.status().as_u16() {
        301 | 302 | 303 | 307 | 308 => response.headers().get(LOCATION),
        _ => None,
    }
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let named_by = match &self.named_by {
            #[cfg(feature = "client")]
            NamedBy::Server(url) => target::shown(url),
            NamedBy::Operator => "the operator".to_owned(),
        };
        f.debug_struct("Fetcher")
            .field("named_by", &named_by)
            .field("trusts_private_networks", &self.trusts_private_networks)
            .finish_non_exhaustive()
    }
}
