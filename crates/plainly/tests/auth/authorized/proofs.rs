//! Tokens that are bound to a key (RFC 9449), over the wire.

use plainly::server::Keys;
use plainly::server::auth::Dpop;
use plainly_oauth::Secret;
use plainly_oauth::jose::{SigningKey, dpop};
use serde_json::json;

use super::issuer::{Issuer, NOW};
use super::support::{Guarded, RESOURCE, call, challenge};

struct Holder {
    key: SigningKey,
    token: String,
}

impl Holder {
    fn of(issuer: &Issuer) -> Self {
        let key = SigningKey::generate().unwrap();
        let token = issuer.token(json!({"cnf": {"jkt": key.thumbprint()}}));
        Self { key, token }
    }

    fn proof(&self, method: &str, url: &str, nonce: Option<&str>, now: u64) -> String {
        let token = Secret::new(&*self.token);
        let proof = dpop::proof(&self.key, method, url, Some(&token), nonce, now).unwrap();
        format!("DPoP: {proof}\r\n")
    }

    fn good_proof(&self) -> String {
        self.proof("POST", RESOURCE, None, NOW)
    }

    fn bound(&self) -> String {
        format!("Authorization: DPoP {}\r\n", self.token)
    }
}

/// Returns the reason of a rejection: the error in its challenge, and its description.
fn said(challenge: &str) -> String {
    let value = |name: &str| {
        let (_, rest) = challenge
            .split_once(&format!("{name}=\""))
            .unwrap_or_default();
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    format!("{} {}", value(" error"), value("error_description"))
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
async fn a_bound_token_lets_in_who_has_its_key_and_nobody_else() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::with(|auth| auth.issuer(&issuer.url).dpop(Dpop::Accept)).await;
    let (holder, thief) = (Holder::of(&issuer), Holder::of(&issuer));
    let (bound, good) = (holder.bound(), holder.good_proof());
    let stolen = Holder {
        key: thief.key,
        token: holder.token.clone(),
    };
    let other_token = Holder {
        key: holder.key.clone(),
        token: "x".to_owned(),
    };
    let unbound = issuer.token(json!({}));
    for (name, headers, status, why) in [
        ("as it is", format!("{bound}{good}"), 200, " "),
        (
            "again",
            format!("{bound}{good}"),
            401,
            "invalid_dpop_proof replayed",
        ),
        (
            "another method",
            format!("{bound}{}", holder.proof("GET", RESOURCE, None, NOW)),
            401,
            "invalid_dpop_proof method",
        ),
        (
            "another URL",
            format!(
                "{bound}{}",
                holder.proof("POST", "https://evil.example/mcp", None, NOW)
            ),
            401,
            "invalid_dpop_proof URL",
        ),
        (
            "the URL in other letters",
            format!(
                "{bound}{}",
                holder.proof("POST", "HTTPS://MCP.example.com:443/mcp?a#b", None, NOW)
            ),
            200,
            " ",
        ),
        (
            "another token",
            format!("{bound}{}", other_token.good_proof()),
            401,
            "invalid_dpop_proof token",
        ),
        (
            "another key",
            format!("{bound}{}", stolen.good_proof()),
            401,
            "invalid_dpop_proof another key",
        ),
        (
            "an old one",
            format!("{bound}{}", holder.proof("POST", RESOURCE, None, NOW - 301)),
            401,
            "invalid_dpop_proof time",
        ),
        (
            "none",
            bound.clone(),
            401,
            "invalid_dpop_proof not one proof",
        ),
        (
            "two",
            format!("{bound}{}{}", holder.good_proof(), holder.good_proof()),
            401,
            "invalid_dpop_proof not one proof",
        ),
        (
            "sent as it is",
            format!("Authorization: Bearer {}\r\n", holder.token),
            401,
            "invalid_token bound to a key",
        ),
        (
            "with a proof, sent as it is",
            format!(
                "Authorization: Bearer {}\r\n{}",
                holder.token,
                holder.good_proof()
            ),
            401,
            "invalid_token bound to a key",
        ),
        (
            "unbound with a proof",
            format!("Authorization: DPoP {unbound}\r\n{}", holder.good_proof()),
            401,
            "invalid_token not bound to a key",
        ),
        (
            "unbound",
            format!("Authorization: Bearer {unbound}\r\n"),
            200,
            " ",
        ),
    ] {
        guarded.time.advance(1);
        let response = guarded.post(&headers, &call("who")).await;
        assert_eq!(response.status, status, "{name}");
        let challenges: Vec<_> = response
            .head
            .lines()
            .filter(|line| {
                line.to_ascii_lowercase()
                    .starts_with("www-authenticate: dpop")
            })
            .collect();
        assert_eq!(said(&challenges.concat()), why, "{name}: {challenges:?}");
    }
}

/// These proofs may have been used at the previous process, whose list of used proofs is lost.
#[tokio::test]
async fn proofs_from_before_the_start_are_refused_but_with_a_nonce_of_this_process() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::with(|auth| auth.issuer(&issuer.url).dpop(Dpop::Accept)).await;
    let holder = Holder::of(&issuer);
    for (age, expected) in [
        (6, "invalid_dpop_proof time"),
        // A few seconds are allowed, because clocks differ.
        (5, " "),
    ] {
        let proof = holder.proof("POST", RESOURCE, None, NOW - age);
        let answered = guarded.post(&(holder.bound() + &proof), &call("who")).await;
        assert_eq!(said(&challenge(&answered)), expected, "{age}");
    }
    let asking =
        Guarded::with(|auth| auth.issuer(&issuer.url).dpop(Dpop::Accept).dpop_nonces()).await;
    let first = holder.bound() + &holder.good_proof();
    let refused = asking.post(&first, &call("who")).await;
    let nonce = refused.header("dpop-nonce").unwrap().to_owned();
    let proof = holder.proof("POST", RESOURCE, Some(&nonce), NOW - 100);
    let taken = asking.post(&(holder.bound() + &proof), &call("who")).await;
    assert_eq!(taken.status, 200);
}

