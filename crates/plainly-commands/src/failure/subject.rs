//! The subject of a failed call, and the meaning of its error there.

use plainly::errors::{ErrorKind, InvalidParams, ProtocolError, Revision};

use crate::near::known;
use crate::shell_word::shell_word;
use crate::visible::visible;

/// The subject of a call that the server refused or did not answer.
#[derive(Debug)]
pub(crate) enum Subject {
    Connection,
    /// A connection that may only use this revision.
    Revision(Revision),
    Resource(String),
    Resources,
    Changes,
    Completion,
    Task,
    Tools,
    /// A tool that the server lists.
    Tool,
    Prompts,
    /// A prompt that the server has, with its arguments.
    Prompt(Vec<String>),
    /// A tool or a prompt that the server does not have.
    Missing(MissingName),
}

/// The error that a tool or a prompt does not exist.
#[derive(Debug)]
pub(crate) struct MissingName {
    pub(crate) what: String,
    /// The way to list those that exist.
    pub(crate) help: String,
}

impl Subject {
    /// A hint at the meaning of the server's error in this context, if the error lacks it.
    pub(super) fn hint(&self, error: &ProtocolError) -> String {
        let is_unknown = matches!(error.kind(), ErrorKind::MethodNotFound { .. });
        match self {
            // The client never calls methods of undeclared capabilities, so the server declared
            // this one.
            Self::Resource(_) | Self::Resources if is_unknown => {
                ": the server declares resources, but lacks this method".to_owned()
            }
            Self::Resource(_) if is_too_large(error) => {
                ": `plainly serve --max-file-size` sets the limit".to_owned()
            }
            Self::Resource(uri) => scheme(uri),
            Self::Changes if is_unknown => ": this server does not report changes".to_owned(),
            Self::Completion if is_unknown => {
                ": this server does not complete arguments".to_owned()
            }
            Self::Task if is_unknown => ": this server has no tasks".to_owned(),
            Self::Tools if is_unknown => {
                ": the server declares tools, but lacks this method".to_owned()
            }
            Self::Prompts if is_unknown => {
                ": the server declares prompts, but lacks this method".to_owned()
            }
            // The error already states the problem.
            Self::Prompt(_) if error.problem().is_some() || error.problems().is_some() => {
                String::new()
            }
            Self::Prompt(arguments) if arguments.is_empty() => ": it takes no arguments".to_owned(),
            Self::Prompt(arguments) => known("arguments", arguments),
            Self::Connection
            | Self::Revision(_)
            | Self::Resources
            | Self::Changes
            | Self::Completion
            | Self::Task
            | Self::Tools
            | Self::Tool
            | Self::Prompts
            | Self::Missing(_) => String::new(),
        }
    }
}

/// Whether the other side knows no request that opens a connection.
pub(super) fn is_no_server(error: &ProtocolError, subject: &Subject) -> bool {
    let is_unknown = matches!(error.kind(), ErrorKind::MethodNotFound { .. });
    is_unknown && matches!(subject, Subject::Connection)
}

/// The server's hint about a missing resource, such as a similar one.
pub(super) fn said_beside<'a>(message: &'a str, uri: &str) -> Option<&'a str> {
    let after = message.split_once(uri).map(|(_, after)| after);
    let after = after.or_else(|| Some(message.split_once(". ")?.1))?;
    let said = after.trim_start_matches(|it: char| "'\"`.,:;)".contains(it) || it.is_whitespace());
    let is_new = said.contains(char::is_alphabetic) && !said.contains("not found");
    is_new.then_some(said)
}

/// A hint for a path that was given as a URI.
pub(super) fn scheme(uri: &str) -> String {
    match uri.contains(':') {
        true if uri.contains(' ') => ": a URI has %20 in place of a space".to_owned(),
        true => String::new(),
        false => {
            let path = uri.trim_start_matches(['.', '/']).replace(' ', "%20");
            let path = if path.is_empty() {
                "docs/intro.md"
            } else {
                &path
            };
            let named = visible(&format!("file:///{path}"));
            format!(
                ": a URI starts with its scheme, as in {}",
                shell_word(&named)
            )
        }
    }
}

fn is_too_large(error: &ProtocolError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::InvalidParams(InvalidParams::ResourceTooLarge { .. })
    )
}

#[cfg(test)]
mod tests {
    use super::said_beside;

    #[test]
    fn what_a_server_says_beside_a_missing_resource_is_found() {
        for (message, said) in [
            ("Resource not found: a:b", None),
            ("Resource a:b not found", None),
            ("Unknown resource: 'a:b'.", None),
            ("Not found.", None),
            ("", None),
            (
                r#"Resource not found: a:b (did you mean "a:c"?)"#,
                Some(r#"(did you mean "a:c"?)"#),
            ),
            (
                "Resource not found: 'a:b'. Available resources: a:c",
                Some("Available resources: a:c"),
            ),
            ("The note '7' was not found. Try 8.", Some("Try 8.")),
        ] {
            assert_eq!(said_beside(message, "a:b"), said, "{message}");
        }
    }
}
