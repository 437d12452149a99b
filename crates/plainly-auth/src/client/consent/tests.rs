//! Tests logins whose browser is simulated, among other requests to the port.

use std::io::{self, Write as _};
use std::net::{TcpListener as BlockingListener, TcpStream as BlockingStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{BoxFuture, pending, ready};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::redirect::Redirect;
use super::*;
use plainly_transport::lock::Lock;

const STATE: &str = "st4te";
const URL: &str = "https://as.example/authorize?state=st4te";
/// A timeout that no test here reaches.
const TOO_LONG: Duration = Duration::from_secs(30);

/// A login that waits for its browser.
struct Login {
    uri: String,
    port: u16,
    ending: JoinHandle<Result<String, ConsentError>>,
}

fn page(url: &'static str) -> ConsentPage<'static> {
    ConsentPage {
        url,
        state: STATE,
        server: "https://mcp.example/mcp",
        issuer: "https://as.example",
        scope: &[],
    }
}

fn port_of(uri: &str) -> u16 {
    let uri: http::Uri = uri.parse().unwrap();
    uri.port_u16().unwrap()
}

impl Login {
    async fn begin(consent: &impl Consent, redirect: Option<&str>) -> Self {
        let visit = consent.prepare(redirect).await.unwrap();
        let uri = visit.redirect_uri().to_owned();
        let port = port_of(&uri);
        let ending = tokio::spawn(async move { visit.visit(&page(URL)).await });
        Self { uri, port, ending }
    }

    /// The answer to a request with this first line and these lines of its head.
    async fn asks(&self, line: &str, head: &str) -> String {
        let host = format!("127.0.0.1:{}", self.port);
        let head = head.replace("HOST", &host);
        self.sends(format!("{line}\r\n{head}\r\n").as_bytes()).await
    }

    async fn sends(&self, bytes: &[u8]) -> String {
        let asking = async {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
            // A request that is rejected early may not be read completely.
            let _ = stream.write_all(bytes).await;
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer).await;
            String::from_utf8(answer).unwrap()
        };
        timeout(TOO_LONG, asking).await.unwrap()
    }

    async fn ends(self) -> Result<String, ConsentError> {
        timeout(TOO_LONG, self.ending).await.unwrap().unwrap()
    }

    /// Simulates the redirect of the browser.
    async fn succeeds(self) {
        let answer = self
            .asks(
                "GET /callback?code=c&state=st4te HTTP/1.1",
                "Host: HOST\r\n",
            )
            .await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert_eq!(self.ends().await.unwrap(), "code=c&state=st4te");
    }
}

fn loopback() -> Loopback {
    Loopback::new(|_| Ok(()))
}

/// The status of an answer, the first line of its request, and the lines of its head.
const STRANGERS: &str = "\
400 | GET /callback HTTP/1.1 | Host: HOST
400 | GET /callback?code=c HTTP/1.1 | Host: HOST
400 | GET /callback?code=c&state=wrong HTTP/1.1 | Host: HOST
400 | GET /callback?code=c&state=st4t HTTP/1.1 | Host: HOST
400 | GET /callback?code=c&state= HTTP/1.1 | Host: HOST
400 | GET /callback?state=st4te&code=c&state=st4te HTTP/1.1 | Host: HOST
400 | GET /callback?state=st4te&%73tate=x HTTP/1.1 | Host: HOST
400 | GET /callback?error=%3Cscript%3Ealert(1)%3C/script%3E&state=x HTTP/1.1 | Host: HOST
400 | GET /callback?state=st4te HTTP/1.1 | Host: evil.example
400 | GET /callback?state=st4te HTTP/1.1 | Host: 127.0.0.1
400 | GET /callback?state=st4te HTTP/1.1 | Host: HOST | Host: HOST
400 | GET /callback?state=st4te HTTP/1.0
400 | GET http://evil.example/callback?state=st4te HTTP/1.1 | Host: HOST
404 | GET /?state=st4te HTTP/1.1 | Host: HOST
404 | GET /callback/?state=st4te HTTP/1.1 | Host: HOST
404 | GET /%63allback?state=st4te HTTP/1.1 | Host: HOST
405 | POST /callback?state=st4te HTTP/1.1 | Host: HOST | Content-Length: 0
405 | HEAD /callback?state=st4te HTTP/1.1 | Host: HOST
405 | OPTIONS /callback?state=st4te HTTP/1.1 | Host: HOST | Origin: https://evil.example";

/// The headers of every page.
const HEADERS: [&str; 4] = [
    "cache-control: no-store\r\n",
    "referrer-policy: no-referrer\r\n",
    "content-security-policy: default-src 'none'; frame-ancestors 'none'\r\n",
    "x-content-type-options: nosniff\r\n",
];

/// Rows 13, 14 and 16.
#[tokio::test]
async fn nobody_but_the_browser_that_comes_back_ends_the_wait() {
    let login = Login::begin(&loopback(), None).await;
    for row in STRANGERS.lines() {
        let mut fields = row.split(" | ");
        let (status, line) = (fields.next().unwrap(), fields.next().unwrap());
        let head: String = fields.map(|it| format!("{it}\r\n")).collect();
        let answer = login.asks(line, &head).await;
        assert!(answer[9..].starts_with(status), "{line}\n{head}{answer}");
        let (head, page) = answer.split_once("\r\n\r\n").unwrap();
        for header in HEADERS {
            assert!(
                format!("{head}\r\n").contains(header),
                "{line}: {header}: {answer}"
            );
        }
        for word in ["script", "alert", "st4te", "wrong", "evil"] {
            assert!(!page.contains(word), "{line}: {answer}");
        }
        assert!(!head.contains("access-control"), "{answer}");
        let says_how = head.contains("allow: GET");
        assert_eq!(says_how, status == "405", "{line}: {answer}");
    }
    let long = format!("GET /callback?state={} HTTP/1.1", "a".repeat(6_000));
    let answer = login.asks(&long, "Host: HOST\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    for line in [
        "\x16\x03\x01\x02",
        "GET /callback?state=st4te&error_description=<script> HTTP/1.1",
    ] {
        let answer = login.asks(line, "Host: HOST\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(!answer.contains("script"), "{answer}");
    }
    assert!(!login.ending.is_finished());
    login.succeeds().await;
}

/// Row 16.
#[tokio::test]
async fn a_head_with_many_cookies_is_read_and_one_of_256_kib_is_not() {
    let login = Login::begin(&loopback(), None).await;
    let line = "GET /callback?state=st4te HTTP/1.1";
    for length in [256 << 10, 1 << 20] {
        let head = format!("Host: HOST\r\nX: {}\r\n", "a".repeat(length));
        let answer = login.asks(line, &head).await;
        let is_refused = answer.is_empty() || answer.starts_with("HTTP/1.1 431 ");
        assert!(is_refused, "{answer}");
    }
    let line = "GET /callback?code=c&state=st4te HTTP/1.1";
    let head = format!("Host: HOST\r\nCookie: {}\r\n", "a".repeat(48 << 10));
    let answer = login.asks(line, &head).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    login.ends().await.unwrap();
}

/// Row 16.
#[tokio::test(start_paused = true)]
async fn a_head_that_takes_more_than_10_s_is_not_waited_for() {
    let login = Login::begin(&loopback(), None).await;
    let begun = Instant::now();
    let mut stream = TcpStream::connect(("127.0.0.1", login.port)).await.unwrap();
    stream
        .write_all(b"GET /callback?state=st4te")
        .await
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert_eq!(String::from_utf8(answer).unwrap(), "");
    let took = begun.elapsed();
    assert!((10..12).contains(&took.as_secs()), "{took:?}");
    login.succeeds().await;
}

/// Row 16. Time is simulated, so no connection is ended by its timeout.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn a_thousand_connections_do_not_keep_the_browser_out() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    // Each connection also needs a file descriptor at this end.
    let mut most = getrlimit(Resource::Nofile);
    most.current = most.maximum;
    setrlimit(Resource::Nofile, most).unwrap();

    let login = Login::begin(&loopback(), None).await;
    let begun = Instant::now();
    let mut streams = Vec::new();
    for _ in 0..1_000 {
        let mut stream = TcpStream::connect(("127.0.0.1", login.port)).await.unwrap();
        stream
            .write_all(b"GET /callback?state=st4te")
            .await
            .unwrap();
        streams.push(stream);
    }
    // All connections but 32 are ended, the oldest first.
    let ended = async {
        for stream in &mut streams[..968] {
            let end = stream.read(&mut [0]).await;
            assert!(!matches!(end, Ok(1)), "{end:?}");
        }
    };
    timeout(TOO_LONG, ended).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10));
    login.succeeds().await;
}

