//! Numbers and names that others rely on, pinned as literals. A change here is a change of the
//! protocol.

use plainly_errors::registry::Emit;
use plainly_errors::{Revision, registry};

#[test]
fn the_registry_has_these_codes_under_these_names() {
    let rows: Vec<_> = registry()
        .iter()
        .map(|entry| (entry.code.get(), entry.name))
        .collect();
    assert_eq!(
        rows,
        [
            (-32700, "ParseError"),
            (-32600, "InvalidRequest"),
            (-32601, "MethodNotFound"),
            (-32602, "InvalidParams"),
            (-32603, "InternalError"),
            (-32020, "HeaderMismatch"),
            (-32021, "MissingRequiredClientCapability"),
            (-32022, "UnsupportedProtocolVersion"),
            (-32002, "ResourceNotFound"),
            (-32042, "UrlElicitationRequired"),
            (-32001, "HeaderMismatch (release candidate)"),
            (
                -32003,
                "MissingRequiredClientCapability (release candidate)"
            ),
            (-32004, "UnsupportedProtocolVersion (release candidate)"),
            (-1, "UserRejected"),
        ]
    );
}

#[test]
fn the_registry_s_codes_are_defined_on_these_revisions() {
    let all = 0b1_1111;
    let expected = [
        (-32700, all),
        (-32600, all),
        (-32601, all),
        (-32602, all),
        (-32603, all),
        (-32020, 0b1_0000),
        (-32021, 0b1_0000),
        (-32022, 0b1_0000),
        (-32002, 0b0_1111),
        (-32042, 0b0_1000),
        (-32001, 0),
        (-32003, 0),
        (-32004, 0),
        (-1, 0b0_1111),
    ];
    let rows: Vec<_> = registry()
        .iter()
        .map(|entry| {
            let defined = Revision::ALL
                .iter()
                .enumerate()
                .filter(|(_, revision)| entry.defined_in(**revision))
                .map(|(index, _)| 1 << index)
                .sum::<u8>();
            (entry.code.get(), defined)
        })
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn only_the_old_number_of_a_missing_resource_takes_a_dialect() {
    for entry in registry() {
        let per_revision = entry.emit == Emit::PerRevision;
        assert_eq!(per_revision, entry.code.get() == -32002, "{}", entry.name);
    }
}

#[test]
fn the_revisions_are_these() {
    let expected = [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "2026-07-28",
    ];
    assert_eq!(Revision::ALL.map(Revision::as_str), expected);
}
