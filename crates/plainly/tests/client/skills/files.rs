//! Files that the client accepts or rejects by comparison with their listing, and the effects of a
//! mismatch.

use plainly::client::{Cache, LocalError, Mismatch};
use plainly_peer::{assert_local, table, told};
use serde_json::{Value, json};

use super::ROWS;
use super::script::{FORMS, INSTRUCTIONS, LOGO, MAIN, Script};

#[tokio::test]
async fn a_skill_that_is_what_its_entry_says_is_read_file_by_file() {
    let (client, log) = Script::good().connect().await;
    let skill = client.skills().await.unwrap().remove(0);
    let loaded = client.load_skill(skill.clone()).await.unwrap();
    assert_eq!(
        log.take(),
        ["skills/list".to_owned(), format!("resources/read {MAIN}")]
    );
    assert_eq!(
        (loaded.skill(), loaded.instructions()),
        (&skill, INSTRUCTIONS)
    );
    assert_eq!(loaded.root(), "skill://acme/refunds");
    for path in ["references/FORMS.md", "./references/FORMS.md", FORMS] {
        let read = loaded.read(path).await.unwrap();
        assert_eq!(read.as_text(), Some("Form 7\n"));
        assert_eq!(log.take(), [format!("resources/read {FORMS}")]);
    }
    assert_eq!(loaded.read("logo.png").await.unwrap().as_bytes(), [0, 255]);
}

#[tokio::test]
async fn what_is_verified_is_read_anew_whatever_is_cached() {
    let script = Script::good();
    let (client, log) = script
        .connect_as(|builder| builder.cache(Cache::default()))
        .await;
    for is_first in [true, false] {
        let skill = client.skills().await.unwrap().remove(0);
        client.load_skill(skill).await.unwrap();
        let asked = log.take();
        assert_eq!(asked.contains(&"skills/list".to_owned()), is_first);
        assert!(asked.contains(&format!("resources/read {MAIN}")));
    }
}

#[tokio::test]
async fn a_file_that_is_not_listed_is_not_asked_for() {
    let (client, log) = Script::good().connect().await;
    let loaded = client
        .load_skill(client.skill(MAIN).await.unwrap())
        .await
        .unwrap();
    log.take();
    for path in table::lines(ROWS, "not listed") {
        let error = loaded.read(path).await.unwrap_err();
        assert_local!(error, LocalError::NotInSkill { .. });
        assert_eq!(
            told(&error),
            format!("the skill {MAIN} lists no file {path}")
        );
    }
    assert_eq!(log.take(), [""; 0]);
    // The skill is still usable, because the server sent nothing wrong.
    loaded.read(FORMS).await.unwrap();
}

#[tokio::test]
async fn each_content_that_is_another_is_refused() {
    for (contents, expected) in table::cases::<(Value, &str)>(ROWS, "contents") {
        let mut script = Script::good();
        script.contents.insert(MAIN, contents.clone());
        let (client, log) = script.connect().await;
        let skill = client.skill(MAIN).await.unwrap();
        let error = client.load_skill(skill).await.unwrap_err();
        assert_local!(error, LocalError::SkillMismatch { .. });
        let words = format!("{MAIN} is not what the server lists: {expected}; don't use the skill");
        assert_eq!(told(&error), words, "{contents}");
        assert_eq!(log.take().len(), 2);
    }
}

#[tokio::test]
async fn a_mismatch_says_both_sides() {
    let mut script = Script::good();
    script.contents.insert(
        MAIN,
        json!([{"uri": MAIN, "text": INSTRUCTIONS.replace("Ask", "Pay")}]),
    );
    let (client, _) = script.connect().await;
    let skill = client.skill(MAIN).await.unwrap();
    let error = client.load_skill(skill).await.unwrap_err();
    let Some(LocalError::SkillMismatch {
        uri,
        mismatch: Mismatch::Digest { listed, found, .. },
        ..
    }) = error.local()
    else {
        panic!("{error}");
    };
    assert_eq!(uri, MAIN);
    assert_eq!((listed.len(), found.len()), (71, 71));
    assert_ne!(listed, found);
}

