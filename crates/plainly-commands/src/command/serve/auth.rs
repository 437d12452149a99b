//! The authentication of clients over HTTP, according to the options.

use plainly::server::Keys;
use plainly::server::auth::{ApiKeys, Dpop, Introspection, ResourceServer, Secret};

use super::write;
use crate::accounts::secret;
use crate::args::{Scopes, ServeArgs};
use crate::failure::Failure;

/// The gate for these options, if they require one. `url` is the server's URL, unless the public
/// URL is given.
pub(super) async fn gate(
    args: &ServeArgs,
    url: &str,
    keys: Option<Keys>,
) -> Result<Option<ResourceServer>, Failure> {
    let auth = &args.auth;
    check(args)?;
    if !auth.is_on() {
        return Ok(None);
    }
    let public_url = auth.public_url.as_deref().unwrap_or(url);
    let mut server = ResourceServer::new(public_url)
        .audiences(&auth.auth_audience)
        .require(Scopes::all(&auth.require_scope));
    if let Some(name) = &args.name {
        server = server.name(name);
    }
    server = write::guarded(server, args);
    for issuer in &auth.auth_issuer {
        server = server.issuer(issuer);
    }
    if let Some(issuer) = &auth.auth_introspect {
        // clap ensures that both are given.
        let client = auth.auth_client.as_deref().unwrap_or_default();
        let secret = auth.auth_client_secret.as_ref().map(secret).transpose()?;
        let secret = secret.unwrap_or_else(|| Secret::new(""));
        server = server.introspect(Introspection::new(issuer, client, secret));
    }
    if let Some(id) = &auth.auth_client_id {
        server = server.public_client(id);
    }
    if !auth.auth_scope.is_empty() {
        server = server.ask_for(Scopes::all(&auth.auth_scope));
    }
    if let Some(path) = &auth.auth_keys {
        let keys = ApiKeys::open(path).map_err(|error| impossible("cannot use the keys", error))?;
        server = server.api_keys(keys);
    }
    // This server's own keys are never bound to a client's key; tokens of an authorization server
    // may be.
    if auth.has_issuer() {
        server = server.dpop(match auth.require_dpop {
            true => Dpop::Require,
            false => Dpop::Accept,
        });
    }
    if auth.dpop_nonces {
        server = server.dpop_nonces();
    }
    if let Some(keys) = keys {
        server = server.keys(keys);
    }
    let server = server.build();
    let server = server.map_err(|error| impossible("cannot authenticate clients", error))?;
    let ready = server.ready().await;
    ready.map_err(|error| impossible("cannot authenticate clients", error))?;
    Ok(Some(server))
}

/// Rejects options that would protect nothing, before a user relies on them.
fn check(args: &ServeArgs) -> Result<(), Failure> {
    let auth = &args.auth;
    let has_scope = !auth.require_scope.is_empty();
    let bound =
        "an authorization server that issues bound tokens: add --auth-issuer or --auth-introspect";
    let rows = [
        (
            has_scope.then_some("--require-scope"),
            auth.is_on(),
            "a source of scopes: add --auth-issuer, --auth-introspect or --auth-keys",
        ),
        (
            (!auth.write_scope.is_empty()).then_some("--write-scope"),
            auth.is_on(),
            "a source of scopes: add --auth-issuer, --auth-introspect or --auth-keys",
        ),
        (
            auth.require_dpop.then_some("--require-dpop"),
            auth.has_issuer(),
            bound,
        ),
        (
            auth.dpop_nonces.then_some("--dpop-nonces"),
            auth.has_issuer(),
            bound,
        ),
        (
            auth.auth_client_id.as_ref().map(|_| "--auth-client-id"),
            auth.has_issuer(),
            "the client's authorization server: add --auth-issuer",
        ),
        (
            (!auth.auth_scope.is_empty()).then_some("--auth-scope"),
            auth.has_issuer(),
            "an authorization server that grants scopes: add --auth-issuer",
        ),
    ];
    for (option, is_known, what) in rows {
        if let Some(option) = option.filter(|_| !is_known) {
            return Err(Failure::impossible(format!("{option} needs {what}"), None));
        }
    }
    Ok(())
}

fn impossible(what: &str, error: impl std::error::Error + 'static) -> Failure {
    let error: Box<dyn std::error::Error> = Box::new(error);
    Failure::impossible(what.to_owned(), error)
}
