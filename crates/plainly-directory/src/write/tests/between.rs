//! Changes during which another program changes the same name. No file of that program is lost.

use std::io;

use cap_std::fs::Metadata;

use super::*;
use crate::place::OpenEntry;
use crate::step::faults::meanwhile;
use crate::write::contents::Contents;
use crate::write::slot::Slot;
use crate::write::temporary::Temporary;
use crate::write::{recoverable, replace};
use crate::{content, handle};

impl Directory {
    fn look(&self, name: &str) -> Metadata {
        handle::look(&self.store.mounts.roots[0].dir(), name.as_ref()).unwrap()
    }
}

/// Runs a change while another program replaces the file before it is moved, and runs `then` after
/// that.
fn between(
    directory: &Directory,
    operation: Operation,
    has_trash: bool,
    then: fn(&Path) -> io::Result<()>,
) -> Result<(), WriteError> {
    let root = directory.around.path().to_owned();
    let other = move |step| {
        if step == ChangeStep::PrepareTrash && !has_trash {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        if step == ChangeStep::Publish {
            fs::write(root.join("theirs"), "theirs")?;
            return fs::rename(root.join("theirs"), root.join("file"));
        }
        if step == ChangeStep::Verify {
            return then(&root.join("file"));
        }
        Ok(())
    };
    meanwhile(other, || {
        change_so(&directory.store, operation, !has_trash, When::Always)
    })
}

#[test]
fn a_file_that_cannot_go_back_is_not_lost() {
    let third = |file: &Path| fs::write(file, "third");
    let gone = |file: &Path| fs::remove_file(file);
    for (operation, then, expected) in [
        (
            Operation::Remove,
            third as fn(&Path) -> io::Result<()>,
            &["i", "theirs", "third"] as &[_],
        ),
        (Operation::Replace, gone, &["i", "theirs"]),
    ] {
        for has_trash in [true, false] {
            let directory = Directory::new();
            let root = directory.around.path();
            let done = between(&directory, operation, has_trash, then);
            let case = format!("{operation:?} {has_trash} {done:?}");
            assert!(matches!(done, Err(WriteError::Unknown(_))), "{case}");
            directory.clean(Duration::ZERO);
            assert_eq!(contents(root), expected, "{case}");
            assert_eq!(directory.leftovers(), [""; 0], "{case}");
        }
    }
}

#[test]
fn what_is_written_in_between_is_changed_content() {
    for operation in [Operation::Remove, Operation::Rename] {
        let directory = Directory::new();
        let root = directory.around.path().to_owned();
        let file = root.join("file");
        let mut is_written = false;
        let other = move |step| {
            if step == ChangeStep::Publish && !is_written {
                is_written = true;
                return fs::write(&file, "theirs");
            }
            Ok(())
        };
        let tag = content::tag(&directory.look("file"));
        let done = meanwhile(other, || {
            let when = When::Tag(tag.as_deref().unwrap());
            change_so(&directory.store, operation, false, when)
        });
        let case = format!("{operation:?} {done:?}");
        assert!(matches!(done, Err(WriteError::Changed { .. })), "{case}");
        assert_eq!(fs::read(root.join("file")).unwrap(), b"theirs", "{case}");
    }
}

#[test]
fn a_file_that_is_not_replaced_has_one_name() {
    let directory = Directory::new();
    let (_waits, waiter) = Waiter::until_dropped();
    let request = Request {
        mounts: &directory.store.mounts,
        waiter: &waiter,
    };
    let slot = Slot::find(&request, "file:///d/file").unwrap();
    let Some(OpenEntry::File(old)) = slot.resource().unwrap() else {
        panic!("no file");
    };
    let new = Temporary::create(slot.dir(), None).unwrap();
    slot.dir().remove_file(&new.name).unwrap();
    let done = recoverable::run(&slot, &old.metadata, Contents::default(), false, |trash| {
        replace::rename_over(&slot, &new, &old, trash)
    });
    assert!(done.is_err(), "{done:?}");
    assert_eq!(directory.look("file").nlink(), 1);
}
