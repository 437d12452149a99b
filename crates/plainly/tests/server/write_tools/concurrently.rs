//! Several changes of one resource at the same time.

use futures_util::future::join_all;
use plainly::Client;
use plainly::store::tools::Confirm;
use serde_json::json;

use super::memory::Memory;
use super::{output, server};
use crate::calling::call;

const URI: &str = "mem:///d/a";
const CLIENTS: usize = 8;
const TIMES: usize = 20;

/// Returns a line for each client.
fn lines(of: impl Fn(usize) -> usize) -> String {
    (0..CLIENTS)
        .map(|client| format!("{client}: {}.\n", of(client)))
        .collect()
}

async fn clients(memory: &Memory) -> Vec<Client> {
    let server = server(memory, Confirm::Destructive);
    let clients =
        (0..CLIENTS).map(|_| async { Client::in_memory(&server).connect().await.unwrap() });
    join_all(clients).await
}

/// Also tests a store without tags, which can't detect conflicts by itself.
#[tokio::test]
async fn edits_of_several_clients_all_arrive() {
    for is_untagged in [false, true] {
        let mut memory = Memory::with(&[(URI, &lines(|_| 0))]);
        memory.is_untagged = is_untagged;
        let clients = clients(&memory).await;
        let all = clients
            .iter()
            .enumerate()
            .map(|(number, client)| async move {
                for time in 0..TIMES {
                    let old = format!("{number}: {time}.");
                    let new = format!("{number}: {}.", time + 1);
                    let edits = json!([{"old": old, "new": new}]);
                    let edited =
                        call(client, "edit_resource", json!({"uri": URI, "edits": edits})).await;
                    assert_eq!(edited.is_error, None, "{edited:?}");
                }
            });
        join_all(all).await;
        assert_eq!(memory.text(URI).unwrap(), lines(|_| TIMES));
    }
}

/// Tests concurrent calls, as in one turn of a model.
#[tokio::test]
async fn edits_of_one_turn_both_arrive() {
    let memory = Memory::with(&[(URI, &lines(|_| 0))]);
    let server = server(&memory, Confirm::Destructive);
    let client = Client::in_memory(&server).connect().await.unwrap();
    let all = (0..CLIENTS).map(|number| {
        let edits = json!([{"old": format!("{number}: 0."), "new": format!("{number}: 1.")}]);
        call(
            &client,
            "edit_resource",
            json!({"uri": URI, "edits": edits}),
        )
    });
    for edited in join_all(all).await {
        assert_eq!(edited.is_error, None, "{edited:?}");
    }
    assert_eq!(memory.text(URI).unwrap(), lines(|_| 1));
}

#[tokio::test]
async fn only_some_texts_are_edited_at_a_time() {
    let uris: Vec<String> = (0..32).map(|number| format!("mem:///d/{number}")).collect();
    let files: Vec<(&str, &str)> = uris.iter().map(|uri| (&**uri, "0")).collect();
    let memory = Memory::with(&files);
    let server = server(&memory, Confirm::Destructive);
    let client = Client::in_memory(&server).connect().await.unwrap();
    let all = uris.iter().map(|uri| {
        let edits = json!([{"old": "0", "new": "1"}]);
        call(
            &client,
            "edit_resource",
            json!({"uri": uri, "edits": edits}),
        )
    });
    for edited in join_all(all).await {
        assert_eq!(edited.is_error, None, "{edited:?}");
    }
    assert!(memory.most_reads() <= 8, "{}", memory.most_reads());
}

#[tokio::test]
async fn with_tags_no_write_is_lost() {
    let memory = Memory::with(&[(URI, "0")]);
    let clients = clients(&memory).await;
    let all = clients.iter().map(|client| {
        let memory = memory.clone();
        async move {
            let mut tag = "v1".to_owned();
            let mut written = 0;
            while written < TIMES {
                let count: usize = memory.text(URI).unwrap().parse().unwrap();
                tokio::task::yield_now().await;
                let text = (count + 1).to_string();
                let arguments = json!({"uri": URI, "text": text, "if_tag": tag});
                let result = call(client, "write_resource", arguments).await;
                match result.is_error {
                    None => {
                        written += 1;
                        tag = output(&result)["tag"].as_str().unwrap().to_owned();
                    }
                    // The tag of the earlier read is outdated.
                    Some(_) => {
                        tag = result
                            .problem()
                            .unwrap()
                            .details()
                            .get("tag")
                            .unwrap()
                            .as_str()
                            .unwrap()
                            .to_owned()
                    }
                }
            }
        }
    });
    join_all(all).await;
    assert_eq!(memory.text(URI).unwrap(), (CLIENTS * TIMES).to_string());
}
