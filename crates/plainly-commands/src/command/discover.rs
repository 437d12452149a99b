//! `plainly discover`: the name, the revisions and the features of a server.

use plainly::client::Client;
use plainly::errors::Revision;
use serde_json::{Map, Value, json};

use crate::args::DiscoverArgs;
use crate::connection::with_client;
use crate::failure::Failure;
use crate::output::Output;

pub(crate) async fn run(mut args: DiscoverArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    with_client(server, args.server, async |client| {
        print(client, &mut output)
    })
    .await
}

fn print(client: &Client, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        output.json(&json!({
            "revision": client.revision().as_str(),
            "supportedVersions": client.supported_versions(),
            "serverInfo": client.server(),
            "capabilities": client.capabilities(),
            "instructions": client.instructions(),
        }))?;
        return output.flush();
    }
    let capabilities = match serde_json::to_value(client.capabilities()) {
        Ok(Value::Object(capabilities)) => capabilities,
        Ok(_) | Err(_) => Map::new(),
    };
    let server = client.server();
    let identity = server.map_or_else(
        || "-".to_owned(),
        |server| format!("{} {}", server.name, server.version),
    );
    output.facts([
        ("server", Some(identity)),
        ("title", server.and_then(|server| server.title.clone())),
        (
            "description",
            server.and_then(|server| server.description.clone()),
        ),
        (
            "website",
            server.and_then(|server| server.website_url.clone()),
        ),
        ("revision", Some(client.revision().to_string())),
        ("supported", Some(supported(client))),
    ])?;
    output.paragraphs("capabilities", &named(&capabilities))?;
    if let Some(instructions) = client.instructions() {
        output.paragraphs("instructions", instructions.trim())?;
    }
    output.flush()
}

/// The versions that the server lists as supported. A modern server need not list those that a
/// handshake agrees on.
fn supported(client: &Client) -> String {
    let versions = client.supported_versions();
    let mut known = versions.iter().filter_map(|version| version.parse().ok());
    let has_sessions = |revision: Revision| revision.traits().sessions;
    let of_what = if has_sessions(client.revision()) || known.any(has_sessions) {
        ""
    } else {
        " (modern revisions)"
    };
    versions.join(", ") + of_what
}

/// Capabilities by name, each with its enabled settings or contents: `resources (subscribe),
/// extensions (dev.plainly/resources)`.
fn named(capabilities: &Map<String, Value>) -> String {
    let name = |(name, details): (&String, &Value)| {
        let on: Vec<&str> = details
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, value)| **value != Value::Bool(false))
            .map(|(key, _)| key.as_str())
            .collect();
        if on.is_empty() {
            name.clone()
        } else {
            format!("{name} ({})", on.join(", "))
        }
    };
    match capabilities.is_empty() {
        true => "none".to_owned(),
        false => capabilities.iter().map(name).collect::<Vec<_>>().join(", "),
    }
}
