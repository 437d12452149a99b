//! The facts that all packages contain, from the command line, or else from the server itself.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use plainly::protocol::types::{Icon, Implementation, Tool};
use semver::Version;
use serde_json::{Map, Value};

use super::introduction::Introduction;
use super::{names, version};
use crate::args::{PackageArgs, PackageKind};
use crate::secrets::is_setting;

/// The most characters of a description in the registry, and in PyPI.
const LONGEST_IN_REGISTRY: usize = 100;
const LONGEST_IN_PYPI: usize = 512;

pub(super) struct Facts {
    /// The name for files.
    pub(super) name: String,
    /// The name for display.
    pub(super) title: String,
    pub(super) version: Version,
    pub(super) python_version: String,
    pub(super) description: String,
    pub(super) author: String,
    pub(super) license: Option<String>,
    pub(super) website: Option<String>,
    pub(super) repository: Option<String>,
    pub(super) npm: String,
    pub(super) pypi: String,
    /// The name in the MCP registry.
    pub(super) registry: Option<String>,
    pub(super) tools: Vec<Tool>,
    pub(super) has_prompts: bool,
    /// The icons with a URL.
    pub(super) icons: Vec<Icon>,
    /// The icon that the server embeds, as PNG.
    pub(super) icon: Option<Vec<u8>>,
    /// The variables that the server needs.
    pub(super) variables: Vec<Variable>,
    /// The arguments of the program.
    pub(super) args: Vec<String>,
}

pub(super) struct Variable {
    pub(super) name: String,
    pub(super) is_secret: bool,
}

impl Facts {
    /// The facts; `None` if the version is invalid. All mistakes are added to `mistakes`.
    pub(super) fn new(
        args: &PackageArgs,
        introduction: Introduction,
        program: &Path,
        mistakes: &mut Vec<String>,
    ) -> Option<Self> {
        let server = introduction.server;
        let server = server.unwrap_or_else(|| Implementation::new("", ""));
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        let names = [&*server.name, &*stem].map(names::plain);
        let name = names.into_iter().find(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "server".to_owned());
        let title = server.title.clone().unwrap_or_else(|| server.name.clone());
        let title = [&*title, &*name].map(one_line);
        let title = title.into_iter().find(|it| !it.is_empty());
        let title = title.unwrap_or_else(|| name.clone());
        let description = description(args, &server, &introduction.tools, mistakes);
        let versions = versions(args, &server, mistakes);
        let icons = server.icons.unwrap_or_default();
        // Without these endings, because packages add their own: `.git` for npm, the path of
        // releases for the registry.
        let repository = args.repository.as_deref();
        let repository = repository.map(|url| url.trim_end_matches('/').trim_end_matches(".git"));
        let repository = repository.map(str::to_owned);
        let (version, python_version) = versions?;
        Some(Self {
            version,
            python_version,
            description,
            author: match &args.author {
                Some(author) => one_line(author),
                None => format!("The authors of {title}"),
            },
            title,
            license: args.license.as_deref().map(one_line),
            website: server.website_url.or_else(|| repository.clone()),
            repository,
            npm: args.npm.clone().unwrap_or_else(|| name.clone()),
            pypi: args.pypi.clone().unwrap_or_else(|| name.clone()),
            name,
            registry: args.name.clone(),
            tools: introduction.tools,
            has_prompts: introduction.has_prompts,
            icon: icons.iter().find_map(png),
            icons: icons
                .into_iter()
                .filter(|it| it.src.starts_with("https://"))
                .collect(),
            variables: args.env.iter().map(Variable::new).collect(),
            args: args.args.clone(),
        })
    }
}

impl Variable {
    fn new((name, _): &(String, String)) -> Self {
        Self {
            is_secret: is_setting(name),
            name: name.clone(),
        }
    }
}

/// The version, and its form for Python.
fn versions(
    args: &PackageArgs,
    server: &Implementation,
    mistakes: &mut Vec<String>,
) -> Option<(Version, String)> {
    let (text, whose, what) = match &args.release {
        Some(given) => (given, "invalid --release", "give"),
        None => (
            &server.version,
            "the server reports the version",
            "make the server report, or give as --release,",
        ),
    };
    let Ok(version) = Version::parse(text) else {
        mistakes.push(format!(
            "{whose} {text:?}: npm expects three numbers: {what} a version such as 1.0.0 or 1.0.0-beta.1"
        ));
        return None;
    };
    let python = version::python(&version);
    if python.is_none() && args.makes(PackageKind::Pypi) {
        mistakes.push(format!(
            "{whose} {text:?}: Python has no such version: {what} one that ends with a number, -alpha.1, -beta.1, -rc.1 or -dev.1"
        ));
    }
    Some((version, python.unwrap_or_default()))
}

fn description(
    args: &PackageArgs,
    server: &Implementation,
    tools: &[Tool],
    mistakes: &mut Vec<String>,
) -> String {
    let given = args.description.as_ref().or(server.description.as_ref());
    let given = given.map(|text| one_line(text));
    let Some(description) = given.filter(|text| !text.is_empty()) else {
        return of_tools(tools);
    };
    let length = description.chars().count();
    let (registry, most) = match args.name {
        Some(_) => ("the registry", LONGEST_IN_REGISTRY),
        None => ("PyPI", LONGEST_IN_PYPI),
    };
    if length > most {
        mistakes.push(format!(
            "the description has {length} characters, and {registry} accepts {most}: give a shorter one as --description"
        ));
    }
    description
}

/// A description for a server without one: its tools, as many as the registry allows.
fn of_tools(tools: &[Tool]) -> String {
    let mut description = "An MCP server".to_owned();
    for (index, tool) in tools.iter().enumerate() {
        let before = if index == 0 { " with the tools " } else { ", " };
        let longer = format!("{description}{before}{}", one_line(&tool.name));
        if longer.chars().count() > LONGEST_IN_REGISTRY {
            break;
        }
        description = longer;
    }
    description
}

/// The members with a value, as an object.
pub(super) fn known<const N: usize>(members: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let known = members.into_iter();
    let known = known.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.collect()
}

/// The text without line breaks, which would start another field in some packages.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}

/// The image of an icon that is embedded as PNG.
fn png(icon: &Icon) -> Option<Vec<u8>> {
    let encoded = icon.src.strip_prefix("data:image/png;base64,")?;
    STANDARD.decode(encoded).ok()
}
