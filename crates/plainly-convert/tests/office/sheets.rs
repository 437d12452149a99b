//! Workbooks as Markdown.

use plainly_convert::{Converter as _, Draft, Original, PageRange, Sheets};

use crate::documents::{Archive, ODS, XLS, XLSX, converted, excel, open_document, relationships};

#[test]
fn cells_of_every_kind_are_values() {
    let styles = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"yyyy\\-mm\\-dd\"/></numFmts>\
                  <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/><xf numFmtId=\"22\"/></cellXfs></styleSheet>";
    let sheet = "<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData>\
        <row r=\"2\"><c r=\"A2\" t=\"s\"><v>0</v></c><c r=\"B2\" t=\"inlineStr\"><is><t>a|b</t></is></c></row>\
        <row r=\"3\"/>\
        <row r=\"4\"><c r=\"B4\"><v>0.30000000000000004</v></c><c r=\"C4\" t=\"b\"><v>1</v></c></row>\
        <row r=\"5\"><c r=\"A5\" s=\"1\"><v>45943</v></c><c r=\"B5\" s=\"2\"><v>45943.5</v></c>\
        <c r=\"C5\" t=\"e\"><v>#DIV/0!</v></c><c r=\"D5\" t=\"str\"><f>HYPERLINK(\"http://127.0.0.1\")</f><v>two\nlines</v></c></row>\
        </sheetData></worksheet>";
    let workbook = Archive::new()
        .with("_rels/.rels", relationships(&[("officeDocument", "xl/workbook.xml")]))
        .with(
            "xl/_rels/workbook.xml.rels",
            relationships(&[
                ("worksheet", "worksheets/sheet1.xml"),
                ("worksheet", "worksheets/sheet2.xml"),
                ("chartsheet", "chartsheets/sheet1.xml"),
            ]),
        )
        .with(
            "xl/workbook.xml",
            "<workbook xmlns:r=\"r\"><sheets><sheet name=\"Q1 *new*\" sheetId=\"1\" r:id=\"rId1\"/>\
             <sheet name=\"Chart\" sheetId=\"3\" r:id=\"rId3\"/>\
             <sheet name=\"Empty\" sheetId=\"2\" r:id=\"rId2\" state=\"hidden\"/></sheets></workbook>",
        )
        .with("xl/styles.xml", styles)
        .with("xl/sharedStrings.xml", "<sst uniqueCount=\"1\"><si><r><t>shared</t></r><r><t xml:space=\"preserve\"> text</t></r></si></sst>")
        .with("xl/worksheets/sheet1.xml", sheet)
        .with("xl/worksheets/sheet2.xml", "<worksheet><sheetData/></worksheet>")
        .with("xl/chartsheets/sheet1.xml", "<chartsheet/>")
        .finish();
    let expected = "## Q1 \\*new\\*\n\n| shared text | a\\|b |  |  |\n| --- | --- | --- | --- |\n|  | 0.3 | TRUE |\n\
                    | 2025-10-13 | 2025-10-13 12:00:00 | #DIV/0! | two<br>lines |\n\n## Empty\n\n";
    assert_eq!(converted(XLSX, &workbook).unwrap(), expected);
}

#[test]
fn open_document_cells_are_what_they_show() {
    let workbook = open_document(
        "<table:table table:name=\"Sums\"><table:table-column table:number-columns-repeated=\"16384\"/>\
         <table:table-header-rows><table:table-row><table:table-cell office:value-type=\"string\"><text:p>What</text:p></table:table-cell>\
         <table:table-cell><text:p>How<text:s/>much</text:p><text:p>in <text:span>€</text:span></text:p>\
         <office:annotation><text:p>a comment</text:p></office:annotation></table:table-cell></table:table-row></table:table-header-rows>\
         <table:table-row table:number-rows-repeated=\"2\"><table:table-cell table:number-columns-repeated=\"2\" office:value=\"1.5\">\
         <text:p>1,50 €</text:p></table:table-cell><table:table-cell table:number-columns-repeated=\"16382\"/></table:table-row>\
         <table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>\
         <table:table-row><table:covered-table-cell/><table:table-cell/>\
         <table:table-cell office:value-type=\"date\" office:date-value=\"2026-05-03\"/></table:table-row></table:table>\
         <table:table table:name=\"Empty\"/>",
    );
    let expected = "## Sums\n\n| What | How much<br>in € |  |\n| --- | --- | --- |\n| 1,50 € | 1,50 € |\n| 1,50 € | 1,50 € |\n\
                    |  |  | 2026-05-03 |\n\n## Empty\n\n";
    assert_eq!(converted(ODS, &workbook).unwrap(), expected);
}

#[test]
fn a_sheet_is_a_page() {
    for (mime_type, workbook) in [
        (XLSX, &include_bytes!("files/openpyxl.xlsx")[..]),
        (XLS, include_bytes!("files/xlwt.xls")),
        (ODS, include_bytes!("files/libreoffice.ods")),
    ] {
        assert!(Sheets::new().has_pages(mime_type));
        for (first, last, sheets) in [
            (1, 1, "Sales"),
            (2, 2, "Notes"),
            (1, 9, "Sales Notes"),
            (3, 4, ""),
        ] {
            let mut draft = Draft::new(1 << 20);
            let original =
                Original::new(mime_type, workbook).pages(PageRange::new(first, last).unwrap());
            Sheets::new().convert(original, &mut draft).unwrap();
            assert_eq!(draft.total_pages(), Some(2));
            let text = draft.finish().unwrap();
            let found: Vec<_> = text
                .lines()
                .filter_map(|line| line.strip_prefix("## "))
                .collect();
            assert_eq!(found.join(" "), sheets, "{mime_type}");
            assert!(!text.starts_with('\n'));
        }
    }
}

#[test]
fn twenty_workbooks_of_each_kind_keep_every_cell() {
    for count in 1..=20_u32 {
        let value = |row: u32, column: u32| format!("r{row}c{column}of{count}");
        let rows = |cell: &dyn Fn(u32, u32) -> String, open: &str, close: &str| -> String {
            let row = |row| {
                (0..count)
                    .map(|column| cell(row, column))
                    .collect::<String>()
            };
            (0..count)
                .map(|at| format!("{open}{}{close}", row(at)))
                .collect()
        };
        let letter = |column: u32| char::from(b'A' + u8::try_from(column).unwrap());
        let in_excel = |row, column| {
            let text = value(row, column);
            format!(
                "<c r=\"{}{}\" t=\"inlineStr\"><is><t>{text}</t></is></c>",
                letter(column),
                row + 1
            )
        };
        let in_ods = |row, column| {
            format!(
                "<table-cell><text:p>{}</text:p></table-cell>",
                value(row, column)
            )
        };
        let ods = rows(&in_ods, "<table-row>", "</table-row>");
        let workbooks = [
            (XLSX, excel(&rows(&in_excel, "<row>", "</row>"))),
            (
                ODS,
                open_document(&format!("<table name=\"One\">{ods}</table>")),
            ),
        ];
        for (mime_type, workbook) in workbooks {
            let text = converted(mime_type, &workbook).unwrap();
            let lines: Vec<&str> = text.lines().skip(2).collect();
            assert_eq!(lines.len(), count as usize + 1);
            for row in 0..count {
                let cells: Vec<String> = (0..count).map(|column| value(row, column)).collect();
                let line = lines.get(row as usize + usize::from(row > 0)).unwrap();
                assert_eq!(**line, format!("| {} |", cells.join(" | ")));
            }
        }
    }
}
