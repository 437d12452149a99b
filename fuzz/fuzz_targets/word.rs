//! Word documents with any content in their parts, and bytes as a document. The converted text must
//! be limited.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly_convert::Word;
use plainly_fuzz::{Piece, Words, archive, converted, relationships, xml};

const TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

const WORDS: Words = Words {
    elements: &[
        "p",
        "pPr",
        "pStyle",
        "numPr",
        "numId",
        "ilvl",
        "outlineLvl",
        "r",
        "rPr",
        "rStyle",
        "b",
        "i",
        "vanish",
        "t",
        "tab",
        "br",
        "noBreakHyphen",
        "hyperlink",
        "docPr",
        "tbl",
        "tr",
        "tc",
        "tcPr",
        "gridSpan",
        "footnoteReference",
        "endnoteReference",
        "footnote",
        "endnote",
        "del",
        "Fallback",
        "style",
        "name",
        "basedOn",
        "abstractNum",
        "lvl",
        "start",
        "numFmt",
        "num",
        "abstractNumId",
        "lvlOverride",
        "startOverride",
    ],
    attributes: &[
        "w:val",
        "w:id",
        "w:styleId",
        "w:numId",
        "w:ilvl",
        "w:abstractNumId",
        "descr",
    ],
    values: &[
        "0",
        "1",
        "2",
        "9",
        "4294967295",
        "99999999999999999999",
        "-1",
        "a",
        "heading 1",
        "bullet",
        "decimal",
        "rId5",
    ],
};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    room: u8,
    document: Vec<Piece<'a>>,
    styles: Vec<Piece<'a>>,
    numbering: Vec<Piece<'a>>,
    notes: Vec<Piece<'a>>,
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let room = usize::from(input.room) << 8;
    converted(&Word::new(), TYPE, input.bytes, room);
    let parts = [
        ("styles", "styles.xml"),
        ("numbering", "numbering.xml"),
        ("footnotes", "notes.xml"),
        ("endnotes", "/word/notes.xml"),
    ];
    let document = archive(&[
        (
            "_rels/.rels",
            &relationships(&[("officeDocument", "word/document.xml")]),
        ),
        ("word/_rels/document.xml.rels", &relationships(&parts)),
        (
            "word/document.xml",
            &xml("document", &input.document, &WORDS),
        ),
        ("word/styles.xml", &xml("styles", &input.styles, &WORDS)),
        (
            "word/numbering.xml",
            &xml("numbering", &input.numbering, &WORDS),
        ),
        ("word/notes.xml", &xml("notes", &input.notes, &WORDS)),
    ]);
    converted(&Word::new(), TYPE, &document, room);
});
