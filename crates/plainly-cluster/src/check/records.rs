//! The rules of records.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;

use super::{Report, until};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::records::StoredRecord;

const HOUR: Duration = Duration::from_secs(3_600);

pub(super) async fn check(report: &mut Report, name: &str, one: &impl Engine, other: &impl Engine) {
    let [first, second] = ["first", "second"].map(Bytes::from);
    let read = report.done(one.get(name).await, "a read of nothing");
    report.rule(read.is_none_or(|read| read.is_none()), "nothing is nothing");
    let put = one.put(name, first.clone(), None, HOUR).await;
    let version = report.done(put, "a first write").flatten();
    report.rule(version.is_some(), "a first write over nothing is made");
    for (over, why) in [
        (None, "a write over nothing is not made over a record"),
        (
            version.map(|version| version + 1),
            "a write over another version is not made",
        ),
    ] {
        let put = other.put(name, second.clone(), over, HOUR).await;
        let put = report.done(put, why);
        report.rule(put.flatten().is_none(), why);
    }
    let mut latest = version;
    // The replicas write in turn, and every read must return the last write.
    for round in 0..20_u8 {
        let value = Bytes::from(vec![round]);
        let put = other.put(name, value.clone(), latest, HOUR).await;
        let written = report
            .done(put, "a write over the latest version")
            .flatten();
        report.rule(
            written > latest,
            "a write over the latest version is made, and its version is greater",
        );
        latest = written;
        let read = report.done(one.get(name).await, "a read").flatten();
        let expected = written.map(|version| StoredRecord::new(value, version));
        report.rule(read == expected, "a read returns the last write");
    }
    at_once(report, name, one, other, latest).await;
    expiry(report, name, one, other).await;
    sizes(report, name, one, other).await;
}

async fn at_once(
    report: &mut Report,
    name: &str,
    one: &impl Engine,
    other: &impl Engine,
    latest: Option<u64>,
) {
    let writes = (0..8).map(|_| one.put(name, "one".into(), latest, HOUR));
    let others = (0..8).map(|_| other.put(name, "other".into(), latest, HOUR));
    let (made, by_others) = tokio::join!(join_all(writes), join_all(others));
    let made = made.into_iter().chain(by_others);
    let made = made.filter_map(|put| report.done(put, "one of many writes").flatten());
    let count = made.count();
    report.rule(count == 1, "of many writes over one version one is made");
}

async fn expiry(report: &mut Report, name: &str, one: &impl Engine, other: &impl Engine) {
    let name = format!("{name}.brief");
    let put = one.put(&name, "long".into(), None, HOUR).await;
    let long = report.done(put, "a write").flatten();
    let put = one.put(&name, "brief".into(), long, Duration::from_secs(1));
    let before = report.done(put.await, "a write").flatten();
    let is_gone = until(async || matches!(other.get(&name).await, Ok(None)));
    report.rule(is_gone.await, "a record that replaces another expires");
    let put = other.put(&name, "again".into(), None, HOUR).await;
    let after = report.done(put, "a write over what has expired").flatten();
    report.rule(
        after > before,
        "a record that has expired is written over nothing, and its version is greater",
    );
}

async fn sizes(report: &mut Report, name: &str, one: &impl Engine, other: &impl Engine) {
    let name = format!("{name}.large");
    let most = one.max_value();
    for size in [0, most] {
        let value = Bytes::from(vec![b'x'; size]);
        let key = format!("{name}.{size}");
        let put = one.put(&key, value.clone(), None, HOUR).await;
        let _version = report.done(put, &format!("a write of {size} bytes"));
        let read = report.done(other.get(&key).await, "a read").flatten();
        report.rule(
            read.is_some_and(|read| read.value == value),
            format!("{size} bytes come back as they were"),
        );
    }
    let too_large = Bytes::from(vec![b'x'; most + 1]);
    let put = one.put(&name, too_large, None, HOUR).await;
    report.rule(
        matches!(put, Err(EngineError::TooLarge)),
        "a value beyond the largest size is too large",
    );
}
