//! Explanations of errors with a code, and of problems, from the library's tables.

use plainly::errors::habit::{AnsweredRequest, Certainty};
use plainly::errors::registry::{lookup, named};
use plainly::errors::revision::Revisions;
use plainly::errors::{
    Code, CodeRange, Condition, Dialect, ErrorKind, Mistake, Problem, ProblemCode, Problems,
    ProtocolError, Revision, WireError, conditions,
};

use serde::Deserialize;
use serde_json::Value;

use super::link::Link;
use super::{Explanation, Hint, for_answer};

/// The most mistakes that are listed.
const MOST: usize = 100;

/// The explanation of a received error object.
pub(super) fn error(wire: &WireError, revision: Option<Revision>) -> Explanation {
    let error = likeliest(wire);
    let message = Some(wire.message.trim()).filter(|message| !message.is_empty());
    let condition = error.condition();
    let mut explained = Explanation {
        code: Some(wire.code),
        message: message.map(str::to_owned),
        revision: Some(revisions(wire.code, condition.as_slice(), revision)),
        fault: error.fault(),
        advice: for_answer(&error),
        retry: error.retry(),
        wait: error.retry_after(),
        mistakes: match error.problems() {
            Some(problems) => each(&problems),
            None => mistakes(wire.data.as_ref()),
        },
        hints: Hint::all_of(wire, None),
        link: Link::to_error(&error, wire.code),
        ..Explanation::new("error", title(&error, wire.code), means(&error, wire.code))
    };
    if error.certainty() == Certainty::Certain {
        // A certain meaning needs no hint with the same text.
        let means = explained.means.clone();
        explained.hints.retain(|hint| !hint.says(&means));
    }
    let is_unread = matches!(error.kind(), ErrorKind::Unrecognised { .. });
    let needed = lookup(wire.code).map(|entry| entry.data);
    if let Some(data) = needed.filter(|data| is_unread && data.starts_with('{')) {
        explained.breaks(format!("its data is not what the code requires: {data}"));
    }
    out_of_range(&mut explained, wire.code);
    explained
}

/// The certain meaning of the error, or else the most likely one, for a method that its sender is
/// known to send it for.
fn likeliest(wire: &WireError) -> ProtocolError {
    let Some(habit) = wire.habits(None).next() else {
        return wire.recognise();
    };
    let mut wire = wire.clone();
    // Some habits only apply to one HTTP status, which is not in the message.
    wire.http_status = habit.http_status.unwrap_or(wire.http_status);
    let asked = AnsweredRequest {
        method: habit.methods.first().copied().unwrap_or_default(),
        subject: None,
    };
    wire.recognise_as(asked, Certainty::Likely)
}

/// A code alone, without other facts.
pub(super) fn number(code: Code, revision: Option<Revision>) -> Explanation {
    let blank = error(&WireError::received(code, "", None), revision);
    let blank = Explanation {
        hints: Hint::of_code(code),
        ..blank
    };
    let Some(entry) = lookup(code) else {
        let problems: Vec<_> = problems(code).collect();
        let negative = code.get().checked_neg().map(Code::new);
        return match (problems.is_empty(), negative.and_then(lookup)) {
            (true, Some(entry)) => Explanation {
                means: format!("{}; with a minus, it is {}", blank.means, named(entry.code)),
                ..blank
            },
            (true, None) => blank,
            (false, _) => Explanation {
                means: format!(
                    "{}; as the number of a problem, {}",
                    blank.means,
                    problems.join(", ")
                ),
                ..blank
            },
        };
    };
    let stands_for = stands_for(code);
    // The code may have one of several meanings, which only the rest of the error would determine.
    let alone = stands_for.as_slice();
    let conditions = if alone.len() == 1 { alone } else { &[] };
    Explanation {
        revision: Some(revisions(code, conditions, revision)),
        advice: entry.advice.to_owned(),
        retry: entry.retry,
        link: Link::to_code(code),
        irregular: Vec::new(),
        ..Explanation {
            means: entry.meaning.to_owned(),
            ..blank
        }
    }
}

/// The name of a problem, without other facts.
pub(super) fn problem_code(code: &ProblemCode) -> Explanation {
    Explanation {
        code: Some(code.protocol_code()),
        fault: code.fault(),
        advice: code.retry().advice().to_owned(),
        retry: code.retry(),
        link: Link::to_problem(code),
        ..Explanation::new("problem", code.as_str(), sentence(code.meaning()))
    }
}

/// A problem with its text and hints.
pub(super) fn problem(problem: &Problem) -> Explanation {
    let error = problem.to_protocol_error();
    Explanation {
        code: None,
        message: Some(problem.text().into_owned()),
        advice: for_answer(&error),
        retry: error.retry(),
        wait: error.retry_after(),
        mistakes: listed(problem.details().get("problems")),
        ..problem_code(problem.code())
    }
}

