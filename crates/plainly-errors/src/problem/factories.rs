//! The problems that most applications have, each with its message and details. The details have
//! the names that clients of the `mcp-error-codes` library know.

use std::borrow::Cow;
use std::error::Error;
use std::time::Duration;

use serde_json::Value;

use super::{Problem, ProblemCode, counted, try_again};

impl Problem {
    /// No `entity_type` has this `identifier`.
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::not_found("user", "user-123");
    /// assert_eq!(problem.message(), "The user 'user-123' was not found.");
    /// ```
    pub fn not_found(entity_type: impl Into<String>, identifier: impl Into<String>) -> Self {
        let (entity_type, identifier) = (entity_type.into(), identifier.into());
        let message = format!("The {entity_type} '{identifier}' was not found.");
        Self::of_entity(ProblemCode::NotFound, message, entity_type, identifier)
    }

    /// An `entity_type` with this `identifier` already exists.
    pub fn already_exists(entity_type: impl Into<String>, identifier: impl Into<String>) -> Self {
        let (entity_type, identifier) = (entity_type.into(), identifier.into());
        let message = format!("The {entity_type} '{identifier}' already exists.");
        Self::of_entity(ProblemCode::AlreadyExists, message, entity_type, identifier)
    }

    /// The entity can't be changed or removed. `reason` adds a sentence, if present.
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::entity_protected("role", "administrator", "It is a system role.");
    /// assert_eq!(problem.message(), "The role 'administrator' is protected. It is a system role.");
    /// ```
    pub fn entity_protected<'a>(
        entity_type: impl Into<String>,
        identifier: impl Into<String>,
        reason: impl Into<Option<&'a str>>,
    ) -> Self {
        let (entity_type, identifier) = (entity_type.into(), identifier.into());
        let message = format!("The {entity_type} '{identifier}' is protected.");
        let reason = reason.into();
        let message = and_then(message, reason);
        let problem = Self::of_entity(
            ProblemCode::EntityProtected,
            message,
            entity_type,
            identifier,
        );
        match reason {
            Some(reason) => problem.detail("reason", reason),
            None => problem,
        }
    }

    /// The entity can't be removed, because it is used in `usage_count` places. `force_available`
    /// says whether the caller can remove it nevertheless with the argument `force`.
    pub fn entity_in_use(
        entity_type: impl Into<String>,
        identifier: impl Into<String>,
        usage_count: u64,
        force_available: bool,
    ) -> Self {
        let (entity_type, identifier) = (entity_type.into(), identifier.into());
        let places = counted(usage_count, "place");
        let message = format!("Cannot delete {entity_type} '{identifier}': used in {places}.");
        let force = force_available.then_some("Use force=true to delete it anyway.");
        let message = and_then(message, force);
        Self::of_entity(ProblemCode::EntityInUse, message, entity_type, identifier)
            .detail("usage_count", usage_count)
            .detail("force_available", force_available)
    }

    /// `required_for` needs `dependency`, which is missing.
    pub fn missing_dependency(
        dependency: impl Into<String>,
        required_for: impl Into<String>,
    ) -> Self {
        let (dependency, required_for) = (dependency.into(), required_for.into());
        let message = format!("Missing dependency: '{dependency}' is required for {required_for}.");
        Self::new(ProblemCode::MissingDependency, message)
            .detail("dependency", dependency)
            .detail("required_for", required_for)
    }

    /// The value of `field` is invalid, because of `reason`.
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::validation("email", "Invalid format");
    /// assert_eq!(problem.message(), "Invalid value for 'email': Invalid format");
    /// ```
    pub fn validation(field: impl Into<String>, reason: impl Into<String>) -> Self {
        let (field, reason) = (field.into(), reason.into());
        let message = format!("Invalid value for '{field}': {reason}");
        Self::new(ProblemCode::ValidationError, message)
            .detail("field", field)
            .detail("reason", reason)
    }

    /// [`validation`](Self::validation) under its other name in `mcp-error-codes`.
    pub fn invalid_input(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::validation(field, reason)
    }

    /// The required `field` is missing.
    pub fn missing_required(field: impl Into<String>) -> Self {
        let field = field.into();
        let message = format!("Missing required field: '{field}'.");
        Self::new(ProblemCode::MissingRequired, message).detail("field", field)
    }

    /// The caller may not perform `operation`. `reason` adds a sentence, if it is public.
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::access_denied("delete", "Only admins may.");
    /// assert_eq!(problem.message(), "Access denied for operation: delete. Only admins may.");
    /// assert_eq!(Problem::access_denied("delete", None).message(), "Access denied for operation: delete.");
    /// ```
    pub fn access_denied<'a>(
        operation: impl Into<String>,
        reason: impl Into<Option<&'a str>>,
    ) -> Self {
        let operation = operation.into();
        let message = format!("Access denied for operation: {operation}.");
        let message = and_then(message, reason.into());
        Self::new(ProblemCode::AccessDenied, message).detail("operation", operation)
    }

    /// The operation needs the scope `required`; the caller has the scopes `current`.
    pub fn insufficient_scope<S: Into<String>>(
        required: impl Into<String>,
        current: impl IntoIterator<Item = S>,
    ) -> Self {
        let required = required.into();
        let current: Vec<String> = current.into_iter().map(Into::into).collect();
        let listed = match &*current {
            [] => Cow::Borrowed("none"),
            some => some.join(", ").into(),
        };
        let message = format!("Insufficient scope. Required: '{required}'. Current: {listed}.");
        Self::new(ProblemCode::InsufficientScope, message)
            .detail("required_scope", required)
            .detail("current_scopes", current)
    }

    /// The caller has reached the limit on `limit_type`, until `retry_after` has passed.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use plainly_errors::Problem;
    ///
    /// let problem = Problem::rate_limited("api_calls", Duration::from_secs(60));
    /// assert_eq!(problem.message(), "Rate limit exceeded for api_calls. Try again in 60 seconds.");
    /// assert_eq!(problem.retry_after_seconds(), Some(60));
    /// ```
    pub fn rate_limited(limit_type: impl Into<String>, retry_after: Duration) -> Self {
        let limit_type = limit_type.into();
        let wait = try_again(retry_after);
        let message = format!("Rate limit exceeded for {limit_type}. {wait}");
        Self::new(ProblemCode::RateLimitExceeded, message)
            .detail("limit_type", limit_type)
            .retry_in(retry_after)
    }

    /// Writing is currently disabled. `config_path` is the place to change that, if the caller can.
    pub fn read_only<'a>(config_path: impl Into<Option<&'a str>>) -> Self {
        let message = "Write operations are disabled: the system is in read-only mode.";
        match config_path.into() {
            Some(path) => Self::new(
                ProblemCode::ReadOnlyMode,
                format!("{message} Configure it at {path}."),
            ),
            None => Self::new(ProblemCode::ReadOnlyMode, message),
        }
    }

    /// An internal failure, perhaps a temporary one. `message` is sent to the client, so it must
    /// not contain secrets.
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProblemCode::InternalError, message)
    }

    /// The internal error `error`. The client gets `during`, the name of the failed action,
    /// followed by the error's own message. Only logs get the causes and the type of the error. If
    /// the message may contain secrets, use [`internal`](Self::internal) and
    /// [`with_source`](Self::with_source).
    ///
    /// ```
    /// use plainly_errors::Problem;
    ///
    /// let error = "eighty".parse::<u16>().unwrap_err();
    /// let problem = Problem::from_error("reading the port", error);
    /// assert_eq!(problem.message(), "reading the port: invalid digit found in string");
    /// ```
    pub fn from_error<'a>(
        during: impl Into<Option<&'a str>>,
        error: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        let error = error.into();
        let message = match during.into() {
            Some(during) => format!("{during}: {error}"),
            None => error.to_string(),
        };
        Self::internal(message).with_source(error)
    }

    /// The operation failed, and would fail again. `message` is sent to the client.
    pub fn operation_failed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ProblemCode::OperationFailed, message)
    }

    /// `operation` took too long.
    pub fn timeout(operation: impl Into<String>) -> Self {
        let operation = operation.into();
        let message = format!("The operation timed out: {operation}.");
        Self::new(ProblemCode::Timeout, message).detail("operation", operation)
    }

    /// The user must confirm `action` first.
    pub fn confirmation_required(action: impl Into<String>) -> Self {
        let action = action.into();
        let message = format!("Confirmation required for: {action}.");
        Self::new(ProblemCode::ConfirmationRequired, message).detail("action", action)
    }

    /// The external `service` is down.
    pub fn service_unavailable(service: impl Into<String>) -> Self {
        let service = service.into();
        let message = format!("The service '{service}' is unavailable.");
        Self::new(ProblemCode::ServiceUnavailable, message).detail("service", service)
    }

    /// A problem with an application's own code, by convention in `UPPER_CASE`. The name of a known
    /// code gives that code.
    ///
    /// ```
    /// use plainly_errors::Problem;
    /// use plainly_errors::problem::ProblemCode;
    ///
    /// let problem = Problem::custom("OUT_OF_TEA", "There is no tea left.");
    /// assert_eq!(problem.code(), &ProblemCode::Custom("OUT_OF_TEA".into()));
    /// assert_eq!(Problem::custom("TIMEOUT", "Too late.").code(), &ProblemCode::Timeout);
    /// ```
    pub fn custom(code: impl Into<String>, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code.into().into(), message)
    }

    fn of_entity(
        code: ProblemCode,
        message: String,
        entity_type: impl Into<Value>,
        identifier: impl Into<Value>,
    ) -> Self {
        Self::new(code, message)
            .detail("entity_type", entity_type)
            .detail("identifier", identifier)
    }
}

fn and_then(message: String, more: Option<&str>) -> String {
    match more {
        Some(more) => format!("{message} {more}"),
        None => message,
    }
}
