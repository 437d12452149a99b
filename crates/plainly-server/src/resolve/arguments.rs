//! Checks that `Mcp-Param-*` headers agree with the arguments of a tool call (2026-07-28,
//! basic/transports/streamable-http, "Server Behavior for Custom Headers"), so that a router that
//! uses the headers is not misled about the arguments.

use http::HeaderMap;
use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Request;
use plainly_protocol::header;
use plainly_protocol::method::Method;
use plainly_protocol::mirrored::{MirroredArgument, text};
use plainly_protocol::types::CallToolParams;
use serde_json::{Number, Value};

use super::headers::Header;
use super::mismatch;
use crate::features::Tools;

/// The largest integer up to which a 64-bit float represents all integers exactly.
const MOST: f64 = 9_007_199_254_740_991.0;

/// Checks the headers of a modern request against its arguments, if it calls a tool whose arguments
/// are repeated in headers. Other faults are reported elsewhere.
pub(super) fn mirrored_arguments(
    headers: &HeaderMap,
    request: &Request<'_>,
    tools: &Tools,
) -> Result<(), ProtocolError> {
    let params = request.params.as_ref();
    let Some(params) = params.filter(|_| request.method == Method::CallTool.name()) else {
        return Ok(());
    };
    let name = params.text("name");
    let Some(tool) = name.and_then(|name| tools.get(&name)) else {
        return Ok(());
    };
    if tool.mirrored().is_empty() {
        return Ok(());
    }
    let Ok(CallToolParams { arguments, .. }) = params.read() else {
        return Ok(());
    };
    let arguments = arguments.map_or("{}", |arguments| arguments.get());
    let Ok(arguments) = serde_json::from_str::<Value>(arguments) else {
        return Ok(());
    };
    let contradiction = |one| contradiction(one, headers, &arguments);
    let wrong: Vec<String> = tool.mirrored().iter().filter_map(contradiction).collect();
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(mismatch(&wrong)),
    }
}

/// The contradiction between header and argument, if any. Neither value is repeated, because it can
/// be long and a secret.
fn contradiction(
    mirrored: &MirroredArgument,
    headers: &HeaderMap,
    arguments: &Value,
) -> Option<String> {
    let header = &mirrored.header;
    let argument = mirrored.path.join(".");
    match (Header::of(headers, header), mirrored.value_in(arguments)) {
        (Header::Unclear(unclear), _) => Some(unclear.of_secret(header)),
        (Header::Absent, Some(value)) if text(value).is_some() => Some(format!(
            "{header} is missing, but the argument {argument} is given"
        )),
        // `null` and missing arguments have no header ("Server Behavior for Custom Headers").
        (Header::Absent, _) => None,
        (Header::One(_), None) => Some(format!(
            "{header} is given, but the argument {argument} is not"
        )),
        (Header::One(text), Some(value)) => match header::decode(text) {
            Ok(text) if says(&text, value) => None,
            Ok(_) => Some(format!("{header} does not match the argument {argument}")),
            Err(error) => Some(format!("{header}: {error}")),
        },
    }
}

