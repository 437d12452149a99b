//! Keys from a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use plainly::server::auth::{ApiKey, ApiKeyError, ApiKeys};
use serde_json::json;
use tempfile::TempDir;

use super::issuer::{Issuer, NOW};
use super::support::{Guarded, call, challenge};

pub(crate) struct KeyFile {
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

impl KeyFile {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let _folder = folder;
        Self { path, _folder }
    }

    pub(crate) fn add(&self, name: &str, scopes: &[&str], ends: Option<u64>) -> String {
        let ends = ends.map(|at| UNIX_EPOCH + Duration::from_secs(at));
        let key = ApiKey::generate(name, scopes.iter().map(|&scope| scope.to_owned()), ends);
        ApiKeys::add(&self.path, key.row).unwrap();
        key.secret.expose().to_owned()
    }

    async fn guarded(&self) -> Guarded {
        let keys = ApiKeys::open(&self.path).unwrap();
        Guarded::with(|auth| auth.api_keys(keys)).await
    }
}

#[tokio::test]
async fn a_key_lets_in_who_has_it_until_it_ends() {
    let file = KeyFile::new();
    let [ci, soon] = [
        file.add("ci", &["read", "write"], None),
        file.add("soon", &[], Some(NOW + 10)),
    ];
    let guarded = file.guarded().await;
    let told = guarded.who(&ci).await.unwrap();
    assert_eq!(
        (&told["subject"], &told["issuer"]),
        (&json!("ci"), &json!(null))
    );
    assert_eq!(told["scopes"], json!(["read", "write"]));
    assert_eq!(guarded.who(&soon).await.unwrap()["expires"], NOW + 10);
    guarded.time.advance(10);
    assert_eq!(
        guarded.why_refused(&soon).await,
        Some((401, "expired".to_owned()))
    );
    // Without an authorization server there is nowhere to get a token, so the challenge names none.
    assert_eq!(challenge(&guarded.post("", &call("who")).await), "Bearer");
    let metadata = guarded
        .site
        .bare("GET /.well-known/oauth-protected-resource/mcp", "", "")
        .await;
    assert_eq!(metadata.status, 404);
}

#[tokio::test]
async fn a_key_lets_in_as_soon_as_it_is_in_the_file() {
    let file = KeyFile::new();
    file.add("other", &[], None);
    let guarded = file.guarded().await;
    let key = ApiKey::generate("ci", [], None);
    let secret = key.secret.expose();
    let refused = guarded.why_refused(secret).await;
    assert_eq!(refused, Some((401, "revoked".to_owned())));
    ApiKeys::add(&file.path, key.row).unwrap();
    guarded.who(secret).await.unwrap();
}

/// A file that can't be read must not be treated as an empty list of keys, and overwritten.
#[cfg(unix)]
#[test]
fn a_key_is_not_added_to_what_can_not_be_read() {
    let file = KeyFile::new();
    std::os::unix::fs::symlink(&file.path, &file.path).unwrap();
    let key = ApiKey::generate("ci", [], None);
    let refused = ApiKeys::add(&file.path, key.row);
    assert!(matches!(refused, Err(ApiKeyError::Unusable { .. })));
    assert!(file.path.is_symlink());
}

#[test]
fn a_key_with_a_scope_that_no_token_can_have_is_not_added() {
    let file = KeyFile::new();
    for scope in ["a b", "", "\"", "ü"] {
        let key = ApiKey::generate("ci", [scope.to_owned()], None);
        let refused = ApiKeys::add(&file.path, key.row).unwrap_err();
        let expected = format!(
            "invalid scope {scope:?}: expected visible ASCII without spaces, quotes and backslashes"
        );
        assert_eq!(refused.to_string(), expected);
        assert!(!file.path.exists());
    }
}

#[test]
fn a_key_is_known_by_its_name() {
    let file = KeyFile::new();
    file.add("ci", &["read", "write"], Some(NOW));
    file.add("ada", &[], None);
    let again = ApiKeys::add(&file.path, ApiKey::generate("ci", [], None).row).unwrap_err();
    assert!(matches!(again, ApiKeyError::NameTaken { .. }), "{again}");
    let listed = ApiKeys::list(&file.path).unwrap();
    let [ci, ada] = &*listed else {
        panic!("{listed:?}")
    };
    assert_eq!((ci.name(), ci.scopes().len()), ("ci", 2));
    assert_eq!(ci.expires(), Some(UNIX_EPOCH + Duration::from_secs(NOW)));
    assert_eq!((ada.name(), ada.expires()), ("ada", None));
    ApiKeys::revoke(&file.path, "ci").unwrap();
    let unknown = ApiKeys::revoke(&file.path, "ci").unwrap_err();
    assert!(
        matches!(unknown, ApiKeyError::UnknownName { .. }),
        "{unknown}"
    );
    file.add("ci", &[], None);
}

