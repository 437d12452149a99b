//! A server at a URL: the settings of its requests, and its transport.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::Url;
use serde_json::json;

use crate::connect::Client;
use crate::connect::builder::Builder;
use crate::error::{Error, LocalError, Result};
use crate::http::authorization::Authorizer;
use crate::http::authorization::bearer::BearerToken;
use crate::http::authorization::token_source::TokenSource;
use crate::http::connection::HttpConnection;
use crate::http::endpoint::Endpoint;
use crate::http::gate::Gate;
use crate::http::opening;
use crate::http::pipe::PipeConnection;
use crate::link::Link;
use crate::message::traffic::Tap;
use plainly_transport::tls::{self, Certificate};

/// The headers that this client writes itself, each with the reason why the caller can't set it. A
/// name that ends with `-` stands for all names that start with it.
const RESERVED: [(&str, &str); 9] = [
    ("accept", "the transport decides which types it accepts"),
    ("accept-encoding", "the client reads no compressed replies"),
    ("connection", "the client manages its connections"),
    ("content-length", "it follows from the message"),
    ("content-type", "every message is JSON"),
    ("host", "it follows from the URL"),
    ("last-event-id", "it follows from the stream"),
    ("mcp-", "the protocol sets all headers that begin with Mcp-"),
    ("transfer-encoding", "it follows from the message"),
];

/// A server at a URL, reached by Streamable HTTP or HTTP with SSE.
pub struct Http {
    url: String,
    headers: Vec<(String, String)>,
    /// The trusted certificates in PEM, file by file.
    trusted: Vec<Vec<u8>>,
    authorizer: Option<Arc<dyn Authorizer>>,
    /// Whether credentials may be sent unencrypted to other machines.
    is_plaintext_allowed: bool,
}

impl Client {
    /// A client of the server at `url`, by Streamable HTTP, or by HTTP with SSE, the transport of
    /// 2024-11-05, if the server supports nothing newer there. With HTTP with SSE, the connection
    /// [ends](LocalError::Closed) when the stream of events ends.
    pub fn http(url: impl Into<String>) -> Builder<Http> {
        Builder::new(Http {
            url: url.into(),
            headers: Vec::new(),
            trusted: Vec::new(),
            authorizer: None,
            is_plaintext_allowed: false,
        })
    }
}

