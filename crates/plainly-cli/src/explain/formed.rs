//! Text that has a form: JSON as a whole, or lines of which each stands for itself.

use serde_json::Value;

use super::{Explanation, Setting, json, log_line};

/// The errors in JSON, or in lines that each stand for themselves. Without a reason why not, it has neither form.
pub(super) fn formed(text: &str, setting: Setting) -> Result<Vec<Explanation>, Vec<String>> {
    let whole = match crate::json::parse(text) {
        Ok(value) => json::explain(&value, setting),
        Err(why) if text.starts_with(['{', '[', '"']) => Err(vec![why]),
        Err(_) => Err(Vec::new()),
    };
    whole.or_else(|why| {
        let lines = lines(text, setting);
        if lines.is_empty() {
            Err(why)
        } else {
            Ok(lines)
        }
    })
}

/// The errors in lines that each stand for themselves: of a log, of a stream of messages, of a stream of events.
fn lines(text: &str, setting: Setting) -> Vec<Explanation> {
    let explained = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("data:").unwrap_or(line).trim_start();
        if let Some(event) = log_line::Event::parse(line) {
            return event.explain(setting);
        }
        let value: Value = serde_json::from_str(line).ok()?;
        // A number alone on a line is anything.
        let value = Some(value).filter(|value| value.is_object() || value.is_array());
        json::explain(&value?, setting).ok()
    };
    text.lines().filter_map(explained).flatten().collect()
}
