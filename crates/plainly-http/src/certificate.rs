//! The certificate of a server and its key, read from PEM files. They are read again when the files
//! change, so that a renewed certificate needs no restart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::pki_types::pem::{self, PemObject as _};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, RootCertStore, ServerConfig};

use plainly_transport::cryptography::provider;
use plainly_transport::file_look::FileLook;
use plainly_transport::lock::Lock;

/// The interval between checks of the files.
const LOOK: Duration = Duration::from_secs(1);
/// The protocols over TLS, in order of preference.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// A certificate and its key, with which an [`HttpServer`](super::HttpServer) serves HTTPS.
#[derive(Debug)]
pub struct ServerCertificate {
    files: Option<CertificateFiles>,
    current: Lock<Current>,
}

/// The files of a certificate and its key, which may change.
#[derive(Debug)]
struct CertificateFiles {
    certificate: PathBuf,
    key: PathBuf,
}

#[derive(Debug)]
struct Current {
    config: Arc<ServerConfig>,
    /// The look of the files when they were last read, whether they were usable or not.
    looks: Option<[FileLook; 2]>,
    looked: Instant,
}

/// The reason why a certificate and a key can't be used.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum InvalidCertificate {
    /// The file can't be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file contains no certificate.
    #[error(
        "no certificate in {name}{}: expected the server's certificate and those between it and \
         its authority, in PEM: -----BEGIN CERTIFICATE-----",
        FoundInstead(found)
    )]
    NoCertificate {
        /// The file or a description of the text.
        name: String,
        /// The label that was found instead, such as "PRIVATE KEY".
        found: Option<String>,
    },
    /// The file contains no private key.
    #[error(
        "no private key in {name}{}: expected the key of the certificate in PEM, without a \
         password: -----BEGIN PRIVATE KEY-----",
        FoundInstead(found)
    )]
    NoKey {
        /// The file or a description of the text.
        name: String,
        /// The label that was found instead, such as "CERTIFICATE".
        found: Option<String>,
    },
    /// The private key in the file is encrypted.
    #[error(
        "the private key in {name} is encrypted with a password: write it without, with openssl pkey -in {name} -out FILE"
    )]
    EncryptedKey {
        /// The file or a description of the text.
        name: String,
    },
    /// The content of the file is invalid or of an unsupported kind.
    #[error("cannot use {name}: {why}")]
    Unusable {
        /// The file or a description of the text.
        name: String,
        /// The fault.
        why: String,
    },
    /// The key belongs to another certificate.
    #[error(
        "the key in {key} does not belong to the certificate in {certificate}, whose first one must be the server's own"
    )]
    OtherKey {
        /// The file of the certificate or a description of the text.
        certificate: String,
        /// The file of the key or a description of the text.
        key: String,
    },
}

plainly_errors::debug_with_causes!(InvalidCertificate);

/// The label that was found instead of the expected one.
struct FoundInstead<'a>(&'a Option<String>);

impl std::fmt::Display for FoundInstead<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.as_deref() {
            Some(found) => write!(f, ", but -----BEGIN {found}-----"),
            None => Ok(()),
        }
    }
}

impl ServerCertificate {
    /// Reads the certificate from one file, followed by those between it and its authority, and its
    /// private key from another, both in PEM. The files are read again when they change. If they
    /// can't be used then, an error is logged and the server continues with the previous
    /// certificate.
    ///
    /// # Errors
    ///
    /// If a file can't be read or lacks the certificate or key, or if the two don't belong
    /// together.
    pub fn from_files(
        certificate: impl Into<PathBuf>,
        key: impl Into<PathBuf>,
    ) -> Result<Self, InvalidCertificate> {
        let files = CertificateFiles {
            certificate: certificate.into(),
            key: key.into(),
        };
        // Before the files are read, so that a change in between is noticed later.
        let looks = files.looks();
        let config = files.read()?;
        Ok(Self::new(config, looks, Some(files)))
    }

