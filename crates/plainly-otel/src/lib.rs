//! OpenTelemetry for MCP servers: a span for each request and notification, and a measurement of
//! each request and session, with the names of the [semantic conventions for
//! MCP](https://github.com/open-telemetry/semantic-conventions-genai). They are exported over OTLP,
//! as configured by the `OTEL_*` variables, and to Prometheus.
//!
//! ```
//! use plainly::Server;
//! use plainly_otel::Telemetry;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let telemetry = Telemetry::builder("greeter", "1.0.0").prometheus().build()?;
//! let observer = telemetry.clone();
//! let server = Server::builder("greeter", "1.0.0")
//!     .on_operation(move |operation| observer.observe(operation))
//!     .build()?;
//! telemetry.watch(&server);
//!
//! let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}\n";
//! server.serve(&ping[..], tokio::io::sink()).await?;
//! assert!(telemetry.prometheus_text().contains(r#"mcp_method_name="_OTHER""#));
//! # Ok(())
//! # }
//! ```
//!
//! Callers can't create labels: methods and tools that the server does not have are labelled
//! `_OTHER`. A request that fails by the caller's mistake is not an error of the server, and has no
//! `error.type`.

mod attributes;
mod builder;
#[cfg(feature = "client")]
mod client;
mod conventions;
mod export;
mod metrics;
mod names;
mod series;
mod spans;

use std::sync::Arc;

use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use plainly_server::{EndedSession, Operation, OperationOutcome, Server};

pub use self::builder::{TelemetryBuilder, TelemetryError};
pub use self::metrics::CacheCounts;
use self::metrics::Metrics;
use self::names::KnownNames;
use self::spans::Spans;

/// The traces and metrics of a server. Cheap to clone; all clones are the same telemetry.
#[derive(Clone, Debug)]
pub struct Telemetry(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    names: KnownNames,
    metrics: Option<Metrics>,
    spans: Option<Spans>,
    meters: Option<SdkMeterProvider>,
    tracers: Option<SdkTracerProvider>,
    registry: Option<prometheus::Registry>,
}

impl Telemetry {
    /// Starts building the telemetry of a service with this name and version. `OTEL_SERVICE_NAME` and
    /// `OTEL_RESOURCE_ATTRIBUTES` override and extend them.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> TelemetryBuilder {
        TelemetryBuilder::new(name.into(), version.into())
    }

    /// Measures a request that has ended, and creates its span. Call this for each operation of
    /// [`ServerBuilder::on_operation`](plainly_server::ServerBuilder::on_operation). A
    /// notification, from [`on_notification`](plainly_server::ServerBuilder::on_notification), only
    /// gets a span, because no client waits for it and its few microseconds would count as a fast
    /// request. Does not block.
    pub fn observe(&self, operation: &Operation<'_>) {
        let state = &self.0;
        let target = state.names.target(operation);
        let is_notification = matches!(operation.outcome, OperationOutcome::Accepted);
        if let Some(metrics) = &state.metrics
            && !is_notification
        {
            metrics.record(operation, &target);
        }
        if let Some(spans) = &state.spans {
            spans.record(operation, &target);
        }
    }

    /// Measures a session that has ended. Call this for each session that
    /// [`ServerBuilder::on_session_end`](plainly_server::ServerBuilder::on_session_end) reports.
    /// Does not block.
    pub fn observe_session(&self, session: &EndedSession) {
        if let Some(metrics) = &self.0.metrics {
            metrics.record_session(session);
        }
    }

    /// Whether anything is measured or exported.
    pub fn is_on(&self) -> bool {
        self.0.metrics.is_some() || self.0.spans.is_some()
    }

    /// Reports the server's tasks and the use of its limits from now on. The server then lives as long
    /// as this telemetry.
    pub fn watch(&self, server: &Server) {
        if let Some(metrics) = &self.0.metrics {
            metrics.watch(server.clone());
        }
    }

    /// Reports the requests to a cache from now on: to a client's cache of results or to another.
    ///
    /// ```
    /// use plainly::client::Cache;
    /// use plainly_otel::{CacheCounts, Telemetry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let telemetry = Telemetry::builder("asker", "1.0.0").prometheus().build()?;
    /// let cache = Cache::default();
    /// let counted = cache.clone();
    /// telemetry.watch_cache("results", move || CacheCounts {
    ///     hits: counted.hits(),
    ///     misses: counted.misses(),
    /// });
    /// assert!(telemetry.prometheus_text().contains(r#"plainly_result="hit""#));
    /// # Ok(())
    /// # }
    /// ```
    pub fn watch_cache(
        &self,
        cache: &'static str,
        counts: impl Fn() -> CacheCounts + Send + Sync + 'static,
    ) {
        if let Some(metrics) = &self.0.metrics {
            metrics.watch_cache(cache, counts);
        }
    }

    /// The metrics in the text format of Prometheus, version 0.0.4; empty without
    /// [`TelemetryBuilder::prometheus`].
    pub fn prometheus_text(&self) -> String {
        let Some(registry) = &self.0.registry else {
            return String::new();
        };
        let mut text = String::new();
        let encoder = prometheus::TextEncoder::new();
        if let Err(error) = encoder.encode_utf8(&registry.gather(), &mut text) {
            tracing::error!(%error, "metrics could not be written");
        }
        text
    }

    /// Exports the remaining data, and stops. Blocks until the collector has responded or 5 seconds
    /// have passed, so call it where blocking is allowed.
    pub fn shutdown(&self) {
        let (state, time) = (&self.0, conventions::SHUTDOWN);
        // In parallel, because each may wait for the collector. The exporter has already reported a
        // collector that doesn't respond.
        std::thread::scope(|scope| {
            if let Some(tracers) = &state.tracers {
                scope.spawn(|| tracers.shutdown_with_timeout(time));
            }
            if let Some(meters) = &state.meters {
                scope.spawn(|| meters.shutdown_with_timeout(time));
            }
        });
    }
}
