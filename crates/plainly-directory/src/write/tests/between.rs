//! Other programs that change a name in the middle of a change: nothing of theirs is lost.

use std::io;

use super::*;
use crate::step::faults::meanwhile;

/// All contents of files in a directory and below it, without the trash's own.
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

/// Makes a change while another program replaces the file before it is moved, and does `then` after that.
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
        change_permanently(&directory.store, operation, !has_trash)
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
