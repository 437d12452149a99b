//! `plainly cluster`: shows the replicas of a server. It joins them as another replica that serves
//! nothing.

use std::time::Duration;

use plainly::Server;
use plainly::client::AuthError;
use plainly::server::cluster::EngineReport;
use plainly::server::{Keys, ReplicaStatus};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::engine::EngineSettings;
use super::serve::time;
use crate::args::{ClusterAction, ClusterCommandArgs, ClusterStatusArgs};
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;

/// The time for reaching the engine, and for the answers of the replicas.
const PATIENCE: Duration = Duration::from_secs(15);
/// The difference of clocks, in milliseconds, beyond which a replica is marked.
const CLOCK: u64 = 2_000;

const COLUMNS: [&str; 10] = [
    "REPLICA",
    "VERSION",
    "UP",
    "KEYS",
    "LISTS",
    "CLOCK",
    "SESSIONS",
    "LISTENERS",
    "TASKS",
    "HOLES",
];

pub(crate) async fn run(args: ClusterCommandArgs) -> Result<(), Failure> {
    match args.action {
        ClusterAction::Status(args) => status(args).await,
    }
}

async fn status(args: ClusterStatusArgs) -> Result<(), Failure> {
    let server = joined(&args).await?;
    let replicas = timeout(PATIENCE, server.replicas()).await;
    let Ok(mut replicas) = replicas else {
        let urls = args.cluster.iter().map(|url| AuthError::shown_url(url));
        return Err(Failure::local(format!(
            "no answer from {} within {} s: start the engine, or correct the URLs or the credentials",
            urls.collect::<Vec<_>>().join(" "),
            PATIENCE.as_secs()
        )));
    };
    // Other status commands serve nothing either.
    replicas.retain(|it| it.has_other_keys || it.lists.is_some());
    replicas.sort_by_key(|it| it.id);
    let report = server.engine_report().await;
    let report = report.map_err(|error| Failure::caused("cannot look at the engine", error))?;
    let rows = replicas
        .iter()
        .map(|it| row(it, &replicas))
        .collect::<Vec<_>>();
    let is_marked = rows.iter().chain(&report.rows).any(|row| has_mark(row));
    let mut output = Output::new(Format::json_if(args.json));
    match output.is_json() {
        true => output.json(&written(&replicas, &rows, &report))?,
        false => {
            table(&mut output, &COLUMNS, &rows)?;
            if !report.columns.is_empty() {
                table(&mut output, &report.columns, &report.rows)?;
            }
        }
    }
    output.flush()?;
    match (is_marked, rows.is_empty()) {
        (true, _) => Err(Failure::local(
            "the status has marks (!): look at the replicas and streams that have them",
        )),
        (false, true) => Err(Failure::local(
            "no replica is there: look at --name and --cluster-name",
        )),
        (false, false) => Ok(()),
    }
}

/// A replica that serves nothing.
async fn joined(args: &ClusterStatusArgs) -> Result<Server, Failure> {
    let name = args.cluster_name.as_ref().unwrap_or(&args.name);
    let settings = EngineSettings {
        urls: &args.cluster,
        name: name.clone(),
        files: &args.engine,
        copies: None,
    };
    let mistakes = settings.mistakes();
    if !mistakes.is_empty() {
        return Err(Failure::impossible(mistakes.join("; "), None));
    }
    let cannot = |error| Failure::impossible("cannot look at the replicas", Some(error));
    let keys = Keys::file(&args.key_file).map_err(|error| cannot(Box::from(error)))?;
    let builder = Server::builder(&*args.name, env!("CARGO_PKG_VERSION")).keys(keys);
    let builder = settings.join(builder).await?;
    let built = builder.build();
    built.map_err(|error| Failure::caused("cannot join the replicas", error))
}

/// The cells of a replica. A cell that needs attention begins with `!`.
fn row(it: &ReplicaStatus, all: &[ReplicaStatus]) -> Vec<String> {
    if it.has_other_keys {
        let mut cells = vec![it.id.to_string(), "-".to_owned(), "-".to_owned()];
        cells.push("!other keys or name".to_owned());
        return cells;
    }
    let lists = it.lists.clone().unwrap_or_default();
    let known = all.iter().filter_map(|it| it.lists.as_ref());
    let differ = known.clone().any(|other| *other != lists);
    let keys = it.keys.iter().enumerate();
    // The first key encrypts.
    let keys = keys.map(|(at, key)| format!("k:{key}{}", if at == 0 { "*" } else { "" }));
    let clock = format!("{:+} ms", it.clock_ahead);
    let is_off = it.clock_ahead.unsigned_abs() > CLOCK;
    vec![
        it.id.to_string(),
        it.version.clone(),
        time(it.up),
        keys.collect::<Vec<_>>().join(" "),
        if differ { format!("!{lists}") } else { lists },
        if is_off { format!("!{clock}") } else { clock },
        it.sessions.to_string(),
        it.listeners.to_string(),
        it.tasks.to_string(),
        it.holes.to_string(),
    ]
}

fn has_mark(row: &[String]) -> bool {
    row.iter().any(|cell| cell.starts_with('!'))
}

/// Writes a table whose columns fit their cells.
fn table(output: &mut Output, columns: &[&str], rows: &[Vec<String>]) -> Result<(), Failure> {
    let head = columns.iter().map(|name| (*name).to_owned()).collect();
    let lines = [&[head], rows].concat();
    let width = |at: usize| {
        let cells = lines.iter().filter_map(|line| line.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths = (0..columns.len()).map(width).collect::<Vec<_>>();
    for line in &lines {
        let cells = line.iter().zip(&widths);
        let padded = cells.map(|(cell, width)| format!("{cell:<width$}"));
        let line = padded.collect::<Vec<_>>().join("  ");
        output.text(&format!("{}\n", line.trim_end()))?;
    }
    Ok(())
}

fn written(replicas: &[ReplicaStatus], rows: &[Vec<String>], report: &EngineReport) -> Value {
    let replicas = replicas.iter().zip(rows).map(|(it, row)| {
        json!({
            "id": it.id.to_string(), "version": it.version, "upSeconds": it.up.as_secs(), "keys": it.keys,
            "hasOtherKeys": it.has_other_keys, "lists": it.lists, "clockAheadMs": it.clock_ahead,
            "sessions": it.sessions, "listeners": it.listeners, "tasks": it.tasks, "holes": it.holes,
            "needsALook": has_mark(row),
        })
    });
    let engine = report.rows.iter().map(|row| {
        let cells = report.columns.iter().zip(row);
        let cells = cells.map(|(name, cell)| {
            let cell = cell.strip_prefix('!').unwrap_or(cell);
            (name.to_lowercase(), json!(cell))
        });
        let mut cells = cells.collect::<Map<_, _>>();
        cells.insert("needsALook".to_owned(), json!(has_mark(row)));
        Value::Object(cells)
    });
    json!({
        "replicas": replicas.collect::<Vec<_>>(),
        "engine": engine.collect::<Vec<_>>(),
    })
}
