//! Standard input and output: calls that are cancelled as soon as they are sent, and replies that nobody reads.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::message::Message;
use crate::process::{command, wait};
use crate::report::{Held, Memory, Outcome, mebibytes};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::usage::Usage;

/// Calls, each with its cancellation.
const CALLS: u64 = 1_000;
/// Of the replies that nobody reads.
const BYTES: usize = 64 << 10;
/// After which the server gives up a client that does not read.
const STALL: Duration = Duration::from_secs(30);

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    tokio::task::spawn_blocking(move || blocking(scale)).await?
}

fn blocking(scale: Scale) -> Result<Outcome> {
    let start = Instant::now();
    let mut held = cancelled()?;
    let (unread, memory) = unread(scale)?;
    held.extend(unread);
    Ok(Outcome {
        scenario: "stdio",
        asked: format!(
            "{CALLS} calls, each cancelled at once; then calls for replies of 64 KiB of which none is read"
        ),
        seconds: start.elapsed().as_secs_f64(),
        bystander: None,
        memory: Some(memory),
        descriptors: None,
        recovery_seconds: None,
        held,
    })
}

fn start() -> Result<(Child, ChildStdin)> {
    let settings = Settings {
        is_stdio: true,
        ..Settings::default()
    };
    let mut command = command(&settings)?;
    let pipes = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = pipes.spawn()?;
    let stdin = child.stdin.take().context("its input is piped")?;
    Ok((child, stdin))
}

/// Each call is answered at most once, and none is left behind.
fn cancelled() -> Result<Vec<Held>> {
    let (mut child, mut stdin) = start()?;
    let mut lines = BufReader::new(child.stdout.take().context("its output is piped")?).lines();
    let writing = thread::spawn(move || {
        for id in 1..=CALLS {
            let call = Message::call(id, "wait", &json!({"milliseconds": 50}));
            let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
            writeln!(stdin, "{}{cancel}", call.line())?;
        }
        write!(
            stdin,
            "{}",
            Message::call(0, "wait", &json!({"milliseconds": 100, "text": "last"})).line()
        )?;
        anyhow::Ok(stdin)
    });
    let mut answers: HashMap<u64, usize> = HashMap::new();
    let mut next = || -> Result<Value> {
        Ok(serde_json::from_str(
            &lines.next().context("the server closed")??,
        )?)
    };
    loop {
        let reply = next()?;
        let id = reply["id"]
            .as_u64()
            .with_context(|| format!("an answer to nothing: {reply}"))?;
        if id == 0 {
            ensure!(
                reply["result"]["content"][0]["text"] == "last",
                "not what was asked for: {reply}"
            );
            break;
        }
        *answers.entry(id).or_default() += 1;
    }
    let mut stdin = writing.join().expect("writing does not panic")?;
    write!(stdin, "{}", Message::call(0, "gauges", &json!({})).line())?;
    let running = next()?["result"]["structuredContent"]["running"].clone();
    drop(stdin);
    let status = wait(&mut child, Duration::from_secs(5))?;
    let most = answers.values().copied().max().unwrap_or_default();
    Ok(vec![
        Held::most("answers to a call that was cancelled", most, 1),
        Held::exactly("handlers still running", running, json!(0)),
        Held::exactly("ends when its input ends", status.success(), true),
    ])
}

/// The server stops reading rather than keep what it can't write, and gives up in the end.
fn unread(scale: Scale) -> Result<(Vec<Held>, Memory)> {
    let (mut child, mut stdin) = start()?;
    write!(stdin, "{}", Message::echo(0, "awake").line())?;
    thread::sleep(Duration::from_millis(500));
    let before = Usage::of(child.id())?;
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    thread::spawn(move || {
        for id in 1.. {
            let call = Message::call(id, "large", &json!({"bytes": BYTES}));
            if write!(stdin, "{}", call.line()).is_err() {
                break;
            }
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    thread::sleep(scale.seconds(2, 10));
    let settled = accepted.load(Ordering::Relaxed);
    thread::sleep(Duration::from_secs(1));
    let more = accepted.load(Ordering::Relaxed) - settled;
    let after = Usage::of(child.id())?;
    let growth = after.peak.saturating_sub(before.resident);
    let mut held = vec![
        Held::exactly("calls read while replies can't be sent", more, 0),
        Held::most("memory added at the peak, MiB", mebibytes(growth), 16.0),
    ];
    if scale.is_short {
        child.kill()?;
        child.wait()?;
    } else {
        let waited = Instant::now();
        let status = wait(&mut child, STALL * 2)?;
        held.push(Held::within(
            "ends because nobody reads, after",
            waited.elapsed(),
            STALL,
        ));
        held.push(Held::exactly(
            "ends without an error",
            status.success(),
            false,
        ));
    }
    let memory = Memory {
        before: mebibytes(before.resident),
        peak: mebibytes(after.peak),
        after: mebibytes(after.resident),
    };
    Ok((held, memory))
}
