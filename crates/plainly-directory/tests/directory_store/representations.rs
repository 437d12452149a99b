//! The formats of a file: how they are listed and read, and that a fault in one does not affect the
//! file.

use std::error::Error;
use std::fmt::Write;

use plainly::protocol::types::{Meta, Representation, ResourceContents};
use plainly_convert::{Converter, Draft, Original};

use crate::fixture::{ALL, Fixture};

type Converted = Result<(), Box<dyn Error + Send + Sync>>;

/// Makes `gives` of plain text, in a way of its own.
#[derive(Debug)]
struct To {
    gives: &'static str,
    how: fn(&str, &mut Draft<'_>) -> Converted,
}

impl Converter for To {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "text/plain").then_some(self.gives)
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Converted {
        assert_eq!(original.mime_type, "text/plain");
        (self.how)(str::from_utf8(original.content)?, draft)
    }
}

const LOUD: To = To {
    gives: "text/x-loud",
    how: |text, draft| Ok(write!(draft, "{}!", text.to_uppercase())?),
};

fn formats(meta: Option<&Meta>) -> Vec<(String, Option<u64>)> {
    let listed = meta.map(Representation::listed).unwrap_or_default();
    listed
        .into_iter()
        .map(|format| (format.mime_type, format.size))
        .collect()
}

fn format(mime_type: &str, size: impl Into<Option<u64>>) -> (String, Option<u64>) {
    (mime_type.to_owned(), size.into())
}

/// The MIME type and text of each content.
fn texts(contents: &[ResourceContents]) -> Vec<(&str, &str)> {
    contents
        .iter()
        .map(|content| {
            let mime_type = content.mime_type.as_deref().unwrap();
            (mime_type, content.body.as_text().unwrap())
        })
        .collect()
}

#[test]
fn formats_stand_beside_the_file_and_in_its_metadata() {
    let fixture = Fixture::with(&[("a.txt", "hey"), ("a.bin", "hey")], |builder| {
        builder.converter(LOUD)
    });
    let uri = "file:///docs/a.txt";
    let announced = [format("text/plain", 3), format("text/x-loud", None)];
    let mut metadata = fixture.metadata(uri).unwrap();
    metadata.remove_tag();
    assert_eq!(formats(metadata.meta.as_ref()), announced);
    let listed = fixture.list(None, None, ALL).unwrap().resources;
    let of = |name: &str| {
        listed
            .iter()
            .find(|resource| resource.name == name)
            .unwrap()
    };
    assert_eq!(*of("a.txt"), metadata);
    assert_eq!((&of("docs").meta, &of("a.bin").meta), (&None, &None));

    let contents = fixture.read(uri).unwrap();
    let expected = [("text/plain", "hey"), ("text/x-loud", "HEY!")];
    assert_eq!(texts(&contents), expected);
    for content in &contents {
        assert_eq!(
            (content.uri.as_str(), content.is_collection),
            (uri, Some(false))
        );
        assert_eq!(content.name.as_ref(), Some(&metadata.name));
        assert_eq!(content.annotations, metadata.annotations);
        assert_eq!(content.size, Some(content.body.as_bytes().len() as u64));
        let there = [format("text/plain", 3), format("text/x-loud", 4)];
        assert_eq!(formats(content.meta.as_ref()), there);
    }
    let other = fixture.read("file:///docs/a.bin").unwrap();
    assert_eq!(other.len(), 1);
    assert_eq!(formats(other[0].meta.as_ref()), []);
}

#[test]
fn a_collection_has_its_files_as_they_are() {
    let fixture = Fixture::with(&[("a.txt", "hey")], |builder| builder.converter(LOUD));
    let contents = fixture.read("file:///docs").unwrap();
    assert_eq!(texts(&contents), [("text/plain", "hey")]);
    let announced = [format("text/plain", 3), format("text/x-loud", None)];
    assert_eq!(formats(contents[0].meta.as_ref()), announced);
}

#[test]
fn of_each_format_there_is_one_and_none_is_the_files_own() {
    let second = To {
        gives: "TEXT/X-LOUD",
        ..LOUD
    };
    let own = To {
        gives: "text/plain",
        ..LOUD
    };
    let more = To {
        gives: "text/x-more",
        ..LOUD
    };
    let fixture = Fixture::with(&[("a.txt", "hey")], |builder| {
        [own, LOUD, second, more]
            .into_iter()
            .fold(builder, |builder, to| builder.converter(to))
    });
    let contents = fixture.read("file:///docs/a.txt").unwrap();
    let types: Vec<_> = texts(&contents).iter().map(|(own, _)| *own).collect();
    assert_eq!(types, ["text/plain", "text/x-loud", "text/x-more"]);
}

#[test]
fn whatever_goes_wrong_with_a_format_the_file_is_served() {
    let wrong: [To; 6] = [
        To {
            how: |_, _| Err("no".into()),
            ..LOUD
        },
        To {
            how: |_, _| panic!("a bug of the converter"),
            ..LOUD
        },
        To {
            how: |_, draft| {
                write!(draft, "begun")?;
                panic!("half way")
            },
            ..LOUD
        },
        To {
            how: |_, draft| Ok(write!(draft, "{}", "x".repeat(26))?),
            ..LOUD
        },
        To {
            // As one that takes no notice of the error.
            how: |_, draft| {
                let _ = write!(draft, "{}", "x".repeat(26));
                Ok(())
            },
            ..LOUD
        },
        To {
            how: |_, draft| Ok(writeln!(draft, " ")?),
            ..LOUD
        },
    ];
    for (index, to) in wrong.into_iter().enumerate() {
        let fixture = Fixture::with(&[("a.txt", "hey")], |builder| {
            let fine = To {
                gives: "text/x-fine",
                ..LOUD
            };
            builder.max_file_bytes(100).converter(to).converter(fine)
        });
        let contents = fixture.read("file:///docs/a.txt").unwrap();
        let there = [("text/plain", "hey"), ("text/x-fine", "HEY!")];
        assert_eq!(texts(&contents), there, "{index}");
        let there = [format("text/plain", 3), format("text/x-fine", 4)];
        assert_eq!(formats(contents[0].meta.as_ref()), there, "{index}");
    }
}

#[test]
fn all_formats_of_a_file_share_a_quarter_of_its_limit() {
    let fixture = Fixture::with(&[("a.txt", "0123456789")], |builder| {
        ["a", "b", "c"]
            .into_iter()
            .fold(builder.max_file_bytes(4 * 24), |builder, gives| {
                builder.converter(To { gives, ..LOUD })
            })
    });
    let contents = fixture.read("file:///docs/a.txt").unwrap();
    let types: Vec<_> = texts(&contents).iter().map(|(own, _)| *own).collect();
    assert_eq!(types, ["text/plain", "a", "b"]);
}
