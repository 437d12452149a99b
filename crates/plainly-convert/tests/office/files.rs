//! Documents as programs write them.

use crate::documents::{DOCX, ODS, XLS, XLSX, converted};

/// Reads a file, and compares its Markdown with that which stands beside it.
macro_rules! reads {
    ($($test:ident: $mime_type:ident $name:literal,)*) => {$(
        #[test]
        fn $test() {
            let content = include_bytes!(concat!("files/", $name));
            let expected = include_str!(concat!("files/", $name, ".md"));
            assert_eq!(converted($mime_type, content).unwrap(), expected);
        }
    )*};
}

reads! {
    a_document_of_python_docx: DOCX "python-docx.docx",
    a_document_of_libreoffice: DOCX "libreoffice.docx",
    a_workbook_of_openpyxl: XLSX "openpyxl.xlsx",
    a_workbook_of_libreoffice: XLSX "libreoffice.xlsx",
    an_open_document_workbook_of_libreoffice: ODS "libreoffice.ods",
    an_old_workbook_of_libreoffice: XLS "libreoffice.xls",
    an_old_workbook_of_xlwt: XLS "xlwt.xls",
}
