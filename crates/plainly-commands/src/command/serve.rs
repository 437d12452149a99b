//! `plainly serve`: directories as resources, over HTTP or standard input and output.

mod admin;
mod app;
mod audit;
mod auth;
#[cfg(feature = "cluster")]
mod cluster;
mod filesystem;
mod invocation;
mod memory;
mod network;
mod operator;
mod recent;
mod status;
mod stores;
mod tools;
mod write;

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use plainly::limits::Limits;
use plainly::server::{Keys, Server};
use plainly::shutdown;
use plainly::transport::ServeError;
use plainly::transport::http::{HttpServer, HttpService, Route};
use serde_json::json;
use tokio::sync::oneshot;

use self::admin::Admin;
use self::operator::Operator;
#[cfg(feature = "cluster")]
pub(crate) use self::status::time;
use self::stores::Stores;
use crate::args::{Host, LogArgs, ServeArgs};
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;
use crate::servers::{self, Paths, Reach};

/// The default address.
const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3333);
/// The path of the endpoint.
const PATH: &str = "/mcp";
/// The path for liveness probes.
const HEALTH_PATH: &str = "/healthz";
/// The path for readiness probes.
const READY_PATH: &str = "/readyz";
/// The path of HTTP with SSE.
const SSE_PATH: &str = "/sse";

pub(crate) async fn run(args: ServeArgs, log: &LogArgs) -> Result<(), Failure> {
    write::check(&args)?;
    #[cfg(feature = "cluster")]
    cluster::check(&args)?;
    let stores = Stores::new(&args)?;
    let mut operator = Operator::new(&args)?;
    let keys = args.content.key_file.as_ref().map(Keys::file);
    let keys = keys.transpose().map_err(impossible)?;
    let server = server(&stores, &args, keys.clone(), &operator).await?;
    if let Some(host) = args.print_config {
        // This reports the mistakes that would keep the server from starting.
        service(&server, &args)?;
        let reach = invocation::reach(&args, log, &Paths::Absolute)?;
        return print_config(host, &key_of(&args), reach);
    }
    let mounts = stores.summary().await?;
    operator.watch(&server);
    stores.watch_caches(&operator.telemetry);
    let served = match args.stdio {
        true => over_stdio(&server, &args, mounts, &operator).await,
        false => over_http(&server, &args, mounts, keys, &operator).await,
    };
    // The tasks are ended, because their store and their clients may be shared with other replicas.
    server.end_tasks().await;
    operator.finish(&server).await;
    served
}

/// The server for these options in the form for a host, and its name there.
pub(super) fn configured(
    args: &ServeArgs,
    log: &LogArgs,
    paths: &Paths,
) -> Result<(String, Reach), Failure> {
    // Options that can't be served are no use in a host's configuration.
    write::check(args)?;
    Stores::new(args)?;
    Ok((key_of(args), invocation::reach(args, log, paths)?))
}

async fn server(
    stores: &Stores,
    args: &ServeArgs,
    keys: Option<Keys>,
    operator: &Operator,
) -> Result<Server, Failure> {
    let builder = Server::builder(
        args.name.as_deref().unwrap_or("plainly"),
        env!("CARGO_PKG_VERSION"),
    );
    let builder = match keys {
        Some(keys) => builder.keys(keys),
        None => builder,
    };
    #[cfg(feature = "cluster")]
    let builder = cluster::join(builder, args).await?;
    let mut limits = limits(args.content.max_file_size);
    if write::is_on(args) {
        write::limit(&args.writing, &mut limits);
    }
    network::limit(&args.network, &mut limits);
    if let Some(memory) = memory::of(args) {
        memory.limit(&mut limits);
    }
    let builder = match args.content.app {
        true => builder.app(app::page()),
        false => builder,
    };
    stores
        .attach(operator.attach(builder), args)
        .limits(limits)
        .build()
        .map_err(|error| Failure::caused("cannot serve", error))
}

async fn over_stdio(
    server: &Server,
    args: &ServeArgs,
    mounts: Vec<String>,
    operator: &Operator,
) -> Result<(), Failure> {
    let admin = Admin::bind(server, args, operator, "standard input and output", mounts).await?;
    if io::stdin().is_terminal() {
        // A user at the terminal would wait for a prompt. Clients don't read standard error.
        let _ = writeln!(
            io::stderr(),
            "waiting for a client's messages on standard input, as in `plainly ls -- plainly serve DIR --stdio`; \
             Ctrl-D stops it"
        );
    }
    let broken = |error: ServeError| Failure::unless_gone("cannot serve", error.into());
    let serving = async { server.serve_stdio().await.map_err(broken) };
    beside(admin, serving).await
}

