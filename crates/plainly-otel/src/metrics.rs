//! The measurements of requests and sessions, of tasks, and of the usage of the server's limits.

use std::io::ErrorKind as IoError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};
use plainly_errors::{ErrorKind, InvalidRequest, Refusal, Unavailable};
use plainly_server::{EndedSession, Operation, Server, TaskCounts, Usage};

use crate::attributes::network;
use crate::conventions as names;
use crate::names::Target;
use crate::series::{AllSeries, Series};

/// The instruments.
#[derive(Debug)]
pub(crate) struct Metrics {
    meter: Meter,
    series: AllSeries,
    sessions: Histogram<f64>,
    refusals: Counter<u64>,
    bytes: Arc<Bytes>,
}

/// The requests to a cache, for [`Telemetry::watch_cache`](crate::Telemetry::watch_cache).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the program counts both")]
pub struct CacheCounts {
    /// Requests that the cache answered.
    pub hits: u64,
    /// Requests that the cache could have answered, but whose results it did not have.
    pub misses: u64,
}

/// The total bytes of requests and replies. They are counted here and read when metrics are
/// collected, because an instrument with attributes costs a tenth of a small request.
#[derive(Debug, Default)]
struct Bytes {
    requests: AtomicU64,
    replies: AtomicU64,
}

impl Metrics {
    pub(crate) fn new(meter: Meter) -> Self {
        let bytes = Arc::<Bytes>::default();
        let duration = meter
            .f64_histogram(names::DURATION)
            .with_unit("s")
            .with_description("The time from the arrival of a request to its reply")
            .with_boundaries(names::BOUNDARIES.to_vec())
            .build();
        let sessions = meter
            .f64_histogram(names::SESSION_DURATION)
            .with_unit("s")
            .with_description("The time from the beginning of a session to its last use")
            .with_boundaries(names::SESSION_BOUNDARIES.to_vec())
            .build();
        let refusals = meter
            .u64_counter(names::REFUSALS)
            .with_description("Requests that were refused for want of room or of permission")
            .build();
        let counted = |name, description, count: fn(&Bytes) -> &AtomicU64| {
            let bytes = Arc::clone(&bytes);
            meter
                .u64_observable_counter(name)
                .with_unit("By")
                .with_description(description)
                .with_callback(move |it| it.observe(count(&bytes).load(Ordering::Relaxed), &[]))
                .build();
        };
        counted(names::REQUEST_BYTES, "The bytes of all requests", |it| {
            &it.requests
        });
        counted(names::REPLY_BYTES, "The bytes of all replies", |it| {
            &it.replies
        });
        Self {
            meter,
            series: AllSeries::new(duration),
            sessions,
            refusals,
            bytes,
        }
    }

    #[cfg(feature = "client")]
    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(crate) fn record(&self, operation: &Operation<'_>, target: &Target) {
        let add = |sum: &AtomicU64, bytes: usize| sum.fetch_add(bytes as u64, Ordering::Relaxed);
        add(&self.bytes.requests, operation.request_bytes);
        add(&self.bytes.replies, operation.reply_bytes.unwrap_or(0));
        if let Some(reason) = refusal(operation) {
            self.refusals
                .add(1, &[KeyValue::new(names::REASON, reason)]);
        }
        // A message that was rejected before it was read has no duration and no method.
        if let Some(duration) = operation.duration {
            self.series.record(duration, Series::of(operation, target));
        }
    }

    pub(crate) fn record_session(&self, session: &EndedSession) {
        let mut attributes = vec![KeyValue::new(names::REVISION, session.revision.as_str())];
        attributes.extend(network(session.transport));
        if let Some(error) = session.error {
            let kind = match error == IoError::TimedOut {
                true => names::TIMEOUT,
                false => names::CONNECTION_FAILED,
            };
            attributes.push(KeyValue::new(names::ERROR_TYPE, kind));
        }
        let seconds = session.duration.as_secs_f64();
        self.sessions.record(seconds, &attributes);
    }

