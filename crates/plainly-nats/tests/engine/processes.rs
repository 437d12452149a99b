//! Servers of any engine as processes, which end with the test; and faults that are the same for all engines.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _};
use plainly_cluster::{Engine, EngineError, Heard, Unanswered};
use rustix::process::{Pid, Signal, kill_process};

pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

/// The program of this name, if this machine has it. If not, the log says so once, and how to install it.
pub(crate) fn program(name: &str, install: &str) -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([built.join("python/bin")]);
    let found = folders
        .map(|folder| folder.join(name))
        .find(|file| file.is_file());
    static SAID: Once = Once::new();
    if found.is_none() {
        SAID.call_once(|| {
            // Not by a macro, whose output tests that succeed don't show.
            let mut stderr = std::io::stderr();
            let what = "SKIPPED: the tests over real servers, for want of";
            writeln!(stderr, "\n{what} {name}: {install}\n").unwrap();
        });
    }
    found
}

/// Ports that are free now.
pub(crate) fn ports(count: usize) -> Vec<u16> {
    let listeners: Vec<_> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let ports = listeners.iter().map(|one| one.local_addr().unwrap().port());
    ports.collect()
}

/// A server, which is killed when this is dropped.
pub(crate) struct Process(Child);

impl Process {
    /// Starts it; what it says goes to this file.
    pub(crate) fn start(program: &Path, arguments: &[&str], log: &Path) -> Self {
        let log = std::fs::File::create(log).unwrap();
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn();
        Self(child.unwrap())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Tries until there is a result.
pub(crate) async fn until<T>(mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let tried = async {
        loop {
            if let Some(result) = attempt().await {
                return result;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), tried)
        .await
        .unwrap()
}

pub(crate) async fn connected(engine: &impl Engine) {
    until(async || engine.is_connected().then_some(())).await;
}

pub(crate) async fn put(engine: &impl Engine, key: &str) -> Result<Option<u64>, EngineError> {
    engine.put(key, "value".into(), None, HOUR).await
}

/// Puts until it succeeds. One that was not confirmed may have.
pub(crate) async fn put_at_last(engine: &impl Engine, key: &str) {
    until(async || match put(engine, key).await {
        Ok(Some(_)) => Some(()),
        Ok(None) => engine.get(key).await.ok().flatten().map(drop),
        Err(_) => None,
    })
    .await;
}

/// Uses an engine whose servers begin to run only now.
pub(crate) async fn down_at_start(engine: impl Engine, run: impl FnOnce()) {
    assert!(!engine.is_connected());
    let mut heard = pin!(engine.hear());
    engine.tell("lost".into());
    let unsent = engine.ask(engine.id(), "?".into(), HOUR).await;
    assert_eq!(unsent, Err(Unanswered::Unsent));
    // A call waits for the engine, for a while.
    let begin = Instant::now();
    let refused = engine.get("key").await;
    assert!(
        matches!(refused, Err(EngineError::Refused(_))),
        "{refused:?}"
    );
    assert!(begin.elapsed() < Duration::from_secs(5));
    let (waited, ()) = tokio::join!(put(&engine, "key"), async { run() });
    waited.unwrap().unwrap();
    engine.tell("heard".into());
    assert!(matches!(heard.next().await, Some(Heard::Event(event)) if event == "heard"));
}

/// Waits until this replica hears the other one.
pub(crate) async fn hears(mut heard: impl Stream<Item = Heard> + Unpin, other: &impl Engine) {
    let first = until(async || {
        other.tell("first".into());
        let heard = tokio::time::timeout(Duration::from_millis(50), heard.next());
        heard.await.ok()
    });
    assert!(matches!(first.await, Some(Heard::Event(_))));
}

/// Waits for the gap, before which there are at most so many events.
pub(crate) async fn gap(mut heard: impl Stream<Item = Heard> + Unpin, most: usize) {
    let mut events = 0;
    loop {
        match heard.next().await {
            Some(Heard::Gap) => return,
            Some(Heard::Event(_)) => events += 1,
            Some(Heard::Question(..)) | None => unreachable!(),
        }
        assert!(events <= most);
    }
}

/// Tells more than a replica that does not read can queue.
pub(crate) async fn slow_bus(one: impl Engine, other: impl Engine) {
    let mut heard = Box::pin(one.hear());
    hears(&mut heard, &other).await;
    // Nobody reads; at once at most as many as the client library queues.
    for _ in 0..20 {
        for _ in 0..1_000 {
            other.tell("news".into());
        }
        assert!(other.get("key").await.is_ok());
    }
    gap(heard, 20_000).await;
}
