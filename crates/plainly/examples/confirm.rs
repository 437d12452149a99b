//! Asks the user before it deletes. The question is written once: newer clients get it in the reply
//! to their call and call again with the answer, older clients get a request, and a client that
//! can't ask its user gets an error that says so.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plainly::errors::Problem;
use plainly::protocol::types::{BooleanField, ElicitFormParams};
use plainly::server::BuildErrors;
use plainly::{Args, Ask, Failure, Server, State, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

/// The names of files.
#[derive(Clone, Debug)]
struct Files(Arc<Mutex<BTreeSet<String>>>);

impl Files {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// The name of the file.
    name: String,
}

/// The form for the user.
#[derive(Deserialize)]
struct Confirmation {
    delete: bool,
}

async fn delete(
    ask: Ask,
    State(files): State<Files>,
    Args(Delete { name }): Args<Delete>,
) -> Result<String, Failure> {
    // The handler only reads before the question, because it may run more than once for one call.
    if !files.lock().contains(&name) {
        let known: Vec<_> = files.lock().iter().cloned().collect();
        let hint = format!("Known files: {}", known.join(", "));
        return Err(Problem::not_found("file", &name).suggest(hint).into());
    }
    let form = ElicitFormParams::new(format!("Delete {name} for good?"))
        .field("delete", BooleanField::new().title("Delete it"));
    match ask.elicit("confirm", form).await?.accepted()? {
        Some(Confirmation { delete: true }) => {
            files.lock().remove(&name);
            Ok(format!("{name} is gone."))
        }
        Some(_) | None => Ok(format!("The user wants to keep {name}.")),
    }
}

async fn list(State(files): State<Files>) -> String {
    let names: Vec<_> = files.lock().iter().cloned().collect();
    names.join("\n")
}

/// Builds the server, which is the same for every client.
pub(crate) fn server() -> Result<Server, BuildErrors> {
    let names = ["draft.md", "letter.md", "will.md"];
    Server::builder("files", env!("CARGO_PKG_VERSION"))
        .state(Files(Arc::new(Mutex::new(names.map(str::to_owned).into()))))
        .tool(
            Tool::new("list", list)
                .description("Names all files")
                .read_only(),
        )
        .tool(Tool::new("delete", delete).description("Deletes a file, once the user agrees"))
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Ok(server()?.serve_stdio().await?)
}
