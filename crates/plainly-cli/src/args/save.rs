//! Where the files go that tools and prompts answer with.

use std::path::PathBuf;

/// Where what is not text goes.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SaveArgs {
    /// Write only the first image, audio or binary resource, or the text if there is none, to this file; - is standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Write each image, audio and resource to a file in this directory, and print their names; no file is replaced
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "output"])]
    pub(crate) save: Option<PathBuf>,
}
