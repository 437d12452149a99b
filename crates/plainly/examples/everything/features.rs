//! The features, in one file per kind.

mod asking;
mod forms;
mod media;
mod prompts;
mod resources;
mod schemas;
mod tasks;
mod telling;
mod tools;

use plainly::server::{Changes, ServerBuilder};

/// Adds all features.
pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    let changes = Changes::new();
    let server = server.state(changes.clone()).changes(changes);
    let server = tools::add(server);
    let server = telling::add(server);
    let server = schemas::add(server);
    let server = tasks::add(server);
    let server = asking::add(server);
    let server = forms::add(server);
    let server = resources::add(server);
    prompts::add(server)
}
