//! The algorithms of signatures by a key pair (RFC 7518, 3.1; RFC 8037). Shared secrets are left
//! out, because every verifier could sign with them.

use std::fmt;

use jsonwebtoken::Algorithm;

/// An algorithm that signs with a private key and verifies with a public one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SignatureAlgorithm {
    /// ECDSA with P-256 and SHA-256.
    ES256,
    /// ECDSA with P-384 and SHA-384.
    ES384,
    /// Ed25519.
    EdDSA,
    /// RSA PKCS #1 v1.5 with SHA-256.
    RS256,
    /// RSA PKCS #1 v1.5 with SHA-384.
    RS384,
    /// RSA PKCS #1 v1.5 with SHA-512.
    RS512,
    /// RSA PSS with SHA-256.
    PS256,
    /// RSA PSS with SHA-384.
    PS384,
    /// RSA PSS with SHA-512.
    PS512,
}

/// The algorithms, their names, and those of `jsonwebtoken`.
const ROWS: [(SignatureAlgorithm, &str, Algorithm); 9] = [
    (SignatureAlgorithm::ES256, "ES256", Algorithm::ES256),
    (SignatureAlgorithm::ES384, "ES384", Algorithm::ES384),
    (SignatureAlgorithm::EdDSA, "EdDSA", Algorithm::EdDSA),
    (SignatureAlgorithm::RS256, "RS256", Algorithm::RS256),
    (SignatureAlgorithm::RS384, "RS384", Algorithm::RS384),
    (SignatureAlgorithm::RS512, "RS512", Algorithm::RS512),
    (SignatureAlgorithm::PS256, "PS256", Algorithm::PS256),
    (SignatureAlgorithm::PS384, "PS384", Algorithm::PS384),
    (SignatureAlgorithm::PS512, "PS512", Algorithm::PS512),
];

/// The newer name of the algorithm with Ed25519, which includes the curve (RFC 9864, 2.2).
const ED25519: &str = "Ed25519";

impl SignatureAlgorithm {
    /// All algorithms.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|(algorithm, ..)| *algorithm)
    }

    /// The algorithm with this name, as `alg` spells it.
    pub fn named(name: &str) -> Option<Self> {
        if name == ED25519 {
            return Some(Self::EdDSA);
        }
        let row = ROWS.iter().find(|(_, spelled, _)| *spelled == name)?;
        Some(row.0)
    }

    /// The name of the algorithm.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    pub(super) fn of_jsonwebtoken(self) -> Algorithm {
        self.row().2
    }

    /// The row of the algorithm, because the table is in the order of the declaration.
    fn row(self) -> &'static (Self, &'static str, Algorithm) {
        &ROWS[self as usize]
    }
}

impl fmt::Display for SignatureAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_of_its_algorithm() {
        for (row, algorithm) in ROWS.iter().zip(SignatureAlgorithm::all()) {
            assert_eq!(row.0, algorithm);
            assert_eq!(algorithm.row().0, algorithm);
            assert_eq!(format!("{:?}", algorithm.of_jsonwebtoken()), row.1);
            assert_eq!(SignatureAlgorithm::named(row.1), Some(algorithm));
            assert_eq!(algorithm.to_string(), row.1);
        }
        assert_eq!(
            SignatureAlgorithm::named("Ed25519"),
            Some(SignatureAlgorithm::EdDSA)
        );
        for name in ["none", "HS256", "es256", "", "ES256K", "ed25519", "Ed448"] {
            assert_eq!(SignatureAlgorithm::named(name), None, "{name}");
        }
    }
}
