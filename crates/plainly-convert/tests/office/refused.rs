//! Hostile documents. Each is rejected before it uses much memory.

use std::fmt::Write as _;

use crate::documents::{
    Archive, DOCX, ODS, XLS, XLSX, excel, open_document, paragraph, refused, word,
};

/// Bytes that can hardly be compressed, so that their archive may unpack to a large size.
fn noise(length: usize) -> Vec<u8> {
    let mut seed = 1_u32;
    let next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed.to_le_bytes()[3]
    };
    std::iter::repeat_with(next).take(length).collect()
}

#[test]
fn a_bomb_of_a_hundred_times_its_size() {
    let bomb = Archive::word()
        .with("word/document.xml", " ".repeat(2 << 20))
        .finish();
    assert!(bomb.len() < 4096);
    assert_eq!(refused(DOCX, &bomb), "its archive unpacks to too much");
    for (mime_type, archive) in [(XLSX, Archive::excel()), (ODS, Archive::open_document())] {
        let bomb = archive.with("content.xml", " ".repeat(2 << 20)).finish();
        assert_eq!(refused(mime_type, &bomb), "its archive unpacks to too much");
    }
}

#[test]
fn a_bomb_of_256_mib() {
    let mut bomb = Archive::word().with("noise", noise(3 << 20));
    let piece = vec![0; 16 << 20];
    for number in 0..17 {
        bomb = bomb.with(&format!("media{number}"), &piece);
    }
    assert_eq!(
        refused(DOCX, &bomb.finish()),
        "its archive unpacks to too much"
    );
}

#[test]
fn ten_thousand_files_and_one() {
    let mut bomb = Archive::word();
    for number in 0..10_000 {
        bomb = bomb.with(&number.to_string(), "");
    }
    assert_eq!(
        refused(DOCX, &bomb.finish()),
        "its archive has more than 10000 files"
    );
}

#[test]
fn names_that_lead_out() {
    for name in [
        "../evil.xml",
        "word/../../evil",
        "/etc/passwd",
        "\\evil",
        "C:evil",
        "a\\..\\b",
    ] {
        let evil = Archive::word().with(name, "x").finish();
        let why = refused(DOCX, &evil);
        assert_eq!(
            why, "a file in its archive has a name that leads out of it",
            "{name}"
        );
    }
}

#[test]
fn entities_and_document_types() {
    let laughs = "<!DOCTYPE a [<!ENTITY b \"ha\"><!ENTITY c \"&b;&b;&b;\"><!ENTITY d SYSTEM \"file:///etc/passwd\">]><a>&c;&d;</a>";
    for (text, reason) in [
        (
            laughs,
            "its XML has a document type, which may define entities",
        ),
        ("<a>&c;</a>", "its XML has an entity of its own"),
    ] {
        for (mime_type, archive) in [
            (DOCX, Archive::word().with("word/document.xml", text)),
            (XLSX, Archive::excel().with("xl/sharedStrings.xml", text)),
            (ODS, Archive::open_document().with("content.xml", text)),
        ] {
            assert_eq!(refused(mime_type, &archive.finish()), reason);
        }
    }
}

#[test]
fn elements_within_elements() {
    let reason = "its XML is nested deeper than 64 elements";
    let deep = format!(
        "{}{}",
        "<w:tbl>".repeat(100_000),
        "</w:tbl>".repeat(100_000)
    );
    let padding = String::from_utf8_lossy(&noise(64 << 10)).into_owned();
    let files =
        |archive: Archive, name: &str| archive.with("padding", &padding).with(name, &deep).finish();
    assert_eq!(
        refused(DOCX, &files(Archive::word(), "word/document.xml")),
        reason
    );
    assert_eq!(
        refused(XLSX, &files(Archive::excel(), "xl/worksheets/sheet1.xml")),
        reason
    );
    assert_eq!(
        refused(ODS, &files(Archive::open_document(), "content.xml")),
        reason
    );
}

#[test]
fn a_million_columns() {
    let reason = "a table has more than 16384 columns";
    let far = "<table-row><table-cell number-columns-repeated=\"1000000\"/><table-cell><p>x</p></table-cell></table-row>";
    assert_eq!(
        refused(ODS, &open_document(&format!("<table>{far}</table>"))),
        reason
    );
    let repeated = "<table-row><table-cell number-columns-repeated=\"1000000\"><p>x</p></table-cell></table-row>";
    assert_eq!(
        refused(ODS, &open_document(&format!("<table>{repeated}</table>"))),
        reason
    );
    assert_eq!(
        refused(
            XLSX,
            &excel("<row r=\"1\"><c r=\"ZZZ1\"><v>1</v></c></row>")
        ),
        reason
    );
    let overflow = "<row r=\"1\"><c r=\"ZZZZZZZZZZZZZZ1\"><v>1</v></c></row>";
    assert_eq!(
        refused(XLSX, &excel(overflow)),
        "no sheet has the r ZZZZZZZZZZZZZZ1"
    );
}

