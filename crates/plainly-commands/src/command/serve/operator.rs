//! The reports of the server to its operator: telemetry, the audit file, recent activity, and
//! whether it is ready.

use std::sync::Arc;

use plainly::protocol::method::Method;
use plainly::server::layer::{Next, Outcome, Request, from_fn};
use plainly::server::{Health, Operation, Server, ServerBuilder};
use plainly::transport::http::Readiness;
use plainly_otel::Telemetry;
use tokio::task::spawn_blocking;

use super::audit::{self, Audit};
use super::recent::RecentActivity;
use super::write;
use crate::args::ServeArgs;
use crate::failure::Failure;

#[derive(Clone, Debug)]
pub(super) struct Operator {
    pub(super) telemetry: Telemetry,
    /// The recent activity, if there is a status page.
    pub(super) activity: Option<Arc<RecentActivity>>,
    audit: Option<Arc<Audit>>,
    pub(super) readiness: Readiness,
}

impl Operator {
    pub(super) fn new(args: &ServeArgs) -> Result<Self, Failure> {
        let name = args.name.as_deref().unwrap_or("plainly");
        let built = |is_exported: bool| {
            let telemetry = Telemetry::builder(name, env!("CARGO_PKG_VERSION"));
            let telemetry = if is_exported {
                telemetry.otlp()
            } else {
                telemetry
            };
            match args.operator.admin {
                Some(_) => telemetry.prometheus().build(),
                None => telemetry.build(),
            }
        };
        // A printed configuration exports nothing. Also, the variables may be for other programs of
        // the host.
        let telemetry = built(args.print_config.is_none()).or_else(|error| {
            tracing::warn!(%error, "traces and metrics are not exported");
            built(false)
        });
        let telemetry = telemetry
            .map_err(|error| Failure::impossible("cannot measure requests", Some(error.into())))?;
        let audit = args
            .operator
            .audit
            .as_deref()
            .filter(|_| args.print_config.is_none());
        let is_optional = args.operator.audit_optional;
        let audit = audit.map(|path| Audit::open(path, is_optional, write::names(args)));
        Ok(Self {
            telemetry,
            activity: args.operator.admin.map(|_| Arc::new(RecentActivity::new())),
            audit: audit.transpose()?.map(Arc::new),
            readiness: Readiness::default(),
        })
    }

    /// Adds the reports to the server.
    pub(super) fn attach(&self, builder: ServerBuilder) -> ServerBuilder {
        let builder = match (self.telemetry.is_on(), &self.activity) {
            (false, None) => builder,
            _ => {
                let (telemetry, activity) = (self.telemetry.clone(), self.activity.clone());
                let [notifications, sessions] = [(); 2].map(|()| self.telemetry.clone());
                builder
                    .on_operation(move |operation: &Operation<'_>| {
                        telemetry.observe(operation);
                        if let Some(activity) = &activity {
                            activity.note(operation);
                        }
                    })
                    .on_notification(move |notification| notifications.observe(notification))
                    .on_session_end(move |session| sessions.observe_session(session))
            }
        };
        let Some(audit) = &self.audit else {
            return builder;
        };
        let (record, check) = (Arc::clone(audit), Arc::clone(audit));
        builder
            .record_operations(move |operation| record.record(operation))
            .layer_for_all(from_fn(move |request: Request, next| {
                audited(Arc::clone(&check), request, next)
            }))
    }

    /// Reports the server's tasks, the use of its limits, and its health.
    pub(super) fn watch(&mut self, server: &Server) {
        self.telemetry.watch(server);
        let (server, audit) = (server.clone(), self.audit.clone());
        self.readiness = Readiness::of(move || match audit.as_ref().map(|audit| audit.check()) {
            Some(Err(_refusal)) => Health::NotReady,
            Some(Ok(())) | None => server.health(),
        });
    }

    /// Ends the sessions of a stopped server, and exports the remaining telemetry.
    pub(super) async fn finish(self, server: &Server) {
        if self.telemetry.is_on() {
            server.end_sessions();
            // A panic there is logged, and the server has ended anyway.
            let _ = spawn_blocking(move || self.telemetry.shutdown()).await;
        }
    }
}

/// Serves a request if it can be recorded. A request that may change a file is recorded first.
async fn audited(audit: Arc<Audit>, request: Request, next: Next) -> Outcome {
    let method = request.method();
    if [Method::CallTool, Method::ReadResource].contains(&method) {
        request.note(audit::uris(&request));
    }
    let recorded = match audit.is_change(method, request.name()) {
        true => audit.begin(&request).await,
        false => audit.check(),
    };
    match recorded {
        Ok(()) => next.run(request).await,
        Err(error) => error.into(),
    }
}
