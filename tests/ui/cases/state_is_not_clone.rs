//! Every call gets its own clone of the state.

use plainly::{Server, State, Tool};

struct Notes;

async fn handler(State(_): State<Notes>) -> String {
    String::new()
}

fn main() {
    let _ = Tool::new("tool", handler);
    let _ = Server::builder("server", "1").state(Notes);
}
