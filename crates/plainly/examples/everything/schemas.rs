//! Tools with schemas beyond a type: one is written by hand, and another has an argument that a
//! header repeats.

use plainly::server::ServerBuilder;
use plainly::{Args, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The schema of a contact, which is listed unchanged and validates the arguments of each call.
const CONTACT: &str = r##"{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
    }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}"##;

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    let contact = Tool::new("json_schema_2020_12_tool", contact)
        .description("Takes what only a schema can tell")
        .input_schema(CONTACT);
    let in_region = Tool::new("test_x_mcp_header", in_region)
        .description("Takes an argument that is a header too");
    server.tool(contact).tool(in_region)
}

async fn contact(Args(who): Args<Map<String, Value>>) -> String {
    format!("Contacting {}", Value::Object(who))
}

/// A proxy between client and server can read the region without the body.
#[derive(Deserialize, JsonSchema)]
struct InRegion {
    /// The region to run it in.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
}

async fn in_region(Args(InRegion { region }): Args<InRegion>) -> String {
    format!("It ran in {region}.")
}