    /// Reports the tasks of this server, and the usage of its limits.
    pub(crate) fn watch(&self, server: Server) {
        self.watch_tasks(server.clone());
        if server.is_engine_connected().is_some() {
            self.watch_replicas(&server);
        }
        let gauge = |name, description, value: fn(&Usage) -> usize| {
            let server = server.clone();
            self.meter
                .u64_observable_gauge(name)
                .with_description(description)
                .with_callback(move |gauge| {
                    for usage in server.usage() {
                        let resource = KeyValue::new(names::RESOURCE, usage.name);
                        gauge.observe(value(&usage) as u64, &[resource]);
                    }
                })
                .build();
        };
        gauge(names::USED, "The use of a limit of the server", |it| {
            it.used
        });
        gauge(names::LIMIT, "The limit", |it| it.limit);
    }

    /// Reports the requests to a cache.
    pub(crate) fn watch_cache(
        &self,
        cache: &'static str,
        counts: impl Fn() -> CacheCounts + Send + Sync + 'static,
    ) {
        self.meter
            .u64_observable_counter(names::CACHE_REQUESTS)
            .with_description("Requests to a cache, by whether it had the answer")
            .with_callback(move |counter| {
                let CacheCounts { hits, misses } = counts();
                for (result, count) in [("hit", hits), ("miss", misses)] {
                    let cache = KeyValue::new(names::CACHE, cache);
                    counter.observe(count, &[cache, KeyValue::new(names::RESULT, result)]);
                }
            })
            .build();
    }

    fn watch_replicas(&self, server: &Server) {
        let counted = server.clone();
        self.meter
            .u64_observable_counter(names::REPLICA_EVENTS)
            .with_description("What this replica has told, heard, asked and stored")
            .with_callback(move |counter| {
                for it in counted.replica_counts() {
                    let kind = KeyValue::new(names::KIND, it.kind);
                    let outcome = KeyValue::new(names::OUTCOME, it.outcome);
                    counter.observe(it.count, &[kind, outcome]);
                }
            })
            .build();
        let server = server.clone();
        self.meter
            .u64_observable_gauge(names::ENGINE_CONNECTED)
            .with_description("Whether the engine of the replicas can be reached")
            .with_callback(move |gauge| {
                let is_connected = server.is_engine_connected();
                gauge.observe(u64::from(is_connected == Some(true)), &[]);
            })
            .build();
    }

    fn watch_tasks(&self, server: Server) {
        self.meter
            .u64_observable_gauge(names::TASKS)
            .with_description("The tasks that are stored, by their state")
            .with_callback(move |gauge| {
                let states = server.task_counts().map(states);
                for (state, tasks) in states.into_iter().flatten() {
                    gauge.observe(tasks as u64, &[KeyValue::new(names::STATE, state)]);
                }
            })
            .build();
    }
}

fn states(counts: TaskCounts) -> [(&'static str, usize); 5] {
    [
        ("working", counts.working),
        ("input_required", counts.input_required),
        ("completed", counts.completed),
        ("failed", counts.failed),
        ("cancelled", counts.cancelled),
    ]
}

/// The reason for a request that was rejected because of limits or missing permissions.
#[expect(clippy::wildcard_enum_match_arm, reason = "other errors are answers")]
fn refusal(operation: &Operation<'_>) -> Option<&'static str> {
    Some(match operation.outcome.error()?.kind() {
        ErrorKind::Unavailable(Unavailable::Overloaded) => "overloaded",
        ErrorKind::Unavailable(Unavailable::ShuttingDown) => "shutting_down",
        ErrorKind::Unavailable(_) => "cannot_verify",
        ErrorKind::InvalidRequest(InvalidRequest::Refused { refusal, .. }) => match refusal {
            Refusal::Unauthorized => "unauthorized",
            Refusal::InsufficientScope => "insufficient_scope",
            Refusal::TooManyFailures => "too_many_failures",
            Refusal::TooLarge { .. } => "too_large",
            Refusal::RequestTimeout => "request_timeout",
            Refusal::ForbiddenHost | Refusal::ForbiddenOrigin => "forbidden",
            _ => return None,
        },
        _ => return None,
    })
}
