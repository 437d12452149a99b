//! Tests files in other formats, with `serve`, `stat` and `read --as`.

use crate::table::cases;
use std::fs;

use serde_json::{Value, json};

use crate::support::{Docs, PATIENCE, PLAINLY, REVISIONS, Serving, Target, plainly, run};

const HTML: &str = "<h1>Title</h1><p>A <b>bold</b> word.<script>no()</script>";

/// Files of every convertible type, and of one other type.
fn docs() -> Docs {
    let docs = Docs::new();
    fs::write(docs.path.join("page.html"), HTML).unwrap();
    fs::write(docs.path.join("table.csv"), "a,b\n1,2\n").unwrap();
    fs::write(
        docs.path.join("data.json"),
        format!("[\"{}\"]", "x".repeat(300)),
    )
    .unwrap();
    let painting = "BT /F 12 Tf 72 700 Td (Hello, reader.) Tj ET";
    fs::write(docs.path.join("paper.pdf"), pdf("", painting.as_bytes())).unwrap();
    docs
}

/// A document of one page, whose content stream has these entries.
fn pdf(entries: &str, painting: &[u8]) -> Vec<u8> {
    pdf_of(entries, &[painting])
}

/// A document of pages with these content streams.
fn pdf_of(entries: &str, pages: &[&[u8]]) -> Vec<u8> {
    pdf_titled(None, entries, pages)
}

/// A document with a title.
fn pdf_titled(title: Option<&str>, entries: &str, pages: &[&[u8]]) -> Vec<u8> {
    let kids = (0..pages.len()).map(|at| format!("{} 0 R", 3 + 2 * at));
    let kids = kids.collect::<Vec<_>>().join(" ");
    let count = pages.len();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>").into_bytes(),
    ];
    for painting in pages {
        let contents = objects.len() + 2;
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {contents} 0 R \
             /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
        );
        let stream = format!("<< /Length {} {entries} >>\nstream\n", painting.len());
        objects.push(page.into_bytes());
        objects.push([stream.as_bytes(), painting, b"\nendstream"].concat());
    }
    let mut more = String::new();
    if let Some(title) = title {
        objects.push(format!("<< /Title ({title}) >>").into_bytes());
        more = format!("/Info {} 0 R", objects.len());
    }
    let size = objects.len() + 1;
    let mut document = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        table += &format!("{:010} 00000 n \n", document.len());
        document.extend(format!("{number} 0 obj\n").bytes());
        document.extend(&object);
        document.extend(b"\nendobj\n");
    }
    let at = document.len();
    let end =
        format!("{table}trailer\n<< /Size {size} /Root 1 0 R {more} >>\nstartxref\n{at}\n%%EOF\n");
    document.extend(end.bytes());
    document
}

#[test]
fn no_format_is_promised_that_reading_does_not_give() {
    let docs = Docs::new();
    fs::write(docs.path.join("small.json"), "{\"a\":1}").unwrap();
    for target in Target::docs(&docs) {
        let uri = "file:///docs/small.json";
        let stat = target.run("stat", &[uri, "--json"]).succeeded().json();
        assert_eq!(stat["_meta"]["dev.plainly/representations"], Value::Null);
        let contents = read(&target, "small.json");
        assert_eq!(contents["contents"].as_array().unwrap().len(), 1);
    }
}

fn read(target: &Target, name: &str) -> Value {
    let uri = format!("file:///docs/{name}");
    target.run("read", &[&uri, "--json"]).succeeded().json()
}

