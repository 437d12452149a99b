//! The command line of `plainly serve` once more, as a host has to write it: with absolute paths, for a host starts servers from
//! any directory.

use std::path::{Path, PathBuf};

use super::public_url;
use crate::args::{LARGEST_FILE, LogArgs, Mount, ServeArgs, ServedTools};
use crate::failure::Failure;
use crate::log::LogFormat;
use crate::servers::Reach;

/// How a host reaches this very server: at its address if one was given, else by starting it.
pub(super) fn reach(args: &ServeArgs, log: &LogArgs) -> Result<Reach, Failure> {
    let Some(address) = args.http else {
        let program = std::env::current_exe();
        let program =
            program.map_err(|error| Failure::caused("cannot find this program", error))?;
        return Ok(Reach::command(text(&program)?, arguments(args, log)?));
    };
    if address.port() == 0 {
        let why = "a host must know the port: give --http an address with another one than 0";
        return Err(Failure::impossible(why, None));
    }
    Ok(Reach::url(public_url(args, address)))
}

/// All that differs from the defaults, over standard input and output.
fn arguments(args: &ServeArgs, log: &LogArgs) -> Result<Vec<String>, Failure> {
    // Each by name, so that an option that is added is not forgotten here.
    let ServeArgs {
        mounts,
        http: _,
        stdio: _,
        allow_host: _,
        allow_origin: _,
        sse: _,
        network: _,
        name,
        hidden,
        no_ignore,
        no_tools,
        tools,
        as_is,
        ttl,
        key_file,
        max_file_size,
        print_config: _,
        auth: _,
    } = args;
    let LogArgs { levels, format } = log;
    let mut words = vec!["serve".to_owned()];
    for mount in mounts {
        words.push(word(mount)?);
    }
    words.push("--stdio".to_owned());
    let flags = [
        ("--hidden", hidden),
        ("--no-ignore", no_ignore),
        ("--no-tools", no_tools),
        ("--as-is", as_is),
    ];
    let given = flags.into_iter().filter(|(_, is_given)| **is_given);
    words.extend(given.map(|(flag, _)| flag.to_owned()));
    let key_file = key_file.as_deref().map(absolute).transpose()?;
    let size = Some(max_file_size).filter(|size| **size != LARGEST_FILE);
    let ttl = ttl.map(|ttl| ttl.as_secs_f64().to_string());
    let options = [
        ("--name", name.clone()),
        ("--tools", chosen(tools)),
        ("--ttl", ttl),
        ("--key-file", key_file),
        ("--max-file-size", size.map(u64::to_string)),
        ("--log", levels.as_ref().map(|levels| levels.text.clone())),
        (
            "--log-format",
            (*format == LogFormat::Json).then(|| "json".to_owned()),
        ),
    ];
    let given = options
        .into_iter()
        .filter_map(|(option, value)| Some([option.to_owned(), value?]));
    words.extend(given.flatten());
    Ok(words)
}

/// The names of the tools, if not all are served.
fn chosen(tools: &[ServedTools]) -> Option<String> {
    (!tools.is_empty()).then(|| ServedTools::names(tools).join(","))
}

fn word(mount: &Mount) -> Result<String, Failure> {
    let path = absolute(&mount.path)?;
    Ok(match &mount.name {
        Some(name) => format!("{name}={path}"),
        None => path,
    })
}

/// The name under which a directory is served.
pub(super) fn name(mount: &Mount) -> Option<String> {
    let own = || {
        mount
            .path
            .canonicalize()
            .ok()?
            .file_name()?
            .to_str()
            .map(str::to_owned)
    };
    mount.name.clone().or_else(own)
}

fn absolute(path: &Path) -> Result<String, Failure> {
    let found: std::io::Result<PathBuf> = path.canonicalize();
    let found = found.map_err(|error| {
        let error: Box<dyn std::error::Error> = Box::new(error);
        Failure::impossible(format!("cannot find {}", path.display()), error)
    })?;
    text(&found)
}

/// A path as it can stand in a file of a host.
fn text(path: &Path) -> Result<String, Failure> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let why = format!(
            "{} is not UTF-8, and no host's configuration can name it",
            path.display()
        );
        Failure::impossible(why, None)
    })
}
