//! Tests servers whose certificates are only trusted with an option. Not on systems that check
//! certificates themselves, because these reject their long validity.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::home::Home;

/// The certificate authority, and the certificate that it issued for 127.0.0.1.
const AUTHORITY: &str = include_str!("certificates/authority.pem");
const CERTIFICATE: &[u8] = include_bytes!("certificates/server.pem");
const KEY: &[u8] = include_bytes!("certificates/server.key");

/// A server over HTTPS that is no MCP server, and answers so to every request.
fn teapot() -> String {
    let chain = vec![CertificateDer::from_pem_slice(CERTIFICATE).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(KEY).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_no_client_auth().with_single_cert(chain, key);
    let config = Arc::new(config.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            // A client that does not trust the certificate disconnects before it sends a request.
            if stream.read(&mut [0; 4096]).is_ok() {
                let _ = stream.write_all(
                    b"HTTP/1.1 418 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
            }
        }
    });
    url
}

#[test]
fn an_authority_is_trusted_when_it_is_named() {
    let url = teapot();
    let home = Home::new();
    home.project("authority.pem", AUTHORITY);
    home.project("none.pem", "-----BEGIN NOTHING-----\n");
    let refused = home.run(&["ls", &url]);
    assert_eq!(refused.status, 3);
    assert!(refused.stderr.contains("certificate"), "{}", refused.stderr);
    let reached = home.run(&["ls", &url, "--cacert", "authority.pem"]);
    assert!(reached.stderr.contains("418"), "{}", reached.stderr);
    let none = home.run(&["ls", &url, "--cacert", "none.pem"]);
    assert_eq!(none.status, 2);
    let expected = "error: no certificate in none.pem: expected certificates in PEM: -----BEGIN CERTIFICATE-----\n";
    assert!(none.stderr.starts_with(expected), "{}", none.stderr);
    let missing = home.run(&["ls", &url, "--cacert", "missing.pem"]);
    assert_eq!(missing.status, 2);
    let expected = "error: cannot read missing.pem: ";
    assert!(missing.stderr.starts_with(expected), "{}", missing.stderr);
}