impl Builder<Http> {
    /// Sets a header of every HTTP request, such as `Authorization`; the last value counts.
    ///
    /// # Errors
    ///
    /// [`connect`](Self::connect) fails with [`LocalError::ReservedHeader`] if it is a header that
    /// the client writes itself, such as `Content-Type` or `Mcp-Session-Id`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.target.headers.push((name.into(), value.into()));
        self
    }

    /// Also trusts these certificates in PEM, besides those that the operating system trusts: for
    /// servers of an organisation with its own certificate authority. Other contents of `pem`, such
    /// as a private key, are not used.
    ///
    /// # Errors
    ///
    /// [`connect`](Self::connect) fails with [`LocalError::Configuration`] if `pem` contains no
    /// certificate, or a broken one.
    pub fn trust(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.target.trusted.push(pem.into());
        self
    }

    /// Connects to the server and negotiates a revision. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`LocalError::Configuration`] if the URL or a header is invalid.
    /// [`LocalError::ReservedHeader`] if the client writes a header itself.
    /// [`LocalError::Unreachable`] if no server answers. [`LocalError::Authorization`] if there are
    /// no credentials that the server accepts. [`LocalError::UnsupportedVersion`] if there is no
    /// revision in common. Otherwise the errors of any call: a web page in place of a message is
    /// [`LocalError::InvalidResponse`].
    pub async fn connect(mut self) -> Result<Client> {
        let by = self.options.deadline();
        let headers = headers(&self.target.headers)?;
        let trusted = trusted(&self.target.trusted)?;
        let url = url(&self.target.url)?;
        let gate = self.target.authorizer.clone().map(|authorizer| {
            let is_allowed = self.target.is_plaintext_allowed;
            Gate::new(authorizer, is_allowed, &url, self.options.clocks.clone())
        });
        check_authorization(gate.is_some(), &url, &headers)?;
        let extensions = gate.iter().flat_map(Gate::extensions);
        let declared = &mut self.options.introduction.capabilities.extensions;
        for extension in extensions {
            let declared = declared.get_or_insert_default();
            declared.entry(extension).or_insert_with(|| json!({}));
        }
        self.options.shelf = self.options.shelf.map(|shelf| {
            // The headers are sorted, so that their order does not matter.
            let sent: BTreeMap<_, _> = headers
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_bytes()))
                .collect();
            shelf.at((url.as_str(), &self.target.trusted), sent)
        });
        let host = url.host_str().unwrap_or_default().to_owned();
        let connect = self.options.connect_timeout;
        let limit = self.options.limits.message_bytes;
        let tap = self.options.tap.clone();
        let endpoint = Endpoint::new(url, headers, gate, &trusted, connect, limit, tap)
            .map_err(|source| LocalError::Unreachable { url: host, source })?;
        let connection = HttpConnection::new(endpoint.clone(), self.options.dispatcher());
        let session = connection.session();
        let refusal =
            match Client::establish(Link::over_http(connection), self.options.clone(), &by).await {
                Err(error) if session.is_refused() => error,
                established => return established,
            };
        let pipe = opening::open(&endpoint, &by, refusal).await?;
        tracing::debug!("the server speaks HTTP with SSE");
        let mut options = self.options;
        // A server that supports this transport is a legacy server.
        options.probes = false;
        // The endpoint reports the traffic.
        options.tap = Tap::default();
        // The reply comes apart from its request, so the credentials of the request are unknown.
        options.shelf = options.shelf.filter(|_| self.target.authorizer.is_none());
        let connection = PipeConnection::new(pipe, options.dispatcher());
        Client::establish(Link::new(connection), options, &by).await
    }
}

impl Builder<Http> {
    /// Sends this token with every HTTP request, as `Authorization: Bearer …`. The token stays the
    /// same; a token that expires needs a [function](Self::token).
    ///
    /// If more than one of `bearer`, [`token`](Self::token) and [`authorizer`](Self::authorizer) is
    /// called, the last call counts.
    ///
    /// ```no_run
    /// # async fn example(token: String) -> plainly::client::Result<()> {
    /// use plainly::Client;
    ///
    /// let client = Client::http("https://mcp.example.com/mcp").bearer(token).connect().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`connect`](Self::connect) fails with [`AuthError::Plaintext`](crate::AuthError::Plaintext)
    /// if the URL begins with `http` and is on another machine, unless that is
    /// [allowed](Self::allow_plaintext_token). It fails with
    /// [`AuthError::TokenUnusable`](crate::AuthError::TokenUnusable) if the token is invalid, and
    /// with [`LocalError::ReservedHeader`](crate::LocalError::ReservedHeader) if there is a
    /// [header](Self::header) `Authorization` too.
    pub fn bearer(self, token: impl Into<String>) -> Self {
        self.authorizer(BearerToken::new(&token.into()))
    }

    /// Sends the token that `ask` returns with every HTTP request. `ask` is called before the first
    /// request, and again when the server rejects the token with 401: once for each call, and once
    /// for all calls that wait meanwhile.
    ///
    /// ```no_run
    /// # async fn renewed() -> Result<String, std::io::Error> { Ok(String::new()) }
    /// # async fn example() -> plainly::client::Result<()> {
    /// use plainly::Client;
    ///
    /// let client = Client::http("https://mcp.example.com/mcp")
    ///     .token(|| async { Ok(renewed().await?) })
    ///     .connect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`bearer`](Self::bearer), from any call.
    /// [`AuthError::Assertion`](crate::AuthError::Assertion) if `ask` fails.
    pub fn token<A>(self, ask: impl Fn() -> A + Send + Sync + 'static) -> Self
    where
        A: Future<Output = std::result::Result<String, Box<dyn StdError + Send + Sync>>>
            + Send
            + 'static,
    {
        self.authorizer(TokenSource::new(ask))
    }

    /// Lets `authorizer` provide the credentials of every HTTP request.
    ///
    /// # Errors
    ///
    /// Any call may fail with the authorizer's error, as
    /// [`LocalError::Authorization`](crate::LocalError::Authorization), or with an error of
    /// [`bearer`](Self::bearer).
    pub fn authorizer(mut self, authorizer: impl Authorizer + 'static) -> Self {
        self.target.authorizer = Some(Arc::new(authorizer));
        self
    }

    /// Allows sending credentials unencrypted to other machines, for a network where every possible
    /// reader may have them. A token that is set as a [header](Self::header) is sent to any URL
    /// anyway.
    pub fn allow_plaintext_token(mut self) -> Self {
        self.target.is_plaintext_allowed = true;
        self
    }
}

/// Omits the values of headers, and the parts of the URL that may be secret.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Http")
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

fn url(text: &str) -> Result<Url> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(_) | Err(_) => Err(configuration("HTTP URL", text)),
    }
}

