//! The table of the dialects, cell by cell: each typed error on each revision, with its exact JSON
//! and its HTTP status.

use plainly_errors::registry::lookup;
use plainly_errors::{Dialect, ErrorKind, ProtocolError, Revision};
use serde_json::{Value, json};

use crate::rows::{
    Number, Row, applications, internals, invalid_params, invalid_requests, kinds, refusals, same,
    unavailable,
};

impl Row {
    fn number(&self, revision: Revision) -> Number {
        let [modern, last_legacy, older] = self.numbers;
        match revision {
            Revision::V2026_07_28 => modern,
            Revision::V2025_11_25 => last_legacy,
            Revision::V2025_06_18 | Revision::V2025_03_26 | Revision::V2024_11_05 => older,
        }
    }

    fn check(&self, revision: Revision, dialect: Dialect, (code, http_status): Number) {
        let wire = dialect.encode(&self.error, revision);
        let mut expected = json!({ "code": code, "message": self.message });
        if !self.data.is_null() {
            expected["data"] = self.data.clone();
        }
        let context = format!("{:?} for {revision} in {dialect:?}", self.error.kind());
        assert_eq!(json!(wire), expected, "{context}");
        assert_eq!(wire.http_status, http_status, "{context}");
        if let Some(entry) = lookup(wire.code) {
            assert!(
                entry.http_status().contains(&http_status.to_string()),
                "the registry does not name this status: {context}"
            );
        }
    }
}

#[test]
fn each_error_is_written_as_the_table_says() {
    let tables = [
        kinds(),
        invalid_requests(),
        refusals(),
        unavailable(),
        invalid_params(),
        internals(),
        applications(),
    ];
    for row in tables.iter().flatten() {
        for revision in Revision::ALL {
            for dialect in [Dialect::Uniform, Dialect::PerRevision] {
                row.check(revision, dialect, row.number(revision));
            }
        }
    }
}

#[test]
fn a_missing_resource_is_the_one_error_that_a_dialect_changes() {
    let named = same(
        ProtocolError::resource_not_found("note://archived"),
        "Resource not found: note://archived",
        json!({ "uri": "note://archived" }),
        (-32602, 200),
    );
    let nameless = same(
        ErrorKind::ResourceNotFound { uri: None },
        "Resource not found",
        Value::Null,
        (-32602, 200),
    );
    for row in [named, nameless] {
        for revision in Revision::ALL {
            row.check(revision, Dialect::Uniform, (-32602, 200));
            let own = match revision {
                Revision::V2024_11_05
                | Revision::V2025_03_26
                | Revision::V2025_06_18
                | Revision::V2025_11_25 => (-32002, 200),
                Revision::V2026_07_28 => (-32602, 200),
            };
            row.check(revision, Dialect::PerRevision, own);
        }
    }
}

#[test]
fn the_members_of_an_error_are_code_message_data() {
    let error = ProtocolError::resource_not_found("note://archived");
    let wire = Dialect::default().encode(&error, Revision::V2026_07_28);
    insta::assert_snapshot!(
        serde_json::to_string(&wire).unwrap(),
        @r#"{"code":-32602,"message":"Resource not found: note://archived","data":{"uri":"note://archived"}}"#
    );
    let wire = Dialect::default().encode(&ProtocolError::parse_error("m"), Revision::V2026_07_28);
    insta::assert_snapshot!(
        serde_json::to_string(&wire).unwrap(),
        @r#"{"code":-32700,"message":"m"}"#
    );
}

#[test]
fn an_error_without_id_can_be_sent_since_2025_11_25() {
    let can: Vec<_> = Revision::ALL
        .into_iter()
        .filter(|revision| revision.traits().errors_without_id)
        .collect();
    assert_eq!(can, [Revision::V2025_11_25, Revision::V2026_07_28]);
}
