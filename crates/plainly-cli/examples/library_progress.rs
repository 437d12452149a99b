//! The library of the guide, which counts its books for a while.

use std::time::Duration;

use plainly::{Context, Progress, Server, TaskSupport, Tool};

async fn count(context: Context) -> String {
    for shelf in 1..=3 {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let progress = Progress::new(shelf).of(3);
        context
            .progress(progress.message(format!("shelf {shelf} of 3")))
            .await;
    }
    "There are 3 books.".to_owned()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let count = Tool::new("count", count)
        .description("Counts all books")
        .task(TaskSupport::Optional);
    let server = Server::builder("library", "1.0.0").tool(count).build()?;
    server.serve_stdio().await?;
    Ok(())
}
