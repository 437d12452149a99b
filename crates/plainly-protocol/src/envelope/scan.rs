//! The scan: the grammar of JSON (RFC 8259), duplicate keys, depth and spans in one pass over the text.
//!
//! Hand-written because `RawValue` and skipped values have no depth limit in `serde_json` and duplicates are seen only
//! where a type looks; a strict walk followed by `RawValue` takes twice as long. Without recursion, so that no input
//! overflows the stack. It knows of two names, `params` and the `_meta` in it, whose members are kept.
//!
//! Bad grammar ends the scan. Anything else (duplicates, limits, numbers beyond all floats) is noted, and the scan goes on: what follows may still
//! be no JSON at all, and the id that the error must carry may still come.

use super::Limits;
use super::cursor::{ByteCursor, ScanResult};
use super::defect::{Defect, Fault};
use super::object::{KeyBits, Member, Object, first_duplicate};
use crate::escape;

/// A value that is well-formed JSON.
pub(super) struct JsonText<'a> {
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
    /// Containers around the value, outside of `frames`: 1 in a batch.
    base: usize,
    /// The innermost container.
    open: Frame,
    /// The containers around `open` within the allowed depth, and around the value.
    frames: Vec<Frame>,
    /// The open container around each that is nested deeper. Of those, only this is noted.
    beyond: Vec<Container>,
    /// The members so far of the open objects, outermost first. Before its end the value of a member is empty.
    members: Vec<Member<'a>>,
    params: Option<Object<'a>>,
    /// The `_meta` of the `params` that are open.
    meta: Option<Object<'a>>,
}

/// The open container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    /// The surroundings of the value.
    None,
    Array,
    /// An object that is a message.
    Message,
    /// The `params` of a message, and the `_meta` in them.
    Params,
    Meta,
    /// Any other object. Its members are never read one by one: they are in the text of a member
    /// above. So their keys are noted, for duplicates, and not their values.
    Object,
}

impl Container {
    fn is_object(self) -> bool {
        !matches!(self, Self::None | Self::Array)
    }
}

struct Frame {
    container: Container,
    start: usize,
    /// The start of its members in `Scanner::members`.
    members: usize,
    keys: KeyBits,
    /// The last of the members is to be given its value.
    waits: bool,
}

impl Frame {
    fn new(container: Container, start: usize, members: usize) -> Self {
        Self {
            container,
            start,
            members,
            keys: KeyBits::default(),
            waits: false,
        }
    }
}

impl<'a, 'l> Scanner<'a, 'l> {
    pub(super) fn new(text: &'a str, limits: &'l Limits) -> Self {
        Self {
            cursor: ByteCursor::new(text),
            limits,
            nodes: 0,
            base: 0,
            open: Frame::new(Container::None, 0, 0),
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
        self.cursor.token() == Some(b'[')
    }

    /// The next element of the outermost array; `None` at its end.
    pub(super) fn element(&mut self) -> ScanResult<Option<JsonText<'a>>> {
        match (self.base, self.cursor.token()) {
            (0, Some(b'[')) => {
                self.cursor.at += 1;
                // The array of the batch counts as a value, and as a level of depth of all that is in it.
                self.base = 1;
                self.nodes += 1;
                if self.cursor.token() == Some(b']') {
                    self.cursor.at += 1;
                    return Ok(None);
                }
            }
            (_, Some(b',')) => self.cursor.at += 1,
            (_, Some(b']')) => {
                self.cursor.at += 1;
                return Ok(None);
            }
            _ => return Err(self.cursor.unexpected(&Fault::Missing("`,` or `]`"))),
        }
        self.value().map(Some)
    }

    /// Nothing but whitespace may follow.
    pub(super) fn end(&mut self) -> ScanResult {
        match self.cursor.token() {
            None => Ok(()),
            Some(_) => Err(self
                .cursor
                .unexpected(&Fault::Missing("the end of the message"))),
        }
    }

