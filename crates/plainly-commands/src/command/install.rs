//! `plainly install` and `plainly uninstall`: adds a server to the file of a host, and removes it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use serde_json::json;

use super::serve;
use crate::args::{
    Args, ChangeArgs, Command, HeaderArg, Host, InstallArgs, LogArgs, UninstallArgs, is_program,
};
use crate::failure::Failure;
use crate::output::Output;
use crate::secrets::Mask;
use crate::servers::{self, EditRefusal, FileWrite, Machine, Paths, ProjectFile, Reach, Search};
use crate::shell_word::shell_word;
use crate::whole_file::real;

/// The programs whose first argument names the server.
const RUNNERS: [&str; 8] = [
    "npx", "bunx", "pnpx", "uvx", "pipx", "node", "python", "python3",
];
/// The lines around a change that are printed with it.
const AROUND: usize = 3;
/// The most attempts of a change, if other programs change the file at the same time.
const TRIES: usize = 10;

pub(crate) fn run(args: InstallArgs, log: &LogArgs) -> Result<(), Failure> {
    let (name, reach) = wanted(&args, log)?;
    let reach = servers::spelled(args.host, reach).map_err(|why| wrong(&why))?;
    let is_replaced = args.force;
    change(args.host, &name, &args.change, |text| {
        servers::add(args.host, text, &name, &reach, is_replaced)
    })
}

pub(crate) fn uninstall(args: &UninstallArgs) -> Result<(), Failure> {
    change(args.host, &args.name, &args.change, |text| {
        servers::remove(args.host, text, &args.name)
    })
}

/// The server to add, and its name.
fn wanted(args: &InstallArgs, log: &LogArgs) -> Result<(String, Reach), Failure> {
    let paths = match args.portable {
        true => Paths::portable(args.host, Path::new("."))?,
        false => Paths::Absolute,
    };
    let is_directory = args.command.is_empty() && !args.words.iter().any(|word| is_url(word));
    let given = args.content.given().or(args.writing.given());
    if let Some(option) = given.filter(|_| !is_directory) {
        return Err(wrong(&format!("{option} only works with directories")));
    }
    match (args.words.as_slice(), args.command.as_slice()) {
        (names @ ([] | [_]), [program, words @ ..]) => {
            let name = names.first().cloned();
            let name = name.unwrap_or_else(|| serve::key(None, Some(named(program, words))));
            if let Some(HeaderArg::Pair(header, _)) = args.headers.first() {
                return Err(wrong(&format!("--header {header} only works with a URL")));
            }
            Ok((name, started(program, words, args, &paths)?))
        }
        ([name, url], []) if is_url(url) => match args.env.first() {
            Some((variable, _)) => Err(wrong(&format!(
                "--env {variable} only works with a command"
            ))),
            None => Ok((name.clone(), at(url, &args.headers)?)),
        },
        ([url], []) if is_url(url) => Err(wrong("<NAME> is missing: it comes before the URL")),
        ([], []) if args.content.skills.is_none() => Err(wrong(
            "the server is missing: its name and URL, its command after --, or directories to serve",
        )),
        (words @ [program, ..], []) if is_program(program) && !Path::new(program).is_dir() => {
            let words: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
            Err(wrong(&format!(
                "the command of a server comes after --: -- {}",
                words.join(" ")
            )))
        }
        (words, []) if args.headers.is_empty() => served(words, args, log, &paths),
        _ => Err(wrong(
            "the server is a name and a URL, a command after --, or directories to serve",
        )),
    }
}

fn is_url(word: &str) -> bool {
    word.starts_with("http://") || word.starts_with("https://") || word.starts_with("${")
}

/// The process as the host starts it, which works from any directory.
fn started(
    program: &str,
    words: &[String],
    args: &InstallArgs,
    paths: &Paths,
) -> Result<Reach, Failure> {
    let (program, first) = match Path::new(program).components().count() > 1 {
        true => (paths.of(Path::new(program))?, Vec::new()),
        // Hosts search for programs in other directories than a terminal does.
        false if program == "plainly" => paths.this_program()?,
        false => (program.to_owned(), Vec::new()),
    };
    // A word that is also a directory's name is probably a package or a command if it follows a
    // plain name.
    let is_name = |word: &str| !word.contains(std::path::is_separator) && !word.starts_with('.');
    let is_unclear = |word: &&String| is_name(word) && Path::new(word).is_dir();
    if let Some(word) = words.iter().find(is_unclear) {
        tracing::warn!(
            "{word} is a directory here, and the host starts the server elsewhere: write ./{word} \
             for the directory"
        );
    }
    let words = words.iter().map(|word| paths.of_word(word));
    let first = first.into_iter().map(Ok);
    Ok(Reach::Command {
        program,
        args: first.chain(words).collect::<Result<_, Failure>>()?,
        env: variables(args, paths)?,
        cwd: None,
    })
}

