//! Completion of a template's variables from listings.

use plainly_protocol::uri_template::{Matcher, UriTemplate, Value, Values};

use super::{ListQuery, Store, StoreError};

/// The maximum number of resources that are searched for one completion, because a client requests
/// one for each letter typed.
const LOOKED_AT: usize = 5_000;

/// The number of resources on one page.
const PAGE: usize = 500;

/// A value of a template's variable that a user is typing.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Typed<'a> {
    /// The template, as the store [returned](Store::templates) it.
    pub template: &'a str,
    /// The variable.
    pub variable: &'a str,
    /// The beginning of its value, not percent-encoded.
    pub text: &'a str,
    /// The values of other variables.
    pub known: &'a Values,
    /// The maximum number of values to return, at least 1.
    pub limit: usize,
}

impl<'a> Typed<'a> {
    /// The text `text` of `variable` in `template`, with the values `known` of other variables.
    pub fn new(template: &'a str, variable: &'a str, text: &'a str, known: &'a Values) -> Self {
        Self {
            template,
            variable,
            text,
            known,
            limit: plainly_protocol::types::Completion::MOST,
        }
    }

    /// Sets the maximum number of values.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }
}

/// The values that lead to listed resources: in the collection that the text is in, otherwise among
/// the roots, otherwise anywhere.
pub(super) async fn by_listing<S: Store + ?Sized>(
    store: &S,
    typed: Typed<'_>,
) -> Result<Vec<String>, StoreError> {
    let Some(search) = Search::of(typed) else {
        return Ok(Vec::new());
    };
    for parent in search.parents().filter(|parent| store.serves(parent)) {
        match search.below(store, Some(&parent)).await {
            Err(
                StoreError::NotFound | StoreError::InvalidUri { .. } | StoreError::NotACollection,
            ) => {}
            found => return found,
        }
    }
    let mut values = Vec::new();
    for root in store.roots() {
        search.add(&root, &mut values);
    }
    match values.is_empty() {
        true => search.below(store, None).await,
        false => Ok(values),
    }
}

/// The search for the values of one variable.
struct Search<'a> {
    typed: Typed<'a>,
    /// A matcher for the template up to the variable.
    matcher: Matcher,
    /// The URI up to the last complete name; `None` if an earlier variable has no value.
    beginning: Option<String>,
}

impl<'a> Search<'a> {
    /// The search; `None` if the template has no such variable, or if its values can't be extracted
    /// from URIs.
    fn of(typed: Typed<'a>) -> Option<Self> {
        let template = UriTemplate::parse(typed.template).ok()?;
        let template = template.until(typed.variable)?;
        let has_value = |name: &str| name == typed.variable || typed.known.get(name).is_some();
        let is_known = template.variables().all(has_value);
        let expand = |value: &str| {
            let values = typed.known.clone().with(typed.variable, value);
            template.expand(&values).ok()
        };
        // Complete names lead to a collection if the template does not encode their slashes.
        let names = typed.text.rfind('/').map(|slash| &typed.text[..=slash]);
        let beginning = names.and_then(expand).filter(|uri| uri.ends_with('/'));
        let beginning = beginning.or_else(|| expand("")).filter(|_| is_known);
        Some(Self {
            typed,
            matcher: template.matcher().ok()?,
            beginning,
        })
    }

    /// The collections that may contain the value, as far as its text shows.
    fn parents(&self) -> impl Iterator<Item = String> + use<> {
        let beginning = self.beginning.as_deref().unwrap_or_default();
        let above = beginning
            .rsplit_once('/')
            .map(|(above, _)| above.to_owned());
        let itself = beginning.ends_with('/').then(|| beginning.to_owned());
        above.into_iter().chain(itself)
    }

    async fn below<S: Store + ?Sized>(
        &self,
        store: &S,
        parent: Option<&str>,
    ) -> Result<Vec<String>, StoreError> {
        let mut values = Vec::new();
        let mut after = None;
        for _ in 0..LOOKED_AT / PAGE {
            let mut query = ListQuery::new(PAGE);
            (query.parent, query.after) = (parent, after.as_deref());
            let page = store.list(query).await?;
            for resource in &page.resources {
                self.add(&resource.uri, &mut values);
            }
            if values.len() >= self.typed.limit || page.next.is_none() {
                break;
            }
            after = page.next;
        }
        Ok(values)
    }

    /// Adds the value that leads to `uri`, if it begins with the text.
    fn add(&self, uri: &str, values: &mut Vec<String>) {
        let Some(found) = self.matcher.values(uri) else {
            return;
        };
        let mut others = found
            .iter()
            .filter(|(name, _)| *name != self.typed.variable);
        let is_of_known = others.all(|(name, value)| {
            let known = self.typed.known.get(name);
            known.is_none_or(|known| known == value)
        });
        if is_of_known
            && values.len() < self.typed.limit
            && let Some(Value::Text(value)) = found.get(self.typed.variable)
            && value.starts_with(self.typed.text)
            && !values.contains(value)
        {
            values.push(value.clone());
        }
    }
}
