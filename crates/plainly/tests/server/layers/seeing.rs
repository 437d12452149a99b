//! The request and the outcome as layers see them.

use std::sync::{Arc, Mutex};

use plainly::server::Principal;
use plainly::server::layer::{Next, Outcome, Request, from_fn};
use plainly::{Client, Revision, Server};
use serde_json::json;

use super::support::{Found, builder, clients, in_memory, text};

/// The records of layers.
#[derive(Clone, Default)]
struct Book(Arc<Mutex<Vec<String>>>);

impl Book {
    fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Records each request and its outcome.
async fn written(book: Book, request: Request, next: Next) -> Outcome {
    let name = request.name().unwrap_or("-");
    let arguments = request.arguments().unwrap_or("-");
    book.write(format!("{} {name} {arguments}", request.method().name()));
    let outcome = next.run(request).await;
    match outcome.error() {
        Some(error) => book.write(format!("error: {}", error.message())),
        None if outcome.is_tool_error() => book.write("the tool failed"),
        None => book.write("ok"),
    }
    outcome
}

fn server(book: &Book) -> Server {
    let book = book.clone();
    let layer = from_fn(move |request, next| written(book.clone(), request, next));
    builder().layer(layer).build().unwrap()
}

#[tokio::test]
async fn a_layer_sees_what_is_asked_and_how_it_ends() {
    let book = Book::default();
    for client in clients(&server(&book)).await {
        book.take();
        client
            .call_tool("echo", json!({"text": "hi"}))
            .await
            .unwrap();
        assert_eq!(book.take(), [r#"tools/call echo {"text":"hi"}"#, "ok"]);

        client.call_tool("echo", json!({"text": 1})).await.unwrap();
        let expected = [r#"tools/call echo {"text":1}"#, "the tool failed"];
        assert_eq!(book.take(), expected);

        client.call_tool("fail", ()).await.unwrap();
        assert_eq!(book.take()[1], "the tool failed");
        client.call_tool("breaks", ()).await.unwrap();
        assert_eq!(book.take()[1], "the tool failed");

        client.call_tool("nope", ()).await.unwrap_err();
        let seen = book.take();
        assert!(seen[0].starts_with("tools/call nope "), "{seen:?}");
        assert_eq!(seen[1], "error: Unknown tool: nope");

        client.prompt("echo", [("text", "hi")]).await.unwrap();
        assert_eq!(book.take(), [r#"prompts/get echo {"text":"hi"}"#, "ok"]);

        client.read("note://one").await.unwrap();
        assert_eq!(book.take(), ["resources/read note://one -", "ok"]);
        client.read("nope://one").await.unwrap_err();
        assert_eq!(book.take()[1], "error: Resource not found: nope://one");

        client.tools().await.unwrap();
        assert_eq!(book.take(), ["tools/list - -", "ok"]);
    }
}

#[tokio::test]
async fn the_name_is_the_one_that_is_served() {
    let book = Book::default();
    let server = server(&book);
    let reply = super::passing::raw(
        &server,
        &json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {
            "name": "note://allowed", "uri": "note://other", "_meta": super::passing::meta(),
        }}),
    )
    .await;
    assert!(reply["result"].is_object(), "{reply}");
    assert_eq!(book.take()[0], "resources/read note://other -");
}

#[tokio::test]
async fn what_a_layer_finds_out_reaches_the_handler() {
    async fn finds(mut request: Request, next: Next) -> Outcome {
        let found = Found(format!("{:?}", request.principal().map(Principal::as_str)));
        request.extensions_mut().insert(found);
        next.run(request).await
    }
    let server = builder().layer(from_fn(finds)).build().unwrap();
    for client in clients(&server).await {
        let called = client.call_tool("found", ()).await.unwrap();
        assert_eq!(text(&called), "None");
        let read = client.read("found://here").await.unwrap();
        assert_eq!(read.contents[0].body.as_bytes(), b"None");
    }
    for revision in Revision::ALL {
        let alice = Client::in_memory(&server).revision(revision);
        let alice = alice.extension(Principal::new("alice"));
        let called = alice.connect().await.unwrap().call_tool("found", ()).await;
        assert_eq!(text(&called.unwrap()), r#"Some("alice")"#);
    }
}

#[tokio::test]
async fn no_layer_says_whom_a_request_is_from() {
    async fn pretends(mut request: Request, next: Next) -> Outcome {
        request.extensions_mut().insert(Principal::new("root"));
        assert_eq!(request.principal(), None);
        next.run(request).await
    }
    async fn who(context: plainly::Context) -> String {
        format!("{:?}", context.principal())
    }
    let server = Server::builder("test", "1")
        .tool(plainly::Tool::new("who", who))
        .layer(from_fn(pretends))
        .build()
        .unwrap();
    let client = in_memory(&server, Revision::LATEST).await;
    assert_eq!(text(&client.call_tool("who", ()).await.unwrap()), "None");
}

#[tokio::test]
async fn requests_pass_the_layers_in_their_order() {
    let book = Book::default();
    let naming = |name: &'static str| {
        let book = book.clone();
        from_fn(move |request: Request, next: Next| {
            let book = book.clone();
            async move {
                book.write(format!("{name} >"));
                let outcome = next.run(request).await;
                book.write(format!("< {name}"));
                outcome
            }
        })
    };
    let server = builder()
        .layer(naming("first"))
        .layer(naming("second"))
        .layer(naming("third"))
        .build()
        .unwrap();
    let client = in_memory(&server, Revision::LATEST).await;
    book.take();
    client.call_tool("echo", json!({"text": ""})).await.unwrap();
    let expected = [
        "first >", "second >", "third >", "< third", "< second", "< first",
    ];
    assert_eq!(book.take(), expected);
}
