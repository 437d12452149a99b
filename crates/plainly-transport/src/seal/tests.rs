//! Seals, and the keys that make them.

use std::time::UNIX_EPOCH;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;

use super::ring::KEY;
use super::*;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const PURPOSE: Purpose<'static> = &["cursor", "notes", "tools/list"];

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn seal(keys: &Keys, text: &str) -> String {
    keys.seal(PURPOSE, text, now(), DAY).unwrap()
}

#[test]
fn nothing_opens_but_what_was_sealed_for_that() {
    let keys = Keys::new([1; KEY]);
    let sealed = seal(&keys, "file:///docs/a");
    assert_eq!(
        keys.open(PURPOSE, &sealed, now()).unwrap(),
        "file:///docs/a"
    );
    let others: [Purpose<'_>; 6] = [
        &["cursor", "notes", "prompts/list"],
        &["cursor", "other", "tools/list"],
        &["state", "notes", "tools/list"],
        &["cursor", "notestools/list"],
        &["cursor", "notes", "tools/list", ""],
        &[],
    ];
    for purpose in others {
        assert_eq!(
            keys.open(purpose, &sealed, now()),
            Err(InvalidSeal),
            "{purpose:?}"
        );
    }
    for text in ["", "null", "%", "AAAA", "=", "é", &"A".repeat(64)] {
        assert_eq!(keys.open(PURPOSE, text, now()), Err(InvalidSeal), "{text}");
    }
}

#[test]
fn nobody_proves_anything_without_the_key() {
    let [one, other] = [1, 2].map(|key| Keys::new([key; KEY]));
    let proof = one.proof(PURPOSE, now());
    assert_eq!(proof, one.proof(PURPOSE, now()));
    assert!(one.proves(PURPOSE, proof, now()));
    assert!(other.clone().and([1; KEY]).proves(PURPOSE, proof, now()));
    assert!(!other.proves(PURPOSE, proof, now()));
    assert!(!one.proves(&["cursor", "notestools/list"], proof, now()));
    assert!(!one.proves(PURPOSE, proof ^ 1, now()));
}

#[test]
fn it_is_good_until_its_time() {
    let keys = Keys::new([1; KEY]);
    let milli = Duration::from_millis(1);
    for (ttl, after, is_good) in [
        (DAY, Duration::ZERO, true),
        (DAY, DAY - milli, true),
        (DAY, DAY, false),
        (Duration::ZERO, Duration::ZERO, false),
        (Duration::MAX, 10_000 * DAY, true),
    ] {
        let sealed = keys.seal(PURPOSE, "x", now(), ttl).unwrap();
        let opened = keys.open(PURPOSE, &sealed, now() + after);
        assert_eq!(opened.is_ok(), is_good, "{ttl:?} {after:?}");
    }
}

#[test]
fn the_first_key_seals_and_all_open() {
    let (old, new) = ([1; KEY], [2; KEY]);
    let stages = [
        Keys::new(old),
        Keys::new(old).and(new),
        Keys::new(new).and(old),
        Keys::new(new),
    ];
    // Replicas of one stage and the next run at the same time.
    for pair in stages.windows(2) {
        for (one, other) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
            let sealed = seal(one, "x");
            assert_eq!(other.open(PURPOSE, &sealed, now()).as_deref(), Ok("x"));
        }
    }
    let sealed = seal(&stages[2], "x");
    assert_eq!(stages[0].open(PURPOSE, &sealed, now()), Err(InvalidSeal));
}

#[test]
fn a_server_without_keys_opens_what_it_sealed_itself() {
    let [mine, yours] = [(); 2].map(|()| Sealer::new(None));
    assert_eq!(mine.open(PURPOSE, "", now()), Err(InvalidSeal));
    let sealed = [&mine, &yours].map(|it| it.seal(PURPOSE, "x", now(), DAY).unwrap());
    assert_eq!(mine.open(PURPOSE, &sealed[0], now()).as_deref(), Ok("x"));
    assert_eq!(mine.open(PURPOSE, &sealed[1], now()), Err(InvalidSeal));
}

#[test]
fn bytes_that_are_no_text_come_back_as_they_were() {
    let (sealer, bytes) = (Sealer::new(Some(Keys::new([1; KEY]))), [0xff, 0]);
    let sealed = sealer.seal_bytes(PURPOSE, &bytes, now(), DAY).unwrap();
    assert_eq!(
        sealer.open_bytes(PURPOSE, &sealed, now()).as_deref(),
        Ok(&bytes[..])
    );
    let text = URL_SAFE_NO_PAD.encode(&sealed);
    assert_eq!(sealer.open(PURPOSE, &text, now()), Err(InvalidSeal));
}

#[test]
fn keys_are_read_from_lines() {
    let one = "0123456789abcdefABCDEF00".to_owned() + &"7f".repeat(20);
    let good = [one.clone(), format!("\n  {one} \r\n\n{one}\n")];
    for (text, count) in good.iter().zip([1, 2]) {
        let keys: Keys = text.parse().unwrap();
        assert_eq!(format!("{keys:?}"), format!("Keys({count})"));
    }
    let mut bytes = [0x7f; KEY];
    bytes[..12].copy_from_slice(&[
        0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef, 0,
    ]);
    let sealed = seal(&Keys::new(bytes), "x");
    assert!(
        one.parse::<Keys>()
            .unwrap()
            .open(PURPOSE, &sealed, now())
            .is_ok()
    );
    for (text, expected) in [
        (String::new(), InvalidKeys::Empty),
        ("\n \n".to_owned(), InvalidKeys::Empty),
        (format!("{one}\n{one}0"), InvalidKeys::Line(2)),
        (format!("\n{one}00"), InvalidKeys::Line(2)),
        (one[2..].to_owned(), InvalidKeys::Line(1)),
        (format!("+{}", &one[1..]), InvalidKeys::Line(1)),
        (format!("g{}", &one[1..]), InvalidKeys::Line(1)),
        (format!("é{}", &one[2..]), InvalidKeys::Line(1)),
    ] {
        assert_eq!(text.parse::<Keys>().err(), Some(expected), "{text:?}");
    }
}

#[test]
fn nothing_shows_the_key_or_the_text() {
    let keys = Keys::new(*b"a key that must never be shown!!");
    let sealed = seal(&keys, "file:///docs/secret");
    let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
    assert!(!bytes.windows(6).any(|part| part == b"secret"));
    assert_ne!(sealed, seal(&keys, "file:///docs/secret"));
    assert_eq!(format!("{keys:?}"), "Keys(1)");
}

proptest! {
    // Each case tries more than a thousand changes.
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn what_is_sealed_opens_and_no_bit_of_it_can_be_changed(text in ".{0,40}", key: [u8; KEY]) {
        let keys = Keys::new(key);
        let sealed = seal(&keys, &text);
        prop_assert_eq!(keys.open(PURPOSE, &sealed, now()).unwrap(), text);
        for bit in 0..sealed.len() * 8 {
            let mut bytes = sealed.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            if let Ok(changed) = String::from_utf8(bytes) {
                prop_assert_eq!(keys.open(PURPOSE, &changed, now()), Err(InvalidSeal), "bit {}", bit);
            }
        }
        let raw = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        for bit in 0..raw.len() * 8 {
            let mut bytes = raw.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let changed = URL_SAFE_NO_PAD.encode(bytes);
            prop_assert_eq!(keys.open(PURPOSE, &changed, now()), Err(InvalidSeal), "raw bit {}", bit);
        }
    }
}