/// Concurrent changes lose no key, bring none back and don't fail, even if a killed program has
/// left a file behind.
#[test]
fn a_list_is_changed_by_one_at_a_time() {
    let file = KeyFile::new();
    for number in 0..8 {
        file.add(&format!("old-{number}"), &[], None);
    }
    let left = file.path.with_file_name(".keys.json.new");
    fs::write(&left, "{").unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let file = &file;
            scope.spawn(move || file.add(&format!("new-{number}"), &[], None));
            scope.spawn(move || ApiKeys::revoke(&file.path, &format!("old-{number}")).unwrap());
        }
    });
    let mut names: Vec<_> = ApiKeys::list(&file.path)
        .unwrap()
        .iter()
        .map(|key| key.name().to_owned())
        .collect();
    names.sort();
    let expected: Vec<_> = (0..8).map(|number| format!("new-{number}")).collect();
    assert_eq!(names, expected);
    assert!(!left.exists());
}

#[cfg(unix)]
#[test]
fn where_the_list_is_a_link_its_target_is_changed() {
    let file = KeyFile::new();
    file.add("ci", &[], None);
    let link = file.path.with_file_name("link.json");
    std::os::unix::fs::symlink(&file.path, &link).unwrap();
    ApiKeys::add(&link, ApiKey::generate("ada", [], None).row).unwrap();
    assert!(link.is_symlink());
    assert_eq!(ApiKeys::list(&file.path).unwrap().len(), 2);
}

/// Only root can run this test, because other users can't give a file away or read one of another
/// user.
#[cfg(unix)]
#[test]
fn a_list_of_another_user_is_refused() {
    let file = KeyFile::new();
    file.add("ci", &[], None);
    if std::os::unix::fs::chown(&file.path, Some(12345), None).is_ok() {
        let refused = ApiKeys::open(&file.path).unwrap_err();
        assert!(
            matches!(refused, ApiKeyError::OtherOwner { owner: 12345, .. }),
            "{refused}"
        );
        let row = ApiKey::generate("ada", [], None).row;
        assert!(ApiKeys::add(&file.path, row).is_err());
    }
}

#[tokio::test]
async fn what_is_no_key_is_refused_by_the_same_path() {
    let file = KeyFile::new();
    let key = file.add("ci", &[], None);
    let guarded = file.guarded().await;
    let other = ApiKey::generate("ci", [], None);
    for (name, token, why) in [
        ("another", other.secret.expose(), "revoked"),
        ("truncated", &key[..key.len() - 1], "malformed"),
        ("a letter more", &format!("{key}a"), "malformed"),
        ("the prefix only", "plk_", "malformed"),
        ("without its prefix", &key[4..], "malformed"),
        ("in capitals", &key.to_uppercase(), "malformed"),
        ("with a tab", &format!("{key}\t1"), "malformed"),
    ] {
        let refused = guarded.why_refused(token).await;
        assert_eq!(refused, Some((401, why.to_owned())), "{name}");
    }
    assert_eq!(guarded.ran.count(), 0);
    // The header ends at the line break, so the rest of the key is not part of it.
    let broken = guarded
        .call(&format!("{}\n{}", &key[..20], &key[20..]), "who")
        .await;
    assert_eq!(broken.status, 400);
}

