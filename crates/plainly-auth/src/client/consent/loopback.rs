//! Consent in a browser on this machine, which is redirected to one of its ports (RFC 8252, 7.3).

use std::fmt;
use std::future::ready;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use plainly_errors::mistake::printable;
use plainly_oauth::Secret;

use super::callback::ExpectedRequest;
use super::redirect::{BoundRedirect, Redirect};
use super::{Consent, ConsentError, ConsentPage, Visit, listening};

/// The default time limit for a user to log in.
const TIMEOUT: Duration = Duration::from_secs(5 * 60);

type OpenPage = dyn Fn(&ConsentPage<'_>) -> io::Result<()> + Send + Sync;

/// Opens the page, and listens at a port of this machine for the redirect of the browser.
#[derive(Clone)]
pub struct Loopback {
    open: Arc<OpenPage>,
    port: Option<u16>,
    timeout: Duration,
}

impl Loopback {
    /// Asks for consent with a page that `open` shows in the user's browser. `open` should show the
    /// address first, must not wait for the user, and must not pass the URL through a shell.
    pub fn new(open: impl Fn(&ConsentPage<'_>) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self {
            open: Arc::new(open),
            port: None,
            timeout: TIMEOUT,
        }
    }

    /// Sets the port of the redirect, for clients that were registered manually. By default, it is
    /// the registered port, or any.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Limits the user's time to log in: five minutes by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    pub(super) fn bind(&self, redirect: Option<&str>) -> Result<LoopbackVisit, ConsentError> {
        let wanted = redirect.map(Redirect::parse).transpose()?;
        let wanted = wanted.unwrap_or_default();
        let port = match (wanted.port, self.port) {
            (Some(registered), Some(own)) if registered != own => {
                return Err(ConsentError::Redirect {
                    redirect: printable(redirect.unwrap_or_default()).into_owned(),
                    why: "its port is not the configured one",
                });
            }
            (registered, own) => registered.or(own).unwrap_or(0),
        };
        match wanted.bind(port) {
            Ok(bound) => Ok(LoopbackVisit {
                bound,
                open: Arc::clone(&self.open),
                timeout: self.timeout,
            }),
            Err(source) => Err(ConsentError::PortTaken { port, source }),
        }
    }
}

impl fmt::Debug for Loopback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loopback")
            .field("port", &self.port)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

impl Consent for Loopback {
    fn prepare<'a>(
        &'a self,
        redirect: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Visit>, ConsentError>> {
        let visit = self.bind(redirect);
        Box::pin(ready(visit.map(|visit| Box::new(visit) as _)))
    }
}

/// A visit that ends with a redirect to a port that is already bound.
pub(super) struct LoopbackVisit {
    bound: BoundRedirect,
    open: Arc<OpenPage>,
    timeout: Duration,
}

impl LoopbackVisit {
    pub(super) fn uri(&self) -> &str {
        &self.bound.uri
    }

    /// Shows the page, then waits for the browser and for `other`, and returns the first result.
    pub(super) async fn visit_or(
        self,
        page: &ConsentPage<'_>,
        other: impl Future<Output = Result<String, ConsentError>>,
    ) -> Result<String, ConsentError> {
        page.check()?;
        (self.open)(page).map_err(|source| ConsentError::NoBrowser { source })?;
        let BoundRedirect {
            listeners,
            hosts,
            path,
            ..
        } = self.bound;
        let state = Secret::new(page.state);
        let awaited = ExpectedRequest { hosts, path, state };
        let waiting = async {
            tokio::select! {
                query = listening::wait(&listeners, awaited) => Ok(query),
                query = other => query,
            }
        };
        match tokio::time::timeout(self.timeout, waiting).await {
            Ok(ended) => ended,
            Err(_elapsed) => Err(ConsentError::TimedOut {
                after: self.timeout,
            }),
        }
    }
}

impl Visit for LoopbackVisit {
    fn redirect_uri(&self) -> &str {
        self.uri()
    }

    fn visit<'a>(
        self: Box<Self>,
        page: &'a ConsentPage<'a>,
    ) -> BoxFuture<'a, Result<String, ConsentError>> {
        Box::pin(self.visit_or(page, std::future::pending()))
    }
}

impl fmt::Debug for LoopbackVisit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoopbackVisit")
            .field("bound", &self.bound)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
