//! Options that write the content of results to files.

use std::path::PathBuf;

/// Places for content other than text.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SaveArgs {
    /// Write only the first image, audio or binary resource, or the text if there is none, to this file; - is standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Write each image, audio and resource to a file in this directory, and print their names; no file is replaced
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "output"])]
    pub(crate) save: Option<PathBuf>,
}
