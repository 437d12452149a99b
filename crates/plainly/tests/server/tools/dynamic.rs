//! Tools, prompts and resources that are added and removed while the server runs.

use plainly::Revision;
use plainly::limits::Limits;
use plainly::server::extract::State;
use plainly::server::extract::{Args, PartialArgument};
use plainly::server::{Changes, Keys, Prompt, Resource, Server, ServerBuilder, Tool};
use serde_json::{Value, json};

use plainly_peer::message::modern;
use plainly_peer::{Client, Peer};

use super::support::{call, client, list, page, reply_to, told};

fn tool(name: &str) -> Tool {
    let text = format!("I am {name}.");
    Tool::new(name, move || std::future::ready(text.clone()))
}

fn builder(names: &[&str]) -> ServerBuilder {
    let mut limits = Limits::default();
    limits.page_entries = 2;
    let tools = names.iter().map(|name| tool(name));
    Server::builder("test", "1").limits(limits).tools(tools)
}

fn server(names: &[&str]) -> Server {
    builder(names).dynamic_tools().build().unwrap()
}

#[tokio::test]
async fn a_tool_is_there_once_it_is_added_and_gone_once_it_is_removed() {
    let server = server(&["z"]);
    for revision in Revision::ALL {
        let (mut peer, _) = client(&server, revision).await;
        assert_eq!(list(&mut peer).await, ["z"]);
        server.add_tool(tool("b")).unwrap();
        server.add_tool(tool("a")).unwrap();
        assert_eq!(list(&mut peer).await, ["z", "a", "b"], "{revision}");
        let reply = reply_to(&mut peer, "tools/call", json!({"name": "a"})).await;
        assert_eq!(told(&reply), ("I am a.", false));
        assert!(server.remove_tool("a") && !server.remove_tool("a"));
        let reply = reply_to(&mut peer, "tools/call", json!({"name": "a"})).await;
        assert_eq!(reply["error"]["message"], "Unknown tool: a", "{revision}");
        assert_eq!(list(&mut peer).await, ["z", "b"]);
        assert!(server.remove_tool("b"));
    }
}

#[tokio::test]
async fn that_there_may_be_tools_is_told_before_there_are_any() {
    let empty = server(&[]);
    let fixed = builder(&["a"]).build().unwrap();
    let none = builder(&[]).build().unwrap();
    for revision in Revision::ALL {
        let (mut peer, capabilities) = client(&empty, revision).await;
        assert_eq!(
            capabilities["tools"],
            json!({"listChanged": true}),
            "{revision}"
        );
        assert_eq!(list(&mut peer).await, [""; 0]);
        let reply = reply_to(&mut peer, "tools/call", json!({"name": "a"})).await;
        assert_eq!(reply["error"]["message"], "Unknown tool: a");
        let (_, capabilities) = client(&fixed, revision).await;
        assert_eq!(capabilities["tools"], json!({}), "{revision}");
        let (mut peer, capabilities) = client(&none, revision).await;
        assert_eq!(capabilities.get("tools"), None, "{revision}");
        let reply = reply_to(&mut peer, "tools/list", json!({})).await;
        assert_eq!(reply["error"]["code"], -32601, "{revision}");
    }
}

#[tokio::test]
async fn whoever_listens_is_told_of_each_change_that_is_one() {
    let server = server(&["a"]);
    let mut peer = Peer::connect(&server);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    let acknowledged = peer.ask(&modern("l", "subscriptions/listen", filter)).await;
    assert_eq!(
        acknowledged["params"]["notifications"],
        json!({"toolsListChanged": true})
    );
    let changed = "notifications/tools/list_changed";
    server.add_tool(tool("b")).unwrap();
    assert_eq!(peer.next().await["method"], changed);
    server.remove_tool("b");
    assert_eq!(peer.next().await["method"], changed);
    // None of these calls changes the tools.
    server.add_tool(tool("a")).unwrap_err();
    server.add_tool(tool("b c")).unwrap_err();
    server.remove_tool("b");
    let reply = peer.ask(&call("a", &json!({}))).await;
    assert_eq!(told(&reply), ("I am a.", false));
}