    /// Like [`from_files`](Self::from_files), but from texts that never change.
    ///
    /// # Errors
    ///
    /// If a text lacks the certificate or key, or if the two don't belong together.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Self, InvalidCertificate> {
        let config = config(("the certificate", certificate), ("the key", key))?;
        Ok(Self::new(config, None, None))
    }

    fn new(
        config: ServerConfig,
        looks: Option<[FileLook; 2]>,
        files: Option<CertificateFiles>,
    ) -> Self {
        let current = Current {
            config: Arc::new(config),
            looks,
            looked: Instant::now(),
        };
        Self {
            files,
            current: Lock::new(current),
        }
    }

    /// The certificate for a new connection.
    pub(super) fn current(&self) -> Arc<ServerConfig> {
        let mut current = self.current.lock();
        if let Some(files) = &self.files
            && current.looked.elapsed() >= LOOK
        {
            current.looked = Instant::now();
            current.look(files);
        }
        Arc::clone(&current.config)
    }
}

impl Current {
    /// Reads the files again if they have changed.
    fn look(&mut self, files: &CertificateFiles) {
        let looks = files.looks();
        if looks == self.looks {
            return;
        }
        self.looks = looks;
        match files.read() {
            Ok(config) => {
                self.config = Arc::new(config);
                tracing::info!("the certificate has changed: new connections use it");
            }
            Err(error) => {
                tracing::warn!(%error, "the new certificate can't be used: the previous one stays");
            }
        }
    }
}

impl CertificateFiles {
    fn looks(&self) -> Option<[FileLook; 2]> {
        Some([FileLook::at(&self.certificate)?, FileLook::at(&self.key)?])
    }

    fn read(&self) -> Result<ServerConfig, InvalidCertificate> {
        let read = |path: &Path| {
            fs::read(path).map_err(|source| InvalidCertificate::Unreadable {
                path: path.to_owned(),
                source,
            })
        };
        let (certificate, key) = (read(&self.certificate)?, read(&self.key)?);
        let name = |path: &Path| path.display().to_string();
        let config = config(
            (&name(&self.certificate), &certificate),
            (&name(&self.key), &key),
        )?;
        warn_if_open(&self.key);
        Ok(config)
    }
}

/// Warns if all users of this machine can read the key.
fn warn_if_open(key: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        let mode = fs::metadata(key).map(|file| file.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o004 != 0) {
            let key = key.display();
            tracing::warn!(
                "every user of this machine can read the private key: run chmod o-rwx {key}"
            );
        }
    }
    #[cfg(not(unix))]
    let _ = key;
}

/// Converts named PEM texts to the TLS configuration of connections.
fn config(
    certificate: (&str, &[u8]),
    key: (&str, &[u8]),
) -> Result<ServerConfig, InvalidCertificate> {
    let chain = chain(certificate)?;
    let (name, bytes) = key;
    let private = PrivateKeyDer::from_pem_slice(bytes).map_err(|why| {
        if is_encrypted(bytes) {
            let name = name.to_owned();
            return InvalidCertificate::EncryptedKey { name };
        }
        if let pem::Error::NoItemsFound = why {
            let (name, found) = (name.to_owned(), label(bytes));
            return InvalidCertificate::NoKey { name, found };
        }
        unusable(name, &why)
    })?;
    warn_of(certificate.0, &chain);
    let builder = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|why| unusable(name, &why))?
        .with_no_client_auth();
    let config = builder.with_single_cert(chain, private);
    let mut config = config.map_err(|why| {
        if let rustls::Error::InconsistentKeys(_) = why {
            return InvalidCertificate::OtherKey {
                certificate: certificate.0.to_owned(),
                key: name.to_owned(),
            };
        }
        let is_certificate = matches!(why, rustls::Error::InvalidCertificate(_));
        unusable(if is_certificate { certificate.0 } else { name }, &why)
    })?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
    Ok(config)
}

fn chain((name, bytes): (&str, &[u8])) -> Result<Vec<CertificateDer<'static>>, InvalidCertificate> {
    let all = CertificateDer::pem_slice_iter(bytes).collect::<Result<Vec<_>, _>>();
    match all {
        Ok(all) if all.is_empty() => Err(InvalidCertificate::NoCertificate {
            name: name.to_owned(),
            found: label(bytes),
        }),
        Ok(all) => Ok(all),
        Err(why) => Err(unusable(name, &why)),
    }
}

