//! The hosts, each with one row: the places of its servers, and their spelling.

use std::path::{Path, PathBuf};

use super::syntax::Syntax;
use crate::args::Host;

/// The place of a host's servers, and their spelling.
pub(super) struct HostRow {
    /// The host's file in a project, if it has one.
    pub(super) project: Option<&'static str>,
    /// The host's file for all projects of a user.
    pub(super) user: (Base, &'static str),
    /// The place of that file, for display.
    pub(super) place: &'static str,
    pub(super) syntax: Syntax,
    /// The member that contains all servers.
    pub(super) key: &'static str,
    /// Whether an entry contains its type.
    pub(super) has_type: bool,
    /// The member for a URL; without one, the host starts a program that forwards messages.
    pub(super) url: Option<&'static str>,
    /// The member for headers.
    pub(super) headers: &'static str,
    /// The spelling of environment variables.
    pub(super) variables: VariableSpelling,
    /// The host's variable for the directory of a project.
    pub(super) project_directory: &'static str,
}

/// A host's spelling of environment variables in its file, according to its documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableSpelling {
    /// `${NAME}`, or `${NAME:-default}`.
    Shell,
    /// `${env:NAME}`.
    Editor,
    /// Only the variable's name, in separate members.
    Members,
    /// No variables: texts are unchanged.
    Unknown,
}

/// The directory of a user's files.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// The user's home directory.
    Home,
    /// A directory that a variable names, or else this one in the home directory.
    Own(&'static str, &'static str),
    /// The directory for application settings.
    Applications,
    /// Like `Applications`, but on macOS the directory for terminal programs.
    Config,
}

/// The values that most hosts share.
const JSON: HostRow = HostRow {
    project: None,
    user: (Base::Home, ""),
    place: "",
    syntax: Syntax::Json,
    key: "mcpServers",
    has_type: false,
    url: Some("url"),
    headers: "headers",
    variables: VariableSpelling::Shell,
    project_directory: ".",
};

/// The variable of editors for the project's directory.
const WORKSPACE: &str = "${workspaceFolder}";

/// The only host that uses TOML.
const CODEX: HostRow = HostRow {
    project: Some(".codex/config.toml"),
    user: (Base::Own("CODEX_HOME", ".codex"), "config.toml"),
    place: "~/.codex/config.toml",
    variables: VariableSpelling::Members,
    syntax: Syntax::Toml,
    key: "mcp_servers",
    headers: "http_headers",
    ..JSON
};

pub(super) const fn row(host: Host) -> HostRow {
    match host {
        Host::Claude => HostRow {
            project: Some(".mcp.json"),
            user: (Base::Own("CLAUDE_CONFIG_DIR", ""), ".claude.json"),
            place: "run this in the project",
            has_type: true,
            ..JSON
        },
        Host::ClaudeDesktop => HostRow {
            user: (Base::Applications, "Claude/claude_desktop_config.json"),
            place: "claude_desktop_config.json, which Settings > Developer > Edit Config opens",
            variables: VariableSpelling::Unknown,
            url: None,
            ..JSON
        },
        Host::Vscode => HostRow {
            project: Some(".vscode/mcp.json"),
            user: (Base::Applications, "Code/User/mcp.json"),
            place: ".vscode/mcp.json in the workspace",
            variables: VariableSpelling::Editor,
            project_directory: WORKSPACE,
            key: "servers",
            has_type: true,
            ..JSON
        },
        Host::Cursor => HostRow {
            project: Some(".cursor/mcp.json"),
            user: (Base::Home, ".cursor/mcp.json"),
            place: ".cursor/mcp.json in the project, or ~/.cursor/mcp.json",
            variables: VariableSpelling::Editor,
            project_directory: WORKSPACE,
            ..JSON
        },
        Host::Codex => CODEX,
        Host::Zed => HostRow {
            project: Some(".zed/settings.json"),
            user: (Base::Config, "zed/settings.json"),
            place: "settings.json, which `zed: open settings file` opens",
            variables: VariableSpelling::Unknown,
            key: "context_servers",
            ..JSON
        },
        Host::Windsurf => HostRow {
            user: (Base::Home, ".codeium/windsurf/mcp_config.json"),
            place: "~/.codeium/windsurf/mcp_config.json",
            variables: VariableSpelling::Editor,
            url: Some("serverUrl"),
            ..JSON
        },
        Host::Gemini => HostRow {
            project: Some(".gemini/settings.json"),
            user: (Base::Home, ".gemini/settings.json"),
            place: "~/.gemini/settings.json, or .gemini/settings.json in the project",
            url: Some("httpUrl"),
            ..JSON
        },
    }
}

