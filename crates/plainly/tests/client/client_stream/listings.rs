//! Listings of several pages, and metadata from listings.

use plainly::client::{LocalError, MetadataSource};
use plainly::limits::ClientLimits;
use plainly_peer::{Peer, assert_local};
use serde_json::{Value, json};

use super::peer::{discovered, legacy_with, modern, modern_with, pair};

fn page(uris: &[&str], next: Option<&str>) -> Value {
    let resources: Vec<_> = uris
        .iter()
        .map(|uri| json!({"uri": uri, "name": uri}))
        .collect();
    let mut page = json!({"resources": resources});
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    page
}

/// Serves these pages. Each request must have the cursor of the previous page.
async fn serve(peer: &mut Peer, pages: &[(&[&str], Option<&str>)]) {
    let mut cursor = Value::Null;
    for (uris, next) in pages {
        let request = peer.request("resources/list").await;
        assert_eq!(request["params"]["cursor"], cursor);
        peer.reply(&request, page(uris, *next)).await;
        cursor = json!(next);
    }
}

#[tokio::test]
async fn all_pages_are_one_listing_and_empty_text_is_a_cursor() {
    let (client, mut peer) = modern().await;
    let (resources, ()) = tokio::join!(
        client.resources(None),
        serve(
            &mut peer,
            &[(&["a:1"], Some("")), (&[], Some("x")), (&["a:2"], None)]
        )
    );
    let uris: Vec<_> = resources.unwrap().into_iter().map(|r| r.uri).collect();
    assert_eq!(uris, ["a:1", "a:2"]);
}

