//! The size of definitions and results in the context of a model.

use plainly::Revision;
use serde_json::json;

use super::Tools;
use crate::fixture::Fixture;

/// The maximum size of the definitions of all tools, in bytes.
const DEFINITIONS: usize = 8_000;

/// The maximum size of 200 entries, in bytes.
const LISTING: usize = 20_000;

#[test]
fn definitions_and_listings_are_short() {
    let names: Vec<String> = (0..200).map(|n| format!("minutes of {n:06}.md")).collect();
    let text = "x".repeat(12_345);
    let files: Vec<_> = names.iter().map(|name| (&**name, &*text)).collect();
    let fixture = Fixture::new(&files);
    for revision in [Revision::V2026_07_28, Revision::V2025_06_18] {
        let tools = Tools::speaking(&fixture, revision);
        let listed = fixture.block_on(tools.client.tools()).unwrap();
        let bytes = json!(listed).to_string().len();
        assert!(bytes <= DEFINITIONS, "{revision}: {bytes}");
        for sort in ["name", "size", "modified"] {
            let answer = tools.call("list_resources", json!({"uri": "docs", "sort": sort}));
            let bytes = json!(answer.result).to_string().len();
            assert!(bytes <= LISTING, "{revision} {sort}: {bytes}");
            assert!(answer.text.contains("200 files"), "{}", answer.text);
        }
    }
}

#[test]
fn few_resources_are_links_too() {
    let names: Vec<String> = (0..21).map(|n| format!("{n:02}")).collect();
    let files: Vec<_> = names.iter().map(|name| (&**name, "x")).collect();
    let fixture = Fixture::new(&files);
    let tools = Tools::of(&fixture);
    for (limit, links) in [(20, 20), (21, 0)] {
        for (tool, arguments) in [
            ("list_resources", json!({"uri": "docs", "limit": limit})),
            ("search", json!({"pattern": "x", "limit": limit})),
            ("search", json!({"glob": "*", "limit": limit})),
        ] {
            let answer = tools.call(tool, arguments);
            assert_eq!(answer.links().len(), links, "{tool} {limit}");
        }
    }
}
