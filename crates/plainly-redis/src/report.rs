//! The report about the primary for an operator.

use plainly_cluster::{EngineError, EngineReport};
use redis::{InfoDict, cmd};

use crate::Redis;
use crate::room;

const COLUMNS: [&str; 4] = ["SERVER", "COPIES", "MEMORY", "POLICY"];

pub(crate) async fn report(redis: &Redis) -> Result<EngineReport, EngineError> {
    let info = redis.connection.ask(true, &cmd("INFO")).await?;
    Ok(EngineReport::new(COLUMNS, vec![row(&info)]))
}

fn row(info: &InfoDict) -> Vec<String> {
    let text = |name| info.get::<String>(name).unwrap_or_default();
    // Valkey also reports the version of Redis that it is compatible with.
    let server = match info.get::<String>("valkey_version") {
        Some(version) => format!("valkey {version}"),
        None => format!("redis {}", text("redis_version")),
    };
    let (used, most) = (text("used_memory_human"), text("maxmemory_human"));
    let memory = match room::most(info) {
        0 => format!("{used}, without a limit"),
        _ => format!("{used} of {most}"),
    };
    let mark = |is_wrong| if is_wrong { "!" } else { "" };
    let policy = text("maxmemory_policy");
    vec![
        server,
        text("connected_slaves"),
        format!("{}{memory}", mark(room::is_full(info))),
        format!("{}{policy}", mark(room::removes(info))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_look_is_marked() {
        let alone = "redis_version:7.0.15\r\nconnected_slaves:0\r\nused_memory:900\r\nused_memory_human:900B\r\n\
                     maxmemory:0\r\nmaxmemory_human:0B\r\nmaxmemory_policy:allkeys-lru\r\n";
        let limited = "redis_version:7.2.4\r\nvalkey_version:9.1.2\r\nconnected_slaves:1\r\nused_memory:900\r\n\
                       used_memory_human:900B\r\nmaxmemory:1000\r\nmaxmemory_human:1000B\r\nmaxmemory_policy:allkeys-lru\r\n";
        let cells = [alone, limited].map(|info| row(&InfoDict::new(info)));
        let alone = ["redis 7.0.15", "0", "900B, without a limit", "allkeys-lru"];
        let limited = ["valkey 9.1.2", "1", "!900B of 1000B", "!allkeys-lru"];
        assert_eq!(cells, [alone, limited]);
    }
}
