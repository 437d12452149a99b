//! An MCP bundle, which a host installs with a click. The host asks the user for the variables that
//! the server needs.

use std::io;

use serde_json::{Map, Value, json};

use super::Package;
use super::archive::{Files, PackedFile, zip};
use super::facts::{Facts, known};
use super::program::Program;
use crate::args::PackageKind;

pub(super) fn pack(facts: &Facts, program: &Program) -> io::Result<Package> {
    let entry = format!("server/{}", program.file(&facts.name));
    let manifest = Value::Object(manifest(facts, program, &entry));
    let mut files = Files::from([
        (
            "manifest.json".to_owned(),
            PackedFile::new(format!("{manifest:#}\n")),
        ),
        (entry, PackedFile::program(&*program.content)),
    ]);
    if let Some(icon) = &facts.icon {
        files.insert("icon.png".to_owned(), PackedFile::new(&**icon));
    }
    let platform = program.platform;
    let file = format!("{}-{}-{}.mcpb", facts.name, facts.version, platform.name());
    Ok(Package::new(
        PackageKind::Mcpb,
        Some(platform),
        file,
        zip(&files)?,
    ))
}

fn manifest(facts: &Facts, program: &Program, entry: &str) -> Map<String, Value> {
    let names = facts.variables.iter().map(|variable| &variable.name);
    let env = names.map(|name| (name.clone(), json!(format!("${{user_config.{name}}}"))));
    let asked = facts.variables.iter().map(|variable| {
        let name = &variable.name;
        let field = json!({
            "type": "string",
            "title": name,
            "description": format!("The variable {name} of the server"),
            "required": true,
            "sensitive": variable.is_secret,
        });
        (name.clone(), field)
    });
    let asked: Map<_, _> = asked.collect();
    let tools = facts.tools.iter().map(|tool| match &tool.description {
        Some(about) => json!({ "name": tool.name, "description": about }),
        None => json!({ "name": tool.name }),
    });
    let tools: Vec<_> = tools.collect();
    let repository = facts.repository.as_ref();
    let (system, _) = program.platform.node();
    let facts = [
        ("manifest_version", Some(json!("0.4"))),
        ("name", Some(json!(facts.name))),
        ("display_name", Some(json!(facts.title))),
        ("version", Some(json!(facts.version.to_string()))),
        ("description", Some(json!(facts.description))),
        ("author", Some(json!({ "name": facts.author }))),
        ("license", facts.license.as_ref().map(|it| json!(it))),
        ("homepage", facts.website.as_ref().map(|it| json!(it))),
        (
            "repository",
            repository.map(|url| json!({ "type": "git", "url": url })),
        ),
        ("icon", facts.icon.as_ref().map(|_| json!("icon.png"))),
        (
            "server",
            Some(json!({
                "type": "binary",
                "entry_point": entry,
                "mcp_config": {
                    "command": format!("${{__dirname}}/{entry}"),
                    "args": facts.args,
                    "env": env.collect::<Map<_, _>>(),
                },
            })),
        ),
        ("tools", (!tools.is_empty()).then(|| json!(tools))),
        ("prompts_generated", Some(json!(facts.has_prompts))),
        ("user_config", (!asked.is_empty()).then(|| json!(asked))),
        ("compatibility", Some(json!({ "platforms": [system] }))),
    ];
    known(facts)
}
