//! The certificate of a server: invalid certificates, and the switch to a new one.

use std::fs;
use std::path::Path;
use std::time::Duration;

use plainly::transport::http::ServerCertificate;
use plainly_peer::within;
use rcgen::{CertificateParams, KeyPair, PKCS_ED25519};

use super::https::{Secure, certificate, connect};

fn write(directory: &Path, certificate: &str, key: &str) {
    fs::write(directory.join("cert.pem"), certificate).unwrap();
    fs::write(directory.join("key.pem"), key).unwrap();
}

#[test]
fn what_is_wrong_with_a_certificate_is_said_with_what_to_do() {
    let (_, good, key) = certificate();
    let (_, other, _) = certificate();
    let encrypted =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let once_encrypted = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\
        DEK-Info: AES-128-CBC,EAF7F40B9DE2D0360B03254DBD7A9A3B\n\nAAAA\n-----END RSA PRIVATE KEY-----\n";
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let cut = &good[..good.len() / 2];
    let cases = [
        (
            &*key,
            &*key,
            "no certificate in CERT, but -----BEGIN PRIVATE KEY-----: expected",
        ),
        ("", &*key, "no certificate in CERT: expected"),
        ("s3cret", &*key, "no certificate in CERT: expected"),
        (
            &*good,
            &*good,
            "no private key in KEY, but -----BEGIN CERTIFICATE-----: expected",
        ),
        (&*good, "s3cret", "no private key in KEY: expected"),
        (
            &*good,
            encrypted,
            "the private key in KEY is encrypted with a password: write it without, with openssl pkey -in KEY -out ",
        ),
        (
            &*good,
            once_encrypted,
            "the private key in KEY is encrypted with a password: write it without, with openssl pkey -in KEY -out ",
        ),
        (
            &*other,
            &*key,
            "the key in KEY does not belong to the certificate in CERT",
        ),
        (broken, &*key, "cannot use CERT: "),
        (cut, &*key, "cannot use CERT: "),
    ];
    for (certificate, key, expected) in cases {
        let told = refusal(certificate, key);
        assert!(told.starts_with(expected), "{told}");
        assert!(!told.contains("s3cret"), "{told}");
    }
}

/// Returns the reason why files with these contents are rejected.
fn refusal(certificate: &str, key: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), certificate, key);
    let [certificate, key] = ["cert.pem", "key.pem"].map(|name| directory.path().join(name));
    let error = ServerCertificate::from_files(&certificate, &key).unwrap_err();
    let told = error.to_string();
    let told = told.replace(&certificate.display().to_string(), "CERT");
    told.replace(&key.display().to_string(), "KEY")
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = ServerCertificate::from_files("/nowhere/cert.pem", "/nowhere/key.pem").unwrap_err();
    let told = error.to_string();
    let expected = "cannot read /nowhere/cert.pem: ";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_chain_and_keys_of_several_kinds_are_taken() {
    let key = KeyPair::generate_for(&PKCS_ED25519).unwrap();
    let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    let own = params.self_signed(&key).unwrap().pem();
    let (_, other, _) = certificate();
    let chain = format!("Bag Attributes: none\n{own}\n{other}");
    let key = key.serialize_pem();
    ServerCertificate::from_pem(chain.as_bytes(), key.as_bytes()).unwrap();
    // The certificate and the key may be in the same file.
    let both = format!("{key}{chain}");
    ServerCertificate::from_pem(both.as_bytes(), both.as_bytes()).unwrap();
}

#[tokio::test]
async fn a_new_certificate_is_served_and_a_broken_one_is_not() {
    let directory = tempfile::tempdir().unwrap();
    let (first, pem, key) = certificate();
    write(directory.path(), &pem, &key);
    let files = ServerCertificate::from_files(
        directory.path().join("cert.pem"),
        directory.path().join("key.pem"),
    );
    let server = Secure::with(first.clone(), files.unwrap(), |_default| {}).await;
    let long_lived = server.connect("http/1.1").await;
    server.assert_lives().await;

    let served = async |authority| {
        within(connect(server.address, authority, "h2"))
            .await
            .is_ok()
    };
    let (second, pem, key) = certificate();
    fs::write(directory.path().join("cert.pem"), &pem).unwrap();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(served(&first).await, "the key was not renewed yet");
    fs::write(directory.path().join("key.pem"), &key).unwrap();
    let renewed = async {
        while !served(&second).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(renewed).await;
    assert!(!served(&first).await);
    fs::remove_file(directory.path().join("key.pem")).unwrap();
    fs::write(directory.path().join("cert.pem"), "broken").unwrap();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(served(&second).await);
    drop(long_lived);
}