#[tokio::test]
async fn an_older_session_is_told_too() {
    let server = server(&[]);
    let (mut peer, _) = client(&server, Revision::V2025_11_25).await;
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    peer.peer().send(&initialized).await;
    reply_to(&mut peer, "ping", json!({})).await;
    server.add_tool(tool("a")).unwrap();
    let told = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    assert_eq!(peer.peer().next().await, told);
}

#[tokio::test]
async fn a_change_is_told_through_the_authors_own_bus_as_well() {
    let changes = Changes::new();
    let server = builder(&[])
        .dynamic_tools()
        .changes(changes.clone())
        .build()
        .unwrap();
    let mut peer = Peer::connect(&server);
    let filter = json!({"notifications": {"toolsListChanged": true}});
    peer.ask(&modern("l", "subscriptions/listen", filter)).await;
    changes.tools_changed();
    peer.next().await;
    server.add_tool(tool("a")).unwrap();
    assert_eq!(
        peer.next().await["method"],
        "notifications/tools/list_changed"
    );
}

#[test]
fn what_could_not_be_built_cannot_be_added() {
    async fn needy(State(_): State<u8>) {}
    let server = server(&["a"]);
    let refused = |tool| server.add_tool(tool).unwrap_err().to_string();
    for (tool, why) in [
        (tool("a"), "tool a is defined twice"),
        (
            tool("a b"),
            "tool a b needs a name of 1 to 128 of A-Z a-z 0-9 _ - . /",
        ),
        (
            Tool::new("needy", needy),
            "tool needy takes State<u8>, but no u8 was given to state()",
        ),
        (
            tool("s").input_schema("{"),
            "tool s has an input schema that is not JSON: EOF while parsing an object at line 1 column 1",
        ),
        (
            tool("s").input_schema("{}"),
            "tool s has an input schema whose type is not \"object\"",
        ),
    ] {
        assert_eq!(refused(tool), format!("it can't be added: {why}"));
    }
    let fixed = builder(&["a"]).build().unwrap();
    assert_eq!(
        fixed.add_tool(tool("b")).unwrap_err().to_string(),
        "it can't be added: tool b needs dynamic_tools(), which the server was built without"
    );
    assert!(!fixed.remove_tool("a"));
}

/// Lists the tools in pages of two, with a change after the first page. Returns their names.
async fn around(server: &Server, happening: impl FnOnce(&Server)) -> Vec<String> {
    let mut peer = client(server, Revision::LATEST).await.0;
    let (mut names, mut next) = page(&mut peer, None).await;
    happening(server);
    while let Some(cursor) = next {
        let (more, after) = page(&mut peer, Some(&cursor)).await;
        names.extend(more);
        next = after;
    }
    names
}

#[tokio::test]
async fn a_listing_goes_on_whatever_happens_and_says_nothing_twice() {
    let fresh = || server(&["d", "c", "b", "a"]);
    let happen = |change: fn(&Server)| async move { around(&fresh(), change).await };
    // The last listed tool is removed, alone or together with another one.
    assert_eq!(
        happen(|server| assert!(server.remove_tool("c"))).await,
        ["d", "c", "b", "a"]
    );
    assert_eq!(
        happen(|server| assert!(server.remove_tool("d") && server.remove_tool("c"))).await,
        ["d", "c", "b", "a"]
    );
    assert_eq!(
        happen(|server| assert!(server.remove_tool("b"))).await,
        ["d", "c", "a"]
    );
    assert_eq!(
        happen(|server| server.add_tool(tool("0")).unwrap()).await,
        ["d", "c", "b", "a", "0"]
    );
    let again = happen(|server| {
        assert!(server.remove_tool("d"));
        server.add_tool(tool("d")).unwrap();
    });
    assert_eq!(again.await, ["d", "c", "b", "a"]);
}

