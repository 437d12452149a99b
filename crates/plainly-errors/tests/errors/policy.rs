//! A property over all integers: the code of any error that is sent, whether created, forwarded or
//! made up, is one that the specification allows on that revision.

use std::collections::HashSet;

use plainly_errors::registry::{Emit, Entry, lookup, may_emit};
use plainly_errors::{
    ApplicationCode, Code, Dialect, ErrorKind, ProtocolError, Revision, WireError, conditions,
    registry,
};
use proptest::prelude::*;
use serde_json::{Map, json};

use crate::everywhere;
use crate::strategies::{code, error, json_value, received};

/// Returns whether the specification allows a code, written a second time with literal numbers.
fn allowed(code: i64, revision: Revision, dialect: Dialect) -> bool {
    let legacy = revision != Revision::V2026_07_28;
    match code {
        -32700 | -32603..=-32600 => true,
        -32022..=-32020 => !legacy,
        -32042 => revision == Revision::V2025_11_25,
        -32002 => legacy && dialect == Dialect::PerRevision,
        -32768..=-32000 => false,
        _ => true,
    }
}

fn assert_policy(error: &ProtocolError) {
    for (revision, dialect) in everywhere() {
        let code = dialect.encode(error, revision).code;
        assert!(
            allowed(code.get(), revision, dialect),
            "{error:?} left as {code} for {revision} in {dialect:?}"
        );
    }
}

#[test]
fn the_policy_is_the_specification_s_on_the_whole_reserved_range() {
    for code in -33000..=-31000 {
        for (revision, dialect) in everywhere() {
            assert_eq!(
                may_emit(Code::new(code), revision, dialect),
                allowed(code, revision, dialect),
                "{code} {revision} {dialect:?}"
            );
        }
    }
}

#[test]
fn no_code_of_the_reserved_range_gets_out_by_being_passed_on() {
    for code in (-33000..=-31000).map(Code::new) {
        assert_policy(&ProtocolError::new(ErrorKind::Unrecognised {
            code,
            data: None,
        }));
        assert_policy(&WireError::received(code, "m", None).recognise());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn the_policy_is_the_specification_s(code in code()) {
        for (revision, dialect) in everywhere() {
            prop_assert_eq!(
                may_emit(Code::new(code), revision, dialect),
                allowed(code, revision, dialect)
            );
        }
    }

    #[test]
    fn whatever_we_state_leaves_within_the_policy(error in error()) {
        assert_policy(&error);
    }

    #[test]
    fn whatever_we_pass_on_leaves_within_the_policy(wire in received()) {
        assert_policy(&wire.recognise());
    }

    #[test]
    fn an_application_s_code_leaves_as_it_is_or_is_refused(code in code(), data in json_value()) {
        match ApplicationCode::try_from(code) {
            Ok(application) => {
                let error = ProtocolError::new(ErrorKind::Application { code: application, data: Some(data) });
                for (revision, dialect) in everywhere() {
                    prop_assert_eq!(dialect.encode(&error, revision).code.get(), code);
                }
            }
            Err(refused) => {
                prop_assert_eq!(refused.code.get(), code);
                prop_assert!((-32768..=-32000).contains(&code));
            }
        }
    }
}

/// Returns an error that is sent with the entry's code.
fn produced_by(entry: &Entry) -> ProtocolError {
    match entry.code.get() {
        -32700 => ProtocolError::parse_error("m"),
        -32600 => ProtocolError::invalid_request("m"),
        -32601 => ProtocolError::method_not_found("m"),
        -32602 => ProtocolError::invalid_params("m"),
        -32603 => ProtocolError::internal("m"),
        -32020 => ProtocolError::header_mismatch("m"),
        -32021 => ProtocolError::missing_client_capability(Map::new()),
        -32022 => ProtocolError::unsupported_version(["2026-07-28"], "x"),
        -32002 => ProtocolError::resource_not_found("u"),
        -32042 => ProtocolError::url_elicitation_required([]),
        -1 => ProtocolError::application(ApplicationCode::of::<-1>(), "m"),
        other => panic!("the row {other} may be sent, and no error of ours becomes it"),
    }
}

#[test]
fn every_row_that_may_be_sent_is_sent_and_recognised_on_each_revision_that_defines_it() {
    for entry in registry().iter().filter(|entry| entry.emit != Emit::Never) {
        let error = produced_by(entry);
        for revision in Revision::ALL.into_iter().filter(|it| entry.defined_in(*it)) {
            let wire = Dialect::PerRevision.encode(&error, revision);
            assert_eq!(wire.code, entry.code, "{revision}");
            assert_eq!(wire.recognise(), error, "{} {revision}", entry.name);
            assert_eq!(lookup(wire.code), Some(entry));
        }
    }
}

#[test]
fn every_row_that_is_history_means_nothing_when_it_comes() {
    for entry in registry().iter().filter(|entry| entry.emit == Emit::Never) {
        let data = json!({ "requiredCapabilities": {}, "supported": [], "requested": "x" });
        let kind = ErrorKind::Unrecognised {
            code: entry.code,
            data: Some(data.clone()),
        };
        let error = WireError::received(entry.code, "m", Some(data)).recognise();
        assert_eq!(error.kind(), &kind, "{}", entry.name);
        for revision in Revision::ALL {
            assert!(!entry.defined_in(revision), "{} {revision}", entry.name);
        }
    }
}

#[test]
fn each_condition_is_written_with_a_code_that_may_be_sent() {
    for (revision, dialect) in everywhere() {
        for condition in conditions() {
            if let Some((code, _)) = condition.written(dialect, revision) {
                assert!(may_emit(code, revision, dialect), "{}", condition.name);
            }
        }
    }
}

#[test]
fn each_code_that_servers_send_states_a_condition() {
    let written: HashSet<Code> = conditions()
        .iter()
        .flat_map(|it| Revision::ALL.map(|revision| it.written(Dialect::PerRevision, revision)))
        .flatten()
        .map(|(code, _)| code)
        .collect();
    for entry in registry().iter().filter(|it| it.emit != Emit::Never) {
        let is_client_s = entry.name == "UserRejected";
        let found = written.contains(&entry.code);
        assert_eq!(found, !is_client_s, "{}", entry.name);
    }
}
