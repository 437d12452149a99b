//! The directories for persistent data of a user's programs, other than configuration.

use std::ffi::OsString;
use std::path::PathBuf;

/// The systems with different directories.
#[derive(Clone, Copy, Debug)]
enum System {
    Macos,
    Windows,
    OtherUnix,
}

/// The directory of the user who runs this program.
pub(super) fn of_user() -> Option<PathBuf> {
    let system = match std::env::consts::OS {
        "macos" => System::Macos,
        "windows" => System::Windows,
        _ => System::OtherUnix,
    };
    let home = std::env::home_dir();
    of(system, home, |name| std::env::var_os(name))
}

fn of(
    system: System,
    home: Option<PathBuf>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let (name, below_home) = match system {
        System::Macos => ("XDG_STATE_HOME", "Library/Application Support"),
        System::Windows => ("LOCALAPPDATA", "AppData/Local"),
        System::OtherUnix => ("XDG_STATE_HOME", ".local/state"),
    };
    // A relative path must be ignored (XDG Base Directory Specification).
    let named = variable(name).map(PathBuf::from);
    let named = named.filter(|path| path.is_absolute());
    let home = home.filter(|path| path.is_absolute());
    let base = named.or_else(|| Some(home?.join(below_home)))?;
    Some(base.join("plainly"))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_place() {
        use System::{Macos, OtherUnix, Windows};
        for (system, home, named, expected) in [
            (OtherUnix, "/home/me", "", "/home/me/.local/state/plainly"),
            (OtherUnix, "/home/me", "/state", "/state/plainly"),
            (OtherUnix, "", "/state", "/state/plainly"),
            (
                OtherUnix,
                "/home/me",
                "state",
                "/home/me/.local/state/plainly",
            ),
            (OtherUnix, "", "", ""),
            (OtherUnix, "home", "", ""),
            (
                Macos,
                "/Users/me",
                "",
                "/Users/me/Library/Application Support/plainly",
            ),
            (Macos, "/Users/me", "/state", "/state/plainly"),
            (Windows, "/me", "", "/me/AppData/Local/plainly"),
            (Windows, "/me", "/local", "/local/plainly"),
        ] {
            let some = |text: &str| Some(text.to_owned()).filter(|it| !it.is_empty());
            let found = of(system, some(home).map(PathBuf::from), |name| {
                let is_asked = matches!(name, "XDG_STATE_HOME" | "LOCALAPPDATA");
                assert!(is_asked, "{name}");
                some(named).map(OsString::from)
            });
            let expected = some(expected).map(PathBuf::from);
            assert_eq!(found, expected, "{system:?} {home} {named}");
        }
    }
}
