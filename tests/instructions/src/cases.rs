//! The hot paths, each through an entry point that every program has, without sockets.

use std::fs;
use std::hint::black_box;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use http_body_util::BodyExt;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use plainly::client::Client;
use plainly::protocol::envelope;
use plainly::protocol::types::{CallToolResult, Content};
use plainly::server::Server;
use plainly::transport::http::HttpService;
use plainly_otel::Telemetry;
use serde_json::json;
use tower_service::Service;

use crate::Outcome;
use crate::request::{self, AnsweredRequest};
use crate::servers::{self, ECHOED, LARGE_BINARY, LARGE_TEXT, MISSING, SMALL};

/// A row of the table.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The number of repetitions, which is smaller for slow operations.
    pub(crate) times: u32,
    run: fn(u32) -> Outcome<()>,
}

const OFTEN: u32 = 500;
const SELDOM: u32 = 5;

const fn case(name: &'static str, times: u32, run: fn(u32) -> Outcome<()>) -> Case {
    Case { name, times, run }
}

/// All rows. The first one is included in the other HTTP rows: it creates a request and drops it.
pub(crate) const CASES: &[Case] = &[
    case("http: a request, not served", OFTEN, |times| {
        let asked = AnsweredRequest::echo();
        (0..times).for_each(|_| drop(black_box(asked.request())));
        Ok(())
    }),
    case("http: tools/call", OFTEN, |times| {
        http(servers::small()?, AnsweredRequest::echo(), ECHOED, times)
    }),
    case("http: tools/call in a session", OFTEN, in_session),
    case("http: tools/call with metrics", OFTEN, |times| {
        let telemetry = Telemetry::builder("bench", "1.0.0").prometheus();
        let server = servers::observed(telemetry.build()?)?;
        http(server, AnsweredRequest::echo(), ECHOED, times)
    }),
    case(
        "http: tools/call with a span that is not sampled",
        OFTEN,
        |times| {
            let tracers = SdkTracerProvider::builder().with_sampler(Sampler::AlwaysOff);
            let telemetry = Telemetry::builder("bench", "1.0.0").tracers(tracers);
            let server = servers::observed(telemetry.build()?)?;
            http(server, AnsweredRequest::echo(), ECHOED, times)
        },
    ),
    case("http: resources/read of 200 bytes", OFTEN, |times| {
        http(
            servers::small()?,
            AnsweredRequest::read(SMALL),
            "0123456789",
            times,
        )
    }),
    case("http: resources/read of a missing one", OFTEN, |times| {
        http(
            servers::small()?,
            AnsweredRequest::read(MISSING),
            "-32602",
            times,
        )
    }),
    case("http: resources/read of a small file", OFTEN, small_file),
    case("http: resources/read of 1 MiB of text", SELDOM, |times| {
        http(
            servers::small()?,
            AnsweredRequest::read(LARGE_TEXT),
            "file.\\n",
            times,
        )
    }),
    case("http: resources/read of 1 MiB of bytes", SELDOM, |times| {
        http(
            servers::small()?,
            AnsweredRequest::read(LARGE_BINARY),
            "AAECAwQF",
            times,
        )
    }),
    case("http: tools/list of 100", SELDOM * 10, |times| {
        let asked = AnsweredRequest::modern("tools/list", None, json!({}));
        http(servers::many_tools()?, asked, "tool-99", times)
    }),
    case("stdio: tools/call", OFTEN, |times| {
        stdio(servers::small()?, &AnsweredRequest::echo(), times)
    }),
    case("stdio: resources/read of 200 bytes", OFTEN, |times| {
        stdio(servers::small()?, &AnsweredRequest::read(SMALL), times)
    }),
    case("stdio: resources/read of 1 MiB of text", SELDOM, |times| {
        stdio(servers::small()?, &AnsweredRequest::read(LARGE_TEXT), times)
    }),
    case("client and server in memory: tools/call", OFTEN, client),
    case("envelope of tools/call", OFTEN, |times| {
        let (asked, limits) = (AnsweredRequest::echo(), envelope::Limits::default());
        for _ in 0..times {
            let read = envelope::parse(black_box(asked.body()), &limits);
            black_box(read).map_err(|error| error.to_string())?;
        }
        Ok(())
    }),
    case("result of tools/call as JSON", OFTEN, |times| {
        for _ in 0..times {
            let result = CallToolResult::new([Content::text(ECHOED)]);
            black_box(serde_json::to_vec(black_box(&result))?);
        }
        Ok(())
    }),
];

/// Runs the row with this name.
pub(crate) fn run(name: &str, times: u32) -> Outcome<()> {
    let case = CASES.iter().find(|case| case.name == name);
    (case.ok_or("there is no such row")?.run)(times)
}

fn block_on<F: Future>(future: F) -> Outcome<F::Output> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    Ok(runtime.enable_time().build()?.block_on(future))
}

/// The response of `server` over HTTP.
async fn ask(
    service: &mut HttpService<Server>,
    asked: &AnsweredRequest,
) -> Outcome<(HeaderMap, Bytes)> {
    let response = service.call(asked.request()).await?;
    let (head, body) = response.into_parts();
    Ok((head.headers, body.collect().await?.to_bytes()))
}

fn http(server: Server, asked: AnsweredRequest, expected: &str, times: u32) -> Outcome<()> {
    block_on(async { again_and_again(&mut server.http(), &asked, expected, times).await })?
}

async fn again_and_again(
    service: &mut HttpService<Server>,
    asked: &AnsweredRequest,
    expected: &str,
    times: u32,
) -> Outcome<()> {
    let (_, reply) = ask(service, asked).await?;
    if !String::from_utf8_lossy(&reply).contains(expected) {
        return Err(format!("not what was expected: {reply:?}").into());
    }
    for _ in 0..times {
        black_box(ask(service, asked).await?);
    }
    Ok(())
}

fn in_session(times: u32) -> Outcome<()> {
    const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
    block_on(async {
        let mut service = servers::small()?.http();
        let opening = AnsweredRequest::initialize();
        let (headers, _) = ask(&mut service, &opening).await?;
        let session: &HeaderValue = headers.get(SESSION).ok_or("no session")?;
        let mut asked = AnsweredRequest::legacy("tools/call", request::echo());
        asked.add(SESSION, session.clone());
        again_and_again(&mut service, &asked, ECHOED, times).await
    })?
}

fn small_file(times: u32) -> Outcome<()> {
    let directory = tempfile::tempdir()?;
    let root = directory.path().join("files");
    fs::create_dir(&root)?;
    fs::write(root.join("small.txt"), "0123456789".repeat(20))?;
    let asked = AnsweredRequest::read("file:///files/small.txt");
    http(servers::files(&root)?, asked, "0123456789", times)
}

fn stdio(server: Server, asked: &AnsweredRequest, times: u32) -> Outcome<()> {
    let lines = asked.lines(times);
    let serving = server.serve(&lines[..], tokio::io::sink());
    Ok(block_on(serving.into_future())??)
}

fn client(times: u32) -> Outcome<()> {
    let server = servers::small()?;
    block_on(async {
        let client = Client::in_memory(&server).connect().await?;
        for _ in 0..times {
            let arguments = json!({ "text": ECHOED });
            black_box(client.call_tool("echo", arguments).await?);
        }
        Ok(())
    })?
}
