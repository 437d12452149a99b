//! `skills/list` and `skills/get` (SEP-2640) with a program's own source of skills.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::limits::Limits;
use plainly::protocol::types::{JsonObject, Skill, SkillFiles};
use plainly::server::{SkillPage, Skills};
use plainly::store::StoreError;
use plainly::{Client, Revision, Server};
use serde_json::{Value, json};

const NAMES: [&str; 3] = ["a", "b", "c"];

fn uri(name: &str) -> String {
    format!("skill://{name}/SKILL.md")
}

fn skill(name: &str) -> Skill {
    let frontmatter = JsonObject::from([("name", json!(name)), ("description", json!("d"))]);
    Skill::new(uri(name), frontmatter, SkillFiles::Dynamic)
}

/// Three skills, of which the last one is not listed.
#[derive(Debug)]
struct Letters;

impl Skills for Letters {
    async fn list(&self, after: Option<&str>, limit: usize) -> Result<SkillPage, StoreError> {
        assert_eq!(limit, 1);
        match after {
            None => Ok(SkillPage::new(vec![skill("a")], Some("a".to_owned()))),
            Some("a") => Ok(SkillPage::new(vec![skill("b")], None)),
            Some(_) => Err(StoreError::InvalidCursor),
        }
    }

    async fn get(&self, asked: &str) -> Result<Skill, StoreError> {
        let name = NAMES.into_iter().find(|name| uri(name) == asked);
        name.map(skill).ok_or(StoreError::NotFound)
    }
}

/// Skills whose listing never advances.
#[derive(Debug)]
struct Endless;

impl Skills for Endless {
    async fn list(&self, _after: Option<&str>, _limit: usize) -> Result<SkillPage, StoreError> {
        Ok(SkillPage::new(Vec::new(), Some("same".to_owned())))
    }

    async fn get(&self, _uri: &str) -> Result<Skill, StoreError> {
        Err(StoreError::Overloaded)
    }
}

fn server(skills: impl Skills) -> Server {
    let mut limits = Limits::default();
    limits.page_entries = 1;
    let builder = Server::builder("test", "1").skills(skills);
    builder.limits(limits).build().unwrap()
}

#[tokio::test]
async fn skills_are_listed_page_by_page_and_found_by_their_uri_in_every_revision() {
    let server = server(Letters);
    for revision in Revision::ALL {
        for mut client in plainly_peer::Client::both(&server, revision, json!({})).await {
            let mut page = client.ask("skills/list", json!({})).await;
            assert_eq!(page["result"]["skills"], json!([skill("a")]), "{revision}");
            let has_hint = page["result"].get("ttlMs").is_some();
            assert_eq!(has_hint, !revision.traits().sessions, "{revision}");
            let cursor = page["result"]["nextCursor"].take();
            let page = client.ask("skills/list", json!({ "cursor": cursor })).await;
            assert_eq!(page["result"]["skills"], json!([skill("b")]), "{revision}");
            assert_eq!(page["result"].get("nextCursor"), None, "{revision}");
            let forged = client.ask("skills/list", json!({ "cursor": "a" })).await;
            assert_eq!(
                forged["error"]["data"]["kind"], "invalid_cursor",
                "{revision}"
            );

            let found = client.ask("skills/get", json!({ "uri": uri("c") })).await;
            assert_eq!(found["result"]["skill"], json!(skill("c")), "{revision}");
            let error = client.ask("skills/get", json!({ "uri": uri("d") })).await["error"].take();
            let data = json!({ "kind": "unknown_skill", "uri": uri("d") });
            assert_eq!(
                (&error["code"], &error["data"]),
                (&json!(-32602), &data),
                "{revision}"
            );
        }
    }
    let client = Client::in_memory(&server).connect().await.unwrap();
    assert_eq!(client.skills().await.unwrap(), [skill("a"), skill("b")]);
    assert_eq!(client.skill(uri("c")).await.unwrap(), skill("c"));
}

#[tokio::test]
async fn a_listing_that_does_not_go_on_is_an_error_and_none_is_declared_without_skills() {
    let client = Client::in_memory(&server(Endless)).connect().await.unwrap();
    let error = client.skills().await.unwrap_err();
    assert!(error.to_string().contains("could not be listed"), "{error}");
    assert!(client.skill(uri("a")).await.unwrap_err().is_unavailable());

    let bare = Server::builder("test", "1").build().unwrap();
    for mut client in plainly_peer::Client::both(&bare, Revision::LATEST, json!({})).await {
        let discovered = client.ask("server/discover", json!({})).await;
        assert_eq!(
            discovered["result"]["capabilities"]["extensions"],
            Value::Null
        );
        let error = client.ask("skills/list", json!({})).await["error"].take();
        assert_eq!(error["code"], -32601);
    }
}
