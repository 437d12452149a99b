//! Any error object, as received, recognised and passed on. The result must be an error within the
//! policy, and must not change after one trip.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_errors::registry::may_emit;
use plainly_errors::{Dialect, Revision, WireError};

fuzz_target!(|json: &[u8]| {
    let Ok(received) = serde_json::from_slice::<WireError>(json) else {
        return;
    };
    let error = received.recognise();
    assert_eq!(error.message(), received.message);
    for revision in Revision::ALL {
        for dialect in [Dialect::Uniform, Dialect::PerRevision] {
            let wire = dialect.encode(&error, revision);
            assert!(may_emit(wire.code, revision, dialect));
            let settled = wire.recognise();
            assert_eq!(dialect.encode(&settled, revision).recognise(), settled);
        }
    }
});
