//! The skills in a directory, through a client. All listed files can be read, and nothing else is
//! served.

use std::fs;
use std::path::Path;

use plainly::client;
use plainly::protocol::types::{Skill, SkillFiles, SubscriptionFilter};
use plainly::server::{self, SubscribedResources};
use plainly::store::{Change, ListQuery, Store, StoreError};
use plainly::{Client, Server};
use plainly_directory::SkillDirectory;
use tempfile::TempDir;

/// The `SKILL.md` of a skill of this name.
fn main_file(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: How to do {name}\nmetadata: {{version: 1.0}}\n---\n# {name}\n"
    )
}

fn write(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A directory with these skills, by their paths.
fn directory(skills: &[&str]) -> (TempDir, SkillDirectory) {
    let root = tempfile::tempdir().unwrap();
    for path in skills {
        let name = path.rsplit('/').next().unwrap();
        write(root.path(), &format!("{path}/SKILL.md"), main_file(name));
    }
    let skills = SkillDirectory::new(root.path()).unwrap();
    (root, skills)
}

async fn client(skills: &SkillDirectory) -> Client {
    let server = Server::builder("test", "1")
        .skills(skills.clone())
        .store(skills.clone());
    let server = server.build().unwrap();
    Client::in_memory(&server).connect().await.unwrap()
}

fn files(skill: &Skill) -> Vec<&str> {
    let SkillFiles::Listed(files) = &skill.resources else {
        panic!("a skill of a directory lists its files");
    };
    files.iter().map(|file| &*file.uri).collect()
}

#[tokio::test]
async fn a_client_verifies_every_file_of_every_skill() {
    let mut names: Vec<String> = (0..50).map(|number| format!("skill-{number}")).collect();
    names.push("größe".to_owned());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (root, skills) = directory(&names);
    for (path, content) in [
        ("skill-7/references/ä b.md", "é\r\n".as_bytes()),
        ("skill-7/scripts/run.bin", &[0, 255, 1]),
        ("skill-7/utf-16.txt", b"\xff\xfeh\0i\0"),
        ("skill-7/bom.txt", b"\xef\xbb\xbfhi"),
        ("skill-7/empty.txt", b""),
        ("skill-7/.hidden", b"hidden"),
        ("skill-7/nested/SKILL.md", main_file("nested").as_bytes()),
    ] {
        write(root.path(), path, content);
    }
    let client = client(&skills).await;
    let all = client.skills().await.unwrap();
    assert_eq!(all.len(), 52);
    let seventh = all.iter().find(|skill| skill.name() == Some("skill-7"));
    let expected = [
        "SKILL.md",
        "bom.txt",
        "empty.txt",
        "nested/SKILL.md",
        "references/%C3%A4%20b.md",
        "scripts/run.bin",
        "utf-16.txt",
    ];
    let expected = expected.map(|path| format!("skill://skill-7/{path}"));
    assert_eq!(files(seventh.unwrap()), expected);
    for skill in all {
        let loaded = client.load_skill(skill.clone()).await.unwrap();
        for file in files(&skill) {
            loaded.read(file).await.unwrap();
        }
        let again = client.skill(&*skill.uri).await.unwrap();
        assert_eq!(again, skill);
        let resource = client.metadata(&*skill.uri).await.unwrap().resource;
        assert_eq!(Some(&*resource.name), skill.name());
        assert_eq!(resource.description.as_deref(), skill.description());
    }
}

#[tokio::test]
async fn a_changed_file_is_another_digest_and_a_new_skill_is_found() {
    let (root, skills) = directory(&["mail"]);
    let client = client(&skills).await;
    let before = client.skill("skill://mail/SKILL.md").await.unwrap();
    let loaded = client.load_skill(before.clone()).await.unwrap();
    write(root.path(), "mail/form.md", "new");
    let after = client.skill("skill://mail/SKILL.md").await.unwrap();
    assert_eq!(
        files(&after),
        ["skill://mail/SKILL.md", "skill://mail/form.md"]
    );
    assert!(
        loaded.read("form.md").await.is_err(),
        "not listed when it was loaded"
    );
    write(root.path(), "mail/form.md", "NEW");
    let changed = client.skill("skill://mail/SKILL.md").await.unwrap();
    assert_ne!(changed, after, "of the same length");
    #[cfg(unix)]
    {
        let form = root.path().join("mail/form.md");
        let time = fs::metadata(&form).unwrap().modified().unwrap();
        write(root.path(), "mail/form.md", "New");
        crate::fixture::set_modified(&form, time);
        let again = client.skill("skill://mail/SKILL.md").await.unwrap();
        assert_ne!(again, changed, "of the same length and time");
    }
    write(root.path(), "team/refunds/SKILL.md", main_file("refunds"));
    let main = "skill://team/refunds/SKILL.md";
    let read = client.read(main).await.unwrap();
    assert_eq!(read.contents.len(), 1);
    let described = client.metadata(main).await.unwrap();
    let content = &read.contents[0];
    assert_eq!(content.name.as_deref(), Some("refunds"));
    assert_eq!(content.name.as_deref(), Some(&*described.resource.name));
    assert_eq!(content.description, described.resource.description);
    fs::remove_dir_all(root.path().join("mail")).unwrap();
    let left = client.skills().await.unwrap();
    let left: Vec<&str> = left.iter().map(|skill| &*skill.uri).collect();
    assert_eq!(left, ["skill://team/refunds/SKILL.md"]);
}

#[tokio::test]
async fn a_skill_that_breaks_a_rule_is_named_with_the_rule_and_left_out() {
    let (root, skills) = directory(&["good", "many", "large", "Upper", "linked"]);
    write(root.path(), "SKILL.md", main_file("top"));
    write(root.path(), "other/SKILL.md", main_file("else"));
    write(
        root.path(),
        "odd/SKILL.md/file",
        "in a directory of that name",
    );
    write(root.path(), "bare/SKILL.md", "# No frontmatter\n");
    write(root.path(), "binary/SKILL.md", [0xff, 0xfe]);
    write(root.path(), "silent/SKILL.md", "---\nname: silent\n---\n");
    write(
        root.path(),
        "twice/SKILL.md",
        "---\nname: twice\nname: twice\n---\n",
    );
    for number in 0..512 {
        write(root.path(), &format!("many/{number}"), "");
    }
    write(root.path(), "large/a", vec![0; 9 << 20]);
    write(root.path(), "large/b", vec![0; 9 << 20]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../good/SKILL.md", root.path().join("linked/link")).unwrap();
    let found = skills.refresh().await.unwrap();
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let mut expected = vec![
        "skill://Upper/SKILL.md: /frontmatter/name: \"Upper\" is not of lower-case letters, digits and single hyphens \
         between them, 64 at most",
        "skill://bare/SKILL.md: it does not begin with frontmatter, between two lines of ---",
        "skill://binary/SKILL.md: it is not text in UTF-8",
        "skill://large/SKILL.md: /resources: a skill of 18874450 bytes is larger than 16777216",
        "skill://linked/SKILL.md: skill://linked/link is a link",
        "skill://many/SKILL.md: /resources: a skill of 513 files is larger than 512",
        "skill://other/SKILL.md: /frontmatter/name: \"else\" is not the directory of the skill, \"other\"",
        "skill://silent/SKILL.md: /frontmatter/description: it is missing",
        "skill://twice/SKILL.md: its frontmatter has \"name\" twice",
        "skill://SKILL.md: it is not in a directory of its own: serve the directory above",
    ];
    if cfg!(not(unix)) {
        expected.retain(|line| !line.contains("linked"));
    }
    assert_eq!(found, expected);
    let client = client(&skills).await;
    let listed = client.skills().await.unwrap();
    assert!(listed.iter().all(|skill| skill.name() != Some("large")));
    for uri in ["skill://other/SKILL.md", "skill://SKILL.md"] {
        assert!(
            client.read(uri).await.unwrap_err().is_resource_not_found(),
            "{uri}"
        );
        assert!(
            client.skill(uri).await.unwrap_err().is_invalid_params(),
            "{uri}"
        );
    }
}

#[tokio::test]
async fn texts_of_a_skill_are_neither_empty_nor_too_long() {
    let (root, skills) = directory(&["good"]);
    for (name, field, length) in [
        ("empty", "description", 0),
        ("wordy", "description", 1_025),
        ("picky", "description: d\ncompatibility", 501),
    ] {
        let text = "é".repeat(length);
        let main = format!("---\nname: {name}\n{field}: '{text}'\n---\n");
        write(root.path(), &format!("{name}/SKILL.md"), main);
    }
    let found = skills.refresh().await.unwrap();
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    let expected = [
        "skill://empty/SKILL.md: /frontmatter/description: it is empty",
        "skill://picky/SKILL.md: /frontmatter/compatibility: it has 501 characters, more than 500",
        "skill://wordy/SKILL.md: /frontmatter/description: it has 1025 characters, more than 1024",
    ];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn only_skills_and_the_directories_above_them_are_served() {
    let (root, skills) = directory(&["team/refunds", "mail"]);
    write(root.path(), "team/refunds/references/form.md", "form");
    write(root.path(), "team/NOTES.md", "of no skill");
    write(root.path(), "README.md", "of no skill");
    write(root.path(), "drafts/a.md", "of no skill");
    let all = skills.list(ListQuery::new(100)).await.unwrap();
    let all: Vec<&str> = all.resources.iter().map(|it| &*it.uri).collect();
    let expected = [
        "skill://mail",
        "skill://team",
        "skill://mail/SKILL.md",
        "skill://team/refunds",
        "skill://team/refunds/SKILL.md",
        "skill://team/refunds/references",
        "skill://team/refunds/references/form.md",
    ];
    assert_eq!(all, expected);
    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let mut query = ListQuery::new(1);
        query.after = after.as_deref();
        let page = skills.list(query).await.unwrap();
        paged.extend(page.resources.into_iter().map(|it| it.uri));
        let Some(next) = page.next else { break };
        after = Some(next);
    }
    assert_eq!(paged, expected);
    let inside = skills
        .list(ListQuery::new(100).parent("skill://team"))
        .await
        .unwrap();
    let inside: Vec<&str> = inside.resources.iter().map(|it| &*it.uri).collect();
    assert_eq!(inside, ["skill://team/refunds"]);
    let read = skills.read("skill://team").await.unwrap();
    assert_eq!(read, [], "the notes beside a skill are of no skill");
}

#[tokio::test]
async fn each_spelling_leads_to_a_skill_or_nowhere() {
    let (root, skills) = directory(&["team/refunds"]);
    write(root.path(), "team/NOTES.md", "of no skill");
    write(root.path(), "README.md", "of no skill");
    write(root.path(), "drafts/a.md", "of no skill");
    for uri in [
        "skill://",
        "skill://README.md",
        "skill://team/NOTES.md",
        "skill://drafts",
        "skill://team/%4EOTES.md",
        "SKILL://team/NOTES%2emd",
        "skill://team/refunds/SKILL.md/",
        "skill://team/refunds/../NOTES.md",
        "skill://team/refunds/%2E%2E/NOTES.md",
    ] {
        let found = skills.metadata(uri).await.map(|it| it.uri);
        assert!(
            matches!(found, Err(StoreError::NotFound)),
            "{uri}: {found:?}"
        );
    }
    let listed = "skill://team/refunds/SKILL.md";
    for uri in [listed, "SKILL://team/%72efunds/%53KILL.md"] {
        assert_eq!(skills.spelling(uri).as_deref(), Some(listed));
        assert_eq!(skills.read(uri).await.unwrap()[0].uri, listed);
        assert_eq!(server::Skills::get(&skills, uri).await.unwrap().uri, listed);
    }
    let found = skills.metadata("skill://team/refunds/").await.unwrap();
    assert_eq!(found.uri, "skill://team/refunds");
}

#[tokio::test]
async fn changes_are_reported_by_the_uris_of_skills() {
    use futures_util::StreamExt as _;

    let (root, skills) = directory(&["mail"]);
    skills.refresh().await.unwrap();
    let mut changes = skills.watch(SubscribedResources::none()).unwrap();
    write(root.path(), "README.md", "of no skill");
    write(root.path(), "mail/SKILL.md", main_file("mail") + "more\n");
    let expected = Change::Resource("skill://mail/SKILL.md".to_owned());
    while let Some(change) = changes.next().await {
        assert_ne!(change, Change::Resource("skill://README.md".to_owned()));
        if change == expected {
            break;
        }
    }
}

#[tokio::test]
async fn a_client_hears_of_a_skill_that_did_not_exist() {
    let (root, skills) = directory(&["mail"]);
    write(root.path(), "later/form.md", "of no skill yet");
    let client = client(&skills).await;
    client.skills().await.unwrap();
    let uri = "skill://later/SKILL.md";
    let filter = SubscriptionFilter::new().resource_subscriptions([uri.to_owned()]);
    let mut heard = client.listen(filter).await.unwrap();
    write(root.path(), "later/SKILL.md", main_file("later"));
    let change = heard.next().await.unwrap().unwrap();
    assert_eq!(change, client::Change::Resource(uri.to_owned()));
}
