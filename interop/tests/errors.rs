//! Errors across SDKs: our client must recognize the errors of a server on rmcp, and a client on
//! rmcp must recognize those of our server.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::Text;
use plainly::errors::{Dialect, Problem, ProblemCode, ProtocolError, Revision};
use plainly::server::{Resource, Server};
use plainly_client::Client;
use rmcp::model::{
    ErrorData, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ClientLifecycleMode, ClientServiceExt, ServerHandler, ServiceError, ServiceExt};
use serde_json::{Map, json};

const URIS: [&str; 5] = ["a:missing", "a:taken", "a:wrong", "a:broken", "a:unable"];

/// The error of reading `uri`.
fn failure(uri: &str) -> ProtocolError {
    match uri {
        "a:missing" => ProtocolError::resource_not_found(uri),
        "a:taken" => Problem::already_exists("note", "7")
            .suggest("Choose another name.")
            .to_protocol_error(),
        "a:wrong" => ProtocolError::invalid_params("Ids are numbers"),
        "a:unable" => ProtocolError::missing_client_capability(Map::from_iter([(
            "sampling".to_owned(),
            json!({}),
        )])),
        _ => ProtocolError::internal("no disk"),
    }
}

/// A server on rmcp that encodes its errors for the used revision, or for any.
#[derive(Clone, Debug)]
struct Failing(Option<Revision>);

impl ServerHandler for Failing {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().build())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let error = failure(&request.uri);
        match self.0 {
            Some(revision) => Err(Dialect::default().encode(&error, revision))?,
            None => Err(error)?,
        }
    }
}

/// Our own server.
fn server() -> Server {
    let add = |builder: plainly::server::ServerBuilder, uri: &'static str| {
        let read = move || async move { Err::<Text, _>(failure(uri)) };
        builder.resource(Resource::new(uri, read))
    };
    let builder = URIS.into_iter().fold(Server::builder("ours", "1"), add);
    builder.build().unwrap()
}

#[tokio::test]
async fn our_client_knows_the_errors_of_a_server_on_rmcp() {
    for revision in [Revision::LATEST, Revision::LATEST_LEGACY] {
        for written_for in [None, Some(revision)] {
            let (near, far) = tokio::io::duplex(1 << 16);
            tokio::spawn(async move {
                let running = Failing(written_for).serve(far).await.unwrap();
                running.waiting().await.unwrap();
            });
            let (reader, writer) = tokio::io::split(near);
            let client = Client::over(reader, writer).revision(revision);
            let client = client.connect().await.unwrap();
            for uri in URIS {
                let error = client.read(uri).await.unwrap_err();
                let received = error.protocol().unwrap();
                assert_eq!(received, &failure(uri), "{uri} {revision} {written_for:?}");
            }
            client.close().await;
        }
    }
}

#[tokio::test]
async fn a_client_on_rmcp_knows_the_errors_of_our_server() {
    let discover = ClientLifecycleMode::Discover {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
    };
    for mode in [discover, ClientLifecycleMode::Initialize] {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(far);
        tokio::spawn(async move { server().serve(reader, writer).await });
        let client = ().serve_with_lifecycle(near, mode.clone()).await.unwrap();
        for uri in URIS {
            let read = client.read_resource(ReadResourceRequestParams::new(uri));
            let Err(ServiceError::McpError(error)) = read.await else {
                panic!("{uri}");
            };
            assert_eq!(ProtocolError::from(error), failure(uri), "{uri} {mode:?}");
        }
        client.cancel().await.unwrap();
    }
}

#[test]
fn a_code_that_rmcp_can_not_hold_is_an_internal_error() {
    let huge = json!({ "code": 5_000_000_000_i64, "message": "m", "data": 1 });
    let huge: plainly::errors::WireError = serde_json::from_value(huge).unwrap();
    let error = ErrorData::from(huge);
    assert_eq!((error.code.0, error.data), (-32603, Some(json!(1))));
}

#[test]
fn a_problem_is_itself_again() {
    let problem = Problem::rate_limited("calls", std::time::Duration::from_secs(3));
    let received = ProtocolError::from(ErrorData::from(problem.clone()));
    assert_eq!(received.problem(), Some(&problem));
    assert_eq!(problem.code(), &ProblemCode::RateLimitExceeded);
}
