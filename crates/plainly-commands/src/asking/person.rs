//! The trait of a respondent: the user at the terminal, or a script in tests.

use crate::terminal::Conversation;

/// The user who is asked.
pub(crate) trait Person: Send {
    /// Shows lines.
    fn say(&mut self, text: &str);

    /// Asks for a line; `None` if the user has gone.
    fn ask(&mut self, prompt: &str) -> impl Future<Output = Option<String>> + Send;
}

impl Person for Conversation {
    fn say(&mut self, text: &str) {
        Self::say(self, text);
    }

    async fn ask(&mut self, prompt: &str) -> Option<String> {
        Self::ask(self, prompt).await
    }
}

/// Whether the user agrees; `None` if the user has gone. Enter means `preset`, if there is one.
pub(crate) async fn agrees(
    person: &mut impl Person,
    question: &str,
    preset: Option<bool>,
) -> Option<bool> {
    loop {
        let answer = person.ask(question).await?.trim().to_lowercase();
        match (answer.as_str(), preset) {
            ("y" | "yes", _) => return Some(true),
            ("n" | "no", _) => return Some(false),
            ("", Some(preset)) => return Some(preset),
            _ => person.say("Please type yes or no."),
        }
    }
}

/// A user with predefined answers.
#[cfg(test)]
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) answers: std::collections::VecDeque<String>,
    pub(super) heard: String,
}

#[cfg(test)]
impl Script {
    pub(super) fn new(answers: &[&str]) -> Self {
        Self {
            answers: answers.iter().copied().map(str::to_owned).collect(),
            heard: String::new(),
        }
    }
}

#[cfg(test)]
impl Person for Script {
    fn say(&mut self, text: &str) {
        self.heard
            .push_str(&anstream::adapter::strip_str(text).to_string());
        self.heard.push('\n');
    }

    async fn ask(&mut self, prompt: &str) -> Option<String> {
        self.say(prompt);
        self.answers.pop_front()
    }
}