#[tokio::test]
async fn where_proofs_are_required_a_token_alone_is_refused() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::with(|auth| auth.issuer(&issuer.url).dpop(Dpop::Require)).await;
    let bare = guarded.post("", &call("who")).await;
    assert!(
        challenge(&bare).starts_with("DPoP resource_metadata="),
        "{}",
        challenge(&bare)
    );
    let (status, challenged) = guarded.who(&issuer.token(json!({}))).await.unwrap_err();
    assert_eq!(
        (status, said(&challenged).as_str()),
        (401, "invalid_token not bound to a key")
    );
    let holder = Holder::of(&issuer);
    let taken = guarded
        .post(&(holder.bound() + &holder.good_proof()), &call("who"))
        .await;
    assert_eq!(taken.status, 200);
    let mut metadata = guarded
        .site
        .bare("GET /.well-known/oauth-protected-resource", "", "")
        .await;
    let document: serde_json::Value = serde_json::from_str(&metadata.body().await).unwrap();
    assert_eq!(document["dpop_bound_access_tokens_required"], true);
    assert_eq!(document["dpop_signing_alg_values_supported"][0], "ES256");
}

#[tokio::test]
async fn where_nonces_are_asked_for_each_proof_has_a_fresh_one() {
    let issuer = Issuer::start().await;
    let guarded =
        Guarded::with(|auth| auth.issuer(&issuer.url).dpop(Dpop::Accept).dpop_nonces()).await;
    let holder = Holder::of(&issuer);
    let refused = guarded
        .post(&(holder.bound() + &holder.good_proof()), &call("who"))
        .await;
    assert_eq!(refused.status, 401);
    assert_eq!(said(&challenge(&refused)), "use_dpop_nonce ");
    let nonce = refused.header("dpop-nonce").unwrap().to_owned();
    let with_nonce = |now| holder.bound() + &holder.proof("POST", RESOURCE, Some(&nonce), now);
    let taken = guarded.post(&with_nonce(NOW), &call("who")).await;
    assert_eq!(taken.status, 200);
    assert!(taken.header("dpop-nonce").is_some());
    guarded.time.advance(301);
    let stale = guarded.post(&with_nonce(NOW + 301), &call("who")).await;
    assert_eq!(said(&challenge(&stale)), "use_dpop_nonce ");
}

