//! What stands in one place alone: the numbers of errors, and what is written to standard output.

use crate::facts::Word;
use crate::workspace::{breaches, count_in, files};

/// A number of JSON-RPC's reserved range.
fn has_number(words: &[Word]) -> bool {
    let is_negative = words[0].text.ends_with('-') && words.len() > 1;
    let text = if is_negative {
        format!("-{}", words[1].text)
    } else {
        words[0].text.clone()
    };
    let plain = text.replace('_', "");
    plain.match_indices("-32").any(|(at, _)| {
        let digits = plain[at + 1..].bytes().take_while(u8::is_ascii_digit);
        digits.count() == 5
    })
}

#[test]
fn the_numbers_of_errors_stand_in_their_table_alone() {
    let allowed = [
        "crates/plainly-errors/src/registry",
        "crates/plainly-errors/src/code.rs",
        // What others send.
        "crates/plainly-errors/src/habit/table.rs",
        // Its help shows how to ask for one.
        "crates/plainly-cli/src/args/codes.rs",
    ];
    assert_eq!(breaches(&allowed, has_number), [""; 0]);
    for (text, count) in [
        ("const A: Code = Code::new(-32_602);", 1),
        ("fn f() { matches!(x, -32099..=-32020) }", 2),
        ("fn f() { g(\"failed with -32602\") }", 1),
        ("// -32602\nfn f() { x - 3260 }", 0),
        ("const A: [i64; 2] = [-320, i64::MIN];", 0),
    ] {
        assert_eq!(count_in(text, has_number), count, "{text}");
    }
}

fn prints(words: &[Word]) -> bool {
    let is = |at: usize, text: &str| words.get(at).is_some_and(|word| word.text == text);
    let is_macro = (is(0, "println") || is(0, "print")) && is(1, "!");
    // A child's own output is another thing.
    let is_output = !is(0, ".") && is(1, "stdout") && is(2, "(");
    is_macro || is_output
}

#[test]
fn nothing_writes_to_standard_output_but_the_transport_and_the_binary() {
    let allowed = [
        "crates/plainly-transport/src/standard",
        // The binary prints in one place.
        "crates/plainly-cli/src/output.rs",
    ];
    assert_eq!(breaches(&allowed, prints), [""; 0]);
    for (text, count) in [
        ("fn f() { println!(\"x\") }", 1),
        ("fn f() { g(tokio::io::stdout(), 1) }", 1),
        ("fn f() { eprintln!(\"x\"); child.stdout(); }", 0),
    ] {
        assert_eq!(count_in(text, prints), count, "{text}");
    }
}

/// What the sources say of where they were written is of no use to anybody else.
#[test]
fn the_project_speaks_of_itself_alone() {
    let foreign = [["/", "work/"].concat(), ["../", "shared"].concat()];
    for file in files(&[".rs", ".toml", ".md", ".mjs", ".py", ".json"]) {
        for word in &foreign {
            assert!(!file.text.contains(word), "{} has {word}", file.path);
        }
    }
}
