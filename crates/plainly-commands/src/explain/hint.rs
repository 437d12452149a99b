//! The meaning of an error in known implementations, if it differs from the specification. It is
//! likely, but not certain.

use std::fmt;

use plainly::errors::habit::{Habit, habits};
use plainly::errors::{Code, WireError};
use serde_json::{Value, json};

/// The meaning of an error in one implementation.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    habit: &'static Habit,
    /// The form of its message, if the error has no message.
    message: Option<&'static str>,
}

impl Hint {
    /// The likely meanings of this error, in answer to `method` if the method is known.
    pub(super) fn all_of(error: &WireError, method: Option<&str>) -> Vec<Self> {
        let hints = error.habits(method).map(|habit| Self {
            habit,
            message: None,
        });
        once(hints)
    }

    /// All meanings that other implementations give to a code.
    pub(crate) fn of_code(code: Code) -> Vec<Self> {
        let of_code = habits().iter().filter(|habit| habit.code == code);
        once(of_code.map(|habit| Self {
            habit,
            message: habit.messages.first().copied(),
        }))
    }

    /// Whether the meaning has exactly this text.
    pub(super) fn says(&self, means: &str) -> bool {
        self.habit.meaning == means
    }

    /// The hint for scripts.
    pub(crate) fn json(&self) -> Value {
        json!({
            "certainty": "likely",
            "sender": self.habit.sender,
            "methods": self.habit.methods,
            "message": self.message,
            "means": self.habit.meaning,
            "source": self.habit.source,
        })
    }
}

/// The hints without repeated meanings, because several forms of a message may have one meaning.
fn once(hints: impl Iterator<Item = Hint>) -> Vec<Hint> {
    let mut all = Vec::new();
    for hint in hints {
        let is_new = |known: &Hint| {
            (known.habit.sender, known.habit.meaning) != (hint.habit.sender, hint.habit.meaning)
        };
        if all.iter().all(is_new) {
            all.push(hint);
        }
    }
    all
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(message) = self.message.filter(|message| *message != "*") {
            write!(f, "if the message is \"{message}\": ")?;
        }
        write!(
            f,
            "likely, {} (from {}",
            self.habit.meaning, self.habit.sender
        )?;
        if !self.habit.methods.is_empty() {
            write!(f, ", in answer to {}", self.habit.methods.join(", "))?;
        }
        f.write_str(")")
    }
}
