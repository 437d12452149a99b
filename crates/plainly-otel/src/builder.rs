//! Builds telemetry from the `OTEL_*` variables, and reports all mistakes in them at once.

use std::collections::HashSet;
use std::env;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{SdkTracerProvider, TracerProviderBuilder};
use tokio::runtime::Handle;

use crate::conventions::SCOPE;
use crate::export::Exporter;
use crate::metrics::Metrics;
use crate::names::KnownNames;
use crate::spans::Spans;
use crate::{Parts, Telemetry};

/// The default timeout of an export, unless `OTEL_EXPORTER_OTLP_TIMEOUT` sets another.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A builder of [`Telemetry`].
#[derive(Debug)]
#[must_use = "telemetry must be built"]
pub struct TelemetryBuilder {
    name: String,
    version: String,
    tracers: Option<TracerProviderBuilder>,
    otlp: bool,
    prometheus: bool,
}

/// The mistakes in `OTEL_*` variables. Each line names a variable and the expected value.
#[derive(thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct TelemetryError(Vec<String>);

plainly_errors::debug_with_causes!(TelemetryError);

/// A signal that is exported over OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    Traces,
    Metrics,
}

impl Signal {
    /// The signal's part in the names of variables.
    fn variable(self) -> &'static str {
        match self {
            Self::Traces => "TRACES",
            Self::Metrics => "METRICS",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
        }
    }

    /// The name and value of the variable for this signal, or else of the one for all signals.
    fn otlp(self, setting: &str) -> Option<(String, String)> {
        let own = format!("OTEL_EXPORTER_OTLP_{}_{setting}", self.variable());
        let of_all = format!("OTEL_EXPORTER_OTLP_{setting}");
        [own, of_all]
            .into_iter()
            .find_map(|name| Some((variable(&name)?, name)))
            .map(|(value, name)| (name, value))
    }

    /// Whether the signal is exported: because a variable sets an endpoint, or because a variable
    /// enables the export.
    fn is_exported(self, mistakes: &mut Vec<String>) -> bool {
        let name = format!("OTEL_{}_EXPORTER", self.variable());
        match variable(&name).as_deref() {
            None => self.otlp("ENDPOINT").is_some(),
            Some("otlp") => true,
            Some("none") => false,
            Some(other) => {
                mistakes.push(format!(
                    "invalid {name}: expected otlp or none, not {other:?}"
                ));
                false
            }
        }
    }

    /// Checks settings that this exporter may not support.
    fn check(self, mistakes: &mut Vec<String>) {
        if let Some((name, value)) = self.otlp("PROTOCOL")
            && value != "http/protobuf"
        {
            mistakes.push(format!(
                "invalid {name}: only http/protobuf is supported, not {value:?}"
            ));
        }
        if let Some((name, value)) = self.otlp("COMPRESSION")
            && value != "none"
        {
            mistakes.push(format!(
                "invalid {name}: only none is supported, not {value:?}"
            ));
        }
        if let Some((name, value)) = self.otlp("ENDPOINT") {
            let is_url =
                |url: &url::Url| matches!(url.scheme(), "http" | "https") && url.has_host();
            if !url::Url::parse(&value).is_ok_and(|url| is_url(&url)) {
                mistakes.push(format!(
                    "invalid {name}: expected a URL such as http://localhost:4318"
                ));
            }
        }
        if let Some((name, value)) = self.otlp("TIMEOUT")
            && value.parse::<u64>().is_err()
        {
            mistakes.push(format!(
                "invalid {name}: expected milliseconds, not {value:?}"
            ));
        }
    }

    fn exporter(self, runtime: Handle) -> Result<Exporter, String> {
        let timeout = self
            .otlp("TIMEOUT")
            .and_then(|(_, value)| value.parse().ok());
        let timeout = timeout.map_or(TIMEOUT, Duration::from_millis);
        // Without an endpoint, the exporter uses a local collector.
        let endpoint = self
            .otlp("ENDPOINT")
            .and_then(|(_, url)| url::Url::parse(&url).ok());
        let scheme = endpoint.as_ref().map_or("http", url::Url::scheme);
        Exporter::new(self.name(), scheme, timeout, runtime).map_err(|error| self.failed(&error))
    }

    fn failed(self, error: &dyn ToString) -> String {
        format!("{} cannot be exported: {}", self.name(), error.to_string())
    }
}

impl TelemetryBuilder {
    pub(crate) fn new(name: String, version: String) -> Self {
        Self {
            name,
            version,
            tracers: None,
            otlp: false,
            prometheus: false,
        }
    }

