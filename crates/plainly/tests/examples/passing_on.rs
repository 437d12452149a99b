//! Answers from other servers: the example that forwards everything, and sources whose results are
//! plain JSON.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plainly::client::MetadataSource;
use plainly::errors::{InvalidRequest, Refusal, Unavailable};
use plainly::protocol::method::Method;
use plainly::protocol::peer::Peer;
use plainly::protocol::shape::Feature;
use plainly::protocol::types::{
    ElicitFormParams, JsonObject, ListCapability, RawJson, ResourcesCapability, ServerCapabilities,
    TextField,
};
use plainly::server::{Source, SourceRequest};
use plainly::{Client, Failure, ProtocolError, Revision, Server, Tool};
use plainly_peer::{Peer as RawClient, message};
use serde_json::{Value, json};
use tokio::sync::mpsc::unbounded_channel;

use self::example::passing_on;

#[path = "../../examples/passing_on.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

#[tokio::test]
async fn both_servers_answer_as_one_to_clients_of_every_revision() {
    for revision in Revision::ALL {
        let server = passing_on().await.unwrap();
        let client = Client::in_memory(&server).revision(revision);
        let client = client.connect().await.unwrap();
        let tools = client.tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["near", "greet", "count"], "{revision}");
        for (tool, arguments, text) in [
            ("near", json!({}), "from here"),
            ("greet", json!({"name": "Ada"}), "Hello, Ada!"),
        ] {
            let result = client.call_tool(tool, arguments).await.unwrap();
            assert!(
                format!("{result:?}").contains(text),
                "{revision} {result:?}"
            );
        }
        let failed = client
            .call_tool("greet", json!({"name": ""}))
            .await
            .unwrap();
        assert!(failed.is_tool_error(), "{revision} {failed:?}");
        let unknown = client.call_tool("nobody", ()).await.unwrap_err();
        assert!(unknown.is_invalid_params(), "{revision} {unknown}");
        let read = client.read("app://motd").await.unwrap();
        assert_eq!(read.text(), Some("Be kind."), "{revision}");
        for missing in ["app://gone", "app://nowhere"] {
            let error = client.read(missing).await.unwrap_err();
            assert!(error.is_resource_not_found(), "{revision} {error}");
        }
        assert!(client.capabilities().prompts.is_none(), "nobody has any");
    }
}

#[tokio::test]
async fn progress_of_the_other_server_is_passed_on() {
    for revision in Revision::ALL {
        let server = passing_on().await.unwrap();
        let client = client(&server, revision).await;
        let (report, mut reports) = unbounded_channel();
        let call = client.call_tool("count", ());
        let call = call.on_progress(move |update| report.send(update).unwrap());
        let result = call.await.unwrap();
        assert!(!result.is_tool_error(), "{revision} {result:?}");
        let mut steps = Vec::new();
        while let Some(update) = reports.recv().await {
            steps.push((update.done, update.total, update.message));
        }
        let step = |done| (done, Some(3.0), Some("counting".to_owned()));
        assert_eq!(steps, [step(1.0), step(2.0), step(3.0)], "{revision}");
    }
}

