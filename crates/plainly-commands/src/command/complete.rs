//! `plainly complete`: the values that an argument can have.

use plainly::protocol::types::{Arguments, CompleteParams, Completion, Reference};

use crate::args::CompleteArgs;
use crate::connection::with_client;
use crate::failure::{Failure, Subject};
use crate::output::Output;

pub(crate) async fn run(mut args: CompleteArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    let reference = reference(words.take("OF")?);
    let argument = words.take("ARGUMENT")?;
    let text = words.next().unwrap_or_default();
    words.end()?;
    let mut params = CompleteParams::new(reference, argument, text);
    if !args.given.is_empty() {
        params = params.arguments(Arguments::from_iter(args.given));
    }
    let mut output = Output::new(args.server.format());
    let completion = with_client(server, args.server, async |client| {
        let completion = client.complete(&params).await;
        completion.map_err(Failure::about(Subject::Completion))
    })
    .await?;
    match output.is_json() {
        true => output.json(&completion)?,
        false => print(&completion, &mut output)?,
    }
    output.flush()
}

/// A reference to a template or a prompt. Templates contain variables or a scheme; prompts have
/// names.
fn reference(of: String) -> Reference {
    match of.contains('{') || of.contains("://") {
        true => Reference::resource(of),
        false => Reference::prompt(of),
    }
}

fn print(completion: &Completion, output: &mut Output) -> Result<(), Failure> {
    for value in &completion.values {
        output.fields(&[value])?;
    }
    if completion.has_more == Some(true) {
        tracing::warn!("there are more: give the start of the text");
    }
    Ok(())
}
