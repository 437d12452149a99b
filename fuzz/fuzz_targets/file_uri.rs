//! Any text as a URI of the directory store. Each location must have one listed spelling, and no
//! name may lead elsewhere.

#![no_main]

#[path = "../../crates/plainly-directory/src/uri.rs"]
mod uri;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for uri in [
        text,
        &format!("file:///{text}"),
        &format!("FILE://localhost/m/{text}"),
    ] {
        check(uri);
    }
    let name = text.replace(['/', '\0'], "");
    if !matches!(&*name, "" | "." | "..") {
        let uri = uri::child(&uri::mount("mount"), name.as_ref());
        let location = uri::Location::parse(&uri).unwrap();
        assert_eq!(location.uri(), uri);
        assert_eq!(
            (location.mount, location.path),
            ("mount".into(), vec![name.into()])
        );
    }
});

fn check(text: &str) {
    let Ok(location) = uri::Location::parse(text) else {
        return;
    };
    assert!(uri::is_file(text) && !uri::is_top(text));
    assert_eq!(uri::mount_of(text).unwrap(), location.mount);
    let listed = location.uri();
    assert!(listed.is_ascii() && listed.starts_with(uri::ROOT));
    let again = uri::Location::parse(&listed).unwrap();
    assert_eq!(again, location);
    assert_eq!(again.uri(), listed);
    for name in location.path.iter().chain([&location.mount]) {
        let bytes = name.as_encoded_bytes();
        assert!(!matches!(bytes, b"" | b"." | b".."));
        assert!(!bytes.contains(&b'/') && !bytes.contains(&0));
    }
}
