//! `plainly login`: the user logs in to a server, and every command uses that login.

use jiff::Timestamp;
use plainly::client::oauth::credentials::{Credentials, Grant, GrantKey};
use plainly::client::oauth::{FileStore, OAuthError, TokenStore as _, server_address};
use serde_json::json;

use crate::accounts::{Account, Login, LoginPerson, LoginWay, ends, login_json, logins, scopes};
use crate::args::{LoginArgs, ServerArgs};
use crate::connection::{Purpose, with_client_for};
use crate::exit::Exit;
use crate::failure::{Failure, Subject};
use crate::output::Output;
use crate::terminal;

/// The error if the user can't be asked.
const NOBODY: &str = "cannot ask for a login, because standard error is not a terminal: use --json for a program, --no-browser to print the page to visit, or --device for a code";

pub(crate) async fn run(mut args: LoginArgs) -> Result<(), Failure> {
    let server = args.server()?;
    let format = args.server.format();
    let person = LoginPerson::new(format, way(&args)?, args.callback_port);
    let of_login = |login| Account::of_login(&args.server, &person, login);
    let unasked = of_login(Login::Unasked)?;
    let (account, again) = match args.force {
        true => (of_login(Login::Anew)?, of_login(Login::Again)?),
        false => {
            let account = of_login(Login::IfNeeded)?;
            (account.clone(), account)
        }
    };
    let url = account.url.clone();
    let mut output = Output::new(format);
    let is_forced = args.force;
    let place = logins(args.server.account.kept)?;
    with_client_for(
        Purpose::Login(account.clone()),
        server,
        args.server,
        async |_client| {
            // The connection exists, so the server has already asked for a login if it requires
            // one.
            let url = url.get().map(String::as_str).unwrap_or_default();
            let server = server_address(url).unwrap_or_default();
            let earlier = kept(&place).await?;
            let mut grant = earlier.grant(&server).cloned();
            let is_enough = grant.as_ref().is_some_and(|it| account.covers(it));
            if !person.was_asked() && (!is_enough || is_forced) {
                // A server with a stored login supports logins, even if it does not require one.
                let oauth = match grant.is_some() {
                    true => &again.oauth,
                    false => &unasked.oauth,
                };
                let is_optional = !is_forced && account.names_no_scopes();
                match oauth.log_in(url).await {
                    Ok(()) => {
                        grant = kept(&place).await?.grant(&server).cloned();
                        if !is_forced {
                            refuse_less(&account, (&server, &place), &earlier, grant.as_ref())
                                .await?;
                        }
                    }
                    Err(OAuthError::NoAuthorizationServer { .. }) if is_optional => {}
                    Err(error) => return Err(failure(error)),
                }
            }
            warn_of_less(&account, grant.as_ref());
            told(
                &mut output,
                (&server, &place),
                grant.as_ref(),
                person.was_asked(),
            )
        },
    )
    .await
}

/// Restores the earlier login and fails, if the new login lacks requested scopes and has no
/// additional ones.
async fn refuse_less(
    account: &Account,
    (server, place): (&str, &FileStore),
    earlier: &Credentials,
    grant: Option<&Grant>,
) -> Result<(), Failure> {
    let (Some(before), Some(grant)) = (earlier.grant(server), grant) else {
        return Ok(());
    };
    let missing = account.not_granted(grant).join(" ");
    let mut granted = grant.granted_scope.iter();
    let has_more = granted.any(|it| !before.granted_scope.contains(it));
    if missing.is_empty() || has_more {
        return Ok(());
    }
    let GrantKey {
        issuer, client_id, ..
    } = &before.key;
    let mut clients = earlier.registrations.iter();
    let client = clients.find(|it| it.issuer == *issuer && it.client_id == *client_id);
    let restore = |kept: &mut Credentials| {
        kept.keep_grant(server, before.clone());
        if let Some(client) = client {
            kept.keep_registration(client.clone());
        }
    };
    let restored = place.update(Box::new(restore)).await;
    restored.map_err(|error| Failure::local(error.to_string()))?;
    Err(Failure::Local {
        exit: Exit::Unauthorized,
        what: format!(
            "{issuer} did not grant the scope {missing}, so the earlier login stays; ask the \
             server's operator for access, or use --force to replace that login"
        ),
        source: None,
    })
}

/// Warns about a login with fewer scopes than the user requested.
fn warn_of_less(account: &Account, grant: Option<&Grant>) {
    let missing = grant.map(|grant| account.not_granted(grant).join(" "));
    if let Some(missing) = missing.filter(|missing| !missing.is_empty()) {
        tracing::warn!(
            "the authorization server did not grant the scope {missing}: ask its operator for access, \
             or log in without this --scope"
        );
    }
}

/// The way to ask the user.
fn way(args: &LoginArgs) -> Result<LoginWay, Failure> {
    Ok(match args {
        LoginArgs { device: true, .. } => LoginWay::AtDevice,
        LoginArgs {
            no_browser: true, ..
        } => LoginWay::ByPage,
        _ if is_told(&args.server) => LoginWay::AtBrowser,
        _ => {
            return Err(Failure::Local {
                exit: Exit::Unauthorized,
                what: NOBODY.to_owned(),
                source: None,
            });
        }
    })
}

/// Whether the user can see that the command waits.
fn is_told(args: &ServerArgs) -> bool {
    args.format().is_json() || terminal::is_seen()
}

async fn kept(place: &FileStore) -> Result<Credentials, Failure> {
    let kept = place.load().await;
    kept.map_err(|error| Failure::local(error.to_string()))
}

fn told(
    output: &mut Output,
    (server, place): (&str, &FileStore),
    grant: Option<&Grant>,
    is_new: bool,
) -> Result<(), Failure> {
    let Some(grant) = grant else {
        match output.is_json() {
            true => output.json(
                &json!({ "event": "login", "isNew": false, "server": server, "issuer": null }),
            )?,
            false => output.prose(&format!(
                "{server} lets clients in without a login, and names no authorization server."
            ))?,
        }
        return output.flush();
    };
    if output.is_json() {
        let mut login = login_json(server, grant);
        login["event"] = "login".into();
        login["isNew"] = is_new.into();
        login["keptIn"] = place.path().to_string_lossy().into();
        output.json(&login)?;
        return output.flush();
    }
    output.prose(match is_new {
        true => "You are logged in.",
        false => "You are logged in already; --force logs in again.",
    })?;
    output.facts([
        ("server", Some(server.to_owned())),
        ("issuer", Some(grant.key.issuer.clone())),
        ("account", grant.account.clone()),
        ("scope", Some(scopes(grant))),
        ("ends", Some(ends(grant, Timestamp::now()))),
        ("kept in", Some(place.place())),
    ])?;
    output.flush()
}

/// The failure for an error of a login or logout.
pub(super) fn failure(error: OAuthError) -> Failure {
    Failure::about(Subject::Connection)(error.into())
}
