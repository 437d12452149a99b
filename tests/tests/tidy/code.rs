//! Rules on the code of the crates: where certain words may be, and how code is named, documented
//! and divided.

use std::collections::BTreeMap;

use crate::source::{Module, modules};
use crate::workspace::files;

/// Parts of words and paths that must not occur in the places `within`, or anywhere if that is
/// empty. The places in `except` are exempt.
struct Rule {
    why: &'static str,
    words: &'static [&'static str],
    within: &'static [&'static str],
    except: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule {
        why: "A transport never sees a method name or a typed result.",
        words: &["protocol::types", "protocol::method"],
        within: &[
            "crates/plainly-transport/src",
            "crates/plainly-http/src",
            "crates/plainly-client/src/http/endpoint.rs",
        ],
        except: &[],
    },
    Rule {
        why: "Handlers, extractors and stores never see an era.",
        words: &["Era", "Revision", "revision"],
        within: &[
            "crates/plainly-server/src/extract",
            "crates/plainly-server/src/reply",
            "crates/plainly-server/src/handler.rs",
            "crates/plainly-server/src/store",
            "crates/plainly-store/src",
            "crates/plainly-directory/src",
        ],
        except: &[],
    },
    Rule {
        why: "Differences between revisions are in tables; others ask for a trait, a method or a feature.",
        words: &["Revision::V2", "Era::L", "Era::M"],
        within: &[],
        except: &[
            "crates/plainly-errors/src/revision",
            "crates/plainly-protocol/src/method.rs",
            "crates/plainly-protocol/src/question.rs",
            "crates/plainly-protocol/src/shape",
            "crates/plainly-client/src/connect/handshake.rs",
            "crates/plainly-server/src/resolve.rs",
        ],
    },
    Rule {
        why: "A local error can't be sent to a peer.",
        words: &["Serialize"],
        within: &["crates/plainly-client/src/error.rs"],
        except: &[],
    },
    Rule {
        why: "No message is decoded by trying one type after another. In the exceptions the attribute only writes, or keeps a \
              block of an unknown type whole.",
        words: &["untagged"],
        within: &[],
        except: &[
            "crates/plainly-protocol/src/types/content.rs",
            "crates/plainly-protocol/src/types/form/member.rs",
            "crates/plainly-protocol/src/types/sampling.rs",
            "crates/plainly-commands/src",
            "crates/plainly-oauth/src",
        ],
    },
    Rule {
        why: "Messages pass without a tree of values.",
        words: &["Value"],
        within: &[
            "crates/plainly-protocol/src/envelope",
            "crates/plainly-server/src/dispatch.rs",
            "crates/plainly-server/src/incoming/connection",
            "crates/plainly-server/src/incoming/exchange.rs",
            "crates/plainly-server/src/outgoing/encode.rs",
        ],
        except: &[],
    },
    Rule {
        why: "Only the stdio transport and the binary, in one place, write to standard output.",
        words: &["io::stdout"],
        within: &[],
        except: &[
            "crates/plainly-transport/src/standard",
            "crates/plainly-commands/src/output.rs",
        ],
    },
    Rule {
        why: "The numbers of errors are in one table.",
        words: &["-32"],
        within: &[],
        except: &[
            "crates/plainly-errors/src/registry",
            "crates/plainly-errors/src/code.rs",
            // These are the codes that other implementations send.
            "crates/plainly-errors/src/habit/table.rs",
            // Its help shows an example with a code.
            "crates/plainly-commands/src/args/explain.rs",
        ],
    },
];

fn is_in(module: &Module, places: &[&str]) -> bool {
    places.iter().any(|place| module.file.starts_with(place))
}

/// The words and paths of a module with their lines. A minus sign belongs to its number.
fn texts(module: &Module) -> impl Iterator<Item = (String, usize)> {
    let alone = module.words.windows(2).filter_map(|pair| {
        let (before, word) = (&pair[0].text, &pair[1]);
        let minus = if before.ends_with('-') { "-" } else { "" };
        // A name after `::` is part of a path.
        (!before.ends_with("::")).then(|| (format!("{minus}{}", word.text), word.line))
    });
    let paths = module.references.iter();
    alone.chain(paths.map(|found| (found.path.join("::"), found.line)))
}