/// The environment variables of a process; paths are treated as in its arguments. A project's paths
/// can't be made portable here, because hosts would read `${workspaceFolder}` as an environment
/// variable.
fn variables(args: &InstallArgs, paths: &Paths) -> Result<Vec<(String, String)>, Failure> {
    let variables = args.env.iter().map(|(name, value)| {
        let value = match paths {
            Paths::Absolute => paths.of_word(value)?,
            Paths::Portable { .. } => value.clone(),
        };
        Ok((name.clone(), value))
    });
    variables.collect()
}

fn at(url: &str, headers: &[HeaderArg]) -> Result<Reach, Failure> {
    let headers = headers.iter().map(|header| match header {
        HeaderArg::Pair(name, value) => Ok((name.clone(), value.clone())),
        HeaderArg::File(_) => Err(wrong(
            "no host reads headers from a file: give a NAME: VALUE, perhaps with a ${VARIABLE}",
        )),
    });
    Ok(Reach::Url {
        url: url.to_owned(),
        headers: headers.collect::<Result<_, _>>()?,
    })
}

/// `plainly serve` with these words, under the name of the first directory, or under `skills` if
/// there is none.
fn served(
    words: &[String],
    args: &InstallArgs,
    log: &LogArgs,
    paths: &Paths,
) -> Result<(String, Reach), Failure> {
    let mut line = ["plainly", "serve"].map(OsString::from).to_vec();
    line.extend(words.iter().map(OsString::from));
    // The option for skills can replace directories.
    if let Some(path) = &args.content.skills {
        line.extend(["--skills".into(), path.into()]);
    }
    let parsed = Args::try_parse_from(line).map_err(Failure::Usage)?;
    let Command::Serve(mut serve_args) = parsed.command else {
        return Err(wrong("directories are missing"));
    };
    serve_args.content = args.content.clone();
    serve_args.writing = args.writing.clone();
    let (name, mut reach) = serve::configured(&serve_args, log, paths)?;
    if let Reach::Command { env: own, .. } = &mut reach {
        own.extend(variables(args, paths)?);
    }
    Ok((name, reach))
}

/// The name of a command: the package that a runner starts, or the program.
fn named<'a>(program: &'a str, words: &'a [String]) -> &'a str {
    let stem = |path: &'a str| {
        let stem = Path::new(path).file_stem();
        stem.and_then(|stem| stem.to_str()).unwrap_or(path)
    };
    let program = stem(program);
    let mut rest = words.iter().filter(|word| !word.starts_with('-'));
    match rest.next() {
        Some(package) if RUNNERS.contains(&program) => {
            let package = package.rsplit('/').next().unwrap_or(package);
            // The version is not part of the name.
            stem(package.split('@').next().unwrap_or(package))
        }
        _ => program,
    }
}

/// Changes the file of the host, or prints the change.
fn change(
    host: Host,
    name: &str,
    args: &ChangeArgs,
    edit: impl Fn(&str) -> Result<String, EditRefusal>,
) -> Result<(), Failure> {
    let path = file(host, args)?;
    let shown = path.display();
    let edited = || {
        let before = servers::read(&path).map_err(|broken| Failure::local(broken.to_string()))?;
        let after = edit(before.as_deref().unwrap_or_default());
        let after = after.map_err(|unchanged| not_changed(host, &path, name, unchanged))?;
        Ok::<_, Failure>((before, after))
    };
    let mut output = Output::new(args.format());
    if args.dry_run {
        let (before, after) = edited()?;
        let before = before.unwrap_or_default();
        let lines = without_secrets(host, [&before, &after], &difference(&before, &after));
        match output.is_json() {
            true => output.json(&json!({ "file": path, "name": name, "change": lines }))?,
            false => output.text(&format!("{shown} would change:\n{lines}"))?,
        }
        return output.flush();
    }
    let change = rewrite(&path, edited, !args.project)?;
    if let Some(change) = change.as_ref().filter(|_| args.project) {
        keep_allowed(host, &path, change);
    }
    told(&path, name, change, &mut output)
}

/// A change that was written to a file.
struct FileChange {
    before: Option<String>,
    after: String,
    /// The backup file with the earlier text.
    backup: Option<PathBuf>,
}

/// Writes the edited text into the file, unless nothing changes.
fn rewrite(
    path: &Path,
    edited: impl Fn() -> Result<(Option<String>, String), Failure>,
    is_private: bool,
) -> Result<Option<FileChange>, Failure> {
    let _lock = servers::lock();
    for _ in 0..TRIES {
        let (before, after) = edited()?;
        if before.as_deref().unwrap_or_default() == after {
            return Ok(None);
        }
        let written = servers::write(path, before.as_deref(), &after, is_private);
        if let FileWrite::Done(backup) = written.map_err(|error| Failure::file(path, error))? {
            return Ok(Some(FileChange {
                before,
                after,
                backup,
            }));
        }
    }
    let shown = path.display();
    let why = format!("{shown} was not changed: another program keeps changing it");
    Err(Failure::local(why))
}

