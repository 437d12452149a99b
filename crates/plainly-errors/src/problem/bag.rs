//! Collects problems, so that one response reports all mistakes of a caller.

use super::{Problem, Problems};

/// Problems in the order in which they were found; it may be empty. The bag itself is not an error:
/// a function returns the collected problems as [`Problems`].
///
/// ```
/// use plainly_errors::problem::{ProblemBag, Problems};
///
/// fn check(email: &str, name: &str) -> Result<(), Problems> {
///     let mut bag = ProblemBag::new();
///     if !email.contains('@') {
///         bag.invalid("email", "Invalid email format");
///     }
///     if name.len() < 2 {
///         bag.invalid("name", "Name must have at least 2 characters");
///     }
///     bag.into_result()
/// }
///
/// assert!(check("ada@example.com", "Ada").is_ok());
/// let problems = check("ada", "A").unwrap_err();
/// assert_eq!(problems.summary(), "2 validation errors occurred.");
/// assert_eq!(problems.by_field("name").count(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProblemBag(Vec<Problem>);

impl ProblemBag {
    /// An empty bag.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a problem.
    pub fn add(&mut self, problem: Problem) -> &mut Self {
        self.0.push(problem);
        self
    }

    /// Adds an invalid value of `field`, as in [`Problem::validation`].
    pub fn invalid(&mut self, field: impl Into<String>, reason: impl Into<String>) -> &mut Self {
        self.add(Problem::validation(field, reason))
    }

    /// Adds all problems of another bag.
    pub fn merge(&mut self, other: Self) -> &mut Self {
        self.0.extend(other.0);
        self
    }

    /// Removes all problems.
    pub fn clear(&mut self) -> &mut Self {
        self.0.clear();
        self
    }

    /// The number of problems.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the bag is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All problems, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// `Ok` if the bag is empty. With `bag.into_result()?` a handler ends with all problems that it
    /// found.
    ///
    /// # Errors
    ///
    /// All problems, if there are any.
    pub fn into_result(self) -> Result<(), Problems> {
        match Problems::new(self.0) {
            Some(problems) => Err(problems),
            None => Ok(()),
        }
    }

    /// Collects all values, or all problems if there are any. `collect` into a `Result` would stop
    /// at the first problem.
    ///
    /// ```
    /// use plainly_errors::problem::{Problem, ProblemBag};
    ///
    /// let number = |text: &str| text.parse::<u8>().map_err(|_| Problem::validation(text, "Not a number"));
    /// let collect = |texts: [&str; 3]| ProblemBag::collect_results(texts.map(number));
    /// assert_eq!(collect(["1", "2", "3"]), Ok(vec![1, 2, 3]));
    /// assert_eq!(collect(["1", "b", "c"]).unwrap_err().iter().count(), 2);
    /// ```
    ///
    /// # Errors
    ///
    /// All problems, if there are any.
    pub fn collect_results<T>(
        results: impl IntoIterator<Item = Result<T, Problem>>,
    ) -> Result<Vec<T>, Problems> {
        let mut bag = Self::new();
        let mut values = Vec::new();
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(problem) => bag.0.push(problem),
            }
        }
        bag.into_result().map(|()| values)
    }
}

impl From<Problem> for ProblemBag {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl Extend<Problem> for ProblemBag {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        self.0.extend(problems);
    }
}

impl FromIterator<Problem> for ProblemBag {
    fn from_iter<I: IntoIterator<Item = Problem>>(problems: I) -> Self {
        Self(problems.into_iter().collect())
    }
}

impl IntoIterator for ProblemBag {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ProblemBag {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
