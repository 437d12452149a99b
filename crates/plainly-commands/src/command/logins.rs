//! `plainly logins`: the stored logins, without their tokens.

use jiff::Timestamp;
use plainly::client::oauth::TokenStore as _;

use crate::accounts::{ends, login_json, logins, scopes};
use crate::args::LoginsArgs;
use crate::failure::Failure;
use crate::output::Output;

pub(crate) async fn run(args: LoginsArgs) -> Result<(), Failure> {
    let logins = logins(args.kept)?;
    let kept = logins.load().await;
    let kept = kept.map_err(|error| Failure::local(error.to_string()))?;
    if kept.servers.is_empty() {
        tracing::warn!("there are no logins: start one with `plainly login URL`");
    }
    let mut output = Output::new(args.format());
    if !kept.servers.is_empty() {
        output.head(["SERVER", "ISSUER", "ACCOUNT", "SCOPE", "ENDS"], columns)?;
    }
    for server in kept.servers.keys() {
        let Some(grant) = kept.grant(server) else {
            continue;
        };
        match output.is_json() {
            true => {
                let mut login = login_json(server, grant);
                login["keptIn"] = logins.path().to_string_lossy().into();
                output.json(&login)?;
            }
            false => {
                let (scopes, ends) = (scopes(grant), ends(grant, Timestamp::now()));
                let account = grant.account.as_deref().unwrap_or("-");
                output.row(
                    [server, &grant.key.issuer, account, &scopes, &ends],
                    columns,
                )?;
            }
        }
    }
    if output.is_table() && !kept.servers.is_empty() {
        output.prose(&format!("They are stored in {}.", logins.place()))?;
    }
    output.flush()
}

fn columns([server, issuer, account, scope, ends]: [&str; 5]) -> String {
    format!("{server:<36}  {issuer:<28}  {account:<16}  {scope:<20}  {ends}")
}
