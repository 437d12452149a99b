//! Frames of HTTP/2 without end.

use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::serving_https::{Served, certificate};
use crate::support::{Docs, PATIENCE, run};

/// A connection of HTTP/2 on which nothing was said yet.
fn connect(served: &Served, trusted: &str) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_file(trusted).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots);
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(&served.address).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    StreamOwned::new(connection, stream)
}

/// A frame (RFC 9113, 4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [&head, payload].concat()
}

/// Writes until the server has had enough.
fn flood(stream: &mut impl Write, mut next: impl FnMut(u32) -> Vec<u8>) -> io::Result<()> {
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    stream.write_all(preface)?;
    stream.write_all(&frame(4, 0, 0, &[]))?;
    for number in 0..1_000_000 {
        stream.write_all(&next(number))?;
    }
    panic!("a million frames were read");
}

#[test]
fn rustsec_2023_0034_floods_of_http_2_frames() {
    // POST, https, and /.
    const HEADERS: [u8; 3] = [0x83, 0x87, 0x84];
    let (docs, certificate) = (Docs::new(), certificate(4000));
    let served = Served::secure(&docs, &certificate);
    let trusted = certificate.path().join("cert.pem").display().to_string();
    let open = frame(1, 0, 1, &HEADERS);
    let ended = frame(1, 4, 1, &HEADERS);
    let begins = |first: &[u8], then: Vec<u8>| {
        let first = first.to_vec();
        move |number| {
            if number == 0 {
                first.clone()
            } else {
                then.clone()
            }
        }
    };
    let cancelled = |number: u32| {
        let stream = 2 * number + 1;
        [
            frame(1, 5, stream, &HEADERS),
            frame(3, 0, stream, &[0, 0, 0, 8]),
        ]
        .concat()
    };
    let resident = || memory(served.child.id());
    run(&[
        "ls",
        &format!("https://{}/mcp", served.address),
        "--cacert",
        &trusted,
    ])
    .succeeded();
    let before = resident();
    let ends = [
        flood(&mut connect(&served, &trusted), cancelled),
        flood(
            &mut connect(&served, &trusted),
            begins(&open, frame(9, 0, 1, &[0x40, 1, b'x', 1, b'y'])),
        ),
        flood(
            &mut connect(&served, &trusted),
            begins(&open, frame(9, 0, 1, &[])),
        ),
        flood(
            &mut connect(&served, &trusted),
            begins(&ended, frame(0, 0, 1, &[])),
        ),
    ];
    assert!(ends.iter().all(Result::is_err), "{ends:?}");
    let more = resident().saturating_sub(before);
    assert!(more < 64 << 20, "{more} bytes more");
    run(&[
        "ls",
        &format!("https://{}/mcp", served.address),
        "--cacert",
        &trusted,
    ])
    .succeeded();
}

/// The memory of a process, in bytes.
fn memory(id: u32) -> u64 {
    let mut status = String::new();
    let file = fs::File::open(format!("/proc/{id}/status"));
    file.unwrap().read_to_string(&mut status).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB").parse::<u64>();
    kibibytes.unwrap() << 10
}
