//! The requested URI, and the variables in it as a type.

mod value;

use std::fmt;
use std::ops::Deref;

use plainly_errors::{InvalidParams, Mistake, ProtocolError};
use plainly_protocol::uri_template::{Value, Values};
use plainly_schema::{Limits, Schema};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::json;

use self::value::One;
use super::{Extract, Needs, ResourceCall, ResourceChannel};
use crate::derived::input_schema_of;
use crate::failure::Failure;
use crate::{strings, texts};

/// The URI of the requested resource, exactly as it was requested.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceUri(String);

impl Extract<ResourceChannel> for ResourceUri {
    fn extract(call: &ResourceCall<'_>) -> Result<Self, Failure> {
        Ok(Self(call.uri.to_owned()))
    }
}

impl Deref for ResourceUri {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl From<ResourceUri> for String {
    fn from(uri: ResourceUri) -> Self {
        uri.0
    }
}

/// The variables of a [`ResourceTemplate`](crate::ResourceTemplate), with their values in the
/// requested URI, as `T`.
///
/// `T` has one field for each variable of the template; otherwise the server does not build. A
/// field is a string or a type that is parsed from one (a number, `true`, the name of an enum's
/// variant), an `Option` if the variable may be absent, or a `Vec` or a map for an exploded one.
/// URIs whose variables are not a `T` never reach the handler: the host gets an error that the URI
/// is invalid, with the name of the variable.
///
/// ```
/// use plainly::{ResourceTemplate, Text, Vars};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Lines {
///     path: String,
///     first: Option<u32>,
/// }
///
/// async fn lines(Vars(Lines { path, first }): Vars<Lines>) -> Text {
///     Text::plain(format!("{path} from line {}", first.unwrap_or(1)))
/// }
///
/// let template = ResourceTemplate::new("lines:///{+path}{?first}", lines).name("lines");
/// ```
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "handlers take it apart in their parameters"
)]
pub struct Vars<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Extract<ResourceChannel> for Vars<T> {
    fn extract(call: &ResourceCall<'_>) -> Result<Self, Failure> {
        let values = call.variables.iter();
        let read = strings::read_values(values.map(|(name, value)| (name, One(value))));
        read.map(Self).map_err(|mistake| {
            let uri = call.uri.to_owned();
            let mut problems = mistakes_in::<T>(call.variables);
            if problems.is_empty() {
                problems.push(mistake);
            }
            ProtocolError::from(InvalidParams::InvalidUri { uri, problems }).into()
        })
    }

    fn needs(needs: &mut Needs) {
        needs.vars.push(input_schema_of::<T>());
    }
}

/// All mistakes in these values for a `T`, by its schema.
fn mistakes_in<T: JsonSchema>(values: &Values) -> Vec<Mistake> {
    // Created each time, because most servers never need it.
    let schema = Schema::derived(input_schema_of::<T>(), "", &Limits::default());
    let values = values.iter().map(|(name, value)| {
        let value = match value {
            Value::Text(text) => json!(text),
            Value::List(items) => json!(items),
            Value::Map(pairs) => pairs
                .iter()
                .map(|(name, text)| (name, json!(text)))
                .collect(),
        };
        (name.to_owned(), value)
    });
    let values = serde_json::Value::Object(values.collect());
    schema.map_or_else(|_| Vec::new(), |schema| texts::failures(&schema, values))
}
