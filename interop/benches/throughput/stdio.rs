//! One round over standard input and output: a fixed number of requests in flight, every id answered exactly once.

use std::collections::HashSet;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use plainly_interop::{Case, ECHO_TEXT};
use serde::Deserialize;

use crate::server::{Measure, Program, Running};

/// Small enough that neither pipe can fill up while both sides write.
pub(crate) const WINDOW: u64 = 64;

pub(crate) fn round(
    program: &Program,
    case: Case,
    length: Duration,
) -> Result<Measure, Box<dyn Error>> {
    let mut server = Running::start(program, case)?;
    let (Some(stdin), Some(stdout)) = (server.child.stdin.take(), server.child.stdout.take())
    else {
        return Err("no pipes".into());
    };
    let mut pipeline = Pipeline::new(case, stdin, stdout)?;
    pipeline.first(program)?;
    let before = server.cpu_seconds()?;
    let start = Instant::now();
    let requests = pipeline.run(start + length)?;
    Ok(Measure {
        requests,
        seconds: start.elapsed().as_secs_f64(),
        cpu_seconds: server.cpu_seconds()? - before,
    })
}

/// The part of an answer that is read of each.
#[derive(Deserialize)]
struct Answer {
    id: u64,
}

struct Pipeline {
    case: Case,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// The request before and after its id.
    around_id: (String, String),
    next_id: u64,
    unanswered: HashSet<u64>,
    outgoing: Vec<u8>,
    line: Vec<u8>,
}

impl Pipeline {
    fn new(case: Case, stdin: ChildStdin, stdout: ChildStdout) -> Result<Self, Box<dyn Error>> {
        let request = case.request(0);
        let (before, after) = request
            .split_once("\"id\":0")
            .ok_or("the request has no id")?;
        Ok(Self {
            case,
            stdin,
            stdout: BufReader::with_capacity(1 << 16, stdout),
            around_id: (format!("{before}\"id\":"), format!("{after}\n")),
            next_id: 1,
            unanswered: HashSet::new(),
            outgoing: Vec::new(),
            line: Vec::new(),
        })
    }

    /// One request alone, its answer compared whole.
    fn first(&mut self, program: &Program) -> Result<(), Box<dyn Error>> {
        let id = self.next_id;
        self.send(1)?;
        self.receive()?;
        if self.case.is_answered_by(id, &self.line) {
            return Ok(());
        }
        Err(format!(
            "{} answered wrongly: {}",
            program.name,
            String::from_utf8_lossy(&self.line)
        )
        .into())
    }

    /// Keeps the window full until the deadline, then waits for what is still in flight; how many were answered.
    fn run(&mut self, deadline: Instant) -> Result<u64, Box<dyn Error>> {
        self.send(WINDOW)?;
        let mut answered = 0;
        while !self.unanswered.is_empty() {
            self.receive()?;
            let mut free = 1;
            // All that has already come, so that one write refills the window.
            while self.stdout.buffer().contains(&b'\n') {
                self.receive()?;
                free += 1;
            }
            answered += free;
            if Instant::now() < deadline {
                self.send(free)?;
            }
        }
        Ok(answered)
    }

    fn send(&mut self, count: u64) -> Result<(), Box<dyn Error>> {
        self.outgoing.clear();
        for _ in 0..count {
            write!(
                self.outgoing,
                "{}{}{}",
                self.around_id.0, self.next_id, self.around_id.1
            )?;
            self.unanswered.insert(self.next_id);
            self.next_id += 1;
        }
        Ok(self.stdin.write_all(&self.outgoing)?)
    }

    fn receive(&mut self) -> Result<(), Box<dyn Error>> {
        self.line.clear();
        self.stdout.read_until(b'\n', &mut self.line)?;
        let line = std::str::from_utf8(&self.line)?;
        let Answer { id } = serde_json::from_str(line)
            .map_err(|error| format!("not an answer: {line:?}: {error}"))?;
        if self.unanswered.remove(&id) && line.contains(ECHO_TEXT) {
            return Ok(());
        }
        Err(format!("not an answer to anything asked: {line:?}").into())
    }
}
