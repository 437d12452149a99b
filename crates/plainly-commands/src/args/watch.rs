//! `plainly watch`.

use super::{ServerArgs, Words, usage};

/// Print changes as they happen, until interrupted
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("watch", "[URI]..."),
    after_help = "\
Examples:
  plainly watch http://127.0.0.1:3333/mcp file:///docs/intro.md
  plainly watch http://127.0.0.1:3333/mcp file:///docs          a collection: any change in it
  plainly watch http://127.0.0.1:3333/mcp file:///docs --recursive    and in all below it
  plainly watch http://127.0.0.1:3333/mcp                       the lists of resources, tools, prompts
  plainly watch http://127.0.0.1:3333/mcp file:///docs --json | while read -r change; do make; done
  plainly watch file:///docs/intro.md -- plainly serve ./docs --stdio

Each change is one line:
  updated URI       the resource has changed or is gone
  listing changed   the list of resources has changed
  tools changed     the list of tools has changed
  prompts changed   the list of prompts has changed
  missed changes    some changes were lost: look at everything again

With --json each is an object: {\"change\": \"updated\", \"uri\": URI}, or {\"change\": \
\"listing\"}, \"tools\", \"prompts\" or \"missed\". Several changes in quick succession are \
reported once. A resource that doesn't exist yet, or whose changes the server doesn't report, \
causes a warning. It is an error if the server reports no changes at all, or ends the \
subscription. If the connection to a URL is lost, it is opened again, and a line reports that \
changes were missed."
)]
pub(crate) struct WatchArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The resources to watch [default: only the lists of resources, tools and prompts]
    #[arg(value_name = "URI")]
    uris: Vec<String>,
    /// Watch all that is below the collections too, at any depth
    #[arg(long)]
    pub(crate) recursive: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl WatchArgs {
    pub(crate) fn words(&mut self) -> Words {
        let uris = self.uris.drain(..);
        Words::new("watch", self.target.take().into_iter().chain(uris))
    }
}
