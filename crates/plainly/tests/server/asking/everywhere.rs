//! One handler in every revision that supports questions, over both transports.

use plainly::Revision;
use plainly_peer::Client;
use plainly_peer::message::text;
use serde_json::{Value, json};

use super::clients::{able, call, play};
use super::fixture::server;

/// The revisions that have forms.
const WITH_FORMS: [Revision; 3] = [
    Revision::V2025_06_18,
    Revision::V2025_11_25,
    Revision::V2026_07_28,
];

#[tokio::test]
async fn a_form_is_answered() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let (asked, reply) = call(&mut client, "greet").await;
            assert_eq!(text(&reply), "Hello, Ada!", "{revision}");
            assert_eq!(asked.len(), 1);
            assert_eq!(asked[0]["method"], "elicitation/create");
            assert_eq!(asked[0]["params"]["message"], "Who are you?");
            let has_modes = revision != Revision::V2025_06_18;
            assert_eq!(asked[0]["params"].get("mode").is_some(), has_modes);
        }
    }
}

#[tokio::test]
async fn prompts_and_resources_ask_too() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let params = json!({"name": "greeting", "arguments": {"topic": "x"}});
            let (asked, reply) = play(&mut client, "prompts/get", params).await;
            let message = &reply["result"]["messages"][0]["content"]["text"];
            let expected = (1, &json!("Hello, Ada! x"));
            assert_eq!((asked.len(), message), expected, "{reply}");
            for uri in ["page://greeting", "page://x/greeting"] {
                let (asked, reply) = play(&mut client, "resources/read", json!({"uri": uri})).await;
                let page = &reply["result"]["contents"][0]["text"];
                assert_eq!((asked.len(), page), (1, &json!("Hello, Ada!")), "{reply}");
            }
        }
    }
}

#[tokio::test]
async fn what_depends_on_an_answer_is_asked_after_it() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let params = json!({"name": "order", "arguments": {"item": "tea"}});
            let (asked, reply) = play(&mut client, "tools/call", params).await;
            let expected = r#"Some("tea") None ["b"] Some(2) true"#;
            assert_eq!(text(&reply), expected, "{revision}");
            assert_eq!(asked.len(), 2);
            assert_eq!(asked[1]["params"]["message"], "Really b?");
            // An older revision has no field for several choices, so there is a field for each
            // choice.
            let fields = asked[0]["params"]["requestedSchema"]["properties"].as_object();
            let fields: Vec<_> = fields.unwrap().keys().collect();
            let expected: &[&str] = if revision == Revision::V2025_06_18 {
                &["count", "some.a", "some.b"]
            } else {
                &["count", "some"]
            };
            assert_eq!(fields, expected);
        }
    }
}

#[tokio::test]
async fn a_form_of_a_type_is_answered_with_one() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let (_, reply) = call(&mut client, "typed").await;
            let expected = r#"{"name":"Ada","size":"Large","sizes":["Small","Large"],"count":2}"#;
            assert_eq!(text(&reply), expected, "{revision}");
        }
    }
}

#[tokio::test]
async fn questions_of_all_kinds_are_asked_together() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let (asked, reply) = call(&mut client, "several").await;
            let expected = r#"Hi Some("Ada") ["file:///work"]"#;
            assert_eq!(text(&reply), expected, "{revision}");
            let mut methods: Vec<_> = asked
                .iter()
                .map(|one| one["method"].as_str().unwrap())
                .collect();
            methods.sort_unstable();
            let all = ["elicitation/create", "roots/list", "sampling/createMessage"];
            assert_eq!(methods, all);
        }
    }
}

#[tokio::test]
async fn a_model_and_roots_are_asked_of_every_revision() {
    for revision in Revision::ALL {
        for mut client in Client::both(&server(), revision, able()).await {
            assert_eq!(
                text(&call(&mut client, "model").await.1),
                "Hi",
                "{revision}"
            );
        }
    }
}

