//! Deserializes named texts, as users type them or URIs contain them: numbers and booleans are
//! parsed from their text. It does not depend on where the names come from.

use plainly_errors::Mistake;
use plainly_errors::mistake::in_quotes;
use plainly_errors::number::whole;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::misfit::Misfit;

/// Reads a `T` from its fields as text. The mistake names the wrong field, if it is in a field.
pub(super) fn read<'a, T: DeserializeOwned>(
    fields: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<T, Mistake> {
    let fields = fields.into_iter();
    read_values(fields.map(|(name, text)| (name, TextDeserializer(text))))
}

/// Like `read`, from fields of different types.
pub(super) fn read_values<'a, T, V>(
    fields: impl IntoIterator<Item = (&'a str, V)>,
) -> Result<T, Mistake>
where
    T: DeserializeOwned,
    V: Deserializer<'a, Error = Misfit>,
{
    let fields = Fields::of(fields.into_iter());
    T::deserialize(fields).map_err(|Misfit(mistake)| mistake)
}

/// The names of the fields of `T` in the order of their declaration. Empty if it is not a struct,
/// or has flattened fields.
pub(super) fn names<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names: &'static [&'static str] = &[];
    let stopped = T::deserialize(FieldNames(&mut names));
    debug_assert!(stopped.is_err() || names.is_empty(), "nothing was given");
    names
}

/// Named values, deserialized as a struct or a map.
pub(super) struct Fields<'de, I, W> {
    rest: I,
    /// The field whose value comes next.
    at: Option<(&'de str, W)>,
}

impl<'de, I: Iterator<Item = (&'de str, W)>, W> Fields<'de, I, W> {
    pub(super) fn of(fields: I) -> Self {
        let (rest, at) = (fields, None);
        Self { rest, at }
    }
}

impl<'de, I, W> Deserializer<'de> for Fields<'de, I, W>
where
    I: Iterator<Item = (&'de str, W)>,
    W: Deserializer<'de, Error = Misfit>,
{
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_map(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, I, W> MapAccess<'de> for Fields<'de, I, W>
where
    I: Iterator<Item = (&'de str, W)>,
    W: Deserializer<'de, Error = Misfit>,
{
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        self.at = self.rest.next();
        let name = self.at.as_ref().map(|(name, _)| *name);
        name.map(|name| seed.deserialize(BorrowedStrDeserializer::new(name)))
            .transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Misfit> {
        let (name, value) = self.at.take().expect("a name comes before its value");
        seed.deserialize(value)
            .map_err(|why: Misfit| why.under(name))
    }
}

/// A single text.
#[derive(Clone, Copy)]
pub(super) struct TextDeserializer<'de>(pub(super) &'de str);

impl<'de> IntoDeserializer<'de, Misfit> for TextDeserializer<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A number or boolean in its usual form: `4.0` is an integer, Python writes `True`, and a form may
/// add whitespace.
fn plain(text: &str) -> String {
    let text = text.trim().to_ascii_lowercase();
    let whole = text.parse().ok().and_then(whole);
    whole.map_or(text, |whole| whole.to_string())
}

/// Parses numbers and booleans, except for values that JSON doesn't have, because they would
/// surprise a handler.
macro_rules! parsed {
    ($($method:ident $visit:ident $kind:literal $(if $holds:expr)?;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
            let parsed = self.0.parse().ok();
            let parsed = parsed.or_else(|| plain(self.0).parse().ok());
            $(let parsed = parsed.filter($holds);)?
            let parsed = parsed.ok_or_else(|| {
                serde::de::Error::custom(format_args!("{} is not {}", in_quotes(self.0), $kind))
            })?;
            visitor.$visit(parsed)
        }
    )*};
}

impl<'de> Deserializer<'de> for TextDeserializer<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_borrowed_str(self.0)
    }

    parsed! {
        deserialize_bool visit_bool "true or false";
        deserialize_i8 visit_i8 "an integer";
        deserialize_i16 visit_i16 "an integer";
        deserialize_i32 visit_i32 "an integer";
        deserialize_i64 visit_i64 "an integer";
        deserialize_i128 visit_i128 "an integer";
        deserialize_u8 visit_u8 "a non-negative integer";
        deserialize_u16 visit_u16 "a non-negative integer";
        deserialize_u32 visit_u32 "a non-negative integer";
        deserialize_u64 visit_u64 "a non-negative integer";
        deserialize_u128 visit_u128 "a non-negative integer";
        deserialize_f32 visit_f32 "a number" if |number: &f32| number.is_finite();
        deserialize_f64 visit_f64 "a number" if |number: &f64| number.is_finite();
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// Provides no fields, but records the names that a struct requests.
struct FieldNames<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Misfit> {
        Err(serde::de::Error::custom("no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Id(u64);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Color {
        Red,
        Blue,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Form {
        text: String,
        some_number: Option<i8>,
        ratio: f64,
        share: f32,
        yes: bool,
        id: Id,
        #[serde(default)]
        color: Option<Color>,
    }

    const FULL: [(&str, &str); 7] = [
        ("text", "007"),
        ("someNumber", "-7"),
        ("ratio", "0.5"),
        ("share", "-1e-3"),
        ("yes", "true"),
        ("id", "18446744073709551615"),
        ("color", "blue"),
    ];

    fn form(changed: (&'static str, &'static str)) -> Result<Form, Mistake> {
        let others = FULL.into_iter().filter(|(name, _)| *name != changed.0);
        read(others.chain([changed]))
    }

    #[test]
    fn text_becomes_what_the_field_is() {
        let expected = Form {
            text: "007".to_owned(),
            some_number: Some(-7),
            ratio: 0.5,
            share: -1e-3,
            yes: true,
            id: Id(u64::MAX),
            color: Some(Color::Blue),
        };
        assert_eq!(form(("unknown", "")), Ok(expected));
        assert_eq!(form(("color", "red")).unwrap().color, Some(Color::Red));
        for (field, text) in [
            ("someNumber", "-7.0"),
            ("someNumber", " -7"),
            ("ratio", "0.5 "),
            ("yes", "True"),
        ] {
            assert_eq!(form((field, text)), form(("unknown", "")), "{text}");
        }
        let without = FULL.into_iter().filter(|(name, _)| !name.contains('N'));
        assert_eq!(read::<Form>(without).unwrap().some_number, None);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (field, text, why) in [
            ("someNumber", "128", "an integer"),
            ("someNumber", "", "an integer"),
            ("someNumber", "-7.5", "an integer"),
            ("someNumber", "128.0", "an integer"),
            ("ratio", "1,5", "a number"),
            ("ratio", "NaN", "a number"),
            ("ratio", "-inf", "a number"),
            ("ratio", "1e999", "a number"),
            ("share", "1e39", "a number"),
            ("yes", "yes", "true or false"),
            ("id", "-1", "a non-negative integer"),
            ("color", "green", r#""green" is not one of "red", "blue""#),
        ] {
            let error = form((field, text)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("/{field}: ")), "{error}");
            assert!(error.contains(why), "{error}");
        }
        let error = read::<Form>([("text", "x")]).unwrap_err().to_string();
        assert!(error.contains("is a required property"), "{error}");
    }

    #[test]
    fn fields_are_told_as_they_are_declared() {
        let declared = ["text", "someNumber", "ratio", "share", "yes", "id", "color"];
        assert_eq!(names::<Form>(), declared);
        assert!(names::<std::collections::BTreeMap<String, String>>().is_empty());
        assert!(names::<()>().is_empty());
    }
}
