//! The options of `plainly serve` for networks: its certificate, its trusted proxies, and its
//! limits.

use std::num::NonZeroUsize;
use std::path::Path;

use plainly::limits::Limits;
use plainly::transport::http::{HttpLimits, HttpServer, ServerCertificate};
use rustls::client::verify_server_name;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;

use super::memory;
use crate::args::{NetworkArgs, ServeArgs};
use crate::failure::Failure;

/// The certificate, if the server uses HTTPS.
pub(super) fn certificate(args: &NetworkArgs) -> Result<Option<ServerCertificate>, Failure> {
    let (Some(certificate), Some(key)) = (&args.tls_cert, &args.tls_key) else {
        return Ok(None);
    };
    let read = ServerCertificate::from_files(certificate, key);
    let read = read
        .map_err(|error| Failure::impossible("cannot serve HTTPS", Some(Box::new(error).into())));
    read.map(Some)
}

/// Whether the certificate in the file is valid for this host. The port is ignored.
pub(super) fn is_for(certificate: &Path, host: &str) -> bool {
    let host = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => name,
        _ => host,
    };
    let name = ServerName::try_from(host.trim_matches(['[', ']']));
    let (Ok(der), Ok(name)) = (CertificateDer::from_pem_file(certificate), name) else {
        return false;
    };
    let certificate = ParsedCertificate::try_from(&der);
    certificate.is_ok_and(|certificate| verify_server_name(&certificate, &name).is_ok())
}

/// Adds the certificate and the trusted proxies to the server.
pub(super) fn prepared(
    server: HttpServer,
    args: &NetworkArgs,
    certificate: Option<ServerCertificate>,
) -> HttpServer {
    let server = server.trust_proxies(args.trusted_proxy.iter().copied());
    match certificate {
        Some(certificate) => server.tls(certificate),
        None => server,
    }
}

/// Sets the limits of a server that options change.
pub(super) fn limit(args: &NetworkArgs, limits: &mut Limits) {
    set(&mut limits.requests, args.max_requests);
    set(&mut limits.sessions.open, args.max_sessions);
    if let Some(bytes) = args.max_body {
        limits.message_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
}

/// The limits over HTTP.
pub(super) fn http_limits(args: &ServeArgs, limits: &Limits) -> HttpLimits {
    let mut limits = HttpLimits::from(limits);
    if let Some(memory) = memory::of(args) {
        memory.limit_http(&mut limits);
    }
    let args = &args.network;
    set(&mut limits.connections, args.max_connections);
    set(
        &mut limits.connections_per_peer,
        args.max_connections_per_client,
    );
    // There is always room for one body.
    limits.in_flight_bytes = limits.in_flight_bytes.max(limits.message_bytes);
    limits
}

/// Whether only programs on this machine can call the server: no proxy, and no page of another
/// origin.
pub(super) fn is_local(args: &ServeArgs) -> bool {
    let address = args.http.unwrap_or(super::ADDRESS);
    let is_passed_on = args.auth.public_url.is_some()
        || !args.allow_host.is_empty()
        || !args.allow_origin.is_empty()
        || !args.network.trusted_proxy.is_empty();
    args.stdio || (address.ip().to_canonical().is_loopback() && !is_passed_on)
}

fn set(limit: &mut usize, asked: Option<NonZeroUsize>) {
    if let Some(asked) = asked {
        *limit = asked.get();
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        serve: ServeArgs,
    }

    #[test]
    fn a_server_is_local_unless_it_can_be_reached_from_elsewhere() {
        for (line, expected) in [
            ("serve .", true),
            ("serve . --stdio", true),
            ("serve . --http [::1]:0", true),
            ("serve . --http 0.0.0.0:0 --allow-host a.example", false),
            ("serve . --allow-host a.example", false),
            ("serve . --allow-origin https://a.example", false),
            ("serve . --trusted-proxy 10.0.0.0/8", false),
        ] {
            let args = Line::try_parse_from(line.split(' ')).unwrap().serve;
            assert_eq!(is_local(&args), expected, "{line}");
        }
    }
}
