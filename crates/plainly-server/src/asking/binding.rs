//! The sealed `requestState` that a client returns. It opens only for the server, principal,
//! method, name and arguments for which it was sealed, and only for a limited time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::peer::Principal;
use serde_json::value::RawValue;

use crate::limits::Limits;
use plainly_transport::seal::Sealer;

/// Seals and opens states.
#[derive(Debug)]
pub(crate) struct Seals {
    sealer: Arc<Sealer>,
    /// The name of the server, to which states are bound.
    server: String,
    ttl: Duration,
    most_bytes: usize,
    /// The maximum number of times that one request is answered with questions.
    pub(super) rounds: usize,
    /// The maximum number of open questions.
    pub(crate) questions: usize,
}

/// The subject of a request that may be answered with questions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) method: Method,
    /// The requested name or URI.
    pub(crate) name: &'a str,
    pub(crate) params: Option<&'a Object<'a>>,
    pub(crate) seals: &'a Seals,
}

/// The data to which the states of one request are bound.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    principal: Option<Principal>,
    method: Method,
    name: Box<str>,
    /// The arguments in canonical form.
    arguments: Box<str>,
}

impl Binding {
    /// The binding of a request from `principal` with `arguments`, a JSON object.
    pub(super) fn new(
        principal: Option<Principal>,
        subject: &Subject<'_>,
        arguments: &str,
    ) -> Self {
        Self {
            principal,
            method: subject.method,
            name: subject.name.into(),
            // Canonical, because a client may encode its arguments differently when it sends the
            // request again.
            arguments: canonical(arguments).into(),
        }
    }

    /// The purpose for which states are sealed.
    fn purpose<'a>(&'a self, server: &'a str) -> Vec<&'a str> {
        let mut purpose = vec![
            "state",
            server,
            self.method.name(),
            &self.name,
            &self.arguments,
        ];
        purpose.extend(self.principal.as_ref().map(Principal::as_str));
        purpose
    }
}

impl Seals {
    pub(crate) fn new(sealer: Arc<Sealer>, server: impl Into<String>, limits: &Limits) -> Self {
        Self {
            sealer,
            server: server.into(),
            ttl: limits.questions.state_ttl,
            most_bytes: limits.questions.state_bytes,
            rounds: limits.questions.rounds,
            questions: limits.questions.open,
        }
    }

    pub(super) fn seal(&self, binding: &Binding, text: &str) -> Result<String, ProtocolError> {
        let purpose = binding.purpose(&self.server);
        let sealed = self
            .sealer
            .seal(&purpose, text, SystemTime::now(), self.ttl);
        let sealed = sealed.map_err(|error| {
            ProtocolError::internal("The client can't be asked").with_source(error)
        })?;
        if sealed.len() > self.most_bytes {
            let most = self.most_bytes;
            let why = format!("The client's answers so far take more than {most} bytes");
            return Err(ProtocolError::internal(why));
        }
        Ok(sealed)
    }

    pub(super) fn open(&self, binding: &Binding, sealed: &str) -> Result<String, ProtocolError> {
        if sealed.len() > self.most_bytes {
            return Err(InvalidParams::InvalidRequestState.into());
        }
        let purpose = binding.purpose(&self.server);
        let opened = self.sealer.open(&purpose, sealed, SystemTime::now());
        // The error does not say why the state doesn't open, because that would help a forger.
        opened.map_err(|_| InvalidParams::InvalidRequestState.into())
    }
}

/// The canonical text of JSON: without whitespace, with members sorted by key, and without
/// unnecessary escapes. Numbers stay as they are written.
fn canonical(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    write(json.trim(), &mut out);
    out
}

fn write(json: &str, out: &mut String) {
    let written = match json.as_bytes().first() {
        Some(b'{') => serde_json::from_str(json).map(|members| write_object(members, out)),
        Some(b'[') => serde_json::from_str(json).map(|values| write_array(values, out)),
        Some(b'"') => serde_json::from_str(json).map(|text: String| write_text(&text, out)),
        Some(_) | None => {
            out.push_str(json);
            Ok(())
        }
    };
    // The whole message was scanned as JSON. Text that this parser nevertheless rejects stays as it
    // is written.
    written.unwrap_or_else(|_| out.push_str(json));
}

fn write_object(members: BTreeMap<String, &RawValue>, out: &mut String) {
    out.push('{');
    for (position, (name, value)) in members.into_iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        write_text(&name, out);
        out.push(':');
        write(value.get(), out);
    }
    out.push('}');
}

fn write_array(values: Vec<&RawValue>, out: &mut String) {
    out.push('[');
    for (position, value) in values.into_iter().enumerate() {
        out.push_str(if position > 0 { "," } else { "" });
        write(value.get(), out);
    }
    out.push(']');
}

fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::to_string(text).expect("text is JSON"));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_same_arguments_have_one_form() {
        let cases = [
            ("{}", "{ }"),
            (r#"{"a":1,"b":[1,2]}"#, "{\"b\" : [1 ,2],\n\"a\":1}"),
            (
                r#"{"a":{"x":null,"y":true}}"#,
                r#"{"a":{"y":true,"x":null}}"#,
            ),
            (r#"{"é":"/"}"#, r#"{"\u00e9":"\/"}"#),
        ];
        for (one, other) in cases {
            assert_eq!(canonical(one), canonical(other));
        }
    }

    #[test]
    fn other_arguments_have_another_form() {
        let all = [
            "{}",
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":1.0}"#,
            r#"{"a":[1]}"#,
            r#"{"a":[1,2]}"#,
            r#"{"a":[2,1]}"#,
            r#"{"a":null}"#,
            r#"{"b":1}"#,
            r#"{"a":"x\",\"b\":\"y"}"#,
            r#"{"a":"x","b":"y"}"#,
            r#"{"a":18446744073709551616}"#,
            r#"{"a":18446744073709551617}"#,
        ];
        for (position, one) in all.iter().enumerate() {
            for other in &all[position + 1..] {
                assert_ne!(canonical(one), canonical(other));
            }
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let object = prop::collection::btree_map(".{0,3}", inner.clone(), 0..4);
            prop_oneof![
                prop::collection::vec(inner, 0..4).prop_map(Value::from),
                object.prop_map(|members| members.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_form_is_json_of_the_same_meaning_and_its_own_form(value in json()) {
            let form = canonical(&serde_json::to_string_pretty(&value).unwrap());
            prop_assert_eq!(&serde_json::from_str::<Value>(&form).unwrap(), &value);
            prop_assert_eq!(canonical(&form), form);
        }
    }
}