fn told(
    path: &Path,
    name: &str,
    change: Option<FileChange>,
    output: &mut Output,
) -> Result<(), Failure> {
    let is_changed = change.is_some();
    let backup = change.and_then(|change| change.backup);
    if output.is_json() {
        let (file, changed) = (path, is_changed);
        output
            .json(&json!({ "file": file, "name": name, "changed": changed, "backup": backup }))?;
    } else {
        let what = if is_changed { "changed" } else { "unchanged" };
        output.lines(&format!("{what} {}: {name}", path.display()))?;
        if let Some(backup) = backup {
            output.lines(&format!(
                "saved the previous version in {}",
                backup.display()
            ))?;
        }
    }
    output.flush()
}

fn not_changed(host: Host, path: &Path, name: &str, unchanged: EditRefusal) -> Failure {
    let shown = path.display();
    match unchanged {
        EditRefusal::Exists => {
            let why = format!("{shown} has another server {name} already: --force replaces it");
            Failure::impossible(why, None)
        }
        EditRefusal::Missing => {
            let other = Search::new(None).found(host, name);
            let other = other.map(|other| other.besides()).unwrap_or_default();
            Failure::impossible(format!("{shown} has no server {name}{other}"), None)
        }
        EditRefusal::Unsuitable(why) => Failure::local(format!("{shown} was not changed: {why}")),
    }
}

/// Allows the new contents of a project's file, if the file had no other servers, or was allowed
/// before.
fn keep_allowed(host: Host, path: &Path, change: &FileChange) {
    let before = change.before.as_deref();
    let before = before.filter(|text| !servers::is_empty(host, text));
    let is_allowed = before.is_none_or(|text| ProjectFile::new(path, text).is_allowed());
    if is_allowed && let Err(failure) = ProjectFile::new(path, &change.after).allow() {
        tracing::debug!(?failure, "the file is not allowed yet");
    }
}

fn file(host: Host, args: &ChangeArgs) -> Result<PathBuf, Failure> {
    let machine = Machine::here();
    if !args.project {
        let why = || Failure::impossible("the home directory is unknown: set HOME", None);
        return machine.user(host).ok_or_else(why);
    }
    let why = || Failure::impossible("this host has no file for a project", None);
    let file = machine.project_file(host).ok_or_else(why)?;
    let found = real(&file).and_then(|to| Ok((to, real(machine.project())?)));
    let (to, project) = found.map_err(|error| Failure::file(&file, error))?;
    match to.starts_with(&project) {
        true => Ok(file),
        false => Err(Failure::impossible(
            format!(
                "{} is a link out of the project {}, to {}: change that file without --project",
                file.display(),
                project.display(),
                to.display()
            ),
            None,
        )),
    }
}

/// The lines of a change without the secrets of any server in these texts. In comments, the values
/// of secret names are hidden, too.
fn without_secrets(host: Host, texts: [&str; 2], lines: &str) -> String {
    let mut mask = Mask::default();
    for text in texts {
        mask.learn_settings(&servers::parsed(host, text));
    }
    let lines = lines.split_inclusive('\n').map(|line| mask.comment(line));
    lines.collect()
}

/// The lines that differ, with some lines around them.
fn difference(before: &str, after: &str) -> String {
    let [before, after] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let same = before
        .iter()
        .zip(&after)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = before.len().min(after.len()) - same;
    let ends = before.iter().rev().zip(after.iter().rev());
    let same_end = ends
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let from = same.saturating_sub(AROUND);
    let parts = [
        (' ', before.get(from..same)),
        ('-', before.get(same..before.len() - same_end)),
        ('+', after.get(same..after.len() - same_end)),
    ];
    let end = after.iter().skip(after.len() - same_end).take(AROUND);
    let lines = parts.iter().flat_map(|(mark, part)| {
        let lines = part.unwrap_or_default().iter();
        lines.map(move |line| (*mark, line))
    });
    let lines = lines.chain(end.map(|line| (' ', line)));
    lines
        .map(|(mark, line)| format!("{mark} {line}\n"))
        .collect()
}

fn wrong(why: &str) -> Failure {
    let mut args = Args::command();
    args.build();
    let error = match args.find_subcommand_mut("install") {
        Some(command) => command.error(ErrorKind::ValueValidation, why),
        None => args.error(ErrorKind::ValueValidation, why),
    };
    Failure::Usage(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_a_name() {
        for (line, name) in [
            ("npx -y @scope/server-memory@1.2", "server-memory"),
            ("npx -y server", "server"),
            ("uvx mcp-server-git --repository x", "mcp-server-git"),
            ("node /opt/thing/main.js", "main"),
            ("/opt/bin/thing.exe serve", "thing"),
            ("npx", "npx"),
        ] {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            assert_eq!(named(&words[0], &words[1..]), name, "{line}");
        }
    }

    #[test]
    fn a_change_is_shown_with_what_is_around_it() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let after = "1\n2\n3\n4\nx\n6\n7\n8\n";
        assert_eq!(
            difference(before, after),
            "  2\n  3\n  4\n- 5\n+ x\n  6\n  7\n  8\n"
        );
        assert_eq!(difference("a\na\n", "a\na\na\n"), "  a\n  a\n+ a\n");
        assert_eq!(difference("", "a\n"), "+ a\n");
        assert_eq!(difference("a\n", ""), "- a\n");
    }
}