/// A file in a project that belongs to no host.
const SHARED: &str = "mcp.json";

/// The operating systems that hosts distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Linux,
    Macos,
    Windows,
}

impl System {
    const fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Macos
        } else {
            Self::Linux
        }
    }
}

/// The facts about this machine that determine the paths of files.
pub(crate) struct Machine {
    pub(super) system: System,
    /// The user's home directory.
    pub(super) home: Option<PathBuf>,
    /// The current directory of the command.
    pub(super) directory: PathBuf,
    /// An environment variable, as a path.
    pub(super) variable: fn(&str) -> Option<PathBuf>,
}

/// A file that may contain servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) host: Option<Host>,
    pub(super) path: PathBuf,
    /// The project that the file belongs to.
    pub(super) project: Option<PathBuf>,
    /// Whether its servers are grouped by project: Claude Code has one file for all projects.
    pub(super) is_divided: bool,
    /// Whether others may have written it without the user having looked at it.
    pub(super) is_foreign: bool,
}

impl Machine {
    /// This machine, with its current state.
    pub(crate) fn here() -> Self {
        let variable = |name: &str| {
            let path = std::env::var_os(name).map(PathBuf::from);
            path.filter(|path| path.is_absolute())
        };
        Self {
            system: System::here(),
            home: std::env::home_dir().filter(|home| home.is_absolute()),
            // If the current directory is gone, so are its files.
            directory: std::path::absolute(".").unwrap_or_default(),
            variable,
        }
    }

    /// The host's file in the current directory.
    pub(crate) fn project_file(&self, host: Host) -> Option<PathBuf> {
        Some(self.directory.join(row(host).project?))
    }

    /// The root of the repository with the current directory, or else the current directory itself.
    pub(crate) fn project(&self) -> &Path {
        let is_root = |it: &&&Path| it.join(".git").exists();
        let projects = self.projects();
        projects
            .iter()
            .find(is_root)
            .copied()
            .unwrap_or(&self.directory)
    }

    /// The host's file for all projects of the user.
    pub(crate) fn user(&self, host: Host) -> Option<PathBuf> {
        let (base, file) = row(host).user;
        Some(self.base(base)?.join(file))
    }

    fn base(&self, base: Base) -> Option<PathBuf> {
        let home = |below: &str| Some(self.home.as_ref()?.join(below));
        match (base, self.system) {
            (Base::Home, _) => self.home.clone(),
            (Base::Own(variable, below), _) => (self.variable)(variable).or_else(|| home(below)),
            (Base::Applications | Base::Config, System::Windows) => {
                (self.variable)("APPDATA").or_else(|| home("AppData/Roaming"))
            }
            (Base::Applications, System::Macos) => home("Library/Application Support"),
            (Base::Applications | Base::Config, System::Linux | System::Macos) => {
                (self.variable)("XDG_CONFIG_HOME").or_else(|| home(".config"))
            }
        }
    }

    /// The current directory and those above it, up to the root of its repository, or else up to
    /// the home directory, which is excluded. Directories further above belong to others.
    fn projects(&self) -> Vec<&Path> {
        let above = || self.directory.ancestors();
        let is_home = |path: &Path| self.home.as_deref() == Some(path);
        let root = above()
            .take_while(|it| !is_home(it))
            .find(|it| it.join(".git").exists());
        let is_at_home = above().any(is_home);
        let mut projects: Vec<_> = match (root, is_at_home) {
            (Some(root), _) => above().take_while(|it| it.starts_with(root)).collect(),
            (None, true) => above().take_while(|it| !is_home(it)).collect(),
            (None, false) => Vec::new(),
        };
        if projects.is_empty() {
            projects.push(&self.directory);
        }
        projects
    }

