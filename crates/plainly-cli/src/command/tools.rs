//! `plainly tools`: the tools of a server.

use super::client::with_client;
use super::named;
use crate::args::ToolsArgs;
use crate::failure::Failure;
use crate::output::Output;

pub(crate) async fn run(mut args: ToolsArgs) -> Result<(), Failure> {
    let mut words = args.words();
    let server = args.server.server(&mut words)?;
    words.end()?;
    let mut output = Output::new(args.server.format());
    let tools = with_client(server, args.server, async |client| {
        client.tools().await.map_err(Failure::tools)
    })
    .await?;
    named::print(&tools, "DESCRIPTION", &mut output)?;
    output.flush()
}
