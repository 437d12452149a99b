//! Errors that wrap a problem, several problems or a protocol error, and only name it as a source:
//! its meaning is still found.

use std::error::Error;
use std::fmt::Debug;
use std::io;
use std::iter::successors;
use std::sync::Arc;

use plainly_errors::{Problem, ProblemBag, Problems, ProtocolError};

/// An error that delegates, like `#[error(transparent)]` of thiserror.
#[derive(Debug)]
struct Transparent<E>(E);

impl<E: Error> std::fmt::Display for Transparent<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, f)
    }
}

impl<E: Error> Error for Transparent<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Wraps an error in each possible way.
fn wrapped<E: Error + Clone + Send + Sync + 'static>(error: &E) -> Vec<Box<dyn Error>> {
    let error = || error.clone();
    vec![
        Box::new(error()),
        Box::new(Transparent(error())),
        Box::new(Transparent(Transparent(error()))),
        Box::new(Transparent(Arc::new(error()))),
        Box::new(Arc::new(error())),
        Box::new(io::Error::other(error())),
        Box::new(io::Error::other(Transparent(error()))),
    ]
}

fn check<E>(error: &E, downcast: fn(&(dyn Error + 'static)) -> Option<E>)
where
    E: Error + Clone + Debug + PartialEq + Send + Sync + 'static,
{
    for (way, wrapped) in wrapped(error).into_iter().enumerate() {
        let found = successors(Some(&*wrapped), |&error| error.source()).find_map(downcast);
        assert_eq!(found.as_ref(), Some(error), "{way}: {wrapped:?}");
    }
}

#[test]
fn what_an_error_means_is_found_in_each_wrapping() {
    let problem = Problem::not_found("note", "7")
        .context("shard", "db-7")
        .with_source("no row");
    check(&problem, Problem::downcast);
    let both = ProblemBag::from_iter([problem.clone(), Problem::timeout("save")]);
    check::<Problems>(&both.into_result().unwrap_err(), Problems::downcast);
    check(
        &ProtocolError::invalid_params("Ids are numbers"),
        ProtocolError::downcast,
    );
    check(&problem.to_protocol_error(), ProtocolError::downcast);
}

#[test]
fn what_is_for_logs_is_found_too() {
    let problem = Problem::internal("It failed.")
        .context("shard", "db-7")
        .with_source("no row");
    let error = io::Error::other(problem);
    let found = error.source().and_then(Problem::downcast).unwrap();
    assert_eq!(found.log_context().get("shard"), Some(&"db-7".into()));
    let cause = found.source().and_then(Error::source).unwrap();
    assert_eq!(cause.to_string(), "no row");
}
