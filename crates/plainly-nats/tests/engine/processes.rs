//! Servers of any engine as processes, which end with the test.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;
use std::net::TcpListener;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, Once};
use std::time::Duration;

use plainly_cluster::{Engine, EngineError};
use rustix::process::{Pid, Signal, kill_process};

pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

/// The program of this name, if this machine has it. Otherwise logs once how to install it.
pub(crate) fn program(name: &str, install: &str) -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([built.join("python/bin")]);
    let found = folders
        .map(|folder| folder.join(name))
        .find(|file| file.is_file());
    static SAID: Once = Once::new();
    if found.is_none() {
        let what = format!("the tests over real servers, for want of {name}: {install}");
        SAID.call_once(|| say_skipped(&what));
    }
    found
}

/// Logs that these tests are skipped.
pub(crate) fn say_skipped(tests: &str) {
    // Written directly, because successful tests don't show the output of macros.
    let mut stderr = std::io::stderr();
    writeln!(stderr, "\nSKIPPED: {tests}\n").unwrap();
}

/// Ports that are free, and that no other test of this process gets. They are below those that the
/// system gives to connections, one of which could take a port before its server starts.
pub(crate) fn ports(count: usize) -> Vec<u16> {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut given = GIVEN.lock().unwrap();
    let mut ports = Vec::new();
    while ports.len() < count {
        let random = RandomState::new().build_hasher().finish();
        let port = u16::try_from(10_000 + random % 22_000).unwrap();
        if given.insert(port) && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            ports.push(port);
        }
    }
    ports
}

/// A server, which is killed when this is dropped.
pub(crate) struct Process(Child);

impl Process {
    /// Starts the server, with its output in this file.
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

/// The memory of a process in bytes; `None` where there is no `/proc`.
pub(crate) fn memory(process: u32) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.unwrap().split_whitespace().next().unwrap();
    Some(kib.parse::<usize>().unwrap() << 10)
}

/// Repeats an attempt until it has a result.
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

/// Puts records with these numbers, each of them until it succeeds.
pub(crate) async fn put_all(engine: &impl Engine, numbers: Range<usize>) {
    for number in numbers {
        put_at_last(engine, &format!("key.{number}")).await;
    }
}

/// The number of these records that are lost.
pub(crate) async fn count_lost(engine: &impl Engine, numbers: Range<usize>) -> usize {
    let mut lost = 0;
    for number in numbers {
        let found = until(async || engine.get(&format!("key.{number}")).await.ok()).await;
        lost += usize::from(found.is_none());
    }
    lost
}

/// Puts a record until it succeeds. An unconfirmed attempt may have succeeded.
pub(crate) async fn put_at_last(engine: &impl Engine, key: &str) {
    until(async || match put(engine, key).await {
        Ok(Some(_)) => Some(()),
        Ok(None) => engine.get(key).await.ok().flatten().map(drop),
        Err(_) => None,
    })
    .await;
}