#[tokio::test]
async fn after_a_mismatch_nothing_more_of_the_skill_is_read() {
    let mut script = Script::good();
    script
        .contents
        .insert(FORMS, json!([{"uri": FORMS, "text": "Form 8\n"}]));
    let (client, log) = script.connect().await;
    let skill = client.skill(MAIN).await.unwrap();
    let loaded = client.load_skill(skill.clone()).await.unwrap();
    loaded.read(LOGO).await.unwrap();
    let first = loaded.read(FORMS).await.unwrap_err();
    assert_local!(first, LocalError::SkillMismatch { .. });
    log.take();
    for path in [LOGO, FORMS, MAIN, "nowhere"] {
        assert_eq!(told(&loaded.read(path).await.unwrap_err()), told(&first));
    }
    assert_eq!(log.take(), [""; 0]);
    // The skill can be loaded again.
    client
        .load_skill(skill)
        .await
        .unwrap()
        .read(LOGO)
        .await
        .unwrap();
}

#[tokio::test]
async fn files_are_not_taken_from_a_cache_which_may_be_older_than_the_entry() {
    let script = Script::good();
    let (client, log) = script
        .connect_as(|builder| builder.cache(Cache::default()))
        .await;
    let loaded = client
        .load_skill(client.skill(MAIN).await.unwrap())
        .await
        .unwrap();
    log.take();
    for _ in 0..2 {
        loaded.read(FORMS).await.unwrap();
    }
    let asked = format!("resources/read {FORMS}");
    assert_eq!(log.take(), [asked.clone(), asked]);
    // Other reads may use the cache, as the server allows.
    client.read(FORMS).await.unwrap();
    assert_eq!(log.take(), [""; 0]);
}

#[tokio::test]
async fn a_file_that_is_gone_is_no_mismatch() {
    let mut script = Script::good();
    script.contents.remove(FORMS);
    let (client, log) = script.connect().await;
    let loaded = client
        .load_skill(client.skill(MAIN).await.unwrap())
        .await
        .unwrap();
    assert!(
        loaded
            .read(FORMS)
            .await
            .unwrap_err()
            .is_resource_not_found()
    );
    log.take();
    loaded.read(LOGO).await.unwrap();
    assert_eq!(log.take(), [format!("resources/read {LOGO}")]);
}

#[tokio::test]
async fn text_may_come_as_bytes() {
    let mut script = Script::good();
    let blob =
        "LS0tCm5hbWU6IHJlZnVuZHMKZGVzY3JpcHRpb246IFJlZnVuZHMgY3VzdG9tZXJzCi0tLQoKQXNrIGZpcnN0Lgo=";
    script
        .contents
        .insert(MAIN, json!([{"uri": MAIN, "blob": blob}]));
    let (client, _) = script.connect().await;
    let loaded = client
        .load_skill(client.skill(MAIN).await.unwrap())
        .await
        .unwrap();
    assert_eq!(loaded.instructions(), INSTRUCTIONS);
}

/// Loads a skill with the right digest, and returns the fault in its frontmatter, if any.
async fn loaded(text: &str, frontmatter: &Value) -> Result<(), String> {
    let (client, log) = Script::with_main(text, frontmatter).connect().await;
    let skill = client.skill(MAIN).await.unwrap();
    let Err(error) = client.load_skill(skill).await else {
        return Ok(());
    };
    assert_local!(error, LocalError::SkillMismatch { .. });
    assert_eq!(log.take().len(), 2);
    let told = told(&error);
    let why = told
        .strip_prefix(&format!("{MAIN} is not what the server lists: "))
        .unwrap();
    Err(why
        .strip_suffix("; don't use the skill")
        .unwrap()
        .to_owned())
}

#[tokio::test]
async fn frontmatter_is_read_as_yaml() {
    for (text, value) in table::cases::<(&str, Value)>(ROWS, "same") {
        let file = format!("---\nname: refunds\ndescription: d\nx: {text}\n---\nBody\n");
        let listed = json!({"name": "refunds", "description": "d", "x": value});
        assert_eq!(loaded(&file, &listed).await, Ok(()), "{text}");
    }
}

#[tokio::test]
async fn each_difference_in_frontmatter_is_named() {
    for (text, value, expected) in table::cases::<(&str, Value, &str)>(ROWS, "different") {
        let file = format!("---\nname: refunds\ndescription: d\n{text}\n---\nBody\n");
        let mut listed = json!({"name": "refunds", "description": "d"});
        for (name, value) in value.as_object().unwrap() {
            listed[name] = value.clone();
        }
        assert_eq!(
            loaded(&file, &listed).await,
            Err(expected.to_owned()),
            "{text}"
        );
    }
}

