//! TLS for HTTP, of a client: the certificates that the operating system trusts, and others that it is given.

mod error;

use std::sync::{Arc, OnceLock};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ConfigBuilder, Error, RootCertStore, WantsVerifier};
use rustls_platform_verifier::{BuilderVerifierExt as _, Verifier};

pub use self::error::TlsError;
pub use self::error::in_words;
use crate::cryptography::provider;

/// A certificate that is kept.
pub type Certificate = CertificateDer<'static>;

/// The configuration of every connection to a URL of this scheme, which also trusts these certificates.
///
/// Reading the certificates that the system trusts takes milliseconds: this is done once, and only if TLS is used.
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

/// The certificates in a file; none if anything in it is wrong.
pub fn certificates(pem: &[u8]) -> Vec<Certificate> {
    let all = Certificate::pem_slice_iter(pem).collect::<Result<_, _>>();
    all.unwrap_or_default()
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Error> {
    ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()
}