#[test]
fn formats_are_told_and_read_over_every_transport_and_revision() {
    let docs = docs();
    for target in Target::docs(&docs) {
        for (name, own, other, text) in
            cases::<(&str, &str, &str, &str)>(include_str!("representations.txt"), "formats")
        {
            let file = fs::read(docs.path.join(name)).unwrap();
            let uri = format!("file:///docs/{name}");
            let stat = target.run("stat", &[&uri, "--json"]).succeeded().json();
            let mut told = json!([{ "mimeType": own, "size": file.len() }, { "mimeType": other }]);
            let has_pages = own == "application/pdf";
            if has_pages {
                told[1]["hasPages"] = json!(true);
            }
            assert_eq!(stat["_meta"]["dev.plainly/representations"], told, "{name}");

            let stat_text = target.run("stat", &[&uri]).succeeded();
            let line = format!("formats       {own}, {other}\n");
            assert!(stat_text.text().contains(&line), "{}", stat_text.text());

            let contents = read(&target, name);
            let mut there = told;
            there[1]["size"] = json!(text.len());
            for content in contents["contents"].as_array().unwrap() {
                assert_eq!(content["uri"], uri);
                let expected = (&json!(name), &json!(false));
                assert_eq!((&content["name"], &content["isCollection"]), expected);
                assert_eq!(content["annotations"], stat["annotations"]);
                assert_eq!(
                    content["_meta"]["dev.plainly/representations"], there,
                    "{name}"
                );
            }
            assert_eq!(contents["contents"].as_array().unwrap().len(), 2, "{name}");
            assert_eq!(contents["contents"][1]["text"], text);

            for revision in REVISIONS {
                let words = [uri.as_str(), "--revision", revision];
                let as_it_is = target.run("read", &words).succeeded();
                assert_eq!(as_it_is.stdout, file, "{name} {revision}");
                let words = [uri.as_str(), "--revision", revision, "--as", other];
                let run = target.run("read", &words).succeeded();
                assert_eq!(run.text(), text, "{name} {revision}");
            }
        }
    }
}

/// A document of three pages.
fn three_pages() -> Docs {
    let docs = docs();
    let painted =
        ["One", "Two", "Three"].map(|word| format!("BT /F 12 Tf 72 700 Td ({word}) Tj ET"));
    let painted = painted.each_ref().map(String::as_bytes);
    fs::write(docs.path.join("paper.pdf"), pdf_of("", &painted)).unwrap();
    docs
}

#[test]
fn pages_of_a_pdf_are_parts_of_it() {
    let docs = three_pages();
    let uri = "file:///docs/paper.pdf";
    for target in Target::docs(&docs) {
        for revision in REVISIONS {
            for (part, words, position) in [
                (
                    "page=1",
                    "One",
                    json!({"first": 1, "last": 1, "next": format!("{uri}#page=2")}),
                ),
                ("page=2-9", "TwoThree", json!({"first": 2, "last": 3})),
            ] {
                let part = format!("{uri}#{part}");
                let words_of = [&*part, "--json", "--revision", revision];
                let read = target.run("read", &words_of).succeeded().json();
                let content = &read["contents"][0];
                let text: String = content["text"]
                    .as_str()
                    .unwrap()
                    .split_whitespace()
                    .collect();
                assert_eq!(
                    (&*text, &content["mimeType"]),
                    (words, &json!("text/plain"))
                );
                let mut expected = position;
                expected["unit"] = json!("page");
                expected["total"] = json!(3);
                assert_eq!(content["_meta"]["dev.plainly/part"], expected, "{revision}");
            }
        }
        for (part, note) in [
            (
                "page=1",
                format!("Page 1 of 3. To continue: {uri}#page=2.\n"),
            ),
            ("page=2-9", "Pages 2 to 3 of 3.\n".to_owned()),
        ] {
            let page = format!("uri={uri}#{part}");
            let read = target.run("call", &["read_resource", &page]);
            assert!(read.text().ends_with(&note), "{}", read.text());
        }
        let words = [&*format!("{uri}#page=4"), "--json"];
        let missing = target.run("read", &words).stderr;
        assert!(missing.contains("no_such_part"), "{missing}");
        for (name, pages) in [("paper.pdf", "page=1\n"), ("page.html", "")] {
            let path = format!("path=docs/{name}");
            let words = ["file:///{+path}{#part}", "part", "pa", "--given", &path];
            assert_eq!(target.run("complete", &words).text(), pages, "{name}");
        }
        let none = target.run("read", &["file:///docs/page.html#page=1"]);
        assert!(
            none.stderr.contains("the resource has no pages"),
            "{}",
            none.stderr
        );
    }
}

