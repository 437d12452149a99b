//! The metrics of sessions and tasks, in the format for Prometheus.

#![expect(clippy::unwrap_used, reason = "a panic is how tests fail")]

use std::time::Duration;

use plainly::limits::Limits;
use plainly::server::TaskSupport;
use plainly::{Client, Server, Tool};
use plainly_otel::Telemetry;
use serde_json::json;

fn telemetry() -> Telemetry {
    let telemetry = Telemetry::builder("test", "1").prometheus();
    telemetry.build().unwrap()
}

/// The value of a metric with exactly these labels, in addition to the exporter's own.
fn value(telemetry: &Telemetry, name: &str, labels: &str) -> Option<String> {
    let text = telemetry.prometheus_text();
    let start = format!("{name}{{{labels},otel_scope_name=");
    let line = text.lines().find(|line| line.starts_with(&start))?;
    Some(line.rsplit_once(' ').unwrap().1.to_owned())
}

#[tokio::test]
async fn a_session_is_measured_with_its_revision_and_its_failure() {
    const COUNT: &str = "mcp_server_session_duration_seconds_count";
    let telemetry = telemetry();
    let observer = telemetry.clone();
    let mut limits = Limits::default();
    limits.write_stall = Duration::from_millis(20);
    let server = Server::builder("test", "1")
        .limits(limits)
        .on_session_end(move |session| observer.observe_session(session))
        .build()
        .unwrap();
    let initialize = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    });
    let line = format!("{initialize}\n");
    let (gone, broken) = tokio::io::duplex(1);
    drop(gone);
    let (_silent, stalled) = tokio::io::duplex(1);
    server
        .serve(line.as_bytes(), tokio::io::sink())
        .await
        .unwrap();
    server.serve(line.as_bytes(), broken).await.unwrap_err();
    server.serve(line.as_bytes(), stalled).await.unwrap_err();
    let about = r#"mcp_protocol_version="2025-06-18",network_transport="pipe""#;
    for failure in [
        "",
        r#"error_type="connection_failed","#,
        r#"error_type="timeout","#,
    ] {
        let labels = format!("{failure}{about}");
        assert_eq!(
            value(&telemetry, COUNT, &labels).as_deref(),
            Some("1"),
            "{labels}"
        );
    }
}

#[tokio::test]
async fn tasks_are_counted_by_their_state() {
    let telemetry = telemetry();
    let task = |name, handler| Tool::new(name, handler).task(TaskSupport::Required);
    let server = Server::builder("test", "1")
        .tool(task("ends", async || "done"))
        .build()
        .unwrap();
    telemetry.watch(&server);
    let client = Client::in_memory(&server).connect().await.unwrap();
    client.call_tool("ends", json!({})).await.unwrap();
    for (state, number) in [
        ("working", "0"),
        ("input_required", "0"),
        ("completed", "1"),
        ("failed", "0"),
        ("cancelled", "0"),
    ] {
        let labels = format!(r#"plainly_state="{state}""#);
        let value = value(&telemetry, "plainly_server_tasks", &labels);
        assert_eq!(value.as_deref(), Some(number), "{state}");
    }
}
