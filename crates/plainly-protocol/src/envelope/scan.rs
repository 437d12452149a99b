//! The scan: the grammar of JSON (RFC 8259), duplicate keys, depth and spans in one pass over the text.
//!
//! Hand-written because `RawValue` and skipped values have no depth limit in `serde_json` and duplicates are seen only
//! where a type looks; a strict walk followed by `RawValue` takes twice as long. Without recursion, so that no input
//! overflows the stack. It knows of two names, `params` and the `_meta` in it, whose members are kept.
//!
//! Bad grammar ends the scan. Anything else (duplicates, limits) is noted, and the scan goes on: what follows may still
//! be no JSON at all, and the id that the error must carry may still come.

use super::cursor::{Cursor, Quoted, Step};
use super::limits::Limits;
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
    cursor: Cursor<'a>,
    limits: &'l Limits,
    nodes: usize,
    fault: Option<Defect>,
    /// Containers around the value, outside of `open`: 1 in a batch.
    base: usize,
    /// The containers that are open. One byte each, since those beyond the allowed depth are also here.
    open: Vec<Container>,
    /// What is noted of each open container within the allowed depth.
    frames: Vec<Frame>,
    /// The members so far of the objects in `frames`, outermost first.
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
    start: usize,
    /// Where its members start in `Scanner::members`.
    members: usize,
    /// Which of them has its value scanned; the value is filled in at its end.
    pending: Option<usize>,
}

impl<'a, 'l> Scanner<'a, 'l> {
    pub(super) fn new(text: &'a str, limits: &'l Limits) -> Self {
        Self {
            cursor: Cursor::new(text),
            limits,
            nodes: 0,
            fault: None,
            base: 0,
            open: Vec::with_capacity(16),
            frames: Vec::with_capacity(8),
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
    pub(super) fn element(&mut self) -> Step<Option<Scanned<'a>>> {
        self.cursor.skip_whitespace();
        match (self.base, self.cursor.peek()) {
            (0, Some(b'[')) => {
                self.cursor.at += 1;
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
    pub(super) fn end(&mut self) -> Step {
        self.cursor.skip_whitespace();
        match self.cursor.peek() {
            None => Ok(()),
            Some(_) => Err(self.cursor.expected("expected nothing more")),
        }
    }

    /// One value, to its end.
    pub(super) fn value(&mut self) -> Step<Scanned<'a>> {
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
    fn value_start(&mut self) -> Step {
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

    /// What follows a value, up to where the next one starts; true if nothing is open any more.
    fn value_end(&mut self) -> Step<bool> {
        loop {
            let Some(&container) = self.open.last() else {
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

    fn enter(&mut self, container: Container) {
        let start = self.cursor.at;
        self.cursor.at += 1;
        self.open.push(container);
        if self.base + self.open.len() <= self.limits.depth {
            self.frames.push(Frame {
                start,
                members: self.members.len(),
                pending: None,
            });
        } else {
            self.refuse("too many arrays and objects in each other", start);
        }
        self.cursor.skip_whitespace();
    }

    fn leave(&mut self) {
        let framed = self.is_framed();
        let container = self.open.pop();
        let Some(frame) = self.frames.pop_if(|_| framed) else {
            return;
        };
        let own = self.members.get(frame.members..).unwrap_or_default();
        if let Some(at) = first_duplicate(own).map(|member| member.at) {
            self.refuse("duplicate key", at);
        }
        if container == Some(Container::Object) && self.is_within(&["params"]) {
            self.params = Some(self.object(&frame).with_meta(self.meta.take()));
        } else if container == Some(Container::Object) && self.is_within(&["params", "_meta"]) {
            self.meta = Some(self.object(&frame));
        } else if !self.frames.is_empty() {
            self.members.truncate(frame.members);
        }
        self.note(frame.start);
    }

    /// Whether the members of these names, each in the one before it, are all that is open.
    fn is_within(&self, names: &[&str]) -> bool {
        let is_pending = |(frame, name): (&Frame, &&str)| {
            let member = frame.pending.and_then(|index| self.members.get(index));
            member.is_some_and(|member| member.key == *name)
        };
        self.frames.len() == names.len() && self.frames.iter().zip(names).all(is_pending)
    }

    /// The object that `frame` was of, which has just ended.
    fn object(&mut self, frame: &Frame) -> Object<'a> {
        let members = self.members.split_off(frame.members);
        Object::new(self.cursor.slice(frame.start), members)
    }

    /// The value that started at `start` has ended: it completes the member that it is of, if of any.
    fn note(&mut self, start: usize) {
        if !self.is_framed() {
            return;
        }
        let pending = self.frames.last_mut().and_then(|it| it.pending.take());
        if let Some(member) = pending.and_then(|index| self.members.get_mut(index)) {
            member.value = self.cursor.slice(start);
        }
    }

    /// True if the innermost container has a frame, or none is open.
    fn is_framed(&self) -> bool {
        self.open.len() == self.frames.len()
    }

    fn key(&mut self) -> Step {
        self.cursor.skip_whitespace();
        let at = self.cursor.at;
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.expected("expected a key"));
        }
        let Quoted { inner, escaped } = self.cursor.string()?;
        self.cursor.skip_whitespace();
        if !self.cursor.eat(b':') {
            return Err(self.cursor.expected("expected `:`"));
        }
        // After a fault only the message's own members matter: one of them may be its id.
        if !self.is_framed() || (self.fault.is_some() && self.frames.len() > 1) {
            return Ok(());
        }
        let Some(frame) = self.frames.last_mut() else {
            return Ok(());
        };
        let before = self.members.len() - frame.members;
        if before <= self.limits.members_per_object {
            let key = if escaped {
                escape::decode(inner)
            } else {
                inner.into()
            };
            frame.pending = Some(self.members.len());
            self.members.push(Member { key, value: "", at });
        }
        if before >= self.limits.members_per_object {
            self.refuse("too many members in an object", at);
        }
        Ok(())
    }

    fn refuse(&mut self, what: &'static str, at: usize) {
        self.fault.get_or_insert(Defect::new(what, at));
    }
}
