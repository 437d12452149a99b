//! The way in which this program was installed, and the words that start it again.

use std::path::Path;

/// Set by what starts the program from a package: `npm`, `container` or `mcpb`.
const INSTALLED: &str = "PLAINLY_INSTALLED";

/// The kind of package that this program was started from, if it is known.
pub(crate) fn by() -> Option<String> {
    std::env::var(INSTALLED)
        .ok()
        .filter(|kind| !kind.is_empty())
}

/// The command of a package manager that starts this program, and its arguments, if the manager may remove `program` at
/// any time, as it does with what it downloads to run once.
pub(crate) fn passing(program: &Path) -> Option<(&'static str, Vec<String>)> {
    let is_uv = |folder: &str| {
        ["archive-v", "environments-v"].iter().any(|kind| {
            let version = folder.strip_prefix(kind);
            version.is_some_and(|version| version.parse::<u32>().is_ok())
        })
    };
    let package = concat!("plainly@", env!("CARGO_PKG_VERSION"));
    program.components().find_map(|folder| {
        let folder = folder.as_os_str().to_str()?;
        match folder {
            "_npx" => Some(("npx", vec!["--yes".to_owned(), package.to_owned()])),
            _ if is_uv(folder) => Some(("uvx", vec![package.to_owned()])),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_manager_may_remove_is_started_by_it() {
        let version = env!("CARGO_PKG_VERSION");
        for (program, expected) in [
            ("/usr/bin/plainly", None),
            ("/home/ada/.local/share/uv/tools/plainly/bin/plainly", None),
            ("/home/ada/archive-video/plainly", None),
            (
                "/home/ada/.npm/_npx/1f/node_modules/@plainly-mcp/cli-linux-x64/plainly",
                Some(format!("npx --yes plainly@{version}")),
            ),
            (
                "/home/ada/.cache/uv/archive-v0/x/bin/plainly",
                Some(format!("uvx plainly@{version}")),
            ),
        ] {
            let found = passing(Path::new(program));
            let found = found.map(|(command, words)| format!("{command} {}", words.join(" ")));
            assert_eq!(found, expected, "{program}");
        }
    }
}
