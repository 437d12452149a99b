//! Conversations over a stream that fails, one for each subject, so that each of its steps fails
//! once.

use std::time::Duration;

use plainly::Revision;
use serde_json::{Value, json};

use super::framing::Way;
use super::talking::Client;
use super::wire::Cut;

/// A conversation, its revision, and its transports.
pub(crate) struct Conversation {
    pub(crate) name: &'static str,
    pub(crate) revision: Revision,
    pub(crate) ways: &'static [Way],
}

/// A pause in simulated time, which passes only when nothing else can run.
const MOMENT: Duration = Duration::from_millis(100);

const BOTH: &[Way] = &[Way::Stream, Way::Http];
const ALL: &[Way] = &[Way::Stream, Way::Http, Way::Events];
const MODERN: Revision = Revision::V2026_07_28;
const LEGACY: Revision = Revision::V2025_11_25;

pub(crate) const CONVERSATIONS: [Conversation; 18] = [
    of("call", MODERN, BOTH),
    of("read", MODERN, BOTH),
    of("pages", MODERN, BOTH),
    of("errors", MODERN, BOTH),
    of("long", MODERN, BOTH),
    of("told", MODERN, BOTH),
    of("told", LEGACY, ALL),
    of("batch", Revision::V2025_03_26, ALL),
    of("session", LEGACY, ALL),
    of("listen", MODERN, BOTH),
    of("subscribe", LEGACY, &[Way::Stream, Way::Events]),
    of("question", MODERN, BOTH),
    of("question", LEGACY, ALL),
    of("task", MODERN, BOTH),
    of("cancel", MODERN, BOTH),
    of("resume", LEGACY, &[Way::Http]),
    of("together", MODERN, BOTH),
    of("together", LEGACY, ALL),
];

const fn of(name: &'static str, revision: Revision, ways: &'static [Way]) -> Conversation {
    Conversation {
        name,
        revision,
        ways,
    }
}

/// Holds the whole conversation.
pub(crate) async fn hold(name: &str, client: &mut Client) -> Result<(), Cut> {
    client.begin().await?;
    match name {
        "call" => call(client).await,
        "read" => read(client).await,
        "pages" => pages(client).await,
        "errors" => errors(client).await,
        "long" => long(client).await,
        "told" => told(client).await,
        "batch" => batch(client).await,
        "session" => session(client).await,
        "listen" => client.listen().await,
        "subscribe" => subscribe(client).await,
        "question" => client.question().await,
        "task" => client.follow().await,
        "cancel" => cancel(client).await,
        "resume" => resume(client).await,
        "together" => together(client).await,
        other => panic!("no conversation {other}"),
    }
}

async fn call(client: &mut Client) -> Result<(), Cut> {
    let result = client.ask("tools/call", json!({"name": "echo"})).await?;
    assert_eq!(result["content"][0]["text"], "here", "{result}");
    Ok(())
}

async fn read(client: &mut Client) -> Result<(), Cut> {
    let result = client
        .ask("resources/read", json!({"uri": "app://0"}))
        .await?;
    assert_eq!(result["contents"][0]["text"], "read", "{result}");
    Ok(())
}

async fn pages(client: &mut Client) -> Result<(), Cut> {
    let mut params = json!({});
    let mut seen = 0;
    loop {
        let page = client.ask("resources/list", params.clone()).await?;
        seen += page["resources"].as_array().unwrap().len();
        match page.get("nextCursor") {
            Some(cursor) => params["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen, 5);
    Ok(())
}

async fn errors(client: &mut Client) -> Result<(), Cut> {
    client.wire.rubbish("no JSON").await?;
    for (method, params) in [
        ("tools/call", json!({"name": "none"})),
        ("resources/read", json!({"uri": "app://none"})),
    ] {
        let id = client.start(method, params).await?;
        let reply = client.wire.next(&id).await?;
        assert!(reply["error"].is_object(), "{reply}");
    }
    call(client).await
}

/// Calls with a text that is much larger than the pipe.
async fn long(client: &mut Client) -> Result<(), Cut> {
    let text = "x".repeat(3_000);
    let params = json!({"name": "say", "arguments": {"text": text}});
    let result = client.ask("tools/call", params).await?;
    assert_eq!(result["content"][0]["text"], text);
    Ok(())
}

async fn told(client: &mut Client) -> Result<(), Cut> {
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "info"});
    let params = json!({"name": "tell", "_meta": meta});
    let result = client.ask("tools/call", params).await?;
    assert_eq!(result["content"][0]["text"], "told", "{result}");
    Ok(())
}

async fn batch(client: &mut Client) -> Result<(), Cut> {
    let call = |id: &str| {
        let params = json!({"name": "echo"});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let ping = json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/x"});
    let batch = json!([call("one"), ping, note, call("two")]);
    client.wire.start(&batch).await?;
    // In a stream of events, each reply is an event. Otherwise all replies are one array.
    let mut replies = 0;
    while replies < 3 {
        let message = client.wire.next(&Value::Null).await?;
        replies += message.as_array().map_or(1, Vec::len);
    }
    assert_eq!(replies, 3);
    Ok(())
}

async fn session(client: &mut Client) -> Result<(), Cut> {
    client.ask("ping", json!({})).await?;
    client.ask("tools/list", json!({})).await?;
    call(client).await?;
    client.wire.end_session().await
}

async fn subscribe(client: &mut Client) -> Result<(), Cut> {
    let uri = json!({"uri": "app://0"});
    client.ask("resources/subscribe", uri.clone()).await?;
    let id = client.start("tools/call", json!({"name": "touch"})).await?;
    let heard = [client.wire.next(&id).await?, client.wire.next(&id).await?];
    let is_change = |message: &Value| message["method"] == "notifications/tools/list_changed";
    assert!(heard.iter().any(is_change), "{heard:?}");
    client.ask("resources/unsubscribe", uri).await.map(drop)
}

async fn cancel(client: &mut Client) -> Result<(), Cut> {
    for _ in 0..2 {
        let id = client.start("tools/call", json!({"name": "wait"})).await?;
        // No message reports that the handler runs, so the client waits for a moment.
        tokio::time::sleep(MOMENT).await;
        client.wire.cancel(&id).await?;
    }
    // After a moment, the slot of the cancelled request is free again.
    tokio::time::sleep(MOMENT).await;
    call(client).await
}

/// Loses the connection twice while a reply is sent.
async fn resume(client: &mut Client) -> Result<(), Cut> {
    let params = json!({"name": "tell", "_meta": {"progressToken": "p"}});
    let id = client.start("tools/call", params).await?;
    for _ in 0..2 {
        let told = client.wire.next(&id).await?;
        assert!(told["method"].is_string(), "{told}");
        client.wire.resume(&id).await?;
    }
    client.reply(&id).await.map(drop)
}

/// Sends several requests at once, and reads their replies in any order.
async fn together(client: &mut Client) -> Result<(), Cut> {
    let mut ids = Vec::new();
    for tool in ["tell", "echo", "tell", "echo"] {
        ids.push(client.start("tools/call", json!({"name": tool})).await?);
    }
    while let Some(id) = ids.first().cloned() {
        let message = client.wire.next(&id).await?;
        ids.retain(|id| message.get("method").is_some() || message["id"] != *id);
    }
    Ok(())
}
