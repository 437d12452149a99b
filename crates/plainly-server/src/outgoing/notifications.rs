//! Encodes the notifications of a server: those of a subscription, and all others.

use std::collections::BTreeMap;

use bytes::Bytes;
use plainly_protocol::meta::SUBSCRIPTION_ID;
use plainly_protocol::method::Method;
use plainly_protocol::types::{DetailedTask, SubscriptionFilter};
use plainly_protocol::writer::ObjectWriter;
use serde::Serialize;

use crate::changes::Topic;

/// Acknowledges the subscription of the request `id`, a JSON token, which will get these
/// notifications.
pub(crate) fn acknowledged(id: &str, notifications: &SubscriptionFilter) -> Bytes {
    let members = BTreeMap::from([("notifications", notifications)]);
    on_subscription(Method::Acknowledged, Some(id), Some(&members))
}

/// Reports that `topic` has changed, on the subscription of the request `id`, a JSON token, or in a
/// session. `None` for a task, whose notification contains its whole state ([`task_changed`]).
pub(crate) fn changed(topic: &Topic, id: Option<&str>) -> Option<Bytes> {
    let (method, uri) = match topic {
        Topic::Tools => (Method::ToolsChanged, None),
        Topic::Prompts => (Method::PromptsChanged, None),
        Topic::Resources => (Method::ResourcesChanged, None),
        Topic::Resource(uri) | Topic::Below(uri) => (Method::ResourceUpdated, Some(uri)),
        Topic::Task(_) => return None,
    };
    let members = uri.map(|uri| BTreeMap::from([("uri", &**uri)]));
    Some(on_subscription(method, id, members.as_ref()))
}

/// Reports the state of a task on the subscription of the request `id`, a JSON token.
pub(crate) fn task_changed(task: &DetailedTask, id: Option<&str>) -> Bytes {
    on_subscription(Method::TaskChanged, id, Some(task))
}

/// A notification with these parameters that belongs to no subscription.
pub(crate) fn notification(method: Method, params: &impl Serialize) -> serde_json::Result<Bytes> {
    let mut out = Vec::new();
    let mut notification = opened(&mut out, method);
    notification.member("params", params)?;
    notification.close();
    Ok(out.into())
}

fn on_subscription(method: Method, id: Option<&str>, members: Option<&impl Serialize>) -> Bytes {
    let mut out = Vec::new();
    let mut notification = opened(&mut out, method);
    if id.is_some() || members.is_some() {
        let mut params = notification.object("params");
        if let Some(id) = id {
            let mut meta = params.object("_meta");
            meta.raw_member(SUBSCRIPTION_ID, id);
            meta.close();
        }
        params.members(&members).expect("what is told is JSON");
        params.close();
    }
    notification.close();
    out.into()
}

fn opened(out: &mut Vec<u8>, method: Method) -> ObjectWriter<'_> {
    let mut notification = ObjectWriter::open(out);
    notification.raw_member("jsonrpc", r#""2.0""#);
    notification
        .member("method", method.name())
        .expect("a name is JSON");
    notification
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_notification_as_it_is_written_for_either_era() {
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
