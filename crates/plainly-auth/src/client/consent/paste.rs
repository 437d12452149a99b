//! Consent in a browser that may run on another machine, and can't be redirected to this one: the
//! user pastes the address of the redirect.

use std::fmt;
use std::future::{pending, ready};
use std::io;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use plainly_oauth::Secret;

use super::callback::is_of_login;
use super::loopback::{Loopback, LoopbackVisit};
use super::{Consent, ConsentError, ConsentPage, Visit};

type Read =
    dyn Fn(Option<PasteMistake>) -> BoxFuture<'static, io::Result<Option<String>>> + Send + Sync;

/// Shows the page as a [`Loopback`] does. It accepts the address that the user pastes or the
/// browser's own request, whichever comes first.
#[derive(Clone)]
pub struct Paste {
    loopback: Loopback,
    read: Arc<Read>,
}

/// The fault of a pasted address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PasteMistake {
    /// The address is not the one that the browser was redirected to.
    #[error("this is not the address that the browser was redirected to")]
    OtherPage,
    /// The address has another login's state, or none.
    #[error("this address belongs to another login")]
    OtherLogin,
}

impl Paste {
    /// Asks for consent with a page that the `open` of `loopback` shows. `read` returns one pasted
    /// address, and gets the mistake of the previous one; it returns `None` if there will be no
    /// more. `read` is dropped when the browser is redirected to this machine.
    pub fn new<F>(
        loopback: Loopback,
        read: impl Fn(Option<PasteMistake>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = io::Result<Option<String>>> + Send + 'static,
    {
        let read = Arc::new(move |mistake| read(mistake).boxed());
        Self { loopback, read }
    }
}

impl fmt::Debug for Paste {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Paste").field(&self.loopback).finish()
    }
}

impl Consent for Paste {
    fn prepare<'a>(
        &'a self,
        redirect: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Visit>, ConsentError>> {
        let visit = self.loopback.bind(redirect).map(|visit| {
            let read = Arc::clone(&self.read);
            Box::new(PasteVisit { visit, read }) as _
        });
        Box::pin(ready(visit))
    }
}

struct PasteVisit {
    visit: LoopbackVisit,
    read: Arc<Read>,
}

impl Visit for PasteVisit {
    fn redirect_uri(&self) -> &str {
        self.visit.uri()
    }

    fn visit<'a>(
        self: Box<Self>,
        page: &'a ConsentPage<'a>,
    ) -> BoxFuture<'a, Result<String, ConsentError>> {
        let Self { visit, read } = *self;
        let pasted = pasted(read, visit.uri().to_owned(), Secret::new(page.state));
        Box::pin(visit.visit_or(page, pasted))
    }
}

impl fmt::Debug for PasteVisit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PasteVisit").field(&self.visit).finish()
    }
}

/// The query of the first valid address.
async fn pasted(read: Arc<Read>, redirect: String, state: Secret) -> Result<String, ConsentError> {
    let mut mistake = None;
    loop {
        match read(mistake).await {
            Ok(Some(text)) => match query(&text, &redirect, &state) {
                Ok(query) => return Ok(query.to_owned()),
                Err(wrong) => mistake = Some(wrong),
            },
            // The browser can still be redirected here.
            Ok(None) => return pending().await,
            Err(error) => {
                let why = format!("cannot read the pasted address: {error}");
                return Err(ConsentError::Failed(why));
            }
        }
    }
}

/// The query of a pasted address.
fn query<'t>(text: &'t str, redirect: &str, state: &Secret) -> Result<&'t str, PasteMistake> {
    let without_scheme = |text: &'t str| text.strip_prefix("http://").unwrap_or(text);
    let redirect = redirect.trim_start_matches("http://");
    // Some browsers don't show the scheme.
    let query = without_scheme(text.trim())
        .strip_prefix(redirect)
        .and_then(|rest| rest.strip_prefix('?'))
        .ok_or(PasteMistake::OtherPage)?;
    let query = query.split('#').next().unwrap_or(query);
    match is_of_login(query, state) {
        true => Ok(query),
        false => Err(PasteMistake::OtherLogin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_pasted_is_the_address_where_this_login_ends() {
        use PasteMistake::{OtherLogin, OtherPage};
        let redirect = "http://127.0.0.1:1234/callback";
        for (text, expected) in [
            (
                "http://127.0.0.1:1234/callback?state=s&code=c",
                Ok("state=s&code=c"),
            ),
            (
                "  127.0.0.1:1234/callback?code=c&state=s\r\n",
                Ok("code=c&state=s"),
            ),
            (
                "http://127.0.0.1:1234/callback?error=x&state=s#_",
                Ok("error=x&state=s"),
            ),
            (
                "http://127.0.0.1:1234/callback?state=t&code=c",
                Err(OtherLogin),
            ),
            (
                "http://127.0.0.1:1234/callback?state=s&state=s",
                Err(OtherLogin),
            ),
            ("http://127.0.0.1:1234/callback?", Err(OtherLogin)),
            ("http://127.0.0.1:1234/callback", Err(OtherPage)),
            ("http://127.0.0.1:12345/callback?state=s", Err(OtherPage)),
            (
                "http://127.0.0.1:1234/callback/other?state=s",
                Err(OtherPage),
            ),
            ("https://as.example/authorize?state=s", Err(OtherPage)),
            ("state=s&code=c", Err(OtherPage)),
            ("", Err(OtherPage)),
        ] {
            assert_eq!(query(text, redirect, &"s".into()), expected, "{text}");
        }
    }
}
