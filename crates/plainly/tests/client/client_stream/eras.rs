//! The era and the revision that a client detects.

use std::time::Duration;

use plainly::client::LocalError;
use plainly::errors::Revision;
use serde_json::json;

use super::peer::{discovered, modern, pair};

#[tokio::test]
async fn a_server_that_discovers_is_modern() {
    let (client, mut peer) = modern().await;
    assert_eq!(client.revision(), Revision::V2026_07_28);
    assert_eq!(client.server().unwrap().name, "scripted");
    assert_eq!(client.instructions(), Some("be kind"));
    assert!(client.capabilities().tools.is_some());
    assert_eq!(client.supported_versions(), ["2026-07-28"]);

    let (tools, ()) = tokio::join!(client.tools(), async {
        let request = peer.request("tools/list").await;
        let meta = &request["params"]["_meta"];
        assert_eq!(
            meta["io.modelcontextprotocol/protocolVersion"],
            "2026-07-28"
        );
        assert_eq!(
            meta["io.modelcontextprotocol/clientInfo"]["name"],
            "plainly"
        );
        assert_eq!(
            meta["io.modelcontextprotocol/clientCapabilities"],
            json!({"extensions": {"dev.plainly/resources": {}}})
        );
        peer.reply(&request, json!({"tools": []})).await;
    });
    assert!(tools.unwrap().is_empty());
}

#[tokio::test]
async fn any_other_answer_means_legacy() {
    let answers = [
        json!({"error": {"code": -32601, "message": "no such method"}}),
        json!({"error": {"code": -32602, "message": "not initialized"}}),
        json!({"error": {"code": -32000, "message": "not initialized"}}),
        json!({"error": {"code": -32600, "message": "", "data": [1]}}),
        json!({"error": {"code": 0, "message": ""}}),
        json!({"error": "not even an error"}),
        json!({"result": {}}),
        json!({"result": {"supportedVersions": "2026-07-28"}}),
    ];
    for mut answer in answers {
        let (builder, mut peer) = pair();
        let (client, ()) = tokio::join!(builder.name("me").version("2").connect(), async {
            let probe = peer.request("server/discover").await;
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = probe["id"].clone();
            peer.send(answer.clone()).await;
            let handshake = peer
                .shake_hands("2025-06-18", json!({"resources": {}}))
                .await;
            assert_eq!(
                handshake["params"],
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {
                        "experimental": {"dev.plainly/resources": {}},
                        "extensions": {"dev.plainly/resources": {}},
                    },
                    "clientInfo": {"name": "me", "version": "2"},
                })
            );
        });
        let client = client.unwrap_or_else(|error| panic!("{answer}: {error}"));
        assert_eq!(client.revision(), Revision::V2025_06_18);
        assert_eq!(client.server().unwrap().name, "old");
        assert_eq!(client.supported_versions(), ["2025-06-18"]);
    }
}

#[tokio::test(start_paused = true)]
async fn silence_means_legacy() {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.request("server/discover").await;
        peer.shake_hands("2024-11-05", json!({"resources": {}}))
            .await;
    });
    assert_eq!(client.unwrap().revision(), Revision::V2024_11_05);
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_that_starts_slowly_is_still_modern() {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        let probe = peer.request("server/discover").await;
        let handshake = peer.request("initialize").await;
        peer.reply(&probe, discovered(&["2026-07-28"])).await;
        peer.fail(&handshake, -32601, None).await;
    });
    assert_eq!(client.unwrap().revision(), Revision::V2026_07_28);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_given_up() {
    let (builder, mut peer) = pair();
    let builder = builder.connect_timeout(Duration::from_secs(7));
    let start = tokio::time::Instant::now();
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.request("server/discover").await;
        peer.request("initialize").await;
        peer.ended().await;
    });
    assert!(client.unwrap_err().is_timeout());
    assert!(start.elapsed() < Duration::from_secs(8));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_falls_silent_is_said_to_owe_what_it_was_asked() {
    for (answers, owed) in [(false, "server/discover"), (true, "initialize")] {
        let (builder, mut peer) = pair();
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = peer.request("server/discover").await;
            if answers {
                peer.fail(&probe, -32601, None).await;
            }
            peer.request("initialize").await;
            peer.ended().await;
        });
        let expected = format!("no reply to `{owed}` within 30s");
        assert_eq!(client.unwrap_err().to_string(), expected);
    }
}

