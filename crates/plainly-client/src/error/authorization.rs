//! Errors of authorization: a server requires credentials, and accepts none of this client's. An
//! authorizer has errors of its own, such as those of logins.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::sync::Arc;

use super::bounded::BoundedText;
use super::{Error, LocalError};

/// The error of an authorizer, with the facts for a client and its user.
///
/// Its `Display` and its `Debug` must not show secrets.
pub trait AuthorizerError: StdError + Send + Sync + 'static {
    /// The kind of failure, in a word for scripts: `login-required`.
    fn kind(&self) -> &'static str;

    /// The advice for users, in a sentence without its capital letter and its full stop.
    fn advice(&self) -> Cow<'static, str>;

    /// Whether the same request may succeed later, unchanged.
    fn is_retryable(&self) -> bool {
        false
    }

    /// The authorization server that failed or refused, if there is one.
    fn issuer(&self) -> Option<&str> {
        None
    }

    /// The code of that authorization server, if it returned one.
    fn code(&self) -> Option<&str> {
        None
    }
}

/// The reason why there are no credentials that a server accepts.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// The credentials would go to another machine unencrypted. They were not sent.
    #[error(
        "credentials not sent to {}: the connection is not encrypted",
        AuthError::shown_url(.server)
    )]
    Plaintext {
        /// The URL of the server.
        server: String,
    },
    /// The token in this client's settings is invalid.
    #[error("invalid token in this client's settings: {why}")]
    TokenUnusable {
        /// The fault, without any part of the token.
        why: String,
    },
    /// This program failed to provide a token.
    #[error("this program provided no token")]
    Assertion {
        /// The program's error.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// An authorizer failed.
    #[error(transparent)]
    Authorizer(Arc<dyn AuthorizerError>),
}

impl From<AuthError> for Error {
    fn from(error: AuthError) -> Self {
        LocalError::Authorization(error).into()
    }
}

impl AuthError {
    /// The error of an authorizer whose source of credentials failed.
    pub fn of_program(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Assertion {
            source: Arc::from(source.into()),
        }
    }

    /// A URL as errors show it: without user name, password, query and fragment, otherwise
    /// unchanged.
    pub fn shown_url(url: &str) -> String {
        let whole = url.split(['?', '#']).next().unwrap_or_default();
        let (scheme, rest) = match whole.find("://") {
            Some(at) => whole.split_at(at + "://".len()),
            None => ("", whole),
        };
        let authority = rest.split(['/', '\\']).next().unwrap_or_default();
        let user = authority.rfind('@').map_or(0, |at| at + 1);
        let rest = rest.get(user..).unwrap_or_default();
        format!("{}{}", BoundedText(scheme), BoundedText(rest))
    }

    /// The authorizer's error, if it is of this type.
    pub fn downcast_ref<E: AuthorizerError>(&self) -> Option<&E> {
        let error: &(dyn StdError + 'static) = &**self.authorizer()?;
        error.downcast_ref()
    }

    fn authorizer(&self) -> Option<&Arc<dyn AuthorizerError>> {
        match self {
            Self::Authorizer(error) => Some(error),
            Self::Plaintext { .. } | Self::TokenUnusable { .. } | Self::Assertion { .. } => None,
        }
    }

    /// The kind of failure, in a word for scripts.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plaintext { .. } => "plaintext",
            Self::TokenUnusable { .. } => "token-unusable",
            Self::Assertion { .. } => "assertion",
            Self::Authorizer(error) => error.kind(),
        }
    }

    /// The advice for users, in a sentence without its capital letter and its full stop. Its
    /// options are those of the program `plainly`; a client has the same settings.
    pub fn advice(&self) -> Cow<'static, str> {
        let fixed = match self {
            Self::Plaintext { .. } => ENCRYPT,
            Self::TokenUnusable { .. } => {
                "give the token exactly as it was issued, alone and whole"
            }
            Self::Assertion { .. } => "check the program's source of tokens",
            Self::Authorizer(error) => return error.advice(),
        };
        fixed.into()
    }

    /// Whether the same request may succeed later, unchanged: an authorization server was not
    /// reached, limits the rate of requests, or failed.
    pub fn is_retryable(&self) -> bool {
        self.authorizer().is_some_and(|it| it.is_retryable())
    }

    /// The authorization server that failed or refused, if there is one.
    pub fn issuer(&self) -> Option<&str> {
        self.authorizer()?.issuer()
    }

    /// The code of that authorization server, if it returned one.
    pub fn code(&self) -> Option<&str> {
        self.authorizer()?.code()
    }
}

/// The advice for a connection that is not encrypted.
const ENCRYPT: &str = "use a URL that begins with https; in a network that you trust, \
                       `--allow-plaintext-token` allows it";

// The `Debug` output is limited to `Display` and the causes, because the fields may contain whole
// URLs.
plainly_errors::debug_with_causes!(AuthError);

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An error, and whether it is retryable.
    #[derive(Debug, thiserror::Error)]
    #[error("no")]
    pub(crate) struct Refusal(pub(crate) bool);

    impl AuthorizerError for Refusal {
        fn kind(&self) -> &'static str {
            "refusal"
        }

        fn advice(&self) -> Cow<'static, str> {
            "ask again".into()
        }

        fn is_retryable(&self) -> bool {
            self.0
        }
    }

    #[test]
    fn an_error_names_the_server_and_the_fault_and_what_to_do() {
        let plaintext = AuthError::Plaintext {
            server: "http://user:s3cret@mcp.example.com/mcp?key=s3cret".to_owned(),
        };
        let said =
            "credentials not sent to http://mcp.example.com/mcp: the connection is not encrypted";
        assert_eq!(plaintext.to_string(), said);
        assert_eq!(plaintext.advice(), ENCRYPT);
        let shown = format!("{:?}", Error::from(plaintext));
        assert!(
            shown.starts_with(said) && !shown.contains("s3cret"),
            "{shown}"
        );
    }

    #[test]
    fn the_cause_is_apart_and_kept() {
        let error = AuthError::of_program("the file is gone");
        assert_eq!(error.to_string(), "this program provided no token");
        assert_eq!(error.source().unwrap().to_string(), "the file is gone");
        assert!(format!("{error:?}").contains("the file is gone"));
    }

    #[test]
    fn the_error_of_an_authorizer_speaks_for_itself() {
        for is_retryable in [true, false] {
            let error = AuthError::Authorizer(Arc::new(Refusal(is_retryable)));
            assert_eq!(
                (error.to_string().as_str(), error.kind()),
                ("no", "refusal")
            );
            assert_eq!(error.advice(), "ask again");
            assert_eq!(error.downcast_ref::<Refusal>().unwrap().0, is_retryable);
            // Nevertheless, no client repeats the whole call on its own.
            assert_eq!(Error::from(error).is_retryable(), is_retryable);
        }
    }

    #[test]
    fn of_a_url_only_what_is_not_secret_is_shown_and_that_as_it_is_spelled() {
        for (url, shown) in [
            ("https://A.example:443", "https://A.example:443"),
            ("https://a.example/", "https://a.example/"),
            ("https://u:p@a.example/b@c", "https://a.example/b@c"),
            ("https://u@v@a.example?u@q", "https://a.example"),
            ("https://a.example#f", "https://a.example"),
            ("https://a.example\\@b", "https://a.example\\@b"),
            ("u:p@a.example/b", "a.example/b"),
            ("", ""),
        ] {
            assert_eq!(AuthError::shown_url(url), shown);
        }
    }
}
