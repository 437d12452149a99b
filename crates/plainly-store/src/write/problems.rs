//! Explains to a model why a change was not made, and what to do next.

use std::borrow::Cow;
use std::time::Duration;

use plainly_errors::problem::ProblemCode;
use plainly_errors::{Problem, ProblemBag};
use plainly_protocol::part::Part;
use plainly_protocol::types::Resource;
use plainly_server::store::{Store, StoreError, WriteError};
use plainly_server::{AskError, Failure};

use crate::edits::{EditFault, EditProblem};
use crate::{StoreView, formats, problems};

/// The problem to report when a change of `uri` fails with `error`.
pub(super) async fn of<S: Store>(source: &StoreView<S>, uri: &str, error: WriteError) -> Problem {
    match error {
        WriteError::Changed { tag } => match source.store.metadata(uri).await {
            Err(StoreError::NotFound) => absent(uri),
            Ok(_) | Err(_) => changed(uri, tag.as_deref()),
        },
        WriteError::Exists => Problem::already_exists("resource", uri)
            .suggest("Use another name, or leave out create_only to replace it; with if_tag only if it is as you read it."),
        WriteError::NotEmpty => {
            Problem::new(ProblemCode::EntityInUse, format!("{uri} is not empty."))
                .suggest("Set recursive to delete it with everything in it.")
        }
        WriteError::Permanent { why } => not_confirmed(&format!("Change {uri}"))
            .detail("reason", why),
        WriteError::Denied { why } => denied(uri, &why),
        WriteError::Full { why } => {
            Problem::new(ProblemCode::PayloadTooLarge, format!("There is no room for it: {why}."))
                .suggest("Write less, or ask the operator of the server for room.")
        }
        WriteError::Unsupported { what } => {
            Problem::operation_failed(format!("This store can't {what}."))
                .suggest("Do without it.")
        }
        WriteError::Unknown(cause) => {
            tracing::error!(uri, error = %cause, "a change failed, and may have happened");
            Problem::internal("The change failed, and may have happened all the same.")
                .suggest("Look at the resource before you try again.")
                .with_source(cause)
        }
        WriteError::Store(StoreError::Failed(cause)) => {
            tracing::error!(uri, error = %cause, "a tool could not change the store");
            Problem::internal("The resource could not be changed.").with_source(cause)
        }
        WriteError::Store(StoreError::Overloaded) => {
            Problem::service_unavailable("resources").suggest("Too much is being done at once: try again.")
        }
        WriteError::Store(error) => problems::of(source, uri, error).await,
        other => Problem::internal("The resource could not be changed.").with_source(other),
    }
}

/// The problem of a change that no caller may make.
pub(super) fn denied(what: &str, why: &str) -> Problem {
    Problem::access_denied("write", format!("{what}: {why}.").as_str())
        .suggest("Use another place; this one stays as it is.")
}

/// The problem of a content whose tag is not the expected one.
pub(super) fn changed(uri: &str, tag: Option<&str>) -> Problem {
    let why = match tag {
        Some(tag) => format!("{uri} was changed meanwhile; its tag is {tag} now."),
        None => format!("{uri} was changed meanwhile."),
    };
    let problem = Problem::validation("if_tag", why)
        .suggest("Read it again, and make the change to what it is now.");
    match tag {
        Some(tag) => problem.detail("tag", tag),
        None => problem,
    }
}

/// The problem of an expected tag where nothing exists.
fn absent(uri: &str) -> Problem {
    Problem::validation("if_tag", format!("{uri} does not exist."))
        .suggest("Leave out if_tag if you mean to create it.")
}

/// The problem of a resource that others keep changing.
pub(super) fn contended(uri: &str) -> Problem {
    let message = format!("{uri} is being changed by others again and again.");
    Problem::new(ProblemCode::EntityInUse, message).suggest("Try again.")
}

/// The problem of a call with both conditions.
pub(super) fn one_condition() -> Problem {
    Problem::validation("create_only", "if_tag is for a resource that exists.")
        .suggest("Use one of them.")
}

/// The problem of an argument that names a directory instead of a file.
pub(super) fn names_a_directory(field: &str, written: &str) -> Problem {
    Problem::validation(
        field,
        format!("{written} ends with a slash, so it is a directory."),
    )
    .suggest("Give the whole path of the file, with its name.")
}

/// The problem of a move to a URI that exists.
pub(super) fn in_the_way(to: &str) -> Problem {
    Problem::already_exists("resource", to).suggest("Use another name, or delete it first.")
}

/// The problem of text for a resource that is not text.
pub(super) fn no_text(uri: &str) -> Problem {
    let message = format!("{uri} is a document, picture or the like, which text would destroy.");
    Problem::new(ProblemCode::InvalidFileType, message).suggest("Write the text as a new resource.")
}

