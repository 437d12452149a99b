//! Setters that several kinds of definition share. `setters!` adds the named ones to an `impl`. If
//! a setter has different meanings for different kinds, its documentation follows its name.

macro_rules! setters {
    ($($name:ident $(= $doc:literal)?),+ $(,)?) => { $(setters!(@$name $($doc)?);)+ };
    (@name $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn name(mut self, name: impl Into<String>) -> Self {
            self.definition.name = name.into();
            self
        }
    };
    (@title) => {
        /// Sets the display name.
        #[must_use]
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.definition.title = Some(title.into());
            self
        }
    };
    (@description $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn description(mut self, description: impl Into<String>) -> Self {
            self.definition.description = Some(description.into());
            self
        }
    };
    (@mime_type $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
            self.definition.mime_type = Some(mime_type.into());
            self
        }
    };
    (@icons) => {
        /// Sets icons for user interfaces.
        #[must_use]
        pub fn icons(mut self, icons: impl Into<Vec<plainly_protocol::types::Icon>>) -> Self {
            self.definition.icons = Some(icons.into());
            self
        }
    };
    (@annotations) => {
        /// Sets hints for the client about the audience and importance.
        #[must_use]
        pub fn annotations(mut self, annotations: plainly_protocol::types::Annotations) -> Self {
            self.definition.annotations = Some(annotations);
            self
        }
    };
    (@meta) => {
        /// Adds members to the `_meta` of the definition.
        #[must_use]
        pub fn meta(mut self, meta: plainly_protocol::types::Meta) -> Self {
            let members = serde_json::Map::from(meta);
            self.definition.meta.get_or_insert_default().extend(members);
            self
        }
    };
    (@cache_hint $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn cache_hint(mut self, hint: plainly_protocol::types::CacheHint) -> Self {
            self.cache_hint = hint;
            self
        }
    };
}

pub(super) use setters;