#[tokio::test]
async fn among_the_versions_offered_the_newest_known_one_is_spoken() {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        let probe = peer.request("server/discover").await;
        let data = json!({"supported": ["2031-01-01", "2025-03-26", "2025-06-18"], "requested": "2026-07-28"});
        peer.fail(&probe, -32022, Some(data)).await;
        let handshake = peer
            .shake_hands("2025-06-18", json!({"resources": {}}))
            .await;
        assert_eq!(handshake["params"]["protocolVersion"], "2025-06-18");
    });
    assert_eq!(client.unwrap().revision(), Revision::V2025_06_18);
}

#[tokio::test]
async fn without_a_version_in_common_nothing_more_is_sent() {
    for discovers in [true, false] {
        let (builder, mut peer) = pair();
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = peer.request("server/discover").await;
            if discovers {
                peer.reply(&probe, discovered(&["2031-01-01"])).await;
            } else {
                let data = json!({"supported": ["2031-01-01"], "requested": "2026-07-28"});
                peer.fail(&probe, -32022, Some(data)).await;
            }
            peer.ended().await;
        });
        let error = client.unwrap_err();
        let Some(LocalError::UnsupportedVersion { offered, .. }) = error.local() else {
            panic!("{error}");
        };
        assert_eq!(offered, &["2031-01-01"]);
    }
}

