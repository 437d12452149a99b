//! The authentication of a client at a token endpoint (RFC 6749, 2.3; RFC 7523, 2.2).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use url::form_urlencoded;
use zeroize::Zeroizing;

use crate::Secret;
use crate::credentials::{ClientAuthMethod, Registration};

/// The public parameters; all others are secret.
const OPEN: [&str; 10] = [
    "audience",
    "client_assertion_type",
    "client_id",
    "grant_type",
    "redirect_uri",
    "requested_token_type",
    "resource",
    "scope",
    "subject_token_type",
    "token_type_hint",
];

/// The parameters of a request to an authorization server, as a form. Its `Debug` shows only their
/// names.
#[derive(Clone, Default)]
pub struct Form(Vec<(&'static str, Secret)>);

/// The reason why a registration can't be used with its method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IncompleteRegistration {
    /// The registration has no secret.
    #[error("the client has no secret")]
    NoSecret,
    /// There is no assertion for its key.
    #[error("the client has no key")]
    NoKey,
}

impl Form {
    /// Adds a parameter.
    pub fn set(&mut self, name: &'static str, value: impl Into<Secret>) {
        self.0.push((name, value.into()));
    }

    /// Adds a parameter if it has a value.
    pub fn set_some(&mut self, name: &'static str, value: Option<impl Into<Secret>>) {
        self.0.extend(value.map(|value| (name, value.into())));
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<&Secret> {
        let mut all = self.0.iter();
        all.find_map(|(it, value)| (*it == name).then_some(value))
    }

    /// The secret parameters of the form.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        let secrets = self.0.iter().filter(|(name, _)| !OPEN.contains(name));
        secrets.map(|(_, value)| value)
    }

    /// The body of the request (`application/x-www-form-urlencoded`).
    pub fn body(&self) -> Zeroizing<String> {
        let mut body = form_urlencoded::Serializer::new(String::new());
        for (name, value) in &self.0 {
            body.append_pair(name, value.expose());
        }
        Zeroizing::new(body.finish())
    }
}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.0.iter().map(|(name, _)| name);
        f.debug_set().entries(names).finish()
    }
}

/// Adds the client's authentication to a form, and returns the value of the header `Authorization`,
/// if the method has one. `assertion` is for [`ClientAuthMethod::PrivateKey`].
pub fn prove(
    client: &Registration,
    assertion: Option<Secret>,
    form: &mut Form,
) -> Result<Option<Secret>, IncompleteRegistration> {
    const JWT: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    let secret = || {
        client
            .client_secret
            .as_ref()
            .ok_or(IncompleteRegistration::NoSecret)
    };
    match client.method {
        // The request needs no client id if it identifies the client in another way.
        ClientAuthMethod::None if client.client_id.is_empty() => {}
        ClientAuthMethod::None => form.set("client_id", client.client_id.as_str()),
        ClientAuthMethod::Post => {
            form.set("client_id", client.client_id.as_str());
            form.set("client_secret", secret()?.clone());
        }
        ClientAuthMethod::PrivateKey => {
            form.set("client_id", client.client_id.as_str());
            form.set("client_assertion_type", JWT);
            form.set(
                "client_assertion",
                assertion.ok_or(IncompleteRegistration::NoKey)?,
            );
        }
        ClientAuthMethod::Basic => {
            let encoded = |text: &str| -> String {
                form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            // The parts are encoded before they are joined, because both may contain a colon (RFC
            // 6749, 2.3.1).
            let pair = Zeroizing::new(format!(
                "{}:{}",
                encoded(&client.client_id),
                encoded(secret()?.expose())
            ));
            return Ok(Some(Secret::new(format!(
                "Basic {}",
                BASE64_STANDARD.encode(pair.as_bytes())
            ))));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_puts_the_proof_where_it_belongs() {
        let jwt = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer";
        for (method, body, header) in [
            (ClientAuthMethod::None, "client_id=a%3Ab".to_owned(), None),
            (
                ClientAuthMethod::Post,
                "client_id=a%3Ab&client_secret=c+%C3%BC".to_owned(),
                None,
            ),
            (
                ClientAuthMethod::PrivateKey,
                format!("client_id=a%3Ab&{jwt}&client_assertion=x.y.z"),
                None,
            ),
            // The decoded text is `a%3Ab:c+%C3%BC`.
            (
                ClientAuthMethod::Basic,
                String::new(),
                Some("Basic YSUzQWI6YyslQzMlQkM="),
            ),
        ] {
            let mut client = Registration::new("https://as.example", "a:b");
            client.method = method;
            client.client_secret = Some("c ü".into());
            let mut form = Form::default();
            let proof = prove(&client, Some("x.y.z".into()), &mut form).unwrap();
            assert_eq!(*form.body(), body, "{method:?}");
            assert_eq!(proof.as_ref().map(Secret::expose), header, "{method:?}");
        }
    }

    #[test]
    fn a_client_without_an_id_or_a_secret_proves_nothing() {
        let mut nobody = Registration::new("https://as.example", "");
        let mut form = Form::default();
        assert_eq!(prove(&nobody, None, &mut form), Ok(None));
        assert_eq!(*form.body(), "");
        for (method, expected) in [
            (ClientAuthMethod::Post, IncompleteRegistration::NoSecret),
            (ClientAuthMethod::Basic, IncompleteRegistration::NoSecret),
            (ClientAuthMethod::PrivateKey, IncompleteRegistration::NoKey),
        ] {
            nobody.method = method;
            assert_eq!(prove(&nobody, None, &mut form), Err(expected));
        }
    }

    #[test]
    fn nothing_of_a_form_is_shown_but_its_names() {
        let mut form = Form::default();
        form.set("code", "s3cret");
        form.set_some("resource", None::<Secret>);
        form.set_some("scope", Some("a"));
        assert_eq!(format!("{form:?}"), "{\"code\", \"scope\"}");
        let values = ["code", "scope", "resource"].map(|name| form.get(name).map(Secret::expose));
        assert_eq!(values, [Some("s3cret"), Some("a"), None]);
        form.set("client_id", "a");
        let secrets: Vec<_> = form.secrets().map(Secret::expose).collect();
        assert_eq!(secrets, ["s3cret"]);
    }
}
