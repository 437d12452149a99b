//! The way to reach a server according to a host's file: a program to start, or a URL. Its display
//! contains no secrets.

use super::variables::{MissingValue, Variables, respelled};
use crate::secrets::Mask;

/// A host's way to reach a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The host starts a process.
    Command {
        program: String,
        args: Vec<String>,
        env: Vec<(String, String)>,
        cwd: Option<String>,
    },
    /// The host connects to a running server.
    Url {
        url: String,
        headers: Vec<(String, String)>,
    },
}

impl Reach {
    /// A process without its own variables.
    pub(crate) fn command(program: String, args: Vec<String>) -> Self {
        Self::Command {
            program,
            args,
            env: Vec::new(),
            cwd: None,
        }
    }

    /// A server at a URL, without headers.
    #[cfg(test)]
    pub(crate) fn url(url: String) -> Self {
        Self::Url {
            url,
            headers: Vec::new(),
        }
    }

    /// This way, with each variable replaced by its name.
    pub(crate) fn without_variables(self) -> Self {
        let bare =
            |text: String| respelled(&text, |name, _| Ok::<_, ()>(name.to_owned())).unwrap_or(text);
        match self {
            Self::Url { url, headers } => {
                let headers = headers.into_iter();
                let headers = headers.map(|(name, value)| (name, bare(value)));
                Self::Url {
                    url,
                    headers: headers.collect(),
                }
            }
            command @ Self::Command { .. } => command,
        }
    }

    /// This way, with the value of each variable.
    pub(crate) fn expanded(self, variables: &Variables<'_>) -> Result<Self, MissingValue> {
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

    /// The target for display, without values from the environment, values of headers, and other
    /// secrets.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Url { url, .. } => Mask::default().url(url),
            Self::Command { program, args, .. } => {
                let mut words = vec![program.clone()];
                words.extend_from_slice(args);
                Mask::default().command_line(&words)
            }
        }
    }

    /// The names of its variables or headers.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let (Self::Command { env: pairs, .. } | Self::Url { headers: pairs, .. }) = self;
        pairs.iter().map(|(name, _)| &**name)
    }
}
