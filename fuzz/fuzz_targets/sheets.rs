//! Workbooks with any content in their parts, and bytes as a workbook. The converted text must be
//! limited, and consist of tables. Workbooks from before 2007 are left out, because only a separate
//! process limits their conversion.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use plainly_convert::Sheets;
use plainly_fuzz::{Piece, Words, archive, converted, relationships, xml};

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const ODS: &str = "application/vnd.oasis.opendocument.spreadsheet";

const WORDS: Words = Words {
    elements: &[
        "sheetData",
        "row",
        "c",
        "v",
        "is",
        "t",
        "r",
        "f",
        "rPh",
        "si",
        "sst",
        "dimension",
        "numFmts",
        "numFmt",
        "cellXfs",
        "xf",
        "table",
        "table-row",
        "table-cell",
        "covered-table-cell",
        "p",
        "s",
        "line-break",
        "annotation",
    ],
    attributes: &[
        "r",
        "s",
        "t",
        "ref",
        "uniqueCount",
        "numFmtId",
        "formatCode",
        "number-rows-repeated",
        "number-columns-repeated",
        "name",
        "value",
    ],
    values: &[
        "0",
        "1",
        "s",
        "b",
        "e",
        "d",
        "str",
        "inlineStr",
        "A1",
        "C7",
        "XFD1048576",
        "ZZZ9999999",
        "A1:XFD1048576",
        "14",
        "22",
        "164",
        "yyyy-mm-dd",
        "[h]:mm",
        "16384",
        "1048576",
        "18446744073709551615",
        "#REF!",
    ],
};

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    room: u8,
    sheet: Vec<Piece<'a>>,
    strings: Vec<Piece<'a>>,
    styles: Vec<Piece<'a>>,
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let room = usize::from(input.room) << 8;
    for mime_type in [XLSX, ODS] {
        converted(&Sheets::new(), mime_type, input.bytes, room);
    }
    let sheet = format!(
        "<worksheet>{}</worksheet>",
        xml("sheetData", &input.sheet, &WORDS)
    );
    let excel = archive(&[
        (
            "_rels/.rels",
            &relationships(&[("officeDocument", "xl/workbook.xml")]),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            &relationships(&[("worksheet", "worksheets/sheet1.xml")]),
        ),
        (
            "xl/workbook.xml",
            "<workbook xmlns:r=\"r\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
        ),
        ("xl/worksheets/sheet1.xml", &sheet),
        ("xl/sharedStrings.xml", &xml("sst", &input.strings, &WORDS)),
        ("xl/styles.xml", &xml("styleSheet", &input.styles, &WORDS)),
    ]);
    let open_document = archive(&[("content.xml", &xml("table", &input.sheet, &WORDS))]);
    for (mime_type, workbook) in [(XLSX, excel), (ODS, open_document)] {
        let text = converted(&Sheets::new(), mime_type, &workbook, room);
        for line in text
            .iter()
            .flat_map(|text| text.lines())
            .filter(|line| !line.is_empty())
        {
            let is_row = line.starts_with('|') && line.ends_with('|');
            assert!(is_row || line.starts_with("## "), "{line}");
        }
    }
});
