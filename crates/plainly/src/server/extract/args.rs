//! The arguments of a tool or a prompt as a type of its own, from which their description is derived.

use plainly_errors::ProtocolError;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, RestrictFormats};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Extract, Needs, PromptCall, PromptChannel, ToolCall, ToolChannel};
use crate::server::failure::Failure;
use crate::server::strings;

/// The arguments of a tool, deserialised as `T`, whose JSON Schema is the tool's input schema; or those of a prompt, whose
/// arguments are the fields of `T`. One per handler.
///
/// An argument that a router or a limiter in front of the server should see, clients repeat in a header over HTTP, here
/// `Mcp-Param-Region`, if the schema of its field says so. The server refuses a call in which the two differ.
///
/// ```
/// # use plainly::{Args, Tool};
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Query {
///     /// Where the data is.
///     #[schemars(extend("x-mcp-header" = "Region"))]
///     region: String,
///     sql: String,
/// }
///
/// async fn query(Args(Query { region, sql }): Args<Query>) -> String {
///     format!("{sql} in {region}")
/// }
///
/// let tool = Tool::new("query", query);
/// ```
///
/// It is text, an integer or a truth value, or such an `Option`; an enum is text if its type has `#[schemars(inline)]` and
/// no descriptions of its values. Never a secret: headers are seen on the way.
///
/// Arguments that are not a `T` never reach the handler: the model, or for a prompt the host's code, is told what is wrong with
/// them.
///
/// A handler that takes them twice does not compile:
///
/// ```compile_fail
/// # use plainly::{Args, Tool};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Note { id: String }
/// async fn twice(Args(one): Args<Note>, Args(other): Args<Note>) -> String {
///     one.id + &other.id
/// }
///
/// let tool = Tool::new("twice", twice);
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "handlers take it apart in their parameters"
)]
pub struct Args<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Extract<ToolChannel> for Args<T> {
    const ARGS: usize = 1;

    fn extract(call: &ToolCall<'_>) -> Result<Self, Failure> {
        serde_json::from_str(call.arguments)
            .map(Self)
            .map_err(|error| Failure::arguments(&error))
    }

    fn needs(needs: &mut Needs) {
        needs.args = Some(schema_of::<T>());
    }
}

/// The arguments of a prompt come as text.
impl<T: DeserializeOwned + JsonSchema + Send + 'static> Extract<PromptChannel> for Args<T> {
    const ARGS: usize = 1;

    fn extract(call: &PromptCall<'_>) -> Result<Self, Failure> {
        let fields = call.arguments.iter();
        strings::read(fields.map(|(name, text)| (name.as_str(), text.as_str())))
            .map(Self)
            .map_err(|error| {
                ProtocolError::invalid_params(format!("Invalid arguments: {error}")).into()
            })
    }

    fn needs(needs: &mut Needs) {
        needs.args = Some(schema_of::<T>());
        needs.fields = strings::names::<T>();
    }
}

/// The JSON Schema of `T`, draft 2020-12, with the formats of that draft alone: clients warn of others.
pub(in crate::server) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with_transform(RecursiveTransform(bounded))
        .with_transform(RecursiveTransform(mirrored))
        .with_transform(RestrictFormats::default());
    let generator = settings.into_generator();
    generator.into_root_schema_for::<T>().into()
}

/// An argument that a header repeats is of one type, or clients drop the tool: that it may be left out says that it need not
/// be there.
fn mirrored(schema: &mut Schema) {
    if schema.get("x-mcp-header").is_some()
        && let Some([Value::String(kind), Value::String(null)]) = schema
            .get("type")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
        && null == "null"
    {
        let kind = kind.clone();
        schema.insert("type".to_owned(), kind.into());
    }
}

/// The bounds of integers for which schemars has a format instead. Those of 64 bits are beyond what many clients can hold, and
/// what any model would say.
fn bounded(schema: &mut Schema) {
    let (least, most) = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        _ => return,
    };
    for (keyword, bound) in [("minimum", least), ("maximum", most)] {
        if schema.get(keyword).is_none() {
            schema.insert(keyword.to_owned(), bound.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_has_bounds_and_no_formats_but_the_standard_ones() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Everything {
            byte: u8,
            short: Vec<i16>,
            int: i32,
            word: Option<u32>,
            #[schemars(range(min = 1, max = 10))]
            few: u32,
            long: i64,
            size: usize,
            ratio: f64,
            address: Ipv4Addr,
            nested: Nested,
        }

        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Nested {
            float: f32,
        }

        let schema = schema_of::<Everything>();
        assert_eq!(
            schema["properties"],
            json!({
                "byte": { "type": "integer", "minimum": 0, "maximum": 255 },
                "short": {
                    "type": "array",
                    "items": { "type": "integer", "minimum": -32768, "maximum": 32767 },
                },
                "int": { "type": "integer", "minimum": -2_147_483_648_i64, "maximum": 2_147_483_647 },
                "word": { "type": ["integer", "null"], "minimum": 0, "maximum": 4_294_967_295_i64 },
                "few": { "type": "integer", "minimum": 1, "maximum": 10 },
                "long": { "type": "integer" },
                "size": { "type": "integer", "minimum": 0 },
                "ratio": { "type": "number" },
                "address": { "type": "string", "format": "ipv4" },
                "nested": { "$ref": "#/$defs/Nested" },
            })
        );
        assert_eq!(
            schema["$defs"]["Nested"]["properties"]["float"],
            json!({ "type": "number" })
        );
    }
}
