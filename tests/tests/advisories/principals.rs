//! Two users of one server: a handle that one of them received is useless to everyone else, however
//! they obtained it.

use plainly::protocol::method::{MessageKind, Method, Sender};
use serde_json::{Value, json};

use crate::http::{Attempt, Events, Session, bare};
use crate::log::Log;
use crate::site::{Kind, Site};

/// The senders other than the owner.
const STRANGERS: [Option<&str>; 2] = [Some("bob"), None];
const ALICE: Option<&str> = Some("alice");

/// The kinds of handles in requests, which the server gave to one user earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handle {
    Task,
    /// Task ids in a subscription.
    Tasks,
    Cursor,
    State,
    None,
}

/// The handle that each method takes. A method that is missing here does not compile.
fn handle(method: Method) -> Handle {
    match method {
        Method::GetTask | Method::UpdateTask | Method::CancelTask => Handle::Task,
        Method::Listen => Handle::Tasks,
        Method::ListResources
        | Method::ListResourceTemplates
        | Method::ReadDirectory
        | Method::ListTools
        | Method::ListPrompts => Handle::Cursor,
        Method::CallTool | Method::ReadResource | Method::GetPrompt => Handle::State,
        Method::Discover
        | Method::Initialize
        | Method::Ping
        | Method::ResourceMetadata
        // The server of these tests does not support the following.
        | Method::ListSkills
        | Method::GetSkill
        | Method::Subscribe
        | Method::Unsubscribe
        | Method::Complete
        | Method::SetLevel
        | Method::Elicit
        | Method::CreateMessage
        | Method::ListRoots
        | Method::Initialized
        | Method::Cancelled
        | Method::Progress
        | Method::LoggingMessage
        | Method::ResourceUpdated
        | Method::ResourcesChanged
        | Method::ToolsChanged
        | Method::PromptsChanged
        | Method::Acknowledged
        | Method::ElicitationComplete
        | Method::RootsChanged
        | Method::TaskChanged => Handle::None,
    }
}

fn methods(of: Handle) -> Vec<&'static str> {
    let rows = plainly::protocol::method::methods().iter();
    let rows = rows.filter(|row| {
        row.kind == MessageKind::Request && row.sender != Sender::Server && handle(row.method) == of
    });
    let names: Vec<_> = rows.map(|row| row.name).collect();
    assert!(!names.is_empty(), "{of:?}");
    names
}

fn code(reply: &Value) -> Option<i64> {
    reply["error"]["code"].as_i64()
}

/// Starts a task of Alice's that waits for her answer.
async fn task(site: &Site) -> String {
    let begun = Attempt::call(site.address, "works", json!({}));
    let begun = begun.known_as(ALICE).json().await;
    begun["result"]["taskId"].as_str().unwrap().to_owned()
}

async fn of_task(site: &Site, method: &str, id: &str, who: Option<&str>) -> Value {
    let answers = json!({"sure": {"action": "accept", "content": {"sure": true}}});
    let params = json!({"taskId": id, "inputResponses": answers});
    let attempt = Attempt::modern(site.address, method, params);
    attempt.known_as(who).json().await
}

/// Tries all methods that take a task id, as everyone but its owner.
async fn tasks_are_their_owners(also: &str) {
    let site = Site::start(Kind::Mounted).await;
    let id = task(&site).await;
    for method in methods(Handle::Task) {
        for who in STRANGERS {
            let refused = of_task(&site, method, &id, who).await;
            // The error is the one for a task that does not exist.
            let unknown = of_task(&site, method, also, who).await;
            assert_eq!(refused["error"], unknown["error"], "{method} {who:?}");
            assert_eq!(code(&refused), Some(-32602), "{method} {who:?}: {refused}");
        }
    }
    for method in methods(Handle::Tasks) {
        for who in STRANGERS {
            let params = json!({"notifications": {"taskIds": [id]}});
            let attempt = Attempt::modern(site.address, method, params).known_as(who);
            let mut stream = attempt.send().await;
            let told = stream.message().await.to_string();
            assert!(!told.contains(&id), "{who:?}: {told}");
        }
    }
    let still = of_task(&site, "tasks/get", &id, ALICE).await;
    assert_eq!(still["result"]["status"], "input_required", "{still}");
    let done = of_task(&site, "tasks/update", &id, ALICE).await;
    assert!(done["result"].is_object(), "{done}");
}

#[tokio::test]
async fn typescript_sdk_1486_task_results_reach_another_session() {
    tasks_are_their_owners("nobody-ever-had-this-one").await;
}

#[tokio::test]
async fn cve_2026_52870_tasks_read_and_listed_without_authorization() {
    tasks_are_their_owners(&"0".repeat(32)).await;
    // No method enumerates tasks.
    let site = Site::start(Kind::Mounted).await;
    let id = task(&site).await;
    for who in [ALICE, Some("bob"), None] {
        for method in ["tasks/list", "tasks/result"] {
            let attempt = Attempt::modern(site.address, method, json!({"taskId": id}));
            let reply = attempt.known_as(who).json().await;
            assert_eq!(code(&reply), Some(-32601), "{method}: {reply}");
        }
    }
}

