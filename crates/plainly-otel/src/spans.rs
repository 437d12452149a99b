//! The span of each request and notification. It is only created after the end, and if the sampler
//! wants it, so an unrecorded operation only costs a look at its ids.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{
    Link, Span as _, SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _,
    TraceFlags, TraceId, TraceState, Tracer as _,
};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use plainly_protocol::trace_context::{TRACE_STATE, TraceContext};
use plainly_server::{Operation, TraceParent};

use crate::attributes::{Failure, network};
use crate::conventions as names;
use crate::names::Target;

#[derive(Debug)]
pub(crate) struct Spans(SdkTracer);

impl Spans {
    pub(crate) fn new(tracer: SdkTracer) -> Self {
        Self(tracer)
    }

    #[cfg(feature = "client")]
    pub(crate) fn tracer(&self) -> &SdkTracer {
        &self.0
    }

    pub(crate) fn record(&self, operation: &Operation<'_>, target: &Target) {
        let end = SystemTime::now();
        let parent = operation.trace.and_then(remote);
        let context = match parent {
            Some(parent) => Context::new().with_remote_span_context(parent),
            None => Context::new(),
        };
        let name = match target.tool.as_ref().or(target.prompt.as_ref()) {
            Some(name) => format!("{} {name}", target.method).into(),
            None => target.method.into(),
        };
        let duration = operation.duration.unwrap_or(Duration::ZERO);
        let links = operation.http_trace.map(|trace| {
            let context = context_of(trace, TraceState::NONE);
            vec![Link::new(context, Vec::new(), 0)]
        });
        let mut builder = SpanBuilder::from_name::<Cow<'static, str>>(name)
            .with_kind(SpanKind::Server)
            .with_start_time(end.checked_sub(duration).unwrap_or(end));
        builder.links = links;
        let mut span = self.0.build_with_context(builder, &context);
        if span.is_recording() {
            describe(&mut span, operation, target);
        }
        span.end_with_timestamp(end);
    }
}

fn describe(span: &mut Span, operation: &Operation<'_>, target: &Target) {
    let mut set = |name, value: Value| span.set_attribute(KeyValue::new(name, value));
    set(names::METHOD, target.method.into());
    set(names::REVISION, operation.revision.as_str().into());
    if let Some(id) = operation.id {
        // A text id is written without its quotes.
        set(names::REQUEST_ID, id.trim_matches('"').to_owned().into());
    }
    if let Some(client) = operation.client {
        set(names::CLIENT_ADDRESS, client.to_string().into());
    }
    match (&target.tool, &target.prompt, operation.name) {
        (Some(tool), _, _) => {
            set(names::TOOL, Arc::clone(tool).into());
            set(names::GEN_AI_OPERATION, names::EXECUTE_TOOL.into());
        }
        (None, Some(prompt), _) => set(names::PROMPT, Arc::clone(prompt).into()),
        (None, None, Some(uri)) if target.method.starts_with("resources/") => {
            set(names::RESOURCE_URI, uri.to_owned().into());
        }
        (None, None, _) => {}
    }
    if let Some(code) = operation.outcome.code() {
        set(names::ERROR_CODE, code.get().to_string().into());
    }
    if let Some(incident) = operation.outcome.incident() {
        set(names::INCIDENT, incident.to_owned().into());
    }
    for attribute in network(operation.transport) {
        span.set_attribute(attribute);
    }
    let Some(failure) = Failure::of(&operation.outcome) else {
        return;
    };
    span.set_attribute(failure.attribute());
    let error = operation.outcome.error();
    let text = error.map_or_else(String::new, |error| error.message().into_owned());
    span.set_status(Status::error(text));
}

/// The remote parent in a trace context.
fn remote(trace: &TraceContext) -> Option<SpanContext> {
    let state = trace.get(TRACE_STATE).and_then(|state| state.parse().ok());
    Some(context_of(
        trace.parent()?,
        state.unwrap_or(TraceState::NONE),
    ))
}

fn context_of(trace: TraceParent, state: TraceState) -> SpanContext {
    SpanContext::new(
        TraceId::from_bytes(trace.trace_id),
        SpanId::from_bytes(trace.parent_id),
        TraceFlags::new(trace.flags),
        true,
        state,
    )
}
