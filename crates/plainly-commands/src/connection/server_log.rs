//! Log messages of a server, each as a line: `server: warning (db): the disk is nearly full`.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::errors::mistake::shortened;
use plainly::protocol::types::LoggingMessageParams;
use serde_json::{Map, Value};

use crate::terminal;
use crate::visible::visible;

/// The most bytes of a message, and of the name of its logger.
const LONGEST: usize = 2_000;
const LONGEST_NAME: usize = 100;

/// Shows at most `most` of the server's log messages.
pub(super) fn shown(most: usize) -> impl Fn(LoggingMessageParams) + Send + Sync {
    let before = AtomicUsize::new(0);
    move |message| match before.fetch_add(1, Ordering::Relaxed).cmp(&most) {
        Less => terminal::line(&line(&message)),
        Equal => terminal::line("server: there are more messages: --server-log warning shows all"),
        Greater => {}
    }
}

fn line(message: &LoggingMessageParams) -> String {
    let text = match message.data.decode() {
        Ok(Value::String(text)) => text,
        Ok(Value::Object(members)) => match text_alone(&members) {
            Some(text) => text.to_owned(),
            None => message.data.get().to_owned(),
        },
        Ok(_) | Err(_) => message.data.get().to_owned(),
    };
    let text = visible(&shortened(text.trim(), LONGEST));
    let logger = message.logger.as_deref().filter(|name| !name.is_empty());
    let logger = logger.map(|name| format!(" ({})", visible(&shortened(name, LONGEST_NAME))));
    let logger = logger.unwrap_or_default();
    format!("server: {}{logger}: {text}", message.level)
}

/// The text of a message that is an object with only a text, as FastMCP sends it.
fn text_alone(members: &Map<String, Value>) -> Option<&str> {
    let mut said = members.iter().filter(|(_, value)| !value.is_null());
    match (said.next()?, said.next()) {
        ((name, Value::String(text)), None) if name == "msg" || name == "message" => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use plainly::protocol::types::{LoggingLevel, RawJson};

    use super::*;

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        let told = |data: &str| {
            let data = RawJson::parse(data).unwrap();
            line(&LoggingMessageParams::new(LoggingLevel::Warning, data).logger("db\n"))
        };
        let full = told(r#""the disk is\u001b[2J\nfull""#);
        assert_eq!(full, r"server: warning (db\n): the disk is\u{1b}[2J\nfull");
        let data = told(r#"{"free":3}"#);
        assert_eq!(data, r#"server: warning (db\n): {"free":3}"#);
        let data = told(r#"{"msg":"nearly full","extra":null}"#);
        assert_eq!(data, r"server: warning (db\n): nearly full");
        let long = told(&format!("\"{}\"", "x".repeat(10 << 20)));
        assert!(long.len() < 2 * LONGEST, "{}", long.len());
    }
}
