//! Measures three replicas over any engine, compared with one process without an engine. Everything
//! except the engine's servers runs in this process, without sockets between clients and replicas.

#![expect(clippy::print_stdout, reason = "figures are for people who read")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the measurement")]

use std::time::{Duration, Instant};

use plainly::server::extract::Ask;
use plainly::server::{AskError, Changes, Keys};
use plainly::{Args, Resource, Server, TaskSupport, Tool};
use plainly_cluster::Engine;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::clients::{Listeners, Session, modern_call, task_call};
use crate::processes::until;

const LISTENERS: usize = 10_000;

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

async fn echo(Args(Words { text }): Args<Words>) -> String {
    text
}

async fn roots(ask: Ask) -> Result<String, AskError> {
    let roots = ask.roots("roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

/// One replica, or a single server without an engine.
#[derive(Clone)]
struct One {
    server: Server,
    changes: Changes,
}

fn one(engine: Option<impl Engine>) -> One {
    let changes = Changes::new();
    let mut builder = Server::builder("test", "1")
        .keys(Keys::new([7; 32]))
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("roots", roots))
        .tool(Tool::new("task", echo).task(TaskSupport::Required))
        .resource(Resource::new("test://news", async || "none").name("news"))
        .changes(changes.clone());
    if let Some(engine) = engine {
        builder = builder.cluster(engine);
    }
    One {
        server: builder.build().unwrap(),
        changes,
    }
}

/// The number of calls of the engine so far.
fn calls(all: &[One]) -> u64 {
    let counts = all.iter().flat_map(|one| one.server.replica_counts());
    let calls = counts.filter(|it| it.kind != "messages" || it.outcome == "told");
    calls.map(|it| it.count).sum()
}

/// Prints the median and the 99th percentile.
fn print(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!("{what:<60} {:>10.2?} {:>10.2?}", at(50), at(99));
}

/// The CPU time of this process.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(')').unwrap().1;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Duration::from_millis(10 * ticks)
}

/// Prints the figures of replicas with the engines that `replica` connects.
pub(crate) async fn measure<E: Engine>(replica: impl AsyncFn() -> E) {
    let alone = vec![one(None::<E>)];
    let mut three = Vec::new();
    for _ in 0..3 {
        three.push(one(Some(replica().await)));
    }
    // The engine's servers may not have elected a leader yet.
    until(async || Session::try_open(&three[0].server).await).await;
    println!("{:<60} {:>10} {:>10}", "", "p50", "p99");
    for (who, all) in [("one process", &alone), ("three replicas", &three)] {
        modern(who, all).await;
        legacy(who, all).await;
        answers(who, all).await;
        resuming(who, all).await;
        tasks(who, all).await;
        listening(who, all).await;
    }
    processors(&three).await;
}

/// Measures calls, sent to each server in turn.
async fn modern(who: &str, all: &[One]) {
    let before = calls(all);
    let mut times = Vec::new();
    for number in 0..100_000 {
        let begin = Instant::now();
        modern_call(&all[number % all.len()].server, "echo").await;
        times.push(begin.elapsed());
    }
    print(&format!("{who}: modern call"), times);
    println!(
        "{who}: calls of the engine in 100,000 of them: {}",
        calls(all) - before
    );
}

async fn legacy(who: &str, all: &[One]) {
    let session = Session::open(&all[0].server).await;
    let mut times = Vec::new();
    for number in 0..5_000 {
        let begin = Instant::now();
        session.call(&all[number % all.len()].server, "echo").await;
        times.push(begin.elapsed());
    }
    print(&format!("{who}: legacy call, each at another"), times);
}

/// Measures the time from the answer, which another replica receives than the one that asked, to
/// the tool's reply.
async fn answers(who: &str, all: &[One]) {
    let session = Session::open(&all[0].server).await;
    let mut times = Vec::new();
    for number in 0..2_000 {
        let [asker, other] = [number, number + 1].map(|number| &all[number % all.len()].server);
        let asked = session.ask(asker, json!({})).await;
        let begin = Instant::now();
        asked.answer(other).await;
        times.push(begin.elapsed());
    }
    print(&format!("{who}: question answered at another"), times);
}

async fn resuming(who: &str, all: &[One]) {
    let session = Session::open(&all[0].server).await;
    let mut times = Vec::new();
    for number in 0..500 {
        let [asker, other] = [number, number + 1].map(|number| &all[number % all.len()].server);
        let asked = session.ask(asker, json!({})).await;
        let begin = Instant::now();
        let resumed = asked.resume(other).await;
        times.push(begin.elapsed());
        resumed.answer(asker).await;
    }
    print(&format!("{who}: stream resumed at another"), times);
}

async fn tasks(who: &str, all: &[One]) {
    let (mut made, mut asked) = (Vec::new(), Vec::new());
    for number in 0..1_000 {
        let [one, other] = [number, number + 1].map(|number| &all[number % all.len()].server);
        let begin = Instant::now();
        let task = modern_call(one, "task").await;
        made.push(begin.elapsed());
        let id = task["result"]["taskId"].as_str().unwrap();
        loop {
            let begin = Instant::now();
            let found = task_call(other, id).await;
            asked.push(begin.elapsed());
            if found["result"]["status"] == "completed" {
                break;
            }
        }
    }
    print(&format!("{who}: task made"), made);
    print(&format!("{who}: task asked for at another"), asked);
}

/// Measures the time from a change until the last listener is notified, and the CPU time for each
/// listener.
async fn listening(who: &str, all: &[One]) {
    let servers: Vec<&Server> = all.iter().map(|one| &one.server).collect();
    let mut listeners = Listeners::begin(&servers, LISTENERS).await;
    let (mut times, begin) = (Vec::new(), cpu());
    for number in 0..100 {
        let begin = Instant::now();
        all[number % all.len()].changes.tools_changed();
        listeners.all_told().await;
        times.push(begin.elapsed());
    }
    let each = (cpu() - begin) / (100 * LISTENERS as u32);
    print(
        &format!("{who}: change to the last of {LISTENERS} listeners"),
        times,
    );
    println!("{who}: CPU time of each that is told: {each:.2?}");
}

/// Measures the CPU time of a request with each number of replicas.
async fn processors(all: &[One]) {
    for count in 1..=all.len() {
        let begin = cpu();
        for number in 0..100_000 {
            modern_call(&all[number % count].server, "echo").await;
        }
        println!(
            "{count} replicas: CPU time of a modern call: {:.2?}",
            (cpu() - begin) / 100_000
        );
    }
}
