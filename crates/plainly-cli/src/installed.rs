//! The way in which this program was installed, and the words that start it again.

use std::path::Path;

/// Set by launchers and packages: `npm`, `pypi`, `deb`, `rpm`, `container` or `mcpb`.
const INSTALLED: &str = "PLAINLY_INSTALLED";

/// The kind of package that this program is from, if it is known.
pub(crate) fn by() -> Option<String> {
    std::env::var(INSTALLED)
        .ok()
        .filter(|kind| !kind.is_empty())
}

/// The command of a package manager that starts this program, if the manager may remove `program` at any time, as it
/// does with what it downloads to run once.
pub(crate) fn passing(program: &Path) -> Option<Vec<String>> {
    let version = env!("CARGO_PKG_VERSION");
    let folders: Vec<_> = program
        .components()
        .map(|it| it.as_os_str().to_string_lossy())
        .collect();
    let has = |name: &str| folders.iter().any(|folder| folder == name);
    let starts = |start: &str| folders.iter().any(|folder| folder.starts_with(start));
    let words: &[&str] = if has("_npx") {
        &["npx", "--yes"]
    } else if starts("archive-v") || starts("environments-v") {
        &["uvx"]
    } else {
        return None;
    };
    let package = format!("plainly@{version}");
    let words = words.iter().map(|word| (*word).to_owned());
    Some(words.chain([package]).collect())
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
            (
                "/home/ada/.npm/_npx/1f/node_modules/@plainly-mcp/cli-linux-x64/plainly",
                Some(format!("npx --yes plainly@{version}")),
            ),
            (
                "/home/ada/.cache/uv/archive-v0/x/bin/plainly",
                Some(format!("uvx plainly@{version}")),
            ),
        ] {
            let found = passing(Path::new(program)).map(|words| words.join(" "));
            assert_eq!(found, expected, "{program}");
        }
    }
}
