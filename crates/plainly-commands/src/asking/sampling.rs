//! Lets a server ask a model (Sampling), through a command of the user.

use std::io;
use std::process::{Output, Stdio};

use plainly::errors::ProtocolError;
use plainly::protocol::types::{CreateMessageParams, CreateMessageResult};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::shown::short;
use crate::json;

/// An example of the result that the command must print.
const EXAMPLE: &str =
    r#"{"role": "assistant", "content": {"type": "text", "text": "…"}, "model": "…"}"#;

/// Lets the user's command answer. If it fails, the user sees the reason, and the server gets no
/// answer.
pub(super) async fn sample(
    command: String,
    params: CreateMessageParams,
) -> Result<CreateMessageResult, ProtocolError> {
    answer(&command, &params).await.map_err(|why| {
        tracing::warn!("the command of --sample-with failed: {why}");
        ProtocolError::internal("the client's model gave no answer")
    })
}

async fn answer(
    command: &str,
    params: &CreateMessageParams,
) -> Result<CreateMessageResult, String> {
    let request = serde_json::to_string(params).map_err(|error| error.to_string())?;
    let output = run(command, &request).await;
    let output = output.map_err(|error| format!("it can't be run: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr.lines().rfind(|line| !line.trim().is_empty());
        let last = last.map(|line| format!(": {}", short(line)));
        return Err(format!("{}{}", output.status, last.unwrap_or_default()));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    let printed = printed.trim();
    let result = json::parse(printed).map_err(|why| format!("what it printed, {why}"))?;
    serde_json::from_value(result).map_err(|_other| {
        format!(
            "it must print a result such as {EXAMPLE}, and printed {}",
            short(printed)
        )
    })
}

/// Runs the command in a shell, with `input` on its standard input.
async fn run(command: &str, input: &str) -> io::Result<Output> {
    let (shell, option) = match cfg!(windows) {
        true => ("cmd", "/C"),
        false => ("sh", "-c"),
    };
    let mut child = Command::new(shell)
        .args([option, command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let stdin = child.stdin.take();
    let write = async {
        if let Some(mut stdin) = stdin {
            // The command may answer without reading.
            let _unread = stdin.write_all(input.as_bytes()).await;
        }
    };
    let ((), output) = tokio::join!(write, child.wait_with_output());
    output
}
