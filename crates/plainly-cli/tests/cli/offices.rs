//! Tests a directory of Word documents, workbooks and notebooks, which a user reads with commands
//! and with tools.

use std::fs;
use std::path::Path;

use crate::support::{Docs, Serving, Target};

/// A notebook of two cells.
const NOTEBOOK: &str = r##"{"nbformat":4,"metadata":{"language_info":{"name":"python"}},"cells":[
  {"cell_type":"markdown","source":["# Plot\n"]},{"cell_type":"code","source":"plot()","outputs":[]}]}"##;

/// Documents that other programs wrote, a hostile one, and a truncated one.
fn docs() -> Docs {
    let docs = Docs::new();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plainly-convert/tests/office/files");
    for (name, file) in [
        ("report.docx", "libreoffice.docx"),
        ("sales.xlsx", "libreoffice.xlsx"),
        ("sales.ods", "libreoffice.ods"),
        ("sales.xls", "libreoffice.xls"),
        ("far.xls", "far.xls"),
    ] {
        fs::copy(files.join(file), docs.path.join(name)).unwrap();
    }
    fs::write(docs.path.join("plot.ipynb"), NOTEBOOK).unwrap();
    let cut = fs::read(docs.path.join("report.docx")).unwrap();
    fs::write(docs.path.join("cut.docx"), &cut[..2048]).unwrap();
    docs
}

#[test]
fn documents_are_markdown_for_commands_and_tools() {
    let docs = docs();
    for target in Target::docs(&docs) {
        for (name, own, line) in [
            (
                "report.docx",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                "Met on **Monday**, see [the page](https://example.com/x).",
            ),
            (
                "sales.xlsx",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                "| North | 12 | 3.5 | 2026-05-03 | 0.25 | TRUE |",
            ),
            (
                "sales.ods",
                "application/vnd.oasis.opendocument.spreadsheet",
                "| North | 12 | 3.5 | 2026-05-03 | 25% | TRUE |",
            ),
            (
                "sales.xls",
                "application/vnd.ms-excel",
                "| North | 12 | 3.5 | 2026-05-03 | 0.25 | TRUE |",
            ),
            ("plot.ipynb", "application/x-ipynb+json", "```python"),
        ] {
            let uri = format!("file:///docs/{name}");
            let stat = target.run("stat", &[&uri]).succeeded();
            let formats = format!("formats       {own}, text/markdown\n");
            assert!(stat.text().contains(&formats), "{}", stat.text());
            let read = target
                .run("read", &[&uri, "--as", "text/markdown"])
                .succeeded();
            assert!(
                read.text().lines().any(|found| found == line),
                "{}",
                read.text()
            );
            let call = target
                .run("call", &["read_resource", &format!("uri={uri}")])
                .succeeded();
            assert!(
                call.text().lines().any(|found| found == line),
                "{}",
                call.text()
            );
            let as_it_is = target.run("read", &[&uri]).succeeded();
            assert_eq!(as_it_is.stdout, fs::read(docs.path.join(name)).unwrap());
        }
    }
}

#[test]
fn a_document_that_cannot_be_read_costs_no_more_than_its_text() {
    let docs = docs();
    let server = Target::Http(Serving::docs(&docs));
    // Each of its eight sheets has two cells, and needs 512 MiB.
    for name in ["far.xls", "cut.docx"] {
        let uri = format!("file:///docs/{name}");
        let run = server.run("read", &[&uri]).succeeded();
        assert_eq!(
            run.stdout,
            fs::read(docs.path.join(name)).unwrap(),
            "{name}"
        );
        let run = server.run("read", &[&uri, "--as", "text/markdown"]);
        assert!(
            run.stderr.contains("has no text/markdown representation"),
            "{}",
            run.stderr
        );
    }
    let run = server.run(
        "read",
        &["file:///docs/report.docx", "--as", "text/markdown"],
    );
    assert!(run.succeeded().text().starts_with("# Minutes\n"));
}

#[test]
fn documents_are_searched_by_their_text() {
    let docs = docs();
    for target in Target::docs(&docs) {
        for (question, lines) in [
            ("pattern=Met on", &["file:///docs/report.docx"][..]),
            ("words=minutes of monday", &["file:///docs/report.docx"]),
            ("pattern=```python", &["file:///docs/plot.ipynb"]),
            (
                "pattern=^\\| North",
                &[
                    "file:///docs/sales.ods#page=1",
                    "file:///docs/sales.xls#page=1",
                    "file:///docs/sales.xlsx#page=1",
                    "5: | North | 12 | 3.5 | 2026-05-03 | 25% | TRUE |",
                ],
            ),
        ] {
            let found = target.run("call", &["search", question]).succeeded();
            for line in lines {
                let is_there = found.text().lines().any(|found| found == *line);
                assert!(is_there, "{question}: {}", found.text());
            }
        }
        let page = "uri=file:///docs/sales.ods#page=1";
        let read = target.run("call", &["read_resource", page, "offset=5", "limit=1"]);
        let read = read.succeeded();
        let text = read.text();
        assert!(text.starts_with("| North | 12 |"), "{text}");
        assert!(text.contains("Page 1 of "), "{text}");
    }
}

#[test]
fn the_log_says_why_a_document_is_served_as_it_is() {
    let docs = docs();
    let [_, server] = Target::docs(&docs);
    for (name, why) in [
        ("cut.docx", "error=invalid Zip archive: "),
        ("far.xls", "memory"),
    ] {
        let uri = format!("file:///docs/{name}");
        let words = [&*uri, "--as", "text/markdown", "--server-log", "debug"];
        let said = server.run("read", &words).stderr;
        let line = said
            .lines()
            .find(|line| line.contains("which is served as it is"));
        let line = line.unwrap_or_else(|| panic!("{said}"));
        for part in [&*uri, "to=\"text/markdown\"", why] {
            assert!(line.contains(part), "{part}: {line}");
        }
        assert!(!line.contains("Apart"), "{line}");
    }
}
