//! `plainly candidates`, which the completion scripts call.

/// List what the word that is being typed can become
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct CandidatesArgs {
    /// The line up to the cursor, as it was typed
    #[arg(long, conflicts_with = "words")]
    line: Option<String>,
    /// The words after `plainly`; the last is being typed
    #[arg(last = true)]
    words: Vec<String>,
}

impl CandidatesArgs {
    /// The words after `plainly`, the last of which is incomplete and may be empty.
    pub(crate) fn words(self) -> Vec<String> {
        let Some(line) = self.line else {
            return self.words;
        };
        // A quotation mark may not be closed yet.
        let ends = ["", "'", "\""].into_iter();
        let split = ends.map(|end| shlex::split(&format!("{line}{end}")));
        let mut words = split.flatten().next().unwrap_or_default();
        if line.ends_with(char::is_whitespace) && !line.ends_with("\\ ") {
            words.push(String::new());
        }
        words.drain(..words.len().min(1));
        words
    }
}
