//! Tests what an OpenTelemetry collector receives from `serve`, and how a server works without one.

use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Attribute;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use prost::Message as _;
use serde_json::json;

use crate::operating::Operated;
use crate::received::request;
use crate::support::{Docs, of, plainly};

/// A collector, which answers with this status, and passes on what it receives.
struct Collector {
    url: String,
    received: Receiver<(String, Vec<u8>)>,
}

impl Collector {
    fn start(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (tell, received) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let tell = tell.clone();
                thread::spawn(move || Self::serve(&stream.unwrap(), answer, &tell));
            }
        });
        Self { url, received }
    }

    fn serve(stream: &TcpStream, answer: &str, tell: &mpsc::Sender<(String, Vec<u8>)>) {
        let mut reader = BufReader::new(stream);
        while let Some((_, path, body)) = request(&mut reader) {
            let _ = tell.send((path, body));
            let mut stream = stream;
            let _ = stream.write_all(answer.as_bytes());
        }
    }

    /// All spans and the names of all metrics until the end of the server.
    fn all(self, server: Operated) -> (Vec<Span>, Vec<String>) {
        drop(server);
        let (mut spans, mut metrics) = (Vec::new(), Vec::new());
        while let Ok((path, body)) = self.received.try_recv() {
            match &*path {
                "/v1/traces" => {
                    let request = ExportTraceServiceRequest::decode(&*body).unwrap();
                    let scopes = request
                        .resource_spans
                        .into_iter()
                        .flat_map(|it| it.scope_spans);
                    spans.extend(scopes.flat_map(|it| it.spans));
                }
                "/v1/metrics" => {
                    let request = ExportMetricsServiceRequest::decode(&*body).unwrap();
                    let all = request.resource_metrics.into_iter();
                    let scopes = all.flat_map(|it| it.scope_metrics);
                    metrics.extend(scopes.flat_map(|it| it.metrics).map(|it| it.name));
                }
                other => panic!("{other}"),
            }
        }
        (spans, metrics)
    }
}

const ACCEPTED: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// The attribute of a span, as text.
fn attribute<'a>(span: &'a Span, name: &str) -> Option<&'a str> {
    let attribute = span.attributes.iter().find(|it| it.key == name)?;
    let Attribute::StringValue(text) = attribute.value.as_ref()?.value.as_ref()? else {
        return None;
    };
    Some(text)
}

/// Checks the span of the search, which had a parent and came in an HTTP request of another trace.
#[track_caller]
fn check_search(search: &Span, trace: &str) {
    assert_eq!(search.name, "tools/call search");
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|it| format!("{it:02x}"))
            .collect::<String>()
    };
    assert_eq!(hex(&search.trace_id), trace);
    assert_eq!(hex(&search.parent_span_id), "00f067aa0ba902b7");
    assert_eq!(hex(&search.links[0].span_id), "2222222222222222");
    for (name, value) in [
        ("mcp.method.name", "tools/call"),
        ("gen_ai.tool.name", "search"),
        ("gen_ai.operation.name", "execute_tool"),
        ("mcp.protocol.version", "2026-07-28"),
        ("jsonrpc.request.id", "call-7"),
        ("network.transport", "tcp"),
        ("client.address", "127.0.0.1"),
    ] {
        assert_eq!(attribute(search, name), Some(value), "{name}");
    }
    assert!(search.end_time_unix_nano > search.start_time_unix_nano);
}

#[test]
fn a_collector_receives_a_span_of_each_request_with_its_parent_and_its_link() {
    let docs = Docs::new();
    let collector = Collector::start(ACCEPTED);
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url)];
    let mut server = Operated::start(&docs, &[], &variables);
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let parent = json!({ "traceparent": format!("00-{trace}-00f067aa0ba902b7-01") });
    let of_http = [(
        "traceparent",
        "00-11111111111111111111111111111111-2222222222222222-00",
    )];
    let search = json!({ "name": "search", "arguments": { "pattern": "Grüße" } });
    server.post("tools/call", search, parent, &of_http);
    let missing = json!({ "uri": "file:///docs/missing.md" });
    server.post(
        "resources/read",
        missing,
        json!({ "traceparent": "rubbish" }),
        &[],
    );
    let failing = json!({ "name": "search", "arguments": { "pattern": 5 } });
    server.post("tools/call", failing, json!({}), &[]);
    assert_eq!(server.stop(), Some(0));
    let (spans, metrics) = collector.all(server);
    let [search, missing, failed] = &*spans else {
        panic!("{spans:?}")
    };
    check_search(search, trace);
    assert_eq!(missing.name, "resources/read");
    assert_eq!(
        attribute(missing, "mcp.resource.uri"),
        Some("file:///docs/missing.md")
    );
    assert_eq!(
        attribute(missing, "rpc.response.status_code"),
        Some("-32602")
    );
    assert_eq!(attribute(missing, "error.type"), None);
    assert_eq!((missing.parent_span_id.len(), missing.links.len()), (0, 0));
    assert_eq!(attribute(failed, "error.type"), Some("tool_error"));
    let failure = failed.status.as_ref().unwrap();
    assert_eq!(failure.code, StatusCode::Error as i32);
    assert!(
        metrics.contains(&"mcp.server.operation.duration".to_owned()),
        "{metrics:?}"
    );
}

