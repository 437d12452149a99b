//! Memory: contents are only held after they were taken from the budget. A content that never fits
//! is rejected at once.

use plainly::protocol::part::Part;
use plainly::store::{
    Budget, ByteRange, LineIndexes, PartQuery, RangeQuery, Store, StoreError, read_part,
};

use crate::fixture::Fixture;

const KIB: usize = 1 << 10;

const LIMIT: u64 = 8 << 10;

fn small() -> Fixture {
    let large = format!("{}\n", "x".repeat(99)).repeat(KIB);
    Fixture::with(&[("large", &large), ("small", "one\ntwo\n")], |builder| {
        builder.writable(true).budget(Budget::new(LIMIT))
    })
}

#[test]
fn each_way_to_read_takes_memory_first() {
    let fixture = small();
    let store = &fixture.store;
    let refused = |error: StoreError| matches!(error, StoreError::TooLarge { limit: LIMIT, .. });
    assert!(refused(fixture.read("file:///docs/large").unwrap_err()));
    assert!(refused(fixture.read("file:///docs").unwrap_err()));
    let uri = "file:///docs/large";
    let range = |most| {
        let range = ByteRange::From { first: 0, most };
        fixture.block_on(store.read_range(RangeQuery::new(uri, range)))
    };
    assert!(refused(range(LIMIT + 1).unwrap_err()));
    assert_eq!(range(LIMIT).unwrap().bytes.len(), 8 * KIB);
    let lines = LineIndexes::default();
    for part in [
        Part::Lines {
            first: 500,
            last: Some(501),
        },
        Part::Tail(1),
    ] {
        let query = PartQuery::new(uri, part).lines(Some(&lines));
        let read = fixture.block_on(read_part(store, query));
        assert!(refused(read.unwrap_err()), "{part}");
    }
    assert_eq!(fixture.text("file:///docs/small"), "one\ntwo\n");
}

#[cfg(feature = "tools")]
#[test]
fn searches_edits_and_writes_take_memory_first() {
    use plainly::Revision;
    use serde_json::json;

    use crate::tools::Tools;

    let fixture = small();
    let mut tools = fixture.store.tools();
    tools.extend(fixture.store.write_tools().build());
    let tools = Tools::offering(&fixture, tools, Revision::LATEST);
    let uri = "file:///docs/small";
    let longer = "two".repeat(KIB);
    for (tool, arguments) in [
        ("search", json!({ "pattern": "one" })),
        ("search", json!({ "words": "one" })),
        (
            "write_resource",
            json!({ "uri": uri, "text": "x".repeat(9 * KIB) }),
        ),
        ("write_resource", json!({ "uri": uri, "text": longer })),
        (
            "edit_resource",
            json!({ "uri": uri, "edits": [{ "old": longer, "new": "" }] }),
        ),
    ] {
        let answer = tools.call(tool, arguments);
        let is_small_write = tool == "write_resource" && !answer.is_error;
        match is_small_write {
            true => assert_eq!(fixture.text(uri), longer),
            false => assert!(answer.text.contains("limit"), "{tool}: {}", answer.text),
        }
    }
    let edits = json!([{ "old": "one", "new": "1" }]);
    assert!(
        !tools
            .call("write_resource", json!({ "uri": uri, "text": "one" }))
            .is_error
    );
    assert!(
        !tools
            .call("edit_resource", json!({ "uri": uri, "edits": edits }))
            .is_error
    );
    assert_eq!(fixture.text(uri), "1");
}
