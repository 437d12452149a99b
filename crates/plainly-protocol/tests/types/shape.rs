//! The table of fields says of each revision what its JSON Schema says.

use plainly_errors::Revision;
use plainly_protocol::shape::{Elsewhere, Field, fields};
use serde_json::{Value, json};

use crate::schema::validator;
use crate::spec::{parse, spec};

/// How a schema shows that it has a field.
enum Sign {
    /// The definition has this property.
    Property(&'static str, &'static str),
    /// The notification's parameters, inline or as a definition of their own, have this property.
    Parameter(&'static str, &'static str),
    /// By this definition the document is valid.
    Valid(&'static str, &'static str),
    /// The definition has this property, and the document is valid.
    Takes(&'static str, &'static str, &'static str),
}

#[rustfmt::skip]
const SIGNS: &[(Field, Sign)] = &[
    (Field::ResultType, Sign::Property("CallToolResult", "resultType")),
    (Field::TtlMs, Sign::Property("ListToolsResult", "ttlMs")),
    (Field::CacheScope, Sign::Property("ListToolsResult", "cacheScope")),
    (Field::ServerInfo, Sign::Property("ResultMetaObject", "io.modelcontextprotocol/serverInfo")),
    (Field::Audio, Sign::Property("AudioContent", "data")),
    (Field::Audio, Sign::Valid("PromptMessage", r#"{"role":"user","content":{"type":"audio","data":"","mimeType":"a/b"}}"#)),
    (Field::ResourceLink, Sign::Property("ResourceLink", "uri")),
    (Field::ResourceLink, Sign::Valid("PromptMessage", r#"{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"b"}}"#)),
    (Field::StructuredContent, Sign::Property("CallToolResult", "structuredContent")),
    (Field::StructuredValue, Sign::Takes("CallToolResult", "structuredContent", r#"{"content":[],"structuredContent":[],"resultType":"complete"}"#)),
    (Field::OutputSchema, Sign::Property("Tool", "outputSchema")),
    (Field::OutputValueSchema, Sign::Takes("Tool", "outputSchema", r#"{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}"#)),
    (Field::BooleanSchema, Sign::Valid("Tool", r#"{"name":"a","inputSchema":{"type":"object","properties":{"a":true}}}"#)),
    (Field::Completions, Sign::Property("ServerCapabilities", "completions")),
    (Field::Extensions, Sign::Property("ServerCapabilities", "extensions")),
    (Field::Tasks, Sign::Property("ServerCapabilities", "tasks")),
    (Field::ToolAnnotations, Sign::Property("Tool", "annotations")),
    (Field::ProgressMessage, Sign::Parameter("ProgressNotification", "message")),
    (Field::Title, Sign::Property("Tool", "title")),
    (Field::Title, Sign::Property("Prompt", "title")),
    (Field::Title, Sign::Property("PromptArgument", "title")),
    (Field::Title, Sign::Property("Resource", "title")),
    (Field::Title, Sign::Property("ResourceTemplate", "title")),
    (Field::Title, Sign::Property("Implementation", "title")),
    (Field::Meta, Sign::Property("Tool", "_meta")),
    (Field::Meta, Sign::Property("Prompt", "_meta")),
    (Field::Meta, Sign::Property("Resource", "_meta")),
    (Field::Meta, Sign::Property("TextContent", "_meta")),
    (Field::LastModified, Sign::Property("Annotations", "lastModified")),
    (Field::Icons, Sign::Property("Tool", "icons")),
    (Field::Icons, Sign::Property("Prompt", "icons")),
    (Field::Icons, Sign::Property("Resource", "icons")),
    (Field::Icons, Sign::Property("ResourceTemplate", "icons")),
    (Field::Icons, Sign::Property("Implementation", "icons")),
    (Field::About, Sign::Property("Implementation", "description")),
    (Field::About, Sign::Property("Implementation", "websiteUrl")),
];

#[test]
fn each_field_is_where_the_schemas_have_it() {
    let Some(spec) = spec() else { return };
    for revision in Revision::ALL {
        let schema = parse(&spec.join(revision.as_str()).join("schema.json"));
        for (field, sign) in SIGNS {
            let name = field.row().name;
            assert_eq!(
                sign.shows(&schema),
                field.is_in(revision),
                "{name} in {revision}"
            );
        }
    }
}

#[test]
fn each_field_has_a_sign() {
    for row in fields() {
        assert!(
            SIGNS.iter().any(|(field, _)| *field == row.field),
            "{}",
            row.name
        );
    }
}

/// What is sent to a revision that doesn't know it must be what its schema lets pass.
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
