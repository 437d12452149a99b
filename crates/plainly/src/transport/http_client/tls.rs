//! TLS for HTTP: the certificates that the operating system trusts, and one provider of cryptography, chosen here rather
//! than for the whole process.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The configuration of every connection.
pub(super) fn config() -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?;
    Ok(builder.with_no_client_auth())
}
