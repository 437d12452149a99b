//! The table of fields, compared with the JSON Schema of each revision.

use plainly_errors::Revision;
use plainly_protocol::shape::{Elsewhere, Feature, features};
use serde_json::{Value, json};

use crate::schema::validator;
use crate::spec::{parse, spec};

/// The evidence in a schema that it has a field.
enum Sign {
    /// The definition has this property.
    Property(&'static str, &'static str),
    /// The notification's parameters, inline or as a definition of their own, have this property.
    Parameter(&'static str, &'static str),
    /// The document is valid by this definition.
    Valid(&'static str, &'static str),
    /// The definition has this property, and the document is valid.
    Takes(&'static str, &'static str, &'static str),
}

#[rustfmt::skip]
const SIGNS: &[(Feature, Sign)] = &[
    (Feature::ResultType, Sign::Property("CallToolResult", "resultType")),
    (Feature::TtlMs, Sign::Property("ListToolsResult", "ttlMs")),
    (Feature::CacheScope, Sign::Property("ListToolsResult", "cacheScope")),
    (Feature::ServerInfo, Sign::Property("ResultMetaObject", "io.modelcontextprotocol/serverInfo")),
    (Feature::Audio, Sign::Property("AudioContent", "data")),
    (Feature::Audio, Sign::Valid("PromptMessage", r#"{"role":"user","content":{"type":"audio","data":"","mimeType":"a/b"}}"#)),
    (Feature::ResourceLink, Sign::Property("ResourceLink", "uri")),
    (Feature::ResourceLink, Sign::Valid("PromptMessage", r#"{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"b"}}"#)),
    (Feature::StructuredContent, Sign::Property("CallToolResult", "structuredContent")),
    (Feature::StructuredValue, Sign::Takes("CallToolResult", "structuredContent", r#"{"content":[],"structuredContent":[],"resultType":"complete"}"#)),
    (Feature::OutputSchema, Sign::Property("Tool", "outputSchema")),
    (Feature::OutputValueSchema, Sign::Takes("Tool", "outputSchema", r#"{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}"#)),
    (Feature::BooleanSchema, Sign::Valid("Tool", r#"{"name":"a","inputSchema":{"type":"object","properties":{"a":true}}}"#)),
    (Feature::Completions, Sign::Property("ServerCapabilities", "completions")),
    (Feature::Extensions, Sign::Property("ServerCapabilities", "extensions")),
    (Feature::Tasks, Sign::Property("ServerCapabilities", "tasks")),
    (Feature::ToolAnnotations, Sign::Property("Tool", "annotations")),
    (Feature::ProgressMessage, Sign::Parameter("ProgressNotification", "message")),
    (Feature::Title, Sign::Property("Tool", "title")),
    (Feature::Title, Sign::Property("Prompt", "title")),
    (Feature::Title, Sign::Property("PromptArgument", "title")),
    (Feature::Title, Sign::Property("Resource", "title")),
    (Feature::Title, Sign::Property("ResourceTemplate", "title")),
    (Feature::Title, Sign::Property("Implementation", "title")),
    (Feature::Meta, Sign::Property("Tool", "_meta")),
    (Feature::Meta, Sign::Property("Prompt", "_meta")),
    (Feature::Meta, Sign::Property("Resource", "_meta")),
    (Feature::Meta, Sign::Property("TextContent", "_meta")),
    (Feature::LastModified, Sign::Property("Annotations", "lastModified")),
    (Feature::Icons, Sign::Property("Tool", "icons")),
    (Feature::Icons, Sign::Property("Prompt", "icons")),
    (Feature::Icons, Sign::Property("Resource", "icons")),
    (Feature::Icons, Sign::Property("ResourceTemplate", "icons")),
    (Feature::Icons, Sign::Property("Implementation", "icons")),
    (Feature::About, Sign::Property("Implementation", "description")),
    (Feature::About, Sign::Property("Implementation", "websiteUrl")),
];

#[test]
fn each_field_is_where_the_schemas_have_it() {
    let Some(spec) = spec() else { return };
    for revision in Revision::ALL {
        let schema = parse(&spec.join(revision.as_str()).join("schema.json"));
        for (field, sign) in SIGNS {
            let name = field.row().name;
            let found = sign.shows(&schema);
            assert_eq!(found, field.is_in(revision), "{name} in {revision}");
        }
    }
}

#[test]
fn each_field_has_a_sign() {
    for row in features() {
        assert!(
            SIGNS.iter().any(|(field, _)| *field == row.feature),
            "{}",
            row.name
        );
    }
}

/// Checks that a schema allows every member that is sent to a revision without it.
#[test]
fn nothing_is_sent_that_a_schema_refuses() {
    let refused = |(_, sign): &(_, Sign)| matches!(sign, Sign::Valid(..) | Sign::Takes(..));
    for (field, _) in SIGNS.iter().filter(|row| refused(row)) {
        assert_ne!(
            field.row().elsewhere,
            Elsewhere::Sent,
            "{}",
            field.row().name
        );
    }
}

impl Sign {
    fn shows(&self, schema: &Value) -> bool {
        let definitions = schema.get("$defs").or_else(|| schema.get("definitions"));
        let definition = |name: &str| &definitions.unwrap()[name];
        match self {
            Self::Property(of, name) => definition(of)["properties"].get(name).is_some(),
            Self::Parameter(of, name) => {
                let inline = &definition(of)["properties"]["params"]["properties"];
                let apart = &definition(&format!("{of}Params"))["properties"];
                inline.get(name).is_some() || apart.get(name).is_some()
            }
            Self::Valid(of, document) => is_valid(schema, of, document),
            Self::Takes(of, name, document) => {
                Self::Property(of, name).shows(schema) && is_valid(schema, of, document)
            }
        }
    }
}

fn is_valid(schema: &Value, definition: &str, document: &str) -> bool {
    let document: Value = serde_json::from_str(document).unwrap();
    let validator = validator(schema, definition);
    assert!(
        !validator.is_valid(&json!([])),
        "{definition} accepts anything"
    );
    validator.is_valid(&document)
}
