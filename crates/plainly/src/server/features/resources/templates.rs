//! The templates of a server: how they are listed, and which of them serves a URI.

use plainly_errors::ProtocolError;
use plainly_protocol::types::{
    CacheHint, ListResourceTemplatesParams, ListResourceTemplatesResult,
};
use plainly_protocol::uri_template::Values;

use super::templated::ServedTemplate;
use crate::server::features::cursor::CursorsOf;

/// The templates of a server, in the order in which they were added.
#[derive(Debug)]
pub(super) struct Templates(Vec<ServedTemplate>);

const LISTING: &str = "resources/templates/list";

impl Templates {
    pub(super) fn new(templates: Vec<ServedTemplate>) -> Self {
        Self(templates)
    }

    /// The template with this text.
    pub(super) fn of_text(&self, text: &str) -> Option<&ServedTemplate> {
        let mut all = self.0.iter();
        all.find(|template| template.definition().uri_template == text)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, ServedTemplate> {
        self.0.iter()
    }

    /// The cache hints of the templates that list their resources.
    pub(super) fn listed_hints(&self) -> impl Iterator<Item = CacheHint> {
        let listed = self.0.iter().filter(|template| template.is_listed());
        listed.map(ServedTemplate::cache_hint)
    }

    /// The first template that matches `uri`, with the values of its variables.
    pub(super) fn find(&self, uri: &str) -> Option<(&ServedTemplate, Values)> {
        let mut all = self.0.iter();
        all.find_map(|template| Some((template, template.variables(uri)?)))
    }

    pub(super) fn list(
        &self,
        params: &ListResourceTemplatesParams,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListResourceTemplatesResult, ProtocolError> {
        let after = params.cursor.as_ref();
        let (page, next) = cursors.page(LISTING, &self.0, ServedTemplate::text, after, limit)?;
        let page: Vec<_> = page.iter().map(|one| one.definition().clone()).collect();
        let mut result = ListResourceTemplatesResult::new(page);
        result.next_cursor = next;
        Ok(result)
    }
}