/// Row 16: all connections may be accepted before the first is read.
#[tokio::test]
async fn the_browser_is_heard_before_those_that_come_after_it() {
    for _ in 0..10 {
        let login = Login::begin(&loopback(), None).await;
        let connect = || BlockingStream::connect(("127.0.0.1", login.port)).unwrap();
        let mut browser = connect();
        let (path, host) = ("/callback?code=c&state=st4te", login.port);
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{host}\r\n\r\n");
        browser.write_all(request.as_bytes()).unwrap();
        let _others: Vec<_> = (0..64).map(|_| connect()).collect();
        assert_eq!(login.ends().await.unwrap(), "code=c&state=st4te");
    }
}

/// Row 16: up to 32 slow connections are read.
#[tokio::test]
async fn a_slow_connection_is_not_ended_by_those_after_it() {
    let login = Login::begin(&loopback(), None).await;
    let mut slow = Vec::new();
    for _ in 1..32 {
        let mut stream = TcpStream::connect(("127.0.0.1", login.port)).await.unwrap();
        stream.write_all(b"GET /other HTTP/1.1\r\n").await.unwrap();
        slow.push(stream);
    }
    // This answer shows that all connections before it are accepted.
    let answer = login.asks("GET /last HTTP/1.1", "Host: HOST\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    for mut stream in slow {
        let rest = format!("Host: 127.0.0.1:{}\r\n\r\n", login.port);
        stream.write_all(rest.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }
    login.succeeds().await;
}

#[tokio::test]
async fn what_the_browser_brings_is_passed_on_as_it_came() {
    let login = Login::begin(&loopback(), None).await;
    let query =
        "error=access_denied&error_description=%3Cscript%3E{`|}&st%61te=st4te&iss=https%3a%2F%2Fx";
    let line = format!("GET /callback?{query} HTTP/1.1");
    let answer = login.asks(&line, "host: HOST\r\nCookie: a=b\r\n").await;
    let (_, page) = answer.split_once("\r\n\r\n").unwrap();
    assert_eq!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Login</title>\n\
         <p>You can close this page. The login continues in your program.</p>\n</html>\n"
    );
    for header in HEADERS {
        assert!(answer.contains(header), "{header}: {answer}");
    }
    assert_eq!(login.ends().await.unwrap(), query);
}

