//! A question on the first line, and a text in each syntax below it. The sections must be all of
//! its lines in order, each below earlier headings; and a question that shares a word with the text
//! must find a section.

#![no_main]

#[path = "../../crates/plainly-directory/src/search"]
mod search {
    #[expect(dead_code, unused_imports, reason = "the rest is for files")]
    mod rank;

    use self::rank::{Question, Syntax, Terms, rank, ranked_text};

    pub(super) fn check(question: &str, text: &str) {
        for syntax in [Syntax::Markdown, Syntax::Html, Syntax::Plain] {
            check_as(question, text, syntax);
        }
    }

    fn check_as(question: &str, text: &str, syntax: Syntax) {
        let mut terms = Terms::new();
        let ranked = ranked_text("docs/a.md", text, syntax, &mut terms);
        let sections: Vec<_> = (0..).map_while(|index| ranked.section(index)).collect();
        let mut line = 0;
        for section in &sections {
            assert!(section.first == line && section.first < section.end);
            let above = ranked.above(section);
            assert!(above.is_sorted() && above.iter().all(|above| *above < section.first));
            line = section.end;
        }
        assert_eq!(line as usize, text.lines().count());
        let Some(question) = Question::of(question) else {
            return;
        };
        let found = rank(&question, &[&ranked], 5);
        assert!(found.len() <= 5);
        assert!(
            found
                .iter()
                .all(|found| found.section == 0 || found.section < sections.len())
        );
        let is_about = syntax == Syntax::Plain && question.in_common(text, &mut terms) > 0;
        assert!(!is_about || !found.is_empty());
    }
}

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let (question, text) = input.split_once('\n').unwrap_or((input, ""));
    search::check(question, text);
});