/// Serves, together with the operators' listener, which ends with the server.
async fn beside(
    admin: Option<Admin>,
    serving: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let Some(admin) = admin else {
        return serving.await;
    };
    // The server is still useful if this can't be written.
    let _ = writeln!(io::stderr(), "status page and metrics: {}", admin.url());
    let (end, ended) = oneshot::channel::<()>();
    let serving = async move {
        let served = serving.await;
        drop(end);
        served
    };
    let watched = async {
        let served = admin.serve(async { drop(ended.await) }).await;
        served.map_err(|error| Failure::caused("cannot serve the status page", error))
    };
    // If the listener fails, the server continues.
    let (served, watched) = tokio::join!(serving, watched);
    served.and(watched)
}

/// Prints the configuration for a host. Its path goes to standard error, so that the configuration
/// can be redirected into a file.
fn print_config(host: Host, key: &str, reach: Reach) -> Result<(), Failure> {
    let has_key = matches!(&reach, Reach::Url { headers, .. } if !headers.is_empty());
    let (reach, knows_variables) = match servers::spelled(host, reach.clone()) {
        Ok(reach) => (reach, true),
        Err(_) => (reach.without_variables(), false),
    };
    // A failure is ignored, because a user who has redirected both outputs knows the path.
    let _ = writeln!(io::stderr(), "{}:", servers::place(host));
    let mut output = Output::new(Format::Text);
    output.text(&servers::config(host, key, &reach))?;
    output.flush()?;
    if has_key {
        let variable = invocation::KEY;
        let _ = match knows_variables {
            true => writeln!(
                io::stderr(),
                "the variable {variable} must have a key of `plainly key new` where the host runs"
            ),
            false => writeln!(
                io::stderr(),
                "write a key of `plainly key new` in place of {variable}: this host replaces no variables"
            ),
        };
    }
    output.flush()
}

fn key_of(args: &ServeArgs) -> String {
    let first = args.mounts.first().and_then(invocation::name);
    let first = first.or_else(|| args.content.skills.as_ref().map(|_| "skills".to_owned()));
    key(args.name.as_deref(), first.as_deref())
}

/// The server's name in the configuration of a host: the given name, or else that of the first
/// directory, with only characters that every host accepts.
pub(super) fn key(name: Option<&str>, first: Option<&str>) -> String {
    let name = name.or(first).unwrap_or_default();
    let is_safe = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let safe: String = name
        .chars()
        .map(|character| if is_safe(character) { character } else { '-' })
        .collect();
    match safe.trim_matches('-') {
        "" => "plainly".to_owned(),
        key => key.to_owned(),
    }
}

/// The failure for directories or allowed hosts that can't be served.
fn impossible(error: impl Error + 'static) -> Failure {
    let error: Box<dyn Error> = Box::new(error);
    Failure::impossible("cannot serve", error)
}

/// The limits with room for the largest file in base64, and for its other representations, which
/// may have a quarter of its size, doubled by escaping.
fn limits(max_file_size: u64) -> Limits {
    let mut limits = Limits::default();
    let largest = usize::try_from(max_file_size.div_ceil(3)).unwrap_or(usize::MAX);
    let with_base64 = largest.saturating_mul(4);
    let converted = usize::try_from(max_file_size / 2).unwrap_or(usize::MAX);
    let all = with_base64
        .saturating_add(converted)
        .saturating_add(1 << 20);
    limits.reply_bytes = limits.reply_bytes.max(all);
    limits
}

async fn over_http(
    server: &Server,
    args: &ServeArgs,
    mounts: Vec<String>,
    keys: Option<Keys>,
    operator: &Operator,
) -> Result<(), Failure> {
    let service = service(server, args)?;
    let address = args.http.unwrap_or(ADDRESS);
    let cannot = |error| Failure::caused("cannot serve HTTP", error);
    let certificate = network::certificate(&args.network)?;
    let http = match HttpServer::bind(address).await {
        Ok(http) => http,
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            let why = format!(
                "cannot serve HTTP at {address}: address in use; choose another with --http, or 127.0.0.1:0 for any free port"
            );
            return Err(Failure::local(why));
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied && address.port() < 1024 => {
            let why = format!(
                "cannot serve HTTP at {address}: ports below 1024 need root; choose another with \
                 --http, or give plainly the capability CAP_NET_BIND_SERVICE"
            );
            return Err(Failure::local(why));
        }
        Err(error) => return Err(cannot(error)),
    };
    let http = network::prepared(http, &args.network, certificate);
    let url = public_url(args, http.local_addr());
    let gate = auth::gate(args, &url, keys).await?;
    let admin = Admin::bind(server, args, operator, &url, mounts.clone()).await?;
    announce(&url, &mounts, &key_of(args));
    let service = match gate {
        Some(gate) => service.authenticate(gate),
        None => service,
    };
    let readiness = &operator.readiness;
    let service = service.route(READY_PATH, Route::readiness(readiness));
    let drain = args.network.drain();
    let requested = async {
        shutdown::requested().await;
        tracing::info!("asked to stop: serves on for {} s", drain.as_secs_f64());
    };
    let requested = readiness.drain(requested, drain);
    let serving = async { http.serve(service, requested).await.map_err(cannot) };
    beside(admin, serving).await
}

