//! The arguments of a tool as a type of its own; the input schema comes from the same type.

use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Extract, Needs, ToolCall, ToolChannel};
use crate::server::failure::Failure;

/// The arguments of a tool, deserialised as `T`, whose JSON Schema is the tool's input schema. One per handler.
///
/// Arguments that are not a `T` never reach the handler: the model is told what is wrong with them.
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

/// The JSON Schema of `T`, draft 2020-12.
pub(in crate::server) fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let generator: SchemaGenerator = settings
        .with_transform(RecursiveTransform(without_rust_formats))
        .into_generator();
    generator.into_root_schema_for::<T>().into()
}

/// Leaves out the formats that only schemars knows, such as `uint64`: validators of other languages warn of each.
fn without_rust_formats(schema: &mut Schema) {
    const OF_RUST: [&str; 8] = [
        "int", "int8", "int16", "uint", "uint8", "uint16", "uint32", "uint64",
    ];
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| OF_RUST.contains(&format)) {
        schema.remove("format");
    }
}
