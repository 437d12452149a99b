//! One round over standard input and output, with a fixed number of requests in flight. Every id
//! must be answered exactly once.

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use plainly_interop::Case;
use plainly_interop::contents::ECHO_TEXT;
use serde::Deserialize;

use crate::cores::Cores;
use crate::figures::{Latency, Measure};
use crate::programs::Program;
use crate::running::Running;

/// Measures one round with `window` requests in flight.
pub(crate) fn round(
    cores: &Cores,
    program: &Program,
    window: u64,
    length: Duration,
) -> Result<Measure, Box<dyn Error>> {
    let mut server = cores.start(|| Running::start(program, Case::Echo))?;
    let mut pipeline = Pipeline::new(Case::Echo, &mut server)?;
    pipeline.first(program)?;
    let idle = server.memory()?.resident;
    let before = server.cpu_seconds()?;
    let start = Instant::now();
    let latencies = pipeline.run(window, start + length)?;
    let seconds = start.elapsed().as_secs_f64();
    let cpu_seconds = server.cpu_seconds()? - before;
    let memory = server.memory()?;
    Ok(Measure {
        requests: latencies.len() as u64,
        seconds,
        cpu_seconds,
        latency: Latency::of(latencies),
        idle,
        peak: memory.peak,
        after: memory.resident,
        own: memory.own,
    })
}

/// Measures the time from before the server's start to its first response.
pub(crate) fn start(cores: &Cores, program: &Program) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    let mut server = cores.start(|| Running::start(program, Case::Echo))?;
    Pipeline::new(Case::Echo, &mut server)?.first(program)?;
    Ok(start.elapsed())
}

/// Checks that the server answers correctly.
pub(crate) fn answers(program: &Program, case: Case) -> Result<(), Box<dyn Error>> {
    let mut server = Running::start(program, case)?;
    Pipeline::new(case, &mut server)?.first(program)
}

/// The part of each response that is parsed.
#[derive(Deserialize)]
struct Answer {
    id: u64,
}

struct Pipeline {
    case: Case,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// The parts of the request before and after its id.
    around_id: (String, String),
    next_id: u64,
    /// The ids of unanswered requests, with the time of each.
    unanswered: HashMap<u64, Instant>,
    outgoing: Vec<u8>,
    line: Vec<u8>,
}

impl Pipeline {
    fn new(case: Case, server: &mut Running) -> Result<Self, Box<dyn Error>> {
        let pipes = (server.child.stdin.take(), server.child.stdout.take());
        let (Some(stdin), Some(stdout)) = pipes else {
            return Err("no pipes".into());
        };
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
            unanswered: HashMap::new(),
            outgoing: Vec::new(),
            line: Vec::new(),
        })
    }

    /// Sends one request, and compares its whole response.
    fn first(&mut self, program: &Program) -> Result<(), Box<dyn Error>> {
        let id = self.next_id;
        self.send(1)?;
        self.line.clear();
        self.stdout.read_until(b'\n', &mut self.line)?;
        if self.case.is_answered_by(id, &self.line) && self.unanswered.remove(&id).is_some() {
            return Ok(());
        }
        let start: String = String::from_utf8_lossy(&self.line)
            .chars()
            .take(2000)
            .collect();
        let (path, case) = (program.path, self.case.name());
        Err(format!("{path} answered {case} wrongly: {start}").into())
    }

    /// Keeps the window full until the deadline, then waits for the remaining responses. Returns
    /// the time of each request.
    fn run(&mut self, window: u64, deadline: Instant) -> Result<Vec<Duration>, Box<dyn Error>> {
        let mut latencies = Vec::new();
        self.send(window)?;
        while !self.unanswered.is_empty() {
            self.stdout.fill_buf()?;
            let arrived = Instant::now();
            let mut free = 0;
            // Reads all responses that have arrived, so that one write refills the window.
            while free == 0 || self.stdout.buffer().contains(&b'\n') {
                latencies.push(arrived - self.receive()?);
                free += 1;
            }
            if Instant::now() < deadline {
                self.send(free)?;
            }
        }
        Ok(latencies)
    }

    fn send(&mut self, count: u64) -> Result<(), Box<dyn Error>> {
        self.outgoing.clear();
        let (before, after) = &self.around_id;
        let now = Instant::now();
        for id in self.next_id..self.next_id + count {
            write!(self.outgoing, "{before}{id}{after}")?;
            self.unanswered.insert(id, now);
        }
        self.next_id += count;
        Ok(self.stdin.write_all(&self.outgoing)?)
    }

    /// Reads the response to an echo. Returns the time of its request.
    fn receive(&mut self) -> Result<Instant, Box<dyn Error>> {
        self.line.clear();
        self.stdout.read_until(b'\n', &mut self.line)?;
        let line = std::str::from_utf8(&self.line)?;
        let Answer { id } = serde_json::from_str(line)
            .map_err(|error| format!("not an answer: {line:?}: {error}"))?;
        match self.unanswered.remove(&id) {
            Some(asked) if line.contains(ECHO_TEXT) => Ok(asked),
            _ => Err(format!("not an answer to anything asked: {line:?}").into()),
        }
    }
}