/// Whether `text`, decoded, equals the value. Numbers are compared by value, not by notation.
fn says(text: &str, value: &Value) -> bool {
    match value {
        Value::String(value) => text == value,
        Value::Bool(value) => text == if *value { "true" } else { "false" },
        Value::Number(number) => {
            let said = integer_of(text);
            said.is_some() && said == integer(number)
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn integer_of(text: &str) -> Option<f64> {
    // The parser alone would also accept whitespace around the number.
    let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    let number = text.bytes().all(is_number).then_some(text)?;
    integer(&serde_json::from_str(number).ok()?)
}

fn integer(number: &Number) -> Option<f64> {
    let number = number.as_f64()?;
    (number.fract() == 0.0 && number.abs() <= MOST).then_some(number)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use serde_json::json;

    use super::*;

    /// The annotated argument in these properties.
    fn annotated(properties: &Value) -> MirroredArgument {
        let found = plainly_protocol::mirrored::mirrored(&json!({"properties": properties}));
        found.unwrap().remove(0)
    }

    /// Whether the header agrees with the argument `a.b`.
    fn agrees(header: Option<&str>, argument: Option<Value>) -> bool {
        let mirrored = annotated(
            &json!({"a": {"properties": {"b": {"type": "string", "x-mcp-header": "B"}}}}),
        );
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert("Mcp-Param-B", HeaderValue::from_str(header).unwrap());
        }
        let arguments = match argument {
            Some(argument) => json!({"a": {"b": argument}, "b": "other"}),
            None => json!({"b": "other"}),
        };
        contradiction(&mirrored, &headers, &arguments).is_none()
    }

    #[test]
    fn a_header_says_what_the_argument_says() {
        for (header, argument) in [
            (None, None),
            (None, Some(Value::Null)),
            (Some("x"), Some(json!("x"))),
            (Some(""), Some(json!(""))),
            (Some(" x y "), Some(json!("x y"))),
            (Some("=?base64?SGVsbG8=?="), Some(json!("Hello"))),
            (Some("=?base64?IA==?="), Some(json!(" "))),
            (Some("=?base64?DQoA?="), Some(json!("\r\n\0"))),
            (Some("=?base64?SGVsbG8="), Some(json!("=?base64?SGVsbG8="))),
            (Some("SGVsbG8=?="), Some(json!("SGVsbG8=?="))),
            (
                Some("=?BASE64?SGVsbG8=?="),
                Some(json!("=?BASE64?SGVsbG8=?=")),
            ),
            (Some("true"), Some(json!(true))),
            (Some("false"), Some(json!(false))),
            (Some("42"), Some(json!(42))),
            (Some("42.0"), Some(json!(42))),
            (Some("4.2e1"), Some(json!(42))),
            (Some("42"), Some(json!(42.0))),
            (Some("-0"), Some(json!(0))),
            (Some("-7"), Some(json!(-7))),
            (
                Some("9007199254740991"),
                Some(json!(9_007_199_254_740_991_u64)),
            ),
            (
                Some("-9007199254740991"),
                Some(json!(-9_007_199_254_740_991_i64)),
            ),
            (Some("42"), Some(json!("42"))),
            // No header can represent this value, and the schema rejects it.
            (None, Some(json!(["x"]))),
            (None, Some(json!({}))),
            (None, Some(json!(4.5))),
        ] {
            assert!(agrees(header, argument.clone()), "{header:?} {argument:?}");
        }
    }

    #[test]
    fn what_says_something_else_is_a_contradiction() {
        for (header, argument) in [
            (None, Some(json!("x"))),
            (None, Some(json!(""))),
            (None, Some(json!(0))),
            (None, Some(json!(false))),
            (None, Some(json!(9_007_199_254_740_993_u64))),
            (Some("x"), None),
            (Some(""), None),
            (Some("null"), Some(Value::Null)),
            (Some("x"), Some(json!("y"))),
            (Some("X"), Some(json!("x"))),
            (Some("x, x"), Some(json!("x"))),
            (Some("=?base64?SGVsbG8?="), Some(json!("Hello"))),
            (Some("=?base64?SGVs!!!bG8=?="), Some(json!("Hello"))),
            (Some("=?base64?SGVsbG9=?="), Some(json!("Hello"))),
            (Some("=?base64?/w==?="), Some(json!("\u{ff}"))),
            (
                Some("=?base64?SGVsbG8=?="),
                Some(json!("=?base64?SGVsbG8=?=")),
            ),
            (Some("TRUE"), Some(json!(true))),
            (Some("1"), Some(json!(true))),
            (Some("true"), Some(json!(false))),
            (Some("43"), Some(json!(42))),
            (Some("+42"), Some(json!(42))),
            (Some("042"), Some(json!(42))),
            (Some("0x2a"), Some(json!(42))),
            (Some("=?base64?IDQy?="), Some(json!(42))),
            (Some(""), Some(json!(0))),
            (
                Some("9007199254740992"),
                Some(json!(9_007_199_254_740_992_u64)),
            ),
            (
                Some("9007199254740993"),
                Some(json!(9_007_199_254_740_992_u64)),
            ),
            (Some("4.5"), Some(json!(4.5))),
            (Some("1e999"), Some(json!(1))),
            (Some("[\"x\"]"), Some(json!(["x"]))),
        ] {
            assert!(!agrees(header, argument.clone()), "{header:?} {argument:?}");
        }
    }

    #[test]
    fn a_header_that_is_there_twice_or_not_ascii_is_unclear() {
        let mirrored = annotated(&json!({"a": {"type": "string", "x-mcp-header": "A"}}));
        let name = HeaderName::from_static("mcp-param-a");
        let good = HeaderValue::from_static("x");
        let foreign = HeaderValue::from_bytes(b"\xff").unwrap();
        let twice = "mcp-param-a is given more than once";
        for (values, said) in [
            (vec![good.clone(), good.clone()], twice),
            (vec![good, foreign.clone()], twice),
            (
                vec![foreign],
                "mcp-param-a is not visible ASCII: encode it, as =?base64?...?=",
            ),
        ] {
            let headers = values.into_iter().map(|value| (name.clone(), value));
            let headers = HeaderMap::from_iter(headers);
            for arguments in [json!({"a": "x"}), json!({})] {
                let found = contradiction(&mirrored, &headers, &arguments);
                assert_eq!(found.as_deref(), Some(said));
            }
        }
    }
}
