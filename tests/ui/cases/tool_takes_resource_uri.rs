//! The URI of a resource is there for resources only.

use plainly::{ResourceUri, Tool};

async fn handler(uri: ResourceUri) -> String {
    uri.into()
}

fn main() {
    let _ = Tool::new("tool", handler);
}