/// The error of a visit to this page.
async fn refused(consent: &dyn Consent, url: &'static str) -> ConsentError {
    let visit = consent.prepare(None).await.unwrap();
    visit.visit(&page(url)).await.unwrap_err()
}

#[tokio::test(start_paused = true)]
async fn nobody_is_waited_for_longer_than_five_minutes_or_what_was_said() {
    for (consent, seconds) in [
        (loopback(), 300),
        (loopback().timeout(Duration::from_secs(7)), 7),
    ] {
        let begun = Instant::now();
        let error = refused(&consent, URL).await;
        let expected = format!("the login was not finished within {seconds} seconds");
        assert_eq!(error.to_string(), expected);
        assert_eq!(begun.elapsed().as_secs(), seconds);
    }
}

/// Row 15.
#[tokio::test]
async fn a_port_is_held_from_before_it_is_told_until_the_end() {
    let other = BlockingListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().port();
    let redirect = format!("http://127.0.0.1:{taken}/callback");
    for (consent, redirect) in [
        (loopback().port(taken), None),
        (loopback(), Some(redirect.as_str())),
        (loopback().port(taken), Some(redirect.as_str())),
    ] {
        let error = consent.prepare(redirect).await.unwrap_err();
        assert!(
            matches!(error, ConsentError::PortTaken { port, .. } if port == taken),
            "{error:?}"
        );
    }
    drop(other);
    for _ in 0..2 {
        let login = Login::begin(&loopback().port(taken), None).await;
        assert_eq!(login.uri, redirect);
        // The standard library's listener sets SO_REUSEADDR on Unix.
        assert!(BlockingListener::bind(("127.0.0.1", taken)).is_err());
        // The port can be bound again at once, although the system remembers its connections.
        login.succeeds().await;
    }
    let visit = loopback().port(taken).prepare(None).await.unwrap();
    drop(visit);
    assert!(BlockingListener::bind(("127.0.0.1", taken)).is_ok());
}

