//! The principal that a layer of an HTTP server authenticates, as handlers of every revision see
//! it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use axum::Router;
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use plainly::limits::Limits;
use plainly::protocol::types::{Content, ListToolsParams};
use plainly::server::Principal;
use plainly::{Client, Context, Resource, Revision, Server, Tool};
use tokio::net::TcpListener;

/// Another value that a layer adds.
#[derive(Clone)]
struct Tenant(&'static str);

async fn who(context: Context) -> String {
    let principal = context.principal().map(Principal::as_str);
    let tenant = context.extension::<Tenant>().map(|tenant| tenant.0);
    format!("{principal:?} of {tenant:?}")
}

fn server() -> Server {
    let mut limits = Limits::default();
    limits.page_entries = 1;
    Server::builder("who", "1")
        .limits(limits)
        .tool(Tool::new("who", who))
        .tool(Tool::new("who-else", who))
        .resource(Resource::new("who://am/i", who))
        .build()
        .unwrap()
}

/// Authenticates the principal that a token names.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let token = request.headers().get(AUTHORIZATION);
    let name = token.and_then(|token| token.to_str().ok()?.strip_prefix("Bearer "));
    if let Some(principal) = name.map(Principal::new) {
        request.extensions_mut().insert(principal);
        request.extensions_mut().insert(Tenant("acme"));
    }
    next.run(request).await
}

/// Starts a server whose principals `authenticate` adds, and returns its URL.
async fn listening() -> String {
    let router = Router::new()
        .route_service("/mcp", server().http())
        .layer(from_fn(authenticate));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn heard(client: &Client) -> [String; 2] {
    let called = client.call_tool("who", ()).await.unwrap();
    let [Content::Text(text)] = called.content.as_slice() else {
        panic!("{called:?}");
    };
    let read = client.read("who://am/i").await.unwrap();
    let body = read.contents[0].body.as_bytes().to_vec();
    [text.text.clone(), String::from_utf8(body).unwrap()]
}

#[tokio::test]
async fn what_a_layer_found_out_reaches_the_handlers() {
    let url = listening().await;
    for revision in Revision::ALL {
        let client = Client::http(&url).revision(revision);
        let alice = client.header("Authorization", "Bearer alice");
        let heard = heard(&alice.connect().await.unwrap()).await;
        let expected = r#"Some("alice") of Some("acme")"#;
        assert_eq!(heard, [expected, expected], "{revision}");
    }
}

#[tokio::test]
async fn without_a_proof_a_client_is_nobody() {
    let url = listening().await;
    for revision in Revision::ALL {
        let over_http = Client::http(&url).revision(revision);
        let nearby = server();
        let nearby = Client::in_memory(&nearby).revision(revision);
        for client in [
            over_http.connect().await.unwrap(),
            nearby.connect().await.unwrap(),
        ] {
            assert_eq!(heard(&client).await, ["None of None"; 2], "{revision}");
        }
    }
}

#[tokio::test]
async fn a_client_in_memory_is_whom_the_test_says() {
    for revision in Revision::ALL {
        let client = Client::in_memory(&server())
            .revision(revision)
            .extension(Principal::new("bob"))
            .connect()
            .await
            .unwrap();
        let expected = r#"Some("bob") of None"#;
        assert_eq!(heard(&client).await, [expected, expected], "{revision}");
    }
}

#[tokio::test]
async fn whoever_serves_a_stream_may_know_who_is_at_its_other_end() {
    for revision in Revision::ALL {
        let (near, far) = tokio::io::duplex(1 << 12);
        tokio::spawn(async move {
            let mut known = http::Extensions::new();
            known.insert(Principal::new("uid 1000"));
            known.insert(Tenant("here"));
            let (reader, writer) = tokio::io::split(far);
            server().serve(reader, writer).extensions(known).await
        });
        let (reader, writer) = tokio::io::split(near);
        let client = Client::over(reader, writer).revision(revision);
        let heard = heard(&client.connect().await.unwrap()).await;
        let expected = r#"Some("uid 1000") of Some("here")"#;
        assert_eq!(heard, [expected, expected], "{revision}");
    }
}

#[tokio::test]
async fn a_cursor_of_one_is_none_of_another() {
    let server = server();
    for revision in Revision::ALL {
        let known = |name: &str| {
            let client = Client::in_memory(&server).revision(revision);
            client.extension(Principal::new(name)).connect()
        };
        let (alice, bob) = (known("alice").await.unwrap(), known("bob").await.unwrap());
        let nobody = Client::in_memory(&server).revision(revision);
        let nobody = nobody.connect().await.unwrap();
        let first = alice.list_tools(&ListToolsParams::new()).await.unwrap();
        let mut rest = ListToolsParams::new();
        rest.cursor = first.next_cursor;
        assert!(rest.cursor.is_some());
        for other in [&bob, &nobody] {
            let error = other.list_tools(&rest).await.unwrap_err();
            assert!(error.is_invalid_params(), "{error}");
        }
        assert_eq!(alice.list_tools(&rest).await.unwrap().tools.len(), 1);
    }
}