#[test]
fn a_collector_receives_the_notifications_and_the_end_of_a_session_that_is_open_at_the_end() {
    let docs = Docs::new();
    let collector = Collector::start(ACCEPTED);
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", &*collector.url)];
    let mut server = Operated::start(&docs, &[], &variables);
    server.open_session();
    assert_eq!(server.stop(), Some(0));
    let (spans, metrics) = collector.all(server);
    let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
    assert_eq!(names, ["initialize", "notifications/initialized"]);
    let revision = attribute(&spans[1], "mcp.protocol.version");
    assert_eq!(revision, Some("2025-11-25"));
    assert_eq!(attribute(&spans[1], "jsonrpc.request.id"), None);
    let ended = "mcp.server.session.duration".to_owned();
    assert!(metrics.contains(&ended), "{metrics:?}");
}

#[test]
fn a_collector_that_is_away_or_answers_rubbish_stops_nothing_and_is_reported_once() {
    let docs = Docs::new();
    let nobody = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let rubbish = Collector::start("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnonsense!");
    let angry = Collector::start("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    for (url, word) in [
        (&*format!("http://{nobody}"), Some("refused")),
        (&rubbish.url, None),
        (&angry.url, Some("400")),
    ] {
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", url),
            ("OTEL_METRICS_EXPORTER", "none"),
        ];
        let mut server = Operated::start(&docs, &[], &variables);
        assert!(server.read()["result"].is_object());
        assert_eq!(server.stop(), Some(0));
        let said: Vec<_> = server
            .stderr
            .iter()
            .filter(|line| line.contains("WARN"))
            .collect();
        match word {
            Some(word) => {
                assert_eq!(said.len(), 1, "{said:?}");
                assert!(said[0].contains("traces cannot be exported") && said[0].contains(word));
            }
            None => assert!(said.is_empty(), "{said:?}"),
        }
    }
}

#[test]
fn variables_that_can_not_be_used_are_named_at_once_and_keep_no_server_from_starting() {
    const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
    const HTTP: (&str, &str) = (ENDPOINT, "http://127.0.0.1:1");
    let docs = Docs::new();
    let protocol =
        "invalid OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf is supported, not \"grpc\"";
    let endpoint = format!("invalid {ENDPOINT}: expected a URL such as http://localhost:4318");
    let without_scheme = (ENDPOINT, "collector:4318");
    let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    let certificates = [("SSL_CERT_FILE", "/nowhere"), ("SSL_CERT_DIR", "/nowhere")];
    for (variables, mistakes) in [
        (
            &[
                without_scheme,
                grpc,
                ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "10s"),
                ("OTEL_METRICS_EXPORTER", "prometheus"),
            ][..],
            format!(
                "{protocol}; {endpoint}; \
                 invalid OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: expected milliseconds, not \"10s\"; \
                 invalid OTEL_METRICS_EXPORTER: expected otlp or none, not \"prometheus\""
            ),
        ),
        // Each warning appears once, though both signals read the variables.
        (&[without_scheme, grpc], format!("{protocol}; {endpoint}")),
        (&[HTTP, grpc, ("OTEL_SDK_DISABLED", "TRUE")], String::new()),
        // These connections are not encrypted.
        (&[&[HTTP][..], &certificates].concat(), String::new()),
    ] {
        let mut command: Command = plainly();
        command.args(["serve", docs.str(), "--stdio"]);
        command.envs(variables.iter().copied());
        let run = of(command);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let named = run.stderr.contains("traces and metrics are not exported");
        assert_eq!(named, !mistakes.is_empty(), "{}", run.stderr);
        assert!(run.stderr.contains(&mistakes), "{}", run.stderr);
    }
}