#[test]
fn words_stand_only_where_they_may() {
    let mut wrong = Vec::new();
    for Rule {
        why,
        words,
        within,
        except,
    } in RULES
    {
        for place in within.iter().chain(*except) {
            assert!(
                modules().iter().any(|module| is_in(module, &[place])),
                "{place} is gone"
            );
        }
        let subject = |module: &&Module| {
            (within.is_empty() || is_in(module, within)) && !is_in(module, except)
        };
        for module in modules().iter().filter(subject) {
            let found = texts(module).filter(|(text, _)| {
                // These are no JSON values.
                let text = text.replace("HeaderValue", "").replace("V::Value", "");
                words.iter().any(|word| text.contains(word))
            });
            wrong
                .extend(found.map(|(text, line)| format!("{}:{line}: {text}: {why}", module.file)));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Names that are meaningless without their module.
const GENERIC: &[&str] = &["Error", "Inner", "Kind", "Result", "State"];

#[test]
fn no_two_types_of_a_crate_have_one_name() {
    let mut names: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for module in modules() {
        for pair in module.words.windows(2) {
            let is_type = ["struct", "enum", "trait"].contains(&pair[0].text.as_str());
            let name = pair[1].text.as_str();
            if is_type && name.starts_with(char::is_uppercase) && !GENERIC.contains(&name) {
                let place = format!("{}:{}", module.file, pair[1].line);
                names
                    .entry((&module.crate_name, name))
                    .or_default()
                    .push(place);
            }
        }
    }
    names.retain(|_, places| places.len() > 1);
    // One type has two definitions, with and without a feature.
    names.retain(|(source, name), _| (source.as_str(), *name) != ("plainly-schema", "Pattern"));
    assert!(names.is_empty(), "{names:#?}");
}

/// The starts of a line that hide its subject: a line starts with a noun, or with a verb in the
/// third person.
const STARTS: &[&str] = &[
    "As many", "How", "Of", "So many", "Such", "That", "The same", "Those", "What", "Whatever",
    "When", "Where", "Who", "Whoever", "Whom", "Whose", "Why",
];

/// Words that hide the actor or the action: name the user, client or server; report, return or
/// contain.
const WORDS: &[&str] = &[
    "anybody",
    "everybody",
    "nobody",
    "people",
    "person",
    "say",
    "says",
    "said",
    "somebody",
    "someone",
    "tell",
    "tells",
    "told",
    "whoever",
];

#[test]
fn documentation_names_its_subject_and_who_acts() {
    let docs = modules().iter().flat_map(|module| {
        let docs = module.docs.iter();
        docs.map(|doc| (&module.file, doc.line, doc.text.as_str()))
    });
    let riddles = docs.filter(|(_, _, text)| {
        let mut starts = STARTS.iter().filter_map(|start| text.strip_prefix(start));
        let prose: String = text.split('`').step_by(2).collect();
        let mut words = prose.split(|it: char| !it.is_alphanumeric());
        starts.any(|rest| !rest.starts_with(char::is_alphanumeric))
            || words.any(|word| WORDS.contains(&word))
    });
    let riddles = riddles.map(|(file, line, text)| format!("{file}:{line}: {text}"));
    assert_eq!(riddles.collect::<Vec<_>>(), [""; 0]);
}

/// The most lines of a file, without its tests. Clippy limits those of a function.
const FILE: usize = 450;

#[test]
fn a_file_has_one_idea_and_says_first_which() {
    let long = modules().iter().filter_map(|module| {
        let lines = module.words.last()?.line;
        (lines > FILE).then(|| format!("{}, {lines} lines", module.file))
    });
    assert_eq!(long.collect::<Vec<_>>(), [""; 0]);
    let mut silent = files(&[".rs"]);
    silent.retain(|file| !file.text.starts_with("//! "));
    let silent: Vec<_> = silent.into_iter().map(|file| file.path).collect();
    assert_eq!(silent, [""; 0]);
}

/// Sources never mention where they were written, because that is useless to their readers.
#[test]
fn the_project_speaks_of_itself_alone() {
    let foreign = [["/", "work/"].concat(), ["../", "shared"].concat()];
    for file in files(&[".rs", ".toml", ".md", ".mjs", ".py", ".json"]) {
        for word in &foreign {
            assert!(!file.text.contains(word), "{} has {word}", file.path);
        }
    }
}
