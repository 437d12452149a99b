//! A second implementation of the rules of the envelope, over a tree that `serde_json` reads.
//!
//! The property tests and the fuzz target compare the two. It is slow and simple on purpose, and
//! shares no code with the scan.

use std::collections::HashSet;
use std::fmt;

use plainly_protocol::envelope::{
    self, Envelope, Limits, MalformedKind, MalformedMessage, Message, Object, Outcome,
};
use plainly_protocol::id::RequestId;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Panics if the scan and the second implementation differ on `bytes`.
pub(crate) fn compare(bytes: &[u8], limits: &Limits) {
    let scan = envelope::parse(bytes, limits);
    let tree = std::str::from_utf8(bytes).map_err(|_| String::new());
    let tree =
        tree.and_then(|text| serde_json::from_str::<Tree>(text).map_err(|error| error.to_string()));
    match (scan, tree) {
        // `serde_json` stops at 128 levels, so it can't tell whether the rest is JSON.
        (scan, Err(error)) if error.starts_with("recursion limit") => assert!(scan.is_err()),
        // `serde_json` rounds numbers next to the largest float differently.
        (_, Err(error)) if error.starts_with("number out of range") => {}
        (Err(scan), _) if scan.to_string().starts_with("a number is out of range") => {}
        // `serde_json` stops at escapes that no string can store, so it can't tell whether the rest
        // is JSON.
        (scan, Err(error)) if error.contains("hex escape") => assert!(is_refused(&scan)),
        (scan, Ok(tree)) => assert_eq!(
            describe(&scan),
            judge(&tree, limits),
            "on {}",
            bytes.escape_ascii()
        ),
        (scan, Err(_)) => assert_eq!(describe(&scan), "Parse None", "on {}", bytes.escape_ascii()),
    }
}

/// Returns whether the input is rejected, at least in part.
fn is_refused(scan: &Result<Envelope<'_>, MalformedMessage<'_>>) -> bool {
    match scan {
        Ok(Envelope::Single(_)) => false,
        Ok(Envelope::Batch(messages)) => messages.iter().any(Result::is_err),
        Err(_) => true,
    }
}

/// The limits that a few bytes can reach.
pub(crate) fn tight_limits() -> Limits {
    let mut limits = Limits::default();
    limits.depth = 5;
    limits.members_per_object = 7;
    limits.nodes = 30;
    limits.batch_messages = 3;
    limits.method_bytes = 12;
    limits.id_bytes = 4;
    limits
}

fn describe(envelope: &Result<Envelope<'_>, MalformedMessage<'_>>) -> String {
    match envelope {
        Ok(Envelope::Single(message)) => describe_message(message),
        Ok(Envelope::Batch(messages)) => messages.iter().fold("Batch".into(), |all, message| {
            let message = message
                .as_ref()
                .map_or_else(describe_malformed, describe_message);
            format!("{all}\n{message}")
        }),
        Err(malformed) => describe_malformed(malformed),
    }
}

fn describe_malformed(malformed: &MalformedMessage<'_>) -> String {
    refused(malformed.kind, malformed.id.map(|id| id.to_owned()))
}

fn describe_message(message: &Message<'_>) -> String {
    match message {
        Message::Request(request) => {
            let params = request.params.as_ref().map(read_params);
            called(
                Some(request.id.to_owned()),
                &request.method,
                params.as_ref(),
            )
        }
        Message::Notification(notification) => {
            let params = notification.params.as_ref().map(read_params);
            called(None, &notification.method, params.as_ref())
        }
        Message::Response(response) => {
            let id = response.id.map(|id| id.to_owned());
            match response.outcome {
                Outcome::Result(raw) => format!("result {id:?} {:?}", read(raw)),
                Outcome::Error(raw) => format!("error {id:?} {:?}", read(raw)),
            }
        }
    }
}

/// Reads the params by their members, and checks that they agree with their text.
fn read_params(params: &Object<'_>) -> Tree {
    let tree = read_members(params);
    assert_eq!(read(params.raw()), tree);
    for (key, raw) in params.members() {
        assert_eq!(params.get(key), Some(raw));
        let object = params.get_object(key).as_ref().map(read_members);
        let expected = Some(read(raw)).filter(|value| matches!(value, Tree::Object(_)));
        assert_eq!(object, expected);
    }
    tree
}

fn read_members(object: &Object<'_>) -> Tree {
    let members = object
        .members()
        .map(|(key, raw)| (key.to_owned(), read(raw)));
    Tree::Object(members.collect())
}

fn read(raw: &str) -> Tree {
    serde_json::from_str(raw).expect("raw members are JSON")
}

fn judge(tree: &Tree, limits: &Limits) -> String {
    let Tree::Array(messages) = tree else {
        return judge_message(tree, 0, 0, limits);
    };
    if messages.is_empty() || messages.len() > limits.batch_messages || tree.nodes() > limits.nodes
    {
        return refused(MalformedKind::InvalidRequest, None);
    }
    messages.iter().fold("Batch".into(), |all, message| {
        format!("{all}\n{}", judge_message(message, 1, 1, limits))
    })
}

