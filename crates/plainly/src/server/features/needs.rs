//! The check that a server has the states that a handler takes, and that its arguments are a struct.

use super::error::BuildError;
use crate::server::extract::Needs;
use crate::server::state::States;

/// Adds to `errors` what the handler of `subject` needs and the server doesn't have.
pub(super) fn check_needs(
    subject: &str,
    needs: &Needs,
    states: &States,
    errors: &mut Vec<BuildError>,
) {
    for missing in needs
        .states
        .iter()
        .filter(|needed| !(needed.present)(states))
    {
        errors.push(BuildError::new(
            subject,
            format!(
                "takes State<{0}>, but no {0} was given to state()",
                missing.name
            ),
        ));
    }
    let Some(args) = &needs.args else { return };
    if args.get("type").and_then(|kind| kind.as_str()) != Some("object") {
        errors.push(BuildError::new(
            subject,
            "takes Args of a type that is not a JSON object: use a struct",
        ));
    }
}
