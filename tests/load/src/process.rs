//! A server in a separate process, which ends with the program that started it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::served::Settings;
use crate::usage::Usage;

/// A server over HTTP.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    pub(crate) fn start(settings: &Settings) -> Result<Self> {
        let mut child = command(settings)?
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdout = child.stdout.take().context("its output is piped")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.trim().parse().context("the server says no address")?;
        Ok(Self { child, address })
    }

    pub(crate) fn usage(&self) -> Result<Usage> {
        Usage::of(self.child.id()).context("the server is gone")
    }

    /// Asks the server to stop. Returns how long that took, if the server stopped normally.
    pub(crate) fn stop(mut self, patience: Duration) -> Result<Duration> {
        let asked = Instant::now();
        kill_process(Pid::from_child(&self.child), Signal::TERM)?;
        let status = wait(&mut self.child, patience)?;
        if !status.success() {
            bail!("the server ended with {status}");
        }
        Ok(asked.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The command that runs this program as the server.
fn command(settings: &Settings) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("server")
        .arg(serde_json::to_string(settings)?)
        .stdin(Stdio::null());
    Ok(command)
}

/// Waits for the end of a process.
fn wait(child: &mut Child, patience: Duration) -> Result<ExitStatus> {
    let end = Instant::now() + patience;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > end {
            bail!("the server still runs after {} s", patience.as_secs());
        }
        thread::sleep(Duration::from_millis(5));
    }
}