fn trusted(files: &[Vec<u8>]) -> Result<Vec<Certificate>> {
    let mut trusted = Vec::new();
    for pem in files {
        let certificates = tls::certificates(pem);
        if certificates.is_empty() {
            return Err(configuration("certificate in PEM", label(pem)));
        }
        trusted.extend(certificates);
    }
    Ok(trusted)
}

/// The first label of a file in PEM, without the rest of the file, which may be secret.
fn label(pem: &[u8]) -> &str {
    let lines = str::from_utf8(pem).unwrap_or_default().lines();
    let mut labels = lines.map(str::trim_end).filter(|line| {
        let label = line.strip_prefix("-----BEGIN ");
        let label = label.and_then(|label| label.strip_suffix("-----"));
        label.is_some_and(|it| it.bytes().all(|it| it == b' ' || it.is_ascii_uppercase()))
    });
    labels.next().unwrap_or("no -----BEGIN CERTIFICATE-----")
}

fn headers(pairs: &[(String, String)]) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let key = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_invalid| configuration("header name", name))?;
        if let Some(why) = reserved(&key) {
            let name = name.clone();
            return Err(LocalError::ReservedHeader { name, why }.into());
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_invalid| configuration("value of header", name))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// Fails if the credentials that the authorizer writes are set in another way, too.
fn check_authorization(is_asked: bool, url: &Url, headers: &HeaderMap) -> Result<()> {
    let why = match (url.username(), url.password()) {
        _ if headers.contains_key(AUTHORIZATION) => {
            "this client has a token, or something that gives it one"
        }
        ("", None) => return Ok(()),
        _ => "this client has a token, or something that gives it one, and the URL has a user name",
    };
    let name = "Authorization".to_owned();
    match is_asked {
        true => Err(LocalError::ReservedHeader { name, why }.into()),
        false => Ok(()),
    }
}

/// The reason why the header is reserved, if it is.
fn reserved(name: &HeaderName) -> Option<&'static str> {
    let name = name.as_str();
    let mut rows = RESERVED.into_iter();
    let row = rows.find(|(row, _)| name == *row || row.ends_with('-') && name.starts_with(row));
    row.map(|(_, why)| why)
}

fn configuration(what: &'static str, value: &str) -> Error {
    let value = value.to_owned();
    LocalError::Configuration { what, value }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_without_a_certificate_nothing_is_told_but_what_it_has() {
        for (file, expected) in [
            (
                "machine example.com password s3cret\n",
                "no -----BEGIN CERTIFICATE-----",
            ),
            ("-----BEGIN s3cret-----\n", "no -----BEGIN CERTIFICATE-----"),
            (
                "s3cret\n-----BEGIN PRIVATE KEY-----\r\ns3cret\n",
                "-----BEGIN PRIVATE KEY-----",
            ),
            (
                "-----BEGIN CERTIFICATE-----\ns3cret\n",
                "-----BEGIN CERTIFICATE-----",
            ),
        ] {
            let error = trusted(&[file.into()]).unwrap_err();
            let expected = format!("invalid certificate in PEM: {expected:?}");
            assert_eq!(error.to_string(), expected);
        }
    }
}
