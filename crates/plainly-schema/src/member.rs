//! A member of a schema, converted to the type that its keyword requires, or an error.

use std::collections::HashSet;

use serde_json::{Map, Number, Value};

use super::draft::Draft;
use super::order;
use super::sentence::short;

/// A schema during parsing, or an object in it.
#[derive(Debug)]
pub(super) struct Owner<'a> {
    pub(super) members: &'a Map<String, Value>,
    pub(super) draft: Draft,
    /// The position in the whole schema, as a JSON Pointer.
    pub(super) path: String,
}

/// The value of a keyword.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member<'o, 'a> {
    pub(super) value: &'a Value,
    name: &'o str,
    owner: &'o Owner<'a>,
}

impl<'a> Owner<'a> {
    pub(super) fn get<'o>(&'o self, name: &'o str) -> Option<Member<'o, 'a>> {
        let value = self.members.get(name)?;
        let owner = self;
        Some(Member { value, name, owner })
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (&'a String, Member<'_, 'a>)> {
        self.members.iter().map(move |(name, value)| {
            let owner = self;
            (name, Member { value, name, owner })
        })
    }

    /// The keyword `name`, which exists since `draft`.
    pub(super) fn since<'o>(&'o self, draft: Draft, name: &'o str) -> Option<Member<'o, 'a>> {
        self.get(name).filter(|_| self.draft >= draft)
    }
}

impl<'a> Member<'_, 'a> {
    /// The JSON Pointer of the member.
    pub(super) fn path(self) -> String {
        format!("{}/{}", self.owner.path, self.name)
    }

    /// Returns an error: the member is not `what` it should be.
    pub(super) fn is_not<T>(self, what: &str) -> Result<T, String> {
        let sentence = short(format!("{} is not {what}", self.value));
        Err(format!("{}: {sentence}", self.path()))
    }

    pub(super) fn text(self) -> Result<&'a str, String> {
        self.value
            .as_str()
            .map_or_else(|| self.is_not("a string"), Ok)
    }

    pub(super) fn flag(self) -> Result<bool, String> {
        self.value
            .as_bool()
            .map_or_else(|| self.is_not("true or false"), Ok)
    }

    pub(super) fn number(self) -> Result<&'a Number, String> {
        self.value
            .as_number()
            .map_or_else(|| self.is_not("a number"), Ok)
    }

    /// The member as an object whose member names the author chose.
    pub(super) fn object(self) -> Result<Owner<'a>, String> {
        let Some(members) = self.value.as_object() else {
            return self.is_not("an object");
        };
        Ok(Owner {
            members,
            draft: self.owner.draft,
            path: self.path(),
        })
    }

    pub(super) fn list(self) -> Result<&'a Vec<Value>, String> {
        self.value
            .as_array()
            .map_or_else(|| self.is_not("an array"), Ok)
    }

    pub(super) fn filled_list(self) -> Result<&'a Vec<Value>, String> {
        match self.list()? {
            list if list.is_empty() => self.is_not("a non-empty array"),
            list => Ok(list),
        }
    }

    /// The member as a count. A count beyond 64 bits can't be reached.
    pub(super) fn count(self) -> Result<u64, String> {
        let number = self.value.as_number();
        let count = number.and_then(|number| whole(number, self.owner.draft));
        count.map_or_else(|| self.is_not("a non-negative integer"), Ok)
    }

    /// The member as a list of unique names.
    pub(super) fn names(self) -> Result<Vec<String>, String> {
        let is_old = self.owner.draft == Draft::Draft4;
        let list = if is_old {
            self.filled_list()?
        } else {
            self.list()?
        };
        let names = list.iter().map(|name| name.as_str().map(str::to_owned));
        let names: Option<Vec<String>> = names.collect();
        let names = names.filter(|names| {
            let mut seen = HashSet::new();
            names.iter().all(|name| seen.insert(name))
        });
        names.map_or_else(|| self.is_not("an array of unique names"), Ok)
    }
}

/// A number as a count, if it is an integer and not negative.
fn whole(number: &Number, draft: Draft) -> Option<u64> {
    // In draft 4 `1.0` is not an integer.
    if number.is_f64() && (draft == Draft::Draft4 || !order::is_integer(number)) {
        return None;
    }
    match number.as_u64() {
        Some(count) => Some(count),
        // A cast of a number beyond 64 bits saturates.
        None => Some(number.as_f64().filter(|float| *float >= 0.0)? as u64),
    }
}