/// The URL for clients.
fn public_url(args: &ServeArgs, address: SocketAddr) -> String {
    let given = args.auth.public_url.clone();
    given.unwrap_or_else(|| url(address, args))
}

/// The host of the public URL, in the form of requests.
fn public_host(args: &ServeArgs) -> Option<&str> {
    let (_, rest) = args.auth.public_url.as_deref()?.split_once("://")?;
    rest.split(['/', '?', '#']).next()
}

/// The endpoint, with the hosts and clients that it accepts.
fn service(server: &Server, args: &ServeArgs) -> Result<HttpService<Server>, Failure> {
    let limits = network::http_limits(args, server.limits());
    let service = server.http().limits(limits).path(PATH);
    let service = service.route(HEALTH_PATH, Route::health());
    let service = if args.sse {
        service.sse_endpoint(SSE_PATH)
    } else {
        service
    };
    let named = args.allow_host.iter().map(String::as_str);
    let mut hosts = named.chain(public_host(args));
    let service = hosts.try_fold(service, |service, host| service.allow_host(host));
    let mut origins = args.allow_origin.iter();
    let service = service.and_then(|service| {
        origins.try_fold(service, |service, origin| service.allow_origin(origin))
    });
    let service = service.map_err(impossible)?;
    // The server only accepts known host names, because of DNS rebinding. Without one, it would
    // reject all requests.
    let address = args.http.unwrap_or(ADDRESS);
    let has_host = !args.allow_host.is_empty() || public_host(args).is_some();
    if !address.ip().to_canonical().is_loopback() && !has_host {
        let why = format!(
            "{address} can be reached from other machines: name the host that clients use with --allow-host"
        );
        return Err(Failure::impossible(why, None));
    }
    Ok(service)
}

/// The URL for clients: with the address if it is this machine's, otherwise with an accepted host
/// name.
fn url(address: SocketAddr, args: &ServeArgs) -> String {
    let hosts = &args.allow_host;
    let own = host(address, hosts);
    let Some(certificate) = &args.network.tls_cert else {
        return format!("http://{own}{PATH}");
    };
    // A TLS client checks that the certificate is for this name.
    let names = hosts.iter().map(|name| with_port(name, address));
    let local = with_port("localhost", address);
    let is_local = address.ip().to_canonical().is_loopback();
    let mut all = [own.clone()]
        .into_iter()
        .chain(names)
        .chain(is_local.then_some(local));
    let named = all.find(|host| network::is_for(certificate, host));
    format!("https://{}{PATH}", named.unwrap_or(own))
}

fn host(address: SocketAddr, hosts: &[String]) -> String {
    match hosts.first() {
        Some(host) if !address.ip().to_canonical().is_loopback() => with_port(host, address),
        Some(_) | None => address.to_string(),
    }
}

/// The host with the port of the address, unless it has one.
fn with_port(host: &str, address: SocketAddr) -> String {
    let has_port = host
        .rsplit_once(':')
        .is_some_and(|(_, port)| !port.ends_with(']'));
    match has_port {
        true => host.to_owned(),
        false => format!("{host}:{}", address.port()),
    }
}

/// Announces the server's URL and the configuration for a host. Standard output stays free for
/// redirection.
fn announce(url: &str, mounts: &[String], key: &str) {
    let config = json!({ "mcpServers": { key: { "type": "http", "url": url } } });
    // The server is still useful if this can't be written.
    let _ = writeln!(
        io::stderr(),
        "serving {} at {url}\n\nmcp.json:\n{config:#}\n\nCtrl-C stops it.",
        mounts.join(", ")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_one_that_the_server_answers_to() {
        let cases: [(&str, &[&str], &str); 5] = [
            ("127.0.0.1:3333", &[], "127.0.0.1:3333"),
            ("[::1]:3333", &["a.example"], "[::1]:3333"),
            (
                "0.0.0.0:3333",
                &["a.example", "b.example"],
                "a.example:3333",
            ),
            ("0.0.0.0:3333", &["a.example:80"], "a.example:80"),
            ("[::]:3333", &["[fe80::1]"], "[fe80::1]:3333"),
        ];
        for (address, hosts, expected) in cases {
            let hosts: Vec<String> = hosts.iter().map(|&host| host.to_owned()).collect();
            assert_eq!(host(address.parse().unwrap(), &hosts), expected);
        }
    }

    #[test]
    fn hosts_get_a_name_that_they_take() {
        let cases = [
            (Some("handbook"), Some("docs"), "handbook"),
            (None, Some("docs_2-a"), "docs_2-a"),
            (None, Some("my docs.d"), "my-docs-d"),
            (None, Some("文書"), "plainly"),
            (None, None, "plainly"),
        ];
        for (name, first, expected) in cases {
            assert_eq!(key(name, first), expected);
        }
    }

    #[test]
    fn the_largest_file_fits_into_a_reply() {
        for size in [0, 1, 16 << 20, 1 << 30] {
            assert!(limits(size).reply_bytes as u64 > size * 4 / 3 + size / 2);
        }
        limits(u64::MAX);
    }
}
