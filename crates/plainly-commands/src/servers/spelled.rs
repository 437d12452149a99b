//! The spelling of variables by host. A host sends an unknown spelling unchanged, and the server
//! rejects the request.

use super::hosts::{VariableSpelling, row};
use super::reach::Reach;
use super::variables::respelled;
use crate::args::Host;

/// Spells the variables in the host's form, or returns why the host does not support them.
/// Arguments stay unchanged, because a shell may expand them.
pub(crate) fn spelled(host: Host, reach: Reach) -> Result<Reach, String> {
    Ok(match reach {
        Reach::Command {
            program,
            args,
            env,
            cwd,
        } => {
            let env = env.into_iter();
            let env = env.map(|(name, value)| {
                let text = match whole(&value) {
                    // The host passes the variable on.
                    Some(variable) if of(host) == VariableSpelling::Members && variable == name => {
                        value
                    }
                    _ => text(host, &value, &format!("--env {name}"))?,
                };
                Ok::<_, String>((name, text))
            });
            Reach::Command {
                program,
                args,
                env: env.collect::<Result<_, _>>()?,
                cwd,
            }
        }
        Reach::Url { url, headers } => {
            let url = text(host, &url, "the URL")?;
            let headers = headers.into_iter();
            let headers = headers.map(|(name, value)| {
                let is_known = match of(host) {
                    VariableSpelling::Members => {
                        whole(&value).is_some() || bearer(&name, &value).is_some()
                    }
                    // The program that forwards messages replaces these variables.
                    VariableSpelling::Unknown => row(host).url.is_none(),
                    VariableSpelling::Shell | VariableSpelling::Editor => false,
                };
                let text = match is_known {
                    true => value,
                    false => text(host, &value, &format!("--header {name}"))?,
                };
                Ok::<_, String>((name, text))
            });
            Reach::Url {
                url,
                headers: headers.collect::<Result<_, _>>()?,
            }
        }
    })
}

fn of(host: Host) -> VariableSpelling {
    row(host).variables
}

/// The variable, if the text consists only of it.
pub(super) fn whole(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    let name = name.strip_prefix("env:").unwrap_or(name);
    let is_name = name
        .chars()
        .all(|it| it.is_ascii_alphanumeric() || it == '_');
    (is_name && !name.is_empty()).then_some(name)
}

/// The variable, if the token in the header `Authorization` consists only of it.
pub(super) fn bearer<'a>(name: &str, value: &'a str) -> Option<&'a str> {
    let is_authorization = name.eq_ignore_ascii_case("authorization");
    whole(value.strip_prefix("Bearer ")?).filter(|_| is_authorization)
}

fn text(host: Host, text: &str, place: &str) -> Result<String, String> {
    respelled(text, |name, default| match (of(host), default) {
        (VariableSpelling::Shell, None) => Ok(format!("${{{name}}}")),
        (VariableSpelling::Shell, Some(default)) => Ok(format!("${{{name}:-{default}}}")),
        (VariableSpelling::Editor, None) => Ok(format!("${{env:{name}}}")),
        (VariableSpelling::Editor, Some(_)) => Err(format!(
            "{place}: this host supports no defaults of variables: use ${{{name}}}"
        )),
        (VariableSpelling::Members, _) => Err(format!(
            "{place}: this host accepts a variable only as a whole: --header 'NAME: ${{{name}}}', \
             --header 'Authorization: Bearer ${{{name}}}', or --env {name}='${{{name}}}'"
        )),
        (VariableSpelling::Unknown, _) => Err(format!(
            "{place}: this host replaces no variables: give the value of {name} itself"
        )),
    })
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    fn told(result: Result<Reach, String>) -> String {
        match result {
            Ok(Reach::Url { url, headers }) => {
                let headers = headers
                    .iter()
                    .map(|(name, value)| format!("{name}: {value}"));
                format!("{url} {}", headers.collect::<Vec<_>>().join(", "))
            }
            Ok(Reach::Command { env, .. }) => format!("{env:?}"),
            Err(_) => "refused".to_owned(),
        }
    }

    #[test]
    fn each_host_gets_variables_in_its_own_spelling() {
        let url = |url: &str, name: &str, value: &str| Reach::Url {
            url: url.to_owned(),
            headers: vec![(name.to_owned(), value.to_owned())],
        };
        let env = |name: &str, value: &str| Reach::Command {
            program: "p".to_owned(),
            args: vec!["${A}".to_owned()],
            env: vec![(name.to_owned(), value.to_owned())],
            cwd: None,
        };
        let reaches = [
            url("http://h/", "Authorization", "Bearer ${T}"),
            url("http://h/", "X", "${env:T}"),
            url("http://h/", "X", "a ${T:-b}"),
            url("http://${H}/", "X", "1"),
            env("T", "${T}"),
            env("T", "${OTHER}"),
        ];
        let table = Host::value_variants().iter().map(|host| {
            let name = host.to_possible_value().unwrap();
            let told = reaches
                .iter()
                .map(|reach| told(spelled(*host, reach.clone())));
            let told: Vec<_> = told.collect();
            format!("{}\n  {}\n", name.get_name(), told.join("\n  "))
        });
        let table: String = table.collect();
        assert_eq!(table, include_str!("spelled.txt"), "{table}");
    }
}
