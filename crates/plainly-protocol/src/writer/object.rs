//! Builds a JSON object from members of any source: named values, all members of a struct, and
//! values that are already JSON.

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::{Error, Result};

use super::{Next, Writer, write};
use crate::escape;

/// An open object at the end of a message.
///
/// Members are written in the order of the calls, and a repeated name is written twice. After an
/// error a part of a member may have been written, so discard the message.
#[derive(Debug)]
#[must_use = "an object has to be closed"]
pub struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> ObjectWriter<'a> {
    /// Opens an object at the end of `out`.
    pub fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        let is_empty = true;
        Self { out, is_empty }
    }

    /// Adds a member. Fails if [`write()`] does.
    pub fn member<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<()> {
        self.name(name);
        write(self.out, value)
    }

    /// Adds a member whose value is already JSON.
    pub fn raw_member(&mut self, name: &str, json: &str) {
        self.name(name);
        self.out.extend_from_slice(json.as_bytes());
    }

    /// Adds the members of a struct or a map; `None` adds no members. Fails if [`write()`] does,
    /// and for a value without members.
    pub fn members<T: Serialize + ?Sized>(&mut self, object: &T) -> Result<()> {
        let before = self.out.len();
        let is_first = self.is_empty;
        let mut writer = Writer {
            out: self.out,
            next: Next::Members { is_first },
        };
        object.serialize(&mut writer)?;
        if writer.next != Next::Value {
            return Err(Error::custom("no object, and so no members"));
        }
        self.is_empty &= self.out.len() == before;
        Ok(())
    }

    /// Adds the members of an object that is already JSON. Fails if it is not an object.
    pub fn raw_members(&mut self, json: &str) -> Result<()> {
        // JSON allows only ASCII whitespace between tokens.
        let inner = json.trim_ascii().strip_prefix('{');
        let inner = inner.and_then(|inner| inner.strip_suffix('}'));
        let members = inner.ok_or_else(|| Error::custom("no object"))?;
        let members = members.trim_ascii();
        if !members.is_empty() {
            self.separate();
            self.out.extend_from_slice(members.as_bytes());
        }
        Ok(())
    }

    /// Opens an object that is a member of this one.
    pub fn object(&mut self, name: &str) -> ObjectWriter<'_> {
        self.name(name);
        ObjectWriter::open(self.out)
    }

    /// Opens an array that is a member of this object.
    pub fn array(&mut self, name: &str) -> ArrayWriter<'_> {
        self.name(name);
        self.out.push(b'[');
        ArrayWriter {
            out: self.out,
            is_empty: true,
        }
    }

    /// Adds a text member that the caller fills in later. Returns the position of the text in the
    /// bytes of the message.
    pub fn text_to_come(&mut self, name: &str) -> usize {
        self.name(name);
        self.out.extend_from_slice(br#""""#);
        self.out.len() - 1
    }

    /// Ends the object.
    pub fn close(self) {
        self.out.push(b'}');
    }

    fn name(&mut self, name: &str) {
        self.separate();
        escape::write_string(self.out, name);
        self.out.push(b':');
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
    }
}

/// An open array within an [`ObjectWriter`].
#[derive(Debug)]
#[must_use = "an array has to be closed"]
pub struct ArrayWriter<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl ArrayWriter<'_> {
    /// Opens an object as the next element.
    pub fn object(&mut self) -> ObjectWriter<'_> {
        self.separate();
        ObjectWriter::open(self.out)
    }

    /// Adds an element that is already JSON.
    pub fn raw(&mut self, json: &str) {
        self.separate();
        self.out.extend_from_slice(json.as_bytes());
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(b',');
        }
    }

    /// Ends the array.
    pub fn close(self) {
        self.out.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Serialize)]
    struct Pair {
        one: Vec<BTreeMap<&'static str, u8>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        two: Option<u8>,
    }

    fn pair(two: Option<u8>) -> Pair {
        let one = vec![BTreeMap::from([("k", 1)]), BTreeMap::new()];
        Pair { one, two }
    }

    fn written(fill: impl Fn(&mut ObjectWriter<'_>) -> Result<()>) -> Result<String> {
        let mut out = Vec::new();
        let mut object = ObjectWriter::open(&mut out);
        fill(&mut object)?;
        object.close();
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn members_stand_there_as_they_came_whoever_had_them() {
        let all = written(|object| {
            object.members(&BTreeMap::<u8, u8>::new())?;
            object.raw_members(" { } ")?;
            object.members(&None::<Pair>)?;
            object.raw_member("raw", "[1,  2]");
            object.members(&pair(None))?;
            object.member("\"", &pair(Some(2)))?;
            let mut inner = object.object("inner");
            inner.members(&pair(Some(3)))?;
            inner.close();
            object.object("empty").close();
            let mut array = object.array("array");
            array.object().close();
            let mut element = array.object();
            element.text_to_come("text");
            element.close();
            array.raw("[1, 2]");
            array.close();
            object.raw_members(r#"{"a":{},"b":1}"#)
        });
        let expected = concat!(
            r#"{"raw":[1,  2],"one":[{"k":1},{}],"\"":{"one":[{"k":1},{}],"two":2},"#,
            r#""inner":{"one":[{"k":1},{}],"two":3},"empty":{},"array":[{},{"text":""},[1, 2]],"a":{},"b":1}"#
        );
        assert_eq!(all.unwrap(), expected);
        assert_eq!(written(|_| Ok(())).unwrap(), "{}");
    }

    #[test]
    fn what_has_no_members_is_refused() {
        assert!(written(|object| object.members(&[1])).is_err());
        assert!(written(|object| object.members(&[pair(None)])).is_err());
        assert!(written(|object| object.members(&Err::<(), _>(pair(None)))).is_err());
        assert!(written(|object| object.members("text")).is_err());
        for json in ["[]", "{", "}", "1", ""] {
            assert!(written(|object| object.raw_members(json)).is_err());
        }
    }
}