#[tokio::test]
async fn a_key_is_refused_as_soon_as_it_is_taken_out_of_the_file() {
    let file = KeyFile::new();
    let key = file.add("ci", &[], None);
    let guarded = file.guarded().await;
    guarded.who(&key).await.unwrap();
    let new = file.add("new", &[], None);
    guarded.who(&new).await.unwrap();
    let text = fs::read_to_string(&file.path).unwrap();
    let mut list: serde_json::Value = serde_json::from_str(&text).unwrap();
    list["keys"].as_array_mut().unwrap().remove(0);
    fs::write(&file.path, list.to_string()).unwrap();
    assert_eq!(
        guarded.why_refused(&key).await,
        Some((401, "revoked".to_owned()))
    );
    guarded.who(&new).await.unwrap();
    for broken in [
        "{",
        "{}",
        r#"{"keys":[{"name":"x","sha256":"00"}]}"#,
        r#"{"keys":[{"name":"x","sha256":"00","scope":["a"]}]}"#,
    ] {
        fs::write(&file.path, broken).unwrap();
        assert_eq!(guarded.call(&new, "who").await.status, 503, "{broken}");
    }
    fs::remove_file(&file.path).unwrap();
    assert_eq!(guarded.call(&new, "who").await.status, 503);
}

#[tokio::test]
async fn keys_and_tokens_stand_side_by_side() {
    let (file, issuer) = (KeyFile::new(), Issuer::start().await);
    let key = file.add("ci", &[], None);
    let keys = ApiKeys::open(&file.path).unwrap();
    let guarded = Guarded::with(|auth| auth.api_keys(keys).issuer(&issuer.url)).await;
    assert_eq!(guarded.who(&key).await.unwrap()["subject"], "ci");
    let token = issuer.token(json!({"sub": "ci"}));
    assert_eq!(
        guarded.who(&token).await.unwrap()["issuer"],
        json!(issuer.url)
    );
}

#[test]
fn a_file_that_can_not_be_trusted_is_no_list_of_keys() {
    let file = KeyFile::new();
    let missing = ApiKeys::open(&file.path).unwrap_err();
    assert!(matches!(missing, ApiKeyError::Unusable { .. }), "{missing}");
    fs::write(&file.path, "[]").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        for mode in [0o644, 0o640, 0o660, 0o602] {
            fs::set_permissions(&file.path, fs::Permissions::from_mode(mode)).unwrap();
            let open = ApiKeys::open(&file.path).unwrap_err().to_string();
            assert!(open.contains("run `chmod 600 "), "{mode:o}: {open}");
        }
        fs::set_permissions(&file.path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    for (text, why) in [
        (
            "{",
            "is not a list of keys: it is not JSON; look at line 1, column 1",
        ),
        ("[]", "is not a list of keys: [] is not of type \"object\""),
        (
            r#"{"keys":[{"name":1,"sha256":"00"},{"name":"x"}]}"#,
            "/keys/0/name: 1 is not of type \"string\"; /keys/1: \"sha256\" is a required property",
        ),
        (
            r#"{"keys":[{"name":"x","sha256":"00","expire":"never"}]}"#,
            "(did you mean \"expires\"?)",
        ),
        (
            r#"{"keys":[{"name":"x","sha256":"00","expires":"tomorrow"}]}"#,
            "\"tomorrow\" is not a time",
        ),
        (
            r#"{"keys":[{"name":"x","sha256":"00"}]}"#,
            "is not 64 hexadecimal digits",
        ),
    ] {
        fs::write(&file.path, text).unwrap();
        let malformed = ApiKeys::open(&file.path).unwrap_err().to_string();
        assert!(malformed.contains(why), "{malformed}");
    }
    // A key that was written into the list by mistake does not appear in the log.
    let key = ApiKey::generate("x", [], None).secret;
    for text in [
        format!(r#"{{"keys":"{}"}}"#, key.expose()),
        format!(r#"{{"{}":[]}}"#, key.expose()),
        format!(r#"{{"keys":[{{"name":"x","sha256":"{}"}}]}}"#, key.expose()),
    ] {
        fs::write(&file.path, text).unwrap();
        let malformed = ApiKeys::open(&file.path).unwrap_err();
        let told = format!("{malformed} {malformed:?}");
        assert!(!told.contains(&key.expose()[4..]), "{told}");
    }
}

#[test]
fn a_new_list_of_keys_is_for_nobody_else_and_holds_no_key() {
    let file = KeyFile::new();
    let key = file.add("ci", &["a"], Some(NOW));
    let text = fs::read_to_string(&file.path).unwrap();
    assert!(
        text.contains("2027-01-15T08:00:00Z") && !text.contains(&key[4..]),
        "{text}"
    );
    let entries = |path: &Path| fs::read_dir(path.parent().unwrap()).unwrap().count();
    assert_eq!(entries(&file.path), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = fs::metadata(&file.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
