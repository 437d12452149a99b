//! The checks of templates and stores before anything is served.

use std::collections::HashSet;

use plainly_protocol::uri_template::{Matcher, UriTemplate};
use serde_json::Value;

use super::{ResourceTemplate, ServedTemplate};
use crate::features::completion::{Completer, Completers};
use crate::features::error::{BuildError, check_needs};
use crate::state::States;
use crate::store::{Store as _, Stores};

/// Checks that no two stores have the same root, because the second would never be used.
pub(in crate::features) fn check_stores(stores: &Stores, errors: &mut Vec<BuildError>) {
    let mut known = HashSet::new();
    for root in stores.roots() {
        if !known.insert(root.clone()) {
            errors.push(BuildError::new(
                &format!("store of {root}"),
                "is added twice",
            ));
        }
    }
}

pub(in crate::features) fn check_templates(
    declared: Vec<ResourceTemplate>,
    states: &States,
    errors: &mut Vec<BuildError>,
) -> Vec<ServedTemplate> {
    let mut served: Vec<ServedTemplate> = Vec::new();
    for mut template in declared {
        let text = template.uri_template().to_owned();
        let subject = format!("resource template {text}");
        check_needs(&subject, template.needs(), states, errors);
        let matcher = match matcher(&text) {
            Ok(matcher) => matcher,
            Err(why) => {
                errors.push(BuildError::new(&subject, format!("can't be served: {why}")));
                continue;
            }
        };
        if let Some(earlier) = served.iter().find(|one| one.matcher().is_like(&matcher)) {
            errors.push(BuildError::new(&subject, unreachable(earlier, &text)));
        }
        for schema in &template.needs().vars {
            check_vars(&subject, schema, matcher.template(), errors);
        }
        let completers = template.take_completers();
        check_completers(&subject, &completers, matcher.template(), states, errors);
        let names = matcher.template().variables();
        let completers = Completers::new(names, completers, &template.needs().vars);
        served.push(ServedTemplate::new(template, matcher, completers));
    }
    served
}

fn matcher(text: &str) -> Result<Matcher, String> {
    let template = UriTemplate::parse(text).map_err(|error| error.to_string())?;
    template.matcher().map_err(|error| error.to_string())
}

/// The mistake of a template whose URIs `earlier` all matches too.
fn unreachable(earlier: &ServedTemplate, text: &str) -> String {
    let earlier = earlier.matcher().template().as_str();
    if earlier == text {
        return "is defined twice".to_owned();
    }
    format!("is never reached: {earlier} matches the same URIs")
}

fn check_completers(
    subject: &str,
    completers: &[(String, Completer)],
    template: &UriTemplate,
    states: &States,
    errors: &mut Vec<BuildError>,
) {
    for (name, completer) in completers {
        let completing = format!("{subject}, completing {name},");
        check_needs(&completing, completer.needs(), states, errors);
        if !template.variables().any(|variable| variable == name) {
            let problem = format!("completes {name}, which is not one of its variables");
            errors.push(BuildError::new(subject, problem));
        }
    }
}

/// Checks that each field of `Vars<T>` is a variable, and each variable a field. A type that
/// accepts any names has no properties.
fn check_vars(subject: &str, schema: &Value, template: &UriTemplate, errors: &mut Vec<BuildError>) {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        let problem = "takes Vars of a type that is not a JSON object: use a struct";
        return errors.push(BuildError::new(subject, problem));
    }
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for field in fields.keys() {
        if !template.variables().any(|variable| variable == field) {
            let problem = format!("takes Vars with {field}, which is not one of its variables");
            errors.push(BuildError::new(subject, problem));
        }
    }
    for variable in template.variables() {
        if !fields.contains_key(variable) {
            let problem = format!("has the variable {variable}, which its Vars lack");
            errors.push(BuildError::new(subject, problem));
        }
    }
}
