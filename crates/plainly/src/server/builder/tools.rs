//! Tools as they are served: named rightly, once each, with schemas that are ones.

use std::collections::HashSet;

use super::{BuildError, check_needs};
use crate::schema::Schema;
use crate::server::state::States;
use crate::server::tools::{LONGEST_NAME, Tool, Tools};

pub(super) fn build_tools(
    declared: Vec<Tool>,
    states: &States,
    errors: &mut Vec<BuildError>,
) -> Tools {
    let mut tools = Tools::default();
    let mut names = HashSet::new();
    for tool in declared {
        let subject = format!("tool {}", tool.name());
        if !is_tool_name(tool.name()) {
            errors.push(BuildError::new(
                &subject,
                "needs a name of 1 to 128 of A-Z a-z 0-9 _ - . /",
            ));
        }
        if !names.insert(tool.name().to_owned()) {
            errors.push(BuildError::new(&subject, "is there twice"));
        }
        check_needs(&subject, tool.needs(), states, errors);
        let mut compile = |schema, which| {
            Schema::compile(schema).map_err(|why| {
                errors.push(BuildError::new(
                    &subject,
                    format!("has an {which} schema that is invalid: {why}"),
                ));
            })
        };
        let input = compile(tool.input(), "input");
        let output = tool
            .output()
            .map(|schema| compile(schema, "output"))
            .transpose();
        if let (Ok(input), Ok(output)) = (input, output) {
            tools.add(tool, input, output);
        }
    }
    tools
}

/// SEP-986.
fn is_tool_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(allowed)
}