fn unusable(name: &str, why: &dyn std::fmt::Display) -> InvalidCertificate {
    InvalidCertificate::Unusable {
        name: name.to_owned(),
        why: why.to_string(),
    }
}

/// Whether a PEM text contains a key with a password, in the form that OpenSSL writes now or wrote
/// before 1.0.
fn is_encrypted(bytes: &[u8]) -> bool {
    let marks = [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----",
        "Proc-Type: 4,ENCRYPTED",
    ];
    let text = String::from_utf8_lossy(bytes);
    text.lines().any(|line| marks.contains(&line.trim_end()))
}

/// The label of a PEM text. It returns nothing else, because the rest may be secret.
fn label(bytes: &[u8]) -> Option<String> {
    let text = str::from_utf8(bytes).ok()?;
    let labels = text.lines().filter_map(|line| {
        let label = line.trim_end().strip_prefix("-----BEGIN ")?;
        let label = label.strip_suffix("-----")?;
        let is_label = |it: u8| it == b' ' || it.is_ascii_uppercase();
        label.bytes().all(is_label).then_some(label)
    });
    labels.map(str::to_owned).next()
}

/// Warns if clients will reject the certificate, whatever authority they trust.
fn warn_of(name: &str, chain: &[CertificateDer<'static>]) {
    if let Some(why) = flaw(chain) {
        tracing::warn!("clients will reject the certificate in {name}: {why}");
    }
}

/// The reason why clients will reject the first certificate, if that is certain.
fn flaw(chain: &[CertificateDer<'static>]) -> Option<&'static str> {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};

    let error = fault(chain)?;
    if matches!(error, Expired | ExpiredContext { .. }) {
        return Some("it has expired");
    }
    if matches!(error, NotValidYet | NotValidYetContext { .. }) {
        return Some("it is not valid yet");
    }
    // The library has no type for this error. `openssl req -x509` makes such a certificate by
    // default.
    let is_authority = error.to_string().contains("CaUsedAsEndEntity");
    is_authority.then_some(
        "it is an authority's, not a server's; make it with -addext basicConstraints=critical,CA:FALSE",
    )
}

/// The fault of the first certificate. Its authority is not checked: for this check the certificate
/// is its own authority.
fn fault(chain: &[CertificateDer<'static>]) -> Option<CertificateError> {
    let own = chain.first()?;
    let mut roots = RootCertStore::empty();
    roots.add(own.clone()).ok()?;
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider());
    let verifier = verifier.build().ok()?;
    let anybody = ServerName::try_from("localhost").ok()?;
    let verified = verifier.verify_server_cert(own, &[], &anybody, &[], UnixTime::now());
    match verified {
        Err(rustls::Error::InvalidCertificate(error)) => Some(error),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};

    use super::*;

    #[test]
    fn what_every_client_refuses_is_known_before_clients_come() {
        let key = KeyPair::generate().unwrap();
        let authority = IsCa::Ca(BasicConstraints::Unconstrained);
        for (from, to, kind, expected) in [
            (2020, 2021, IsCa::NoCa, Some("it has expired")),
            (4000, 4001, IsCa::NoCa, Some("it is not valid yet")),
            (2020, 4000, authority, Some("it is an authority's")),
            (2020, 4000, IsCa::ExplicitNoCa, None),
            (2020, 4000, IsCa::NoCa, None),
        ] {
            let mut params = CertificateParams::new(["example.com".to_owned()]).unwrap();
            params.not_before = date_time_ymd(from, 1, 1);
            params.not_after = date_time_ymd(to, 1, 1);
            params.is_ca = kind;
            let own = params.self_signed(&key).unwrap();
            let found = flaw(&[own.der().clone()]);
            let found = found.map(|it| it.split(',').next().unwrap());
            assert_eq!(found, expected, "from {from} to {to}");
        }
    }
}