#[tokio::test]
async fn another_replica_continues_a_listing_though_it_has_other_tools() {
    let keys = || Keys::new([7; 32]);
    let replica = |names: &[&str]| builder(names).dynamic_tools().keys(keys()).build().unwrap();
    let (one, other) = (replica(&["b", "a"]), replica(&["b", "a"]));
    for name in ["x", "y", "z"] {
        one.add_tool(tool(name)).unwrap();
    }
    other.add_tool(tool("y")).unwrap();
    let mut peer = client(&one, Revision::LATEST).await.0;
    let (first, next) = page(&mut peer, None).await;
    let (second, next) = page(&mut peer, Some(&next.unwrap())).await;
    assert_eq!(
        (first.concat(), second.concat()),
        ("ba".to_owned(), "xy".to_owned())
    );
    let (third, end) = page(
        &mut client(&other, Revision::LATEST).await.0,
        Some(&next.unwrap()),
    )
    .await;
    assert_eq!((third, end), (vec![], None));
}

#[tokio::test]
async fn only_what_does_not_change_may_be_kept() {
    for (server, hint) in [
        (server(&["a"]), json!([0, "private"])),
        (builder(&["a"]).build().unwrap(), json!([300_000, "public"])),
    ] {
        let reply = Peer::connect(&server)
            .ask(&modern(1, "tools/list", json!({})))
            .await;
        let result = &reply["result"];
        assert_eq!(json!([result["ttlMs"], result["cacheScope"]]), hint);
    }
}

#[tokio::test]
async fn a_call_that_runs_ends_well_though_its_tool_is_removed() {
    let (started, mut has_started) = tokio::sync::mpsc::unbounded_channel::<()>();
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    let waiting = std::sync::Arc::clone(&gate);
    let slow = move || {
        let (started, gate) = (started.clone(), std::sync::Arc::clone(&waiting));
        async move {
            started.send(()).unwrap();
            gate.notified().await;
            "done"
        }
    };
    let server = server(&[]);
    server.add_tool(Tool::new("slow", slow)).unwrap();
    let mut peer = Peer::connect(&server);
    peer.send(&call("slow", &json!({}))).await;
    has_started.recv().await.unwrap();
    assert!(server.remove_tool("slow"));
    gate.notify_one();
    assert_eq!(told(&peer.next().await), ("done", false));
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_and_listings_see_one_state_each_while_tools_come_and_go() {
    let server = server(&["stays"]);
    let changing = {
        let server = server.clone();
        tokio::task::spawn_blocking(move || {
            for round in 0..2_000 {
                let name = format!("t{}", round % 7);
                server.add_tool(tool(&name)).unwrap();
                assert!(server.remove_tool(&name));
            }
        })
    };
    let mut peer = client(&server, Revision::LATEST).await.0;
    while !changing.is_finished() {
        let names = list(&mut peer).await;
        assert_eq!(names[0], "stays");
        assert!(names[1..].is_sorted_by(|one, next| one < next), "{names:?}");
        let reply: Value = peer.peer().ask(&call("t3", &json!({}))).await;
        match reply.get("error") {
            Some(error) => assert_eq!(error["message"], "Unknown tool: t3"),
            None => assert_eq!(told(&reply), ("I am t3.", false)),
        }
    }
    changing.await.unwrap();
    assert_eq!(list(&mut peer).await, ["stays"]);
}

async fn greet(Args(arguments): Args<Greet>) -> String {
    format!("Greet {}.", arguments.name)
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    name: String,
}

fn prompt(name: &str) -> Prompt {
    let names = async |typed: PartialArgument| typed.matching(["Ada", "Grace"]);
    Prompt::new(name, greet).complete("name", names)
}

/// Returns the names or URIs of everything that `method` lists.
async fn listed(peer: &mut Client, method: &str, member: &str, name: &str) -> Vec<String> {
    let (mut names, mut params) = (Vec::new(), json!({}));
    loop {
        let reply = reply_to(peer, method, params).await;
        let all = reply["result"][member].as_array().unwrap();
        names.extend(all.iter().map(|one| one[name].as_str().unwrap().to_owned()));
        match reply["result"].get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => return names,
        }
    }
}