/// Each of several problems, with its own text.
pub(super) fn each(problems: &Problems) -> Vec<Mistake> {
    let texts = problems
        .iter()
        .map(|problem| Mistake::new("", problem.text()));
    texts.take(MOST).collect()
}

/// The mistakes in the data of the error, each with its place.
pub(super) fn mistakes(data: Option<&Value>) -> Vec<Mistake> {
    let lists = ["/problems", "/details/problems"];
    let found = lists.into_iter().find_map(|list| data?.pointer(list));
    listed(found)
}

fn listed(list: Option<&Value>) -> Vec<Mistake> {
    let all = list.and_then(Value::as_array).into_iter().flatten();
    let read = all.filter_map(|one| Mistake::deserialize(one).ok());
    read.take(MOST).collect()
}

/// The name of the error, as specific as possible.
fn title(error: &ProtocolError, code: Code) -> String {
    match error.problem() {
        Some(problem) => format!("{} ({})", problem.code(), named(code)),
        None => named(code),
    }
}

fn means(error: &ProtocolError, code: Code) -> String {
    let means = match (error.problem(), error.condition(), lookup(code)) {
        (Some(problem), ..) => sentence(problem.code().meaning()),
        (None, Some(condition), _) => condition.name.to_owned(),
        (None, None, Some(entry)) => entry.meaning.to_owned(),
        (None, None, None) if code.range() == CodeRange::Application => {
            "an error of the application's own, which only its documentation explains".to_owned()
        }
        (None, None, None) => "nothing that any revision defines".to_owned(),
    };
    match error.certainty() {
        Certainty::Certain => means,
        Certainty::Likely => format!("most likely, {means}"),
    }
}

/// Adds a rule if the sender was not allowed to use this code.
fn out_of_range(explained: &mut Explanation, code: Code) {
    let range = code.range();
    if lookup(code).is_none() && range != CodeRange::Application {
        explained.breaks(format!(
            "its code is in a range that applications must not use: {}",
            range.bounds()
        ));
    }
}

/// The revisions that have the code, or whether the requested one has it, and the codes that other
/// revisions use instead.
fn revisions(code: Code, conditions: &[&Condition], revision: Option<Revision>) -> String {
    let has = match (lookup(code), code.range()) {
        (Some(entry), _) => entry.revisions,
        (None, CodeRange::Application) => Revisions::ALL,
        (None, _) => Revisions::NONE,
    };
    let is_free = lookup(code).is_none() && code.range() == CodeRange::Application;
    let here = match revision {
        _ if is_free => "on every revision, applications may choose this code".to_owned(),
        Some(one) if has.has(one) => format!("{one} has this code"),
        Some(one) => format!("{one} does not have this code"),
        None if has == Revisions::NONE => "no released revision has this code".to_owned(),
        None => format!("{has} have this code"),
    };
    let elsewhere = conditions
        .iter()
        .flat_map(|condition| written_elsewhere(condition, code, revision));
    let all: Vec<_> = [here].into_iter().chain(elsewhere).collect();
    all.join("; ")
}

/// The other codes of a condition, each once: in the requested revision, or in all.
fn written_elsewhere(condition: &Condition, code: Code, revision: Option<Revision>) -> Vec<String> {
    let written = |revision| Some(condition.written(Dialect::Uniform, revision)?.0);
    let asked = revision.map_or(Revision::ALL.to_vec(), |one| vec![one]);
    let mut others: Vec<Code> = asked.into_iter().filter_map(written).collect();
    others.retain(|other| *other != code);
    others.dedup();
    let told = others.into_iter().map(|other| {
        let on = match revision {
            Some(_) => "there".to_owned(),
            None => Revisions::filter(|it| written(it) == Some(other)).to_string(),
        };
        format!("{on}, plainly writes it as {}", named(other))
    });
    told.collect()
}

/// The problems that have this code.
pub(crate) fn problems(code: Code) -> impl Iterator<Item = &'static str> {
    ProblemCode::all()
        .iter()
        .filter(move |problem| problem.protocol_code() == code)
        .map(ProblemCode::as_str)
}

/// The conditions that a code means in some revision.
pub(crate) fn stands_for(code: Code) -> Vec<&'static Condition> {
    let is_written_with = |condition: &&Condition| {
        let cells = Revision::ALL
            .into_iter()
            .flat_map(|revision| Dialect::ALL.map(|dialect| condition.written(dialect, revision)));
        cells.flatten().any(|(written, _)| written == code)
    };
    conditions().iter().filter(is_written_with).collect()
}

/// A sentence, in the form of a part of another sentence.
fn sentence(text: &str) -> String {
    let text = text.trim_end_matches('.');
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
