//! Notifications about a request in progress: its progress, from the side that serves it (the
//! specification's page "Progress"), and its cancellation, from the side that sent it
//! ("Cancellation"). Other code matches them to requests, checks that progress increases, and stops
//! cancelled work.

use plainly_errors::number::whole;
use serde::ser::{Error, Serializer};

use super::record::record;
use crate::id::{ProgressToken, RequestId};

record! {
    /// The parameters of `notifications/progress`.
    ///
    /// The numbers must be finite, because JSON has no others, and serialization fails otherwise.
    /// An integer is written without a fraction.
    pub struct ProgressParams {
        /// The progress token of the request.
        pub progress_token: ProgressToken,
        /// The progress so far, which increases with each notification.
        #[serde(serialize_with = "number")]
        pub progress: f64,
        /// The progress at the end, if it is known.
        #[serde(
            serialize_with = "optional_number")]
        pub total: Option<f64>,
        /// A short description of the current step, for the user; from 2025-03-26.
        pub message: Option<String>,
    }

    /// Progress so far, without a known end.
    pub fn new(progress_token: impl Into<ProgressToken>, progress: f64);
}

fn number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !number.is_finite() {
        return Err(S::Error::custom(format_args!(
            "{number} is not a number that JSON can represent"
        )));
    }
    match whole(*number) {
        Some(whole) => serializer.serialize_i64(whole),
        None => serializer.serialize_f64(*number),
    }
}

fn optional_number<S: Serializer>(
    number_or_none: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match number_or_none {
        Some(some) => number(some, serializer),
        None => serializer.serialize_none(),
    }
}

record! {
    /// The parameters of `notifications/cancelled`.
    #[derive(Eq)]
    pub struct CancelledParams {
        /// The request that is cancelled.
        pub request_id: RequestId,
        /// The reason, for logs and users.
        pub reason: Option<String>,
    }

    /// A cancellation without a reason.
    pub fn new(request_id: impl Into<RequestId>);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (progress, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (50.0, "50"),
            (0.25, "0.25"),
            (-3.0, "-3"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (1e300, "1e+300"),
        ] {
            let params = ProgressParams::new(1, progress).total(progress);
            assert_eq!(
                serde_json::to_string(&params).unwrap(),
                format!(r#"{{"progressToken":1,"progress":{text},"total":{text}}}"#)
            );
        }
    }

    #[test]
    fn what_is_no_number_is_never_written() {
        for progress in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(serde_json::to_string(&ProgressParams::new("t", progress)).is_err());
            let of = ProgressParams::new("t", 1.0).total(progress);
            assert!(serde_json::to_string(&of).is_err());
        }
    }
}