#[tokio::test]
async fn localhost_is_listened_for_in_both_families_and_an_address_in_its_own() {
    if BlockingListener::bind("[::1]:0").is_err() {
        return;
    }
    let six = |port| TcpStream::connect(("::1", port));
    let login = Login::begin(&loopback(), None).await;
    assert!(six(login.port).await.is_err());
    login.succeeds().await;

    let login = Login::begin(&loopback(), Some("http://localhost/callback")).await;
    assert!(login.uri.starts_with("http://localhost:"), "{}", login.uri);
    let mut stream = six(login.port).await.unwrap();
    let request = format!(
        "GET /callback?state=st4te HTTP/1.1\r\nHost: LocalHost:{}\r\n\r\n",
        login.port
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    assert_eq!(login.ends().await.unwrap(), "state=st4te");

    let other = BlockingListener::bind("[::1]:0").unwrap();
    let port = other.local_addr().unwrap().port();
    let redirect = format!("http://localhost:{port}/callback");
    let error = loopback().prepare(Some(&redirect)).await.unwrap_err();
    assert!(matches!(error, ConsentError::PortTaken { .. }), "{error:?}");
}

#[tokio::test]
async fn a_registration_says_where_the_browser_comes_back_to() {
    for (redirect, expected) in [
        (None, "http://127.0.0.1:PORT/callback"),
        (
            Some("http://127.0.0.1/callback"),
            "http://127.0.0.1:PORT/callback",
        ),
        (Some("http://127.0.0.1/"), "http://127.0.0.1:PORT/"),
        (Some("http://127.0.0.1"), "http://127.0.0.1:PORT"),
        (Some("http://localhost/a/b"), "http://localhost:PORT/a/b"),
    ] {
        let visit = loopback().prepare(redirect).await.unwrap();
        let uri = visit.redirect_uri();
        let expected = expected.replace("PORT", &port_of(uri).to_string());
        assert_eq!(uri, expected, "{redirect:?}");
    }
    let registered = Some("http://127.0.0.1:3118/callback");
    let error = loopback().port(3119).prepare(registered).await.unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("its port is not the configured one"),
        "{error}"
    );
}

