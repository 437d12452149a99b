//! What somebody hands in to have it explained, told apart by its form: the strictest first, and at last the words in it.

use super::formed::formed;
use super::phrases::{Phrase, Speaker};
use super::{Explanation, Setting, http, local, words};

/// The explanations of everything in `text` that is an error; or all reasons why there is none.
pub(crate) fn read(text: &str, setting: Setting) -> Result<Vec<Explanation>, Vec<String>> {
    let text = text.trim_start_matches('\u{feff}').trim();
    // As some shells leave them.
    let unquoted = text.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    let text = unquoted.unwrap_or(text);
    if text.is_empty() {
        return Err(vec![
            "there is nothing in it: give the error as an argument or on standard input".to_owned(),
        ]);
    }
    if let Some(response) = http::Response::parse(text) {
        return response.explain(setting);
    }
    if let Some(explained) = words::alone(text, setting) {
        return explained;
    }
    let why = match formed(text, setting) {
        Err(why) => why,
        explained => return explained,
    };
    // What can't be read to its end may still say which error it is.
    let mut found = words::within(text, setting);
    if found.is_empty() {
        let phrase = Phrase::within(text, Speaker::Network).map(|phrase| phrase.explain(text));
        found.extend(phrase.or_else(|| local::printed(text, setting)));
    }
    match found.is_empty() {
        false => Ok(noting(found, &why)),
        true if why.is_empty() => Err(words::nothing_in(text)),
        true => Err(why),
    }
}

/// The explanations, each with why the text around it could not be read.
fn noting(mut found: Vec<Explanation>, why: &[String]) -> Vec<Explanation> {
    for explained in &mut found {
        why.iter().for_each(|why| explained.breaks(why.clone()));
    }
    found
}
