//! TLS for HTTP: the certificates that the operating system trusts, and one provider of cryptography, chosen here
//! rather than for the whole process.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, ConfigBuilder, Error, RootCertStore, WantsVerifier};
use rustls_platform_verifier::BuilderVerifierExt as _;

/// The configuration of every connection to a URL of this scheme.
///
/// Reading the certificates that the system trusts takes milliseconds: this is done once, and only if TLS is used.
pub(super) fn config(scheme: &str) -> Result<ClientConfig, Error> {
    static TRUSTING: OnceLock<ClientConfig> = OnceLock::new();
    if scheme != "https" {
        let nobody = RootCertStore::empty();
        return Ok(builder()?
            .with_root_certificates(nobody)
            .with_no_client_auth());
    }
    if let Some(config) = TRUSTING.get() {
        return Ok(config.clone());
    }
    let config = builder()?.with_platform_verifier()?.with_no_client_auth();
    Ok(TRUSTING.get_or_init(|| config).clone())
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}