#[tokio::test]
async fn replicas_with_the_same_keys_know_each_others_nonces() {
    let issuer = Issuer::start().await;
    let replica = |key| {
        let keys = Keys::new([key; 32]);
        Guarded::with(|auth| {
            let auth = auth.issuer(&issuer.url).dpop(Dpop::Accept);
            auth.dpop_nonces().keys(keys)
        })
    };
    let (one, other, foreign) = (replica(1).await, replica(1).await, replica(2).await);
    let holder = Holder::of(&issuer);
    let first = holder.bound() + &holder.good_proof();
    let refused = one.post(&first, &call("who")).await;
    let nonce = refused.header("dpop-nonce").unwrap().to_owned();
    for (guarded, expected) in [(&other, 200), (&foreign, 401), (&one, 200)] {
        let proof = holder.proof("POST", RESOURCE, Some(&nonce), NOW);
        let answered = guarded.post(&(holder.bound() + &proof), &call("who")).await;
        assert_eq!(answered.status, expected);
    }
}

/// A nonce of the previous process proves nothing about the time of a proof.
#[tokio::test]
async fn a_proof_from_before_a_restart_is_refused_with_a_nonce_that_is_still_good() {
    let issuer = Issuer::start().await;
    let holder = Holder::of(&issuer);
    let keys = Keys::new([1; 32]);
    let process = |now| {
        let (keys, url) = (keys.clone(), issuer.url.clone());
        Guarded::with(move |auth| {
            let auth = auth.issuer(url).dpop(Dpop::Accept);
            auth.dpop_nonces().keys(keys).clock(move || now)
        })
    };
    let before = process(NOW).await;
    let first = holder.bound() + &holder.good_proof();
    let refused = before.post(&first, &call("who")).await;
    let nonce = refused.header("dpop-nonce").unwrap().to_owned();
    let used = holder.bound() + &holder.proof("POST", RESOURCE, Some(&nonce), NOW);
    assert_eq!(before.post(&used, &call("who")).await.status, 200);
    let after = process(NOW + 60).await;
    let replayed = after.post(&used, &call("who")).await;
    assert_eq!(said(&challenge(&replayed)), "invalid_dpop_proof time");
    let fresh = holder.bound() + &holder.proof("POST", RESOURCE, Some(&nonce), NOW + 60);
    assert_eq!(after.post(&fresh, &call("who")).await.status, 200);
}

#[tokio::test]
async fn proofs_that_fail_are_counted_and_those_without_a_nonce_are_not() {
    let issuer = Issuer::start().await;
    let guarded =
        Guarded::with(|auth| auth.issuer(&issuer.url).dpop(Dpop::Accept).dpop_nonces()).await;
    let holder = Holder::of(&issuer);
    let without_nonce = || holder.bound() + &holder.good_proof();
    for _ in 0..11 {
        let refused = guarded.post(&without_nonce(), &call("who")).await;
        assert_eq!(said(&challenge(&refused)), "use_dpop_nonce ");
    }
    assert_eq!(guarded.call("x", "who").await.status, 401);
    let for_another = holder.bound() + &holder.proof("GET", RESOURCE, None, NOW);
    for _ in 0..9 {
        let refused = guarded.post(&for_another, &call("who")).await;
        assert_eq!(said(&challenge(&refused)), "invalid_dpop_proof method");
    }
    assert_eq!(guarded.call("y", "who").await.status, 429);
}

#[tokio::test]
async fn a_proof_is_for_the_endpoint_that_it_is_sent_to() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::with(|auth| auth.issuer(&issuer.url).dpop(Dpop::Accept)).await;
    let holder = Holder::of(&issuer);
    for (path, status) in [("/sse", 200), ("/mcp", 200), ("/other", 401)] {
        let proof = holder.proof("GET", &format!("https://mcp.example.com{path}"), None, NOW);
        let opened = guarded
            .site
            .send("GET /sse", &(holder.bound() + &proof), "")
            .await;
        assert_eq!(opened.status, status, "{path}");
    }
}
