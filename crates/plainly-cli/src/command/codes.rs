//! `plainly codes`: the registry of error codes for people, or as JSON. All that it says stands in the library's tables.

mod object;

use plainly::errors::registry::{Entry, lookup, may_emit};
use plainly::errors::{Code, Dialect, ProblemCode, Revision, conditions, registry};
use serde_json::json;

use self::object::{object, problem_object};
use crate::args::CodesArgs;
use crate::explain::{Coded, Hint, problems, stands_for};
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run(args: &CodesArgs) -> Result<(), Failure> {
    let mut output = Output::new(args.format());
    match (&args.code, args.revision) {
        (Some(Coded::Number(code)), revision) => explain(*code, revision, &mut output)?,
        (Some(Coded::Named(entries, problems)), revision) => {
            for entry in entries {
                explain(entry.code, revision, &mut output)?;
            }
            for (at, problem) in problems.iter().enumerate() {
                if !output.is_json() && at + entries.len() > 0 {
                    output.write(b"\n")?;
                }
                explain_problem(problem, &mut output)?;
            }
        }
        (None, Some(revision)) => list_revision(revision, &mut output)?,
        (None, None) => list(&mut output)?,
    }
    output.flush()
}

/// Every code, then every problem.
fn list(output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        for entry in registry() {
            output.json(&object(entry.code, None))?;
        }
        return ProblemCode::all()
            .iter()
            .try_for_each(|problem| output.json(&problem_object(problem)));
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
        let (code, retry) = (
            problem.protocol_code().to_string(),
            problem.retry().as_str(),
        );
        output.row(
            [&code, problem.as_str(), "all", retry, problem.meaning()],
            listed,
        )?;
    }
    Ok(())
}

/// Columns without the meaning, so that they fit a terminal; a script gets all fields.
fn listed([code, name, revisions, retry, _]: [&str; 5]) -> String {
    format!("{code:<6}  {name:<31}  {revisions:<24}  {retry}")
}

/// Lists the codes that `revision` defines, and the conditions that each stands for there.
fn list_revision(revision: Revision, output: &mut Output) -> Result<(), Failure> {
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

/// By code, in the registry's order, then the codes that are ours.
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

/// All about one number, whether somebody defined it or not.
fn explain(code: Code, revision: Option<Revision>, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&object(code, revision));
    }
    let range = code.range();
    let entry = lookup(code);
    output.facts([
        ("code", Some(code.to_string())),
        ("name", entry.map(|it| it.name.to_owned())),
        ("meaning", entry.map(|it| it.meaning.to_owned())),
        (
            "range",
            Some(format!("{range}, {}: {}", range.bounds(), range.policy())),
        ),
        ("revisions", entry.map(|it| it.revisions.to_string())),
        ("sent", Some(sent(code))),
        ("received", Some(receive(code).to_owned())),
        ("data", entry.map(|it| it.data.to_owned())),
        ("http status", entry.map(Entry::http_status)),
        ("retry", entry.map(|it| it.retry.to_string())),
        ("advice", Some(advice(code).to_owned())),
        ("problems", joined(problems(code))),
        (
            "stands for",
            joined(stands_for(code).iter().map(|it| it.name)),
        ),
        ("source", Some(source(code).to_owned())),
    ])?;
    for hint in Hint::of_code(code) {
        output.labelled("hint", &hint.to_string())?;
    }
    match revision {
        Some(revision) => explain_on(code, revision, output),
        None => Ok(()),
    }
}

/// Explains the code, or what it stands for elsewhere, on one revision.
fn explain_on(code: Code, revision: Revision, output: &mut Output) -> Result<(), Failure> {
    let verdict = match lookup(code) {
        Some(entry) if entry.defined_in(revision) => "defined",
        Some(_) | None => "not defined",
    };
    output.labelled(revision.as_str(), verdict)?;
    for condition in stands_for(code) {
        let [uniform, pinned] = Dialect::ALL.map(|dialect| condition.written(dialect, revision));
        if let Some((code, status)) = uniform {
            let line = format!("{code}, HTTP {status}: {}", condition.name);
            output.labelled("", &line)?;
        }
        if let Some((code, status)) = pinned.filter(|_| pinned != uniform) {
            let line = format!(
                "{code}, HTTP {status}, only where pinned for old clients: {}",
                condition.name
            );
            output.labelled("", &line)?;
        }
    }
    Ok(())
}

fn explain_problem(problem: &ProblemCode, output: &mut Output) -> Result<(), Failure> {
    if output.is_json() {
        return output.json(&problem_object(problem));
    }
    let written = format!(
        "{} with data.code {problem}, on every revision; as an object in a tool's result",
        problem.protocol_code()
    );
    let lines = [
        ("problem", problem.to_string()),
        ("meaning", problem.meaning().to_owned()),
        ("category", problem.category().to_string()),
        ("written as", written),
        (
            "http status",
            format!(
                "{}, for an HTTP API; not the status of the MCP reply",
                problem.http_status()
            ),
        ),
        ("retry", problem.retry().to_string()),
        ("advice", problem.retry().advice().to_owned()),
    ];
    lines
        .iter()
        .try_for_each(|(label, value)| output.labelled(label, value))
}

/// On which revisions policy lets a code be sent.
fn sent(code: Code) -> String {
    let [uniform, pinned] = Dialect::ALL.map(|dialect| emitted(code, &Revision::ALL, dialect));
    match (uniform.len(), pinned.is_empty()) {
        (_, true) => "never".to_owned(),
        (0, false) => format!(
            "on {}, only where pinned for old clients",
            pinned.join(", ")
        ),
        (all, false) if all == Revision::ALL.len() => "on every revision".to_owned(),
        (_, false) => format!("on {}", uniform.join(", ")),
    }
}

/// The revisions of these on which `dialect` may send a code.
fn emitted(code: Code, revisions: &[Revision], dialect: Dialect) -> Vec<&'static str> {
    let may = revisions.iter().filter(|it| may_emit(code, **it, dialect));
    may.map(|it| it.as_str()).collect()
}

fn receive(code: Code) -> &'static str {
    lookup(code).map_or(code.range().receive(), |entry| entry.receive)
}

fn advice(code: Code) -> &'static str {
    lookup(code).map_or(code.range().advice(), |entry| entry.advice)
}

fn source(code: Code) -> &'static str {
    lookup(code).map_or(code.range().source(), |entry| entry.source)
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<_> = names.collect();
    (!names.is_empty()).then(|| names.join("; "))
}
