//! Any head and body of an HTTP request. The request must reach the server only with an allowed
//! host, from an allowed origin, and as plain JSON, according to a second parser. Setting an
//! invalid host or origin must fail.

#![no_main]

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use http::uri::Authority;
use http::{Request, StatusCode, Version};
use http_body_util::Full;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly::ProtocolError;
use plainly::transport::http::HttpService;
use plainly::transport::{Exchange, Frame, Reply};
use plainly_fuzz::simulate;
use tower_service::Service;

const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    allowed_host: Option<Text<'a>>,
    allowed_origin: Option<Text<'a>>,
    is_http_2: bool,
    method: Text<'a>,
    target: Text<'a>,
    hosts: Vec<Text<'a>>,
    origins: Vec<Text<'a>>,
    headers: Vec<(Text<'a>, Text<'a>)>,
    body: &'a [u8],
}

/// Any text, with a high probability of a significant one.
#[derive(Debug)]
struct Text<'a>(&'a str);

impl<'a> Arbitrary<'a> for Text<'a> {
    fn arbitrary(input: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        const USUAL: [&str; 28] = [
            "localhost",
            "LOCALHOST",
            "localhost:80",
            "localhost:",
            "localhost.",
            "localhost.evil.example",
            "127.0.0.1:3333",
            "[::1]:3333",
            "[::1",
            "evil.example",
            "a@localhost",
            "null",
            "http://localhost",
            "http://LOCALHOST:3333",
            "http://127.0.0.1:3333",
            "http://[::1]:3333",
            "https://localhost",
            "https://evil.example",
            "POST",
            "GET",
            "DELETE",
            "/mcp",
            "http://localhost/mcp",
            "content-type",
            "application/json",
            "application/json; charset=utf-16",
            "accept",
            "application/json, text/event-stream",
        ];
        Ok(Self(match input.arbitrary::<u8>()? {
            which @ 0..200 => USUAL[usize::from(which) % USUAL.len()],
            _ => input.arbitrary()?,
        }))
    }
}

/// A service that records whether a request reached it.
#[derive(Clone, Debug, Default)]
struct Behind(Arc<AtomicBool>);

impl Behind {
    fn reached(&self) -> Reply {
        self.0.store(true, Ordering::Relaxed);
        Reply::new(StatusCode::OK, Bytes::new())
    }
}

impl Exchange for Behind {
    async fn exchange(&self, _: &Frame) -> Reply {
        self.reached()
    }

    async fn open_stream(&self, _: &Frame) -> Reply {
        self.reached()
    }

    async fn end_session(&self, _: &Frame) -> Reply {
        self.reached()
    }

    fn refuse(&self, _: &ProtocolError, _: Option<IpAddr>) -> Reply {
        Reply::new(StatusCode::BAD_REQUEST, Bytes::new())
    }
}

fuzz_target!(|input: Input<'_>| {
    let behind = Behind::default();
    let mut service = HttpService::new(behind.clone());
    if let Some(Text(host)) = input.allowed_host {
        match service.clone().allow_host(host) {
            Ok(allowing) => service = allowing,
            Err(error) => assert!(error.to_string().contains("host")),
        }
    }
    if let Some(Text(origin)) = input.allowed_origin {
        match service.clone().allow_origin(origin) {
            Ok(allowing) => service = allowing,
            Err(error) => assert!(error.to_string().contains("origin")),
        }
    }
    let Some(request) = input.request() else {
        return;
    };
    let is_allowed = input.allows(&request);
    let is_page = input.names_origin(&request);
    let is_json = request.method() != "POST" || is_json(&request);
    simulate(async move {
        let response = service.call(request).await.unwrap();
        let headers = response.headers();
        // Pages of other origins must not get any CORS headers.
        let mut names = headers.keys().map(HeaderName::as_str);
        assert!(is_page || !names.any(|name| name.starts_with("access-control")));
        if behind.0.load(Ordering::Relaxed) {
            assert!(is_allowed && is_json);
        }
    });
});

impl Input<'_> {
    fn request(&self) -> Option<Request<Full<Bytes>>> {
        let mut request = Request::builder().method(self.method.0).uri(self.target.0);
        if self.is_http_2 {
            request = request.version(Version::HTTP_2);
        }
        for Text(host) in &self.hosts {
            request = request.header(HOST, *host);
        }
        for Text(origin) in &self.origins {
            request = request.header(ORIGIN, *origin);
        }
        for (Text(name), Text(value)) in &self.headers {
            request = request.header(*name, *value);
        }
        request.body(Full::from(self.body.to_vec())).ok()
    }

    fn allows<B>(&self, request: &Request<B>) -> bool {
        let hosts: Vec<_> = request.headers().get_all(HOST).iter().collect();
        let target = request.uri().authority().map(Authority::as_str);
        let host = match (hosts.as_slice(), target) {
            ([host], None) => host.to_str().ok(),
            ([host], Some(target)) => host
                .to_str()
                .ok()
                .filter(|host| host.eq_ignore_ascii_case(target)),
            ([], Some(target)) => Some(target).filter(|_| self.is_http_2),
            _ => None,
        };
        let Some((name, port)) = host.and_then(authority) else {
            return false;
        };
        let is_loopback = LOOPBACK.contains(&&*name);
        let allowed = self
            .allowed_host
            .as_ref()
            .and_then(|Text(host)| authority(host));
        let is_added =
            allowed.is_some_and(|(other, at)| other == name && (at.is_none() || at == port));
        let own = is_loopback.then_some(port.unwrap_or(80));
        (is_loopback || is_added) && self.allows_origin(request, own)
    }

    fn allows_origin<B>(&self, request: &Request<B>, own: Option<u16>) -> bool {
        let origins: Vec<_> = request.headers().get_all(ORIGIN).iter().collect();
        let origin = match origins.as_slice() {
            [] => return true,
            [origin] => origin.to_str().unwrap_or_default(),
            _ => return false,
        };
        let loopback = origin.strip_prefix("http://").and_then(authority);
        let is_own = |(name, port): (String, Option<u16>)| {
            LOOPBACK.contains(&&*name) && Some(port.unwrap_or(80)) == own
        };
        loopback.is_some_and(is_own) || self.names_origin(request)
    }

    /// Whether the request comes from a page whose origin is explicitly allowed.
    fn names_origin<B>(&self, request: &Request<B>) -> bool {
        let mut origins = request.headers().get_all(ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else {
            return false;
        };
        let allowed = self.allowed_origin.as_ref();
        allowed
            .is_some_and(|Text(allowed)| allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes()))
    }
}

/// The host in lower case, and the port, according to another library's parser.
fn authority(text: &str) -> Option<(String, Option<u16>)> {
    let authority: Authority = text.strip_suffix(':').unwrap_or(text).parse().ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let port = authority.port().map(|port| port.as_str().parse().ok());
    if port == Some(None) {
        return None;
    }
    Some((authority.host().to_ascii_lowercase(), port.flatten()))
}

fn is_json<B>(request: &Request<B>) -> bool {
    let types: Vec<_> = request.headers().get_all(CONTENT_TYPE).iter().collect();
    let [only] = types.as_slice() else {
        return false;
    };
    let text = only.to_str().unwrap_or_default().to_ascii_lowercase();
    text.split(';')
        .next()
        .is_some_and(|name| name.trim() == "application/json")
        && !text.contains("utf-16")
}
