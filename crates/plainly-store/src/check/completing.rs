//! The rules of templates.

use plainly_protocol::uri_template::{UriTemplate, Values};
use plainly_server::store::{Store, Typed};

use super::{Check, Rule};

impl<S: Store> Check<'_, S> {
    /// Checks each template, and completes its variables.
    pub(super) async fn templates(&mut self) {
        for template in self.store.templates() {
            let text = &*template.uri_template;
            let parsed = UriTemplate::parse(text).map_err(|error| error.to_string());
            let matched = parsed.and_then(|parsed| {
                let matcher = parsed.matcher();
                matcher.map_err(|error| error.to_string())
            });
            match matched {
                Ok(matcher) => self.template(matcher.template()).await,
                Err(why) => self.broken(Rule::Templates, text, why),
            }
        }
    }

    async fn template(&mut self, template: &UriTemplate) {
        let text = template.as_str();
        let mut known = Values::new();
        for variable in template.variables() {
            for limit in [1, 100] {
                let typed = Typed::new(text, variable, "", &known).limit(limit);
                let values = match self.caught(text, self.store.complete(typed)).await {
                    Some(Ok(values)) => values,
                    Some(Err(error)) => {
                        let why = format!("{variable} is not completed: {error}");
                        return self.broken(Rule::Templates, text, why);
                    }
                    None => return,
                };
                if values.len() > limit {
                    let why = format!("{} values of {variable} instead of {limit}", values.len());
                    self.broken(Rule::Templates, text, why);
                }
            }
            let typed = Typed::new(text, variable, "", &known);
            let first = self.store.complete(typed).await.ok();
            let Some(first) = first.and_then(|values| values.into_iter().next()) else {
                return;
            };
            let begun: String = first.chars().take(1).collect();
            let typed = Typed::new(text, variable, &begun, &known);
            let values = self.store.complete(typed).await.unwrap_or_default();
            if !values.iter().all(|value| value.starts_with(&begun)) || !values.contains(&first) {
                let why =
                    format!("{variable} begins with {begun:?}, but not its values {values:?}");
                self.broken(Rule::Templates, text, why);
            }
            known = known.with(variable, first);
        }
        let uri = template.expand(&known).unwrap_or_default();
        if !self.store.serves(&uri) || self.store.metadata(&uri).await.is_err() {
            self.broken(Rule::Templates, &uri, "completed values lead to it");
        }
    }
}
