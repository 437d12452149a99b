//! The spans of both sides of a call, which the client's request links, and the spans of
//! notifications.

#![expect(clippy::unwrap_used, reason = "a panic is how tests fail")]

use opentelemetry::trace::{SpanKind, Status};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use plainly::{Client, ProtocolError, Resource, Server, Tool};
use plainly_otel::Telemetry;
use serde_json::json;

async fn fails() -> Result<String, ProtocolError> {
    Err(ProtocolError::internal("the disk is full"))
}

async fn gives_up() -> Result<String, std::fmt::Error> {
    Err(std::fmt::Error)
}

fn attribute(span: &SpanData, name: &str) -> Option<String> {
    let found = span.attributes.iter().find(|it| it.key.as_str() == name)?;
    Some(found.value.as_str().into_owned())
}

/// The spans of a call: the server's and the client's.
async fn spans(method: &str, name: &str) -> (SpanData, SpanData) {
    let exporter = InMemorySpanExporter::default();
    let tracers = SdkTracerProvider::builder().with_simple_exporter(exporter.clone());
    let telemetry = Telemetry::builder("test", "1");
    let telemetry = telemetry.tracers(tracers).build().unwrap();
    let observer = telemetry.clone();
    let server = Server::builder("printer", "1")
        .resource(Resource::new("app://fine", async || "fine"))
        .resource(Resource::new("app://fails", fails))
        .tool(Tool::new("print", gives_up))
        .on_operation(move |operation| observer.observe(operation))
        .build()
        .unwrap();
    let client = telemetry.instrument(Client::in_memory(&server));
    let client = client.connect().await.unwrap();
    match method {
        "tools/call" => drop(client.call_tool(name, json!({})).await),
        _ => drop(client.read(name).await),
    }
    let all = exporter.get_finished_spans().unwrap();
    let of = |kind: SpanKind| {
        let mut spans = all.iter().filter(|it| it.span_kind == kind);
        spans
            .rfind(|it| it.name.starts_with(method))
            .unwrap()
            .clone()
    };
    (of(SpanKind::Server), of(SpanKind::Client))
}

/// The errors that each side counts: the client counts every error, the server only its own.
#[tokio::test]
async fn an_error_counts_for_each_side_as_it_should() {
    const READ: &str = "resources/read";
    for (method, name, code, of_server, of_client) in [
        (READ, "app://fine", None, None, None),
        (READ, "app://missing", Some("-32602"), None, Some("-32602")),
        (
            READ,
            "app://fails",
            Some("-32603"),
            Some("-32603"),
            Some("-32603"),
        ),
        ("tools/call", "print", None, Some("tool_error"), None),
        ("tools/call", "paint", Some("-32602"), None, Some("-32602")),
    ] {
        let (server, client) = spans(method, name).await;
        let id = client.span_context.span_id();
        assert_eq!(server.parent_span_id, id, "{name}");
        let trace = client.span_context.trace_id();
        assert_eq!(server.span_context.trace_id(), trace, "{name}");
        for (span, kind) in [(&server, of_server), (&client, of_client)] {
            let seen = attribute(span, "rpc.response.status_code");
            assert_eq!(seen.as_deref(), code, "{name}");
            assert_eq!(attribute(span, "error.type").as_deref(), kind, "{name}");
            let is_error = matches!(span.status, Status::Error { .. });
            assert_eq!(is_error, kind.is_some(), "{name}");
        }
        if method == READ {
            assert_eq!(
                attribute(&client, "mcp.resource.uri").as_deref(),
                Some(name)
            );
        }
    }
    let (server, client) = spans("tools/call", "print").await;
    assert_eq!(
        (&*server.name, &*client.name),
        ("tools/call print", "tools/call print")
    );
    assert_eq!(
        attribute(&server, "gen_ai.tool.name").as_deref(),
        Some("print")
    );
}

#[tokio::test]
async fn a_notification_has_a_span_and_no_measurement() {
    let exporter = InMemorySpanExporter::default();
    let tracers = SdkTracerProvider::builder().with_simple_exporter(exporter.clone());
    let telemetry = Telemetry::builder("test", "1")
        .tracers(tracers)
        .prometheus();
    let telemetry = telemetry.build().unwrap();
    let (requests, notifications) = (telemetry.clone(), telemetry.clone());
    let server = Server::builder("printer", "1")
        .on_operation(move |operation| requests.observe(operation))
        .on_notification(move |operation| notifications.observe(operation))
        .build()
        .unwrap();
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": 7, "_meta": {"traceparent": parent}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/made/up"}),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let served = server.serve(lines.as_bytes(), tokio::io::sink()).await;
    served.unwrap();
    let spans = exporter.get_finished_spans().unwrap();
    let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
    let expected = [
        "notifications/initialized",
        "notifications/cancelled",
        "_OTHER",
    ];
    assert_eq!(names, [&["ping"][..], &expected].concat());
    for span in &spans[1..] {
        assert_eq!(span.span_kind, SpanKind::Server);
        assert_eq!(
            attribute(span, "mcp.method.name").as_deref(),
            Some(&*span.name)
        );
        assert_eq!(attribute(span, "jsonrpc.request.id"), None);
        assert_eq!(attribute(span, "error.type"), None);
    }
    assert_eq!(spans[2].span_context.trace_id().to_string(), trace);
    let metrics = telemetry.prometheus_text();
    assert!(metrics.contains(r#"mcp_method_name="ping""#), "{metrics}");
    assert!(
        !metrics.contains("notifications/") && !metrics.contains("_OTHER"),
        "{metrics}"
    );
}
