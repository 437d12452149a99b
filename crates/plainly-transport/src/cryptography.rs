//! The cryptography of TLS: the provider is chosen here and not for the whole process.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;

/// The cryptography provider of TLS, for clients and servers.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
