//! Several problems as one error. There is at least one, so that a function can't fail without a
//! problem.

mod rendering;

use std::error::Error;
use std::fmt;
use std::slice;

use super::{Category, Problem};

/// At least one problem, in the order in which they were found. Created by a
/// [`ProblemBag`](super::ProblemBag).
///
/// Displayed as an error, it is the [text](Self::text) that the model gets.
#[derive(Clone, Debug, PartialEq)]
pub struct Problems(Box<AllProblems>);

/// The list of problems, never empty. Also the [source](Error::source) of the error, like the parts
/// of a problem.
#[derive(Clone, Debug, PartialEq)]
struct AllProblems(Vec<Problem>);

impl Problems {
    /// These problems; `None` if the list is empty.
    pub(super) fn new(problems: Vec<Problem>) -> Option<Self> {
        (!problems.is_empty()).then(|| Self(Box::new(AllProblems(problems))))
    }

    /// The first problem, whose code stands for all.
    pub fn first(&self) -> &Problem {
        self.all().first().expect("there is at least one")
    }

    /// All problems, in order.
    pub fn iter(&self) -> slice::Iter<'_, Problem> {
        self.all().iter()
    }

    /// The problems whose detail `field` has this value.
    pub fn by_field(&self, field: &str) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(move |problem| problem.details().get("field").is_some_and(|it| it == field))
    }

    /// The problems of one category.
    pub fn by_category(&self, category: Category) -> impl Iterator<Item = &Problem> {
        self.iter()
            .filter(move |problem| problem.category() == category)
    }

    /// The problems that `error` is or that it wraps so that only they can be found, as
    /// [`Problem::downcast`] does for one.
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