#[tokio::test]
async fn a_redirect_without_a_path_ends_at_the_root() {
    let login = Login::begin(&loopback(), Some("http://127.0.0.1")).await;
    let line = "GET /?state=st4te HTTP/1.1";
    let answer = login.asks(line, "Host: HOST\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(login.ends().await.unwrap(), "state=st4te");
}

#[test]
fn a_browser_comes_back_only_to_this_machine() {
    for (redirect, why) in [
        (
            "https://127.0.0.1:1/callback",
            "it does not start with http://",
        ),
        (
            "http://evil.example:1/callback",
            "it does not lead to this machine",
        ),
        (
            "http://127.0.0.2:1/callback",
            "it does not lead to this machine",
        ),
        (
            "http://localhost.evil.example/",
            "it does not lead to this machine",
        ),
        (
            "http://me@127.0.0.1:1/",
            "it has more than a host, a port and a path",
        ),
        (
            "http://127.0.0.1:1/?a=b",
            "it has more than a host, a port and a path",
        ),
        (
            "http://127.0.0.1:1/#a",
            "it has more than a host, a port and a path",
        ),
        ("http://127.0.0.1:0/", "its port is invalid"),
        ("http://127.0.0.1:/", "its port is invalid"),
        ("http://127.0.0.1:99999/", "its port is invalid"),
        ("/callback", "it does not start with http://"),
        ("", "it is not a URL"),
    ] {
        let error = Redirect::parse(redirect).unwrap_err().to_string();
        assert_eq!(error, format!("invalid redirect URI {redirect}: {why}"));
    }
}

/// Row 1.
#[tokio::test]
async fn only_a_page_that_hides_nothing_is_opened() {
    let opened = Arc::new(AtomicUsize::new(0));
    let consent = Loopback::new({
        let opened = Arc::clone(&opened);
        move |_| {
            opened.fetch_add(1, Ordering::Relaxed);
            Err(io::Error::other("no screen"))
        }
    });
    for url in [
        "http://x/?$(calc)",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ms-settings:about",
        "https://as.example/a b",
        "https://as.example/\"&calc",
        "https://as.example/'",
        "https://as.example/`id`",
        "https://as.example/\n",
        "https://as.example/\u{202e}",
        "https://user@as.example/",
        "https://as.example/#state=st4te",
        "-https://as.example/",
        "",
    ] {
        let error = refused(&consent, url).await;
        let said = error.to_string();
        assert!(
            said.starts_with("cannot open the login page of https://as.example: its URL "),
            "{said}"
        );
        assert!(url.is_empty() || !said.contains(url), "{said}");
    }
    assert_eq!(opened.load(Ordering::Relaxed), 0);
    let error = refused(&consent, URL).await;
    assert_eq!(error.to_string(), "cannot show the login page in a browser");
    assert_eq!(opened.load(Ordering::Relaxed), 1);
    let shown = format!("{:?} {consent:?}", page(URL));
    assert!(!shown.contains(STATE), "{shown}");
}

/// A user who pastes these texts one after the other, and the mistakes reported in between.
fn pasting(texts: &[&'static str]) -> (Paste, Arc<Lock<Vec<Option<PasteMistake>>>>) {
    let texts = Arc::new(Lock::new(texts.iter().rev().copied().collect::<Vec<_>>()));
    let told = Arc::new(Lock::new(Vec::new()));
    let read = {
        let told = Arc::clone(&told);
        move |mistake| -> BoxFuture<'static, io::Result<Option<String>>> {
            told.lock().push(mistake);
            match texts.lock().pop() {
                Some("pending") => Box::pin(pending()),
                Some("error") => Box::pin(ready(Err(io::Error::other("closed")))),
                next => Box::pin(ready(Ok(next.map(str::to_owned)))),
            }
        }
    };
    (Paste::new(loopback(), read), told)
}

#[tokio::test]
async fn what_is_pasted_counts_as_the_browser_does() {
    use PasteMistake::{OtherLogin, OtherPage};
    let redirect = Some("http://127.0.0.1/callback");
    let (paste, told) = pasting(&["pending"]);
    Login::begin(&paste, redirect).await.succeeds().await;
    assert_eq!(*told.lock(), [None]);

    // The user pastes nothing more, and the browser still succeeds.
    let (paste, _) = pasting(&[]);
    Login::begin(&paste, redirect).await.succeeds().await;

    let (paste, _) = pasting(&["error"]);
    let error = Login::begin(&paste, redirect)
        .await
        .ends()
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "cannot read the pasted address: closed");

    let probe = BlockingListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("http://{}/callback", probe.local_addr().unwrap());
    drop(probe);
    let right: &str = format!("{uri}?state=st4te&code=c\n").leak();
    let other: &str = format!("{uri}?state=other&code=c").leak();
    let (paste, told) = pasting(&["what?", other, right]);
    let query = Login::begin(&paste, Some(&uri)).await.ends().await.unwrap();
    assert_eq!(query, "state=st4te&code=c");
    assert_eq!(*told.lock(), [None, Some(OtherPage), Some(OtherLogin)]);
}
