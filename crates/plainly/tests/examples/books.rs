//! The example of resources from a database, as clients of every revision see it.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::{Client, Revision};

#[path = "../../examples/books.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

async fn listed(client: &Client, parent: Option<&str>) -> Vec<String> {
    let resources = client.resources(parent).await.unwrap();
    resources.into_iter().map(|resource| resource.uri).collect()
}

#[tokio::test]
async fn shelves_and_books_are_listed_and_read() {
    for revision in Revision::ALL {
        let client = Client::in_memory(&example::server().unwrap());
        let client = client.revision(revision).connect().await.unwrap();
        assert_eq!(
            listed(&client, None).await,
            [
                "book://essays",
                "book://essays/1",
                "book://verse",
                "book://verse/1",
                "book://verse/2"
            ]
        );
        let expected = ["book://verse/1", "book://verse/2"];
        assert_eq!(listed(&client, Some("book://verse")).await, expected);
        let sun = client.read("book://verse/2").await.unwrap();
        assert_eq!(sun.contents[0].body.as_bytes(), b"It shines.");
        assert_eq!(client.read("book://verse").await.unwrap().contents.len(), 2);

        for missing in [
            "book://prose",
            "book://verse/3",
            "book://verse/0",
            "book://verse/x",
        ] {
            let error = client.read(missing).await.unwrap_err();
            assert!(error.is_resource_not_found(), "{missing}: {error}");
        }
        let error = client.resources(Some("book://verse/1")).await.unwrap_err();
        assert!(error.is_invalid_params(), "{error}");
    }
}

#[tokio::test]
async fn a_shelf_of_thousands_is_listed_whole() {
    let database = rusqlite::Connection::open_in_memory().unwrap();
    database.execute_batch("CREATE TABLE book (shelf TEXT, number INTEGER, title TEXT, text TEXT, PRIMARY KEY (shelf, number));
        INSERT INTO book VALUES ('all', 0, 'All', NULL);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3500)
        INSERT INTO book SELECT 'all', i, 'Book ' || i, 'x' FROM n;").unwrap();
    let client = Client::in_memory(&example::serve(database).unwrap());
    let client = client.connect().await.unwrap();
    let all = listed(&client, Some("book://all")).await;
    assert_eq!(all.len(), 3500);
    assert_eq!(all.last().unwrap(), "book://all/3500");
    assert_eq!(listed(&client, None).await.len(), 3501);
}
