//! Any text as a configuration file of each host. An added entry must be read back unchanged, and
//! removing it must restore the text; a file that can't be read or changed must be rejected. All
//! texts in it are expanded.

#![no_main]

#[path = "../../crates/plainly-commands/src"]
#[expect(dead_code, reason = "the rest is for commands")]
mod rooms {
    pub(crate) mod args {
        pub(crate) mod host;
        pub(crate) use self::host::Host;
    }
    pub(crate) mod json;
    pub(crate) mod secrets;
    pub(crate) mod visible;
    pub(crate) mod servers {
        pub(crate) mod edit;
        pub(crate) mod entry;
        pub(crate) mod hosts;
        pub(crate) mod reach;
        pub(crate) mod spelled;
        pub(crate) mod spelling;
        pub(crate) mod syntax;
        pub(crate) mod variables;

        /// The servers in a file, as far as they can be read.
        pub(crate) fn reaches(root: &serde_json::Value) -> Vec<reach::Reach> {
            let entries = entry::entries(root).unwrap_or_default().into_iter();
            let read = entries.filter_map(|(_, entry)| entry::Entry::read(entry).ok());
            read.map(|entry| entry.reach).collect()
        }
    }
    pub(crate) mod shell_word;
}
pub(crate) use self::rooms::{args, json, secrets, servers, shell_word, visible};

use std::hint::black_box;
use std::path::Path;

use clap::ValueEnum;
use libfuzzer_sys::fuzz_target;

use self::args::Host;
use self::servers::edit::{EditRefusal, add, remove};
use self::servers::reach::Reach;
use self::servers::reaches;
use self::servers::syntax::Syntax;
use self::servers::variables::Variables;

fuzz_target!(|input: (u8, &str, &str)| {
    let (host, name, text) = input;
    let hosts = Host::value_variants();
    let host = hosts[usize::from(host) % hosts.len()];
    let reach = Reach::command("p".to_owned(), vec![text.to_owned()]);
    if let Ok(added) = add(host, text, name, &reach, false) {
        let again = add(host, &added, name, &reach, false);
        // An unreadable value, such as a number beyond the range of a double, can't be compared.
        let mut syntaxes = [Syntax::Json, Syntax::Toml].into_iter();
        let is_read = syntaxes.any(|syntax| syntax.read(Path::new("f"), &added).is_ok());
        assert!(again.as_ref() == Ok(&added) || !is_read);
        let other = Reach::Url {
            url: "http://h/".to_owned(),
            headers: Vec::new(),
        };
        assert_eq!(
            add(host, &added, name, &other, false),
            Err(EditRefusal::Exists)
        );
        let replaced = add(host, &added, name, &other, true).expect("it has an entry");
        let left = remove(host, &added, name).expect("it has an entry");
        assert_eq!(remove(host, &replaced, name).as_ref(), Ok(&left));
    }
    for syntax in [Syntax::Json, Syntax::Toml] {
        match syntax.read(Path::new("f"), text) {
            Ok(root) => reaches(&root).into_iter().for_each(expand),
            Err(broken) => assert!(!broken.to_string().contains('\n')),
        }
    }
});

fn expand(reach: Reach) {
    for has_bare in [false, true] {
        let variables = Variables {
            environment: &|name| (name.len() < 3).then(|| "${A}$B".to_owned()),
            project: Path::new("/p"),
            home: None,
            has_bare,
        };
        if let Ok(expanded) = reach.clone().expanded(&variables) {
            black_box(expanded.shown());
        }
    }
}
