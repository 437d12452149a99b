//! The example of a store with views: no caller sees the entries of another.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::client::Change;
use plainly::errors::Era;
use plainly::protocol::types::{CompleteParams, Reference, SubscriptionFilter};
use plainly::store::{Store as _, Viewer, check};
use plainly::{Client, Principal, Revision};
use serde_json::json;
use tokio::net::TcpListener;

#[path = "../../examples/diary.rs"]
#[expect(dead_code, reason = "the example's `main` is not called")]
mod example;

const OWN: &str = "diary://2026-07-28/garden";
const OTHERS: &str = "diary://2026-07-28/gardener";
const LATER: &str = "diary://2026-07-29/rain";

/// Serves this diary, and returns the URL.
async fn serve(diary: &example::Diary) -> String {
    let router = example::application(diary.clone()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

async fn connect(url: &str, name: &str, revision: Revision) -> Client {
    let client = Client::http(url).revision(revision);
    let client = client.header("Authorization", format!("Bearer {name}-secret"));
    client.connect().await.unwrap()
}

fn written() -> example::Diary {
    let diary = example::Diary::new();
    diary.write("alice", OWN, "The tomatoes are red.");
    diary.write("bob", OTHERS, "She has seen me.");
    diary
}

#[tokio::test]
async fn each_view_keeps_the_rules_of_stores() {
    for name in ["alice", "bob", "nobody"] {
        let viewer = Viewer::new(Some(Principal::new(name)));
        let report = check(&written().view(&viewer).unwrap()).await;
        assert!(report.is_ok(), "{name}: {report}");
    }
}

#[tokio::test]
async fn each_lists_reads_and_completes_its_own() {
    let url = serve(&written()).await;
    for revision in Revision::ALL {
        for (name, own, others) in [("alice", OWN, OTHERS), ("bob", OTHERS, OWN)] {
            let client = connect(&url, name, revision).await;
            let listed = client.resources(None).await.unwrap();
            let listed: Vec<_> = listed.iter().map(|resource| &*resource.uri).collect();
            assert_eq!(listed, [own], "{name} {revision}");
            assert!(client.read(own).await.is_ok());
            let tool = client.call_tool("list_resources", json!({})).await.unwrap();
            let text = json!(tool.content).to_string();
            let [own_title, others_title] =
                [own, others].map(|uri| uri.rsplit('/').next().unwrap());
            assert!(
                text.contains(own_title) && !text.contains(&format!("{others_title}\"")),
                "{text}"
            );
            let tool = client.call_tool("read_resource", json!({"uri": others}));
            assert_eq!(tool.await.unwrap().is_error, Some(true));
            // An error about a similar name does not suggest another user's entry.
            for uri in [others, &others[..others.len() - 1], &format!("{others}s")] {
                let error = client.read(uri).await.unwrap_err();
                assert!(error.is_resource_not_found(), "{error}");
                assert_eq!(error.to_string().contains(others), uri.contains(others));
                let error = client.metadata(uri).await.unwrap_err();
                assert!(error.is_resource_not_found(), "{error}");
            }
            let typed = CompleteParams::new(
                Reference::resource("diary://{day}/{title}{#part}"),
                "title",
                "gard",
            );
            let title = own.rsplit('/').next().unwrap();
            let completed = client.complete(&typed).await.unwrap();
            assert_eq!(completed.values, [title], "{name} {revision}");
        }
        let client = connect(&url, "nobody", revision).await;
        assert_eq!(client.resources(None).await.unwrap(), []);
    }
}

#[tokio::test]
async fn each_hears_of_its_own() {
    for revision in Revision::ALL {
        let diary = written();
        let url = serve(&diary).await;
        let client = connect(&url, "alice", revision).await;
        let uris = match revision.era() {
            Era::Modern => vec![OWN, OTHERS, LATER],
            // An entry must exist before a client can subscribe to it.
            Era::Legacy => vec![OWN],
        };
        let filter = SubscriptionFilter::new()
            .resource_subscriptions(uris.iter().map(|uri| (*uri).to_owned()));
        let mut changes = client.listen(filter).await.unwrap();
        let bob = connect(&url, "bob", revision).await;
        let filter = SubscriptionFilter::new().resource_subscriptions([OTHERS.to_owned()]);
        let mut of_bob = bob.listen(filter).await.unwrap();
        diary.write("bob", OTHERS, "She has not seen me.");
        diary.write("bob", LATER, "It rains.");
        diary.write("alice", OWN, "The tomatoes are gone.");
        let heard = changes.next().await.unwrap().unwrap();
        assert_eq!(heard, Change::Resource(OWN.to_owned()), "{revision}");
        let heard = of_bob.next().await.unwrap().unwrap();
        assert_eq!(heard, Change::Resource(OTHERS.to_owned()), "{revision}");
    }
}