#[tokio::test]
async fn a_server_that_refuses_the_version_that_it_offers_is_asked_once_more() {
    for comes_to_know_it in [true, false] {
        let (builder, mut peer) = pair();
        let (client, ()) = tokio::join!(builder.connect(), async {
            let refused = json!({"supported": ["2026-07-28"], "requested": "2026-07-28"});
            peer.refuse("server/discover", -32022, Some(refused.clone()))
                .await;
            let again = peer.request("server/discover").await;
            if comes_to_know_it {
                peer.reply(&again, discovered(&["2026-07-28"])).await;
            } else {
                peer.fail(&again, -32022, Some(refused)).await;
                peer.ended().await;
            }
        });
        match client {
            Ok(client) if comes_to_know_it => {
                assert_eq!(client.revision(), Revision::V2026_07_28);
            }
            Err(error) if !comes_to_know_it => assert!(error.is_unsupported_version()),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_server_that_comes_to_refuse_the_revision_is_called_in_another_that_it_offers() {
    let (client, mut peer) = modern().await;
    let (first, second, ()) = tokio::join!(client.tools(), client.tools(), async {
        let data = json!({"supported": ["2026-07-28", "2031-01-01", "2025-06-18"], "requested": "2026-07-28"});
        for _ in 0..2 {
            peer.refuse("tools/list", -32022, Some(data.clone())).await;
        }
        let handshake = peer
            .shake_hands("2025-06-18", json!({"resources": {}}))
            .await;
        assert_eq!(handshake["params"]["protocolVersion"], "2025-06-18");
        for _ in 0..2 {
            let again = peer.request("tools/list").await;
            assert_eq!(again["params"], json!({}));
            peer.reply(&again, json!({"tools": []})).await;
        }
    });
    assert!(first.unwrap().is_empty() && second.unwrap().is_empty());
    assert_eq!(client.revision(), Revision::V2025_06_18);
    let (pinged, ()) = tokio::join!(client.ping(), peer.answer("ping"));
    pinged.unwrap();
}

#[tokio::test]
async fn a_server_that_refuses_again_is_not_asked_a_third_time() {
    let (client, mut peer) = modern().await;
    let offer = json!({"supported": ["2025-11-25"], "requested": "2026-07-28"});
    let (called, ()) = tokio::join!(client.tools(), async {
        peer.refuse("tools/list", -32022, Some(offer.clone())).await;
        peer.shake_hands("2025-11-25", json!({"resources": {}}))
            .await;
        peer.refuse("tools/list", -32022, Some(offer.clone())).await;
    });
    assert!(called.unwrap_err().is_unsupported_version());
    let (called, ()) = tokio::join!(
        client.tools(),
        peer.refuse("tools/list", -32022, Some(offer.clone()))
    );
    assert!(called.unwrap_err().is_unsupported_version());
}

#[tokio::test]
async fn a_refusal_that_offers_nothing_else_names_what_is_offered() {
    for (pinned, supported) in [
        (false, json!(["2031-01-01"])),
        (false, json!(["2026-07-28"])),
        (true, json!(["2025-11-25"])),
    ] {
        let (mut builder, mut peer) = pair();
        if pinned {
            builder = builder.revision(Revision::V2026_07_28);
        }
        let (client, ()) = tokio::join!(
            builder.connect(),
            peer.answer_with("server/discover", discovered(&["2026-07-28"]))
        );
        let client = client.unwrap();
        let (called, ()) = tokio::join!(client.tools(), async {
            let refused = peer.request("tools/list").await;
            let data = json!({"supported": supported, "requested": "2026-07-28"});
            peer.fail(&refused, -32022, Some(data)).await;
        });
        let error = called.unwrap_err();
        assert_eq!(json!(error.offered_versions()), supported);
        assert_eq!(client.revision(), Revision::V2026_07_28);
        client.close().await;
        peer.ended().await;
    }
}

#[tokio::test]
async fn a_handshake_that_ends_in_an_unknown_version_fails() {
    for version in ["1.0", "2026-07-28", ""] {
        let (builder, mut peer) = pair();
        let (client, ()) = tokio::join!(builder.connect(), async {
            peer.refuse("server/discover", -32601, None).await;
            let handshake = peer.request("initialize").await;
            let result = json!({
                "protocolVersion": version,
                "capabilities": {},
                "serverInfo": {"name": "old", "version": "1"},
            });
            peer.reply(&handshake, result).await;
            peer.ended().await;
        });
        let error = client.unwrap_err();
        let Some(LocalError::UnsupportedVersion { wanted, .. }) = error.local() else {
            panic!("{error}");
        };
        assert_eq!(wanted.last(), Some(&Revision::LATEST_LEGACY));
    }
}

#[tokio::test]
async fn a_pinned_revision_is_the_only_one_that_is_tried() {
    let (builder, mut peer) = pair();
    let builder = builder.revision(Revision::V2025_03_26);
    let (client, handshake) = tokio::join!(
        builder.connect(),
        peer.shake_hands("2025-03-26", json!({"resources": {}}))
    );
    assert_eq!(handshake["params"]["protocolVersion"], "2025-03-26");
    assert_eq!(client.unwrap().revision(), Revision::V2025_03_26);

    let (builder, mut peer) = pair();
    let builder = builder.revision(Revision::V2026_07_28);
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.refuse("server/discover", -32601, None).await;
        peer.ended().await;
    });
    assert!(client.unwrap_err().is_method_not_found());
}

#[tokio::test(start_paused = true)]
async fn an_error_without_an_id_answers_the_only_request() {
    for id in [json!({}), json!({"id": null})] {
        let (builder, mut peer) = pair();
        let start = tokio::time::Instant::now();
        let (client, ()) = tokio::join!(builder.connect(), async {
            peer.request("server/discover").await;
            let mut answer = id.clone();
            answer["jsonrpc"] = json!("2.0");
            answer["error"] = json!({"code": -32600, "message": "not initialized"});
            peer.send(answer).await;
            peer.shake_hands("2025-06-18", json!({"resources": {}}))
                .await;
        });
        assert_eq!(client.unwrap().revision(), Revision::V2025_06_18);
        assert_eq!(start.elapsed(), Duration::ZERO, "{id}");
    }
}
