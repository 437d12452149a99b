//! The page on which hosts show the files (MCP Apps), and the tool that opens it. The page reads
//! files with the tools of the server, through the host, so it has no more access than a model.

use plainly::protocol::types::Content;
use plainly::server::reply::{Json, StructuredOutput};
use plainly::server::{App, Tool};
use plainly::store::{Store, StoreError};
use plainly::{Args, Problem, schemars};
use plainly_directory::DirectoryStore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const PAGE: &str = "ui://plainly/files";

/// The tools that the page calls.
pub(super) const TOOLS: [&str; 2] = ["search", "read_resource"];

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "plainly::schemars")]
#[serde(deny_unknown_fields)]
struct BrowseArgs {
    /// URI of the file or directory to begin with; without it, everything.
    uri: Option<String>,
}

/// The entry that the page shows first; everything without a URI.
#[derive(Serialize, JsonSchema)]
#[schemars(crate = "plainly::schemars")]
#[serde(rename_all = "camelCase")]
struct First {
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    is_collection: bool,
}

pub(super) fn page() -> App {
    App::new(PAGE, include_str!("app.html")).title("Files")
}

/// The tool that opens the page.
pub(super) fn tool(store: &DirectoryStore) -> Tool {
    let store = store.clone();
    Tool::new("browse", move |Args(args): Args<BrowseArgs>| {
        browse(store.clone(), args)
    })
    .title("Browse files")
    .description("Shows files to the user, on a page to list, read and search them.")
    .read_only()
    .app(PAGE)
}

async fn browse(
    store: DirectoryStore,
    BrowseArgs { uri }: BrowseArgs,
) -> Result<StructuredOutput<First>, Problem> {
    let first = match uri {
        Some(uri) => {
            let resource = store.metadata(&uri).await;
            let resource = resource.map_err(|error| unread(&uri, error))?;
            First {
                uri: Some(resource.uri),
                is_collection: resource.is_collection == Some(true),
            }
        }
        None => First {
            uri: None,
            is_collection: true,
        },
    };
    let told = Content::text("The page is open, if the host supports MCP Apps.");
    Ok(Json(first).content([told]))
}

fn unread(uri: &str, error: StoreError) -> Problem {
    let is_missing = matches!(error, StoreError::NotFound | StoreError::InvalidUri { .. });
    if is_missing {
        return Problem::not_found("resource", uri).suggest("Use a URI exactly as it is listed.");
    }
    Problem::internal("The resource could not be read.").with_source(error)
}
