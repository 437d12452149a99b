//! Changes that are interrupted by an error of the operating system, or by the end of the process.

mod between;
mod killed;

use std::fs;
use std::path::Path;
use std::time::Duration;

use cap_fs_ext::MetadataExt;
use plainly::protocol::types::ResourceContents;
use plainly::store::{ListQuery, RenameQuery, Store, StoreError, When, Writable, WriteError};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::condition::Condition;
use super::leftovers::Cleaning;
use super::{Content, Removal, collection};
use crate::job::Waiter;
use crate::own_names;
use crate::request::Request;
use crate::step::ChangeStep;
use crate::step::faults::{Fault, STEPS, during};
use crate::store::DirectoryStore;

/// More than one piece each.
const OLD: usize = 600 << 10;
const NEW: usize = 700 << 10;

/// A change of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Create,
    Replace,
    Append,
    Remove,
    RemoveTree,
    Rename,
    Collection,
    /// Without a trash.
    ReplaceForGood,
    RemoveForGood,
    RemoveTreeForGood,
}

const OPERATIONS: [Operation; 10] = [
    Operation::Create,
    Operation::Replace,
    Operation::Append,
    Operation::Remove,
    Operation::RemoveTree,
    Operation::Rename,
    Operation::Collection,
    Operation::ReplaceForGood,
    Operation::RemoveForGood,
    Operation::RemoveTreeForGood,
];

impl Operation {
    /// Whether the trash can't be used, and the change is permanent.
    fn is_for_good(self) -> bool {
        matches!(
            self,
            Self::ReplaceForGood | Self::RemoveForGood | Self::RemoveTreeForGood
        )
    }

    /// Runs the change on this thread, with a fault at a step.
    fn during(
        self,
        store: &DirectoryStore,
        step: ChangeStep,
        fault: Fault,
    ) -> Result<(), WriteError> {
        during(step, fault, self.is_for_good(), || {
            change_so(store, self, self.is_for_good(), When::Always)
        })
    }
}

/// A writable directory with some files.
struct Directory {
    around: TempDir,
    store: DirectoryStore,
    runtime: Runtime,
}

impl Directory {
    fn new() -> Self {
        let around = tempfile::tempdir().unwrap();
        fs::write(around.path().join("file"), "o".repeat(OLD)).unwrap();
        fs::create_dir(around.path().join("dir")).unwrap();
        fs::write(around.path().join("dir/inner"), "i").unwrap();
        Self {
            store: serve(around.path()),
            around,
            runtime: Builder::new_current_thread().enable_all().build().unwrap(),
        }
    }

    /// Everything that is served: the path of each entry, with the count of each letter for a file.
    fn served(&self) -> Vec<String> {
        let query = ListQuery::new(100);
        let page = self.runtime.block_on(self.store.list(query)).unwrap();
        let resources = page.resources.iter().filter_map(|resource| {
            let path = resource.uri.strip_prefix("file:///d")?;
            Some((path, resource))
        });
        let resources = resources.map(|(path, resource)| {
            if resource.is_collection == Some(true) {
                return format!("{path}/");
            }
            let read = self.runtime.block_on(self.store.read(&resource.uri));
            format!("{path} {}", letters(&read.unwrap()))
        });
        let mut served: Vec<String> = resources.collect();
        served.sort();
        served
    }

    /// The store's own names in the directory itself, which are not served.
    fn leftovers(&self) -> Vec<String> {
        let entries = fs::read_dir(self.around.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name());
        let own = names.filter(|name| own_names::is_leftover(name));
        own.map(|name| name.into_string().unwrap()).collect()
    }

    /// Removes leftovers of a killed server from this age on.
    fn clean(&self, older_than: Duration) {
        let dir = self.store.mounts.roots[0].dir();
        let cleaning = Cleaning {
            device: dir.dir_metadata().unwrap().dev(),
            older_than,
            is_wanted: &|| true,
        };
        cleaning.directory(&dir, 0).unwrap();
    }
}

/// The contents of all files in a directory and below it, except the trash's own `.gitignore`.
fn contents(path: &Path) -> Vec<String> {
    let mut contents = Vec::new();
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap().path();
        if entry.is_dir() {
            contents.extend(self::contents(&entry));
        } else if !entry.ends_with(".gitignore") {
            contents.push(fs::read_to_string(entry).unwrap());
        }
    }
    contents.sort();
    contents
}

fn serve(path: &Path) -> DirectoryStore {
    let builder = DirectoryStore::builder().mount_writable_as("d", path);
    builder.hidden(true).build().unwrap()
}

/// Each letter of a content with its count.
fn letters(contents: &[ResourceContents]) -> String {
    let text = contents[0].body.as_text().unwrap();
    ["o", "n", "i"]
        .iter()
        .filter(|letter| text.contains(**letter))
        .map(|letter| format!("{letter}{}", text.matches(letter).count()))
        .collect()
}

/// Runs a change on this thread.
fn change(store: &DirectoryStore, operation: Operation) -> Result<(), WriteError> {
    change_so(store, operation, false, When::Always)
}

