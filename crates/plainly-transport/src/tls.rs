//! TLS for HTTP clients: the certificates that the operating system trusts, and additional ones.

mod error;

use std::sync::{Arc, OnceLock};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ConfigBuilder, Error, RootCertStore, WantsVerifier};
use rustls_platform_verifier::{BuilderVerifierExt as _, Verifier};

pub use self::error::TlsError;
pub use self::error::in_words;
use crate::cryptography::provider;

/// An owned certificate.
pub type Certificate = CertificateDer<'static>;

/// The configuration for connections to a URL with this scheme, which also trusts the certificates
/// in `trusted`.
///
/// Without additional certificates it is created once, and only if TLS is used, because reading the
/// certificates that the system trusts takes milliseconds.
pub fn config(scheme: &str, trusted: &[Certificate]) -> Result<ClientConfig, Error> {
    static TRUSTING: OnceLock<ClientConfig> = OnceLock::new();
    if scheme != "https" {
        let nobody = RootCertStore::empty();
        return Ok(builder()?
            .with_root_certificates(nobody)
            .with_no_client_auth());
    }
    if !trusted.is_empty() {
        let verifier = Verifier::new_with_extra_roots(trusted.iter().cloned(), provider())?;
        return Ok(builder()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth());
    }
    if let Some(config) = TRUSTING.get() {
        return Ok(config.clone());
    }
    let config = builder()?.with_platform_verifier()?.with_no_client_auth();
    Ok(TRUSTING.get_or_init(|| config).clone())
}

/// The certificates in a file; empty if any part of it is invalid.
pub fn certificates(pem: &[u8]) -> Vec<Certificate> {
    let all = Certificate::pem_slice_iter(pem).collect::<Result<_, _>>();
    all.unwrap_or_default()
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Error> {
    ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()
}
