//! The token endpoint: issues tokens for a code with its verifier, for a refresh token, and for
//! client credentials.

use serde_json::json;

use crate::authorization_server::State;
use crate::books::Access;
use crate::proof::{TokenProof, challenge};
use crate::rules::Binding;
use crate::{Answer, Endpoint, Misbehaviour, Seen};

impl State {
    pub(crate) fn token(&self, seen: &Seen) -> Answer {
        let Some(client) = self.client(seen) else {
            return Answer::refusal(401, "invalid_client");
        };
        let thumbprint = match self.thumbprint(seen) {
            Ok(thumbprint) => thumbprint,
            Err(answer) => return answer,
        };
        let parameter = |name: &str| seen.parameter(name).unwrap_or_default();
        let given = match &*parameter("grant_type") {
            "authorization_code" => self.by_code(seen, &client, thumbprint),
            "refresh_token" => self.by_refresh(&parameter("refresh_token"), &client, thumbprint),
            "client_credentials" | "urn:ietf:params:oauth:grant-type:jwt-bearer" => Ok(Access {
                client,
                resource: seen.parameter("resource"),
                scope: parameter("scope"),
                thumbprint,
                has_ended: false,
            }),
            "urn:ietf:params:oauth:grant-type:device_code" => self.by_device(seen, thumbprint),
            _ => Err("unsupported_grant_type"),
        };
        let given = match given {
            Ok(given) => given,
            Err(error) => return Answer::refusal(400, error),
        };
        let rules = &self.rules;
        let mut books = self.books.lock().unwrap();
        let is_lasting = parameter("grant_type") == "refresh_token" && !rules.rotates;
        let access = books.access_token(rules.marker, rules.form, given.clone());
        let mut answer = json!({
            "access_token": access, "scope": given.scope,
            "token_type": if given.thumbprint.is_some() { "DPoP" } else { "Bearer" },
        });
        if let Some(seconds) = rules.expires_in {
            answer["expires_in"] = seconds.into();
        }
        let is_alone = parameter("grant_type").ends_with("credentials")
            || parameter("grant_type").ends_with("bearer");
        if rules.refreshes && !is_lasting && !is_alone {
            answer["refresh_token"] = books.refresh_token(rules.marker, given).into();
        }
        drop(books);
        self.switches.bend(Endpoint::Token, &mut answer);
        Answer::json(200, &answer)
    }

    /// The key that the token must be bound to, if any.
    fn thumbprint(&self, seen: &Seen) -> Result<Option<String>, Answer> {
        let Some(proof) = seen.header("dpop") else {
            return Ok(None);
        };
        if self.rules.binding == Binding::Bearer {
            return Ok(None);
        }
        let refused = || Answer::refusal(400, "invalid_dpop_proof");
        let proof = TokenProof::read(proof, &format!("{}/token", self.url)).ok_or_else(refused)?;
        let is_never = self.is_on(|it| matches!(it, Misbehaviour::NonceForEver));
        let mut books = self.books.lock().unwrap();
        if !books.spent.insert(proof.id) {
            return Err(refused());
        }
        let wants_nonce = self.rules.binding == Binding::DpopWithNonce;
        if wants_nonce && (is_never || proof.nonce != Some(books.nonce())) {
            books.nonce += 1;
            let answer = Answer::refusal(400, "use_dpop_nonce").with("dpop-nonce", books.nonce());
            return Err(answer);
        }
        Ok(Some(proof.thumbprint))
    }

    fn by_code(
        &self,
        seen: &Seen,
        client: &str,
        thumbprint: Option<String>,
    ) -> Result<Access, &'static str> {
        let parameter = |name: &str| seen.parameter(name).unwrap_or_default();
        let code = self.books.lock().unwrap().codes.remove(&parameter("code"));
        let code = code.ok_or("invalid_grant")?;
        let is_it = code.client == client
            && code.redirect_uri == parameter("redirect_uri")
            && code.challenge == challenge(&parameter("code_verifier"))
            && code.for_what.resource == seen.parameter("resource")
            && (code.for_what.thumbprint.is_none() || code.for_what.thumbprint == thumbprint);
        let given = Access {
            thumbprint,
            ..code.for_what
        };
        is_it.then_some(given).ok_or("invalid_grant")
    }

    fn by_refresh(
        &self,
        token: &str,
        client: &str,
        thumbprint: Option<String>,
    ) -> Result<Access, &'static str> {
        let mut books = self.books.lock().unwrap();
        let refresh = books.refresh.get_mut(token).ok_or("invalid_grant")?;
        let for_what = refresh.for_what.clone();
        if for_what.client != client || for_what.thumbprint != thumbprint {
            return Err("invalid_grant");
        }
        if refresh.is_spent {
            // The refresh token was stolen, so all tokens of the client are revoked (RFC 9700,
            // 4.14).
            books.reused += 1;
            books.refresh.retain(|_, it| it.for_what.client != client);
            books.access.retain(|_, it| it.client != client);
            return Err("invalid_grant");
        }
        refresh.is_spent = self.rules.rotates;
        Ok(for_what)
    }

    fn by_device(&self, seen: &Seen, thumbprint: Option<String>) -> Result<Access, &'static str> {
        let polled = self.switches.find(|it| {
            let Misbehaviour::DevicePolled(error) = it else {
                return None;
            };
            Some(*error)
        });
        if let Some(error) = polled {
            return Err(error);
        }
        let begun = self.books.lock().unwrap().device.take();
        let (code, given) = begun.ok_or("invalid_grant")?;
        let is_it = seen.parameter("device_code") == Some(code);
        let given = Access {
            thumbprint,
            ..given
        };
        is_it.then_some(given).ok_or("invalid_grant")
    }
}
