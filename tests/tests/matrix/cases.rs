//! Parses cases.txt, the list of cases, and runs their acts.

use plainly_peer::table::{Cell as _, lines};
use serde_json::Value;

use crate::acts::{messages, serving, tasks, telling};
use crate::cell::Cell;
use crate::table::{Case, Seen};

/// Returns all cases.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in lines(include_str!("cases.txt"), "cases") {
        let Some(row) = line.strip_prefix("  ") else {
            let (name, act) = line.split_once(" => ").unwrap();
            cases.push(Case::new(name, act));
            continue;
        };
        let case = cases.last_mut().expect("a case begins with its name");
        let (rows, row) = match row.strip_prefix("http ") {
            Some(row) => (&mut case.over_http, row),
            None => (&mut case.seen, row),
        };
        let (revision, row) = row.split_once(' ').unwrap();
        let seen = match row.split_once(' ') {
            Some(("has", text)) => Seen::Has(<&str>::read(text)),
            Some(("lacks", text)) => Seen::Lacks(<&str>::read(text)),
            _ => panic!("{line}"),
        };
        rows.push((revision.parse().unwrap(), seen));
    }
    cases
}

/// Runs an act in a cell, and returns its outcome in words.
pub(crate) async fn act(cell: &Cell, act: &str) -> String {
    let (act, with) = act.split_once(' ').unwrap_or((act, ""));
    match act {
        "ask" => {
            let (method, params) = with.split_once(' ').unwrap();
            messages::ask(cell, method, Value::read(params.to_owned().leak())).await
        }
        "batch" => messages::batch(cell).await,
        "call" => cell.call(with).await,
        "call-bare" => cell.call_bare(with).await,
        "initialize" => messages::initialize(cell).await,
        "list-of-params" => messages::list_of_params(cell).await,
        "method-header" => messages::method_header(cell).await,
        "no-meta" => messages::no_meta(cell).await,
        "prompt" => {
            let (name, arguments) = with.split_once(' ').unwrap_or((with, ""));
            let arguments: Vec<_> = arguments.split_once('=').into_iter().collect();
            cell.prompt(name, &arguments).await
        }
        "read" => cell.read(with).await,
        "session" => messages::session(cell, (!with.is_empty()).then_some(with)).await,
        "task-asks" => tasks::asks(cell).await,
        "task-cancelled" => tasks::cancelled(cell).await,
        "task-done" => tasks::done(cell, with).await,
        "task-unknown" => tasks::unknown(cell).await,
        "text" => messages::text(cell, with).await,
        "version" => messages::version(cell).await,
        "version-header" => messages::version_header(cell).await,
        _ => listen_or_serve(cell, act, with).await,
    }
}

async fn listen_or_serve(cell: &Cell, act: &str, with: &str) -> String {
    match act {
        "can-complete" => serving::can_complete(cell).await,
        "cancellation" => telling::cancellation(cell).await,
        "cancelled-reading" => telling::cancelled_reading(cell).await,
        "children" => serving::children(cell, with).await,
        "cursor" => serving::cursor(cell).await,
        "discover" => telling::discover(cell).await,
        "framework" => serving::framework(cell, with).await,
        "greet" => serving::call(cell).await,
        "language" => serving::language(cell).await,
        "logs" => telling::logs(cell, with == "of-a-resource").await,
        "metadata" => serving::metadata(cell, with).await,
        "nothing" => telling::nothing(cell).await,
        "of-unknown-prompt" => serving::of_unknown_prompt(cell).await,
        "other-prompts" => telling::other_prompts(cell).await,
        "other-resources" => telling::other_resources(cell).await,
        "other-tools" => telling::other_tools(cell).await,
        "ping" => telling::ping(cell).await,
        "pinned" => serving::pinned(cell, with).await,
        "progress" => telling::progress(cell).await,
        "prompts" => serving::prompts(cell).await,
        "resources" => serving::resources(cell).await,
        "structured" => serving::structured(cell).await,
        "templates" => serving::templates(cell).await,
        "tools" => serving::tools(cell).await,
        "updated" => telling::updated(cell, with).await,
        "variable" => serving::variable(cell).await,
        "wrong-arguments" => serving::wrong_arguments(cell).await,
        other => panic!("no act {other}"),
    }
}
