//! A job that takes a long time. Clients that wait receive its progress. Clients that support tasks
//! receive a handle instead, request the result when they like, and can cancel the job.

use std::error::Error;
use std::time::Duration;

use plainly::limits::Limits;
use plainly::server::BuildErrors;
use plainly::{Args, Context, Progress, Server, TaskSupport, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

/// The deadline, which is longer than a page takes and shorter than a book.
const DEADLINE: Duration = Duration::from_secs(5);

#[derive(Deserialize, JsonSchema)]
struct Scan {
    /// The number of pages of the book.
    #[schemars(range(min = 1, max = 1000))]
    pages: u32,
}

/// Scans the book. The progress after each page extends the deadline for the next page.
async fn scan(context: Context, Args(Scan { pages }): Args<Scan>) -> String {
    for page in 1..=pages {
        sleep(Duration::from_secs(1)).await;
        let done = Progress::new(page).of(pages);
        context
            .progress(done.message(format!("page {page} of {pages}")))
            .await;
    }
    format!("{pages} pages are scanned.")
}

/// Builds the server, which is the same for every client.
pub(crate) fn server() -> Result<Server, BuildErrors> {
    let mut limits = Limits::default();
    limits.deadline = DEADLINE;
    let scan = Tool::new("scan", scan)
        .description("Scans a book, a page a second")
        .task(TaskSupport::Optional);
    Server::builder("scanner", env!("CARGO_PKG_VERSION"))
        .limits(limits)
        .tool(scan)
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Ok(server()?.serve_stdio().await?)
}
