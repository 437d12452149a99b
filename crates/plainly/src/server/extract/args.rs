//! The arguments of a tool or a prompt as a type of its own; what is told of them comes from the same type.

use plainly_errors::ProtocolError;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Extract, Needs, PromptCall, PromptChannel, ToolCall, ToolChannel, strings};
use crate::server::failure::Failure;

/// The arguments of a tool, deserialised as `T`, whose JSON Schema is the tool's input schema; or those of a prompt, whose
/// arguments are the fields of `T`. One per handler.
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

/// The JSON Schema of `T`, draft 2020-12.
pub(in crate::server) fn schema_of<T: JsonSchema>() -> Value {
    let generator: SchemaGenerator = SchemaSettings::draft2020_12().into_generator();
    generator.into_root_schema_for::<T>().into()
}