/// A session and its streams are refused to everyone with a token other than the owner's.
#[tokio::test]
async fn python_sdk_2718_session_not_bound_to_its_principal() {
    let site = Site::start(Kind::Mounted).await;
    let session = Session::open(site.address, ALICE).await;
    let events = Events::open(site.address, ALICE).await;
    let call = bare(1, "tools/call", json!({"name": "canary", "arguments": {}}));
    for who in STRANGERS {
        for attempt in [session.post(&call), session.get(), session.delete()] {
            let status = attempt.known_as(who).status().await;
            assert!(matches!(status, 401 | 403 | 404), "{who:?}: {status}");
        }
        let put = Attempt::post(site.address, &events.endpoint, &call).known_as(who);
        let status = put.status().await;
        assert!(matches!(status, 401 | 403 | 404), "{who:?}: {status}");
    }
    assert_eq!(site.probe.ran(), 0);
    let good = session.post(&call).known_as(ALICE).status().await;
    assert_eq!((good, site.probe.ran()), (200, 1));
    let put = Attempt::post(site.address, &events.endpoint, &call).known_as(ALICE);
    assert_eq!(put.status().await, 202);
    assert_eq!(session.delete().known_as(ALICE).status().await, 204);
}

/// Request state, which clients return unread, is bound to its user and request, and to every one
/// of its bytes.
#[tokio::test]
async fn rmcp_1166_request_state_of_others_or_changed() {
    let site = Site::start(Kind::Mounted).await;
    let params = json!({"name": "asks", "arguments": {}});
    let begin = Attempt::modern(site.address, "tools/call", params.clone());
    let asked = begin.known_as(ALICE).json().await;
    let state = asked["result"]["requestState"].as_str().unwrap();
    let answers = asked["result"]["inputRequests"].as_object().unwrap();
    let answers: serde_json::Map<_, _> = answers
        .keys()
        .map(|key| {
            (
                key.clone(),
                json!({"action": "accept", "content": {"sure": true}}),
            )
        })
        .collect();
    let again = |state: &str, tool: &str, who: Option<&str>| {
        let params = json!({
            "name": tool, "arguments": {}, "requestState": state, "inputResponses": answers,
        });
        let attempt = Attempt::modern(site.address, "tools/call", params);
        attempt.known_as(who)
    };
    for who in STRANGERS {
        let reply = again(state, "asks", who).json().await;
        assert_eq!(code(&reply), Some(-32602), "{who:?}: {reply}");
    }
    let of_another = again(state, "works", ALICE).json().await;
    assert_eq!(code(&of_another), Some(-32602), "{of_another}");
    for place in (0..state.len()).step_by(7) {
        let mut changed = state.to_owned();
        let other = if &changed[place..=place] == "A" {
            "B"
        } else {
            "A"
        };
        changed.replace_range(place..=place, other);
        let reply = again(&changed, "asks", ALICE).json().await;
        assert_eq!(code(&reply), Some(-32602), "byte {place}: {reply}");
    }
    assert_eq!(site.probe.ran(), 0);
    let done = again(state, "asks", ALICE).json().await;
    assert_eq!(done["result"]["content"][0]["text"], "Accept", "{done}");
    // There are three methods that can ask for input.
    assert_eq!(methods(Handle::State).len(), 3);
}

/// A cursor that the server did not issue to this user is refused.
#[tokio::test]
async fn python_sdk_2718_cursor_of_another_principal() {
    let site = Site::start(Kind::Mounted).await;
    for method in methods(Handle::Cursor) {
        for cursor in ["0", "", "MA==", &"A".repeat(200)] {
            let params = json!({"cursor": cursor, "uri": "note://"});
            let reply = Attempt::modern(site.address, method, params);
            let reply = reply.known_as(ALICE).json().await;
            assert_eq!(code(&reply), Some(-32602), "{method} {cursor:?}: {reply}");
        }
    }
}

/// No log contains ids and tokens that are as good as passwords, at any level.
#[tokio::test]
async fn agentgateway_2743_session_ids_and_tokens_in_logs() {
    let (log, _guard) = Log::capture();
    let site = Site::start(Kind::Mounted).await;
    let secret = "alice-f00dfeed";
    let session = Session::open(site.address, Some(secret)).await;
    let events = Events::open(site.address, Some(secret)).await;
    let (_, pipe) = events.endpoint.split_once("session=").unwrap();
    let begun = Attempt::call(site.address, "works", json!({})).known_as(Some(secret));
    let task = begun.json().await["result"]["taskId"].clone();
    let ping = bare(1, "ping", json!({}));
    for who in [Some(secret), None] {
        session.post(&ping).known_as(who).send().await;
        session.get().known_as(who).send().await;
        let put = Attempt::post(site.address, &events.endpoint, &ping);
        put.known_as(who).send().await;
        of_task(&site, "tasks/get", task.as_str().unwrap(), who).await;
    }
    session.delete().known_as(Some(secret)).send().await;
    let text = log.text();
    assert!(text.contains("plainly"), "nothing was logged");
    for secret in [secret, &session.name, pipe, task.as_str().unwrap()] {
        assert!(!text.contains(secret), "{secret} is in the log: {text}");
    }
}

/// In the affected software, one of two routes required no login. Here, a layer applies to all
/// routes on which the server is mounted.
#[tokio::test]
async fn cve_2026_33032_one_of_two_routes_knows_nobody() {
    let site = Site::start(Kind::Mounted).await;
    let events = Events::open(site.address, ALICE).await;
    let session = Session::open(site.address, ALICE).await;
    let task = task(&site).await;
    // Each of Alice's routes is tried without her token.
    let ping = bare(1, "ping", json!({}));
    let strangers = [
        session.post(&ping),
        session.get(),
        session.delete(),
        Attempt::post(site.address, &events.endpoint, &ping),
    ];
    for attempt in strangers {
        assert_eq!(attempt.known_as(None).status().await, 404);
    }
    let get = Attempt::modern(site.address, "tasks/get", json!({"taskId": task}));
    assert_eq!(code(&get.json().await), Some(-32602));
}
