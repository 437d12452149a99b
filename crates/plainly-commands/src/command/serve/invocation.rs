//! The command line of `plainly serve`, in the form for a host.

use std::path::Path;

use super::{ADDRESS, public_url};
use crate::args::{
    ConfirmArg, ContentArgs, LARGEST_FILE, LARGEST_WRITE, LogArgs, Mount, OperatorArgs, ServeArgs,
    ToolNames, WRITABLE, WriteArgs, named,
};
use crate::failure::Failure;
use crate::log::LogFormat;
use crate::servers::{Paths, Reach};

/// The variable in the host's environment with the key for a server that requires one.
pub(super) const KEY: &str = "PLAINLY_KEY";

/// The way for a host to reach this server: over HTTP if an option requires that, otherwise by
/// starting it.
pub(super) fn reach(args: &ServeArgs, log: &LogArgs, paths: &Paths) -> Result<Reach, Failure> {
    let address = args.http.or_else(|| is_over_http(args).then_some(ADDRESS));
    let Some(address) = address else {
        let (program, mut words) = paths.this_program()?;
        words.extend(arguments(args, log, paths)?);
        return Ok(Reach::command(program, words));
    };
    if address.port() == 0 {
        let why = "a host must know the port: give --http an address with a fixed port";
        return Err(Failure::impossible(why, None));
    }
    // With an authorization server, the host logs in on its own.
    let wants_key = args.auth.auth_keys.is_some() && !args.auth.has_issuer();
    let header = || ("Authorization".to_owned(), format!("Bearer ${{{KEY}}}"));
    Ok(Reach::Url {
        url: public_url(args, address),
        headers: wants_key.then(header).into_iter().collect(),
    })
}

/// Whether an option implies that clients use HTTP.
fn is_over_http(args: &ServeArgs) -> bool {
    let has_url = args.auth.public_url.is_some() || !args.allow_host.is_empty();
    let network = &args.network;
    #[cfg(feature = "cluster")]
    let has_url = has_url || network.cluster.is_on();
    has_url || args.auth.is_on() || network.tls_cert.is_some() || network.drain.is_some()
}

/// The options that differ from their defaults, for standard input and output.
fn arguments(args: &ServeArgs, log: &LogArgs, paths: &Paths) -> Result<Vec<String>, Failure> {
    // Each option is named, so that a new option can't be forgotten here.
    let ServeArgs {
        mounts,
        http: _,
        stdio: _,
        allow_host: _,
        allow_origin: _,
        sse: _,
        network: _,
        operator,
        name,
        content,
        writing,
        print_config: _,
        auth: _,
    } = args;
    let ContentArgs {
        skills,
        hidden,
        no_ignore,
        no_tools,
        tools,
        tool_names,
        app,
        as_is,
        ttl,
        key_file,
        max_file_size,
        max_memory,
    } = content;
    let mut words = vec!["serve".to_owned()];
    words.extend(directories(mounts, skills.as_deref(), paths)?);
    words.push("--stdio".to_owned());
    let flags = [
        ("--hidden", hidden),
        ("--no-ignore", no_ignore),
        ("--no-tools", no_tools),
        ("--app", app),
        ("--as-is", as_is),
    ];
    let given = flags.into_iter().filter(|(_, is_given)| **is_given);
    words.extend(given.map(|(flag, _)| flag.to_owned()));
    let key_file = key_file.as_deref().map(|path| paths.of(path)).transpose()?;
    let size = Some(max_file_size).filter(|size| **size != LARGEST_FILE);
    words.extend(for_tools(tools, *tool_names));
    let ttl = ttl.map(|ttl| ttl.as_secs_f64().to_string());
    let options = [
        ("--name", name.clone()),
        ("--ttl", ttl),
        ("--key-file", key_file),
        ("--max-file-size", size.map(u64::to_string)),
        ("--max-memory", max_memory.as_ref().map(u64::to_string)),
    ];
    let given = options
        .into_iter()
        .filter_map(|(option, value)| Some([option.to_owned(), value?]));
    words.extend(given.flatten());
    words.extend(for_log(log));
    words.extend(for_writing(writing));
    words.extend(for_operator(operator, paths)?);
    Ok(words)
}

/// The options for the chosen tools, and for their names.
fn for_tools(tools: &[String], names: ToolNames) -> Vec<String> {
    let chosen = (!tools.is_empty()).then(|| named(tools).join(","));
    let other = (names != ToolNames::Plainly).then(|| names.as_str().to_owned());
    let options = [("--tools", chosen), ("--tool-names", other)].into_iter();
    let given = options.filter_map(|(option, value)| Some([option.to_owned(), value?]));
    given.flatten().collect()
}

/// The words for the served directories.
fn directories(
    mounts: &[Mount],
    skills: Option<&Path>,
    paths: &Paths,
) -> Result<Vec<String>, Failure> {
    let mounts = mounts.iter().map(|mount| word(mount, paths));
    let mut words = mounts.collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = skills {
        words.extend(["--skills".to_owned(), paths.of(path)?]);
    }
    Ok(words)
}

/// The options for the log.
fn for_log(args: &LogArgs) -> Vec<String> {
    let LogArgs { levels, format } = args;
    let levels = levels.as_ref().map(|levels| levels.text.clone());
    let format = (*format == LogFormat::Json).then(|| "json".to_owned());
    let options = [("--log", levels), ("--log-format", format)].into_iter();
    let given = options.filter_map(|(option, value)| Some([option.to_owned(), value?]));
    given.flatten().collect()
}

/// The options for changes.
fn for_writing(args: &WriteArgs) -> Vec<String> {
    let WriteArgs {
        write,
        confirm,
        max_write_size,
    } = args;
    let size = (*max_write_size != LARGEST_WRITE).then(|| max_write_size.to_string());
    let confirm = (*confirm != ConfirmArg::Destructive).then(|| confirm.as_str().to_owned());
    let mut words = Vec::from_iter(write.then(|| "--write".to_owned()));
    for (option, value) in [("--confirm", confirm), ("--max-write-size", size)] {
        words.extend(
            value
                .into_iter()
                .flat_map(|value| [option.to_owned(), value]),
        );
    }
    words
}

/// The options for the operator.
fn for_operator(args: &OperatorArgs, paths: &Paths) -> Result<Vec<String>, Failure> {
    let OperatorArgs {
        admin,
        audit,
        audit_optional,
    } = args;
    let mut words = Vec::new();
    if let Some(address) = admin {
        words.extend(["--admin".to_owned(), address.to_string()]);
    }
    if let Some(path) = audit {
        words.extend(["--audit".to_owned(), paths.of_new(path)?]);
    }
    if *audit_optional {
        words.push("--audit-optional".to_owned());
    }
    Ok(words)
}

fn word(mount: &Mount, paths: &Paths) -> Result<String, Failure> {
    let path = paths.of(&mount.path)?;
    let writable = if mount.is_writable { WRITABLE } else { "" };
    Ok(match &mount.name {
        Some(name) => format!("{name}={path}{writable}"),
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
