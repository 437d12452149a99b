//! The metadata for clients that have no token yet: the protected resource metadata (RFC 9728, 2).

use bytes::Bytes;
use plainly_oauth::jose::SignatureAlgorithm;
use serde::Serialize;

use super::proof::Dpop;

#[derive(Serialize)]
pub(super) struct ResourceDocument<'a> {
    pub(super) resource: &'a str,
    pub(super) authorization_servers: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) scopes_supported: &'a [String],
    pub(super) bearer_methods_supported: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resource_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) dpop_signing_alg_values_supported: Vec<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) dpop_bound_access_tokens_required: bool,
}

impl<'a> ResourceDocument<'a> {
    pub(super) fn new(
        resource: &'a str,
        authorization_servers: Vec<&'a str>,
        scopes_supported: &'a [String],
        resource_name: Option<&'a str>,
        dpop: Dpop,
    ) -> Self {
        let algorithms = SignatureAlgorithm::all().map(SignatureAlgorithm::name);
        let is_taken = dpop != Dpop::Refuse;
        Self {
            resource,
            authorization_servers,
            scopes_supported,
            bearer_methods_supported: ["header"],
            resource_name,
            dpop_signing_alg_values_supported: algorithms.filter(|_| is_taken).collect(),
            dpop_bound_access_tokens_required: dpop == Dpop::Require,
        }
    }

    pub(super) fn to_bytes(&self) -> Bytes {
        // This can't fail, because all members are texts and lists of texts.
        serde_json::to_vec(self).unwrap_or_default().into()
    }
}
