//! The cryptography of TLS: one provider, chosen here rather than for the whole process.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;

/// The cryptography of TLS, on both sides.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
