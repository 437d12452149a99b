//! `plainly explain --list`: the registry of error codes, or the codes of one revision for each
//! condition.

use plainly::errors::registry::{Entry, lookup, may_emit};
use plainly::errors::{Code, Dialect, ProblemCode, Revision, conditions, registry};
use serde_json::{Value, json};

use crate::explain::{Hint, problems, stands_for};
use crate::failure::Failure;
use crate::output::Output;

/// Prints every code, then every problem.
pub(super) fn all(output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        let codes = registry().iter().map(code_object);
        let mut all = codes.chain(ProblemCode::all().iter().map(problem_object));
        return all.try_for_each(|object| output.json(&object));
    }
    output.head(["CODE", "NAME", "REVISIONS", "RETRY", "MEANING"], listed)?;
    for entry in registry() {
        let (code, revisions) = (entry.code.to_string(), entry.revisions.to_string());
        let retry = entry.retry.as_str();
        output.row(
            [&code, entry.name, &revisions, retry, entry.meaning],
            listed,
        )?;
    }
    for problem in ProblemCode::all() {
        let code = problem.protocol_code().to_string();
        let retry = problem.retry().as_str();
        output.row(
            [&code, problem.as_str(), "all", retry, problem.meaning()],
            listed,
        )?;
    }
    Ok(())
}

/// The columns without the meaning, so that they fit a terminal. Scripts get all fields.
fn listed([code, name, revisions, retry, _]: [&str; 5]) -> String {
    format!("{code:<6}  {name:<31}  {revisions:<24}  {retry}")
}

/// Prints the codes that `revision` defines, and the conditions that each means there.
pub(super) fn on(revision: Revision, output: &mut Output) -> Result<(), Failure> {
    output.head(["CODE", "NAME", "HTTP", "CONDITION"], columns)?;
    for (code, name, status, condition) in written_on(revision) {
        if output.is_json() {
            output.json(&json!({
                "code": code, "name": name, "httpStatus": status, "condition": condition,
                "revision": revision.as_str(),
            }))?;
        } else {
            let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
            output.row([&code.to_string(), name, &status, condition], columns)?;
        }
    }
    Ok(())
}

type Written = (Code, &'static str, Option<u16>, &'static str);

/// The rows in the order of the registry, followed by plainly's own codes.
fn written_on(revision: Revision) -> Vec<Written> {
    let mut rows = Vec::new();
    for entry in registry().iter().filter(|it| it.defined_in(revision)) {
        let before = rows.len();
        for condition in conditions() {
            let written = Dialect::ALL.map(|dialect| condition.written(dialect, revision));
            if let Some((_, status)) = written.into_iter().flatten().find(|it| it.0 == entry.code) {
                rows.push((entry.code, entry.name, Some(status), condition.name));
            }
        }
        if rows.len() == before {
            rows.push((entry.code, entry.name, None, entry.meaning));
        }
    }
    for condition in conditions() {
        if let Some((code, status)) = condition.written(Dialect::Uniform, revision)
            && lookup(code).is_none()
        {
            rows.push((code, "-", Some(status), condition.name));
        }
    }
    rows
}

fn columns([code, name, status, condition]: [&str; 4]) -> String {
    format!("{code:<6}  {name:<31}  {status:>4}  {condition}")
}

/// A code as JSON, for scripts.
fn code_object(entry: &Entry) -> Value {
    let (code, range) = (entry.code, entry.code.range());
    let on = |is_there: &dyn Fn(Revision) -> bool| {
        let there = Revision::ALL.into_iter().filter(|it| is_there(*it));
        there.map(|it| it.as_str()).collect::<Vec<_>>()
    };
    let conditions = stands_for(code).into_iter().map(|condition| {
        let written = Revision::ALL.into_iter().filter_map(|revision| {
            let (code, status) = condition.written(Dialect::Uniform, revision)?;
            Some(json!({ "revision": revision.as_str(), "code": code, "httpStatus": status }))
        });
        json!({ "condition": condition.name, "written": written.collect::<Vec<_>>() })
    });
    json!({
        "kind": "code",
        "code": code,
        "name": entry.name,
        "meaning": entry.meaning,
        "range": { "name": range.as_str(), "bounds": range.bounds(), "policy": range.policy() },
        "definedIn": on(&|it| entry.defined_in(it)),
        "mayEmit": {
            "uniform": on(&|it| may_emit(code, it, Dialect::Uniform)),
            "perRevision": on(&|it| may_emit(code, it, Dialect::PerRevision)),
        },
        "receive": entry.receive,
        "data": entry.data,
        "httpStatus": entry.http_status(),
        "retry": entry.retry.as_str(),
        "advice": entry.advice,
        "problems": problems(code).collect::<Vec<_>>(),
        "conditions": conditions.collect::<Vec<_>>(),
        "hints": Hint::of_code(code).iter().map(Hint::json).collect::<Vec<_>>(),
        "source": entry.source,
    })
}

/// A problem as JSON, for scripts.
fn problem_object(problem: &ProblemCode) -> Value {
    json!({
        "kind": "problem",
        "name": problem.as_str(),
        "meaning": problem.meaning(),
        "category": problem.category().as_str(),
        "code": problem.protocol_code(),
        "httpStatus": problem.http_status(),
        "retry": problem.retry().as_str(),
        "advice": problem.retry().advice(),
    })
}
