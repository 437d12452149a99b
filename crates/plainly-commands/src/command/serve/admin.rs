//! The listener for operators: metrics, a status page and probes. It has no endpoint and needs no
//! credentials, so its default is loopback only.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use plainly::server::Server;
use plainly::transport::ServeError;
use plainly::transport::http::{HttpLimits, HttpServer, HttpService, NoEndpoint, Route};

use super::operator::Operator;
use super::status::{Served, page};
use super::{HEALTH_PATH, READY_PATH};
use crate::args::ServeArgs;
use crate::failure::Failure;

/// The time limit for requests at the end, because a page is ready at once.
const SHUTDOWN: Duration = Duration::from_secs(1);

const METRICS_PATH: &str = "/metrics";
const METRICS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// A listener with a bound port.
pub(super) struct Admin {
    http: HttpServer,
    service: HttpService<NoEndpoint>,
}

impl Admin {
    /// Binds the listener of a server, if the options have an address for it.
    pub(super) async fn bind(
        server: &Server,
        args: &ServeArgs,
        operator: &Operator,
        at: &str,
        mounts: Vec<String>,
    ) -> Result<Option<Self>, Failure> {
        let Some(address) = args.operator.admin else {
            return Ok(None);
        };
        let http = match HttpServer::bind(address).await {
            Ok(http) => http,
            // A host starts a server for each conversation, and the first one has bound the port.
            Err(error) if args.stdio => {
                tracing::warn!(%address, %error, "the status page is not served");
                return Ok(None);
            }
            Err(error) => {
                let what = format!(
                    "cannot serve the status page at {address}: choose another with --admin"
                );
                return Err(Failure::caused(what, error));
            }
        };
        let served = Served {
            name: args.name.clone().unwrap_or_else(|| super::key_of(args)),
            at: at.to_owned(),
            mounts,
        };
        let mut limits = HttpLimits::default();
        limits.shutdown = SHUTDOWN;
        let pages = HttpService::pages().limits(limits);
        let hosts = &args.allow_host;
        let service = hosts
            .iter()
            .try_fold(pages, |service, host| service.allow_host(host))
            .map_err(super::impossible)?;
        let telemetry = operator.telemetry.clone();
        let metrics = move || (StatusCode::OK, Bytes::from(telemetry.prometheus_text()));
        let (server, activity) = (server.clone(), operator.activity.clone());
        let readiness = operator.readiness.clone();
        let status = move || {
            let page = page(&server, activity.as_deref(), &served, readiness.health());
            (StatusCode::OK, Bytes::from(page))
        };
        let service = service
            .route("/", Route::page(HTML, status))
            .route(METRICS_PATH, Route::page(METRICS, metrics))
            .route(HEALTH_PATH, Route::health())
            .route(READY_PATH, Route::readiness(&operator.readiness));
        Ok(Some(Self { http, service }))
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.http.local_addr())
    }

    /// Serves until `shutdown` completes.
    pub(super) async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.http.serve(self.service, shutdown).await
    }
}
