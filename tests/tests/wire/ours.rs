//! This client and this server in every revision: all messages of both are valid by the schema.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::client::{Change, Client};
use plainly::errors::{ProtocolError, Revision, UrlElicitation};
use plainly::protocol::types::{
    BooleanField, ChoiceField, ChoicesField, CompleteParams, Content, CreateMessageParams,
    CreateMessageResult, ElicitAction, ElicitFormParams, ElicitResult, JsonObject, LoggingLevel,
    MediaContent, NumberField, RawJson, Reference, Resource, Role, Root, SamplingContent,
    SamplingMessage, SubscriptionFilter, TextField,
};
use plainly::server::extract::{Ask, Progress};
use plainly::server::{ResourceTemplate, Server, Tool};
use plainly::{Context, Json};
use plainly_directory::DirectoryStore;
use plainly_tests::valid::overheard;
use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::prompts::greeting;

/// One content of each kind.
async fn everything() -> Vec<Content> {
    let link = Resource::new("app://motd", "motd").mime_type("text/plain");
    vec![
        Content::text("x"),
        Content::image(*b"abc", "image/png"),
        Content::audio(*b"abc", "audio/wav"),
        Content::resource_link(link),
    ]
}

async fn list() -> Json<Vec<u32>> {
    Json(vec![1, 2])
}

async fn anything() -> Json<Value> {
    Json(json!({"a": 1}))
}

async fn tells(context: Context) -> &'static str {
    let half = Progress::new(1).of(2).message("half");
    context.progress(half).await;
    context.log(LoggingLevel::Error, json!({"a": [1]})).await;
    context
        .log_from("disk", LoggingLevel::Alert, "it is full")
        .await;
    "told"
}

async fn visit() -> Result<String, ProtocolError> {
    let visit = UrlElicitation::new("v-1", "https://a.example/", "Sign in");
    Err(ProtocolError::url_elicitation_required([visit]))
}

/// Asks for all kinds of input at the same time.
async fn asks(ask: Ask) -> String {
    let form = ElicitFormParams::new("Which?")
        .field("text", TextField::new().default_value("x"))
        .optional("number", NumberField::integer().minimum(0))
        .field("yes", BooleanField::new().default_value(true))
        .field("one", ChoiceField::new([("a", "A"), ("b", "B")]))
        .optional("some", ChoicesField::new(["a", "b"]));
    let heard = SamplingContent::Audio(MediaContent::new(*b"abc", "audio/wav"));
    let messages = [
        SamplingMessage::user("x"),
        SamplingMessage::new(Role::User, [heard, SamplingContent::text("y")]),
    ];
    let (elicited, visited, sampled, roots) = tokio::join!(
        ask.elicit("form", form),
        ask.visit("visit", "https://a.example/", "Sign in"),
        ask.sample("sample", CreateMessageParams::new(messages, 10)),
        ask.roots("roots"),
    );
    let answered = [
        elicited.is_ok(),
        visited.is_ok(),
        sampled.is_ok(),
        roots.is_ok(),
    ];
    answered.map(|is_so| is_so.to_string()).join(" ")
}

fn server(directory: &tempfile::TempDir) -> Server {
    fs::write(directory.path().join("a.txt"), "A").unwrap();
    fs::write(directory.path().join("b.bin"), [0, 255]).unwrap();
    let store = DirectoryStore::builder().mount_as("docs", directory.path());
    let fixture = Fixture::build(|builder| {
        let builder = builder
            .store(store.build().unwrap())
            .prompt(greeting())
            .instructions("Ask.")
            .resource_template(ResourceTemplate::new("x://{id}", async || "x").name("x"));
        [
            Tool::new("everything", everything),
            Tool::new("list", list),
            Tool::new("anything", anything),
            Tool::new("tells", tells),
            Tool::new("visit", visit),
            Tool::new("asks", asks),
        ]
        .into_iter()
        .fold(builder, |builder, tool| builder.tool(tool))
    });
    fixture.server
}