#[tokio::test]
async fn each_file_without_frontmatter_is_refused() {
    let listed = json!({"name": "refunds", "description": "d"});
    for (file, expected) in table::cases::<(&str, &str)>(ROWS, "unreadable") {
        assert_eq!(
            loaded(file, &listed).await,
            Err(expected.to_owned()),
            "{file}"
        );
    }
}

#[tokio::test]
async fn windows_lines_and_a_byte_order_mark_are_no_difference() {
    let file = INSTRUCTIONS.replace('\n', "\r\n");
    let listed = json!({"name": "refunds", "description": "Refunds customers"});
    assert_eq!(loaded(&file, &listed).await, Ok(()));
    assert_eq!(loaded(&format!("\u{feff}{file}"), &listed).await, Ok(()));
}

#[tokio::test]
async fn frontmatter_has_a_greatest_length_and_depth() {
    let listed = json!({"name": "refunds", "description": "d"});
    let own = "name: refunds\ndescription: d\n";
    for (length, is_taken) in [(65_536, true), (65_537, false)] {
        let comment = format!("#{}\n", "x".repeat(length - own.len() - 2));
        let taken = loaded(&format!("---\n{own}{comment}---\n"), &listed).await;
        assert_eq!(taken.is_ok(), is_taken, "{taken:?}");
    }
    // The mapping of all fields is the first level.
    for (depth, expected) in [
        (
            63,
            "in its frontmatter, /x is a list of 1 instead of absent",
        ),
        (64, "its frontmatter is nested more than 64 deep"),
    ] {
        let nested = "[".repeat(depth) + &"]".repeat(depth);
        let taken = loaded(&format!("---\n{own}x: {nested}\n---\n"), &listed).await;
        assert_eq!(taken, Err(expected.to_owned()));
    }
}

/// Frontmatter that would expand to an enormous size, or overflow a stack.
#[tokio::test]
async fn bombs_cost_no_more_than_their_bytes() {
    let levels = (1..30).map(|at| {
        format!(
            "a{at}: &a{at} [{}]\n",
            vec![format!("*a{}", at - 1); 9].join(",")
        )
    });
    let aliases: String = std::iter::once("a0: &a0 [x]\n".to_owned())
        .chain(levels)
        .collect();
    let mut chain = "a0: &a0 [x]\n".to_owned();
    for at in 1..400 {
        let (open, close) = ("[".repeat(50), "]".repeat(50));
        chain += &format!("a{at}: &a{at} {open}*a{}{close}\n", at - 1);
    }
    let wide = format!(
        "x: &x \"{}\"\ny: [{}]",
        "x".repeat(30_000),
        vec!["*x"; 5_000].join(",")
    );
    let deep = |open: &str, count: usize| format!("x: {}", open.repeat(count));
    let steps: String = (0..200)
        .map(|at| format!("{}a:\n", " ".repeat(at)))
        .collect();
    let listed = json!({"name": "refunds", "description": "d"});
    for (yaml, expected) in [
        (
            aliases,
            "in its frontmatter, /a0 is a list of 1 instead of absent",
        ),
        (chain, "its frontmatter is nested more than 64 deep"),
        (wide, "in its frontmatter, /x is \"xx"),
        (
            deep("[", 60_000),
            "its frontmatter is nested more than 64 deep",
        ),
        (
            deep("{a: ", 16_000),
            "its frontmatter is nested more than 64 deep",
        ),
        (
            format!("x:\n{}", "- ".repeat(30_000)),
            "its frontmatter is nested more than 64 deep",
        ),
        (steps, "its frontmatter is nested more than 64 deep"),
        (
            "x: y\n".repeat(20_000),
            "its frontmatter is longer than 65536 bytes",
        ),
        ("a: 1\n".repeat(2), "its frontmatter has \"a\" twice"),
        (
            "x: &x [*x]".to_owned(),
            "a value of its frontmatter contains itself",
        ),
    ] {
        let file = format!("---\nname: refunds\ndescription: d\n{yaml}\n---\n");
        let error = loaded(&file, &listed).await.unwrap_err();
        assert!(error.starts_with(expected), "{error}");
        assert!(error.len() < 1_000, "{}", error.len());
    }
}
