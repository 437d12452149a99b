//! The state that every step on the way to a token uses.

use std::sync::Arc;

use plainly_oauth::credentials::{Credentials, Grant, Registration};
use plainly_oauth::jose::SigningKey;

use super::failures;
use super::settings::Settings;
use super::wallet::{Came, Wallet};
use crate::fetch::Fetcher;
use plainly_client::AuthError;

/// One way from a refusal to a token.
#[derive(Clone)]
pub(super) struct Flow {
    pub(super) settings: Settings,
    pub(super) wallet: Arc<Wallet>,
    pub(super) fetcher: Fetcher,
    /// The URL of the MCP server, without what may be secret in it.
    pub(super) server: String,
}

impl Flow {
    pub(super) fn has_ended(&self, grant: &Grant) -> bool {
        let now = self.settings.clock.now();
        grant.expires_at.is_some_and(|at| at <= now)
    }

    /// Keeps a grant, and who it was given to.
    pub(super) async fn keep(
        &self,
        grant: Grant,
        client: Option<Registration>,
    ) -> Result<(), AuthError> {
        let keep = Box::new(|credentials: &mut Credentials| {
            credentials.keep_grant(&self.server, grant);
            if let Some(client) = client {
                credentials.keep_registration(client);
            }
        });
        Ok(self.settings.store.update(keep).await?)
    }

    /// Uses a grant from now on.
    pub(super) fn hold(&self, grant: Grant, came: Came) -> Result<(), AuthError> {
        let key = key(&grant)?;
        self.wallet.hold(grant, key, came);
        Ok(())
    }
}

/// The name of what only one flow may work on at a time: the tokens of this issuer for this resource, if it has a name.
pub(super) fn lock_name(issuer: &str, resource: &str) -> String {
    format!("{issuer} {resource}")
}

/// The key that a grant is bound to.
pub(super) fn key(grant: &Grant) -> Result<Option<SigningKey>, AuthError> {
    let key = grant.dpop_key.as_ref().map(SigningKey::from_secret);
    key.transpose().map_err(failures::key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_for_two_issuers_or_two_servers_do_not_wait_for_each_other() {
        let names = [
            lock_name("https://as.example", "https://a.example"),
            lock_name("https://as.example", "https://b.example"),
            lock_name("https://other.example", "https://a.example"),
            lock_name("https://as.example", ""),
        ];
        for (index, name) in names.iter().enumerate() {
            assert!(!names[..index].contains(name), "{name}");
        }
    }
}
