//! `plainly prompts`: the prompts of a server.

use super::client::with_client;
use super::named;
use crate::args::PromptsArgs;
use crate::failure::Failure;
use crate::output::Output;

pub(crate) async fn run(mut args: PromptsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let prompts = with_client(server, args.server, async |client| {
        client.prompts().await.map_err(Failure::prompts)
    })
    .await?;
    named::print(&prompts, "PURPOSE", &mut output)?;
    output.flush()
}