/// The problem of text under a name that only other files have.
pub(super) fn wrong_ending(uri: &str) -> Problem {
    let message =
        format!("{uri} has the name of a document, picture or the like, which text is not.");
    Problem::new(ProblemCode::InvalidFileType, message)
        .suggest("Write the text as a new resource with another ending, such as .md.")
}

/// The problem of appending text to a resource in another encoding.
pub(super) fn other_encoding(uri: &str) -> Problem {
    let message = format!("{uri} is not text in UTF-8, so none can be appended to it.");
    Problem::new(ProblemCode::InvalidFileType, message)
        .suggest("Write the whole text, which is UTF-8 then, or a new resource.")
}

/// The problem of text for a notebook that is not a notebook.
pub(super) fn no_notebook(uri: &str) -> Problem {
    let message =
        format!("{uri} is a notebook, which must stay JSON, though it is read as Markdown.");
    Problem::new(ProblemCode::InvalidFileType, message)
        .suggest("Write the whole notebook as JSON, or the text as a new resource.")
}

/// The problem of a content that is too large to be written.
pub(super) fn too_large(uri: &str, size: usize, limit: usize) -> Problem {
    let message = format!("{uri} would get {size} bytes at once, and the limit is {limit}.");
    Problem::new(ProblemCode::PayloadTooLarge, message)
        .suggest("Write it in parts, the later ones with append.")
        .detail("size", size)
        .detail("limit", limit)
}

/// The problem of a resource that is too large to be edited.
pub(super) fn too_large_to_edit(uri: &str, size: u64, limit: usize) -> Problem {
    let message = format!("{uri} has {size} bytes, and the limit for edits is {limit}.");
    Problem::new(ProblemCode::PayloadTooLarge, message)
        .suggest("These tools can only append to it.")
        .detail("size", size)
        .detail("limit", limit)
}

/// The problem of a caller that made too many changes.
pub(super) fn too_often(left: Duration) -> Problem {
    Problem::rate_limited("writes", left)
}

/// The problem of a change that the user declined.
pub(super) fn declined(action: &str) -> Problem {
    Problem::access_denied(action, "The user declined.")
        .suggest("Do without it, unless the user asks for it.")
}

/// The problem of a change when the user could not be asked.
pub(super) fn not_asked(action: &str, why: Option<&str>, error: AskError) -> Problem {
    let problem = not_confirmed(action).with_source(error);
    match why {
        Some(why) => problem.detail("reason", why),
        None => problem,
    }
}

fn not_confirmed(action: &str) -> Problem {
    Problem::confirmation_required(action).suggest(
        "The user must agree, and could not be asked: this host may not support elicitation. Ask the user to do it, or do without it.",
    )
}

/// The problem of an edit after which a text would no longer be JSON.
pub(super) fn no_json(uri: &str) -> Problem {
    Problem::validation("edits", format!("{uri} would no longer be JSON.")).suggest(format!(
        "Read the JSON as {}, and escape line ends and quotes as they are there.",
        ALL.uri(uri)
    ))
}

/// The part with which the tools read a whole text unconverted.
const ALL: Part = Part::Bytes {
    first: 0,
    end: None,
};

/// The problems of edits that can't be applied to this resource.
pub(super) fn of_edits(found: Vec<EditProblem>, resource: &Resource) -> Failure {
    let is_for_programs = formats::is_for_programs(resource.mime_type.as_deref());
    let unseen = is_for_programs.then(|| {
        let all = ALL.uri(&resource.uri);
        format!("Edits apply to its own format: copy `old` from the text of {all}.")
    });
    let mut bag = ProblemBag::new();
    for EditProblem { edit, fault } in found {
        let field = edit.map_or_else(|| "edits".to_owned(), |edit| format!("edits[{edit}]"));
        let problem = match fault {
            EditFault::NotUtf8 => {
                let message = format!("{} is not text in UTF-8.", resource.uri);
                Problem::new(ProblemCode::InvalidFileType, message)
            }
            EditFault::TooLarge { .. } => {
                Problem::new(ProblemCode::PayloadTooLarge, format!("{fault}."))
            }
            EditFault::Empty
            | EditFault::Same { .. }
            | EditFault::Missing { .. }
            | EditFault::Several { .. }
            | EditFault::Overlaps { .. }
            | EditFault::TooManyLines { .. }
            | EditFault::TooManyPlaces { .. } => Problem::validation(field, format!("{fault}.")),
        };
        let advice = match (&fault, &unseen) {
            (EditFault::Missing { .. }, Some(unseen)) => unseen.clone().into(),
            _ => Cow::Borrowed(fault.advice()),
        };
        bag.add(problem.suggest(advice));
    }
    match bag.into_result() {
        Err(problems) => problems.into(),
        Ok(()) => Problem::internal("The edits could not be made.").into(),
    }
}
