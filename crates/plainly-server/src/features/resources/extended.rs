//! The extension `dev.plainly/resources`: the metadata that it adds to resources and contents, and
//! the formats that a client can choose from. As in newer drafts of SEP-2093, the capabilities say
//! whether a resource is a collection and whether its changes are reported.

use plainly_errors::Revision;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{
    Meta, REPRESENTATIONS, RESOURCES_EXTENSION, Resource, ResourceCapabilities, ResourceContents,
    ResourceTemplate,
};

use super::Resources;
use crate::extract::ResourceCall;
use crate::store::{DynStore, Formats};

/// The settings of the extension that contents need.
#[derive(Clone, Debug)]
pub(super) struct Extended {
    /// Whether the extension is in use.
    is_extended: bool,
    /// The revision of the client.
    revision: Revision,
    /// Whether changes are reported to clients.
    can_subscribe: bool,
    /// The formats that the client gets.
    formats: Formats,
}

impl Resources {
    /// The formats that the client gets: those that it requests, or all if it supports several
    /// formats. Any other client would mistake them for several files.
    pub(super) fn formats(&self, call: &ResourceCall<'_>, asked: Option<Vec<String>>) -> Formats {
        let knows_formats = call.scope.peer().extension(RESOURCES_EXTENSION).is_some();
        match asked {
            _ if !self.settings.is_extended => Formats::Own,
            Some(types) => Formats::These(types),
            None if knows_formats => Formats::All,
            None => Formats::Own,
        }
    }

    /// The additions to the contents that `call` requests. They are in `store`, or the program
    /// provides them.
    pub(super) fn extended(
        &self,
        call: &ResourceCall<'_>,
        store: Option<&dyn DynStore>,
        formats: Formats,
    ) -> Extended {
        let can_watch = store.is_some_and(|store| store.facts().can_watch);
        Extended {
            is_extended: self.settings.is_extended,
            revision: call.scope.peer().revision,
            can_subscribe: self.settings.announces_all || can_watch,
            formats,
        }
    }

    /// Adds the metadata of the extension to resources.
    pub(in crate::features) fn extend_each(&self, resources: &mut [Resource], revision: Revision) {
        for resource in resources {
            if !self.settings.is_extended {
                forget_formats(&mut resource.meta);
                continue;
            }
            let capabilities = of(resource.is_collection, self.can_subscribe(&resource.uri));
            resource.capabilities.get_or_insert(capabilities);
            resource.shape(revision);
        }
    }

    /// Adds the capabilities that the resources of templates may have. Only resources of stores can
    /// be collections.
    pub(super) fn extend_templates(&self, templates: &mut [ResourceTemplate]) {
        if !self.settings.is_extended {
            return;
        }
        for template in templates {
            let is_own = self.templates.of_text(&template.uri_template).is_some();
            let can_subscribe = self.settings.announces_all || !is_own && self.can_watch();
            let capabilities = of(Some(!is_own), can_subscribe);
            template.capabilities.get_or_insert(capabilities);
        }
    }

    /// Whether the server reports changes of the resource at `uri`.
    fn can_subscribe(&self, uri: &str) -> bool {
        let is_own = || self.fixed.get(uri).is_some() || self.templates.find(uri).is_some();
        let store = self.stores.of(uri);
        self.settings.announces_all
            || store.is_some_and(|store| store.facts().can_watch) && !is_own()
    }
}

impl Extended {
    /// Adapts the contents of `uri` to the client: removes the formats that the client does not
    /// get, and adds the metadata of the extension if it is in use.
    pub(super) fn fit(&self, uri: &str, contents: &mut Vec<ResourceContents>) {
        self.formats.retain(uri, contents);
        for content in contents {
            if !self.is_extended {
                forget_formats(&mut content.meta);
                continue;
            }
            let capabilities = of(content.is_collection, self.can_subscribe);
            content.capabilities.get_or_insert(capabilities);
            content.shape(self.revision);
        }
    }
}

fn forget_formats(meta: &mut Option<Meta>) {
    if let Some(members) = meta {
        members.remove(REPRESENTATIONS);
    }
    meta.take_if(|meta| meta.is_empty());
}

fn of(is_collection: Option<bool>, can_subscribe: bool) -> ResourceCapabilities {
    let mut capabilities = ResourceCapabilities::new().subscribe(can_subscribe);
    capabilities.list = is_collection;
    capabilities
}