fn judge_message(tree: &Tree, outer_depth: usize, outer_nodes: usize, limits: &Limits) -> String {
    let Tree::Object(members) = tree else {
        return refused(MalformedKind::InvalidRequest, None);
    };
    let all = |name: &str| {
        members
            .iter()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value)
            .collect::<Vec<_>>()
    };
    let one = |name: &str| all(name).first().copied();
    let id = one("id").and_then(|id| as_id(id, limits));
    let certain = all("id").len() < 2 && members.len() <= limits.members_per_object;
    let known = id.clone().filter(|_| certain);
    let invalid = refused(MalformedKind::InvalidRequest, known.clone());

    let excessive = tree.has_duplicates()
        || tree.depth() + outer_depth > limits.depth
        || tree.nodes() + outer_nodes > limits.nodes
        || tree.widest() > limits.members_per_object;
    if excessive || one("jsonrpc") != Some(&Tree::String("2.0".into())) {
        return invalid;
    }
    let (result, error) = match (one("result"), one("error")) {
        (result @ Some(_), Some(Tree::Null)) => (result, None),
        (Some(Tree::Null), error @ Some(_)) => (None, error),
        both => both,
    };
    match (one("method"), result, error) {
        (Some(Tree::String(method)), None, None) if method.len() <= limits.method_bytes => {
            match (one("id"), &id, one("params")) {
                (Some(_), None, _) => invalid,
                (_, _, None | Some(Tree::Null)) => called(id, method, None),
                (_, _, params @ Some(Tree::Object(_))) => called(id, method, params),
                (_, _, Some(_)) => refused(MalformedKind::InvalidParams, known),
            }
        }
        (None, Some(result), None) if id.is_some() => format!("result {id:?} {result:?}"),
        (None, None, Some(error))
            if id.is_some() || matches!(one("id"), None | Some(Tree::Null)) =>
        {
            format!("error {id:?} {error:?}")
        }
        _ => invalid,
    }
}

fn as_id(tree: &Tree, limits: &Limits) -> Option<RequestId> {
    match tree {
        Tree::Number(number) => {
            let integer = number.parse::<i64>().ok();
            let whole = || plainly_errors::number::whole(number.parse().ok()?);
            integer.or_else(whole).map(RequestId::from)
        }
        Tree::String(id) if id.len() <= limits.id_bytes => Some(RequestId::from(id.as_str())),
        Tree::String(_) | Tree::Null | Tree::Bool(_) | Tree::Array(_) | Tree::Object(_) => None,
    }
}

fn refused(kind: MalformedKind, id: Option<RequestId>) -> String {
    format!("{kind:?} {id:?}")
}

fn called(id: Option<RequestId>, method: &str, params: Option<&Tree>) -> String {
    format!("call {id:?} {method:?} {params:?}")
}

/// Everything that `serde_json` reads, in order, including duplicates.
#[derive(Debug, Clone, PartialEq)]
enum Tree {
    Null,
    Bool(bool),
    /// A number. An integer is stored as its digits, and any other number as Rust shows a float.
    Number(String),
    String(String),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Tree {
    fn children(&self) -> Vec<&Self> {
        match self {
            Self::Array(values) => values.iter().collect(),
            Self::Object(members) => members.iter().map(|(_, value)| value).collect(),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => Vec::new(),
        }
    }

    fn nodes(&self) -> usize {
        1 + self.children().into_iter().map(Self::nodes).sum::<usize>()
    }

    fn depth(&self) -> usize {
        let own = usize::from(matches!(self, Self::Array(_) | Self::Object(_)));
        own + self
            .children()
            .into_iter()
            .map(Self::depth)
            .max()
            .unwrap_or(0)
    }

    fn widest(&self) -> usize {
        let own = if let Self::Object(members) = self {
            members.len()
        } else {
            0
        };
        self.children()
            .into_iter()
            .map(Self::widest)
            .fold(own, usize::max)
    }

    fn has_duplicates(&self) -> bool {
        let mut seen = HashSet::new();
        let own = matches!(self, Self::Object(members) if !members.iter().all(|(key, _)| seen.insert(key)));
        own || self.children().into_iter().any(Self::has_duplicates)
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Tree;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_unit<E: Error>(self) -> Result<Tree, E> {
                Ok(Tree::Null)
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
                Ok(Tree::Bool(value))
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
                Ok(Tree::Number(value.to_string()))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
                Ok(Tree::Number(value.to_string()))
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Tree, E> {
                Ok(Tree::Number(format!("{value:?}")))
            }

            fn visit_str<E: Error>(self, value: &str) -> Result<Tree, E> {
                Ok(Tree::String(value.into()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Tree, A::Error> {
                let mut all = Vec::new();
                while let Some(value) = values.next_element()? {
                    all.push(value);
                }
                Ok(Tree::Array(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Tree, A::Error> {
                let mut all = Vec::new();
                while let Some(member) = members.next_entry()? {
                    all.push(member);
                }
                Ok(Tree::Object(all))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
