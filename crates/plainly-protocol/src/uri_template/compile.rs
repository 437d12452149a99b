//! Compiles the parts of a template to the steps that match it, if matching is unambiguous.

use std::collections::HashSet;

use thiserror::Error;

use super::operator::{Operator, Style};
use super::walk::{Step, UriPart};
use super::{Expression, Modifier, TemplatePart, Variable};

/// The reason why a template can be expanded but not matched.
#[derive(Clone, PartialEq, Eq, Error)]
#[error("URI template can't be matched: at byte {at}: {problem}")]
#[non_exhaustive]
pub struct NotMatchable {
    /// The byte offset in the template of the expression that can't be matched.
    pub at: usize,
    /// The fault of that expression.
    pub problem: MatchProblem,
}

plainly_errors::debug_with_causes!(NotMatchable);

/// A reason why a template can't be matched.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MatchProblem {
    /// Two expressions are adjacent, and the end of the first is ambiguous: `{a}{b}`, `{/a*}{/b}`.
    /// Put a literal between them.
    #[error("the expression before {{{name}}} has no clear end")]
    Adjacent {
        /// The first variable of the second expression.
        name: String,
    },
    /// The template contains only the beginning of a value: `{name:3}`.
    #[error("only a prefix of {name} occurs, which does not determine its value")]
    Prefix {
        /// The name of the variable.
        name: String,
    },
    /// A variable occurs more than once.
    #[error("the variable {name} occurs more than once")]
    Repeated {
        /// The name of the variable.
        name: String,
    },
    /// An exploded variable is not the last of its expression and would match the values of the
    /// others: `{/path*,name}`.
    #[error("the exploded variable {name} is not the last of its expression")]
    ExplodedNotLast {
        /// The name of the variable.
        name: String,
    },
}

/// Checks that the parts can be matched, and returns the steps.
pub(super) fn compile(parts: &[TemplatePart]) -> Result<Vec<Step>, NotMatchable> {
    let mut program = Program::default();
    let (mut before, mut names, mut number) = (None, HashSet::new(), 0);
    for part in parts {
        match part {
            TemplatePart::Literal(literal) => {
                program.literal(literal);
                before = None;
            }
            TemplatePart::Expression(expression) => {
                check(expression, before, &mut names).map_err(|problem| NotMatchable {
                    at: expression.at,
                    problem,
                })?;
                program.expression(expression, number);
                number += expression.variables.len();
                before = Some(expression);
            }
        }
    }
    Ok(program.steps)
}

fn check<'a>(
    expression: &'a Expression,
    before: Option<&Expression>,
    names: &mut HashSet<&'a str>,
) -> Result<(), MatchProblem> {
    let count = expression.variables.len();
    for (index, Variable { name, modifier }) in expression.variables.iter().enumerate() {
        let name = name.clone();
        match modifier {
            Modifier::Prefix(_) => return Err(MatchProblem::Prefix { name }),
            Modifier::Explode if index + 1 < count => {
                return Err(MatchProblem::ExplodedNotLast { name });
            }
            Modifier::Explode | Modifier::None => {}
        }
    }
    for Variable { name, .. } in &expression.variables {
        if !names.insert(name) {
            return Err(MatchProblem::Repeated { name: name.clone() });
        }
    }
    match (before, expression.variables.first()) {
        (Some(before), Some(Variable { name, .. })) if runs_into(before, expression.operator) => {
            Err(MatchProblem::Adjacent { name: name.clone() })
        }
        _ => Ok(()),
    }
}

/// Whether the end of `before` is ambiguous if an expression with this operator follows.
fn runs_into(before: &Expression, operator: Operator) -> bool {
    let first = operator.style().first;
    first.is_empty() || is_exploded(before) && first == before.operator.style().separator
}

/// Whether the last variable of the expression is exploded.
fn is_exploded(expression: &Expression) -> bool {
    let last = expression.variables.last();
    last.is_some_and(|variable| variable.modifier == Modifier::Explode)
}

/// The steps compiled so far.
#[derive(Debug, Default)]
struct Program {
    steps: Vec<Step>,
}

/// A step whose target is not known yet.
#[derive(Clone, Copy)]
struct Pending(usize);

impl Program {
    fn next(&self) -> usize {
        self.steps.len()
    }

    fn push(&mut self, step: Step) -> Pending {
        self.steps.push(step);
        Pending(self.next() - 1)
    }

    /// Makes the next step the target of the pending steps.
    fn land(&mut self, pending: impl IntoIterator<Item = Pending>) {
        let here = self.next();
        for Pending(index) in pending {
            if let Some(Step::OrElse(target) | Step::Jump(target)) = self.steps.get_mut(index) {
                *target = here;
            }
        }
    }

