//! Finds a named server in the files of hosts, and replaces the name by the server's URL or
//! command.

use std::fs;

use crate::accounts::readable;
use crate::args::{HeaderArg, Server, ServerArgs, ServerName, TWO_TOKENS};
use crate::asking::agrees;
use crate::failure::Failure;
use crate::servers::{ConfiguredServer, Reach, Search, expanded, unknown};
use crate::shell_word::shell_word;
use crate::terminal::{self, Conversation};
use crate::visible::visible;

/// The headers for every request: names and values.
type Headers = Vec<(String, String)>;

/// The address of the server, and the headers for it. The configuration of its process is added to
/// `args`.
pub(super) async fn reached(
    server: Server,
    args: &mut ServerArgs,
) -> Result<(Server, Headers), Failure> {
    let given = headers(args)?;
    let mut names = given.iter().map(|(name, _)| name);
    if args.bearer.is_some() && names.any(|name| name.eq_ignore_ascii_case("authorization")) {
        return Err(Failure::impossible(TWO_TOKENS, None));
    }
    let Server::Named(name) = server else {
        return Ok((server, given));
    };
    Ok(match configured(&name, args, &given).await? {
        Reach::Url { url, headers } => {
            // A token on the command line takes precedence over one in a file.
            let is_kept = |(name, _): &(String, String)| {
                args.bearer.is_none() || !name.eq_ignore_ascii_case("authorization")
            };
            // The last header with a name counts.
            let headers = headers.into_iter().filter(is_kept).chain(given);
            let headers = headers.collect();
            (Server::Url(url), headers)
        }
        Reach::Command {
            program,
            args: words,
            env,
            cwd,
        } => {
            let given = std::mem::take(&mut args.env);
            args.env = env.into_iter().chain(given).collect();
            args.cwd = args.cwd.take().or(cwd.map(Into::into));
            let words = [program].into_iter().chain(words);
            (
                Server::Child(words.map(Into::into).collect()),
                Headers::new(),
            )
        }
    })
}

/// The way to reach the server with this name.
async fn configured(
    name: &ServerName,
    args: &ServerArgs,
    headers: &[(String, String)],
) -> Result<Reach, Failure> {
    let search = Search::new(args.config.as_deref());
    let Some(server) = search.find(&name.text)? else {
        return Err(name.unknown(unknown(&name.text, &search.all()?)));
    };
    if let Some(own) = search.hidden_by(&server) {
        let [path, own] = [&server.path, &own.path].map(|path| path.display().to_string());
        tracing::warn!("{} of {path} hides your own, of {own}", name.text);
    }
    // The user already knows a file that they name.
    if args.config.is_none() {
        agreed(&server, args).await?;
    }
    let reach = search.reach(&server, &args.env, headers)?;
    let why = match &reach {
        Reach::Command { .. } => args.only_over_http(),
        // The variables may be used in the headers.
        Reach::Url { .. } if args.cwd.is_none() => None,
        Reach::Url { .. } => args.only_for_a_process(),
    };
    match why {
        Some(why) => Err(Failure::impossible(format!("{}: {why}", name.text), None)),
        None => Ok(reach),
    }
}

/// Ensures that the user has agreed to the programs that a project's file starts. If the user is
/// present, asks.
async fn agreed(server: &ConfiguredServer, args: &ServerArgs) -> Result<(), Failure> {
    let (Some(file), Ok(entry)) = (&server.foreign, &server.entry) else {
        return Ok(());
    };
    if file.is_allowed() {
        return Ok(());
    }
    let name = visible(&server.name);
    let path = file.path().display().to_string();
    let to = visible(&entry.reach.shown());
    let what = match &entry.reach {
        Reach::Command { .. } => format!("{name} starts: {to}"),
        Reach::Url { .. } => format!("{name} connects to: {to}"),
    };
    let is_asked = terminal::is_attended() && !args.format().is_json();
    if is_asked {
        let mut person = Conversation::begin().await;
        person.say(&format!(
            "In this project's file {},\n{what}",
            visible(&path)
        ));
        let question = "Allow this file until it changes? [y/N] ";
        if agrees(&mut person, question, Some(false)).await == Some(true) {
            return file.allow();
        }
    }
    Err(Failure::Arguments {
        what: format!("you have not allowed the file {path} of this project, where {what}"),
        help: format!(
            "look at the file, then run: plainly servers --allow {}",
            shell_word(&path)
        ),
    })
}

/// The headers on the command line, with the values of their variables.
fn headers(args: &ServerArgs) -> Result<Headers, Failure> {
    let mut headers = Headers::new();
    for given in &args.headers {
        match given {
            HeaderArg::Pair(name, value) => {
                let value = expanded(value, &args.env).map_err(|variable| {
                    let why = format!("--header {name}: the variable {variable} is not set");
                    Failure::impossible(why, None)
                })?;
                headers.push((name.clone(), value));
            }
            HeaderArg::File(path) => {
                let text = readable(path, fs::read_to_string(path))?;
                let lines = HeaderArg::in_lines(&text);
                headers.extend(lines.map_err(|why| {
                    Failure::impossible(format!("{}: {why}", path.display()), None)
                })?);
            }
        }
    }
    Ok(headers)
}
