//! The programs that a command line names, and the search path.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The extensions of programs that Windows users leave out. Launchers such as npx are batch files.
const LEFT_OUT: [&str; 3] = ["exe", "cmd", "bat"];

/// Whether this names a program: a file, or a name that is found in the search path.
pub(crate) fn is_program(word: &str) -> bool {
    let path = Path::new(word);
    if path.components().count() != 1 {
        return path.is_file();
    }
    let places = search_path();
    let mut whole = std::env::split_paths(&places).map(|place| place.join(word));
    whole.any(|file| file.is_file()) || with_extension(path, &places).is_some()
}

/// The name under which the operating system finds a program that the user names so: Windows adds
/// only `.exe` by itself.
pub(crate) fn startable(word: OsString) -> OsString {
    let found = cfg!(windows).then(|| with_extension(Path::new(&word), &search_path()));
    found.flatten().map_or(word, PathBuf::into_os_string)
}

/// The first file in these places with this name and an extension that the name leaves out.
fn with_extension(name: &Path, places: &OsStr) -> Option<PathBuf> {
    if name.components().count() != 1 || name.extension().is_some() {
        return None;
    }
    let places = std::env::split_paths(places);
    let mut files = places.flat_map(|place| {
        let file = place.join(name);
        LEFT_OUT.map(|extension| file.with_extension(extension))
    });
    files.find(|file| file.is_file())
}

fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_is_found_without_its_extension() {
        let place = tempfile::tempdir().unwrap();
        for file in [
            "npx", "npx.cmd", "uvx.bat", "node.exe", "node.cmd", "script",
        ] {
            std::fs::write(place.path().join(file), "").unwrap();
        }
        let places = [Path::new("/nowhere"), place.path()];
        let places = std::env::join_paths(places).unwrap();
        for (name, expected) in [
            ("npx", Some("npx.cmd")),
            ("uvx", Some("uvx.bat")),
            ("node", Some("node.exe")),
            ("npx.cmd", None),
            ("script", None),
            ("./npx", None),
            ("", None),
        ] {
            let found = with_extension(Path::new(name), &places);
            assert_eq!(
                found,
                expected.map(|file| place.path().join(file)),
                "{name}"
            );
        }
    }
}
