//! The way in which this program was installed, and the command that starts it again.

use std::path::{Path, PathBuf};

/// The variable that a package sets when it starts the program: `npm`, `container` or `mcpb`.
const INSTALLED: &str = "PLAINLY_INSTALLED";

/// The kind of package that started this program, if it is known.
pub(crate) fn by() -> Option<String> {
    std::env::var(INSTALLED)
        .ok()
        .filter(|kind| !kind.is_empty())
}

/// The command of a package manager that starts this program, and its arguments, if the package
/// manager may remove `program` at any time, like other downloads for a single run.
pub(crate) fn passing(program: &Path) -> Option<(&'static str, Vec<String>)> {
    const PACKAGE: &str = concat!("plainly@", env!("CARGO_PKG_VERSION"));
    const EXACT: &str = concat!("plainly==", env!("CARGO_PKG_VERSION"));
    let is_uv = |folder: &str| {
        ["archive-v", "environments-v"].iter().any(|kind| {
            let version = folder.strip_prefix(kind);
            version.is_some_and(|version| version.parse::<u32>().is_ok())
        })
    };
    let is_bun = |folder: &str| folder.starts_with("bunx-");
    let folders = program.components();
    let folders: Vec<&str> = folders.filter_map(|it| it.as_os_str().to_str()).collect();
    let (command, words): (_, &[&str]) = folders.windows(2).find_map(|pair| match *pair {
        ["_npx", _] => Some(("npx", &["--yes", PACKAGE][..])),
        ["pnpm" | "pnpm-cache", "dlx"] => Some(("pnpm", &["dlx", PACKAGE])),
        [folder, _] if is_bun(folder) => Some(("bunx", &[PACKAGE])),
        ["pipx", ".cache"] | [".cache" | "Caches", "pipx"] => {
            Some(("pipx", &["run", "--spec", EXACT, "plainly"]))
        }
        [folder, _] if is_uv(folder) => Some(("uvx", &[PACKAGE])),
        _ => None,
    })?;
    Some((command, words.iter().map(|&word| word.to_owned()).collect()))
}

/// The path of the program that stays the same when Homebrew installs a newer version.
pub(crate) fn linked(program: &Path) -> PathBuf {
    // The path has the form /opt/homebrew/Cellar/plainly/0.1.0/bin/plainly.
    let cellar = program.ancestors().find(|it| it.ends_with("Cellar"));
    match (cellar.and_then(Path::parent), program.file_name()) {
        (Some(prefix), Some(name)) => prefix.join("bin").join(name),
        _ => program.to_owned(),
    }
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
            (
                "/home/ada/.cache/pnpm/dlx/1f/2e/node_modules/@plainly-mcp/cli-linux-x64/plainly",
                Some(format!("pnpm dlx plainly@{version}")),
            ),
            (
                "/tmp/bunx-1000-plainly@latest/node_modules/@plainly-mcp/cli-linux-x64/plainly",
                Some(format!("bunx plainly@{version}")),
            ),
            (
                "/home/ada/.cache/pipx/1f/bin/plainly",
                Some(format!("pipx run --spec plainly=={version} plainly")),
            ),
            (
                "/home/ada/.local/share/pipx/venvs/plainly/bin/plainly",
                None,
            ),
        ] {
            let found = passing(Path::new(program));
            let found = found.map(|(command, words)| format!("{command} {}", words.join(" ")));
            assert_eq!(found, expected, "{program}");
        }
    }

    #[test]
    fn the_link_of_homebrew_outlasts_the_program() {
        for (program, expected) in [
            ("/usr/bin/plainly", "/usr/bin/plainly"),
            (
                "/opt/homebrew/Cellar/plainly/0.1.0/bin/plainly",
                "/opt/homebrew/bin/plainly",
            ),
        ] {
            assert_eq!(linked(Path::new(program)), Path::new(expected));
        }
    }
}
