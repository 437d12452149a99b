//! The reports of the server to its operator: telemetry, the audit file, recent activity, and
//! whether it is ready.

use std::sync::Arc;

use plainly::protocol::method::Method;
use plainly::server::layer::{Next, Outcome, Request, from_fn};
use plainly::server::{Operation, Server, ServerBuilder};
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
    /// There is a status page.
    pub(super) activity: Option<Arc<RecentActivity>>,
    audit: Option<Arc<Audit>>,
    pub(super) readiness: Readiness,
}

impl Operator {
    pub(super) fn new(args: &ServeArgs) -> Result<Self, Failure> {
        let name = args.name.as_deref().unwrap_or("plainly");
        let telemetry = Telemetry::builder(name, env!("CARGO_PKG_VERSION"));
        // What is only printed exports nothing.
        let telemetry = match args.print_config {
            Some(_) => telemetry,
            None => telemetry.otlp(),
        };
        let telemetry = match args.operator.admin {
            Some(_) => telemetry.prometheus(),
            None => telemetry,
        };
        let telemetry = telemetry.build();
        let telemetry = telemetry
            .map_err(|error| Failure::impossible("cannot export telemetry", Some(error.into())))?;
        let audit = args
            .operator
            .audit
            .as_deref()
            .filter(|_| args.print_config.is_none());
        let audit = audit.map(|path| Audit::open(path, args.operator.audit_optional));
        Ok(Self {
            telemetry,
            activity: args.operator.admin.map(|_| Arc::new(RecentActivity::new())),
            audit: audit.transpose()?.map(Arc::new),
            readiness: Readiness::default(),
        })
    }

    /// The server that reports to the operator.
    pub(super) fn attach(&self, builder: ServerBuilder, args: &ServeArgs) -> ServerBuilder {
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
        let changing: Arc<[&str]> = write::names(args).into();
        builder
            .record_operations(move |operation| record.record(operation))
            .layer_for_all(from_fn(move |request: Request, next| {
                let is_change = request.method() == Method::CallTool
                    && request.name().is_some_and(|name| changing.contains(&name));
                audited(Arc::clone(&check), is_change, request, next)
            }))
    }

    /// Reports the server's tasks, the use of its limits and its health.
    pub(super) fn watch(&mut self, server: &Server) {
        self.telemetry.watch(server);
        let server = server.clone();
        self.readiness = Readiness::of(move || server.health());
    }

    /// Ends the sessions of a server that has stopped, and exports what is left.
    pub(super) async fn finish(self, server: &Server) {
        if self.telemetry.is_on() {
            server.end_sessions();
            // A panic there is in the log, and the server has ended anyway.
            let _ = spawn_blocking(move || self.telemetry.shutdown()).await;
        }
    }
}

/// Serves a request if it can be recorded; one that may change a file, if it is recorded already.
async fn audited(audit: Arc<Audit>, is_change: bool, request: Request, next: Next) -> Outcome {
    let recorded = match is_change {
        true => {
            request.note(audit::uris(&request));
            audit.begin(&request).await
        }
        false => audit.check(),
    };
    match recorded {
        Ok(()) => next.run(request).await,
        Err(error) => error.into(),
    }
}