#[tokio::test]
async fn prompts_come_and_go_with_what_completes_them() {
    let server = builder(&[])
        .prompt(prompt("z"))
        .dynamic_prompts()
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let (mut peer, capabilities) = client(&server, revision).await;
        assert_eq!(capabilities["prompts"], json!({"listChanged": true}));
        server.add_prompt(prompt("b")).unwrap();
        server.add_prompt(prompt("a")).unwrap();
        let all = listed(&mut peer, "prompts/list", "prompts", "name").await;
        assert_eq!(all, ["z", "a", "b"], "{revision}");
        let params = json!({"name": "a", "arguments": {"name": "Ada"}});
        let reply = reply_to(&mut peer, "prompts/get", params.clone()).await;
        assert_eq!(
            reply["result"]["messages"][0]["content"]["text"],
            "Greet Ada."
        );
        let completed = json!({"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "name", "value": "G"}});
        let reply = reply_to(&mut peer, "completion/complete", completed.clone()).await;
        assert_eq!(
            reply["result"]["completion"]["values"],
            json!(["Grace"]),
            "{revision}"
        );
        assert!(
            server.remove_prompt("a") && !server.remove_prompt("a") && server.remove_prompt("b")
        );
        for (method, params) in [("prompts/get", params), ("completion/complete", completed)] {
            let reply = reply_to(&mut peer, method, params).await;
            assert_eq!(
                reply["error"]["data"]["kind"], "unknown_prompt",
                "{revision}"
            );
        }
    }
}

#[tokio::test]
async fn resources_come_and_go() {
    let text = |uri: &str| Resource::new(uri, async || "content");
    let server = builder(&[])
        .resource(text("app://z"))
        .dynamic_resources()
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let (mut peer, capabilities) = client(&server, revision).await;
        assert_eq!(capabilities["resources"], json!({"listChanged": true}));
        for uri in ["app://b", "app://a", "app://c"] {
            server.add_resource(text(uri)).unwrap();
        }
        let all = listed(&mut peer, "resources/list", "resources", "uri").await;
        assert_eq!(
            all,
            ["app://z", "app://a", "app://b", "app://c"],
            "{revision}"
        );
        let reply = reply_to(&mut peer, "resources/read", json!({"uri": "app://a"})).await;
        assert_eq!(reply["result"]["contents"][0]["text"], "content");
        for uri in ["app://b", "app://a", "app://c"] {
            assert!(server.remove_resource(uri) && !server.remove_resource(uri));
        }
        let reply = reply_to(&mut peer, "resources/read", json!({"uri": "app://a"})).await;
        assert_eq!(
            reply["error"]["data"],
            json!({"uri": "app://a"}),
            "{revision}"
        );
    }
}

#[tokio::test]
async fn whoever_listens_is_told_of_prompts_and_resources_too() {
    let server = builder(&[])
        .dynamic_prompts()
        .dynamic_resources()
        .build()
        .unwrap();
    let mut peer = Peer::connect(&server);
    let filter =
        json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let asked = modern(
        "l",
        "subscriptions/listen",
        json!({"notifications": filter}),
    );
    let acknowledged = peer.ask(&asked).await;
    let told = json!({"promptsListChanged": true, "resourcesListChanged": true});
    assert_eq!(acknowledged["params"]["notifications"], told);
    server.add_prompt(prompt("a")).unwrap();
    assert_eq!(
        peer.next().await["method"],
        "notifications/prompts/list_changed"
    );
    server
        .add_resource(Resource::new("app://a", async || "x"))
        .unwrap();
    assert_eq!(
        peer.next().await["method"],
        "notifications/resources/list_changed"
    );
    server.remove_resource("app://a");
    assert_eq!(
        peer.next().await["method"],
        "notifications/resources/list_changed"
    );
    for (refused, why) in [
        (server.add_prompt(prompt("a")), "prompt a is defined twice"),
        (
            server.add_prompt(Prompt::new("", async || "x")),
            "prompt  needs a name of 1 to 128 bytes",
        ),
        (
            server.add_tool(tool("a")),
            "tool a needs dynamic_tools(), which the server was built without",
        ),
    ] {
        assert_eq!(
            refused.unwrap_err().to_string(),
            format!("it can't be added: {why}")
        );
    }
}
