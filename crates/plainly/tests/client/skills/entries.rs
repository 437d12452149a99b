//! Entries that are rejected before any file of the skill is read.

use plainly::client::LocalError;
use plainly_peer::{assert_local, table, told};
use serde_json::{Value, json};

use super::ROWS;
use super::script::{MAIN, Script, file, skill};

/// Returns the entry with other values at these JSON Pointers.
fn patched(patch: &Value) -> Value {
    let mut skill = skill();
    for (pointer, value) in patch.as_object().unwrap() {
        match skill.pointer_mut(pointer) {
            Some(place) => *place = value.clone(),
            None => panic!("nothing at {pointer}"),
        }
    }
    skill
}

/// Returns the fault of the entry, and checks that the skill was not read.
async fn refused(entry: Value) -> String {
    let mut script = Script::good();
    script
        .pages
        .insert(String::new(), json!({"skills": [entry]}));
    let (client, log) = script.connect().await;
    let skill = client.skills().await.unwrap().remove(0);
    log.take();
    let error = client.load_skill(skill).await.unwrap_err();
    assert_local!(error, LocalError::InvalidSkill { .. });
    assert!(!error.is_retryable());
    assert_eq!(log.take(), [""; 0]);
    let told = told(&error);
    assert!(!told.contains(char::is_control), "{told:?}");
    told
}

#[tokio::test]
async fn each_entry_that_breaks_a_rule_is_refused_unread() {
    for (patch, expected) in table::cases::<(Value, &str)>(ROWS, "entries") {
        let told = refused(patched(&patch)).await;
        let (_, why) = told.split_once(" breaks the rules: ").unwrap();
        assert_eq!(why, expected, "{patch}");
    }
}

#[tokio::test]
async fn a_skill_may_be_as_large_as_the_extension_says_and_no_larger() {
    let many = |count: usize| {
        let mut entry = skill();
        let files = (1..count).map(|at| file(&format!("skill://acme/refunds/{at}"), b""));
        entry["resources"] = std::iter::once(entry["resources"][0].clone())
            .chain(files)
            .collect();
        entry
    };
    let large = |bytes: u64| {
        let mut entry = many(2);
        let own = entry["resources"][0]["size"].as_u64().unwrap();
        entry["resources"][1]["size"] = (bytes - own).into();
        entry
    };
    for entry in [many(512), large(16 << 20)] {
        let mut script = Script::good();
        script.one = json!({ "skill": entry });
        let (client, _) = script.connect().await;
        let skill = client.skill(MAIN).await.unwrap();
        client.load_skill(skill).await.unwrap();
    }
    for (entry, expected) in [
        (many(513), "a skill of 513 files is larger than 512"),
        (many(50_000), "a skill of 50000 files is larger than 512"),
        (
            large((16 << 20) + 1),
            "a skill of 16777217 bytes is larger than 16777216",
        ),
        (
            large(u64::MAX),
            "a skill of 18446744073709551615 bytes is larger than 16777216",
        ),
    ] {
        let told = refused(entry).await;
        assert!(told.ends_with(expected), "{told}");
    }
}

#[tokio::test]
async fn an_error_names_so_many_mistakes_and_no_more() {
    let mut entry = skill();
    for file in entry["resources"].as_array_mut().unwrap() {
        file["digest"] = "md5:00".into();
    }
    let again = entry["resources"][0].clone();
    entry["resources"]
        .as_array_mut()
        .unwrap()
        .extend(vec![again; 500]);
    let told = refused(entry).await;
    assert!(told.len() < 2_000, "{}", told.len());
}
