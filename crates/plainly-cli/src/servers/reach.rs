//! How a server is reached, as the file of a host says it: by starting a program, or at a URL. What is shown of it has no
//! secrets in it.

use super::variables::{Unresolved, Variables};
use crate::shell_word::shell_word;

/// How a host reaches a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It starts a process.
    Command {
        program: String,
        args: Vec<String>,
        env: Vec<(String, String)>,
        cwd: Option<String>,
    },
    /// It connects to one that runs.
    Url {
        url: String,
        headers: Vec<(String, String)>,
    },
}

/// What stands for a secret.
const MASK: &str = "…";
/// The words that the names of secrets have in them.
const SECRET: [&str; 10] = [
    "key",
    "token",
    "secret",
    "passw",
    "auth",
    "header",
    "credential",
    "cookie",
    "bearer",
    "pat",
];
/// A part of a path that is at least this long, and has letters and digits, may be a secret.
const LONG: usize = 20;

impl Reach {
    /// A process without variables of its own.
    pub(crate) fn command(program: String, args: Vec<String>) -> Self {
        Self::Command {
            program,
            args,
            env: Vec::new(),
            cwd: None,
        }
    }

    /// A server at a URL, without headers.
    pub(crate) fn url(url: String) -> Self {
        Self::Url {
            url,
            headers: Vec::new(),
        }
    }

    /// The same with the value of each variable.
    pub(crate) fn expanded(self, variables: &Variables<'_>) -> Result<Self, Unresolved> {
        let all = |pairs: Vec<(String, String)>| {
            let pairs = pairs.into_iter();
            let pairs = pairs.map(|(name, value)| Ok((name, variables.expand(&value)?)));
            pairs.collect::<Result<Vec<_>, _>>()
        };
        Ok(match self {
            Self::Command {
                program,
                args,
                env,
                cwd,
            } => Self::Command {
                program: variables.expand(&program)?,
                args: args
                    .iter()
                    .map(|word| variables.expand(word))
                    .collect::<Result<_, _>>()?,
                env: all(env)?,
                cwd: cwd.map(|cwd| variables.expand(&cwd)).transpose()?,
            },
            Self::Url { url, headers } => Self::Url {
                url: variables.expand(&url)?,
                headers: all(headers)?,
            },
        })
    }

    /// Where it leads to, for people: neither values of the environment and of headers, nor what looks like a secret
    /// elsewhere.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Url { url, .. } => without_secrets(url),
            Self::Command { program, args, .. } => {
                let mut words = vec![program.clone()];
                let mut is_next_secret = false;
                for word in args {
                    words.push(match is_next_secret && !is_variable(word) {
                        true => MASK.to_owned(),
                        false => argument(word),
                    });
                    is_next_secret =
                        word.starts_with('-') && !word.contains('=') && is_secret(word);
                }
                // What is left out can't be pasted into a shell in any case.
                let words = words.iter().map(|word| match word.contains(MASK) {
                    true => word.into(),
                    false => shell_word(word),
                });
                words.collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// The names of the variables or headers that it has values for.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let (Self::Command { env: pairs, .. } | Self::Url { headers: pairs, .. }) = self;
        pairs.iter().map(|(name, _)| &**name)
    }
}

/// An argument without what may be secret in it.
fn argument(word: &str) -> String {
    if word.contains("://") {
        return without_secrets(word);
    }
    // `--api-key=KEY`, and `API_KEY=KEY` as docker takes it; `Authorization: Bearer TOKEN`.
    for separator in ['=', ':'] {
        if let Some((name, value)) = word.split_once(separator)
            && is_secret(name)
            && !is_variable(value)
        {
            return format!("{name}{separator}{MASK}");
        }
    }
    word.to_owned()
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts: Vec<_> = name.split(['-', '_']).collect();
    SECRET.iter().any(|secret| match *secret {
        "pat" => parts.contains(secret),
        _ => name.contains(secret),
    })
}

/// Whether this is a variable, whose name is no secret.
fn is_variable(value: &str) -> bool {
    value.starts_with("${") && value.ends_with('}') && !value.contains(":-")
}

/// A URL without a password, the values in its query, and parts of its path that look like keys.
fn without_secrets(url: &str) -> String {
    let (before, fragment) = url
        .split_once('#')
        .map_or((url, ""), |(url, _)| (url, "#…"));
    let (before, query) = before.split_once('?').unwrap_or((before, ""));
    let Some((scheme, rest)) = before.split_once("://") else {
        return before.to_owned();
    };
    let (authority, path) = match rest.find('/') {
        Some(start) => rest.split_at(start),
        None => (rest, ""),
    };
    let host = match authority.rsplit_once('@') {
        Some((_, host)) => format!("{MASK}@{host}"),
        None => authority.to_owned(),
    };
    let parts = path.split('/').map(|part| match is_random(part) {
        true => MASK,
        false => part,
    });
    let path: Vec<_> = parts.collect();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| match pair.split_once('=') {
        Some((name, value)) if !is_variable(value) => format!("{name}={MASK}"),
        Some(_) => pair.to_owned(),
        None => MASK.to_owned(),
    });
    let query: Vec<_> = pairs.collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!(
        "{scheme}://{host}{}{mark}{}{fragment}",
        path.join("/"),
        query.join("&")
    )
}

fn is_random(part: &str) -> bool {
    let has = |is: fn(&char) -> bool| part.chars().any(|it| is(&it));
    part.len() >= LONG
        && has(char::is_ascii_digit)
        && has(char::is_ascii_alphabetic)
        && !part.starts_with("${")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_has_no_secrets() {
        let command = |line: &str| {
            let mut words = line.split(' ').map(str::to_owned);
            Reach::command(words.next().unwrap(), words.collect())
        };
        for (line, shown) in [
            ("npx -y server --dir /tmp", "npx -y server --dir /tmp"),
            ("npx server --api-key S3CRET x", "npx server --api-key … x"),
            ("npx server --api-key=S3CRET", "npx server --api-key=…"),
            (
                "npx server --token ${TOKEN}",
                "npx server --token '${TOKEN}'",
            ),
            (
                "npx server --pat S3CRET --path x",
                "npx server --pat … --path x",
            ),
            (
                "docker run -e GITHUB_TOKEN=S3CRET",
                "docker run -e GITHUB_TOKEN=…",
            ),
            (
                "npx mcp-remote https://me:S3CRET@h/mcp?k=S3CRET&x",
                "npx mcp-remote https://…@h/mcp?k=…&…",
            ),
            (
                "npx mcp-remote https://h/ --header X-Key:S3CRET",
                "npx mcp-remote https://h/ --header …",
            ),
            (
                "psql postgresql://me:S3CRET@h/db",
                "psql postgresql://…@h/db",
            ),
        ] {
            let found = command(line).shown();
            assert_eq!(found, shown, "{line}");
            assert!(!found.contains("S3CRET"));
        }
        for (url, shown) in [
            ("https://h:8/mcp", "https://h:8/mcp"),
            ("https://u:p@h/mcp?key=1&b#c", "https://…@h/mcp?key=…&…#…"),
            (
                "https://h/s/aBcDeFgHiJkLmNoPqRsT0123/mcp",
                "https://h/s/…/mcp",
            ),
            (
                "https://h/a-long-name-of-a-server/mcp",
                "https://h/a-long-name-of-a-server/mcp",
            ),
            (
                "https://${HOST}/mcp?key=${KEY}",
                "https://${HOST}/mcp?key=${KEY}",
            ),
            ("${URL}", "${URL}"),
        ] {
            assert_eq!(Reach::url(url.to_owned()).shown(), shown, "{url}");
        }
    }
}
