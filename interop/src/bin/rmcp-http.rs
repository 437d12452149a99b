//! rmcp over HTTP in its fastest mode: no sessions, plain JSON instead of an event stream, on hyper without a router.

use std::error::Error;

use hyper_util::service::TowerToHyperService;
use plainly_interop::Case;
use plainly_interop::http::serve;
use plainly_interop::rmcp::Server;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None);
    let server = Server::new(Case::of_arguments()?)?;
    let sessions = NeverSessionManager::default().into();
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    serve(TowerToHyperService::new(service)).await
}
