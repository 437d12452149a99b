//! A server in a process of its own, that ends with who started it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use crate::settings::Settings;
use crate::usage::{self, Usage};

/// Where the programs are that are started as servers.
static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();

/// Has servers be those in `directory`; else they are those beside this program.
pub(crate) fn choose(directory: Option<PathBuf>) -> Result<()> {
    let here = std::env::current_exe()?;
    let here = here.parent().context("a program is in a directory")?;
    PROGRAMS.get_or_init(|| directory.unwrap_or_else(|| here.to_owned()));
    Ok(())
}

fn program(name: &str) -> Result<PathBuf> {
    let programs = PROGRAMS.get().context("they are chosen at the start")?;
    Ok(programs.join(name))
}

/// A server over HTTP.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Our own.
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

    /// `plainly serve`, which is to lie beside this program.
    pub(crate) fn of_files(directory: &Path) -> Result<Self> {
        let program = program("plainly")?;
        let mut child = Command::new(&program)
            .args(["serve", "--http", "127.0.0.1:0"])
            .arg(directory)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| {
                format!(
                    "{} can't be started: cargo build -p plainly-cli",
                    program.display()
                )
            })?;
        let stderr = BufReader::new(child.stderr.take().context("its errors are piped")?);
        let address = announced(stderr)?;
        Ok(Self { child, address })
    }

    pub(crate) fn usage(&self) -> Result<Usage> {
        Usage::of(self.child.id()).context("the server is gone")
    }

    /// What it takes from here on has a peak of its own.
    pub(crate) fn forget_peak(&self) -> Result<()> {
        usage::forget_peak(self.child.id())
    }

    /// Asks it to stop; how long that took, if it ended in good order.
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
        // It may be gone already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// This very program, as a server.
pub(crate) fn command(settings: &Settings) -> Result<Command> {
    let mut command = Command::new(program("plainly-load")?);
    command
        .arg("server")
        .arg(serde_json::to_string(settings)?)
        .stdin(Stdio::null());
    Ok(command)
}

/// Waits for the end of a process.
pub(crate) fn wait(child: &mut Child, patience: Duration) -> Result<ExitStatus> {
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

/// The address in what `plainly serve` says at its start; what it says later is read by nobody, but read.
fn announced(mut stderr: impl BufRead + Send + 'static) -> Result<SocketAddr> {
    let mut line = String::new();
    loop {
        line.clear();
        if stderr.read_line(&mut line)? == 0 {
            bail!("plainly serve has ended");
        }
        if let Some((_, rest)) = line.split_once("http://") {
            let address = rest.split('/').next().unwrap_or_default();
            let address = address
                .trim()
                .parse()
                .context("plainly serve says no address")?;
            thread::spawn(move || stderr.read_to_end(&mut Vec::new()));
            return Ok(address);
        }
    }
}
