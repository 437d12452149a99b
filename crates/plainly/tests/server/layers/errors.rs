//! The rejections, failures and replies of layers.

use plainly::errors::{ApplicationCode, ErrorKind, Problem, ProblemCode, ProtocolError};
use plainly::protocol::method::Method;
use plainly::protocol::types::{CallToolResult, Content};
use plainly::server::ServerBuilder;
use plainly::server::layer::{BoxError, Next, Outcome, Request, from_fn};
use plainly::{Client, Revision, Server};
use serde_json::json;
use tower::service_fn;

use super::support::{builder, clients, message, text};

/// Builds a server with a layer that returns this outcome for every request with a name, except for
/// the resource `found://here`.
fn instead<O: Into<Outcome>>(outcome: impl Fn() -> O + Clone + Send + Sync + 'static) -> Server {
    let layer = from_fn(move |request: Request, next: Next| {
        let outcome = outcome.clone();
        async move {
            match request.name() {
                None | Some("found://here") => next.run(request).await,
                Some(_) => outcome().into(),
            }
        }
    });
    builder().layer(layer).build().unwrap()
}

/// Checks that the next request is served as usual.
async fn goes_on(client: &Client) {
    let read = client.read("found://here").await.unwrap();
    assert_eq!(read.contents[0].body.as_bytes(), b"nothing");
}

#[tokio::test]
async fn an_error_of_the_protocol_reaches_the_hosts_code() {
    let closed = || ProtocolError::application(ApplicationCode::of::<451>(), "Closed");
    for client in clients(&instead(closed)).await {
        let failed = [
            client.call_tool("length", json!({"text": ""})).await.err(),
            client.prompt("echo", [("text", "")]).await.err(),
            client.read("note://one").await.err(),
        ];
        for error in failed {
            let error = error.unwrap();
            let kind = error.protocol().unwrap().kind();
            assert!(
                matches!(kind, ErrorKind::Application { code, .. } if code.get() == 451),
                "{kind:?}"
            );
        }
        goes_on(&client).await;
    }
}

#[tokio::test]
async fn a_problem_reaches_whoever_reads_such_an_end() {
    let denied = || Problem::access_denied("this", "Log in first.");
    let sentence = "Access denied for operation: this. Log in first.";
    for client in clients(&instead(denied)).await {
        let refused = client.call_tool("echo", json!({"text": ""})).await.unwrap();
        assert!(refused.is_tool_error());
        assert_eq!(text(&refused), sentence);
        // This tool has another schema for its structured output.
        let refused = client.call_tool("length", json!({"text": ""})).await;
        let refused = refused.unwrap();
        assert!(refused.is_tool_error() && refused.structured_content.is_none());

        let error = client.prompt("echo", [("text", "")]).await.unwrap_err();
        let problem = error.protocol().unwrap().problem().unwrap();
        assert_eq!(problem.code(), &ProblemCode::AccessDenied);
        goes_on(&client).await;
    }
}

#[tokio::test]
async fn no_revision_loses_what_a_problem_says_besides_its_words() {
    let denied = || Problem::access_denied("this", "Log in first.");
    let server = instead(denied);
    for revision in Revision::ALL {
        let client = Client::in_memory(&server).revision(revision);
        let client = client.connect().await.unwrap();
        let refused = client.call_tool("echo", json!({"text": ""})).await.unwrap();
        let has_fields = refused.structured_content.is_some();
        let of_meta = refused.meta.as_ref().map(|meta| json!(meta));
        let is_in_meta =
            of_meta.is_some_and(|meta| meta["dev.plainly/problem"]["code"] == "ACCESS_DENIED");
        assert!(has_fields != is_in_meta, "{revision}: {refused:?}");
    }
}

#[tokio::test]
async fn a_resource_that_a_layer_hides_is_not_found() {
    let hidden = || Problem::not_found("note", "one");
    for client in clients(&instead(hidden)).await {
        for error in [
            client.read("note://one").await.unwrap_err(),
            client.resources(Some("note://one")).await.unwrap_err(),
        ] {
            assert!(error.is_resource_not_found(), "{error}");
        }
        goes_on(&client).await;
    }
}

