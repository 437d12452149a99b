//! Tests the requests that pass the fence, against servers that try to bypass it.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get};
use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};
use plainly_oauth::network::Zone;
use plainly_peer::within;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;

use super::resolver::LookUp;
use super::ways::{Proxies, zone};
use super::{Bounds, FetchError, FetchResponse, Fetcher};

/// The addresses of names, which may change with each lookup.
#[derive(Default)]
struct Names {
    addresses: HashMap<&'static str, Vec<Vec<IpAddr>>>,
    looks: AtomicUsize,
}

impl LookUp for Names {
    fn addresses(&self, host: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let answers = self.addresses.get(&*host);
        let found = answers.map(|answers| answers[look.min(answers.len() - 1)].clone());
        Box::pin(async { found.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }
}

/// Names with their addresses at each lookup.
fn names(rows: &[(&'static str, &[&[&str]])]) -> Arc<Names> {
    let addresses = rows.iter().map(|(name, looks)| {
        let parsed = |addresses: &&[&str]| addresses.iter().map(|it| it.parse().unwrap()).collect();
        (*name, looks.iter().map(parsed).collect())
    });
    Arc::new(Names {
        addresses: addresses.collect(),
        looks: AtomicUsize::new(0),
    })
}

fn with(fetcher: Fetcher, names: &Arc<Names>) -> Fetcher {
    Fetcher {
        look_up: names.clone(),
        proxies: Proxies::none(),
        ..fetcher
    }
}

/// A fetcher for a server on this machine.
fn here() -> Fetcher {
    with(Fetcher::for_server("http://localhost/mcp"), &names(&[]))
}

async fn site(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async { axum::serve(listener, router).await });
    address
}

/// A site that counts its requests, and answers with the headers of the request.
async fn counting() -> (SocketAddr, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let answer = async move |request: Request| {
        counted.fetch_add(1, Ordering::Relaxed);
        format!("{:?}", request.headers())
    };
    (site(Router::new().fallback(answer)).await, count)
}

fn fenced(fetched: Result<FetchResponse, FetchError>) -> String {
    match fetched {
        Err(FetchError::Fenced { url, why }) => format!("{url}: {why}"),
        other => panic!("{other:?}"),
    }
}

/// An MCP server, the URL that it names, and the reason why that URL is rejected. `…` stands for
/// [`INSIDE`]. `here.example` counts as private, because its name may lead elsewhere later.
const FENCED: &str = "\
https://public.example/mcp | https://10.0.0.2:1/ | its host is a private address…
https://public.example/mcp | https://[::1]:1/ | its host is a loopback address…
https://public.example/mcp | https://localhost:1/ | its host is a name of this machine…
https://public.example/mcp | https://private.example/ | its address 10.0.0.1 is a private address…
https://public.example/mcp | https://here.example/ | its address 127.0.0.1 is a loopback address…
https://public.example/mcp | http://public.example/ | expected https, because the MCP server is not on this machine
https://public.example/mcp | http://127.0.0.1:1/ | expected https, because the MCP server is not on this machine
https://both.example/ | https://10.0.0.2:1/ | its host is a private address…
https://unknown.example/ | https://10.0.0.2:1/ | its host is a private address…
http://here.example/ | http://127.0.0.1:1/ | expected https, because the MCP server is not on this machine
https://private.example/mcp | https://127.0.0.1:1/ | its host is a loopback address…
https://private.example/mcp | https://169.254.169.254/ | its host is a cloud's metadata address
http://127.0.0.1:1/mcp | https://[fd00:ec2::254]/ | its host is a cloud's metadata address
http://127.0.0.1:1/mcp | https://metadata.google.internal/ | its host is a cloud's metadata name
http://127.0.0.1:1/mcp | http://10.0.0.1/ | http is allowed within this machine only, and its host is a private address
http://127.0.0.1:1/mcp | http://public.example/ | http is allowed within this machine only, and its address 8.8.8.8 is a public address
http://127.0.0.1:1/mcp | file:///etc/passwd | expected https, or http within this machine
http://127.0.0.1:1/mcp | https://user:password@public.example/?query | it contains a user name or a password
http://127.0.0.1:1/mcp | https://public.example\\@evil.example/ | it has characters that are invalid in a URL
http://127.0.0.1:1/mcp |  https://public.example/ | it has characters that are invalid in a URL
http://127.0.0.1:1/mcp | public.example | it is not a URL: relative URL without a base";
const INSIDE: &str = ", further inside than the server that named it";

#[tokio::test]
async fn what_a_server_names_may_not_lie_further_inside_than_the_server() {
    let all = names(&[
        ("public.example", &[&["8.8.8.8"]]),
        ("private.example", &[&["10.0.0.1"]]),
        ("both.example", &[&["10.0.0.1", "8.8.8.8"]]),
        ("here.example", &[&["127.0.0.1"]]),
    ]);
    for row in FENCED.lines() {
        let fields: Vec<_> = row.splitn(3, " | ").collect();
        let [server, named, why] = fields[..] else {
            panic!("{row}");
        };
        let why = format!(": {}", why.replace('…', INSIDE));
        let fetcher = with(Fetcher::for_server(server), &all);
        let told = fenced(within(fetcher.get(named)).await);
        assert!(told.ends_with(&why), "{row}: {told}");
        assert!(
            !told.contains("password@") && !told.contains("query"),
            "{told}"
        );
    }
}

/// An MCP server in a company's network, and its authorization server there.
#[cfg(feature = "client")]
#[tokio::test]
async fn what_a_server_names_may_lie_as_far_inside_as_the_server() {
    for (server, named) in [
        ("https://[fd00::1]/mcp", "https://[fd00::1]/authorize"),
        ("https://[fd00::1]/mcp", "https://10.0.0.1/authorize"),
        ("https://10.0.0.1/mcp", "https://[fd00::1]/authorize"),
    ] {
        let fetcher = with(Fetcher::for_server(server), &names(&[]));
        let checked = within(fetcher.check(named)).await;
        assert!(checked.is_ok(), "{server} names {named}: {checked:?}");
    }
}

#[tokio::test]
async fn each_spelling_of_an_address_is_behind_the_fence() {
    for host in [
        "169.254.169.254",
        "[fd00:ec2::254]",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.1",
        "%31%32%37.0.0.1",
        "127.0.0.1.",
        "[::ffff:7f00:1]",
        "[2002:7f00:1::]",
        "[64:ff9b::7f00:1]",
        "[fec0::1]",
        "0",
        "localhost.",
    ] {
        let server = with(Fetcher::for_server("https://8.8.8.8/"), &names(&[]));
        let url = format!("https://{host}:1/");
        let got = fenced(within(server.get(&url)).await);
        assert!(got.contains("its host is"), "{got}");
        let form = server.post_form(&url, HeaderMap::new(), String::new());
        let posted = fenced(within(form).await);
        assert_eq!(posted, got);
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_the_connection_goes_to_an_address_that_was_checked() {
    let (address, count) = counting().await;
    let port = address.port();
    let all = names(&[("as.example", &[&["10.0.0.1", "127.0.0.1"], &["10.0.0.1"]])]);
    let fetcher = with(Fetcher::for_server("http://127.0.0.1/"), &all);
    let url = format!("http://as.example:{port}/");
    let fetched = within(fetcher.get(&url)).await.unwrap();
    assert_eq!((fetched.status, fetched.url), (StatusCode::OK, url));
    assert_eq!(all.looks.load(Ordering::Relaxed), 1);
    assert_eq!(count.load(Ordering::Relaxed), 1);

    let changing = names(&[("mcp.example", &[&["8.8.8.8"], &["127.0.0.1"]])]);
    let fetcher = with(Fetcher::for_server("https://mcp.example/"), &changing);
    let url = format!("https://mcp.example:{port}/");
    let told = fenced(within(fetcher.get(&url)).await);
    assert!(told.contains("its address 127.0.0.1"), "{told}");
    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn private_networks_can_be_trusted_but_neither_this_machine_nor_the_secrets_of_clouds() {
    let all = names(&[]);
    let server = Fetcher::for_server("https://8.8.8.8/").trust_private_networks();
    let server = with(server, &all);
    for url in ["https://127.0.0.1:1/", "https://169.254.169.254/"] {
        fenced(within(server.get(url)).await);
    }
    let fence = super::fence::Fence::around(Zone::Public, true);
    let private = plainly_oauth::network::Network::of("10.0.0.1".parse().unwrap());
    assert!(fence.tls.check("its host", private).is_ok());
    assert!(fence.plain.is_none());
}

#[tokio::test]
async fn a_server_lies_where_it_is_reached_and_a_name_never_on_this_machine() {
    let all = names(&[
        ("public.example", &[&["8.8.8.8"]]),
        ("both.example", &[&["10.0.0.1", "8.8.8.8"]]),
        ("private.example", &[&["10.0.0.1"]]),
        ("here.example", &[&["127.0.0.1"]]),
        ("cloud.example", &[&["169.254.169.254"]]),
    ]);
    let (direct, proxied) = (Proxies::none(), Proxies::of("http://127.0.0.1:1"));
    for (url, expected, through_a_proxy) in [
        ("https://8.8.8.8/", Zone::Public, Zone::Public),
        ("https://10.0.0.1/", Zone::Private, Zone::Private),
        ("https://127.0.0.1/", Zone::Loopback, Zone::Loopback),
        ("https://localhost/", Zone::Loopback, Zone::Loopback),
        ("https://169.254.169.254/", Zone::Private, Zone::Private),
        ("https://public.example/", Zone::Public, Zone::Public),
        ("https://both.example/", Zone::Public, Zone::Public),
        ("https://private.example/", Zone::Private, Zone::Public),
        ("https://here.example/", Zone::Private, Zone::Public),
        ("https://cloud.example/", Zone::Private, Zone::Public),
        ("https://unknown.example/", Zone::Public, Zone::Public),
        ("no URL", Zone::Public, Zone::Public),
    ] {
        assert_eq!(zone(url, &*all, &direct).await, expected, "{url}");
        let proxied = zone(url, &*all, &proxied).await;
        assert_eq!(proxied, through_a_proxy, "{url}, through a proxy");
    }
}

#[test]
fn what_is_on_this_machine_is_asked_without_a_proxy() {
    let proxies = Proxies::of("http://127.0.0.1:1");
    for (url, expected) in [
        ("https://as.example/", true),
        ("https://10.0.0.1/", true),
        ("https://localhost/", false),
        ("http://127.0.0.1:8080/", false),
        ("https://[::1]/", false),
    ] {
        let url = Url::parse(url).unwrap();
        assert_eq!(proxies.are_for(&url), expected, "{url}");
        assert!(!Proxies::none().are_for(&url), "{url}");
    }
}

#[test]
fn a_fetcher_shows_who_names_its_urls_and_no_secret() {
    for (fetcher, expected) in [
        (
            Fetcher::for_server("https://user:password@a.example/mcp?token=secret"),
            r#"Fetcher { named_by: "https://a.example/mcp", trusts_private_networks: false, .. }"#,
        ),
        (
            Fetcher::for_operator(),
            r#"Fetcher { named_by: "the operator", trusts_private_networks: false, .. }"#,
        ),
    ] {
        assert_eq!(format!("{fetcher:?}"), expected);
    }
}

#[tokio::test]
async fn an_operator_is_trusted_but_for_the_secrets_of_clouds() {
    let (address, count) = counting().await;
    let operator = with(Fetcher::for_operator(), &names(&[]));
    let fetched = within(operator.get(&format!("http://{address}/"))).await;
    assert_eq!(fetched.unwrap().status, StatusCode::OK);
    assert_eq!(count.load(Ordering::Relaxed), 1);
    fenced(within(operator.get("http://169.254.169.254/latest/meta-data/")).await);
}

#[tokio::test]
async fn redirects_are_followed_a_few_times_and_never_further_inside() {
    let (other, count) = counting().await;
    let router = Router::new()
        .route("/circle", any(Redirect::temporary("/circle")))
        .route("/left/0", get("there"))
        .route(
            "/left/{left}",
            get(async |Path(left): Path<usize>| Redirect::to(&format!("/left/{}", left - 1))),
        )
        .route("/private", get(Redirect::temporary("http://10.0.0.1/")))
        .route("/cloud", get(Redirect::temporary("//169.254.169.254/")))
        .route("/file", get(Redirect::temporary("file:///etc/passwd")))
        .route("/blank", get(Redirect::temporary("/a b")))
        .route(
            "/other",
            get(Redirect::temporary(&format!("http://{other}/"))),
        );
    let address = site(router).await;
    let fetcher = here();
    let get = async |path: &str| within(fetcher.get(&format!("http://{address}{path}"))).await;

    let there = get("/left/3").await.unwrap();
    assert_eq!(
        (&*there.body, there.url),
        (&b"there"[..], format!("http://{address}/left/0"))
    );
    for path in ["/left/4", "/circle"] {
        let error = get(path).await.unwrap_err();
        assert!(
            matches!(error, FetchError::Redirects { most: 3, .. }),
            "{error}"
        );
    }
    for path in ["/private", "/cloud", "/file", "/blank"] {
        fenced(get(path).await);
    }
    let echoed = get("/other").await.unwrap();
    let headers = str::from_utf8(&echoed.body).unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
    for name in ["authorization", "cookie", "referer", "accept-encoding"] {
        assert!(!headers.contains(&format!("{name:?}")), "{headers}");
    }
}

#[tokio::test]
async fn what_is_posted_is_never_sent_elsewhere() {
    let (other, count) = counting().await;
    let to = format!("http://{other}/");
    for status in [301, 302, 303, 307, 308] {
        let (status, named) = (StatusCode::from_u16(status).unwrap(), to.clone());
        let answer = async move || (status, [(header::LOCATION, named)], "elsewhere");
        let address = site(Router::new().fallback(answer)).await;
        let (url, fetcher) = (format!("http://{address}/token"), here());
        let headers = HeaderMap::from_iter([(
            header::AUTHORIZATION,
            HeaderValue::from_static("Basic c2VjcmV0"),
        )]);
        let form = fetcher.post_form(&url, headers.clone(), "code=1".to_owned());
        let json = fetcher.post_json(&url, headers, "{}".to_owned());
        for answered in [within(form).await, within(json).await] {
            let answered = answered.unwrap();
            assert_eq!((answered.status, &answered.url), (status, &url));
            assert_eq!(answered.headers[header::LOCATION], *to);
        }
    }
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_body_is_read_up_to_its_bound_whatever_it_says_of_itself() {
    const MOST: usize = 1 << 20;
    let endless = async || {
        let chunks = stream::repeat_with(|| Ok::<_, io::Error>(vec![b'x'; 4096]));
        Body::from_stream(chunks)
    };
    let dripping = async || {
        let first = stream::once(async { Ok::<_, io::Error>(vec![b'x']) });
        Body::from_stream(first.chain(stream::pending()))
    };
    let zipped = async || -> Response {
        let gzip = [(header::CONTENT_ENCODING, "gzip")];
        (gzip, &b"\x1f\x8b\x08\0\0\0\0\0"[..]).into_response()
    };
    let router = Router::new()
        .route("/most", get("x".repeat(MOST)))
        .route("/more", get("x".repeat(MOST + 1)))
        .route("/endless", get(endless))
        .route("/silent", get(std::future::pending::<()>))
        .route("/dripping", get(dripping))
        .route("/zipped", get(zipped));
    let address = site(router).await;
    let fetcher = here();
    let get = async |path: &str| within(fetcher.get(&format!("http://{address}{path}"))).await;
    assert_eq!(get("/most").await.unwrap().body.len(), MOST);
    for path in ["/more", "/endless"] {
        let error = get(path).await.unwrap_err();
        assert!(
            matches!(error, FetchError::TooLarge { most: MOST, .. }),
            "{error}"
        );
    }
    // Nothing is decompressed, so no body can grow. Compressed data is no JSON.
    assert_eq!(&get("/zipped").await.unwrap().body[..2], b"\x1f\x8b");

    let hasty = Fetcher {
        bounds: Bounds {
            time: Duration::from_millis(50),
            ..fetcher.bounds
        },
        ..here()
    };
    for path in ["/silent", "/dripping"] {
        let url = format!("http://{address}{path}");
        let error = within(hasty.get(&url)).await.unwrap_err();
        assert!(matches!(error, FetchError::TimedOut { .. }), "{error}");
    }
}

#[tokio::test]
async fn who_cannot_be_reached_is_told_apart_from_who_may_not_be() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = gone.local_addr().unwrap();
    drop(gone);
    let url = format!("http://{address}/.well-known/a?secret#too");
    let error = within(here().get(&url)).await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error:?}");
    let told = error.to_string();
    let expected = format!("http://{address}/.well-known/a can't be read: ");
    assert!(told.starts_with(&expected), "{told}");
    assert!(!told.contains("secret"), "{told}");
    assert!(std::error::Error::source(&error).is_some(), "{error:?}");
}

#[test]
fn neither_a_secret_nor_a_command_is_shown_of_a_url() {
    for (url, expected) in [
        ("https://a.example/b/c?d#e", "https://a.example/b/c"),
        ("https://user:secret@a.example/b", "https://a.example/b"),
        ("https://user:p@ss@a.example/b@c", "https://a.example/b@c"),
        ("https://user:secret@a.example?b", "https://a.example"),
        ("user:secret@a.example", "a.example"),
        (
            "https://a.example/\u{1b}[2J",
            r"https://a.example/\u{1b}[2J",
        ),
        ("", ""),
    ] {
        assert_eq!(super::target::shown(url), expected);
    }
}

#[test]
fn a_redirect_never_leads_away_from_https() {
    let target = super::target::Target::parse("https://a.example/b").unwrap();
    for (location, expected) in [
        (
            "http://a.example/b",
            Err(r#"it redirects to "http://a.example/b", which is not https"#),
        ),
        ("//b.example/c", Ok("https://b.example/c")),
        ("c", Ok("https://a.example/c")),
    ] {
        let location = HeaderValue::from_static(location);
        let redirected = target.redirected(&location);
        match expected {
            Ok(url) => assert_eq!(redirected.unwrap().into_text(), url),
            Err(why) => {
                let Err(FetchError::Fenced { why: told, .. }) = redirected else {
                    panic!("it went on to {location:?}");
                };
                assert_eq!(told, why);
            }
        }
    }
}

/// An HTTPS site that redirects every request, and its certificate.
async fn leading(to: String) -> (SocketAddr, plainly_transport::tls::Certificate) {
    let names = ["127.0.0.1".to_owned()];
    let made = rcgen::generate_simple_self_signed(names).unwrap();
    let certificate = made.cert.der().clone();
    let key = made.signing_key.serialize_der().try_into().unwrap();
    let provider = plainly_transport::cryptography::provider();
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key);
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config.unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else {
                continue;
            };
            let answer =
                format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
            let _request = stream.read(&mut [0; 4096]).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        }
    });
    (address, certificate)
}

#[tokio::test]
async fn who_is_asked_by_https_must_be_trusted_and_never_leads_to_http() {
    let (other, count) = counting().await;
    let (address, certificate) = leading(format!("http://{other}/")).await;
    let url = format!("https://{address}/");
    let stranger = within(here().get(&url)).await.unwrap_err();
    assert!(
        matches!(stranger, FetchError::Unreachable { .. }),
        "{stranger}"
    );
    let trusting = here().trust([certificate]);
    let told = fenced(within(trusting.get(&url)).await);
    assert!(told.ends_with("which is not https"), "{told}");
    let posted = trusting.post_form(&url, HeaderMap::new(), String::new());
    assert_eq!(within(posted).await.unwrap().status, StatusCode::FOUND);
    assert_eq!(count.load(Ordering::Relaxed), 0);
}
