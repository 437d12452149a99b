//! The client of this project, in every revision and over both transports.

use plainly::client::{Change, Client};
use plainly::errors::Revision;
use plainly::protocol::types::SubscriptionFilter;
use plainly::server::Server;
use plainly_peer::{served, served_over_http, within};

use super::support::{Source, server};

async fn clients(server: &Server, revision: Revision) -> [Client; 2] {
    let (reader, writer) = served(server);
    let stream = Client::over(reader, writer).revision(revision).connect();
    let url = served_over_http(server).await;
    let http = Client::http(url).revision(revision).connect();
    [stream.await.unwrap(), http.await.unwrap()]
}

#[tokio::test]
async fn clients_of_every_revision_hear_what_they_asked_for() {
    for revision in Revision::ALL {
        let source = Source::new();
        for client in clients(&server(&source), revision).await {
            let uris = ["db://1".to_owned(), "db://2".to_owned()];
            let filter = SubscriptionFilter::new()
                .resources_list_changed(true)
                .resource_subscriptions(uris);
            let mut subscription = within(client.listen(filter)).await.unwrap();
            // Over HTTP, a legacy client opens its stream with a delay.
            source.watched_by(1).await;
            for change in ["db://2", "db://1"] {
                source.updated(change);
                let heard = within(subscription.next()).await.unwrap().unwrap();
                assert_eq!(heard, Change::Resource(change.to_owned()), "{revision}");
            }
            source.listed();
            let heard = within(subscription.next()).await.unwrap().unwrap();
            assert_eq!(heard, Change::Resources, "{revision}");
            drop(subscription);
            drop(client);
            source.watched_by(0).await;
        }
    }
}
