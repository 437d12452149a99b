//! The HTTP client that sends traces and metrics to a collector. It uses the program's runtime,
//! because exporters run on threads without one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry_http::{HttpClient, HttpError};
use plainly_transport::tls;
use tokio::runtime::Handle;

/// The maximum size of a collector's response, in bytes. It is a short acknowledgement.
const ANSWER: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Exporter {
    client: reqwest::Client,
    runtime: Handle,
    /// The name of the exported signal.
    what: &'static str,
    /// Whether the last export failed.
    is_failing: AtomicBool,
}

impl Exporter {
    pub(crate) fn new(
        what: &'static str,
        scheme: &str,
        timeout: Duration,
        runtime: Handle,
    ) -> Result<Self, HttpError> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config(scheme, &[])?)
            .redirect(reqwest::redirect::Policy::none())
            .timeout(timeout)
            .build()?;
        Ok(Self {
            client,
            runtime,
            what,
            is_failing: AtomicBool::new(false),
        })
    }

    /// Logs when exports start to fail, and when they succeed again. Each is logged once, because a
    /// collector may be away for days.
    fn note(&self, sent: &Result<Response<Bytes>, HttpError>) {
        let failure = match sent {
            Ok(response) if response.status().is_success() => None,
            Ok(response) => Some(format!("the collector answered {}", response.status())),
            Err(error) => Some(in_words(&**error)),
        };
        let was_failing = self.is_failing.swap(failure.is_some(), Ordering::Relaxed);
        let what = self.what;
        match failure {
            Some(why) if !was_failing => tracing::warn!(
                why,
                "{what} cannot be exported: check OTEL_EXPORTER_OTLP_ENDPOINT"
            ),
            None if was_failing => tracing::info!("{what} are exported again"),
            Some(_) | None => {}
        }
    }
}

#[async_trait]
impl HttpClient for Exporter {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sending = self
            .runtime
            .spawn(async move { send(&client, request).await });
        let sent = sending.await.map_err(HttpError::from).flatten();
        self.note(&sent);
        sent
    }
}

async fn send(
    client: &reqwest::Client,
    request: Request<Bytes>,
) -> Result<Response<Bytes>, HttpError> {
    let mut answer = client.execute(request.try_into()?).await?;
    let mut response = Response::builder().status(answer.status());
    if let Some(headers) = response.headers_mut() {
        std::mem::swap(headers, answer.headers_mut());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        if body.len() + chunk.len() > ANSWER {
            return Err("the collector's answer is too long".into());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(response.body(body.into())?)
}

/// The innermost cause of an error, because the outer ones only name layers.
fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.last().map_or_else(String::new, ToString::to_string)
}