#[test]
fn a_table_longer_than_any_text() {
    let reason = "it is longer than the 1048576 bytes left for it";
    let converted = |mime_type, content: &[u8]| {
        use plainly_convert::{Converter as _, Draft, Original, Sheets};
        let mut draft = Draft::new(1 << 20);
        assert!(
            Sheets::new()
                .convert(Original::new(mime_type, content), &mut draft)
                .is_err()
        );
        draft.finish().unwrap_err().to_string()
    };
    let value = "x".repeat(1000);
    let rows = format!(
        "<table-row number-rows-repeated=\"{0}\"><table-cell number-columns-repeated=\"16384\"><p>{value}</p></table-cell></table-row>",
        usize::MAX
    );
    assert_eq!(
        converted(ODS, &open_document(&format!("<table>{rows}</table>"))),
        reason
    );
    let mut rows = String::new();
    for row in 1..1000 {
        write!(
            rows,
            "<row r=\"{row}\"><c r=\"XFD{row}\"><v>1</v></c></row>"
        )
        .unwrap();
    }
    assert_eq!(converted(XLSX, &excel(&rows)), reason);
}

#[test]
fn strings_that_are_not_there() {
    for count in ["18446744073709551615", "99999999999"] {
        let strings = format!("<sst uniqueCount=\"{count}\"/>");
        let bomb = Archive::excel()
            .with("xl/sharedStrings.xml", strings)
            .finish();
        assert_eq!(
            refused(XLSX, &bomb),
            format!("no sheet has the uniqueCount {count}")
        );
    }
}

#[test]
fn cells_that_no_sheet_has() {
    for attributes in [
        r#"r="AAAA1""#,
        r#"r="A1" r="ZZZZZZZZ99999999""#,
        r#"r="A1" x:r="A99999999""#,
    ] {
        let rows = format!("<row r=\"1\"><c {attributes}><v>1</v></c></row>");
        let reason = refused(XLSX, &excel(&rows));
        assert!(reason.starts_with("no sheet has the r "), "{reason}");
    }
}

#[test]
fn what_is_encrypted() {
    let old = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".as_slice(), &[0; 4096]].concat();
    for mime_type in [DOCX, XLSX, ODS] {
        assert_eq!(
            refused(mime_type, &old),
            "it is encrypted, or older than its name says"
        );
    }
    let mut flagged = word(&paragraph("", "secret"));
    // Sets the flag of the first file, in its local header and in the index.
    let index = flagged
        .windows(4)
        .position(|four| four == b"PK\x01\x02")
        .unwrap();
    flagged[6] |= 1;
    flagged[index + 8] |= 1;
    assert!(
        refused(DOCX, &flagged).contains("assword"),
        "{}",
        refused(DOCX, &flagged)
    );
}

#[test]
fn what_is_cut_off_at_each_kib() {
    let body: String = (0..2000)
        .map(|number| paragraph("", &format!("{:x}", number * 7919 % 65_537)))
        .collect();
    let rows: String = (1..2000)
        .map(|row| {
            format!(
                "<row r=\"{row}\"><c><v>{}</v></c></row>",
                row * 7919 % 65_537
            )
        })
        .collect();
    for (mime_type, whole) in [
        (DOCX, word(&body)),
        (XLSX, excel(&rows)),
        (XLS, include_bytes!("files/xlwt.xls").to_vec()),
    ] {
        assert_eq!(refused(mime_type, &whole), "");
        assert!(whole.len() > 4096);
        for end in (0..whole.len()).step_by(1024) {
            assert_ne!(refused(mime_type, &whole[..end]), "", "{mime_type} {end}");
        }
    }
}

#[test]
fn what_lacks_what_it_names() {
    for document in [Archive::new(), Archive::word()] {
        assert_ne!(refused(DOCX, &document.finish()), "");
    }
    for mime_type in [DOCX, XLSX, ODS, XLS] {
        for content in [
            b"".as_slice(),
            b"text",
            b"PK\x03\x04",
            b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        ] {
            assert_ne!(refused(mime_type, content), "", "{mime_type}");
        }
    }
}
