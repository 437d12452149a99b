//! The cost of listing skills, and the end of a listing. The listed files are not read.

use std::collections::BTreeMap;

use plainly::client::LocalError;
use plainly::limits::ClientLimits;
use plainly::protocol::types::{ListSkillsParams, SkillFiles};
use plainly_peer::{assert_local, table, told};
use serde_json::{Value, json};

use super::ROWS;
use super::script::{MAIN, Script, skill};

#[tokio::test]
async fn all_pages_are_read_and_none_of_the_files() {
    let mut script = Script::good();
    script.pages = BTreeMap::from([
        (
            String::new(),
            json!({"skills": [skill()], "nextCursor": "2"}),
        ),
        ("2".to_owned(), json!({"skills": [], "nextCursor": "3"})),
        ("3".to_owned(), json!({"skills": [skill(), skill()]})),
    ]);
    let (client, log) = script.connect().await;
    let skills = client.skills().await.unwrap();
    assert_eq!(skills.len(), 3);
    assert_eq!(
        (skills[0].name(), skills[0].description()),
        (Some("refunds"), Some("Refunds customers"))
    );
    assert_eq!(log.take(), ["skills/list", "skills/list", "skills/list"]);
    let page = client
        .list_skills(&ListSkillsParams::new().cursor("2"))
        .await
        .unwrap();
    assert_eq!((page.skills.len(), page.next_cursor), (0, Some("3".into())));
    let one = client.skill(MAIN).await.unwrap();
    assert_eq!(one, skills[0]);
    assert_eq!(
        log.take(),
        ["skills/list".to_owned(), format!("skills/get {MAIN}")]
    );
}

#[tokio::test]
async fn a_server_that_does_not_declare_the_extension_is_not_asked() {
    for capabilities in [
        json!({}),
        json!({"resources": {}, "extensions": {"a.example/skills": {}}}),
    ] {
        let mut script = Script::good();
        script.capabilities = capabilities;
        let (client, log) = script.connect().await;
        for error in [
            client.skills().await.map(drop),
            client.skill(MAIN).await.map(drop),
        ] {
            let error = error.unwrap_err();
            assert_local!(
                error,
                LocalError::NotDeclared {
                    capability: "skills",
                    ..
                }
            );
            assert!(error.is_method_not_found());
        }
        assert_eq!(log.take(), [""; 0]);
    }
}

#[tokio::test]
async fn an_entry_that_can_t_be_read_is_left_out() {
    for (member, value) in table::cases::<(&str, Value)>(ROWS, "left out") {
        let mut script = Script::good();
        let mut bad = skill();
        bad[member] = value.clone();
        script
            .pages
            .insert(String::new(), json!({"skills": [bad, skill(), 7]}));
        script.one = json!({ "skill": bad });
        let (client, _) = script.connect().await;
        assert_eq!(client.skills().await.unwrap().len(), 1, "{member} {value}");
        let error = client.skill(MAIN).await.unwrap_err();
        assert_local!(error, LocalError::InvalidResponse { .. });
        told(&error);
    }
}

#[tokio::test]
async fn each_listing_that_is_none_ends_with_an_error() {
    for (first, second, expected) in table::cases::<(Value, Value, &str)>(ROWS, "listings") {
        let mut script = Script::good();
        script.pages = BTreeMap::from([(String::new(), first), ("2".to_owned(), second)]);
        let (client, log) = script.connect().await;
        assert_eq!(told(&client.skills().await.unwrap_err()), expected);
        assert!(log.take().len() <= 2);
    }
}

#[tokio::test]
async fn a_listing_has_no_more_pages_and_bytes_than_the_limits_say() {
    let pages = |count: usize| {
        let page = |at: usize| json!({"skills": [skill()], "nextCursor": (at + 1).to_string()});
        let mut pages: BTreeMap<_, _> = (0..count).map(|at| (at.to_string(), page(at))).collect();
        pages.insert(String::new(), page(0));
        pages
    };
    let limited = |set: fn(&mut ClientLimits)| {
        let mut limits = ClientLimits::default();
        set(&mut limits);
        limits
    };
    for (limits, expected) in [
        (
            limited(|limits| limits.pages = 5),
            "the listing of `skills/list` has more than 5 pages",
        ),
        (
            limited(|limits| limits.listing_bytes = 2_000),
            "invalid reply to `skills/list`: its pages are larger than 2000 bytes",
        ),
    ] {
        let mut script = Script::good();
        script.pages = pages(50);
        let (client, log) = script.connect_as(|builder| builder.limits(limits)).await;
        assert_eq!(told(&client.skills().await.unwrap_err()), expected);
        assert!(log.take().len() <= 6);
    }
}

#[tokio::test]
async fn another_skill_than_the_one_asked_for_is_refused() {
    let mut script = Script::good();
    script.one["skill"]["uri"] = "skill://other/SKILL.md".into();
    let (client, _) = script.connect().await;
    let expected =
        "invalid reply to `skills/get`: /skill/uri: it is not the skill that was asked for";
    assert_eq!(told(&client.skill(MAIN).await.unwrap_err()), expected);
}

#[tokio::test]
async fn a_dynamic_skill_is_listed_and_not_loaded() {
    let mut script = Script::good();
    script.one["skill"]["resources"] = "dynamic".into();
    let (client, log) = script.connect().await;
    let skill = client.skill(MAIN).await.unwrap();
    assert_eq!(skill.resources, SkillFiles::Dynamic);
    log.take();
    let error = client.load_skill(skill).await.unwrap_err();
    assert_local!(error, LocalError::DynamicSkill { .. });
    assert_eq!(
        told(&error),
        format!("the skill {MAIN} can't be verified: its content is dynamic")
    );
    assert_eq!(log.take(), [""; 0]);
}