#[test]
fn the_metadata_of_a_pdf_has_its_title() {
    let docs = docs();
    let titled = pdf_titled(Some("A year"), "", &[b"BT ET"]);
    fs::write(docs.path.join("year.pdf"), titled).unwrap();
    fs::write(docs.path.join("broken.pdf"), "no document").unwrap();
    for target in Target::docs(&docs) {
        for (name, title) in [
            ("year.pdf", json!("A year")),
            ("paper.pdf", Value::Null),
            ("broken.pdf", Value::Null),
        ] {
            let uri = format!("file:///docs/{name}");
            let stat = target.run("stat", &[&uri, "--json"]).succeeded().json();
            assert_eq!(stat["title"], title, "{name}");
        }
    }
}

#[test]
fn a_search_names_the_pages_of_a_document() {
    let docs = three_pages();
    let uri = "file:///docs/paper.pdf";
    for target in Target::docs(&docs) {
        for (question, page) in [("pattern=Two", "2"), ("words=two", "1-3")] {
            let words = ["search", question, "glob=*.pdf"];
            let found = target.run("call", &words).succeeded();
            let page = format!("{uri}#page={page}");
            assert!(found.text().starts_with(&page), "{}", found.text());
            let line = found.text().lines().find(|line| line.ends_with(" Two"));
            let offset = line.and_then(|line| line.split_once(':')).unwrap().0;
            let words = ["uri", "offset", "limit"]
                .into_iter()
                .zip([&*page, offset, "1"]);
            let words: Vec<_> = words
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let words: Vec<_> = ["read_resource"]
                .into_iter()
                .chain(words.iter().map(|word| &**word))
                .collect();
            let read = target.run("call", &words).succeeded();
            assert!(read.text().starts_with("Two"), "{}", read.text());
        }
    }
}

#[test]
fn a_line_that_is_cut_is_told() {
    let docs = docs();
    let long = format!("{}\nend\n", "x".repeat(100_000));
    fs::write(docs.path.join("long.txt"), &long).unwrap();
    let uri = "file:///docs/long.txt";
    let rest = format!("{uri}#bytes=65536-");
    for target in Target::docs(&docs) {
        let part = format!("{uri}#line=0,2");
        let read = target.run("read", &[&part]);
        assert_eq!(read.status, 0);
        assert_eq!(read.text(), format!("{}\nend\n", "x".repeat(65_536)));
        let told = format!("a line is cut: read the rest with {rest}");
        assert!(read.stderr.contains(&told), "{}", read.stderr);
        let json = target.run("read", &[&part, "--json"]).json();
        let cut = &json["contents"][0]["_meta"]["dev.plainly/part"]["cut"];
        assert!(cut[0].as_str().unwrap().starts_with(&rest), "{cut}");
    }
}

#[test]
fn a_part_that_is_cut_is_told() {
    let docs = docs();
    let line = format!("{}\n", "x".repeat(99));
    fs::write(docs.path.join("log.txt"), line.repeat(20_000)).unwrap();
    let uri = "file:///docs/log.txt";
    for target in Target::docs(&docs) {
        for (part, rest) in [("line=0,", "line=10485,"), ("bytes=0-", "bytes=1048576-")] {
            let read = target.run("read", &[&format!("{uri}#{part}")]);
            let told = format!("the part is cut: read the rest with {uri}#{rest}\n");
            assert!(read.stderr.ends_with(&told), "{}", read.stderr);
            let rest = target.run("read", &[&format!("{uri}#{rest}")]);
            assert_eq!(rest.stderr, "");
            assert_eq!([read.text(), rest.text()].concat(), line.repeat(20_000));
        }
    }
}

