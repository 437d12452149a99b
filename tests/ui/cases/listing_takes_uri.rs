//! Nobody asked for one URI when resources are listed.

use plainly::protocol::types;
use plainly::{ResourceUri, ResourceTemplate};

async fn handler(uri: ResourceUri) -> Vec<types::Resource> {
    vec![types::Resource::new(uri.to_string(), "one")]
}

fn main() {
    let _ = ResourceTemplate::new("note://{id}", async || "x").list(handler);
}
