//! The ways to ask the user to log in: in the user's browser, with a page that the user opens, or
//! with a code on another device. A program that runs this one gets the same as JSON.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use plainly::client::oauth::{ConsentPage, DevicePage, Loopback, OAuth, Paste, PasteMistake};
use serde_json::{Value, json};

use crate::browser::{self, Page};
use crate::format::Format;
use crate::output::Output;
use crate::terminal::{self, Conversation};
use crate::visible::visible;

/// The way to ask the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginWay {
    /// The user's browser is opened on this machine.
    AtBrowser,
    /// The user opens the page on any machine.
    ByPage,
    /// The user enters a code on another device.
    AtDevice,
}

/// The user, or the program that can ask them.
#[derive(Clone, Debug)]
pub(crate) struct LoginPerson {
    format: Format,
    asked: LoginWay,
    port: Option<u16>,
    was_asked: Arc<AtomicBool>,
}

impl LoginPerson {
    /// A user who is asked in this way, or the program that asks the user. Browsers are redirected
    /// to this port.
    pub(crate) fn new(format: Format, asked: LoginWay, port: Option<u16>) -> Self {
        Self {
            format,
            asked,
            port,
            was_asked: Arc::default(),
        }
    }

    /// Whether the user had to be asked.
    pub(crate) fn was_asked(&self) -> bool {
        self.was_asked.load(Ordering::Relaxed)
    }

    /// Lets `oauth` ask the user when a login is needed.
    pub(crate) fn ask(&self, oauth: OAuth) -> OAuth {
        let person = self.clone();
        match self.asked {
            LoginWay::AtBrowser => oauth.consent(self.returning(move |page| person.open(page))),
            LoginWay::ByPage => {
                let loopback = self.returning(move |page| person.show(page));
                let format = self.format;
                oauth.consent(Paste::new(loopback, move |mistake| pasted(format, mistake)))
            }
            LoginWay::AtDevice => oauth.device(move |page| person.enter(page)),
        }
    }

    fn returning(
        &self,
        open: impl Fn(&ConsentPage<'_>) -> io::Result<()> + Send + Sync + 'static,
    ) -> Loopback {
        let loopback = Loopback::new(open);
        match self.port {
            Some(port) => loopback.port(port),
            None => loopback,
        }
    }

    /// Opens the page, after showing its address.
    fn open(&self, login: &ConsentPage<'_>) -> io::Result<()> {
        self.is_asked(login.issuer);
        let page = Page::parse(login.url).map_err(io::Error::other)?;
        match self.format.is_json() {
            true => tell(self.format, &event(login))?,
            false => {
                let origin = visible(&page.origin());
                let of_whom = match login.issuer.strip_prefix(&*origin) {
                    Some("" | "/") => String::new(),
                    _ => format!(" for {}", visible(login.issuer)),
                };
                terminal::line(&format!(
                    "{} requires a login: opening {origin}{of_whom} in your browser{}\n\n  {}\n\n\
                     If nothing opens, open this page yourself. Without a browser on this machine, use --no-browser.",
                    visible(login.server),
                    asking_for(login.scope),
                    visible(login.url)
                ));
            }
        }
        let is_json = self.format.is_json();
        tokio::spawn(async move {
            let opened = browser::open(&page).await;
            if let (Err(error), false) = (opened, is_json) {
                let error = visible(&error.to_string());
                terminal::line(&format!("Cannot start a browser: {error}"));
            }
        });
        Ok(())
    }

    /// Shows the page, which can be opened on any machine.
    fn show(&self, login: &ConsentPage<'_>) -> io::Result<()> {
        self.is_asked(login.issuer);
        if self.format.is_json() {
            return tell(self.format, &event(login));
        }
        terminal::line(&format!(
            "{} requires a login{}. Open this page in a browser, on this machine or another:\n\n  {}\n\n\
             On another machine, the browser ends at a page that it can't show: paste the address \
             of that page here. Treat it like a password; it is not shown.",
            visible(login.server),
            asking_for(login.scope),
            visible(login.url)
        ));
        Ok(())
    }

    /// Shows the code to enter, and its page.
    fn enter(&self, page: &DevicePage<'_>) {
        self.is_asked(page.issuer);
        if self.format.is_json() {
            let told = tell(
                self.format,
                &json!({
                    "event": "device",
                    "server": page.server,
                    "issuer": page.issuer,
                    "scope": page.scope,
                    "url": page.url,
                    "code": page.code,
                    "completeUrl": page.complete_url,
                }),
            );
            if let Err(error) = told {
                tracing::debug!("cannot write the instructions: {error}");
            }
            return;
        }
        let complete = page.complete_url.map(visible);
        let complete = complete.map(|url| format!("\nor open {url} there"));
        terminal::line(&format!(
            "{} requires a login{}. On any device, open\n\n  {}\n\nand enter the code\n\n  {}\n{}",
            visible(page.server),
            asking_for(page.scope),
            visible(page.url),
            visible(page.code),
            complete.unwrap_or_default()
        ));
    }

    fn is_asked(&self, issuer: &str) {
        self.was_asked.store(true, Ordering::Relaxed);
        terminal::doing(&format!("waiting for the login at {issuer}"));
    }
}

/// The next pasted address, after reporting the mistake in the previous one.
async fn pasted(format: Format, mistake: Option<PasteMistake>) -> io::Result<Option<String>> {
    if format.is_json() {
        if let Some(mistake) = mistake {
            tell(
                format,
                &json!({ "event": "mistake", "message": mistake.to_string() }),
            )?;
        }
        return Ok(Conversation::begin().await.ask_unseen("").await);
    }
    let mut conversation = Conversation::begin().await;
    if let Some(mistake) = mistake {
        conversation.say(&format!("Invalid address: {mistake}."));
    }
    Ok(conversation.ask_unseen("Address: ").await)
}

fn event(login: &ConsentPage<'_>) -> Value {
    json!({
        "event": "page",
        "server": login.server,
        "issuer": login.issuer,
        "scope": login.scope,
        "url": login.url,
    })
}

/// Reports an event to the program that runs this one.
fn tell(format: Format, event: &Value) -> io::Result<()> {
    let mut output = Output::new(format);
    let told = output.json(event).and_then(|()| output.flush());
    told.map_err(|_failure| io::Error::other("the reader of the output has gone"))
}

/// The scopes to request, which the user has to approve.
fn asking_for(scope: &[String]) -> String {
    match scope {
        [] => String::new(),
        [one] => format!(", for the scope {}", visible(one)),
        several => format!(", for the scopes {}", visible(&several.join(" "))),
    }
}
