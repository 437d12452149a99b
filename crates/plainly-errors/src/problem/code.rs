//! The table of problems: one row for each code, with its category, whether a retry helps, its HTTP
//! status and its form as a protocol error. The messages are elsewhere.

use std::borrow::Cow;
use std::fmt;

use crate::code::{ApplicationCode, Code};
use crate::registry::table::{INTERNAL_ERROR, INVALID_PARAMS};
use crate::retry::Retry;

/// The area of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the vocabulary is complete: what fits nowhere is of the domain"
)]
pub enum Category {
    /// Permissions and limits of the caller.
    Access,
    /// The state of the requested item.
    Resource,
    /// The caller's input.
    Validation,
    /// The execution of the operation.
    Operation,
    /// Problems that an application defines.
    Domain,
}

impl Category {
    /// The name of the category: `access`, `resource`, `validation`, `operation` or `domain`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access",
            Self::Resource => "resource",
            Self::Validation => "validation",
            Self::Operation => "operation",
            Self::Domain => "domain",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The form of a problem as a protocol error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeForm {
    /// The request is wrong: -32602.
    InvalidParams,
    /// An internal failure: -32603.
    Internal,
    /// Any other problem: the application code equal to the HTTP status.
    Status,
}

/// The facts about one code.
struct Row<'a> {
    name: &'a str,
    meaning: &'static str,
    category: Category,
    retry: Retry,
    status: Status,
    written: CodeForm,
}