async fn connect(directory: &tempfile::TempDir, revision: Revision) -> (Client, Arc<AtomicUsize>) {
    let logged = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&logged);
    let (reader, writer) = overheard(server(directory));
    let client = Client::over(reader, writer)
        .revision(revision)
        .on_visit(async |_| ElicitAction::Decline)
        .on_elicitation(async |_| {
            let content = [
                ("text", json!("x")),
                ("yes", json!(true)),
                ("one", json!("a")),
            ];
            ElicitResult::accept(JsonObject::from_iter(content))
        })
        .on_sampling(async |_| Ok(CreateMessageResult::new("m", [SamplingContent::text("x")])))
        .roots([Root::new("file:///a")])
        .on_log(LoggingLevel::Warning, move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        })
        .connect()
        .await
        .unwrap();
    (client, logged)
}

#[tokio::test]
async fn what_client_and_server_say_of_tools_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    for revision in Revision::ALL {
        let (client, logged) = connect(&directory, revision).await;
        assert!(client.tools().await.unwrap().len() > 5, "{revision}");
        let none = RawJson::parse("{}").unwrap();
        for tool in ["everything", "list", "anything", "panics", "fails"] {
            client.call_tool(tool, &none).await.unwrap();
        }
        // The call fails in every revision, and each writes the error in its own way.
        client.call_tool("visit", ()).await.ok();
        let told = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&told);
        let call = client.call_tool("tells", ());
        call.on_progress(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        })
        .await
        .unwrap();
        assert_eq!(told.load(Ordering::SeqCst), 1, "{revision}");
        assert_eq!(logged.load(Ordering::SeqCst), 2, "{revision}");
        assert!(client.call_tool("nope", ()).await.is_err());
        client.close().await;
    }
}

#[tokio::test]
async fn what_client_and_server_ask_each_other_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    for revision in Revision::ALL {
        let (client, _) = connect(&directory, revision).await;
        let result = client.call_tool("asks", ()).await.unwrap();
        let answered = match revision {
            Revision::V2024_11_05 | Revision::V2025_03_26 => "false false true true",
            Revision::V2025_06_18 => "true false true true",
            Revision::V2025_11_25 | Revision::V2026_07_28 => "true true true true",
        };
        assert_eq!(result.content, [Content::text(answered)], "{revision}");
        client.close().await;
    }
}

#[tokio::test]
async fn what_client_and_server_say_of_resources_and_prompts_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    for revision in Revision::ALL {
        let (client, _) = connect(&directory, revision).await;
        client.resources(None).await.unwrap();
        client.resources(Some("file:///docs")).await.unwrap();
        assert_eq!(client.resource_templates().await.unwrap().len(), 2);
        for uri in ["app://logo", "file:///docs", "file:///docs/b.bin", "x://1"] {
            client.read(uri).await.unwrap();
            client.metadata(uri).await.unwrap();
        }
        assert!(client.read("app://nowhere").await.is_err());
        assert!(!client.prompts().await.unwrap().is_empty());
        client.prompt("greet", [("name", "Ada")]).await.unwrap();
        assert!(client.prompt("greet", ()).await.is_err());
        let typed = CompleteParams::new(Reference::prompt("greet"), "name", "A");
        let typed = typed.arguments([("tone", "kind")]);
        let completed = client.complete(&typed).await.unwrap();
        assert_eq!(completed.values.first().unwrap(), "Ada");
        client.close().await;
    }
}

#[tokio::test]
async fn what_client_and_server_say_of_changes_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    for revision in Revision::ALL {
        let (client, _) = connect(&directory, revision).await;
        let filter = SubscriptionFilter::new()
            .resources_list_changed(true)
            .resource_subscriptions(["file:///docs/a.txt"]);
        let mut changes = client.listen(filter).await.unwrap();
        let text = revision.as_str().repeat(7);
        fs::write(directory.path().join("a.txt"), text).unwrap();
        loop {
            let change = crate::within(changes.next()).await.unwrap().unwrap();
            if matches!(change, Change::Resource(_)) {
                break;
            }
        }
        drop(changes);
        client.close().await;
    }
}
