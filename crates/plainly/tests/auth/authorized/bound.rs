//! Values that are bound to one caller, and useless to others: another caller, an anonymous one, or
//! the same caller with an expired token.

use plainly_peer::{Response, message};
use serde_json::{Value, json};

use super::issuer::{Issuer, NOW};
use super::support::{Guarded, bearer, call, capable};

/// Callers other than Alice who try to use her values.
struct Others {
    bob: String,
    expired: String,
}

impl Others {
    fn of(issuer: &Issuer) -> Self {
        Self {
            bob: bearer(&issuer.token(json!({"sub": "bob"}))),
            expired: bearer(&issuer.token(json!({"exp": NOW - 61}))),
        }
    }

    /// Checks that unauthenticated requests are rejected.
    async fn are_turned_away(&self, name: &str, mut send: impl AsyncFnMut(&str) -> Response) {
        for headers in ["", &self.expired] {
            assert_eq!(send(headers).await.status, 401, "{name} {headers}");
        }
    }
}

async fn site() -> (Issuer, Guarded, String, Others) {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let (alice, others) = (bearer(&issuer.token(json!({}))), Others::of(&issuer));
    (issuer, guarded, alice, others)
}

#[tokio::test]
async fn a_session_is_its_openers() {
    let (issuer, guarded, alice, others) = site().await;
    let opened = guarded
        .post(&alice, &message::initialize(message::LEGACY[3]))
        .await;
    let session = format!("Mcp-Session-Id: {}\r\n", opened.session());
    let unknown = "Mcp-Session-Id: 00\r\n";
    let ping = message::request(1, "ping", json!({}));
    for line in ["POST /mcp", "GET /mcp", "DELETE /mcp"] {
        let send = async |headers: &str| {
            let body = if line == "POST /mcp" {
                ping.to_string()
            } else {
                String::new()
            };
            guarded.site.send(line, headers, body).await
        };
        others
            .are_turned_away(line, async |who| send(&(who.to_owned() + &session)).await)
            .await;
        let mut strange = send(&(others.bob.clone() + &session)).await;
        let mut none = send(&(others.bob.clone() + unknown)).await;
        assert_eq!(strange.status, 404, "{line}");
        assert_eq!(strange.json().await, none.json().await, "{line}");
    }
    // Alice can use the session with her next token too.
    let next = bearer(&issuer.token(json!({"jti": "t-2", "client_id": "another"})));
    let pinged = guarded
        .site
        .send("POST /mcp", &(next + &session), &ping)
        .await;
    assert_eq!(pinged.status, 200);
}

#[tokio::test]
async fn a_task_is_its_starters() {
    let (_issuer, guarded, alice, others) = site().await;
    let mut begun = guarded.post(&alice, &call("works")).await;
    let id = begun.json().await["result"]["taskId"]
        .as_str()
        .unwrap()
        .to_owned();
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let of = |id: &str| capable(method, json!({"taskId": id, "inputResponses": {}}));
        others
            .are_turned_away(method, async |who| guarded.post(who, &of(&id)).await)
            .await;
        let mut strange = guarded.post(&others.bob, &of(&id)).await;
        let mut none = guarded.post(&others.bob, &of("00")).await;
        assert_eq!(
            strange.json().await["error"],
            none.json().await["error"],
            "{method}"
        );
    }
    let mut hers = guarded
        .post(&alice, &capable("tasks/get", json!({"taskId": id})))
        .await;
    assert!(hers.json().await["result"].is_object());
}

#[tokio::test]
async fn a_cursor_is_its_readers() {
    let (_issuer, guarded, alice, others) = site().await;
    let list = |cursor: Option<&Value>| {
        let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
        capable("tools/list", params)
    };
    let mut first = guarded.post(&alice, &list(None)).await;
    let cursor = first.json().await["result"]["nextCursor"].clone();
    others
        .are_turned_away("cursor", async |who| {
            guarded.post(who, &list(Some(&cursor))).await
        })
        .await;
    let mut strange = guarded.post(&others.bob, &list(Some(&cursor))).await;
    let refused = strange.json().await;
    assert_eq!(
        refused["error"]["data"]["kind"], "invalid_cursor",
        "{refused}"
    );
    let mut next = guarded.post(&alice, &list(Some(&cursor))).await;
    assert!(next.json().await["result"]["tools"].is_array());
}

#[tokio::test]
async fn a_request_state_is_its_askers() {
    let (_issuer, guarded, alice, others) = site().await;
    let mut asked = guarded.post(&alice, &call("asks")).await;
    let state = asked.json().await["result"]["requestState"].clone();
    assert!(state.is_string());
    let answered = capable(
        "tools/call",
        json!({"name": "asks", "arguments": {}, "requestState": state, "inputResponses": {"sure": {"action": "decline"}}}),
    );
    others
        .are_turned_away("state", async |who| guarded.post(who, &answered).await)
        .await;
    let mut strange = guarded.post(&others.bob, &answered).await;
    let refused = strange.json().await;
    assert_eq!(
        refused["error"]["data"]["kind"], "invalid_request_state",
        "{refused}"
    );
    let mut hers = guarded.post(&alice, &answered).await;
    assert_eq!(hers.json().await["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_subscription_tells_of_ones_own_tasks_alone() {
    let (_issuer, guarded, alice, others) = site().await;
    let mut begun = guarded.post(&alice, &call("works")).await;
    let id = begun.json().await["result"]["taskId"]
        .as_str()
        .unwrap()
        .to_owned();
    let listen = capable(
        "subscriptions/listen",
        json!({"notifications": {"taskIds": [id]}}),
    );
    others
        .are_turned_away("listen", async |who| guarded.post(who, &listen).await)
        .await;
    let mut strange = guarded.post(&others.bob, &listen).await;
    let told = strange.message().await.to_string();
    assert!(!told.contains(&id), "{told}");
    let mut hers = guarded.post(&alice, &listen).await;
    let told = hers.message().await.to_string();
    assert!(told.contains(&id), "{told}");
}

#[tokio::test]
async fn a_stream_of_events_takes_messages_of_its_opener_alone() {
    let (_issuer, guarded, alice, others) = site().await;
    let open = async |who: &str| guarded.site.send("GET /sse", who, "").await;
    others.are_turned_away("open", open).await;
    let mut stream = open(&alice).await;
    let endpoint = stream.event().await.unwrap().data;
    let opening = message::initialize(message::LEGACY[0]);
    let put = async |who: &str| {
        guarded
            .site
            .send(&format!("POST {endpoint}"), who, &opening)
            .await
    };
    others.are_turned_away("put", put).await;
    assert_eq!(put(&others.bob).await.status, 404);
    assert_eq!(put(&alice).await.status, 202);
    assert_eq!(
        stream.message().await["result"]["protocolVersion"],
        message::LEGACY[0]
    );
}
