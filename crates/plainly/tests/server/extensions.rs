//! Extensions that plainly does not define (SEP-2133): those that a program declares, and those
//! that its clients declare.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::protocol::types::{ClientCapabilities, JsonObject};
use plainly::{Client, Context, Revision, Server, Tool};
use plainly_peer::message::text;
use serde_json::{Value, json};

const UI: &str = "io.modelcontextprotocol/ui";

async fn pages(context: Context) -> String {
    let settings = context.client_extension(UI);
    settings.map_or("none".to_owned(), Value::to_string)
}

fn server() -> Server {
    Server::builder("test", "1")
        .tool(Tool::new("pages", pages))
        .extension(UI, [("mimeTypes", json!(["text/html"]))])
        .extension("com.example/charts", JsonObject::new())
        .build()
        .unwrap()
}

#[tokio::test]
async fn declared_extensions_reach_clients_of_every_revision() {
    let expected = json!({UI: {"mimeTypes": ["text/html"]}, "com.example/charts": {}});
    for revision in Revision::ALL {
        for mut client in plainly_peer::Client::both(&server(), revision, json!({})).await {
            let has_extensions = !revision.traits().sessions;
            let capabilities = match has_extensions {
                true => {
                    client.ask("server/discover", json!({})).await["result"]["capabilities"].take()
                }
                false => client.opened["capabilities"].take(),
            };
            assert_eq!(capabilities["extensions"], expected, "{revision}");
            // In revisions without extensions, hosts look for them here.
            let elsewhere = (!has_extensions).then_some(&expected);
            assert_eq!(capabilities.get("experimental"), elsewhere, "{revision}");
        }
    }
    let client = Client::in_memory(&server()).connect().await.unwrap();
    assert!(client.capabilities().extension(UI).is_some());
}

#[tokio::test]
async fn a_handler_reads_what_the_client_declares() {
    let declared = json!({UI: {"theme": "dark"}});
    for revision in Revision::ALL {
        for (capabilities, expected) in [
            (json!({"extensions": declared}), r#"{"theme":"dark"}"#),
            (json!({"experimental": declared}), r#"{"theme":"dark"}"#),
            (json!({"extensions": {"com.example/other": {}}}), "none"),
            (json!({}), "none"),
        ] {
            for mut client in plainly_peer::Client::both(&server(), revision, capabilities).await {
                assert_eq!(text(&client.call("pages").await), expected, "{revision}");
            }
        }
    }
    let capabilities = ClientCapabilities::new().extensions(JsonObject::from([(UI, json!({}))]));
    let builder = Client::in_memory(&server()).capabilities(capabilities);
    let client = builder.connect().await.unwrap();
    let called = client.call_tool("pages", ()).await.unwrap();
    assert_eq!(called.content[0].as_text(), Some("{}"));
}

#[test]
fn a_name_that_is_not_the_programs_to_give_is_a_build_error() {
    let builder = Server::builder("test", "1")
        .extension("charts", JsonObject::new())
        .extension("io.modelcontextprotocol/tasks", JsonObject::new());
    let error = builder.build().unwrap_err().to_string();
    let expected = "the server can't be built: extension \"charts\" has no prefix: begin it with a \
                    domain of yours, as in com.example/name; extension \
                    \"io.modelcontextprotocol/tasks\" is declared by the server itself where it \
                    serves it: don't declare it";
    assert_eq!(error, expected);
}
