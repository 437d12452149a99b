//! Changes that the user must confirm, with clients of every revision, in memory and over HTTP.

use std::sync::{Arc, Mutex};

use plainly::Client;
use plainly::client::Builder;
use plainly::errors::{ProblemCode, Revision};
use plainly::protocol::types::{ElicitFormParams, ElicitResult, JsonObject};
use plainly::store::tools::Confirm;
use plainly_peer::served_over_http;
use serde_json::json;

use super::memory::Memory;
use super::server;
use crate::calling::{call, text};

/// The user of a client, who may be unable to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Absent,
    Cancels,
    Declines,
    Agrees,
}

fn with<T>(builder: Builder<T>, revision: Revision, user: User, asked: &str) -> Builder<T> {
    let (builder, asked) = (builder.revision(revision), asked.to_owned());
    match user {
        User::Absent => builder,
        User::Cancels => builder.on_elicitation(|_| async { ElicitResult::cancel() }),
        User::Declines => builder.on_elicitation(|_| async { ElicitResult::decline() }),
        User::Agrees => builder.on_elicitation(move |form: ElicitFormParams| {
            assert_eq!(form.message, asked);
            async { ElicitResult::accept(JsonObject::new()) }
        }),
    }
}

/// Makes a change with every kind of user and in every revision, and checks the result and what is
/// left at the URI.
async fn everywhere(
    confirm: Confirm,
    (tool, uri, arguments): (&str, &str, serde_json::Value),
    question: &str,
    refusal: &str,
) {
    for revision in Revision::ALL {
        for user in [User::Absent, User::Cancels, User::Declines, User::Agrees] {
            let is_old = matches!(revision, Revision::V2024_11_05 | Revision::V2025_03_26);
            let can_ask = !is_old && user != User::Absent;
            for over_http in [false, true] {
                let memory = Memory::with(&[(uri, "kept"), ("mem:///d/tree/b", "kept")]);
                let server = server(&memory, confirm);
                let client = if over_http {
                    let url = served_over_http(&server).await;
                    with(Client::http(&url), revision, user, question)
                        .connect()
                        .await
                } else {
                    with(Client::in_memory(&server), revision, user, question)
                        .connect()
                        .await
                };
                let client = client.unwrap();
                let name = format!("{revision} {user:?} {over_http}");
                let result = client.call_tool(tool, arguments.clone()).await;
                let is_kept = memory.text(uri).as_deref() == Some("kept");
                match user {
                    User::Agrees if can_ask => {
                        assert_eq!(result.unwrap().is_error, None, "{name}");
                        assert!(!is_kept, "{name}");
                    }
                    User::Declines | User::Cancels if can_ask => {
                        let told = text(&result.unwrap()).to_owned();
                        assert!(told.contains("The user declined."), "{name}: {told}");
                        assert!(is_kept, "{name}");
                    }
                    User::Absent | User::Cancels | User::Declines | User::Agrees => {
                        let result = result.unwrap();
                        assert!(text(&result).starts_with(refusal), "{name}: {result:?}");
                        let problem = result.problem().unwrap();
                        assert_eq!(problem.code(), &ProblemCode::ConfirmationRequired);
                        assert!(is_kept, "{name}");
                    }
                }
                client.close().await;
            }
        }
    }
}

#[tokio::test]
async fn what_would_be_lost_for_good_is_lost_only_if_the_user_agrees() {
    let uri = "mem:///d/precious";
    let question = "Write mem:///d/precious? If so, the present content would be lost for good: the trash is full.";
    let refusal = "Confirmation required for: Write mem:///d/precious.";
    let change = ("write_resource", uri, json!({"uri": uri, "text": "new"}));
    everywhere(Confirm::Destructive, change, question, refusal).await;
}

#[tokio::test]
async fn a_tree_is_deleted_only_if_the_user_agrees() {
    let uri = "mem:///d/tree/a";
    let question = "Delete mem:///d/tree with everything in it?";
    let refusal = "Confirmation required for: Delete mem:///d/tree with everything in it.";
    let arguments = json!({"uri": "mem:///d/tree", "recursive": true});
    let memory_has_tree = ("delete_resource", uri, arguments);
    everywhere(Confirm::Destructive, memory_has_tree, question, refusal).await;
}

#[tokio::test]
async fn every_change_is_confirmed_if_that_is_wanted() {
    let uri = "mem:///d/a";
    let edits = json!([{"old": "kept", "new": "new"}]);
    let change = ("edit_resource", uri, json!({"uri": uri, "edits": edits}));
    let refusal = "Confirmation required for: Edit mem:///d/a.";
    everywhere(Confirm::All, change, "Edit mem:///d/a?", refusal).await;
}

#[tokio::test]
async fn no_question_is_asked_twice() {
    for revision in [Revision::V2025_06_18, Revision::V2026_07_28] {
        let memory = Memory::with(&[("mem:///d/tree/a", "")]);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let questions = Arc::clone(&asked);
        let client = Client::in_memory(&server(&memory, Confirm::All))
            .revision(revision)
            .on_elicitation(move |form: ElicitFormParams| {
                questions.lock().unwrap().push(form.message);
                async { ElicitResult::accept(JsonObject::new()) }
            });
        let client = client.connect().await.unwrap();
        let arguments = json!({"uri": "mem:///d/tree", "recursive": true});
        let deleted = call(&client, "delete_resource", arguments).await;
        assert_eq!(deleted.is_error, None, "{deleted:?}");
        let expected = ["Delete mem:///d/tree with everything in it?"];
        assert_eq!(*asked.lock().unwrap(), expected, "{revision}");
    }
}

#[tokio::test]
async fn nobody_is_asked_to_agree_to_edits_that_can_not_be_made() {
    let memory = Memory::with(&[("mem:///d/a", "kept")]);
    for user in [User::Absent, User::Agrees] {
        let client = Client::in_memory(&server(&memory, Confirm::All));
        let client = with(client, Revision::V2026_07_28, user, "no question");
        let client = client.connect().await.unwrap();
        let edits = json!([{"old": "absent", "new": "x"}]);
        for (arguments, code) in [
            (json!({"uri": "mem:///d/a", "edits": edits}), "VALIDATION"),
            (
                json!({"uri": "mem:///d/a", "edits": edits, "if_tag": "0"}),
                "VALIDATION",
            ),
            (json!({"uri": "mem:///d/b", "edits": edits}), "NOT_FOUND"),
        ] {
            let refused = call(&client, "edit_resource", arguments).await;
            let problem = refused.problem().unwrap();
            assert!(problem.code().as_str().contains(code), "{problem:?}");
        }
    }
}

#[tokio::test]
async fn nothing_is_confirmed_if_that_is_wanted() {
    let memory = Memory::with(&[("mem:///d/precious", "kept"), ("mem:///d/tree/a", "")]);
    let client = Client::in_memory(&server(&memory, Confirm::Never))
        .connect()
        .await
        .unwrap();
    let arguments = json!({"uri": "mem:///d/precious", "text": "new"});
    let written = call(&client, "write_resource", arguments).await;
    assert_eq!(written.is_error, None, "{written:?}");
    let arguments = json!({"uri": "mem:///d", "recursive": true});
    let deleted = call(&client, "delete_resource", arguments).await;
    assert_eq!(deleted.is_error, None, "{deleted:?}");
    assert_eq!(memory.text("mem:///d/tree/a"), None);
}
