//! The scan: the grammar of JSON (RFC 8259), duplicate keys, depth and spans in one pass over the
//! text.
//!
//! It is hand-written because `serde_json` applies no depth limit to `RawValue` and skipped values,
//! and detects duplicates only in fields that a type reads. A strict walk followed by `RawValue`
//! takes twice as long. It uses no recursion, so that no input overflows the stack. It knows two
//! names, `params` and `_meta` inside it, whose members are stored.
//!
//! Invalid grammar ends the scan. Any other fault (duplicate keys, limits, numbers beyond the range
//! of floats) is recorded and the scan continues, because the text after it may not be JSON, or may
//! contain the id for the error response.

use super::Limits;
use super::cursor::{ByteCursor, ScanResult};
use super::defect::{Defect, Fault};
use super::object::{KeyBits, Member, Object, first_duplicate};
use crate::escape;

/// A value that is well-formed JSON.
pub(super) struct JsonText<'a> {
    pub(super) raw: &'a str,
    pub(super) at: usize,
    /// The members, at most one more than the limit allows. `None` if the value is not an object.
    pub(super) members: Option<Vec<Member<'a>>>,
    /// The member `params`, if it is an object.
    pub(super) params: Option<Object<'a>>,
    /// The first reason to reject the value although it is JSON.
    pub(super) fault: Option<Defect>,
}

pub(super) struct Scanner<'a, 'l> {
    cursor: ByteCursor<'a>,
    limits: &'l Limits,
    nodes: usize,
    /// The number of containers around the value that `frames` does not count: 1 in a batch.
    base: usize,
    /// The innermost container.
    open: Frame,
    /// The containers around `open`, within the allowed depth and the value.
    frames: Vec<Frame>,
    /// The enclosing container of each one beyond the allowed depth. Nothing else is stored for
    /// those.
    beyond: Vec<Container>,
    /// The members so far of the open objects, outermost first. The value of a member is empty
    /// until the value has ended.
    members: Vec<Member<'a>>,
    params: Option<Object<'a>>,
    /// The `_meta` of the open `params`.
    meta: Option<Object<'a>>,
}

/// The kind of a container.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    /// No container: the surroundings of the value.
    None,
    Array,
    /// The object of a message.
    Message,
    /// The `params` of a message, or the `_meta` in them.
    Params,
    Meta,
    /// Any other object. Only its keys are recorded, to find duplicates. Its values are not,
    /// because readers get it as part of the text of an enclosing member.
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
    /// The index in `Scanner::members` where the members of this container begin.
    members: usize,
    keys: KeyBits,
    /// Whether the last member still has no value.
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
            // The depth and width of most messages, so that these lists rarely grow.
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

    /// Whether the text is an array, whose elements [`Self::element`] returns.
    pub(super) fn starts_array(&mut self) -> bool {
        self.cursor.token() == Some(b'[')
    }

    /// The next element of the outermost array; `None` at its end.
    pub(super) fn element(&mut self) -> ScanResult<Option<JsonText<'a>>> {
        match (self.base, self.cursor.token()) {
            (0, Some(b'[')) => {
                self.cursor.at += 1;
                // The array of the batch counts as a value, and as a level of depth for everything
                // in it.
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

    /// Checks that only whitespace follows.
    pub(super) fn end(&mut self) -> ScanResult {
        match self.cursor.token() {
            None => Ok(()),
            Some(_) => Err(self
                .cursor
                .unexpected(&Fault::Missing("the end of the message"))),
        }
    }

    /// Reads one value to its end.
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

    /// Reads a whole scalar, or a container up to its first value or its end. Returns false if a
    /// value is next.
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

    /// Reads the text after a value, up to the next value. Returns true if no container is open any
    /// more.
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

    /// The role of the object that begins here.
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
            // The scan continues, because the rest may not be JSON, and that would be the error to
            // report.
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

    /// Builds the object of `frame`, which has just ended.
    fn object(&mut self, frame: &Frame) -> Object<'a> {
        let members = self.members.split_off(frame.members);
        Object::new(self.cursor.slice(frame.start), members)
    }

    /// Stores the value that began at `start` and has ended, if it belongs to a member.
    fn note(&mut self, start: usize) {
        if self.open.waits
            && let Some(member) = self.members.last_mut()
        {
            member.value = self.cursor.slice(start);
            self.open.waits = false;
        }
    }

    /// Whether the members of the innermost object are recorded. After a fault only those of the
    /// message are, because one of them may be the id.
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
        // One more member than allowed is stored, so that later code sees that the list is
        // incomplete.
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
