//! Tools as they are served: in order, and once each.

use std::collections::HashSet;

use super::{ServedTool, Tool, Tools};
use crate::limits::Limits;
use crate::server::features::catalogue::Catalogue;
use crate::server::features::error::BuildError;
use crate::server::state::States;

pub(in crate::server) fn build_tools(
    declared: Vec<Tool>,
    is_dynamic: bool,
    states: &States,
    limits: &Limits,
    errors: &mut Vec<BuildError>,
) -> Tools {
    let mut names = HashSet::new();
    let mut tools = Vec::new();
    for tool in declared {
        if !names.insert(tool.name().to_owned()) {
            errors.push(BuildError::twice(&format!("tool {}", tool.name())));
        }
        tools.extend(ServedTool::check(tool, states, limits, errors));
    }
    Catalogue::new(tools, is_dynamic)
}
