//! The largest or latest resources of a collection of any size, with the tool `list_resources`.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::Duration;

use plainly::protocol::types::{Annotations, Content, Resource, ResourceContents};
use plainly::store::tools::StoreTools;
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Client, Server};
use serde_json::{Value, json};

/// A store with so many resources, each larger and later than the previous ones. Each page takes a
/// while.
#[derive(Clone, Copy, Debug)]
struct Growing {
    count: u64,
    page_takes: Duration,
}

impl Store for Growing {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("n://")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        if !self.page_takes.is_zero() {
            tokio::time::sleep(self.page_takes).await;
        }
        let start: u64 = query.after.map_or(0, |after| after.parse().unwrap());
        let end = self.count.min(start + query.limit as u64);
        let page = (start..end).map(|number| {
            let time = format!("2026-01-01T{number:09}Z");
            Resource::new(format!("n://all/{number}"), number.to_string())
                .size(number)
                .annotations(Annotations::new().last_modified(time))
                .is_collection(false)
        });
        Ok(Page::new(
            page.collect::<Vec<_>>(),
            (end < self.count).then(|| end.to_string()),
        ))
    }

    async fn metadata(&self, _: &str) -> Result<Resource, StoreError> {
        Err(StoreError::NotFound)
    }

    async fn read(&self, _: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Err(StoreError::NotFound)
    }
}

/// Returns the text and the structured output of a listing in this order.
async fn listed(store: Growing, sort: &str, limit: u64) -> (String, Value) {
    let server = Server::builder("growing", "1").tools(StoreTools::new(store).build());
    let (reader, writer) = plainly_peer::served(&server.build().unwrap());
    let client = Client::over(reader, writer).connect().await.unwrap();
    let arguments = json!({"sort": sort, "limit": limit});
    let result = client.call_tool("list_resources", arguments).await.unwrap();
    let structured = result.structured_content.as_ref();
    let structured = structured.map_or(Value::Null, |json| json.decode().unwrap());
    let Content::Text(text) = &result.content[0] else {
        panic!("{:?}", result.content);
    };
    (text.text.clone(), structured)
}

#[tokio::test]
async fn the_last_of_any_number_may_come_first() {
    for (count, sort) in [
        (12_001, "modified"),
        (12_001, "size"),
        (200_000, "modified"),
    ] {
        let page_takes = Duration::ZERO;
        let (text, structured) = listed(Growing { count, page_takes }, sort, 3).await;
        let paths: Vec<_> = (1..=3).map(|n| (count - n).to_string()).collect();
        let resources = structured["resources"].as_array().unwrap().iter();
        let shown: Vec<_> = resources.map(|one| one["path"].as_str().unwrap()).collect();
        assert_eq!(shown, paths, "{count} {sort}");
        let note = format!("{} more are left out: raise limit", count - 3);
        assert!(text.contains(&note), "{text}");
        assert_eq!(structured["truncated"], true);
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_that_takes_too_long_ends_with_what_was_seen() {
    let page_takes = Duration::from_millis(700);
    let count = 100_000;
    let (text, structured) = listed(Growing { count, page_takes }, "size", 1).await;
    // The time limit of 20 seconds is enough for 28 pages with a thousand resources each.
    assert_eq!(structured["resources"][0]["path"], "27999");
    let note = structured["note"].as_str().unwrap();
    assert!(
        note.starts_with("The time was up after 28000 entries"),
        "{note}"
    );
    assert!(text.ends_with(note), "{text}");

    let page_takes = Duration::from_secs(30);
    let (text, _) = listed(Growing { count, page_takes }, "size", 1).await;
    assert!(text.contains("Leave out sort"), "{text}");
}
