//! Matches a URI against the steps of a template. The first pass goes backwards and finds the
//! positions from which each step can reach the end. The second goes forwards and takes the first
//! choice that can. With two passes, nothing is ever tried twice.

use std::ops::Range;

use super::operator::Alphabet;
use super::percent::width_of_first;

/// One step in matching a URI from a position. A step is followed by the next one unless it names
/// another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// Matches this text, which is never empty.
    Literal(String),
    /// Matches one character of a value.
    One(Alphabet),
    /// Matches as few characters of a value as possible.
    Run(Alphabet),
    /// Records where a part of the URI begins.
    Open,
    /// Records where that part ends.
    Close(UriPart),
    /// Continues with the next step or, if that can't match, at this later step.
    OrElse(usize),
    /// Continues at this later step.
    Jump(usize),
    /// Goes back to this earlier step, a [`Literal`](Self::Literal), or, if that can't match,
    /// continues with the next step.
    Again(usize),
}

/// A part of the URI: the value of the variable with this number, or its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UriPart {
    pub(super) variable: usize,
    pub(super) is_name: bool,
}

/// All parts of `uri` found by matching all steps; `None` if it does not match.
pub(super) fn walk(steps: &[Step], uri: &str) -> Option<Vec<(UriPart, Range<usize>)>> {
    // Most URIs belong to another template and differ in their first characters, so no table is
    // made for them.
    if let Some(Step::Literal(literal)) = steps.first()
        && !uri.starts_with(literal)
    {
        return None;
    }
    let ways = Ways::of(steps, uri);
    let (mut step, mut at, mut opened) = (0, 0, 0);
    let mut found = Vec::new();
    if !ways.lead_on(step, at) {
        return None;
    }
    while let Some(current) = steps.get(step) {
        (step, at) = match current {
            Step::Literal(literal) => (step + 1, at + literal.len()),
            Step::One(alphabet) => (step + 1, ways.passed(*alphabet, at)?),
            Step::Run(_) if ways.lead_on(step + 1, at) => (step + 1, at),
            Step::Run(alphabet) => (step, ways.passed(*alphabet, at)?),
            Step::Open => {
                opened = at;
                (step + 1, at)
            }
            Step::Close(what) => {
                found.push((*what, opened..at));
                (step + 1, at)
            }
            Step::OrElse(_) if ways.lead_on(step + 1, at) => (step + 1, at),
            Step::OrElse(other) | Step::Jump(other) => (*other, at),
            Step::Again(earlier) if ways.repeats(*earlier, at) => (*earlier, at),
            Step::Again(_) => (step + 1, at),
        };
    }
    Some(found)
}

/// A table of the positions from which each step can match the rest of the URI.
struct Ways<'a> {
    steps: &'a [Step],
    uri: &'a [u8],
    /// An entry for each position and each step, plus one for the end after the steps.
    leads_on: Vec<bool>,
}

impl<'a> Ways<'a> {
    fn of(steps: &'a [Step], uri: &'a str) -> Self {
        // Bounded, because the lengths of URIs and templates are.
        let cells = (uri.len() + 1) * (steps.len() + 1);
        let mut ways = Self {
            steps,
            uri: uri.as_bytes(),
            leads_on: vec![false; cells],
        };
        for at in (0..=uri.len()).rev() {
            ways.note(steps.len(), at, at == uri.len());
            for (number, step) in steps.iter().enumerate().rev() {
                let leads_on = ways.see(number, step, at);
                ways.note(number, at, leads_on);
            }
        }
        ways
    }

    /// Whether `step` can match the rest from here. All later steps and positions are already
    /// known.
    fn see(&self, number: usize, step: &Step, at: usize) -> bool {
        let on = || self.lead_on(number + 1, at);
        match step {
            Step::Literal(literal) => self.passes(literal, number, at),
            Step::One(alphabet) => {
                let passed = self.passed(*alphabet, at);
                passed.is_some_and(|passed| self.lead_on(number + 1, passed))
            }
            Step::Run(alphabet) => {
                let passed = self.passed(*alphabet, at);
                on() || passed.is_some_and(|passed| self.lead_on(number, passed))
            }
            Step::Open | Step::Close(_) => on(),
            Step::OrElse(other) => on() || self.lead_on(*other, at),
            Step::Jump(other) => self.lead_on(*other, at),
            Step::Again(earlier) => on() || self.repeats(*earlier, at),
        }
    }

    /// Whether the literal `number` is here and the rest after it matches.
    fn passes(&self, literal: &str, number: usize, at: usize) -> bool {
        let rest = self.uri.get(at..).unwrap_or_default();
        rest.starts_with(literal.as_bytes()) && self.lead_on(number + 1, at + literal.len())
    }

    /// Whether the step `earlier`, not yet known for this position, can match the rest from it. It
    /// is a literal, so each repetition comes closer to the end.
    fn repeats(&self, earlier: usize, at: usize) -> bool {
        match self.steps.get(earlier) {
            Some(Step::Literal(literal)) => self.passes(literal, earlier, at),
            _ => false,
        }
    }

    /// The position after the character of a value at `at`, if there is one.
    fn passed(&self, alphabet: Alphabet, at: usize) -> Option<usize> {
        width_of_first(self.uri.get(at..)?, alphabet).map(|width| at + width)
    }

    fn lead_on(&self, step: usize, at: usize) -> bool {
        let cell = self.cell(step, at);
        self.leads_on.get(cell).copied().unwrap_or(false)
    }

    fn note(&mut self, step: usize, at: usize, leads_on: bool) {
        let cell = self.cell(step, at);
        if let Some(noted) = self.leads_on.get_mut(cell) {
            *noted = leads_on;
        }
    }

    const fn cell(&self, step: usize, at: usize) -> usize {
        at * (self.steps.len() + 1) + step
    }
}