    /// Exports traces and metrics over OTLP (HTTP with protobuf), as configured by the `OTEL_*`
    /// variables. Exports only to the collector in `OTEL_EXPORTER_OTLP_ENDPOINT`, and not if
    /// `OTEL_SDK_DISABLED` is `true`. Must be built within a Tokio runtime, which sends the
    /// exports.
    pub fn otlp(mut self) -> Self {
        self.otlp = true;
        self
    }

    /// Creates spans with these tracers, which may have the program's own exporters.
    pub fn tracers(mut self, tracers: TracerProviderBuilder) -> Self {
        self.tracers = Some(tracers);
        self
    }

    /// Collects metrics for [`Telemetry::prometheus_text`].
    pub fn prometheus(mut self) -> Self {
        self.prometheus = true;
        self
    }

    /// Builds the telemetry. The error contains all mistakes in the variables.
    pub fn build(self) -> Result<Telemetry, TelemetryError> {
        let mut mistakes = Vec::new();
        let is_disabled =
            variable("OTEL_SDK_DISABLED").is_some_and(|it| it.eq_ignore_ascii_case("true"));
        let mut exports = |signal: Signal| {
            let is_exported = self.otlp && !is_disabled && signal.is_exported(&mut mistakes);
            if is_exported {
                signal.check(&mut mistakes);
            }
            is_exported
        };
        let (has_traces, has_metrics) = (exports(Signal::Traces), exports(Signal::Metrics));
        // A variable for both signals is checked twice, so its mistakes are reported twice.
        let mut known = HashSet::new();
        mistakes.retain(|mistake| known.insert(mistake.clone()));
        if !mistakes.is_empty() {
            return Err(TelemetryError(mistakes));
        }
        let resource = self.resource();
        let failed = |why| TelemetryError(vec![why]);
        let tracers = match (self.tracers, has_traces) {
            (None, false) => None,
            (own, _) => {
                let builder = own.unwrap_or_default().with_resource(resource.clone());
                Some(tracers(builder, has_traces).map_err(failed)?)
            }
        };
        let registry = self.prometheus.then(prometheus::Registry::new);
        let meters = match has_metrics || self.prometheus {
            true => Some(meters(resource, has_metrics, registry.clone()).map_err(failed)?),
            false => None,
        };
        Ok(Telemetry(
            Parts {
                names: KnownNames::default(),
                metrics: meters.as_ref().map(|it| Metrics::new(it.meter(SCOPE))),
                spans: tracers.as_ref().map(|it| Spans::new(it.tracer(SCOPE))),
                meters,
                tracers,
                registry,
            }
            .into(),
        ))
    }

    fn resource(&self) -> Resource {
        let version = KeyValue::new("service.version", self.version.clone());
        let builder = Resource::builder_empty()
            .with_service_name(self.name.clone())
            .with_attribute(version)
            .with_detector(Box::new(TelemetryResourceDetector))
            .with_detector(Box::new(EnvResourceDetector::new()));
        match variable("OTEL_SERVICE_NAME") {
            Some(name) => builder.with_service_name(name).build(),
            None => builder.build(),
        }
    }
}

fn tracers(builder: TracerProviderBuilder, is_exported: bool) -> Result<SdkTracerProvider, String> {
    if !is_exported {
        return Ok(builder.build());
    }
    let signal = Signal::Traces;
    let client = signal.exporter(runtime()?)?;
    let exporter = SpanExporter::builder().with_http().with_http_client(client);
    let exporter = exporter.build().map_err(|error| signal.failed(&error))?;
    Ok(builder.with_batch_exporter(exporter).build())
}

fn meters(
    resource: Resource,
    is_exported: bool,
    registry: Option<prometheus::Registry>,
) -> Result<SdkMeterProvider, String> {
    let signal = Signal::Metrics;
    let mut builder = SdkMeterProvider::builder().with_resource(resource);
    if is_exported {
        let client = signal.exporter(runtime()?)?;
        let exporter = MetricExporter::builder()
            .with_http()
            .with_http_client(client);
        let exporter = exporter.build().map_err(|error| signal.failed(&error))?;
        builder = builder.with_periodic_exporter(exporter);
    }
    if let Some(registry) = registry {
        let reader = opentelemetry_prometheus::exporter()
            .with_registry(registry)
            .build();
        builder = builder.with_reader(reader.map_err(|error| signal.failed(&error))?);
    }
    Ok(builder.build())
}

fn runtime() -> Result<Handle, String> {
    Handle::try_current().map_err(|_none| "telemetry must be built in a tokio runtime".to_owned())
}

/// The value of a variable; an empty one counts as absent.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
