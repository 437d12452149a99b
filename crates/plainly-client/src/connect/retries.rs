//! The retries of failed calls: only of calls that may be repeated and may succeed then, and not
//! sooner than the server asks.

use std::time::Duration;

use crate::error::Error;
use crate::link::backoff::chance;

/// The first pause if the server names none; each further one is twice as long.
const FIRST: Duration = Duration::from_millis(200);
/// The longest of these pauses.
const LONGEST: Duration = Duration::from_secs(10);

/// Retries failed calls, for a client that is [built](crate::Builder::retries) with this. By
/// default, none.
///
/// Only calls that may be repeated are retried: those that read or list, and calls of tools whose
/// listing says that they only read (`readOnlyHint`) or that calling them twice does no more than
/// once (`idempotentHint`). A tool that this client has not listed is not called again. Nor is a
/// tool that reported a failure, because its output is for the model. Only errors after which the
/// same call [may succeed](Error::is_retryable) count. The end of a connection does not count,
/// because there is no new one.
///
/// ```no_run
/// # async fn example() -> plainly::client::Result<()> {
/// use std::time::Duration;
///
/// use plainly::client::{Client, Retries};
///
/// let retries = Retries::by_hint().tries(5).within(Duration::from_secs(120));
/// let client = Client::http("http://127.0.0.1:3333/mcp").retries(retries).connect().await?;
/// client.read("file:///docs/intro.md").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// The most attempts, including the first one.
    tries: u32,
    /// The time after the first attempt within which the last one must begin.
    within: Duration,
}

impl Retries {
    /// A call is made once.
    pub const NONE: Self = Self {
        tries: 1,
        within: Duration::ZERO,
    };

    /// Waits as long as the server asks, in its error or in `Retry-After`; otherwise the pauses
    /// increase. There are at most three attempts, the last within a minute. Each pause gets a
    /// small random addition, so that many clients don't come back at once.
    pub const fn by_hint() -> Self {
        Self {
            tries: 3,
            within: Duration::from_secs(60),
        }
    }

    /// Sets the most attempts of one call, including the first one.
    #[must_use]
    pub const fn tries(self, tries: u32) -> Self {
        Self { tries, ..self }
    }

    /// Sets the time after the first attempt within which the last one must begin. If the server
    /// asks for a longer wait, the call fails at once, with an error that says [how
    /// long](Error::retry_after).
    #[must_use]
    pub const fn within(self, within: Duration) -> Self {
        Self { within, ..self }
    }

    /// The most pauses of one call.
    pub(crate) fn pauses(self) -> u32 {
        self.tries.saturating_sub(1)
    }

    /// The pause before the next attempt, after `earlier` pauses and after the time `spent`; `None`
    /// if there is no further attempt.
    pub(crate) fn pause(self, error: &Error, earlier: u32, spent: Duration) -> Option<Duration> {
        // A failed login is not repeated, because the user did not ask for that.
        let is_settled = error.is_closed() || error.authorization().is_some();
        if !error.is_retryable() || is_settled {
            return None;
        }
        let doubled = FIRST.saturating_mul(1 << earlier.min(16));
        let pause = error.retry_after().unwrap_or(doubled.min(LONGEST));
        // The random part is added, so that no request comes sooner than the server asks.
        let pause = pause.saturating_add(pause.min(LONGEST).mul_f64(0.25 * chance()));
        (spent.saturating_add(pause) <= self.within).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plainly_errors::{Problem, ProtocolError, Unavailable};

    use super::*;
    use crate::error::AuthError;
    use crate::error::authorization::tests::Refusal;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_pause_is_what_was_asked_for_and_a_little_more() {
        let limited = Problem::rate_limited("calls", 8 * SECOND).to_protocol_error();
        let internal = ProtocolError::internal("m");
        for (error, earlier, least) in [
            (limited.clone(), 0, 8 * SECOND),
            (limited, 1, 8 * SECOND),
            (Unavailable::Overloaded.into(), 1, SECOND),
            (internal.clone(), 0, FIRST),
            (internal.clone(), 1, 2 * FIRST),
            (internal, 29, LONGEST),
        ] {
            let retries = Retries::by_hint().tries(99);
            let pauses: Vec<_> = (0..50)
                .filter_map(|_| retries.pause(&error.clone().into(), earlier, Duration::ZERO))
                .collect();
            assert_eq!(pauses.len(), 50, "{error}");
            for pause in &pauses {
                assert!((least..=least.mul_f64(1.25)).contains(pause), "{pause:?}");
            }
            assert!(pauses.iter().any(|pause| pause != &pauses[0]));
        }
    }

    #[test]
    fn nobody_is_asked_to_log_in_again_by_itself() {
        let error = Error::from(AuthError::Authorizer(Arc::new(Refusal(true))));
        assert!(error.is_retryable());
        let pause = Retries::by_hint().pause(&error, 0, Duration::ZERO);
        assert_eq!(pause, None);
    }

    #[test]
    fn a_call_is_given_up_where_it_can_not_succeed_in_time() {
        let limited = Problem::rate_limited("calls", 50 * SECOND).to_protocol_error();
        let missing = ProtocolError::resource_not_found("a:b");
        let pause = |error: &ProtocolError, spent: u32| {
            let error = error.clone().into();
            Retries::by_hint().pause(&error, 0, spent * SECOND)
        };
        assert!(pause(&limited, 0).is_some());
        assert!(pause(&limited, 11).is_none());
        assert!(pause(&missing, 0).is_none());
    }
}
