//! The page that npm and PyPI show.

use std::fmt::Write;
use std::fs;

use super::facts::{Facts, one_line};
use crate::args::PackageArgs;

/// The user's page, if an option names one.
pub(super) fn given(args: &PackageArgs, mistakes: &mut Vec<String>) -> Option<String> {
    let path = args.readme.as_ref()?;
    match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) => {
            mistakes.push(format!("{} cannot be read: {error}", path.display()));
            None
        }
    }
}

/// A page with the description and the tools of the server.
pub(super) fn written(facts: &Facts) -> String {
    let mut page = format!("# {}\n\n{}\n", facts.title, facts.description);
    if !facts.tools.is_empty() {
        page.push_str("\n## Tools\n\n");
    }
    for tool in &facts.tools {
        let about = tool.description.as_deref().unwrap_or_default();
        let about = about.lines().map(one_line).find(|line| !line.is_empty());
        let about = about.map(|line| format!(": {line}")).unwrap_or_default();
        // Writing to a string can't fail.
        let _ = writeln!(page, "- `{}`{about}", one_line(&tool.name));
    }
    page
}