/// A source that answers with this JSON unchanged.
struct Fixed(&'static str);

impl Source for Fixed {
    fn capabilities(&self, _: &Peer) -> ServerCapabilities {
        ServerCapabilities::new().tools(ListCapability::new().list_changed(true))
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        let method = request.method();
        if method == Method::CallTool {
            let params: Value = request.params().decode()?;
            assert!(params.get("_meta").is_none(), "{params}");
            return Ok(RawJson::parse(self.0)?);
        }
        if method == Method::ListTools {
            let tool =
                json!({"name": format!("t{}", self.0.len()), "inputSchema": {"type": "object"}});
            return Ok(RawJson::encode(&json!({"tools": [tool]}))?);
        }
        Err(ProtocolError::method_not_found(method.name()).into())
    }
}

async fn client(server: &Server, revision: Revision) -> Client {
    let client = Client::in_memory(server).revision(revision);
    client.connect().await.unwrap()
}

#[tokio::test]
async fn what_nobody_has_a_type_for_arrives_as_it_was_sent() {
    const RESULT: &str =
        r#"{"z":{"b":1.50,"a":[1e2]},"content":[{"type":"hologram","x":0.10}],"isError":false}"#;
    let server = Server::builder("fixed", "1")
        .source(Fixed(RESULT))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let client = client(&server, revision).await;
        let params = RawJson::parse(r#"{"name":"any"}"#).unwrap();
        let result = client.forward(Method::CallTool, &params).await.unwrap();
        let members = RESULT.trim_matches(['{', '}']);
        assert!(
            result.get().contains(members),
            "{revision} {}",
            result.get()
        );
    }
}

#[tokio::test]
async fn a_server_over_a_source_names_itself() {
    const NAMED: &str = r#"{"content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"upstream","version":"1"},"com.example/note":1}}"#;
    let server = Server::builder("gateway", "2").source(Fixed(NAMED));
    let server = server.build().unwrap();
    let own = json!({"name": "gateway", "version": "2"});
    for revision in Revision::ALL {
        let client = client(&server, revision).await;
        let params = RawJson::parse(r#"{"name":"any"}"#).unwrap();
        let result = client.forward(Method::CallTool, &params).await.unwrap();
        let meta = &result.decode::<Value>().unwrap()["_meta"];
        let name = meta.get("io.modelcontextprotocol/serverInfo");
        assert_eq!(
            name,
            Some(&own).filter(|_| Feature::ServerInfo.is_in(revision))
        );
        assert_eq!(meta["com.example/note"], 1, "{revision}");
    }
}

#[tokio::test]
async fn sources_side_by_side_list_all_their_tools_and_announce_nothing_by_themselves() {
    let server = Server::builder("fixed", "1")
        .tool(Tool::new("own", async || "own"))
        .source(Fixed("{}"))
        .source(Fixed(r#"{"content":[]}"#))
        .build()
        .unwrap();
    for revision in Revision::ALL {
        let client = client(&server, revision).await;
        let tools = client.tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["own", "t2", "t14"], "{revision}");
        let declared = client.capabilities().tools.clone().unwrap();
        assert_ne!(declared.list_changed, Some(true), "{revision}");
        for cursor in ["7.", "x", "0.x", "1"] {
            let params = RawJson::encode(&json!({"cursor": cursor})).unwrap();
            let error = client
                .forward(Method::ListTools, &params)
                .await
                .unwrap_err();
            assert!(error.is_invalid_params(), "{revision} {cursor} {error}");
        }
    }
}

/// A source with two tools, one per page, until it ends.
#[derive(Clone)]
struct Paged(&'static str, Arc<AtomicBool>);

impl Paged {
    fn new(name: &'static str) -> Self {
        Self(name, Arc::new(AtomicBool::new(true)))
    }

    fn end(&self) {
        self.1.store(false, Ordering::Relaxed);
    }
}

impl Source for Paged {
    fn capabilities(&self, _: &Peer) -> ServerCapabilities {
        match self.1.load(Ordering::Relaxed) {
            true => ServerCapabilities::new().tools(ListCapability::new()),
            false => ServerCapabilities::new(),
        }
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        let params: Value = request.params().decode()?;
        let (page, next) = match params.get("cursor") {
            None => (1, Some("2")),
            Some(cursor) if cursor == "2" => (2, None),
            Some(other) => panic!("{other}"),
        };
        let tool = json!({"name": format!("{}{page}", self.0), "inputSchema": {"type": "object"}});
        let mut listed = json!({"tools": [tool]});
        if let Some(next) = next {
            listed["nextCursor"] = json!(next);
        }
        Ok(RawJson::encode(&listed)?)
    }
}

/// Returns the names of the tools on all pages after this cursor, and the cursor of each next page.
async fn pages(client: &mut RawClient, mut cursor: Option<Value>) -> (Vec<String>, Vec<Value>) {
    let (mut names, mut cursors) = (Vec::new(), Vec::new());
    loop {
        let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
        let reply = client.ask(message::modern(1, "tools/list", params)).await;
        let result = &reply["result"];
        for tool in result["tools"].as_array().unwrap() {
            names.push(tool["name"].as_str().unwrap().to_owned());
        }
        cursor = result.get("nextCursor").cloned();
        let Some(next) = &cursor else {
            return (names, cursors);
        };
        cursors.push(next.clone());
    }
}

#[tokio::test]
async fn a_listing_goes_on_with_what_is_left_when_a_source_has_no_tools_any_more() {
    // For each source that ends, the tools that the earlier cursors then lead to.
    for (ending, expected) in [
        (0, ["b1 b2", "b1 b2", "b1 b2", "b2"]),
        (1, ["a1 a2", "a2", "", ""]),
    ] {
        let sources = [Paged::new("a"), Paged::new("b")];
        let server = Server::builder("paged", "1").tool(Tool::new("own", async || "own"));
        let server = sources
            .iter()
            .cloned()
            .fold(server, |server, source| server.source(source));
        let mut client = RawClient::connect(&server.build().unwrap());
        let (names, cursors) = pages(&mut client, None).await;
        assert_eq!(names, ["own", "a1", "a2", "b1", "b2"]);
        sources[ending].end();
        let mut left = Vec::new();
        for cursor in cursors {
            left.push(pages(&mut client, Some(cursor)).await.0.join(" "));
        }
        assert_eq!(left, expected, "without {}", sources[ending].0);
    }
}

/// A source that asks the client before it answers.
struct Asking;

impl Source for Asking {
    fn capabilities(&self, _: &Peer) -> ServerCapabilities {
        ServerCapabilities::new().tools(ListCapability::new())
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        let form = ElicitFormParams::new("Who?").field("name", TextField::new());
        let answer = request.ask()?.elicit("who", form).await?;
        let name: Option<Value> = answer.accepted()?;
        let text = name.unwrap_or_default().to_string();
        Ok(RawJson::encode(
            &json!({"content": [{"type": "text", "text": text}]}),
        )?)
    }
}

#[tokio::test]
async fn a_source_asks_clients_of_every_revision_that_can_be_asked() {
    let server = Server::builder("asking", "1")
        .source(Asking)
        .build()
        .unwrap();
    for revision in [
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::V2026_07_28,
    ] {
        let client = Client::in_memory(&server)
            .revision(revision)
            .on_elicitation(async |_| {
                plainly::protocol::types::ElicitResult::accept(JsonObject::from_iter([(
                    "name",
                    json!("Ada"),
                )]))
            })
            .connect()
            .await
            .unwrap();
        let result = client.call_tool("any", ()).await.unwrap();
        assert!(
            format!("{result:?}").contains("Ada"),
            "{revision} {result:?}"
        );
    }
}

#[tokio::test]
async fn a_result_that_is_no_object_is_an_internal_error_and_the_next_request_is_served() {
    for wrong in ["[]", "1", "null"] {
        let server = Server::builder("wrong", "1")
            .source(Fixed(wrong))
            .build()
            .unwrap();
        let client = client(&server, Revision::LATEST).await;
        let error = client.call_tool("any", ()).await.unwrap_err();
        assert!(error.is_internal(), "{wrong} {error}");
        assert_eq!(client.tools().await.unwrap().len(), 1);
    }
}

/// A source whose resources are those of servers before SEP-2093, and which may fail with an error.
#[derive(Clone, Default)]
struct Older(Option<ProtocolError>);

impl Source for Older {
    fn capabilities(&self, _: &Peer) -> ServerCapabilities {
        ServerCapabilities::new().resources(ResourcesCapability::new())
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        if let Some(error) = &self.0 {
            return Err(error.clone().into());
        }
        let params: Value = request.params().decode()?;
        let uri = params["uri"].as_str().unwrap_or_default();
        let method = request.method();
        let answer = if method == Method::ListResources {
            let named = |uri: &str| json!({"uri": uri, "name": "N", "size": 2, "extra": 1.50});
            match params.get("cursor") {
                None => json!({"resources": [named("old:a")], "nextCursor": "2"}),
                Some(_) => {
                    json!({"resources": [named("old:b"), {"uri": "old:all", "name": "All", "isCollection": true}]})
                }
            }
        } else if method == Method::ReadResource {
            match uri {
                "old:all" | "old:empty" => json!({"contents": []}),
                "old:a" | "old:template/7" => {
                    json!({"contents": [{"uri": uri, "mimeType": "text/plain", "text": "hi"}]})
                }
                _ => return Err(ProtocolError::resource_not_found(uri).into()),
            }
        } else {
            return Err(ProtocolError::method_not_found(method.name()).into());
        };
        Ok(RawJson::encode(&answer)?)
    }
}

#[tokio::test]
async fn metadata_of_a_source_without_the_method_is_found_in_its_listing_and_contents() {
    let server = Server::builder("older", "1").source(Older::default());
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let client = client(&server, revision).await;
        for (uri, name, size) in [
            ("old:b", "N", Some(2)),
            ("old:template/7", "old:template/7", None),
        ] {
            let metadata = client.metadata(uri).await.unwrap();
            assert_eq!(metadata.source, MetadataSource::Direct, "{revision} {uri}");
            let resource = metadata.resource;
            assert_eq!((&*resource.name, resource.size), (name, size), "{revision}");
        }
        let missing = client.metadata("old:no").await.unwrap_err();
        assert!(missing.is_resource_not_found(), "{revision} {missing}");
    }
}

#[tokio::test]
async fn empty_contents_of_a_source_are_passed_on_of_collections_alone() {
    let server = Server::builder("older", "1").source(Older::default());
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let client = client(&server, revision).await;
        let read = client.read("old:all").await.unwrap();
        assert!(read.contents.is_empty(), "{revision}");
        let error = client.read("old:empty").await.unwrap_err();
        assert!(error.is_internal(), "{revision} {error}");
        assert!(
            error.to_string().contains("ambiguous"),
            "{revision} {error}"
        );
    }
}

#[tokio::test]
async fn what_a_source_hears_of_its_own_connection_is_an_internal_error_here() {
    let refused = InvalidRequest::Refused {
        refusal: Refusal::Unauthorized,
    };
    for error in [
        ProtocolError::from(InvalidRequest::SessionNotFound),
        refused.into(),
        Unavailable::Overloaded.into(),
        ProtocolError::unsupported_version(["2024-11-05"], "2026-07-28"),
        ProtocolError::header_mismatch("Mcp-Name"),
        ProtocolError::parse_error("no JSON"),
    ] {
        let server = Server::builder("older", "1").source(Older(Some(error.clone())));
        let server = server.build().unwrap();
        for revision in [Revision::V2025_11_25, Revision::LATEST] {
            let client = client(&server, revision).await;
            let passed_on = client.read("old:a").await.unwrap_err();
            assert!(passed_on.is_internal(), "{revision} {passed_on}");
            let said = passed_on.protocol().unwrap().message();
            assert_eq!(said, error.message(), "{revision}");
        }
    }
}
