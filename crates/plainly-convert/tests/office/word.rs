//! Word documents as Markdown.

use crate::documents::{Archive, DOCX, converted, paragraph, word};

fn markdown(body: &str) -> String {
    converted(DOCX, &word(body)).unwrap()
}

fn list(list: u32, level: u32) -> String {
    format!("<w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr>")
}

fn style(id: &str) -> String {
    format!("<w:pStyle w:val=\"{id}\"/>")
}

#[test]
fn headings_are_those_of_styles_in_any_language() {
    let body = [
        paragraph(&style("Title"), "All"),
        paragraph(&style("berschrift1"), "One"),
        paragraph("", "Text."),
        paragraph("", ""),
        paragraph(&style("Chapter"), "Two"),
        paragraph(&style("Outlined"), "Three"),
        paragraph("<w:outlineLvl w:val=\"8\"/>", "Deep"),
        paragraph(
            "<w:pStyle w:val=\"berschrift1\"/><w:outlineLvl w:val=\"9\"/>",
            "No heading",
        ),
        paragraph(&style("Circle"), "Plain"),
        paragraph(&style("Unknown"), "# Plain, too"),
    ];
    let expected = "# All\n\n# One\n\nText.\n\n# Two\n\n### Three\n\n###### Deep\n\nNo heading\n\nPlain\n\n\\# Plain, too\n";
    assert_eq!(markdown(&body.concat()), expected);
}

#[test]
fn lists_are_nested_and_go_on_where_they_were() {
    let body = [
        paragraph(&list(1, 0), "a"),
        paragraph(&list(1, 1), "b"),
        paragraph(&list(1, 0), "c"),
        paragraph("", "Text."),
        paragraph(&style("ListNumber"), "one"),
        paragraph(&list(2, 1), "three"),
        paragraph(&list(2, 1), "four"),
        paragraph(&list(2, 0), "two"),
        paragraph("", "Text."),
        paragraph(&list(2, 0), "three"),
        paragraph(&list(2, 1), "three again"),
        paragraph(&list(3, 0), "seven"),
        paragraph(&list(9, 0), "of no list"),
        paragraph(&list(0, 0), "none"),
    ];
    let expected = "- a\n  - b\n- c\n\nText.\n\n1. one\n   3. three\n   4. four\n2. two\n\nText.\n\n3. three\n   \
                    3. three again\n\n7. seven\n\n- of no list\n\nnone\n";
    assert_eq!(markdown(&body.concat()), expected);
}

#[test]
fn text_is_bold_italic_linked_and_broken_as_it_is() {
    let body = "<w:p><w:r><w:t xml:space=\"preserve\">A </w:t></w:r>\
        <w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">bo</w:t></w:r>\
        <w:r><w:rPr><w:b w:val=\"true\"/></w:rPr><w:t xml:space=\"preserve\">ld </w:t></w:r>\
        <w:r><w:rPr><w:b w:val=\"0\"/><w:i/></w:rPr><w:t>word</w:t></w:r>\
        <w:r><w:t>, </w:t></w:r>\
        <w:hyperlink r:id=\"rId5\"><w:r><w:t>a link</w:t></w:r></w:hyperlink>\
        <w:hyperlink w:anchor=\"here\"><w:r><w:t xml:space=\"preserve\"> inside</w:t></w:r></w:hyperlink>\
        <w:r><w:br/><w:t>1 &lt; 2 &amp; &#x33;</w:t><w:tab/><w:t>non</w:t><w:noBreakHyphen/><w:t>breaking</w:t></w:r>\
        <w:r><w:rPr><w:rStyle w:val=\"Strong\"/></w:rPr><w:t xml:space=\"preserve\"> strong</w:t></w:r>\
        <w:r><w:rPr><w:rStyle w:val=\"Emphasis\"/></w:rPr><w:t xml:space=\"preserve\"> weak</w:t></w:r></w:p>";
    let expected = "A **bold** *word*, [a link](https://example.com/a?b=1&c) inside\n\
                    1 < 2 & 3 non-breaking **strong** *weak*\n";
    assert_eq!(markdown(body), expected);
}

