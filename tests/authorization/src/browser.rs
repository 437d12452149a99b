//! A browser whose user agrees to everything, up to the first redirect.

use std::error::Error;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The target of the redirect from a page on this machine. The redirect is not followed, because no
/// test server listens there.
///
/// # Errors
///
/// Returns the reason why the page doesn't redirect.
pub async fn location(url: &str) -> Result<String, Box<dyn Error + Send + Sync>> {
    let rest = url.strip_prefix("http://").ok_or("the page is elsewhere")?;
    let (host, path) = rest.split_once('/').ok_or("the page has no path")?;
    let mut connection = TcpStream::connect(host).await?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    connection.read_to_string(&mut response).await?;
    let mut lines = response.lines().filter_map(|line| line.split_once(": "));
    let found = lines.find(|(name, _)| name.eq_ignore_ascii_case("location"));
    Ok(found.ok_or("the page leads nowhere")?.1.to_owned())
}
