//! A code or a problem as JSON, for scripts.

use plainly::errors::registry::{Entry, lookup};
use plainly::errors::{Code, Condition, Dialect, ProblemCode, Revision};
use serde_json::{Value, json};

use super::{advice, emitted, receive, source};
use crate::explain::{Hint, problems, stands_for};

/// All about a number, on one revision or on all.
pub(super) fn object(code: Code, revision: Option<Revision>) -> Value {
    let (range, entry) = (code.range(), lookup(code));
    let revisions = revision.map_or_else(|| Revision::ALL.to_vec(), |only| vec![only]);
    let defined = |it: &&Revision| entry.is_some_and(|entry| entry.defined_in(**it));
    json!({
        "kind": "code",
        "code": code,
        "name": entry.map(|it| it.name),
        "meaning": entry.map(|it| it.meaning),
        "range": { "name": range.as_str(), "bounds": range.bounds(), "policy": range.policy() },
        "definedIn": revisions.iter().filter(defined).map(|it| it.as_str()).collect::<Vec<_>>(),
        "mayEmit": {
            "uniform": emitted(code, &revisions, Dialect::Uniform),
            "perRevision": emitted(code, &revisions, Dialect::PerRevision),
        },
        "receive": receive(code),
        "data": entry.map(|it| it.data),
        "httpStatus": entry.map(Entry::http_status),
        "retry": entry.map(|it| it.retry.as_str()),
        "advice": advice(code),
        "problems": problems(code).collect::<Vec<_>>(),
        "conditions": stands_for(code).iter().map(|it| condition_object(it, &revisions)).collect::<Vec<_>>(),
        "hints": Hint::of_code(code).iter().map(Hint::json).collect::<Vec<_>>(),
        "source": source(code),
    })
}

fn condition_object(condition: &Condition, revisions: &[Revision]) -> Value {
    let written = revisions.iter().filter_map(|revision| {
        let (code, status) = condition.written(Dialect::Uniform, *revision)?;
        Some(json!({ "revision": revision.as_str(), "code": code, "httpStatus": status }))
    });
    json!({ "condition": condition.name, "written": written.collect::<Vec<_>>() })
}

/// All about a problem.
pub(super) fn problem_object(problem: &ProblemCode) -> Value {
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
