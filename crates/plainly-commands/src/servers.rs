//! The servers in the configuration of hosts: finds them by name, lists them, and adds and removes
//! them.

mod allowed;
mod edit;
mod entry;
mod env_file;
mod file;
mod hosts;
mod paths;
mod reach;
mod spelled;
mod spelling;
mod syntax;
mod told;
mod variables;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub(crate) use self::allowed::ProjectFile;
pub(crate) use self::edit::{EditRefusal, add, remove};
use self::entry::{Entry, entries};
pub(crate) use self::file::{FileWrite, lock, read, write};
pub(crate) use self::hosts::Machine;
use self::hosts::{Source, row};
pub(crate) use self::paths::Paths;
pub(crate) use self::reach::Reach;
pub(crate) use self::spelled::spelled;
pub(crate) use self::syntax::FileFault;
use self::syntax::Syntax;
pub(crate) use self::told::{config, place};
use self::variables::{MissingValue, Variables};
use crate::args::Host;
use crate::failure::Failure;
use crate::near::{first, nearest};
use crate::shell_word::shell_word;
use crate::visible::visible;

/// Whether the text of the host's file contains no servers.
pub(crate) fn is_empty(host: Host, text: &str) -> bool {
    entries(&parsed(host, text)).is_ok_and(|entries| entries.is_empty())
}

/// The contents of a host's file; `null` if the file can't be read.
pub(crate) fn parsed(host: Host, text: &str) -> Value {
    let read = row(host).syntax.read(Path::new(""), text);
    read.unwrap_or_default()
}

/// A server with an entry in a file.
#[derive(Clone, Debug)]
pub(crate) struct ConfiguredServer {
    pub(crate) name: String,
    /// The host that the file belongs to.
    pub(crate) host: Option<Host>,
    pub(crate) path: PathBuf,
    /// The directory of the project that the file belongs to.
    project: Option<PathBuf>,
    /// The file, if others may have written it.
    pub(crate) foreign: Option<ProjectFile>,
    /// The entry, or the mistake in it.
    pub(crate) entry: Result<Entry, String>,
}

impl ConfiguredServer {
    /// The end of the error that a file has no such server, if another file or another part of the
    /// same file has one: its place, and the way to remove it.
    pub(crate) fn besides(&self) -> String {
        let (name, there) = (shell_word(&self.name), self.path.display());
        match (&self.project, &self.foreign) {
            // Claude Code has one file for all projects.
            (Some(project), None) => format!(
                " but for the project {0}: in {0}, run claude mcp remove --scope local {name}",
                project.display()
            ),
            (Some(project), Some(_)) => {
                format!(", but {there} has: use --project in {}", project.display())
            }
            (None, _) => format!(", but {there} has: leave out --project"),
        }
    }
}

/// The files to search: those of all hosts, or a single one.
pub(crate) struct Search {
    machine: Machine,
    sources: Vec<Source>,
    is_named: bool,
}

impl Search {
    /// Searches the files of all hosts on this machine, or only the file `only`.
    pub(crate) fn new(only: Option<&Path>) -> Self {
        let machine = Machine::here();
        let named = only.map(|path| Source {
            host: None,
            path: path.to_owned(),
            project: None,
            is_divided: false,
            is_foreign: true,
        });
        let is_named = named.is_some();
        let sources = named.map_or_else(|| machine.sources(), |source| vec![source]);
        Self {
            machine,
            sources,
            is_named,
        }
    }