/// An HTTP status and its phrase.
struct Status(u16, &'static str);

const BAD_REQUEST: Status = Status(400, "Bad Request");
const FORBIDDEN: Status = Status(403, "Forbidden");
const NOT_FOUND: Status = Status(404, "Not Found");
const REQUEST_TIMEOUT: Status = Status(408, "Request Timeout");
const CONFLICT: Status = Status(409, "Conflict");
const CONTENT_TOO_LARGE: Status = Status(413, "Content Too Large");
const FAILED_DEPENDENCY: Status = Status(424, "Failed Dependency");
const PRECONDITION_REQUIRED: Status = Status(428, "Precondition Required");
const TOO_MANY_REQUESTS: Status = Status(429, "Too Many Requests");
const SERVER_ERROR: Status = Status(500, "Internal Server Error");
const SERVICE_UNAVAILABLE: Status = Status(503, "Service Unavailable");

/// Declares the enum and its table from the same rows, so that neither can have a row that the
/// other lacks.
macro_rules! problem_codes {
    ($(#[doc = $meaning:literal] $variant:ident = $name:literal: $category:ident, $retry:ident, $status:ident, $written:ident;)+) => {
        /// The kind of a problem, by name.
        ///
        /// The names are those of the
        /// [`mcp-error-codes`](https://github.com/code-wheel/mcp-error-codes) library, so clients
        /// can know them without knowing the server.
        ///
        /// ```
        /// use plainly_errors::problem::{Category, ProblemCode};
        ///
        /// let code = ProblemCode::from("RATE_LIMIT_EXCEEDED");
        /// assert_eq!(code, ProblemCode::RateLimitExceeded);
        /// assert_eq!(code.category(), Category::Access);
        /// assert!(code.is_recoverable());
        /// assert_eq!(code.http_status(), 429);
        /// assert_eq!(code.protocol_code().get(), 429);
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[expect(clippy::exhaustive_enums, reason = "what is not in the vocabulary is custom")]
        pub enum ProblemCode {
            $(#[doc = $meaning] #[doc = concat!("\n\nOn the wire `", $name, "`.")] $variant,)+
            /// An application's own code. Its category is the domain; it is not recoverable and is
            /// written as an internal failure. [`From`] creates it from a name, unless the name is
            /// one of the above.
            Custom(Cow<'static, str>),
        }

        static ALL: &[ProblemCode] = &[$(ProblemCode::$variant),+];

        impl ProblemCode {
            fn row(&self) -> Row<'_> {
                match self {
                    $(Self::$variant => Row {
                        name: $name,
                        meaning: $meaning,
                        category: Category::$category,
                        retry: Retry::$retry,
                        status: $status,
                        written: CodeForm::$written,
                    },)+
                    Self::Custom(name) => Row {
                        name,
                        meaning: "Defined by its application.",
                        category: Category::Domain,
                        retry: Retry::Never,
                        status: SERVER_ERROR,
                        written: CodeForm::Internal,
                    },
                }
            }

            /// The known code with this name. `None` for any other name, because only the
            /// application that defines it knows it.
            ///
            /// ```
            /// use plainly_errors::ProblemCode;
            ///
            /// assert_eq!(ProblemCode::known("NOT_FOUND"), Some(ProblemCode::NotFound));
            /// assert_eq!(ProblemCode::known("LOCKED"), None);
            /// ```
            pub fn known(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

problem_codes! {
    /// The caller lacks a scope, such as one for writing.
    InsufficientScope = "INSUFFICIENT_SCOPE": Access, AfterFix, FORBIDDEN, Status;
    /// Only an administrator may do this.
    AdminRequired = "ADMIN_REQUIRED": Access, Never, FORBIDDEN, Status;
    /// The caller may not do this.
    AccessDenied = "ACCESS_DENIED": Access, Never, FORBIDDEN, Status;
    /// The caller does this too often.
    RateLimitExceeded = "RATE_LIMIT_EXCEEDED": Access, AfterDelay, TOO_MANY_REQUESTS, Status;
    /// Writing is disabled now.
    ReadOnlyMode = "READ_ONLY_MODE": Access, Never, FORBIDDEN, Status;

    /// The thing asked for does not exist.
    NotFound = "NOT_FOUND": Resource, Never, NOT_FOUND, InvalidParams;
    /// The thing to be made exists already.
    AlreadyExists = "ALREADY_EXISTS": Resource, Never, CONFLICT, Status;
    /// The thing is used elsewhere and can't be changed or removed.
    EntityInUse = "ENTITY_IN_USE": Resource, AfterFix, CONFLICT, Status;
    /// The thing is protected and can't be changed.
    EntityProtected = "ENTITY_PROTECTED": Resource, Never, CONFLICT, Status;
    /// A module or service that this needs is missing.
    MissingDependency = "MISSING_DEPENDENCY": Resource, Never, FAILED_DEPENDENCY, Status;

    /// A value that the caller sent is wrong.
    ValidationError = "VALIDATION_ERROR": Validation, AfterFix, BAD_REQUEST, InvalidParams;
    /// A name is not in the required form.
    InvalidName = "INVALID_NAME": Validation, AfterFix, BAD_REQUEST, InvalidParams;
    /// A file has a type that is not accepted.
    InvalidFileType = "INVALID_FILE_TYPE": Validation, AfterFix, BAD_REQUEST, InvalidParams;
    /// The payload is too large.
    PayloadTooLarge = "PAYLOAD_TOO_LARGE": Validation, AfterFix, CONTENT_TOO_LARGE, InvalidParams;
    /// A required value was not sent.
    MissingRequired = "MISSING_REQUIRED": Validation, AfterFix, BAD_REQUEST, InvalidParams;

    /// Something failed inside, perhaps only this time.
    InternalError = "INTERNAL_ERROR": Operation, AfterDelay, SERVER_ERROR, Internal;
    /// The operation failed, and would fail again.
    OperationFailed = "OPERATION_FAILED": Operation, Never, SERVER_ERROR, Internal;
    /// The operation took too long.
    Timeout = "TIMEOUT": Operation, AfterDelay, REQUEST_TIMEOUT, Status;
    /// The user has to confirm this first.
    ConfirmationRequired = "CONFIRMATION_REQUIRED": Operation, AfterFix, PRECONDITION_REQUIRED, Status;
    /// There is no such tool, or it can't be used so.
    InvalidTool = "INVALID_TOOL": Operation, AfterFix, BAD_REQUEST, InvalidParams;
    /// A tool failed while it ran.
    ExecutionFailed = "EXECUTION_FAILED": Operation, Never, SERVER_ERROR, Internal;
    /// A tool could not be set up.
    InstantiationFailed = "INSTANTIATION_FAILED": Operation, Never, SERVER_ERROR, Internal;

    /// There is no such template.
    TemplateNotFound = "TEMPLATE_NOT_FOUND": Domain, Never, NOT_FOUND, InvalidParams;
    /// A scheduled job failed.
    CronFailed = "CRON_FAILED": Domain, Never, SERVER_ERROR, Internal;
    /// A migration failed.
    MigrationFailed = "MIGRATION_FAILED": Domain, Never, SERVER_ERROR, Internal;
    /// A recipe could not be applied.
    RecipeFailed = "RECIPE_FAILED": Domain, Never, SERVER_ERROR, Internal;
    /// Configuration could not be read or written.
    ConfigError = "CONFIG_ERROR": Domain, Never, SERVER_ERROR, Internal;
    /// A picture, a sound or a film could not be processed.
    MediaError = "MEDIA_ERROR": Domain, Never, SERVER_ERROR, Internal;
    /// A service outside is down.
    ServiceUnavailable = "SERVICE_UNAVAILABLE": Domain, AfterDelay, SERVICE_UNAVAILABLE, Status;
}

impl ProblemCode {
    /// An application's own code, by convention in `UPPER_CASE`, for constants. It must not be a
    /// name from this table.
    pub const fn custom(name: &'static str) -> Self {
        Self::Custom(Cow::Borrowed(name))
    }

    /// All codes except custom ones, by category.
    pub fn all() -> &'static [Self] {
        ALL
    }

    /// The name on the wire.
    pub fn as_str(&self) -> &str {
        self.row().name
    }

    /// The meaning, in one sentence.
    pub fn meaning(&self) -> &'static str {
        self.row().meaning.trim_ascii()
    }

    /// The category of the code.
    pub fn category(&self) -> Category {
        self.row().category
    }

    /// Whether sending the request again helps, and under which condition.
    pub fn retry(&self) -> Retry {
        self.row().retry
    }

    /// Whether the same request may succeed later.
    pub fn is_recoverable(&self) -> bool {
        self.retry() == Retry::AfterDelay
    }

    /// The status for an HTTP API that returns the problem. It is never the status of a JSON-RPC
    /// response, where 404 and 401 have other meanings.
    pub fn http_status(&self) -> u16 {
        self.row().status.0
    }

    /// The phrase of [`http_status`](Self::http_status).
    pub(super) fn http_phrase(&self) -> &'static str {
        self.row().status.1
    }

    /// The code of the protocol error, on every revision: -32602 if the request is wrong, -32603
    /// for an internal failure, otherwise the application code equal to the HTTP status.
    pub fn protocol_code(&self) -> Code {
        match self.written() {
            CodeForm::InvalidParams => INVALID_PARAMS,
            CodeForm::Internal => INTERNAL_ERROR,
            CodeForm::Status => ApplicationCode::of_status(self.http_status()).into(),
        }
    }

    pub(crate) fn written(&self) -> CodeForm {
        self.row().written
    }
}

impl From<&str> for ProblemCode {
    fn from(name: &str) -> Self {
        Self::known(name).unwrap_or_else(|| Self::Custom(name.to_owned().into()))
    }
}

impl From<String> for ProblemCode {
    fn from(name: String) -> Self {
        Self::known(&name).unwrap_or(Self::Custom(name.into()))
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
