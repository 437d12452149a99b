//! `read_resource` and `read_resources`.

use plainly::protocol::types::Content;
use serde_json::{Value, json};

use super::{Tools, cases};
use crate::fixture::Fixture;

#[test]
fn lines_are_chosen_as_they_are_asked_for() {
    let fixture = Fixture::new(&[("a", "1\n2\n3\n4\n5\n"), ("empty", "")]);
    let tools = Tools::of(&fixture);
    for (tool, mut arguments, expected) in cases("parts of a text") {
        arguments["uri"] = json!("docs/a");
        assert_eq!(tools.text(tool, arguments), expected);
    }
    assert_eq!(
        tools.text("read_resource", json!({"uri": "docs/empty"})),
        "The text is empty."
    );
    for name in ["a", "empty"] {
        let tag = fixture.tag(name);
        for tool in ["read_resource", "stat_resource"] {
            let answer = tools.call(tool, json!({"uri": format!("docs/{name}")}));
            assert_eq!(answer.structured["tag"], tag, "{tool} {name}");
        }
        let text = tools.text("stat_resource", json!({"uri": format!("docs/{name}")}));
        assert!(text.contains(&format!("tag {tag})")), "{text}");
    }
    let answer = tools.call(
        "read_resource",
        json!({"uri": "docs/a", "offset": 2, "limit": 2}),
    );
    assert_eq!(
        answer.structured,
        json!({"uri": "file:///docs/a", "mimeType": "text/plain", "size": 10, "tag": fixture.tag("a"), "text": "2\n3\n", "firstLine": 2,
            "totalLines": 5, "nextOffset": 4, "note": "Lines 2 to 3 of 5. To continue: offset=4."})
    );
    for (tool, arguments, expected) in cases("cannot be read") {
        let error = tools.error(tool, arguments);
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn a_large_text_is_given_in_parts_that_join() {
    let line = "0123456789abcdef".repeat(8);
    let text: String = (0..6_000).map(|n| format!("{n} {line}\n")).collect();
    let fixture = Fixture::new(&[("large.txt", &text)]);
    let tools = Tools::of(&fixture);
    let mut joined = String::new();
    let mut offset = json!(1);
    while offset.is_u64() {
        let answer = tools.call(
            "read_resource",
            json!({"uri": "docs/large.txt", "offset": offset}),
        );
        let part = answer.structured["text"].as_str().unwrap();
        assert!(part.len() <= 256 << 10);
        joined += part;
        offset = answer.structured["nextOffset"].clone();
    }
    assert!(joined == text);
}

#[test]
fn a_line_that_fits_into_no_answer_is_cut() {
    let fixture = Fixture::new(&[("long", &format!("{}\nnext\n", "é".repeat(200_000)))]);
    let tools = Tools::of(&fixture);
    let text = tools.text("read_resource", json!({"uri": "docs/long"}));
    let rest = "file:///docs/long#bytes=262144-400000";
    let note = format!(
        "\nLine 1 of 2. It is cut after 262144 of its 400001 bytes. To continue: offset=2. The rest of the line: {rest}."
    );
    assert!(text.ends_with(&note), "{}", &text[text.len() - 200..]);
    let rest = tools.text("read_resource", json!({"uri": rest}));
    let letters = "é".repeat((400_000 - 262_144) / 2);
    assert_eq!(
        rest,
        format!(
            "{letters}\n\nBytes 262144 to 400000 of 400006. To continue: file:///docs/long#bytes=400001-537857."
        )
    );
}

#[test]
fn bytes_are_read_in_pieces_that_join() {
    let fixture = Fixture::new(&[]);
    let text: String = (0..200_000).map(|line| format!("line {line}\n")).collect();
    let picture = b"\x89PNG\r\n\x1a\n\0".repeat(9);
    std::fs::write(fixture.root().join("text"), &text).unwrap();
    std::fs::write(fixture.root().join("a.png"), &picture).unwrap();
    let tools = Tools::of(&fixture);
    let mut joined = String::new();
    let mut args = json!({"uri": "docs/text#bytes=0-"});
    loop {
        let answer = tools.call("read_resource", args.clone());
        joined += answer.structured["text"].as_str().unwrap();
        let note = answer.structured["note"].as_str().unwrap();
        let Some((_, rest)) = note.split_once("To continue: ") else {
            break;
        };
        match rest.strip_prefix("offset=") {
            Some(offset) => {
                args["offset"] = json!(offset.trim_end_matches('.').parse::<u64>().unwrap());
            }
            None => args = json!({"uri": rest.trim_end_matches('.')}),
        }
    }
    assert!(joined == text);
    let some = tools.call("read_resource", json!({"uri": "docs/a.png#bytes=9-17"}));
    let [Content::Resource(block), Content::Text(note)] = &*some.result.content else {
        panic!("{some:?}");
    };
    assert_eq!(block.resource.uri, "file:///docs/a.png#bytes=9-17");
    assert_eq!(block.resource.body.as_bytes(), &picture[..9]);
    let next = "file:///docs/a.png#bytes=18-26";
    assert_eq!(
        note.text,
        format!("Bytes 9 to 17 of 81. To continue: {next}.")
    );
    let beyond = tools.error("read_resource", json!({"uri": "docs/a.png#bytes=99-"}));
    assert!(beyond.contains("the resource has 81 bytes."), "{beyond}");
}

#[test]
fn images_sound_and_the_rest_are_what_they_are() {
    let fixture = Fixture::new(&[]);
    let png = b"\x89PNG\r\n\x1a\n\0";
    for (name, bytes) in [
        ("a.png", png.as_slice()),
        ("a.wav", b"RIFF\xff\xff\xff\xffWAVE"),
        ("a.pdf", b"%PDF\xff\0"),
        ("a.svg", b"<svg/>"),
        ("latin1.txt", b"caf\xe9\n"),
        ("broken.txt", b"caf\xc3\xa9, caf\xc3\xa9 \xe2\n"),
        ("utf16.txt", b"\xff\xfea\0\xfc\0"),
        ("utf16-cut.txt", b"\xff\xfea\0b"),
    ] {
        std::fs::write(fixture.root().join(name), bytes).unwrap();
    }
    let tools = Tools::of(&fixture);
    let content = |name: &str| {
        let answer = tools.call("read_resource", json!({"uri": format!("docs/{name}")}));
        assert!(!answer.is_error, "{}", answer.text);
        answer.result.content
    };
    assert_eq!(content("a.png"), [Content::image(png, "image/png")]);
    assert!(matches!(&*content("a.wav"), [Content::Audio(wav)] if wav.mime_type == "audio/wav"));
    for name in ["a.pdf", "utf16-cut.txt"] {
        assert!(matches!(&*content(name), [Content::Resource(_)]), "{name}");
    }
    assert_eq!(content("a.svg"), [Content::text("<svg/>")]);
    assert_eq!(content("utf16.txt"), [Content::text("aü")]);
    assert_eq!(fixture.text("file:///docs/utf16.txt"), "aü");
    assert_eq!(content("latin1.txt"), [Content::text("café\n")]);
    let lossy = tools.text("read_resource", json!({"uri": "docs/broken.txt"}));
    assert_eq!(
        lossy,
        "café, café \u{fffd}\n\nIt is not UTF-8: unreadable parts are shown as \u{fffd}."
    );
}

/// A file of any size can be read by lines.
#[test]
fn lines_of_what_is_too_large_are_read() {
    let fixture = Fixture::new(&[]);
    let log: String = (1..=2_000_000)
        .map(|line| format!("line {line}\n"))
        .collect();
    assert!(log.len() > 16 << 20);
    std::fs::write(fixture.root().join("log"), log).unwrap();
    let tools = Tools::of(&fixture);
    let read = |part: Value| {
        let mut args = json!({"uri": "docs/log"});
        args.as_object_mut()
            .unwrap()
            .extend(part.as_object().unwrap().clone());
        tools.text("read_resource", args)
    };
    let tail = read(json!({"tail": 2}));
    assert_eq!(tail, "line 1999999\nline 2000000\n\nThe last 2 lines.");
    let middle = read(json!({"offset": 1_500_000, "limit": 2}));
    let note = "Lines 1500000 to 1500001. To continue: offset=1500002.";
    assert_eq!(middle, format!("line 1500000\nline 1500001\n\n{note}"));
    let end = read(json!({"offset": 2_000_000}));
    assert_eq!(end, "line 2000000\n\nLines 2000000 to 2000000.");
    let all = read(json!({}));
    assert!(all.starts_with("line 1\nline 2\n") && all.contains("To continue: offset="));
    let error = tools.error(
        "read_resource",
        json!({"uri": "docs/log", "offset": 2_000_002}),
    );
    assert!(error.contains("the text has 2000000 lines"), "{error}");
}

#[test]
fn what_is_too_large_is_said_with_its_size() {
    let fixture = Fixture::with(&[("bytes", "1234\u{0}678901")], |builder| {
        builder.max_file_bytes(10)
    });
    let tools = Tools::of(&fixture);
    let error = tools.error("read_resource", json!({"uri": "docs/bytes"}));
    let expected = "file:///docs/bytes has 11 bytes, and the limit is 10. Read some of it, such as \
        file:///docs/bytes#bytes=0-65535, or let the operator of the server raise the limit, as with plainly serve \
        --max-file-size.";
    assert_eq!(error, expected);
}

#[test]
fn bytes_that_are_left_out_are_named() {
    let fixture = Fixture::new(&[]);
    std::fs::write(fixture.root().join("a.bin"), vec![0; 18_000_000]).unwrap();
    let tools = Tools::of(&fixture);
    for (part, which, advice, left_out) in [
        (
            "0-17500000",
            "0 to 16777215",
            "To continue",
            "16777216-17500000",
        ),
        (
            "-17500000",
            "1222784 to 17999999",
            "Left out",
            "500000-1222783",
        ),
    ] {
        let uri = format!("docs/a.bin#bytes={part}");
        let answer = tools.call("read_resource", json!({"uri": uri}));
        let expected =
            format!("Bytes {which} of 18000000. {advice}: file:///docs/a.bin#bytes={left_out}.");
        assert_eq!(answer.structured["note"], expected);
    }
}

/// Only the store's limit applies.
#[test]
fn a_large_image_is_read_by_itself() {
    let fixture = Fixture::new(&[]);
    std::fs::write(fixture.root().join("a.png"), vec![0; 16 << 20]).unwrap();
    let tools = Tools::of(&fixture);
    let answer = tools.call("read_resource", json!({"uri": "docs/a.png"}));
    let [Content::Image(image)] = &*answer.result.content else {
        panic!("{}", answer.text);
    };
    assert_eq!(image.data.len(), 16 << 20);
    let among = tools.error("read_resources", json!({"uris": ["docs/a.png"]}));
    assert!(among.ends_with("Read it by itself."), "{among}");
}

#[test]
fn several_are_read_and_the_failures_fail_none_but_themselves() {
    let fixture = Fixture::new(&[("a", "A"), ("b", "B")]);
    let tools = Tools::of(&fixture);
    let answer = tools.call(
        "read_resources",
        json!({"uris": ["docs/a", "docs/c", "docs/b", "docs"]}),
    );
    assert!(!answer.is_error);
    assert!(
        answer
            .text
            .starts_with("docs/a:\nA\ndocs/c:\nThe resource 'file:///docs/c' was not found."),
        "{}",
        answer.text
    );
    let results = answer.structured["results"].as_array().unwrap();
    assert_eq!(results[0]["read"]["text"], "A");
    assert!(results[1]["error"].as_str().unwrap().contains("not found"));
    assert_eq!(results[2]["read"]["text"], "B");
    assert!(
        results[3]["error"]
            .as_str()
            .unwrap()
            .contains("is a directory")
    );
    let error = tools.error("read_resources", json!({"uris": ["docs/x", "docs/y"]}));
    assert!(
        error.contains("docs/x") && error.contains("docs/y"),
        "{error}"
    );
}

#[test]
fn several_fit_into_one_answer_together() {
    let fixture = Fixture::new(&[]);
    for name in ["a", "b", "c"] {
        std::fs::write(fixture.root().join(name), "x\n".repeat(80_000)).unwrap();
    }
    let tools = Tools::of(&fixture);
    let answer = tools.call(
        "read_resources",
        json!({"uris": ["docs/a", "docs/b", "docs/c"]}),
    );
    assert!(
        answer.text.len() < (256 << 10) + 1_000,
        "{}",
        answer.text.len()
    );
    assert!(
        answer.text.contains("To continue: offset="),
        "{}",
        answer.text.len()
    );
    assert!(
        answer
            .text
            .ends_with("\ndocs/c did not fit into this result. Read it by itself.")
    );
}
