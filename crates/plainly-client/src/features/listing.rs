//! Reads a page of a listing even if some of its entries can't be read.

use plainly_errors::Mistake;
use plainly_errors::mistake::quoted;
use plainly_protocol::method::Method;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::connect::Client;
use crate::error::Result;
use crate::error::mistakes;
use crate::features::pages::ListingPage;
use crate::link::CallExtras;
use crate::message::reply::RawResult;
use plainly_transport::EscapedText;

impl Client {
    /// A page of a listing, whose entries are under `key`. Unreadable entries are left out, and
    /// named in a warning in the log.
    pub(crate) async fn page<T: DeserializeOwned>(
        &self,
        method: Method,
        key: &str,
        params: &(impl Serialize + Sync),
    ) -> Result<ListingPage<T>> {
        self.check_declared(method)?;
        let result = self.result(method, params, CallExtras::default()).await?;
        result.check_final(method)?;
        let body = match result.body(method) {
            Ok(page) => page,
            Err(invalid) => readable(&result, method, key).ok_or(invalid)?,
        };
        let bytes = u64::try_from(result.json.len()).unwrap_or(u64::MAX);
        Ok(ListingPage {
            body,
            bytes,
            is_cached: result.is_cached,
        })
    }
}

/// The page without the entries that can't be read; `None` if the fault is elsewhere.
fn readable<T: DeserializeOwned>(result: &RawResult, method: Method, key: &str) -> Option<T> {
    let mut page: Map<String, Value> = serde_json::from_slice(&result.json).ok()?;
    let Value::Array(entries) = page.remove(key)? else {
        return None;
    };
    let mut good = Vec::new();
    for (at, entry) in entries.into_iter().enumerate() {
        // Reads the entry alone in a page, because there is no other way to learn which entry is
        // unreadable.
        let alone = Map::from_iter([(key.to_owned(), Value::Array(vec![entry.clone()]))]);
        let alone = Value::Object(alone).to_string();
        match serde_json::from_str::<T>(&alone) {
            Ok(_) => good.push(entry),
            Err(why) => {
                let mistakes = mistakes::in_result(method, alone.as_bytes(), &why);
                warn(method, key, at, &entry, mistakes);
            }
        }
    }
    page.insert(key.to_owned(), Value::Array(good));
    serde_json::from_value(Value::Object(page)).ok()
}

/// Warns that an entry is left out, and why.
fn warn(method: Method, key: &str, at: usize, entry: &Value, mut mistakes: Vec<Mistake>) {
    let name = ["name", "uri", "uriTemplate"].iter();
    let name = name.filter_map(|name| entry.get(name)?.as_str()).next();
    let name = name.map_or_else(
        || format!("item {} of its page", at + 1),
        |name| quoted(name).into_owned(),
    );
    // Removes the path to the entry, because its index in the page is another.
    let alone = format!("/{key}/0");
    for mistake in &mut mistakes {
        if let Some(inside) = mistake.path.strip_prefix(&alone) {
            mistake.path = inside.to_owned();
        }
    }
    let (method, why) = (method.name(), Mistake::list(&mistakes));
    let (name, why) = (EscapedText(&name), EscapedText(&why));
    tracing::warn!(method, %name, %why, "left out of the listing, as it can't be read");
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use plainly_protocol::types::ListToolsResult;
    use serde_json::json;

    use super::*;

    fn names(page: &Value) -> Option<Vec<String>> {
        let json = Bytes::from(page.to_string());
        let result = RawResult::read(Method::ListTools, json).unwrap();
        let page: ListToolsResult = readable(&result, Method::ListTools, "tools")?;
        Some(page.tools.into_iter().map(|tool| tool.name).collect())
    }

    #[test]
    fn the_entries_that_can_be_read_are_kept_in_their_order() {
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        let all = json!({"tools": [tool("a"), {"name": "b"}, 7, tool("c"), tool("d")]});
        assert_eq!(names(&all).unwrap(), ["a", "c", "d"]);
        assert_eq!(names(&json!({"tools": [{}]})).unwrap(), [""; 0]);
        assert!(names(&json!({"tools": {}})).is_none());
        assert!(names(&json!({"tools": [], "nextCursor": 7})).is_none());
    }
}
