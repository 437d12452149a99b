//! scratch
use plainly::client::Client;
use plainly::protocol::types::*;
use serde_json::json;
#[tokio::main]
async fn main() {
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let url = std::env::args().last().unwrap();
    let sc = scenario.clone();
    let client = Client::http(url)
        .on_elicitation(move |form| {
            let sc = sc.clone();
            async move {
                eprintln!("asked {form:?}");
                let mut content = JsonObject::new();
                if sc.contains("defaults") {
                    for (name, field) in form.requested_schema.properties.iter() {
                        let v = serde_json::to_value(field).unwrap();
                        if let Some(d) = v.get("default") {
                            content.insert(name.to_owned(), d.clone());
                        }
                    }
                } else {
                    content.insert("confirmed".into(), json!(true));
                }
                ElicitResult::accept(content)
            }
        })
        .connect()
        .await
        .unwrap();
    eprintln!("speaks {}", client.revision());
    let tools = client.tools().await.unwrap();
    if sc_is(&scenario, "request-state") {
        let (a, b) = tokio::join!(
            client.call_tool("test_mrtr_echo_state", json!({})),
            client.call_tool("test_mrtr_unrelated", json!({}))
        );
        eprintln!("{a:?} {b:?}");
        for t in ["test_mrtr_no_state", "test_mrtr_no_result_type"] {
            eprintln!("{:?}", client.call_tool(t, json!({})).await);
        }
    } else {
        for tool in tools {
            if tool.name.contains("header") {
                continue;
            }
            eprintln!(
                "{:?}",
                client
                    .call_tool(
                        tool.name.clone(),
                        if tool.name.contains("add") {
                            json!({"a":5,"b":3})
                        } else {
                            json!({})
                        }
                    )
                    .await
            );
        }
    }
    client.close().await;
}
fn sc_is(s: &str, p: &str) -> bool {
    s.contains(p)
}
