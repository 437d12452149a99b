//! A page that a server wants the user to visit. It is opened after the user has seen its URL and
//! agreed. This program never reads the page.

use plainly::errors::UrlElicitation;
use plainly::protocol::types::{ElicitAction, ElicitUrlParams};

use super::form::{BOLD, WARNING};
use super::person::Person;
use super::shown::{short, told};
use crate::browser::{self, Page};

/// Asks `person` whether to open the page that the server called `who` names. If it `is_known`, the
/// user has agreed before, but the server reports that the visit is not done.
pub(super) async fn visit(
    person: &mut impl Person,
    who: &str,
    visit: &ElicitUrlParams,
    is_known: bool,
) -> ElicitAction {
    let message = told(&visit.message);
    let place = match Page::parse(&visit.url) {
        Ok(place) => place,
        Err(why) => {
            let url = short(&visit.url);
            person.say(&format!(
                "{BOLD}{who}{BOLD:#} wants to open a page:\n{message}\n  {url}\nThe page is not \
                 opened: {why}."
            ));
            return ElicitAction::Decline;
        }
    };
    let (url, host) = (place.url(), place.host());
    person.say(&format!(
        "{BOLD}{who}{BOLD:#} wants to open a page in your browser:\n{message}\n  {url}\n  host: {BOLD}{host}{BOLD:#}"
    ));
    for warning in place.warnings() {
        person.say(&format!("{WARNING}warning:{WARNING:#} {warning}"));
    }
    match is_known {
        true => {
            person.say("You have agreed to this before, and the server is still waiting for it.");
            returned(person, &[place]).await
        }
        false => agreed(person, &place).await,
    }
}

/// Like `visit`, for all pages that the server requires. Waits until `person` is done there;
/// `false` if the user refuses.
pub(super) async fn visit_all(
    person: &mut impl Person,
    who: &str,
    required: &[UrlElicitation],
) -> bool {
    for one in required {
        let page = ElicitUrlParams::new(&one.url, &one.message);
        if visit(person, who, &page, false).await != ElicitAction::Accept {
            return false;
        }
    }
    // The pages were valid when they were shown.
    let pages = required.iter().map(|one| Page::parse(&one.url));
    let pages: Vec<_> = pages.filter_map(Result::ok).collect();
    returned(person, &pages).await == ElicitAction::Accept
}

async fn agreed(person: &mut impl Person, page: &Page) -> ElicitAction {
    loop {
        let answer = person.ask("Open it? [yes, decline, cancel] ").await;
        match answer.unwrap_or_else(|| "cancel".to_owned()).trim() {
            "y" | "yes" => {
                open(person, page).await;
                return ElicitAction::Accept;
            }
            "n" | "no" | "decline" => return ElicitAction::Decline,
            "c" | "cancel" => return ElicitAction::Cancel,
            _ => person.say("Please type yes, decline or cancel."),
        }
    }
}

/// Waits until the user, who has agreed to visit the pages, is done there.
async fn returned(person: &mut impl Person, pages: &[Page]) -> ElicitAction {
    loop {
        let answer = person
            .ask("Press Enter when you are done there. [or: open, decline, cancel] ")
            .await;
        match answer.unwrap_or_else(|| "cancel".to_owned()).trim() {
            "" => return ElicitAction::Accept,
            "o" | "open" => {
                for page in pages {
                    open(person, page).await;
                }
            }
            "n" | "no" | "decline" => return ElicitAction::Decline,
            "c" | "cancel" => return ElicitAction::Cancel,
            _ => person.say("Please press Enter, or type open, decline or cancel."),
        }
    }
}

async fn open(person: &mut impl Person, page: &Page) {
    if let Err(error) = browser::open(page).await {
        person.say(&format!(
            "Cannot start a browser ({error}): open the page yourself."
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::person::Script;
    use super::*;

    async fn asked(url: &str, is_known: bool, answers: &[&str]) -> (ElicitAction, String) {
        let mut script = Script::new(answers);
        let params = ElicitUrlParams::new(url, "Sign in");
        let action = visit(&mut script, "notes", &params, is_known).await;
        assert!(script.answers.is_empty(), "{:?}", script.answers);
        (action, script.heard)
    }

    #[tokio::test]
    async fn a_page_is_not_opened_without_a_yes() {
        let url = "https://user@notes.example/?a=$(id)&b='";
        for (answers, action) in [
            (&["", "sure", "no"][..], ElicitAction::Decline),
            (&["cancel"], ElicitAction::Cancel),
            (&[], ElicitAction::Cancel),
        ] {
            let (done, heard) = asked(url, false, answers).await;
            assert_eq!(done, action);
            let expected = "  | Sign in\n  https://user@notes.example/?a=$(id)&b=%27\n  host: notes.example\nwarning: ";
            assert!(heard.contains(expected), "{heard}");
        }
        let (action, heard) = asked("javascript:\u{1b}[2J", false, &[]).await;
        assert_eq!(action, ElicitAction::Decline);
        let expected =
            "  javascript:\\u{1b}[2J\nThe page is not opened: it is not a page on the web";
        assert!(heard.contains(expected), "{heard}");
    }

    #[tokio::test]
    async fn all_pages_that_are_required_are_visited_before_it_goes_on() {
        let required = ["https://notes.example/a", "https://notes.example/b"];
        let required = required.map(|url| UrlElicitation::new(url, url, "Sign in"));
        for (answers, is_done) in [
            (&["yes", "yes", "well", ""][..], true),
            (&["yes", "yes", "cancel"], false),
            (&["yes", "no"], false),
            (&["yes", "yes"], false),
        ] {
            let mut script = Script::new(answers);
            let done = visit_all(&mut script, "notes", &required).await;
            assert_eq!((done, script.answers.len()), (is_done, 0), "{answers:?}");
        }
    }

    #[tokio::test]
    async fn whoever_is_done_goes_on() {
        let (action, heard) = asked("https://notes.example/", true, &["well", ""]).await;
        assert_eq!(action, ElicitAction::Accept);
        assert!(heard.contains("still waiting"), "{heard}");
    }
}
