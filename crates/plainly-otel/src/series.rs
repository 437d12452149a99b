//! The durations of requests: one histogram for each set of attributes. A histogram with bound
//! attributes costs a tenth of one that looks them up for each request.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use foldhash::{HashMap, HashMapExt as _};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{BoundHistogram, Histogram};
use plainly_errors::{Code, Revision};
use plainly_server::Operation;

use crate::attributes::{Failure, network};
use crate::conventions as names;
use crate::names::Target;

/// The maximum number of attribute sets with a histogram of their own. The exporter counts all
/// later ones together.
const MOST: usize = 2_000;

pub(crate) struct AllSeries {
    histogram: Histogram<f64>,
    bound: RwLock<HashMap<Series, BoundHistogram<f64>>>,
}

/// The attributes of a request. Each has few values.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Series {
    method: &'static str,
    tool: Option<Arc<str>>,
    prompt: Option<Arc<str>>,
    revision: Revision,
    transport: &'static str,
    code: Option<Code>,
    failure: Option<Failure>,
}

impl AllSeries {
    pub(crate) fn new(histogram: Histogram<f64>) -> Self {
        Self {
            histogram,
            bound: RwLock::new(HashMap::new()),
        }
    }

    pub(crate) fn record(&self, duration: Duration, series: Series) {
        let seconds = duration.as_secs_f64();
        let bound = self.bound.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(histogram) = bound.get(&series) {
            return histogram.record(seconds);
        }
        let has_room = bound.len() < MOST;
        drop(bound);
        if !has_room {
            return self.histogram.record(seconds, &series.attributes());
        }
        let histogram = self.histogram.bind(&series.attributes());
        histogram.record(seconds);
        let mut bound = self.bound.write().unwrap_or_else(PoisonError::into_inner);
        bound.insert(series, histogram);
    }
}

impl Series {
    pub(crate) fn of(operation: &Operation<'_>, target: &Target) -> Self {
        Self {
            method: target.method,
            tool: target.tool.clone(),
            prompt: target.prompt.clone(),
            revision: operation.revision,
            transport: operation.transport,
            code: operation.outcome.code(),
            failure: Failure::of(&operation.outcome),
        }
    }

    fn attributes(&self) -> Vec<KeyValue> {
        let mut attributes = vec![
            KeyValue::new(names::METHOD, self.method),
            KeyValue::new(names::REVISION, self.revision.as_str()),
        ];
        attributes.extend(network(self.transport));
        if let Some(tool) = &self.tool {
            attributes.push(KeyValue::new(names::TOOL, Arc::clone(tool)));
            attributes.push(KeyValue::new(names::GEN_AI_OPERATION, names::EXECUTE_TOOL));
        }
        if let Some(prompt) = &self.prompt {
            attributes.push(KeyValue::new(names::PROMPT, Arc::clone(prompt)));
        }
        if let Some(code) = self.code {
            attributes.push(KeyValue::new(names::ERROR_CODE, code.get().to_string()));
        }
        attributes.extend(self.failure.map(Failure::attribute));
        attributes
    }
}

impl fmt::Debug for AllSeries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllSeries").finish_non_exhaustive()
    }
}
