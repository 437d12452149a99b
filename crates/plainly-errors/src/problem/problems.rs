//! Several problems as one error: at least one, so that nothing can fail with none.

mod rendering;

use std::error::Error;
use std::fmt;
use std::slice;

use super::{Category, Problem};

/// At least one problem, in the order in which they were found. Made by a [`ProblemBag`](super::ProblemBag).
///
/// As an error it displays the [text](Self::text) that the model gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems(Box<AllProblems>);

/// Never empty. Also the [source](Error::source) of the error, as that of a problem is.
#[derive(Clone, Debug, PartialEq)]
struct AllProblems(Vec<Problem>);

impl Problems {
    /// These problems; `None` if there are none.
    pub(super) fn new(problems: Vec<Problem>) -> Option<Self> {
        (!problems.is_empty()).then(|| Self(Box::new(AllProblems(problems))))
    }

    /// The first, whose code is the code of all.
    pub fn first(&self) -> &Problem {
        self.all().first().expect("there is at least one")
    }

    /// All, in order.
    pub fn iter(&self) -> slice::Iter<'_, Problem> {
        self.all().iter()
    }

    /// The problems whose detail `field` is this one.
    pub fn by_field(&self, field: &str) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(move |problem| problem.details().get("field").is_some_and(|it| it == field))
    }

    /// The problems of one category.
    pub fn by_category(&self, category: Category) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(move |problem| problem.category() == category)
    }

    /// The problems that `error` is or that it wraps so that nothing else is left of it, as [`Problem::downcast`] finds one.
    pub fn downcast(error: &(dyn Error + 'static)) -> Option<Self> {
        let all = || error.downcast_ref::<AllProblems>().cloned();
        let itself = error.downcast_ref::<Self>().cloned();
        itself.or_else(|| Some(Self(Box::new(all()?))))
    }

    fn all(&self) -> &[Problem] {
        &self.0.0
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

/// The source of problems is their list, so that [`downcast`](Problems::downcast) finds them.
impl Error for Problems {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

impl fmt::Display for AllProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes: Vec<&str> = self.0.iter().map(|one| one.code().as_str()).collect();
        f.pad(&codes.join(", "))
    }
}

impl Error for AllProblems {}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(Box::new(AllProblems(vec![problem])))
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