#[tokio::test]
async fn a_layer_may_answer_itself_with_what_the_method_has() {
    let early = || CallToolResult::new([Content::text("early")]);
    for client in clients(&instead(early)).await {
        let called = client.call_tool("echo", json!({"text": ""})).await.unwrap();
        assert_eq!(text(&called), "early");
        // A layer's reply must follow the tool's output schema too.
        let called = client.call_tool("length", json!({"text": ""})).await;
        assert!(called.unwrap().is_tool_error());
        let error = client.prompt("echo", [("text", "")]).await.unwrap_err();
        assert!(matches!(
            error.protocol().unwrap().kind(),
            ErrorKind::Internal(_)
        ));
        goes_on(&client).await;
    }
}

#[tokio::test]
async fn an_outer_layer_sees_what_an_inner_one_did() {
    async fn sees(request: Request, next: Next) -> Outcome {
        let is_tool = request.method() == Method::CallTool;
        let has_name = request.name().is_some();
        let outcome = next.run(request).await;
        assert_eq!(outcome.is_tool_error(), is_tool);
        assert_eq!(outcome.error().is_some(), has_name && !is_tool);
        outcome
    }
    async fn refuses(request: Request, next: Next) -> Result<Outcome, Problem> {
        match request.name() {
            Some(_) => Err(Problem::service_unavailable("everything")),
            None => Ok(next.run(request).await),
        }
    }
    let server = builder().layer(from_fn(sees)).layer(from_fn(refuses));
    for client in clients(&server.build().unwrap()).await {
        assert!(client.call_tool("echo", ()).await.unwrap().is_tool_error());
        let error = client.prompt("echo", [("text", "")]).await.unwrap_err();
        assert!(error.is_retryable(), "{error:?}");
        client.tools().await.unwrap();
    }
}

/// Builds a server whose layer fails for every request with a name, except for the resource
/// `found://here`.
fn failing(
    builder: ServerBuilder,
    error: impl Fn() -> BoxError + Clone + Send + Sync + 'static,
) -> Server {
    let layer = tower::layer::layer_fn(move |next: Next| {
        let error = error.clone();
        service_fn(move |request: Request| {
            let (error, next) = (error.clone(), next.clone());
            async move {
                match request.name() {
                    None | Some("found://here") => Ok(next.run(request).await),
                    Some(_) => Err(error()),
                }
            }
        })
    });
    builder.layer(layer).build().unwrap()
}

#[tokio::test]
async fn a_layers_own_error_is_internal() {
    let error = || std::io::Error::other("the disk is full").into();
    for client in clients(&failing(builder(), error)).await {
        let called = client.call_tool("echo", json!({"text": ""})).await;
        assert_eq!(message(called), "the disk is full");
        let read = client.read("note://one").await;
        assert_eq!(message(read), "the disk is full");
        goes_on(&client).await;
    }
}

#[tokio::test]
async fn a_layers_own_error_is_masked_where_the_handlers_are() {
    let error = || std::io::Error::other("the disk is full").into();
    let server = failing(builder().mask_internal_errors(), error);
    for client in clients(&server).await {
        let message = message(client.call_tool("echo", json!({"text": ""})).await);
        assert!(!message.contains("disk"), "{message}");
    }
}

#[tokio::test]
async fn a_layers_own_error_with_a_meaning_keeps_it() {
    #[derive(Debug)]
    struct Around(Problem);
    impl std::fmt::Display for Around {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("around")
        }
    }
    impl std::error::Error for Around {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let error = || Around(Problem::service_unavailable("search")).into();
    for client in clients(&failing(builder(), error)).await {
        let called = client.call_tool("echo", json!({"text": ""})).await.unwrap();
        assert!(called.is_tool_error());
        let error = client.prompt("echo", [("text", "")]).await.unwrap_err();
        assert!(error.is_retryable(), "{error:?}");
    }
}

#[tokio::test]
async fn a_layer_that_panics_fails_its_request_alone() {
    let server = instead(|| -> Outcome { panic!("broken") });
    for client in clients(&server).await {
        let called = client.call_tool("echo", json!({"text": ""})).await;
        let error = called.unwrap_err();
        let error = error.protocol().unwrap();
        assert!(matches!(error.kind(), ErrorKind::Internal(_)));
        assert!(!error.message().contains("broken"), "{error}");
        goes_on(&client).await;
    }
}