#[tokio::test]
async fn what_other_calls_receive_is_no_part_of_a_listing() {
    let (builder, mut peer) = pair();
    let mut limits = ClientLimits::default();
    limits.listing_bytes = 1_000;
    let (client, ()) = tokio::join!(
        builder.limits(limits).connect(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    let client = client.unwrap();
    let text = "x".repeat(5_000);
    let contents = json!({"contents": [{"uri": "a:2", "text": text}]});
    let mut pages = client.resource_pages(None);
    for (next, is_there) in [
        (Some("x"), true),
        (Some("y"), true),
        (None, true),
        (None, false),
    ] {
        let (listed, ()) = tokio::join!(pages.next(), async {
            if is_there {
                peer.answer_with("resources/list", page(&["a:1"], next))
                    .await;
            }
        });
        assert_eq!(listed.unwrap().is_some(), is_there);
        let (read, ()) = tokio::join!(
            client.read("a:2"),
            peer.answer_with("resources/read", contents.clone())
        );
        read.unwrap();
    }
}

#[tokio::test]
async fn children_are_asked_for_on_every_page() {
    let (client, mut peer) = modern().await;
    let (resources, ()) = tokio::join!(client.resources(Some("a:dir/")), async {
        for next in [Some("x"), None] {
            let request = peer.request("resources/list").await;
            assert_eq!(request["params"]["uri"], "a:dir/");
            peer.reply(&request, page(&["a:dir/1"], next)).await;
        }
    });
    assert_eq!(resources.unwrap().len(), 2);
}

/// The capabilities of a server determine the method that lists the children of `a:b`.
#[tokio::test]
async fn children_are_listed_by_the_method_that_the_server_declares() {
    let ours = json!({"dev.plainly/resources": {}});
    let directories = json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    let both = json!({"dev.plainly/resources": {}, "io.modelcontextprotocol/skills": {"directoryRead": true}});
    let skills = json!({"io.modelcontextprotocol/skills": {}});
    let (list, read) = ("resources/list", "resources/directory/read");
    for (extensions, method, is_filtered) in [
        (ours, list, false),
        (both, list, false),
        (directories, read, false),
        (skills, list, true),
        (json!({}), list, true),
    ] {
        let (client, mut peer) = modern_with(extensions.clone()).await;
        let children = client.children("a:b");
        assert_eq!(children.is_filtered(), is_filtered, "{extensions}");
        // The server chooses the children: their URIs need not begin with the parent's.
        let listed = ["a:b", "a:b/c", "a:b/c/d", "x:y", "a:b/.."];
        let (children, ()) = tokio::join!(children.all(), async {
            for next in [Some("x"), None] {
                let request = peer.request(method).await;
                let asked = request["params"].get("uri");
                assert_eq!(asked.is_none(), is_filtered, "{request}");
                peer.reply(&request, page(&listed, next)).await;
            }
        });
        let children = children.unwrap().into_iter().map(|child| child.uri);
        let expected: &[&str] = if is_filtered { &["a:b/c"] } else { &listed };
        assert!(children.eq(expected.repeat(2)), "{extensions}");
    }
}

#[tokio::test]
async fn a_legacy_server_declares_collections_as_experimental() {
    let experimental = json!({"dev.plainly/resources": {}});
    for (experimental, is_filtered) in [(json!({}), true), (experimental, false)] {
        let capabilities = json!({"resources": {}, "experimental": experimental});
        let (client, _peer) = legacy_with(capabilities).await;
        assert_eq!(client.children("a:b").is_filtered(), is_filtered);
    }
}

#[tokio::test]
async fn what_is_far_below_is_found_on_a_server_that_has_nothing_in_between() {
    let (client, mut peer) = modern().await;
    let pages: [(&[&str], _); 3] = [
        (&["a:b/c/d", "a:bc"], Some("x")),
        (&["a:b/c/../../e"], Some("y")),
        (&["a:b/f/"], None),
    ];
    let children = client.children("a:b").at_any_depth().all();
    let (children, ()) = tokio::join!(children, serve(&mut peer, &pages));
    let children: Vec<_> = children.unwrap().into_iter().map(|it| it.uri).collect();
    assert_eq!(children, ["a:b/c/d", "a:b/f/"]);
}

#[tokio::test]
async fn children_without_end_or_in_a_form_of_their_own_are_an_error() {
    let directories = json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    let method = "resources/directory/read";
    let (client, mut peer) = modern_with(directories).await;
    let circle = page(&["a:b"], Some("again"));
    let (children, ()) = tokio::join!(client.children("a:b").all(), async {
        for _ in 0..2 {
            peer.answer_with(method, circle.clone()).await;
        }
    });
    assert_local!(children.unwrap_err(), LocalError::EndlessListing { .. });

    let (children, ()) = tokio::join!(client.children("a:b").all(), async {
        for number in 0..1_000 {
            let page = page(&["a:b/c"], Some(&number.to_string()));
            peer.answer_with(method, page).await;
        }
    });
    assert_local!(
        children.unwrap_err(),
        LocalError::TooManyPages { limit: 1_000, .. }
    );

    for irregular in [json!({"resources": {}}), json!({"contents": []})] {
        let (children, ()) = tokio::join!(
            client.children("a:b").all(),
            peer.answer_with(method, irregular)
        );
        assert_local!(children.unwrap_err(), LocalError::InvalidResponse { .. });
    }

    // The listing does not contain the directory or anything below it.
    let (children, ()) = tokio::join!(client.children("a:b").all(), async {
        peer.refuse(method, -32602, Some(json!({"uri": "a:b"})))
            .await;
        serve(&mut peer, &[(&["x:y"], Some("x")), (&["a:b"], None)]).await;
    });
    assert!(children.unwrap_err().is_resource_not_found());
}

/// A server with skills may read only the directories of its skills.
#[tokio::test]
async fn what_a_server_does_not_read_as_a_directory_is_looked_for_in_its_listing() {
    let method = "resources/directory/read";
    let directories = json!({"io.modelcontextprotocol/skills": {"directoryRead": true}});
    let pages: [(&[&str], _); 3] = [
        (&["x:y"], Some("x")),
        (&["a:b/c", "a:b/c/d"], Some("y")),
        (&["x:z"], None),
    ];
    for (code, data) in [
        (-32602, None),
        (-32602, Some(json!({"uri": "a:b"}))),
        (-32601, None),
    ] {
        let (client, mut peer) = modern_with(directories.clone()).await;
        let mut children = client.children("a:b");
        let (first, ()) = tokio::join!(children.next(), async {
            peer.refuse(method, code, data).await;
            serve(&mut peer, &pages[..1]).await;
        });
        assert_eq!(first.unwrap(), Some(vec![]));
        assert!(children.is_filtered());
        let (rest, ()) = tokio::join!(children.all(), async {
            for (uris, next) in &pages[1..] {
                peer.answer_with("resources/list", page(uris, *next)).await;
            }
        });
        let rest = rest.unwrap().into_iter().map(|child| child.uri);
        assert!(rest.eq(["a:b/c"]));
    }

    // Other errors, and errors after the first page, are returned unchanged.
    let (client, mut peer) = modern_with(directories).await;
    let (children, ()) = tokio::join!(
        client.children("a:b").all(),
        peer.refuse(method, -32603, None)
    );
    assert!(children.unwrap_err().is_internal());
    let (children, ()) = tokio::join!(client.children("a:b").all(), async {
        peer.answer_with(method, page(&["a:b/c"], Some("x"))).await;
        peer.refuse(method, -32602, None).await;
    });
    assert!(children.unwrap_err().is_invalid_params());
}

#[tokio::test]
async fn a_listing_that_never_ends_is_an_error() {
    let (client, mut peer) = modern().await;
    let circle: [(&[&str], Option<&str>); 3] =
        [(&[], Some("x")), (&[], Some("y")), (&[], Some("x"))];
    let (resources, ()) = tokio::join!(client.resources(None), serve(&mut peer, &circle));
    let error = resources.unwrap_err();
    assert_local!(error, LocalError::EndlessListing { .. });

    let (resources, ()) = tokio::join!(client.resources(None), async {
        for number in 0..1_000 {
            peer.answer_with("resources/list", page(&["a:1"], Some(&number.to_string())))
                .await;
        }
    });
    let error = resources.unwrap_err();
    assert_local!(error, LocalError::TooManyPages { limit: 1_000, .. });
}

#[tokio::test]
async fn a_cursor_longer_than_any_need_is_not_sent_back() {
    let (client, mut peer) = modern().await;
    let (long, longer) = ("c".repeat(16 << 10), "c".repeat((16 << 10) + 1));
    let pages: [(&[&str], Option<&str>); 2] = [(&[], Some(&long)), (&[], Some(&longer))];
    let (resources, ()) = tokio::join!(client.resources(None), async {
        serve(&mut peer, &pages).await;
        drop(peer);
    });
    let error = resources.unwrap_err();
    assert_local!(error, LocalError::InvalidResponse { .. });
}

#[tokio::test]
async fn metadata_comes_from_the_server_or_else_from_its_listing() {
    let (client, mut peer) = modern().await;
    let (metadata, ()) = tokio::join!(client.metadata("a:2"), async {
        let request = peer.request("resources/metadata").await;
        let resource = json!({"uri": "a:2", "name": "two", "size": 7});
        peer.reply(&request, json!({"resource": resource})).await;
    });
    let metadata = metadata.unwrap();
    assert_eq!(metadata.source, MetadataSource::Direct);
    assert_eq!(metadata.resource.size, Some(7));

    for (uri, listed) in [("a:2", true), ("a:3", false)] {
        let (metadata, ()) = tokio::join!(client.metadata(uri), async {
            peer.refuse("resources/metadata", -32601, None).await;
            serve(&mut peer, &[(&["a:1"], Some("x")), (&["a:2"], None)]).await;
        });
        match metadata {
            Ok(metadata) => {
                assert!(listed);
                assert_eq!(metadata.source, MetadataSource::FromListing);
                assert_eq!(metadata.resource.uri, uri);
            }
            Err(error) => assert!(
                !listed && matches!(error.local(), Some(LocalError::NotListed { .. })),
                "{error}"
            ),
        }
    }
}

#[tokio::test]
async fn a_missing_resource_is_not_searched_for() {
    let (client, mut peer) = modern().await;
    let (metadata, ()) = tokio::join!(
        client.metadata("a:b"),
        peer.refuse("resources/metadata", -32602, Some(json!({"uri": "a:b"})))
    );
    assert!(metadata.unwrap_err().is_resource_not_found());
}