    /// The nearest server with this name. Warns about unreadable files, which might contain it.
    pub(crate) fn find(&self, name: &str) -> Result<Option<ConfiguredServer>, Failure> {
        for servers in self.by_file() {
            let mut servers = servers?.into_iter();
            if let Some(found) = servers.find(|server| server.name == name) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The nearest server with this name in the files of a host. Unreadable files are skipped.
    pub(crate) fn found(&self, host: Host, name: &str) -> Option<ConfiguredServer> {
        let sources = self.sources.iter();
        let own = sources.filter(|source| source.host == Some(host));
        let mut servers = own.filter_map(|source| self.read(source).ok()).flatten();
        servers.find(|server| server.name == name)
    }

    /// The user's own server that this server of a project hides, if it has the same name and
    /// another entry.
    pub(crate) fn hidden_by(&self, found: &ConfiguredServer) -> Option<ConfiguredServer> {
        found.foreign.as_ref()?;
        let own = self.sources.iter().filter(|source| !source.is_foreign);
        // Unreadable files are skipped.
        let own = own.filter_map(|source| self.read(source).ok()).flatten();
        let mut same = own.filter(|own| own.name == found.name);
        same.find(|own| own.entry != found.entry)
    }

    /// All servers, nearest first.
    pub(crate) fn all(&self) -> Result<Vec<ConfiguredServer>, Failure> {
        let all = self.by_file().collect::<Result<Vec<_>, _>>()?;
        Ok(all.into_iter().flatten().collect())
    }

    /// The servers in each file.
    fn by_file(&self) -> impl Iterator<Item = Result<Vec<ConfiguredServer>, Failure>> {
        let mut warned = None;
        self.sources
            .iter()
            .map(move |source| match self.read(source) {
                Err(broken) if self.is_named => Err(Failure::impossible(broken.to_string(), None)),
                Err(broken) => {
                    // One file can be the source for several projects.
                    if warned.as_ref() != Some(&broken.path) {
                        tracing::warn!("{broken}");
                    }
                    warned = Some(broken.path);
                    Ok(Vec::new())
                }
                Ok(servers) => Ok(servers),
            })
    }

    fn read(&self, source: &Source) -> Result<Vec<ConfiguredServer>, FileFault> {
        let path = &source.path;
        let broken = |why: String| FileFault {
            path: path.clone(),
            place: None,
            why,
        };
        let Some(text) = read(path)? else {
            return match self.is_named {
                true => Err(broken("there is no such file".to_owned())),
                false => Ok(Vec::new()),
            };
        };
        let syntax = match source.host {
            Some(host) => row(host).syntax,
            None => Syntax::of(path),
        };
        let root = syntax.read(path, &text)?;
        let project = source.project.as_deref();
        let part = match project.filter(|_| source.is_divided) {
            Some(project) => root
                .get("projects")
                .and_then(|all| all.get(&*project.to_string_lossy())),
            None => Some(&root),
        };
        let found = part.map(entries).transpose().map_err(broken)?;
        let found = found.unwrap_or_default().into_iter();
        let foreign = source.is_foreign.then(|| ProjectFile::new(path, &text));
        let servers = found.map(|(name, entry)| ConfiguredServer {
            name: name.to_owned(),
            host: source.host,
            path: path.clone(),
            project: source.project.clone(),
            foreign: foreign.clone(),
            entry: Entry::read(entry),
        });
        Ok(servers.collect())
    }

    /// The way to reach the server, with the values of all variables. `env` and `headers` replace
    /// its own variables and headers of the same names.
    pub(crate) fn reach(
        &self,
        server: &ConfiguredServer,
        env: &[(String, String)],
        headers: &[(String, String)],
    ) -> Result<Reach, Failure> {
        let ConfiguredServer { name, path, .. } = server;
        let here = |why: &str| format!("the server {name} in {}: {why}", path.display());
        let entry = server.entry.clone();
        let entry = entry.map_err(|why| Failure::impossible(here(&why), None))?;
        if entry.is_disabled {
            tracing::warn!("{}", here("it is disabled"));
        }
        let mut reach = entry.reach;
        match &mut reach {
            Reach::Command { env: own, .. } => {
                own.retain(|(key, _)| !env.iter().any(|(given, _)| given == key));
            }
            Reach::Url { headers: own, .. } => {
                own.retain(|(key, _)| {
                    !headers
                        .iter()
                        .any(|(given, _)| given.eq_ignore_ascii_case(key))
                });
            }
        }
        let environment = environment(env);
        let directory = server.project.as_deref().unwrap_or(&self.machine.directory);
        let variables = Variables {
            environment: &environment,
            project: directory,
            home: self.machine.home.as_deref(),
            has_bare: server.host == Some(Host::Gemini),
        };
        let wrong = |unresolved: MissingValue| Failure::impossible(here(&unresolved.why()), None);
        let mut reach = reach.expanded(&variables).map_err(wrong)?;
        if let (Some(file), Reach::Command { env: own, .. }) = (entry.env_file, &mut reach) {
            let path = directory.join(variables.expand(&file).map_err(wrong)?);
            let in_file = env_file::variables(&path);
            let mut all =
                in_file.map_err(|broken| Failure::impossible(here(&broken.to_string()), None))?;
            // The last value with a name counts.
            all.append(own);
            *own = all;
        }
        Ok(within(reach, directory))
    }
}

/// Moves the process to the directory where its host would start it: the project, or a directory
/// relative to that.
fn within(reach: Reach, directory: &Path) -> Reach {
    match reach {
        Reach::Command {
            program,
            args,
            env,
            cwd,
        } => {
            let cwd = directory.join(cwd.unwrap_or_default());
            let is_path = Path::new(&program).components().count() > 1;
            let path = cwd.join(&program).to_string_lossy().into_owned();
            Reach::Command {
                program: if is_path { path } else { program },
                args,
                env,
                cwd: Some(cwd.to_string_lossy().into_owned()),
            }
        }
        url @ Reach::Url { .. } => url,
    }
}

/// The text with the values of its variables, or the name of one that has none. Values in `given`
/// take precedence.
pub(crate) fn expanded(text: &str, given: &[(String, String)]) -> Result<String, String> {
    let environment = environment(given);
    let variables = Variables {
        environment: &environment,
        project: Path::new(""),
        home: None,
        has_bare: false,
    };
    let expanded = variables.expand(text);
    expanded.map_err(|(MissingValue::Unset(name) | MissingValue::Asked(name))| name)
}

fn environment(given: &[(String, String)]) -> impl Fn(&str) -> Option<String> {
    move |name| {
        let given = given.iter().rev().find(|(key, _)| key == name);
        let value = given.map(|(_, value)| value.clone());
        value.or_else(|| std::env::var(name).ok())
    }
}

/// The hint for an unknown name: the probable server, and the existing ones, if there are any.
pub(crate) fn unknown(name: &str, there: &[ConfiguredServer]) -> Option<String> {
    let mut names: Vec<_> = there.iter().map(|server| server.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let meant = nearest(name, names.iter().map(String::as_str));
    let meant = meant
        .first()
        .map(|name| format!("did you mean {}? ", visible(name)));
    Some(format!(
        "{}the configured servers are {}",
        meant.unwrap_or_default(),
        first(&names)
    ))
}