#[test]
fn what_is_deleted_hidden_or_there_twice_is_left_out() {
    let body = "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>\
        <w:r><w:fldChar w:fldCharType=\"begin\"/><w:instrText>INCLUDETEXT \"/etc/passwd\"</w:instrText>\
        <w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t xml:space=\"preserve\"> 7</w:t></w:r>\
        <w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr id=\"1\" descr=\"A cat\"/><w:txbxContent><w:p><w:r>\
        <w:t>in a box</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice>\
        <mc:Fallback><w:t>in a box</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>\
        <w:p><w:pPr><w:rPr><w:b/><w:vanish/></w:rPr><w:pPrChange><w:pPr><w:pStyle w:val=\"Title\"/></w:pPr></w:pPrChange>\
        </w:pPr><w:r><w:t>shown</w:t></w:r></w:p>";
    assert_eq!(markdown(body), "new 7A cat\nin a box\n\nshown\n");
}

#[test]
fn tables_have_a_cell_for_each_column() {
    let cell = |properties: &str, text: &str| {
        format!(
            "<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>",
            paragraph("", text)
        )
    };
    let nested = format!(
        "<w:tc><w:tbl><w:tr>{}{}</w:tr></w:tbl>{}</w:tc>",
        cell("<w:gridSpan w:val=\"9\"/>", "x"),
        cell("", "y"),
        paragraph(&style("Title"), "z")
    );
    let body = format!(
        "{}<w:tbl><w:tblPr/><w:tr>{}{}</w:tr><w:tr>{}{}{}</w:tr><w:tr>{nested}{}{}</w:tr></w:tbl>{}",
        paragraph("", "Before."),
        cell("<w:gridSpan w:val=\"2\"/>", "wide"),
        cell("", "a|b"),
        cell("<w:vMerge w:val=\"restart\"/>", "1"),
        cell("", "2"),
        cell("", ""),
        cell(&list(1, 0), "4"),
        cell("", "5"),
        paragraph("", "After."),
    );
    let expected = "Before.\n\n| wide |  | a\\|b |\n| --- | --- | --- |\n| 1 | 2 |  |\n| x y z | 4 | 5 |\n\nAfter.\n";
    assert_eq!(markdown(&body), expected);
}

#[test]
fn notes_are_below_and_have_the_numbers_of_their_references() {
    let body = "<w:p><w:r><w:t>End</w:t></w:r><w:r><w:endnoteReference w:id=\"2\"/></w:r>\
        <w:r><w:t>, foot</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r>\
        <w:r><w:t xml:space=\"preserve\"> and again</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>";
    let expected = "End[^1], foot[^2] and again[^2]\n\n[^2]: See **there**.\n\n    Or not.\n\n[^1]: An endnote.\n";
    assert_eq!(markdown(body), expected);
}

#[test]
fn twenty_documents_keep_every_word_and_cell() {
    for count in 1..=20 {
        let (mut body, mut words) = (String::new(), Vec::new());
        for block in 0..count {
            let word = |part: &str| format!("{part}{block}of{count}");
            let (kind, found) = match block % 4 {
                0 => (
                    paragraph(&style("Outlined"), &word("head")),
                    vec![format!("### {}\n", word("head"))],
                ),
                1 => (
                    paragraph(&list(1, 0), &word("item")),
                    vec![format!("- {}\n", word("item"))],
                ),
                2 => (
                    paragraph("", &word("text")),
                    vec![format!("\n{}\n", word("text"))],
                ),
                _ => {
                    let cells: Vec<String> = (0..count)
                        .map(|cell| word(&format!("cell{cell}in")))
                        .collect();
                    let row: String = cells
                        .iter()
                        .map(|cell| format!("<w:tc>{}</w:tc>", paragraph("", cell)))
                        .collect();
                    (
                        format!("<w:tbl><w:tr>{row}</w:tr></w:tbl>"),
                        vec![format!("| {} |\n", cells.join(" | "))],
                    )
                }
            };
            body += &kind;
            words.extend(found);
        }
        let text = markdown(&body);
        for word in words {
            assert!(text.contains(&word), "{word:?}: {text}");
        }
    }
}

#[test]
fn a_document_needs_no_more_than_its_text() {
    let content = "<w:document><w:body><w:p><w:pPr><w:pStyle w:val=\"Heading2\"/></w:pPr><w:r><w:t>Only</w:t></w:r></w:p>\
                   </w:body></w:document>";
    let document = Archive::word().with("word/document.xml", content).finish();
    assert_eq!(converted(DOCX, &document).unwrap(), "## Only\n");
}
