//! `plainly logout`: ends logins, and removes them from the store.

use plainly::client::oauth::credentials::Credentials;
use plainly::client::oauth::{LoggedOut, OAuthError, TokenStore as _, server_address};
use serde_json::json;

use super::login::failure;
use crate::accounts::{Account, logins};
use crate::args::{LogoutArgs, ServerArgs};
use crate::connection::address;
use crate::failure::Failure;
use crate::output::Output;

/// The failure if the tokens could not be revoked.
const NOT_GIVEN_BACK: &str =
    "the tokens were removed here, but could not be revoked: they are valid until they expire";

pub(crate) async fn run(mut args: LogoutArgs) -> Result<(), Failure> {
    let server = args.server()?;
    let mut output = Output::new(args.server.format());
    let Some(server) = server else {
        all(&args.server, &mut output).await?;
        return output.flush();
    };
    let url = address(server, &mut args.server).await?;
    let url = server_address(&url).unwrap_or(url);
    one(&url, &args.server, &mut output).await?;
    output.flush()
}

/// Ends all logins, one after another. The first failure is reported at the end.
async fn all(args: &ServerArgs, output: &mut Output) -> Result<(), Failure> {
    let logins = logins(args.account.kept)?;
    let kept = logins.load().await;
    let kept = kept.map_err(|error| Failure::local(error.to_string()))?;
    let mut first = Ok(());
    for server in kept.servers.keys() {
        let done = one(server, args, output).await;
        first = first.and(done);
    }
    // Also removes the client registrations, and all grants that belong to no server.
    let forgotten = logins.update(Box::new(|kept| *kept = Credentials::default()));
    let forgotten = forgotten.await;
    forgotten.map_err(|error| Failure::local(error.to_string()))?;
    if kept.servers.is_empty() && !output.is_json() {
        output.prose("There are no logins.")?;
    }
    first
}

async fn one(server: &str, args: &ServerArgs, output: &mut Output) -> Result<(), Failure> {
    let account = Account::of_logout(args)?;
    let done = account.oauth.log_out(server).await;
    let done = done.map_err(|error| match matches!(error, OAuthError::Store { .. }) {
        true => failure(error),
        false => Failure::caused(format!("{server}: {NOT_GIVEN_BACK}"), error),
    })?;
    let (word, said) = match done {
        LoggedOut::Nothing => ("nothing", "you were not logged in"),
        LoggedOut::Revoked => ("revoked", "logged out: the tokens are revoked"),
        LoggedOut::Forgotten | _ => (
            "forgotten",
            "logged out: the tokens were removed here; the authorization server can't revoke \
             them, so they are valid until they expire",
        ),
    };
    match output.is_json() {
        true => output.json(&json!({ "server": server, "tokens": word })),
        false => output.prose(&format!("{server}: {said}.")),
    }
}
