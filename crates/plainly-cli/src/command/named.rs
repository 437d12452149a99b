//! What a server has by name, listed: as a table for people, as fields for scripts, or as the specification's objects.

use anstyle::Style;
use plainly::protocol::types::{Prompt, Tool};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::Output;
use crate::visible::visible;

/// Something that a server has, by its name.
pub(super) trait Named: Serialize {
    fn name(&self) -> &str;
    fn title(&self) -> Option<&str>;
    fn description(&self) -> Option<&str>;
}

impl Named for Tool {
    fn name(&self) -> &str {
        &self.name
    }
    fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }
    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl Named for Prompt {
    fn name(&self) -> &str {
        &self.name
    }
    fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }
    fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

/// Prints all of `listed`; over a table, `about` stands over what each is.
pub(super) fn print(
    listed: &[impl Named],
    about: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.is_table() && !listed.is_empty() {
        output.styled(Style::new().bold(), &columns("NAME", about))?;
    }
    for one in listed {
        let (name, about) = (one.name(), line(one));
        if output.is_json() {
            output.json(one)?;
        } else if output.is_table() {
            output.styled(Style::new(), &columns(&visible(name), &visible(about)))?;
        } else {
            output.fields(&[name, about])?;
        }
    }
    Ok(())
}

/// What it is, in one line: the first of its description, or else its title.
fn line(one: &impl Named) -> &str {
    let mut lines = one.description().unwrap_or_default().lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty());
    first.or(one.title()).unwrap_or("-")
}

fn columns(name: &str, about: &str) -> String {
    format!("{name:<24}  {about}")
}
