//! Nobody asked for one URI when resources are listed.

use plainly::protocol::types;
use plainly::{ResourceUri, Template};

async fn handler(uri: ResourceUri) -> Vec<types::Resource> {
    vec![types::Resource::new(uri.to_string(), "one")]
}

fn main() {
    let _ = Template::new("note://{id}", async || "x").list(handler);
}
