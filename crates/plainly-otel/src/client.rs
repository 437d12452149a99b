//! Spans and measurements of a client's calls.

use std::collections::VecDeque;
use std::sync::Arc;

use opentelemetry::metrics::Histogram;
use opentelemetry::trace::{Span as _, SpanContext, SpanId, SpanKind, Status, Tracer as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use plainly_client::{Builder, Operation, TraceContext};
use plainly_errors::ProtocolError;
use plainly_transport::lock::Lock;

use crate::Telemetry;
use crate::attributes::network;
use crate::conventions as names;

/// The maximum number of open spans. A call whose future is dropped never ends, so its span is
/// removed when later calls need the space.
const OPEN: usize = 4_096;

impl Telemetry {
    /// Creates a span for each call of the client, and measures the calls. The parent of a span is
    /// OpenTelemetry's current span. The server receives the span in `_meta` as the parent of its
    /// own (SEP-414).
    ///
    /// ```
    /// use plainly::{Client, Server};
    /// use plainly_otel::Telemetry;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let server = Server::builder("greeter", "1.0.0").build()?;
    /// let telemetry = Telemetry::builder("asker", "1.0.0").prometheus().build()?;
    /// let client = telemetry.instrument(Client::in_memory(&server)).connect().await?;
    /// client.ping().await?;
    /// let metrics = telemetry.prometheus_text();
    /// assert!(metrics.contains("mcp_client_operation_duration_seconds_count"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn instrument<T>(&self, builder: Builder<T>) -> Builder<T> {
        let calls = Arc::new(Calls::new(self));
        let begun = Arc::clone(&calls);
        builder
            .trace_calls(move || begun.begin())
            .on_operation(move |operation| calls.end(operation))
    }
}

/// The calls of a client.
struct Calls {
    tracer: Option<SdkTracer>,
    duration: Option<Histogram<f64>>,
    open: Lock<VecDeque<(SpanId, Span)>>,
}

impl Calls {
    fn new(telemetry: &Telemetry) -> Self {
        let meter = telemetry.0.metrics.as_ref().map(|it| it.meter());
        let duration = meter.map(|meter| {
            meter
                .f64_histogram(names::CLIENT_DURATION)
                .with_unit("s")
                .with_description("The time of a call, with all its tries")
                .with_boundaries(names::BOUNDARIES.to_vec())
                .build()
        });
        Self {
            tracer: telemetry
                .0
                .spans
                .as_ref()
                .map(|spans| spans.tracer().clone()),
            duration,
            open: Lock::default(),
        }
    }

    fn begin(&self) -> Option<TraceContext> {
        let tracer = self.tracer.as_ref()?;
        let builder = tracer.span_builder("call").with_kind(SpanKind::Client);
        let span = tracer.build_with_context(builder, &Context::current());
        let context = span.span_context().clone();
        if span.is_recording() {
            let mut open = self.open.lock();
            if open.len() >= OPEN {
                open.pop_front();
            }
            open.push_back((context.span_id(), span));
        }
        written(&context)
    }

    fn end(&self, operation: &Operation<'_>) {
        let attributes = attributes(operation);
        if let Some(duration) = &self.duration {
            duration.record(operation.duration.as_secs_f64(), &attributes);
        }
        let Some(mut span) = operation.trace.and_then(|trace| self.close(trace)) else {
            return;
        };
        let method = operation.method;
        match operation.name.filter(|_| !method.starts_with("resources/")) {
            Some(name) => span.update_name(format!("{method} {name}")),
            None => span.update_name(method),
        }
        span.set_attributes(attributes);
        if let Some(name) = operation.name
            && method.starts_with("resources/")
        {
            span.set_attribute(KeyValue::new(names::RESOURCE_URI, name.to_owned()));
        }
        if let Some(error) = operation.error {
            span.set_status(Status::error(error.to_string()));
        }
        span.end();
    }

    /// Removes and returns the open span of the call.
    fn close(&self, trace: &TraceContext) -> Option<Span> {
        let id = SpanId::from_bytes(trace.parent()?.parent_id);
        let mut open = self.open.lock();
        let at = open.iter().rposition(|(own, _)| *own == id)?;
        Some(open.remove(at)?.1)
    }
}

/// The attributes of a call. For the client, every error counts.
fn attributes(operation: &Operation<'_>) -> Vec<KeyValue> {
    let mut attributes = vec![
        KeyValue::new(names::METHOD, operation.method),
        KeyValue::new(names::REVISION, operation.revision.as_str()),
    ];
    attributes.extend(network(operation.transport));
    let name = || operation.name.unwrap_or_default().to_owned();
    match operation.method {
        "tools/call" => {
            attributes.push(KeyValue::new(names::TOOL, name()));
            attributes.push(KeyValue::new(names::GEN_AI_OPERATION, names::EXECUTE_TOOL));
        }
        "prompts/get" => attributes.push(KeyValue::new(names::PROMPT, name())),
        _ => {}
    }
    let Some(error) = operation.error else {
        return attributes;
    };
    let received = error.protocol().and_then(ProtocolError::received);
    let code = received.map(|error| error.code.get().to_string());
    if let Some(code) = &code {
        attributes.push(KeyValue::new(names::ERROR_CODE, code.clone()));
    }
    let kind = match error.is_timeout() {
        true => names::TIMEOUT.to_owned(),
        false => code.unwrap_or_else(|| names::OTHER.to_owned()),
    };
    attributes.push(KeyValue::new(names::ERROR_TYPE, kind));
    attributes
}

/// A context in the form for `_meta`.
fn written(context: &SpanContext) -> Option<TraceContext> {
    let (trace, span) = (context.trace_id(), context.span_id());
    let flags = context.trace_flags().to_u8();
    let trace = TraceContext::new(format!("00-{trace}-{span}-{flags:02x}"))?;
    let state = context.trace_state().header();
    Some(match state.is_empty() {
        true => trace,
        false => trace.state(state),
    })
}
