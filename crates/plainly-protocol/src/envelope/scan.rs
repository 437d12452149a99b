//! The scan: the grammar of JSON (RFC 8259), duplicate keys, depth and spans in one pass over the text.
//!
//! Hand-written because `RawValue` and skipped values have no depth limit in `serde_json` and duplicates are seen only
//! where a type looks; a strict walk followed by `RawValue` takes twice as long. Without recursion, so that no input
//! overflows the stack. It knows of two names, `params` and the `_meta` in it, whose members are kept.
//!
//! Bad grammar ends the scan. Anything else (duplicates, limits) is noted, and the scan goes on: what follows may still
//! be no JSON at all, and the id that the error must carry may still come.

use super::Limits;
use super::cursor::{ByteCursor, ScanResult};
use super::malformed::Defect;
use super::object::{Member, Object, first_duplicate};
use crate::escape;

/// A value that is well-formed JSON.
pub(super) struct Scanned<'a> {
    pub(super) raw: &'a str,
    pub(super) at: usize,
    /// `None` if the value is no object. At most one more than the limit allows.
    pub(super) members: Option<Vec<Member<'a>>>,
    /// The member `params`, if it is an object.
    pub(super) params: Option<Object<'a>>,
    /// The first reason to refuse it nevertheless.
    pub(super) fault: Option<Defect>,
}

pub(super) struct Scanner<'a, 'l> {
    cursor: ByteCursor<'a>,
    limits: &'l Limits,
    nodes: usize,
    fault: Option<Defect>,
    /// Containers around the value, outside of `frames`: 1 in a batch.
    base: usize,
    /// The open containers within the allowed depth.
    frames: Vec<Frame>,
    /// The containers that are nested deeper, of which nothing else is noted.
    beyond: Vec<Container>,
    /// The members so far of the objects in `frames`, outermost first. Before its end the value of a member is empty.
    members: Vec<Member<'a>>,
    params: Option<Object<'a>>,
    /// The `_meta` of the `params` that are open.
    meta: Option<Object<'a>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

struct Frame {
    container: Container,
    start: usize,
    /// Where its members start in `Scanner::members`.
    members: usize,
}

impl<'a, 'l> Scanner<'a, 'l> {
    pub(super) fn new(text: &'a str, limits: &'l Limits) -> Self {
        Self {
            cursor: ByteCursor::new(text),
            limits,
            nodes: 0,
            fault: None,
            base: 0,
            // As deep and as wide as most messages are, so that neither list has to grow for them.
            frames: Vec::with_capacity(8),
            beyond: Vec::new(),
            members: Vec::with_capacity(16),
            params: None,
            meta: None,
        }
    }

    pub(super) fn at(&self) -> usize {
        self.cursor.at
    }

    pub(super) fn is_over_nodes(&self) -> bool {
        self.nodes > self.limits.nodes
    }

    /// True if the text is an array, whose elements [`Self::element`] then gives.
    pub(super) fn starts_array(&mut self) -> bool {
        self.cursor.skip_whitespace();
        self.cursor.peek() == Some(b'[')
    }

    /// The next element of the outermost array; `None` at its end.
    pub(super) fn element(&mut self) -> ScanResult<Option<Scanned<'a>>> {
        self.cursor.skip_whitespace();
        match (self.base, self.cursor.peek()) {
            (0, Some(b'[')) => {
                self.cursor.at += 1;
                // The array of the batch counts as a value, and as a level of depth of all that is in it.
                self.base = 1;
                self.nodes += 1;
                self.cursor.skip_whitespace();
                if self.cursor.peek() == Some(b']') {
                    self.cursor.at += 1;
                    return Ok(None);
                }
            }
            (_, Some(b',')) => self.cursor.at += 1,
            (_, Some(b']')) => {
                self.cursor.at += 1;
                return Ok(None);
            }
            _ => return Err(self.cursor.expected("expected `,` or `]`")),
        }
        self.value().map(Some)
    }

    /// Nothing but whitespace may follow.
    pub(super) fn end(&mut self) -> ScanResult {
        self.cursor.skip_whitespace();
        match self.cursor.peek() {
            None => Ok(()),
            Some(_) => Err(self.cursor.expected("expected nothing more")),
        }
    }