    fn or_else(&mut self) -> Pending {
        // The target is invalid until `land` sets it.
        self.push(Step::OrElse(usize::MAX))
    }

    fn jump(&mut self) -> Pending {
        self.push(Step::Jump(usize::MAX))
    }

    fn literal(&mut self, text: &str) {
        if !text.is_empty() {
            self.push(Step::Literal(text.to_owned()));
        }
    }

    /// Compiles an expression whose first variable has this number.
    fn expression(&mut self, expression: &Expression, number: usize) {
        let style = expression.operator.style();
        if style.named.is_some() {
            self.named(&style, &expression.variables, number);
        } else {
            self.unnamed(&style, &expression.variables, number);
        }
    }

    /// Compiles values without names. If one is absent, all that follow are absent too.
    fn unnamed(&mut self, style: &Style, variables: &[Variable], number: usize) {
        let mut ends = Vec::new();
        let mut lead = style.first;
        for (variable, number) in variables.iter().zip(number..) {
            if !lead.is_empty() {
                ends.push(self.or_else());
            }
            self.item(style, lead, variable, number);
            lead = style.separator;
        }
        self.land(ends);
    }

    /// Compiles values with names, any of which may be absent. If the first one present begins with
    /// another character than the others, two paths lead through the variables: one before any
    /// value was present, and one after.
    fn named(&mut self, style: &Style, variables: &[Variable], number: usize) {
        let numbered = || variables.iter().zip(number..);
        if style.first == style.separator {
            for (variable, number) in numbered() {
                let absent = self.or_else();
                self.item(style, style.separator, variable, number);
                self.land([absent]);
            }
            return;
        }
        let mut after_each = Vec::new();
        for (variable, number) in numbered() {
            let absent = self.or_else();
            self.item(style, style.first, variable, number);
            after_each.push(self.jump());
            self.land([absent]);
        }
        let nothing = self.jump();
        let mut after_each = after_each.into_iter();
        self.land(after_each.next());
        for ((variable, number), after) in numbered().skip(1).zip(after_each) {
            let absent = self.or_else();
            self.item(style, style.separator, variable, number);
            self.land([absent, after]);
        }
        self.land([nothing]);
    }

    /// Compiles a variable that is present, after `lead`.
    fn item(&mut self, style: &Style, lead: &str, variable: &Variable, number: usize) {
        match (variable.modifier, style.named) {
            (Modifier::Explode, _) => self.exploded(style, lead, variable, number),
            (_, None) => {
                self.literal(lead);
                self.value(style, number);
            }
            (_, Some(if_empty)) => {
                self.literal(&format!("{lead}{}", variable.name));
                self.value_after_name(style, if_empty, number);
            }
        }
    }

    /// Compiles the parts of an exploded variable.
    fn exploded(&mut self, style: &Style, lead: &str, variable: &Variable, number: usize) {
        // The first part follows another character than the others, so it jumps over their
        // separator.
        let begun = (lead != style.separator).then(|| {
            self.literal(lead);
            self.jump()
        });
        let again = self.next();
        self.literal(style.separator);
        self.land(begun);
        if let Some(if_empty) = style.named {
            // The encoding of a map's names can't produce a name with percent-encoded characters.
            if variable.name.contains('%') {
                self.literal(&variable.name);
            } else {
                self.run(style, number, true);
            }
            self.value_after_name(style, if_empty, number);
        } else {
            self.value(style, number);
        }
        self.push(Step::Again(again));
    }

    fn value_after_name(&mut self, style: &Style, if_empty: &str, number: usize) {
        if !if_empty.is_empty() {
            self.literal(if_empty);
            return self.value(style, number);
        }
        // Either an equals sign and at least one character, or neither, because this operator
        // writes no equals sign for an empty value.
        let empty = self.or_else();
        self.literal("=");
        self.push(Step::Open);
        self.push(Step::One(style.alphabet));
        self.push(Step::Run(style.alphabet));
        self.close(number, false);
        let done = self.jump();
        self.land([empty]);
        self.push(Step::Open);
        self.close(number, false);
        self.land([done]);
    }

    fn value(&mut self, style: &Style, number: usize) {
        self.run(style, number, false);
    }

    fn run(&mut self, style: &Style, number: usize, is_name: bool) {
        self.push(Step::Open);
        self.push(Step::Run(style.alphabet));
        self.close(number, is_name);
    }

    fn close(&mut self, variable: usize, is_name: bool) {
        self.push(Step::Close(UriPart { variable, is_name }));
    }
}
