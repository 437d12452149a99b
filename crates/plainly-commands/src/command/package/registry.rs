//! The entry for the MCP registry: the places of the packages, and the way to start them.

use plainly::protocol::types::Icon;
use serde_json::{Value, json};
use url::Url;

use super::Package;
use super::facts::{Facts, known};
use crate::args::PackageKind;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// The most characters of a title, and of the URL of an icon.
const LONGEST_TITLE: usize = 100;
const LONGEST_ICON: usize = 255;
/// The image types that the registry accepts for icons.
const IMAGES: [&str; 5] = [
    "image/png",
    "image/jpeg",
    "image/jpg",
    "image/svg+xml",
    "image/webp",
];

/// The entry for a server with this name, as JSON.
pub(super) fn entry(name: &str, facts: &Facts, packages: &[Package]) -> String {
    let source = facts.repository.as_deref().and_then(source);
    let listed = packages
        .iter()
        .filter_map(|package| listed(facts, package, source));
    let mut listed: Vec<_> = listed.collect();
    // The wheels of all platforms have the same entry.
    listed.dedup();
    let mut kinds = packages.iter().map(|package| package.kind);
    if source != Some("github") && kinds.any(|kind| kind == PackageKind::Mcpb) {
        tracing::warn!(
            "server.json does not list the bundles: give --repository https://github.com/OWNER/NAME, whose releases they are in"
        );
    }
    let repository = facts.repository.as_ref().zip(source);
    let icons: Vec<_> = facts
        .icons
        .iter()
        .filter(|icon| is_accepted(icon))
        .collect();
    let title = Some(&facts.title).filter(|title| title.chars().count() <= LONGEST_TITLE);
    let facts = [
        ("$schema", Some(json!(SCHEMA))),
        ("name", Some(json!(name))),
        ("title", title.map(|title| json!(title))),
        ("description", Some(json!(facts.description))),
        ("version", Some(json!(facts.version.to_string()))),
        ("websiteUrl", facts.website.as_ref().map(|url| json!(url))),
        (
            "repository",
            repository.map(|(url, source)| json!({ "url": url, "source": source })),
        ),
        ("icons", (!icons.is_empty()).then(|| json!(icons))),
        ("packages", Some(json!(listed))),
    ];
    format!("{:#}\n", Value::Object(known(facts)))
}

/// The entry of a package; `None` for a part of another package, or for a bundle without a release.
fn listed(facts: &Facts, package: &Package, source: Option<&str>) -> Option<Value> {
    let version = facts.version.to_string();
    let mut listed = match (package.kind, package.platform) {
        (PackageKind::Npm, None) => registered("npm", &facts.npm, &version),
        (PackageKind::Npm, Some(_)) => return None,
        (PackageKind::Pypi, _) => registered("pypi", &facts.pypi, &facts.python_version),
        (PackageKind::Mcpb, _) => {
            let repository = facts
                .repository
                .as_ref()
                .filter(|_| source == Some("github"))?;
            let file = &package.file;
            json!({
                "registryType": "mcpb",
                "identifier": format!("{repository}/releases/download/v{version}/{file}"),
                "fileSha256": package.sum,
            })
        }
    };
    let object = listed.as_object_mut()?;
    object.insert("transport".to_owned(), json!({ "type": "stdio" }));
    let args: Vec<_> = facts.args.iter().map(|word| argument(word)).collect();
    if !args.is_empty() && package.kind != PackageKind::Mcpb {
        object.insert("packageArguments".to_owned(), json!(args));
    }
    let variables = facts.variables.iter().map(|variable| {
        json!({
            "name": variable.name,
            "isRequired": true,
            "isSecret": variable.is_secret,
        })
    });
    let variables: Vec<_> = variables.collect();
    if !variables.is_empty() && package.kind != PackageKind::Mcpb {
        object.insert("environmentVariables".to_owned(), json!(variables));
    }
    Some(listed)
}

/// The entry of a package that is in another registry.
fn registered(kind: &str, name: &str, version: &str) -> Value {
    json!({ "registryType": kind, "identifier": name, "version": version })
}

/// The entry of an argument. A flag without a value is a named argument.
fn argument(word: &str) -> Value {
    match word.starts_with('-') && !word.contains('=') {
        true => json!({ "type": "named", "name": word }),
        false => json!({ "type": "positional", "value": word }),
    }
}

/// The registry's word for the service that hosts the source, if it supports that service.
fn source(repository: &str) -> Option<&'static str> {
    let url = Url::parse(repository).ok()?;
    match url.host_str()? {
        "github.com" => Some("github"),
        "gitlab.com" => Some("gitlab"),
        _ => None,
    }
}

fn is_accepted(icon: &Icon) -> bool {
    let is_image = icon
        .mime_type
        .as_deref()
        .is_none_or(|kind| IMAGES.contains(&kind));
    is_image && icon.src.len() <= LONGEST_ICON
}