#[test]
fn json_without_line_breaks_is_indented() {
    let docs = docs();
    let [target, _] = Target::docs(&docs);
    let run = target.run("read", &["file:///docs/data.json", "--as", "text/plain"]);
    let expected = format!("[\n  \"{}\"\n]\n", "x".repeat(300));
    assert_eq!(run.succeeded().text(), expected);
    fs::write(docs.path.join("data.json"), "[1]").unwrap();
    let found = read(&target, "data.json")["contents"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(found, 1);
}

#[test]
fn files_can_be_served_as_they_are() {
    let docs = docs();
    let command = [PLAINLY, "serve", docs.str(), "--stdio", "--as-is"];
    let target = Target::Child(command.map(str::to_owned).into());
    fs::write(docs.path.join("latin.txt"), b"caf\xe9").unwrap();
    for name in [
        "page.html",
        "table.csv",
        "data.json",
        "paper.pdf",
        "latin.txt",
    ] {
        let contents = read(&target, name);
        assert_eq!(contents["contents"].as_array().unwrap().len(), 1, "{name}");
        let offered = &contents["contents"][0]["_meta"]["dev.plainly/representations"];
        assert_eq!(*offered, Value::Null, "{name}");
    }
    assert_eq!(
        read(&target, "latin.txt")["contents"][0]["blob"],
        "Y2Fm6Q=="
    );
    let [decoding, _] = Target::docs(&docs);
    let content = &read(&decoding, "latin.txt")["contents"][0];
    assert_eq!(content["text"], "café");
    assert_eq!(content["_meta"]["dev.plainly/encoding"], "windows-1252");
    target
        .run("read", &["file:///docs/page.html", "--as", "text/markdown"])
        .failed(
            1,
            "error: file:///docs/page.html has no text/markdown representation, only text/html\n",
        );
}

#[test]
fn a_pdf_that_cannot_be_read_costs_no_more_than_its_text() {
    let docs = docs();
    let deep = ["[".repeat(3_000_000), "]".repeat(3_000_000)].concat();
    let hostile = [
        ("empty.pdf", Vec::new()),
        ("text.pdf", b"not a PDF".to_vec()),
        ("half.pdf", pdf("", b"BT ET")[..200].to_vec()),
        ("long.pdf", pdf("/Length 1073741824", b"BT (x) Tj ET")),
        ("deep.pdf", pdf("", deep.as_bytes())),
        (
            "filter.pdf",
            pdf(
                "/Filter [/FlateDecode /LZWDecode /ASCII85Decode]",
                &[0x80; 999],
            ),
        ),
    ];
    for (name, content) in &hostile {
        fs::write(docs.path.join(name), content).unwrap();
    }
    let server = Target::Http(Serving::docs(&docs));
    for (name, content) in &hostile {
        let run = server
            .run("read", &[&format!("file:///docs/{name}")])
            .succeeded();
        assert_eq!(run.stdout, *content, "{name}");
    }
    let expected = "\n\nHello, reader.";
    assert_eq!(read(&server, "paper.pdf")["contents"][1]["text"], expected);
}

#[test]
fn hostile_html_is_served_and_the_server_lives_on() {
    let docs = docs();
    for (name, html) in [
        ("div.html", "<div>".repeat(100_000)),
        ("list.html", "<ul><li>".repeat(100_000)),
        ("reopened.html", "<b id=1><i id=2><p>x".repeat(20_000)),
    ] {
        fs::write(docs.path.join(name), html).unwrap();
    }
    let server = Target::Http(Serving::docs(&docs));
    for name in ["div.html", "list.html", "reopened.html", "page.html"] {
        let contents = read(&server, name);
        let html = fs::read_to_string(docs.path.join(name)).unwrap();
        assert_eq!(contents["contents"][0]["text"], html, "{name}");
    }
}

/// The separate process that converts a PDF.
#[test]
fn the_text_of_a_pdf_goes_from_input_to_output() {
    let text = |document: Vec<u8>| {
        let mut command = assert_cmd::Command::from_std(plainly());
        command
            .args(["convert-file", "application/pdf"])
            .write_stdin(document)
            .timeout(PATIENCE);
        command.output().unwrap()
    };
    let good = text(pdf("", b"BT /F 12 Tf 72 700 Td (Hello.) Tj ET"));
    assert_eq!(
        String::from_utf8(good.stdout).unwrap(),
        "1\n\u{c}\n\nHello."
    );
    let bad = text(b"text".to_vec());
    assert_eq!(bad.status.code(), Some(1));
    let said = String::from_utf8(bad.stderr).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    for words in [&["--help"][..], &["completions", "bash"], &["convert-fil"]] {
        let run = run(words);
        let said = format!("{}{}", run.text(), run.stderr);
        assert!(!said.contains("convert-file"), "{words:?}");
    }
}
