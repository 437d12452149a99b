//! A client that is connected in one line, as in the tests of a program's own server.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::Arc;

use plainly::{Client, Revision, Server, State, Tool};
use tokio::sync::Notify;

/// The signals of a handler.
#[derive(Clone, Default)]
struct Told {
    begun: Arc<Notify>,
    dropped: Arc<Notify>,
}

struct Telling(Told);

impl Drop for Telling {
    fn drop(&mut self) {
        self.0.dropped.notify_one();
    }
}

async fn never(State(told): State<Told>) -> &'static str {
    told.begun.notify_one();
    let _telling = Telling(told);
    std::future::pending().await
}

fn server(told: &Told) -> Server {
    Server::builder("test", "1")
        .state(told.clone())
        .tool(Tool::new("never", never))
        .build()
        .unwrap()
}

#[tokio::test]
async fn it_speaks_the_newest_revision_or_the_one_that_it_is_given() {
    let server = server(&Told::default());
    let newest = Client::in_memory(&server).connect().await.unwrap();
    assert_eq!(newest.revision(), Revision::LATEST);
    for revision in Revision::ALL {
        let client = Client::in_memory(&server).revision(revision);
        let client = client.connect().await.unwrap();
        assert_eq!(client.revision(), revision);
        assert_eq!(client.tools().await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn several_clients_of_one_server_end_one_by_one() {
    let server = server(&Told::default());
    let first = Client::in_memory(&server).connect().await.unwrap();
    let second = Client::in_memory(&server).connect().await.unwrap();
    first.close().await;
    assert!(first.tools().await.unwrap_err().is_closed());
    assert_eq!(second.tools().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_client_that_is_dropped_ends_what_it_has_running() {
    for revision in Revision::ALL {
        let told = Told::default();
        let client = Client::in_memory(&server(&told)).revision(revision);
        let client = client.connect().await.unwrap();
        let calling = tokio::spawn(async move { client.call_tool("never", ()).await });
        told.begun.notified().await;
        calling.abort();
        told.dropped.notified().await;
    }
}
