//! Resources from a database: books on shelves, in SQLite. Each shelf is a collection. Listings
//! continue where the last page ended, however many books there are, and any process with the same
//! database can serve the next page.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use plainly::Server;
use plainly::protocol::types::{Resource, ResourceContents};
use plainly::server::BuildErrors;
use plainly::store::{ListQuery, Page, Store, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};

/// The table of shelves and books. A shelf is the row with number 0, so that everything is in one
/// table and in one order.
const SCHEMA: &str = "
    CREATE TABLE book (shelf TEXT NOT NULL, number INTEGER NOT NULL, title TEXT NOT NULL, text TEXT,
                       PRIMARY KEY (shelf, number));
    INSERT INTO book VALUES
        ('essays', 0, 'Essays', NULL),
        ('essays', 1, 'On Plainness', 'Say what went wrong.'),
        ('verse', 0, 'Verse', NULL),
        ('verse', 1, 'Rain', 'It rains.'),
        ('verse', 2, 'Sun', 'It shines.');";
const COLUMNS: &str = "shelf, number, title, length(CAST(text AS BLOB))";

/// Books on shelves: `book://SHELF` and `book://SHELF/NUMBER`.
#[derive(Clone, Debug)]
struct Books(Arc<Mutex<Connection>>);

impl Books {
    /// Queries the database on a thread of its own, because a query may block.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let database = Arc::clone(&self.0);
        let asking = move || {
            let database = database.lock().unwrap_or_else(PoisonError::into_inner);
            question(&database)
        };
        let answer = tokio::task::spawn_blocking(asking).await;
        answer.map_err(failed)?.map_err(failed)
    }
}

fn failed(error: impl Error + Send + Sync + 'static) -> StoreError {
    StoreError::Failed(error.into())
}

/// Returns the row that a URI names.
fn key(uri: &str) -> Result<(String, i64), StoreError> {
    let path = uri.strip_prefix("book://").ok_or(StoreError::NotFound)?;
    match path.split_once('/') {
        None => Ok((path.to_owned(), 0)),
        Some((shelf, number)) => {
            let number = number.parse().map_err(|_| StoreError::NotFound)?;
            Some((shelf.to_owned(), number))
                .filter(|(_, number)| *number > 0)
                .ok_or(StoreError::NotFound)
        }
    }
}

fn resource(row: &Row<'_>) -> rusqlite::Result<Resource> {
    let (shelf, number): (String, i64) = (row.get(0)?, row.get(1)?);
    let (title, bytes): (String, Option<u32>) = (row.get(2)?, row.get(3)?);
    Ok(match bytes {
        Some(bytes) => Resource::new(format!("book://{shelf}/{number}"), title)
            .mime_type("text/plain")
            .size(bytes.into())
            .is_collection(false),
        None => Resource::new(format!("book://{shelf}"), title).is_collection(true),
    })
}

impl Store for Books {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("book://")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let within = query.parent.map(key).transpose()?;
        if matches!(within, Some((_, 1..))) {
            return Err(StoreError::NotACollection);
        }
        if let Some(parent) = query.parent {
            self.metadata(parent).await?;
        }
        let after = query
            .after
            .map(key)
            .transpose()
            .map_err(|_| StoreError::InvalidCursor)?;
        // The books of a shelf come after the shelf itself.
        let after = after.or(within.clone()).unwrap_or_default();
        let limit = query.limit;
        let mut found = self
            .ask(move |database| {
                let mut statement = database.prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM book WHERE (shelf, number) > (?1, ?2) AND (?3 IS NULL OR shelf = ?3)
                     ORDER BY shelf, number LIMIT ?4"
                ))?;
                let (shelf, number) = after;
                let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
                let only = within.map(|(shelf, _)| shelf);
                statement.query_map(params![shelf, number, only, most], resource)?.collect::<Result<Vec<_>, _>>()
            })
            .await?;
        let is_more = found.len() > limit;
        found.truncate(limit);
        let next = found
            .last()
            .filter(|_| is_more)
            .map(|last| last.uri.clone());
        Ok(Page::new(found, next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let (shelf, number) = key(uri)?;
        let found = self.ask(move |database| {
            let question = format!("SELECT {COLUMNS} FROM book WHERE shelf = ?1 AND number = ?2");
            database
                .query_row(&question, params![shelf, number], resource)
                .optional()
        });
        found.await?.ok_or(StoreError::NotFound)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let (shelf, number) = key(uri)?;
        self.metadata(uri).await?;
        self.ask(move |database| {
            let mut statement = database.prepare_cached(&format!(
                "SELECT {COLUMNS}, text FROM book WHERE shelf = ?1 AND (?2 = 0 OR number = ?2) AND text IS NOT NULL
                 ORDER BY number LIMIT 100"
            ))?;
            let book = |row: &Row<'_>| {
                Ok(ResourceContents::new(resource(row)?, row.get::<_, String>(4)?))
            };
            statement.query_map(params![shelf, number], book)?.collect()
        })
        .await
    }
}

/// Builds the server, which is the same for every client.
pub(crate) fn server() -> Result<Server, Box<dyn Error>> {
    let database = Connection::open_in_memory()?;
    database.execute_batch(SCHEMA)?;
    Ok(serve(database)?)
}

pub(crate) fn serve(database: Connection) -> Result<Server, BuildErrors> {
    let books = Books(Arc::new(Mutex::new(database)));
    Server::builder("books", env!("CARGO_PKG_VERSION"))
        .store(books)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    Ok(server()?.serve_stdio().await?)
}
