//! A URL, and a document from it. Metadata must be requested only from the URL's origin, and parsed
//! values must be in the document according to a second parser, with valid endpoints.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plainly_oauth::metadata::{
    ResourceMetadata, ServerMetadata, resource_metadata_urls, server_address, server_metadata_urls,
};
use serde_json::Value;
use url::Url;

fuzz_target!(|text: &str| {
    let (url, document) = text.split_once('\n').unwrap_or((text, ""));
    // No metadata is requested for other URLs.
    let is_plain = url.bytes().all(|it| it.is_ascii_graphic() && it != b'\\');
    let parsed = Url::parse(url).ok();
    let parsed = parsed.filter(|it| is_plain && it.origin().is_tuple());
    if let Some(parsed) = &parsed {
        look_where_it_is_asked_for(url, parsed);
    }
    let document = document.strip_prefix('\u{feff}').unwrap_or(document);
    let Ok(value) = serde_json::from_str::<Value>(document) else {
        assert!(ResourceMetadata::read(document.as_bytes()).is_err());
        assert!(ServerMetadata::read(document.as_bytes()).is_err());
        return;
    };
    // The document without duplicate members, which must not be read.
    let once = value.to_string();
    let resource = ResourceMetadata::read(once.as_bytes());
    if let Ok(as_written) = ResourceMetadata::read(document.as_bytes()) {
        assert_eq!(Ok(&as_written), resource.as_ref());
    }
    assert_eq!(resource.is_ok(), is_of_resource(&value), "{once}");
    if let (Ok(resource), Some(parsed)) = (resource, parsed) {
        assert_eq!(Some(resource.resource.as_str()), value["resource"].as_str());
        let places = resource_metadata_urls(&resource.resource);
        let found_at = places.last().map_or(url, String::as_str);
        assert!(!resource.covers(url, found_at) || is_above(&resource.resource, &parsed));
    }
    let server = ServerMetadata::read(once.as_bytes());
    if let Ok(as_written) = ServerMetadata::read(document.as_bytes()) {
        assert_eq!(Ok(&as_written), server.as_ref());
    }
    assert_eq!(server.is_ok(), is_of_server(&value), "{once}");
    if let Ok(server) = server {
        assert_eq!(Some(server.issuer.as_str()), value["issuer"].as_str());
        let methods = &value["code_challenge_methods_supported"];
        let methods = methods.as_array().map_or(&[][..], Vec::as_slice);
        assert_eq!(server.has_pkce(), methods.contains(&"S256".into()));
    }
});

fn look_where_it_is_asked_for(url: &str, parsed: &Url) {
    let urls = [resource_metadata_urls(url), server_metadata_urls(url)];
    for found in urls.iter().flatten() {
        let found = Url::parse(found).unwrap();
        assert_eq!(found.origin(), parsed.origin());
        assert_eq!((found.query(), found.fragment()), (None, None));
        assert_eq!(found.username(), parsed.username());
    }
    let Some(address) = server_address(url) else {
        return;
    };
    let mut bare = parsed.clone();
    bare.set_username("").unwrap();
    bare.set_password(None).unwrap();
    bare.set_query(None);
    bare.set_fragment(None);
    assert_eq!(Url::parse(&address), Ok(bare));
}

fn is_of_resource(value: &Value) -> bool {
    is_said(&value["resource"])
        && is_list(&value["authorization_servers"])
        && is_list(&value["scopes_supported"])
        && is_list(&value["dpop_signing_alg_values_supported"])
        && is_flag(&value["dpop_bound_access_tokens_required"])
}

fn is_of_server(value: &Value) -> bool {
    let endpoints = [
        "authorization_endpoint",
        "token_endpoint",
        "registration_endpoint",
        "device_authorization_endpoint",
    ];
    let lists = [
        "scopes_supported",
        "grant_types_supported",
        "token_endpoint_auth_methods_supported",
        "code_challenge_methods_supported",
        "dpop_signing_alg_values_supported",
    ];
    let flags = [
        "authorization_response_iss_parameter_supported",
        "client_id_metadata_document_supported",
    ];
    is_said(&value["issuer"])
        && endpoints.iter().all(|name| is_endpoint(&value[name]))
        && lists.iter().all(|name| is_list(&value[name]))
        && flags.iter().all(|name| is_flag(&value[name]))
}

fn is_said(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn is_list(value: &Value) -> bool {
    let texts = value.as_array().map(|all| all.iter().all(Value::is_string));
    value.is_null() || texts == Some(true)
}

fn is_flag(value: &Value) -> bool {
    value.is_null() || value.is_boolean()
}

fn is_endpoint(value: &Value) -> bool {
    const HIDING: &str = "\"'<>\\^`{|}#";
    let is_letter = |it: char| it.is_ascii_graphic() && !HIDING.contains(it);
    match value {
        Value::Null => true,
        Value::String(text) if text.is_empty() => true,
        Value::String(text) => Url::parse(text).is_ok_and(|url| {
            let is_spoken = ["http", "https"].contains(&url.scheme());
            let is_nobodys = url.username().is_empty() && url.password().is_none();
            let mut letters = text.chars().chain(url.as_str().chars());
            is_spoken && is_nobodys && letters.all(is_letter)
        }),
        _ => false,
    }
}

/// Whether the described resource has the same origin, and its path is that of the URL or above it,
/// segment by segment.
fn is_above(resource: &str, url: &Url) -> bool {
    let resource = Url::parse(resource).unwrap();
    let segments = |url: &Url| -> Vec<String> {
        let segments = url.path_segments().into_iter().flatten();
        segments.map(str::to_owned).collect()
    };
    let mut above = segments(&resource);
    while above.last().is_some_and(String::is_empty) {
        above.pop();
    }
    resource.origin() == url.origin()
        && resource.username().is_empty()
        && resource.password().is_none()
        && segments(url).starts_with(&above)
}
