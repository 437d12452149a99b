//! The listener for operators: metrics, a status page and probes. It has no endpoint and needs no
//! credentials, so it listens on loopback unless it is told otherwise.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use plainly::server::Server;
use plainly::transport::ServeError;
use plainly::transport::http::{HttpServer, HttpService, NoEndpoint, Route};

use super::operator::Operator;
use super::status::{Served, page};
use super::{HEALTH_PATH, READY_PATH};
use crate::failure::Failure;

const METRICS_PATH: &str = "/metrics";
const METRICS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
const HTML: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// A listener that has its port.
pub(super) struct Admin {
    http: HttpServer,
    service: HttpService<NoEndpoint>,
}

impl Admin {
    pub(super) async fn bind(
        address: SocketAddr,
        hosts: &[String],
        operator: &Operator,
        server: &Server,
        served: Served,
    ) -> Result<Self, Failure> {
        let http = HttpServer::bind(address).await.map_err(|error| {
            let what =
                format!("cannot serve the status page at {address}: choose another with --admin");
            Failure::caused(what, error)
        })?;
        let service = hosts
            .iter()
            .try_fold(HttpService::pages(), |service, host| {
                service.allow_host(host)
            })
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
        Ok(Self { http, service })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.http.local_addr())
    }

    /// Serves until `shutdown` is ready.
    pub(super) async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), ServeError> {
        self.http.serve(self.service, shutdown).await
    }
}
