//! What a server says unasked, as bytes: on a subscription, that it began, what has changed, and that it is over; and other
//! notifications.

use bytes::Bytes;
use plainly_protocol::meta::SUBSCRIPTION_ID;
use plainly_protocol::method::Method;
use plainly_protocol::types::{DetailedTask, SubscriptionFilter};
use serde::Serialize;

use super::changes::Topic;

/// The members of a notification's parameters, besides `_meta`.
#[derive(Serialize, Default)]
struct Members<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notifications: Option<&'a SubscriptionFilter>,
}

/// That the subscription of the request `id`, a JSON token, has begun, and what will be told.
pub(super) fn acknowledged(id: &str, notifications: &SubscriptionFilter) -> Bytes {
    let members = Members {
        notifications: Some(notifications),
        ..Members::default()
    };
    on_subscription(Method::Acknowledged, Some(id), &members)
}

/// That `topic` has changed: on the subscription of the request `id`, a JSON token, or in a session. Nothing of a task, of
/// which it takes more to tell.
pub(super) fn changed(topic: &Topic, id: Option<&str>) -> Option<Bytes> {
    let nothing = Members::default();
    Some(match topic {
        Topic::Tools => on_subscription(Method::ToolsChanged, id, &nothing),
        Topic::Prompts => on_subscription(Method::PromptsChanged, id, &nothing),
        Topic::Resources => on_subscription(Method::ResourcesChanged, id, &nothing),
        Topic::Resource(uri) => {
            let members = Members {
                uri: Some(uri),
                ..nothing
            };
            on_subscription(Method::ResourceUpdated, id, &members)
        }
        Topic::Task(_) => return None,
    })
}

/// What a task is by now: on the subscription of the request `id`, a JSON token.
pub(super) fn task_changed(task: &DetailedTask, id: Option<&str>) -> Bytes {
    on_subscription(Method::TaskChanged, id, task)
}

/// A notification with these parameters, on no subscription.
pub(super) fn notification(method: Method, params: &impl Serialize) -> serde_json::Result<Bytes> {
    let params = serde_json::to_string(params)?;
    let method = method.name();
    Ok(format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#).into())
}

fn on_subscription(method: Method, id: Option<&str>, members: &impl Serialize) -> Bytes {
    let mut out = format!(r#"{{"jsonrpc":"2.0","method":"{}""#, method.name());
    let members = serde_json::to_string(members).expect("what is told is JSON");
    // Without its braces.
    let members = members
        .get(1..members.len() - 1)
        .expect("a struct is an object");
    match id {
        Some(id) => {
            let comma = if members.is_empty() { "" } else { "," };
            out +=
                &format!(r#","params":{{"_meta":{{"{SUBSCRIPTION_ID}":{id}}}{comma}{members}}}"#);
        }
        None if members.is_empty() => {}
        None => out += &format!(r#","params":{{{members}}}"#),
    }
    out.push('}');
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_notice_as_it_is_written_for_either_era() {
        let resource = Topic::Resource("a:\"b\"".into());
        let cases = [
            (
                changed(&Topic::Tools, Some("1")).unwrap(),
                r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}"#,
            ),
            (
                changed(&Topic::Resources, None).unwrap(),
                r#"{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}"#,
            ),
            (
                changed(&resource, Some("\"x\"")).unwrap(),
                r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"x"},"uri":"a:\"b\""}}"#,
            ),
            (
                changed(&resource, None).unwrap(),
                r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:\"b\""}}"#,
            ),
            (
                task_changed(&DetailedTask::new("t", "c", None), Some("1")),
                r#"{"jsonrpc":"2.0","method":"notifications/tasks","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"c","ttlMs":null}}"#,
            ),
            (
                acknowledged("-7", &SubscriptionFilter::new().tools_list_changed(true)),
                r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":-7},"notifications":{"toolsListChanged":true}}}"#,
            ),
        ];
        for (written, expected) in cases {
            assert_eq!(written, expected);
        }
    }
}
