//! The extension `dev.plainly/resources`: the metadata that it adds to resources and contents, and the formats of which a
//! client chooses. The capabilities say in the words of newer drafts of SEP-2093 whether a resource is a collection, and
//! whether its changes are reported.

use plainly_errors::Revision;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{
    Meta, REPRESENTATIONS, Resource, ResourceCapabilities, ResourceContents, ResourceTemplate,
};

use super::Resources;
use crate::extract::ResourceCall;
use crate::store::DynStore;

/// The parts of the extension that contents need to know.
#[derive(Clone, Debug)]
pub(super) struct Extended {
    /// The revision that the client speaks.
    revision: Revision,
    /// Whether changes are reported to clients.
    can_subscribe: bool,
    /// The formats that the client accepts, if it names any.
    accepted: Option<Vec<String>>,
}

impl Resources {
    /// The additions to the contents that `call` asks for, which `store` has unless the program does.
    pub(super) fn extended(
        &self,
        call: &ResourceCall<'_>,
        store: Option<&dyn DynStore>,
        accepted: Option<Vec<String>>,
    ) -> Option<Extended> {
        let can_watch = store.is_some_and(|store| store.facts().can_watch);
        self.settings.is_extended.then(|| Extended {
            revision: call.scope.peer().revision,
            can_subscribe: self.settings.announces_all || can_watch,
            accepted,
        })
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

    /// Adds the capabilities that the resources of templates may have: only those of stores are collections.
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

/// Fits the contents of `uri` to the client: adds the metadata of the extension if it is in use, and leaves out the formats that
/// the client gets none of.
pub(super) fn fit(extended: Option<Extended>, uri: &str, contents: &mut Vec<ResourceContents>) {
    match extended {
        Some(extended) => extended.extend(uri, contents),
        None => leave_out(uri, contents),
    }
}

impl Extended {
    /// Adds the metadata of the extension to the contents of `uri`, and leaves out formats that are not accepted.
    fn extend(&self, uri: &str, contents: &mut Vec<ResourceContents>) {
        if let Some(accepted) = &self.accepted {
            retain_accepted(uri, contents, accepted);
        }
        for content in contents {
            let capabilities = of(content.is_collection, self.can_subscribe);
            content.capabilities.get_or_insert(capabilities);
            content.shape(self.revision);
        }
    }
}

/// Leaves out what the extension adds: all formats but the resource as it is.
fn leave_out(uri: &str, contents: &mut Vec<ResourceContents>) {
    retain_accepted(uri, contents, &[]);
    for content in contents {
        forget_formats(&mut content.meta);
    }
}

fn forget_formats(meta: &mut Option<Meta>) {
    if let Some(members) = meta {
        members.remove(REPRESENTATIONS);
    }
    meta.take_if(|meta| meta.is_empty());
}

/// Leaves out each format of `uri` that is not accepted; if none is, each but the first, which is the resource as it is.
fn retain_accepted(uri: &str, contents: &mut Vec<ResourceContents>, accepted: &[String]) {
    let is_accepted = |one: &ResourceContents| {
        let own = one.mime_type.as_deref().unwrap_or_default();
        accepted.iter().any(|other| other.eq_ignore_ascii_case(own))
    };
    let is_any = contents
        .iter()
        .any(|one| one.uri == uri && is_accepted(one));
    let mut is_first = true;
    contents.retain(|one| {
        let is_kept = match is_any {
            true => is_accepted(one),
            false => is_first,
        };
        is_first &= one.uri != uri;
        one.uri != uri || is_kept
    });
}

fn of(is_collection: Option<bool>, can_subscribe: bool) -> ResourceCapabilities {
    let mut capabilities = ResourceCapabilities::new().subscribe(can_subscribe);
    capabilities.list = is_collection;
    capabilities
}
