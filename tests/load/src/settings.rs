//! What a server is started with: the limits that a scenario needs otherwise than by default. The load program writes it on the
//! server's command line, and the server reads it there.

use std::path::PathBuf;
use std::time::Duration;

use plainly::limits::Limits;
use plainly::transport::http::HttpLimits;
use serde::{Deserialize, Serialize};

/// What is not set is as by default.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Over standard input and output instead of HTTP.
    pub(crate) is_stdio: bool,
    /// File descriptors that the process may have.
    pub(crate) descriptors: Option<u64>,
    /// Files to serve too.
    pub(crate) directory: Option<PathBuf>,
    pub(crate) requests: Option<usize>,
    pub(crate) session_idle: Option<Duration>,
    pub(crate) resume: Option<Duration>,
    pub(crate) task_ttl: Option<Duration>,
    pub(crate) connections: Option<usize>,
    pub(crate) head: Option<Duration>,
    pub(crate) body_grace: Option<Duration>,
    pub(crate) write_stall: Option<Duration>,
    pub(crate) keep_alive: Option<Duration>,
}

impl Settings {
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        set(&mut limits.requests, self.requests);
        set(&mut limits.session_idle, self.session_idle);
        set(&mut limits.resume, self.resume);
        set(&mut limits.task_ttl, self.task_ttl);
        limits
    }

    pub(crate) fn http_limits(&self, limits: &Limits) -> HttpLimits {
        let mut limits = HttpLimits::from(limits);
        set(&mut limits.connections, self.connections);
        set(&mut limits.head, self.head);
        set(&mut limits.body_grace, self.body_grace);
        set(&mut limits.write_stall, self.write_stall);
        set(&mut limits.keep_alive, self.keep_alive);
        limits
    }
}

fn set<T>(limit: &mut T, setting: Option<T>) {
    if let Some(setting) = setting {
        *limit = setting;
    }
}
