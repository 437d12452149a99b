//! The arguments of a tool or a prompt as a type, from which their description is derived.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Extract, Needs, PromptCall, PromptChannel, ToolCall, ToolChannel};
use crate::derived::input_schema_of;
use crate::failure::Failure;
use crate::{given, mistakes, strings};

/// The arguments of a tool, deserialized as `T`, whose JSON Schema is the tool's input schema; or
/// those of a prompt, whose arguments are the fields of `T`. One per handler.
///
/// If a router or a limiter in front of the server should see an argument, the schema of its field
/// can require clients to repeat it in an HTTP header, here `Mcp-Param-Region`. The server rejects
/// a call in which the two differ.
///
/// ```
/// # use plainly::{Args, Tool};
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Query {
///     /// The region of the data.
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
/// Such an argument is a string, an integer, a boolean, or an `Option` of these; an enum counts as
/// a string if its type has `#[schemars(inline)]` and no descriptions of its values. Never mark a
/// secret: intermediaries can see headers.
///
/// Arguments that are not a `T` never reach the handler. The model, or for a prompt the host's
/// code, gets an error that lists the mistakes.
///
/// A handler with two such parameters does not compile:
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
        let read = serde_json::from_str(call.arguments).map(Self);
        read.or_else(|_| {
            let again = given::read(call.arguments).map(Self);
            again.map_err(|mistake| mistakes::in_arguments_of_tool(call.subject.name, &[mistake]))
        })
    }

    fn needs(needs: &mut Needs) {
        needs.args = Some(input_schema_of::<T>());
    }
}

/// The arguments of a prompt arrive as text.
impl<T: DeserializeOwned + JsonSchema + Send + 'static> Extract<PromptChannel> for Args<T> {
    const ARGS: usize = 1;

    fn extract(call: &PromptCall<'_>) -> Result<Self, Failure> {
        let fields = call.arguments.iter();
        strings::read(fields.map(|(name, text)| (name.as_str(), text.as_str())))
            .map(Self)
            .map_err(|mistake| {
                mistakes::in_arguments_of_prompt(call.subject.name, vec![mistake]).into()
            })
    }

    fn needs(needs: &mut Needs) {
        needs.args = Some(input_schema_of::<T>());
        needs.fields = strings::names::<T>();
    }
}