    /// All files that may contain servers, nearest first.
    pub(super) fn sources(&self) -> Vec<Source> {
        use clap::ValueEnum;
        let mut sources = Vec::new();
        let hosts = Host::value_variants();
        // In the home directory, a user's own file may also look like that of a project.
        let is_own = |path: &Path| {
            hosts
                .iter()
                .any(|it| self.user(*it).as_deref() == Some(path))
        };
        for project in self.projects() {
            let own = |host: Option<Host>, path: PathBuf, is_divided: bool| Source {
                host,
                is_foreign: !is_divided && !is_own(&path),
                path,
                project: Some(project.to_owned()),
                is_divided,
            };
            let divided = self.user(Host::Claude);
            sources.extend(divided.map(|path| own(Some(Host::Claude), path, true)));
            for host in hosts {
                let file = row(*host).project;
                sources.extend(file.map(|file| own(Some(*host), project.join(file), false)));
                if *host == Host::Claude {
                    sources.push(own(None, project.join(SHARED), false));
                }
            }
        }
        for host in hosts {
            let Some(path) = self.user(*host) else {
                continue;
            };
            if !sources.iter().any(|it| it.path == path && !it.is_divided) {
                sources.push(Source {
                    host: Some(*host),
                    path,
                    project: None,
                    is_divided: false,
                    is_foreign: false,
                });
            }
        }
        sources
    }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn machine(system: System, directory: &str) -> Machine {
        Machine {
            system,
            home: Some(PathBuf::from("/home/me")),
            directory: PathBuf::from(directory),
            variable: |_| None,
        }
    }

    #[test]
    fn every_host_has_its_file_on_every_system() {
        let table = Host::value_variants().iter().map(|host| {
            let name = host.to_possible_value().unwrap();
            let on = [System::Linux, System::Macos, System::Windows].map(|system| {
                let path = machine(system, "/srv").user(*host).unwrap();
                path.to_str().unwrap().replace('\\', "/")
            });
            let [linux, macos, windows] = on;
            format!("{}\n  {linux}\n  {macos}\n  {windows}\n", name.get_name())
        });
        let table: String = table.collect();
        assert_eq!(table, include_str!("places.txt"), "{table}");
        let moved = Machine {
            variable: |name| Some(PathBuf::from("/moved").join(name)),
            ..machine(System::Linux, "/srv")
        };
        let path = |host| moved.user(host).unwrap();
        assert_eq!(
            path(Host::Claude),
            Path::new("/moved/CLAUDE_CONFIG_DIR/.claude.json")
        );
        assert_eq!(
            path(Host::Codex),
            Path::new("/moved/CODEX_HOME/config.toml")
        );
        assert_eq!(
            path(Host::Zed),
            Path::new("/moved/XDG_CONFIG_HOME/zed/settings.json")
        );
    }

    #[test]
    fn projects_end_where_others_begin() {
        for (directory, projects) in [
            ("/home/me/a/b", &["/home/me/a/b", "/home/me/a"][..]),
            ("/home/me", &["/home/me"]),
            ("/nowhere/a/b", &["/nowhere/a/b"]),
        ] {
            let machine = machine(System::Linux, directory);
            let expected: Vec<_> = projects.iter().map(Path::new).collect();
            assert_eq!(machine.projects(), expected, "{directory}");
        }
        let root = tempfile::TempDir::new().unwrap();
        let below = root.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        std::fs::create_dir(root.path().join(".git")).unwrap();
        let machine = machine(System::Linux, below.to_str().unwrap());
        assert_eq!(
            machine.projects(),
            [&below, &root.path().join("a"), root.path()]
        );
    }
}
