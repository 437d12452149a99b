//! The report about the two streams for an operator.

use plainly_cluster::{EngineError, EngineReport};
use tokio::time::Duration;

use crate::Nats;
use crate::api::{self, Failure, Meaning, Reply};
use crate::connection::within;
use crate::streams::Kind;

const COLUMNS: [&str; 6] = ["STREAM", "COPIES", "LEADER", "BEHIND", "MESSAGES", "BYTES"];

/// The maximum time for one stream.
const TIME: Duration = Duration::from_secs(2);

pub(crate) async fn report(nats: &Nats) -> Result<EngineReport, EngineError> {
    let mut rows = Vec::new();
    for kind in [Kind::Records, Kind::Journals] {
        let name = nats.streams.name(kind);
        match api::info(&nats.connection, &name, within(TIME)).await {
            Ok(info) => rows.push(row(name, &info)),
            Err(Failure::Mistake(mistake)) if mistake.meaning() == Meaning::NoStream => {
                // The first replica that needs the stream creates it.
                rows.push(vec![name, "not made yet".to_owned()]);
            }
            Err(failure) => return Err(EngineError::Refused(failure.into())),
        }
    }
    Ok(EngineReport::new(COLUMNS, rows))
}

fn row(name: String, info: &Reply) -> Vec<String> {
    let (config, state) = (&info.config, &info.state);
    let followers = info.cluster.iter().flat_map(|group| &group.replicas);
    let current = followers
        .clone()
        .filter(|it| it.current && !it.offline)
        .count();
    let leader = info.cluster.as_ref().map(|group| group.leader.as_deref());
    let (leader, leads) = match leader {
        // A server without a cluster is the leader.
        None => ("alone".to_owned(), true),
        Some(Some(leader)) => (leader.to_owned(), true),
        Some(None) => ("none".to_owned(), false),
    };
    let copies = current + usize::from(leads);
    let behind = followers.map(|it| it.lag).max().unwrap_or(0);
    vec![
        name,
        marked(
            copies < config.num_replicas,
            format!("{copies}/{}", config.num_replicas),
        ),
        marked(!leads, leader),
        behind.to_string(),
        state.messages.to_string(),
        marked(
            info.is_nearly_full(),
            format!("{} of {}", size(state.bytes), size(config.max_bytes)),
        ),
    ]
}

/// The text, marked with `!` if it shows a problem.
fn marked(is_wrong: bool, text: String) -> String {
    match is_wrong {
        true => format!("!{text}"),
        false => text,
    }
}

/// A number of bytes in the largest unit that is not larger than it.
fn size(bytes: i64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let found = units.into_iter().find(|(_, shift)| bytes >> shift > 0);
    match found {
        Some((unit, shift)) => format!("{:.1} {unit}", bytes as f64 / f64::from(1_u32 << shift)),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reported(info: serde_json::Value) -> Vec<String> {
        let info: Reply = serde_json::from_value(info).unwrap();
        row("s".to_owned(), &info)
    }

    #[test]
    fn what_needs_a_look_is_marked() {
        let alone = json!({ "config": { "num_replicas": 1, "max_bytes": 1_000 }, "state": { "messages": 3, "bytes": 899 } });
        assert_eq!(
            reported(alone),
            ["s", "1/1", "alone", "0", "3", "899 B of 1000 B"]
        );
        let follower =
            |current: bool, lag: u32| json!({ "name": "n", "current": current, "lag": lag });
        let three = json!({
            "config": { "num_replicas": 3, "max_bytes": 1 << 30 },
            "state": { "messages": 3, "bytes": (1 << 30) - 1 },
            "cluster": { "leader": "n2", "replicas": [follower(true, 0), follower(false, 7)] },
        });
        assert_eq!(
            reported(three),
            ["s", "!2/3", "n2", "7", "3", "!1024.0 MiB of 1.0 GiB"]
        );
        let headless = json!({
            "config": { "num_replicas": 3 },
            "cluster": { "replicas": [follower(true, 0), follower(true, 0)] },
        });
        assert_eq!(reported(headless)[1..3], ["!2/3", "!none"]);
    }
}