    /// One value, to its end.
    pub(super) fn value(&mut self) -> ScanResult<Scanned<'a>> {
        self.cursor.skip_whitespace();
        let start = self.cursor.at;
        loop {
            self.value_start()?;
            if self.value_end()? {
                break;
            }
        }
        let raw = self.cursor.slice(start);
        let members = std::mem::take(&mut self.members);
        Ok(Scanned {
            raw,
            at: start,
            members: raw.starts_with('{').then_some(members),
            params: self.params.take(),
            fault: self.fault.take(),
        })
    }

    /// A scalar as a whole, or a container up to its first value.
    fn value_start(&mut self) -> ScanResult {
        loop {
            self.cursor.skip_whitespace();
            let start = self.cursor.at;
            self.nodes += 1;
            if self.is_over_nodes() {
                self.refuse("too many values", start);
            }
            match self.cursor.peek() {
                Some(b'{') => {
                    self.enter(Container::Object);
                    if self.cursor.peek() == Some(b'}') {
                        return Ok(());
                    }
                    self.key()?;
                }
                Some(b'[') => {
                    self.enter(Container::Array);
                    if self.cursor.peek() == Some(b']') {
                        return Ok(());
                    }
                }
                _ => {
                    self.cursor.scalar()?;
                    self.note(start);
                    return Ok(());
                }
            }
        }
    }

    /// Reads what follows a value, up to where the next one starts; true if nothing is open any more.
    fn value_end(&mut self) -> ScanResult<bool> {
        loop {
            let Some(container) = self.innermost() else {
                return Ok(true);
            };
            self.cursor.skip_whitespace();
            match (container, self.cursor.peek()) {
                (Container::Array, Some(b',')) => {
                    self.cursor.at += 1;
                    return Ok(false);
                }
                (Container::Object, Some(b',')) => {
                    self.cursor.at += 1;
                    self.key()?;
                    return Ok(false);
                }
                (Container::Array, Some(b']')) | (Container::Object, Some(b'}')) => {
                    self.cursor.at += 1;
                    self.leave();
                }
                (Container::Array, _) => return Err(self.cursor.expected("expected `,` or `]`")),
                (Container::Object, _) => return Err(self.cursor.expected("expected `,` or `}`")),
            }
        }
    }

    fn innermost(&self) -> Option<Container> {
        match self.beyond.last() {
            Some(&container) => Some(container),
            None => self.frames.last().map(|frame| frame.container),
        }
    }

    fn enter(&mut self, container: Container) {
        let start = self.cursor.at;
        self.cursor.at += 1;
        if self.base + self.frames.len() < self.limits.depth {
            self.frames.push(Frame {
                container,
                start,
                members: self.members.len(),
            });
        } else {
            // Followed nevertheless: what comes after may be no JSON at all, and that is the error to tell.
            self.beyond.push(container);
            self.refuse("nested too deeply", start);
        }
        self.cursor.skip_whitespace();
    }

    fn leave(&mut self) {
        if self.beyond.pop().is_some() {
            return;
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if frame.container == Container::Object {
            self.leave_object(&frame);
        }
        self.note(frame.start);
    }

    fn leave_object(&mut self, frame: &Frame) {
        let own = self.members.get(frame.members..).unwrap_or_default();
        if let Some(at) = first_duplicate(own).map(|member| member.at) {
            self.refuse("duplicate key", at);
        }
        match self.frames.as_slice() {
            // The message itself.
            [] => {}
            [_] if self.is_value_of("params", frame) => {
                self.params = Some(self.object(frame).with_meta(self.meta.take()));
            }
            [_, params]
                if self.is_value_of("_meta", frame) && self.is_value_of("params", params) =>
            {
                self.meta = Some(self.object(frame));
            }
            // Nobody asks for the members of other objects one by one: they are in the text of a member above.
            _ => self.members.truncate(frame.members),
        }
    }

    /// Whether the container of `frame` is the value of a member of this name.
    fn is_value_of(&self, name: &str, frame: &Frame) -> bool {
        let before = frame.members.checked_sub(1);
        let member = before.and_then(|index| self.members.get(index));
        member.is_some_and(|member| member.value.is_empty() && member.key == name)
    }

    /// The object that `frame` was of, which has just ended.
    fn object(&mut self, frame: &Frame) -> Object<'a> {
        let members = self.members.split_off(frame.members);
        Object::new(self.cursor.slice(frame.start), members)
    }

    /// The value that started at `start` has ended: it completes the member that it is of, if of any.
    fn note(&mut self, start: usize) {
        // The value of a member is never empty text, so an empty one is still waited for.
        let container = self.frames.last().map(|frame| frame.container);
        if container == Some(Container::Object)
            && self.notes_members()
            && let Some(member) = self.members.last_mut()
            && member.value.is_empty()
        {
            member.value = self.cursor.slice(start);
        }
    }

    /// Whether the members of the innermost object are noted: after a fault those of the message alone, one of which may be
    /// its id.
    fn notes_members(&self) -> bool {
        self.beyond.is_empty() && (self.fault.is_none() || self.frames.len() == 1)
    }

    fn key(&mut self) -> ScanResult {
        self.cursor.skip_whitespace();
        let at = self.cursor.at;
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.expected("expected a key"));
        }
        let escaped = self.cursor.string()?;
        let inner = self.cursor.inner(at);
        self.cursor.skip_whitespace();
        if !self.cursor.eat(b':') {
            return Err(self.cursor.expected("expected `:`"));
        }
        if !self.notes_members() {
            return Ok(());
        }
        let Some(frame) = self.frames.last() else {
            return Ok(());
        };
        let before = self.members.len() - frame.members;
        // One more than allowed is kept, so that it is seen later that these are not all of them.
        if before >= self.limits.members_per_object {
            self.refuse("too many members in an object", at);
            if before > self.limits.members_per_object {
                return Ok(());
            }
        }
        let key = if escaped {
            escape::decode(inner)
        } else {
            inner.into()
        };
        self.members.push(Member { key, value: "", at });
        Ok(())
    }

    #[cold]
    fn refuse(&mut self, what: &'static str, at: usize) {
        self.fault.get_or_insert(Defect::new(what, at));
    }
}