    /// One value, to its end.
    pub(super) fn value(&mut self) -> ScanResult<JsonText<'a>> {
        self.cursor.token();
        let start = self.cursor.at;
        loop {
            if self.open.container.is_object() {
                self.key()?;
            }
            let is_complete = self.value_start()?;
            if is_complete && self.value_end()? {
                break;
            }
        }
        let raw = self.cursor.slice(start);
        let members = std::mem::take(&mut self.members);
        Ok(JsonText {
            raw,
            at: start,
            members: raw.starts_with('{').then_some(members),
            params: self.params.take(),
            fault: self.cursor.refused.take(),
        })
    }

    /// A scalar as a whole, or a container up to the first value in it or its end. False if a value is next.
    fn value_start(&mut self) -> ScanResult<bool> {
        let first = self.cursor.token();
        let start = self.cursor.at;
        self.nodes += 1;
        if self.is_over_nodes() {
            self.cursor
                .refuse(&Fault::Is("there are too many values"), start);
        }
        match first {
            Some(b'{') => {
                self.enter(self.kind_of_object());
                return Ok(self.cursor.token() == Some(b'}'));
            }
            Some(b'[') => {
                self.enter(Container::Array);
                return Ok(self.cursor.token() == Some(b']'));
            }
            Some(b'"') => _ = self.cursor.string()?,
            _ => self.cursor.scalar()?,
        }
        self.note(start);
        Ok(true)
    }

    /// Reads what follows a value, up to where the next one starts; true if nothing is open any more.
    fn value_end(&mut self) -> ScanResult<bool> {
        loop {
            let container = self.open.container;
            if container == Container::None {
                return Ok(true);
            }
            match self.cursor.token() {
                Some(b',') => {
                    self.cursor.at += 1;
                    return Ok(false);
                }
                Some(b'}') if container.is_object() => {}
                Some(b']') if !container.is_object() => {}
                _ if container.is_object() => {
                    return Err(self.cursor.unexpected(&Fault::Missing("`,` or `}`")));
                }
                _ => return Err(self.cursor.unexpected(&Fault::Missing("`,` or `]`"))),
            }
            self.cursor.at += 1;
            self.leave();
        }
    }

    /// The role of the object that starts here.
    fn kind_of_object(&self) -> Container {
        let waiting = self.members.last().filter(|_| self.open.waits);
        let name = waiting.map(|member| &*member.key);
        match (self.open.container, name) {
            (Container::None, _) => Container::Message,
            (Container::Message, Some("params")) => Container::Params,
            (Container::Params, Some("_meta")) => Container::Meta,
            _ => Container::Object,
        }
    }

    fn enter(&mut self, container: Container) {
        let start = self.cursor.at;
        self.cursor.at += 1;
        if self.base + self.frames.len() < self.limits.depth {
            let frame = Frame::new(container, start, self.members.len());
            self.frames.push(std::mem::replace(&mut self.open, frame));
        } else {
            // Followed nevertheless: what comes after may be no JSON at all, and that is the error to tell.
            self.beyond.push(self.open.container);
            self.open.container = container;
            self.open.waits = false;
            self.cursor
                .refuse(&Fault::Is("it is nested too deeply"), start);
        }
    }

    fn leave(&mut self) {
        if let Some(container) = self.beyond.pop() {
            self.open.container = container;
        } else if let Some(around) = self.frames.pop() {
            let frame = std::mem::replace(&mut self.open, around);
            self.complete(&frame);
            self.note(frame.start);
        }
    }

    fn complete(&mut self, frame: &Frame) {
        if frame.keys.may_repeat() {
            let own = self.members.get(frame.members..).unwrap_or_default();
            if let Some(at) = first_duplicate(own).map(|member| member.at) {
                self.cursor.refuse(&Fault::RepeatedKey, at);
            }
        }
        match frame.container {
            Container::None | Container::Array | Container::Message => {}
            Container::Params => {
                self.params = Some(self.object(frame).with_meta(self.meta.take()));
            }
            Container::Meta => self.meta = Some(self.object(frame)),
            Container::Object => self.members.truncate(frame.members),
        }
    }

    /// The object that `frame` was of, which has just ended.
    fn object(&mut self, frame: &Frame) -> Object<'a> {
        let members = self.members.split_off(frame.members);
        Object::new(self.cursor.slice(frame.start), members)
    }

    /// The value that started at `start` has ended: it completes the member that it is of, if of any.
    fn note(&mut self, start: usize) {
        if self.open.waits
            && let Some(member) = self.members.last_mut()
        {
            member.value = self.cursor.slice(start);
            self.open.waits = false;
        }
    }

    /// Whether the members of the innermost object are noted: after a fault those of the message alone, one of which may be
    /// its id.
    fn notes_members(&self) -> bool {
        self.cursor.refused.is_none() || (self.frames.len() == 1 && self.beyond.is_empty())
    }

    fn key(&mut self) -> ScanResult {
        if !self.cursor.is_token(b'"') {
            return Err(self.cursor.unexpected(&Fault::Missing("a key")));
        }
        let at = self.cursor.at;
        let escaped = self.cursor.string()?;
        let inner = self.cursor.inner(at);
        if !self.cursor.is_token(b':') {
            return Err(self.cursor.unexpected(&Fault::Missing("`:`")));
        }
        self.cursor.at += 1;
        if !self.notes_members() {
            return Ok(());
        }
        let before = self.members.len() - self.open.members;
        // One more than allowed is kept, so that it is seen later that these are not all of them.
        if before >= self.limits.members_per_object {
            self.cursor
                .refuse(&Fault::Is("an object has too many members"), at);
            if before > self.limits.members_per_object {
                return Ok(());
            }
        }
        let key = if escaped {
            escape::decode(inner)
        } else {
            inner.into()
        };
        self.open.keys.add(&key);
        self.open.waits = self.open.container != Container::Object;
        self.members.push(Member { key, value: "", at });
        Ok(())
    }
}