fn change_so(
    store: &DirectoryStore,
    operation: Operation,
    permanent: bool,
    when: When<'_>,
) -> Result<(), WriteError> {
    let (_waits, waiter) = Waiter::until_dropped();
    let request = Request {
        mounts: &store.mounts,
        waiter: &waiter,
    };
    let new = "n".repeat(NEW);
    let content = Content {
        append: operation == Operation::Append,
        permanent,
        condition: Condition::from(when),
    };
    let removal = Removal {
        recursive: true,
        permanent,
        condition: Condition::from(when),
    };
    let (file, absent) = ("file:///d/file", "file:///d/new");
    match operation {
        Operation::Create => request.write(absent, &content, new.as_bytes()).map(drop),
        Operation::Replace | Operation::ReplaceForGood | Operation::Append => {
            request.write(file, &content, new.as_bytes()).map(drop)
        }
        Operation::Remove | Operation::RemoveForGood => request.remove(file, &removal).map(drop),
        Operation::RemoveTree | Operation::RemoveTreeForGood => {
            request.remove("file:///d/dir", &removal).map(drop)
        }
        Operation::Rename => request.rename(file, absent, &content.condition).map(drop),
        Operation::Collection => collection::create(&request, "file:///d/new/inner"),
    }
}

/// Everything that is served before a change, and after it.
fn before_and_after(operation: Operation) -> [Vec<String>; 2] {
    let file = format!("/file o{OLD}");
    let [old, dir, inner] = [&*file, "/dir/", "/dir/inner i1"];
    let new = format!("/new n{NEW}");
    let replaced = format!("/file n{NEW}");
    let appended = format!("/file o{OLD}n{NEW}");
    let renamed = format!("/new o{OLD}");
    let before = vec!["/", dir, inner, old];
    let after = match operation {
        Operation::Create => vec!["/", dir, inner, old, &new],
        Operation::Replace | Operation::ReplaceForGood => vec!["/", dir, inner, &replaced],
        Operation::Append => vec!["/", dir, inner, &appended],
        Operation::Remove | Operation::RemoveForGood => vec!["/", dir, inner],
        Operation::RemoveTree | Operation::RemoveTreeForGood => vec!["/", old],
        Operation::Rename => vec!["/", dir, inner, &renamed],
        Operation::Collection => vec!["/", dir, inner, old, "/new/", "/new/inner/"],
    };
    [before, after].map(|all| all.into_iter().map(str::to_owned).collect())
}

const EIO: i32 = 5;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;

#[test]
fn a_change_that_fails_at_any_step_did_not_happen() {
    for operation in OPERATIONS {
        for step in STEPS {
            for number in [EIO, ENOSPC, EROFS] {
                let directory = Directory::new();
                let fault = Fault::Fails(number);
                let done = operation.during(&directory.store, step, fault);
                let [before, after] = before_and_after(operation);
                let case = format!("{operation:?} {step:?} {number}: {done:?}");
                let served = directory.served();
                match done {
                    Ok(()) => assert_eq!(served, after, "{case}"),
                    // One of two directories may have been created.
                    Err(WriteError::Unknown(_)) if operation == Operation::Collection => {}
                    // Some entries of the directory may have been removed.
                    Err(WriteError::Unknown(_))
                        if operation == Operation::RemoveTreeForGood
                            && step == ChangeStep::Trash =>
                    {
                        assert_eq!(served, before, "{case}");
                    }
                    // The written content may not be on disk.
                    Err(WriteError::Unknown(_)) => assert_eq!(served, after, "{case}"),
                    Err(error) => {
                        assert_eq!(served, before, "{case}");
                        assert!(is_expected(&error, step, number), "{case}");
                    }
                }
                assert_eq!(directory.leftovers(), [""; 0], "{case}");
                change(&directory.store, Operation::Append).unwrap_or_else(|error| {
                    panic!("{case}: then {error}");
                });
            }
        }
    }
}

/// Whether an error of the operating system is reported correctly.
fn is_expected(error: &WriteError, step: ChangeStep, number: i32) -> bool {
    let is_permanent = matches!(error, WriteError::Permanent { .. });
    let is_full = matches!(error, WriteError::Full { .. });
    let is_denied = matches!(error, WriteError::Denied { .. });
    let has_failed = matches!(error, WriteError::Store(StoreError::Failed(_)));
    is_permanent && step == ChangeStep::PrepareTrash && number != EROFS
        || is_full && number == ENOSPC
        || is_denied && number == EROFS
        || has_failed && number == EIO
}

#[test]
fn what_a_killed_server_left_is_removed_once_it_is_old() {
    let directory = Directory::new();
    let root = directory.around.path();
    let name = own_names::temporary();
    for at in [root.to_owned(), root.join("dir")] {
        fs::write(at.join(&name), "half").unwrap();
        fs::write(at.join(".plainly-notes.tmp"), "somebody's").unwrap();
    }
    let tree = root.join(own_names::temporary());
    fs::create_dir_all(tree.join("a/b")).unwrap();
    let taken = [own_names::taken(), own_names::taken()].map(|name| root.join("dir").join(name));
    fs::write(&taken[0], "taken").unwrap();
    fs::create_dir(&taken[1]).unwrap();
    fs::write(taken[1].join("inner"), "inside").unwrap();
    directory.clean(Duration::from_secs(3600));
    assert!(root.join(&name).exists() && tree.exists() && taken[0].exists());
    // Leftovers are not served, and don't prevent other changes.
    let served = directory.served();
    assert_eq!(served.len(), 6, "{served:?}");
    let (from, to) = ("file:///d/dir", "file:///d/other");
    for (from, to) in [(from, to), (to, from)] {
        let renaming = directory.store.rename(RenameQuery::new(from, to));
        directory.runtime.block_on(renaming).unwrap();
    }
    directory.clean(Duration::ZERO);
    let aside = contents(&root.join("dir"));
    assert_eq!(aside, ["i", "inside", "somebody's", "taken"]);
    assert_eq!(directory.leftovers(), [""; 0]);
    for at in [root.to_owned(), root.join("dir")] {
        assert!(!at.join(&name).exists());
        assert!(at.join(".plainly-notes.tmp").exists());
    }
    assert!(!tree.exists() && root.join("dir/inner").exists());
}
