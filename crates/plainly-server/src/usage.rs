//! The current use of the limits of a whole server.

use crate::Server;
use plainly_transport::quota::Quota;

/// The use of one limit of a whole server, as reported by [`Server::usage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// The name of the resource, in lower case with underscores: `requests`, `reply_bytes`.
    pub name: &'static str,
    /// The amount in use.
    pub used: usize,
    /// The limit. Beyond it the server rejects requests, or ends idle sessions.
    pub limit: usize,
}

impl Usage {
    fn new(name: &'static str, used: usize, limit: usize) -> Self {
        Self { name, used, limit }
    }

    fn of(name: &'static str, quota: &Quota) -> Self {
        Self::new(name, quota.taken(), quota.limit())
    }
}

impl Server {
    /// The current use of each limit of the whole server, in the order of its
    /// [limits](Self::limits).
    ///
    /// ```
    /// use plainly::server::Server;
    ///
    /// let server = Server::builder("greeter", "1.0.0").build()?;
    /// let usage = server.usage();
    /// let requests = usage.iter().find(|usage| usage.name == "requests").unwrap();
    /// assert_eq!((requests.used, requests.limit), (0, 4_096));
    /// # Ok::<(), plainly::server::BuildErrors>(())
    /// ```
    pub fn usage(&self) -> Vec<Usage> {
        let inner = &self.0;
        let limits = &inner.limits;
        let (sessions, listeners) = (&inner.sessions, inner.subscriptions.listeners());
        let mut usage = vec![
            Usage::of("reply_bytes", inner.unsent.quota()),
            Usage::of("requests", inner.load.quota()),
            Usage::of("listeners", &listeners.places),
            Usage::of("listener_bytes", &listeners.bytes),
            Usage::of("questions", &sessions.asked),
            Usage::new("sessions", sessions.count(), limits.sessions.open),
            Usage::of("session_bytes", &sessions.said),
            Usage::of("sse_sessions", inner.pipes.places()),
            Usage::of("resumption_bytes", &sessions.kept),
        ];
        if let Some(tasks) = inner.tasks.counts() {
            usage.push(Usage::new("tasks", tasks.total(), limits.tasks.stored));
        }
        usage
    }
}