#[tokio::test]
async fn a_visit_is_asked_where_there_are_visits() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        for mut client in Client::both(&server(), revision, able()).await {
            let (asked, reply) = call(&mut client, "sign-in").await;
            assert_eq!(text(&reply), "welcome", "{revision}");
            assert_eq!(asked[0]["params"]["mode"], "url");
            assert_eq!(asked[0]["params"]["url"], "https://a.example/connect");
            let has_id = asked[0]["params"].get("elicitationId").is_some();
            assert_eq!(has_id, revision == Revision::V2025_11_25);
        }
    }
}

#[tokio::test]
async fn questions_in_other_tasks_and_under_the_same_key_are_answered() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let (_, reply) = call(&mut client, "spawned").await;
            assert_eq!(text(&reply), "Hello, Ada!", "{revision}");
            let (asked, reply) = call(&mut client, "twice").await;
            assert_eq!(text(&reply), "Hello, Ada! Hello, Ada!", "{revision}");
            assert_eq!(asked.len(), 2);
        }
    }
}

#[tokio::test]
async fn a_question_can_not_be_swallowed() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let (asked, reply) = call(&mut client, "swallow").await;
            assert_eq!(text(&reply), "Some(Accept)", "{revision}");
            assert_eq!(asked.len(), 1);
        }
    }
}

#[tokio::test]
async fn progress_comes_before_and_after_a_question() {
    for revision in WITH_FORMS {
        for mut client in Client::both(&server(), revision, able()).await {
            let params = json!({"name": "quiet", "_meta": {"progressToken": "p"}});
            let (asked, reply) = play(&mut client, "tools/call", params).await;
            assert_eq!(text(&reply), "Hello, Ada!", "{revision}");
            assert_eq!(asked.len(), 1);
        }
    }
}

/// Checks the report of a missing capability: by an error for the host's code, never to the model.
fn assert_undeclared(revision: Revision, reply: &Value, required: &Value) {
    let code = if revision == Revision::V2026_07_28 {
        -32021
    } else {
        -32602
    };
    assert_eq!(reply["error"]["code"], code, "{revision}: {reply}");
    assert_eq!(
        &reply["error"]["data"]["requiredCapabilities"], required,
        "{revision}"
    );
}

#[tokio::test]
async fn who_declared_nothing_is_asked_nothing() {
    for revision in Revision::ALL {
        for mut client in Client::both(&server(), revision, json!({})).await {
            let (asked, reply) = call(&mut client, "greet").await;
            assert_undeclared(revision, &reply, &json!({"elicitation": {"form": {}}}));
            let (more, reply) = call(&mut client, "model").await;
            assert_undeclared(revision, &reply, &json!({"sampling": {}}));
            let (_, reply) = call(&mut client, "sign-in").await;
            assert_undeclared(revision, &reply, &json!({"elicitation": {"url": {}}}));
            let (_, reply) = play(&mut client, "prompts/get", json!({"name": "greeting"})).await;
            assert_undeclared(revision, &reply, &json!({"elicitation": {"form": {}}}));
            assert_eq!(asked.len() + more.len(), 0);
            assert_eq!(
                text(&call(&mut client, "resourceful").await.1),
                "Hello, you!"
            );
        }
    }
}

#[tokio::test]
async fn a_revision_without_forms_has_them_declared_in_vain() {
    for revision in [Revision::V2024_11_05, Revision::V2025_03_26] {
        for mut client in Client::both(&server(), revision, able()).await {
            let (asked, reply) = call(&mut client, "greet").await;
            assert_undeclared(revision, &reply, &json!({"elicitation": {"form": {}}}));
            assert!(asked.is_empty());
        }
    }
    for mut client in Client::both(&server(), Revision::V2025_06_18, able()).await {
        let (_, reply) = call(&mut client, "sign-in").await;
        let required = json!({"elicitation": {"url": {}}});
        assert_undeclared(Revision::V2025_06_18, &reply, &required);
    }
}
