//! Every type by its name, with all its fields on the wire: their names, their order, and that
//! reading loses none.

use std::collections::BTreeMap;

use plainly_errors::WireError;
use plainly_protocol::types::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{again, call_again, cases};

/// The parameters of a method that has no type for them.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

type InputRequests = BTreeMap<String, InputRequest>;

macro_rules! types {
    ($($name:ident)*) => {
        /// Reads the text as the type of this name, and writes it again.
        pub(crate) fn again_as(name: &str, text: &str) -> serde_json::Result<String> {
            match name {
                $(stringify!($name) => again::<$name>(text),)*
                "CallToolParams" => call_again(text),
                // This type can only be read.
                "ResultFields" => serde_json::from_str::<ResultFields>(text).map(|_| String::new()),
                other => panic!("{other} is not in the list of types"),
            }
        }
    };
}

types! {
    AcknowledgedParams Annotations CallToolResult CancelTaskParams CancelledParams ClientCapabilities CompleteParams
    CompleteResult Content CreateMessageParams CreateMessageResult CreateTaskResult DetailedTask DiscoverResult
    ElicitParams ElicitResult ElicitationCompleteParams EmptyResult Field FormSchema GetPromptParams GetPromptResult
    GetSkillParams GetSkillResult GetTaskParams Icon Implementation InitializeParams InitializeResult InputRequest InputRequests InputRequiredResult
    InputResponseParams InputResponses ListChangedParams ListPromptsParams ListPromptsResult
    ListResourceTemplatesParams ListResourceTemplatesResult ListResourcesParams ListResourcesResult ListRootsResult
    ListSkillsParams ListSkillsResult ListToolsParams ListToolsResult ListenParams ListenResult LoggingMessageParams ModelPreferences Nothing
    ProgressParams Prompt PromptArgument PromptMessage ReadDirectoryParams ReadResourceParams ReadResourceResult
    Resource ResourceContents ResourceMetadataParams ResourceMetadataResult ResourceTemplate ResourceUpdatedParams
    Root SamplingContent SamplingMessage ServerCapabilities SetLevelParams Skill SkillFile SubscribeParams
    SubscriptionFilter Tool ToolAnnotations UnsubscribeParams UpdateTaskParams WireError
}

#[test]
fn every_field_comes_back() {
    for (name, wire) in cases::<(&str, &str)>("wire") {
        let written = again_as(name, wire).unwrap_or_else(|error| panic!("{wire}: {error}"));
        assert_eq!(written, wire, "{name}");
    }
}

#[test]
fn an_array_is_no_object() {
    // The parameters of a call are read from a message, in which they are always an object. Errors
    // belong to another crate.
    let others = ["CallToolParams", "Nothing", "WireError"];
    for (name, wire) in cases::<(&str, &str)>("wire") {
        let Ok(members) = serde_json::from_str::<BTreeMap<String, Value>>(wire) else {
            continue;
        };
        if others.contains(&name) {
            continue;
        }
        let values: Vec<_> = members.into_values().collect();
        let nulls = |count| json!(vec![Value::Null; count]);
        for array in [json!(values), nulls(values.len()), nulls(12), nulls(0)] {
            let read = again_as(name, &array.to_string());
            assert!(read.is_err(), "{name} {array}: {read:?}");
        }
    }
}

#[test]
fn a_whole_number_is_one_however_it_is_written() {
    for (name, text, written) in cases::<(&str, &str, &str)>("whole numbers") {
        assert_eq!(again_as(name, text).unwrap(), written, "{name} {text}");
    }
}

#[test]
fn what_breaks_a_rule_is_refused() {
    for (name, text, expected) in cases::<(&str, &str, &str)>("refused") {
        let error = match again_as(name, text) {
            Ok(written) => panic!("{text} was read as {name}: {written}"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(expected), "{name} {text}: {error}");
    }
}
