//! Documents that were written by common programs.

use crate::documents::{DOCX, ODS, XLS, XLSX, converted};

/// Reads a file, and compares its Markdown with the expected one in the file next to it.
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
    an_old_workbook_with_dates: XLS "libreoffice-dates.xls",
    an_old_workbook_with_formulas: XLS "libreoffice-formulas.xls",
    an_old_workbook_with_hidden_and_empty_sheets: XLS "libreoffice-hidden.xls",
    an_old_workbook_with_long_text: XLS "libreoffice-long.xls",
    an_old_workbook_with_many_strings: XLS "libreoffice-many.xls",
    an_old_workbook_with_merged_cells: XLS "libreoffice-merged.xls",
    an_old_workbook_with_numbers: XLS "libreoffice-numbers.xls",
    an_old_workbook_with_names_in_other_scripts: XLS "libreoffice-scripts.xls",
    an_old_workbook_with_several_sheets: XLS "libreoffice-sheets.xls",
    an_old_workbook_with_sparse_cells: XLS "libreoffice-sparse.xls",
}
