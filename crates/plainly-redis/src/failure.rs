//! The reasons why a command failed, and whether it may have been carried out.

use plainly_cluster::EngineError;
use redis::{ErrorKind, RedisError};

/// A cause of an error.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command had no effect, but may succeed if it is sent again.
    Later(Cause),
    /// The command had no effect, and will fail again.
    Never(EngineError),
    /// The command may have had its effect.
    Unknown(Cause),
}

/// The error codes of servers that may soon accept the command, or be replaced by one that does.
const LATER: [&str; 8] = [
    "LOADING",
    "READONLY",
    "MASTERDOWN",
    "CLUSTERDOWN",
    "TRYAGAIN",
    "NOREPLICAS",
    "MISCONF",
    "BUSY",
];
/// The error code of a server that is out of memory.
const FULL: &str = "OOM";

impl From<RedisError> for Failure {
    fn from(error: RedisError) -> Self {
        let Some(code) = error.code() else {
            return Self::Unknown(in_words(error));
        };
        // Before Redis 7, errors of a script's commands are embedded in a text.
        let detail = error.detail().unwrap_or_default();
        let is = |one: &str| code == one || detail.contains(&format!("-{one} "));
        if is(FULL) {
            Self::Never(EngineError::Full)
        } else if LATER.into_iter().any(is) {
            Self::Later(in_words(error))
        } else {
            Self::Never(EngineError::Refused(in_words(error)))
        }
    }
}

/// Our own texts for errors, by their code.
const IN_WORDS: [(&str, &str); 2] = [
    (
        "NOAUTH",
        "Redis wants a password: write it into the URL, as in `redis://:PASSWORD@HOST`",
    ),
    (
        "WRONGPASS",
        "Redis refuses the user or the password: change them in the URL",
    ),
];

/// The text of an error: one of ours, or the server's.
pub(crate) fn in_words(error: RedisError) -> Cause {
    let known = IN_WORDS
        .iter()
        .find(|(code, _)| Some(*code) == error.code());
    match (known, error.code(), error.detail()) {
        (Some((_, words)), ..) => (*words).into(),
        (None, Some(code), Some(detail)) => format!("Redis reports {code}: {detail}").into(),
        (None, Some(code), None) => format!("Redis reports {code}").into(),
        (None, None, _) if error.kind() == ErrorKind::RESP3NotSupported => {
            "Redis is older than version 6: use a newer one".into()
        }
        (None, None, _) if error.is_io_error() => "the connection to Redis was lost".into(),
        (None, None, _) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use redis::make_extension_error;

    use super::*;

    #[test]
    fn errors_of_all_versions_have_a_meaning() {
        let failure = |code: &str, detail: &str| {
            let error = make_extension_error(code.to_owned(), Some(detail.to_owned()));
            Failure::from(error)
        };
        let full = failure("OOM", "command not allowed when used memory > 'maxmemory'.");
        assert!(matches!(full, Failure::Never(EngineError::Full)));
        let in_script = "Error running script: @user_script:7: -OOM command not allowed";
        let full = failure("ERR", in_script);
        assert!(matches!(full, Failure::Never(EngineError::Full)));
        let later = failure("NOREPLICAS", "Not enough good replicas to write.");
        assert!(matches!(later, Failure::Later(_)));
        let never = failure("NOPERM", "this user has no permissions");
        assert!(matches!(never, Failure::Never(EngineError::Refused(_))));
        let lost = RedisError::from(std::io::Error::other("lost"));
        assert!(matches!(Failure::from(lost), Failure::Unknown(_)));
    }
}
