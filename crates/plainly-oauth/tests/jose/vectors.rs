//! Tests the examples of the RFCs, which other implementations signed.

use plainly_oauth::jose::dpop::{self, ProvenRequest, Replays};
use plainly_oauth::jose::{AccessToken, ClaimRules, Jwks, ProofRefusal, PublicKey, TokenRefusal};
use serde_json::{Value, json};

fn judged(token: &str, key: &Value, now: u64) -> Result<(), TokenRefusal> {
    let keys = Jwks::read(json!({"keys": [key]}).to_string().as_bytes()).unwrap();
    let rules = ClaimRules::new("joe", ["us".to_owned()]);
    let token = AccessToken::read(token)?;
    token.verify(&keys, &rules, now).map(|_| ())
}

/// RFC 7515, A.2 and A.3. Both have no audience, so they are rejected, but only after their
/// signature was accepted.
#[test]
fn the_signatures_of_rfc_7515_are_good() {
    const CLAIMS: &str = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    for (name, header, signature, key) in [
        (
            "RS256",
            "eyJhbGciOiJSUzI1NiJ9",
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
            json!({"kty": "RSA", "e": "AQAB", "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}),
        ),
        (
            "ES256",
            "eyJhbGciOiJFUzI1NiJ9",
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
            json!({"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}),
        ),
    ] {
        let token = format!("{header}.{CLAIMS}.{signature}");
        assert_eq!(
            judged(&token, &key, 0),
            Err(TokenRefusal::Audience),
            "{name}"
        );
        let changed = format!("{header}.{CLAIMS}.A{}", &signature[1..]);
        assert_eq!(
            judged(&changed, &key, 0),
            Err(TokenRefusal::Signature),
            "{name}"
        );
    }
}

/// RFC 7515, A.1 and A.5; RFC 7520, 4.4: texts that no key pair signed.
#[test]
fn shared_secrets_and_no_signature_of_the_rfcs_are_refused() {
    for token in [
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        "eyJhbGciOiJub25lIn0.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.",
    ] {
        let refused = AccessToken::read(token).map(|_| ());
        assert_eq!(refused, Err(TokenRefusal::Algorithm));
    }
}

/// RFC 9449, figures 2 and 12, with the token of 7.1.
#[test]
fn the_proofs_of_rfc_9449_are_good_for_what_they_are() {
    const HEADER: &str = "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19";
    let proof = format!(
        "{HEADER}.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
    );
    let at_the_token_endpoint = format!(
        "{HEADER}.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
    );
    let request = ProvenRequest {
        method: "GET",
        url: "https://resource.example.org/protectedresource",
        access_token: "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU",
        key: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
        holder: "alice",
        nonces: None,
        now: 1_562_262_618,
    };
    let check =
        |proof: &str, request: &ProvenRequest<'_>| dpop::check(proof, request, &Replays::default());
    assert_eq!(check(&proof, &request), Ok(()));
    assert_eq!(
        check(&at_the_token_endpoint, &request),
        Err(ProofRefusal::Method)
    );
    let there = ProvenRequest {
        method: "POST",
        url: "https://server.example.com/token",
        ..request
    };
    assert_eq!(
        check(&at_the_token_endpoint, &there),
        Err(ProofRefusal::Token)
    );
}

/// RFC 8037, A.2. Only the key is read, because its example signs a text that is not JSON.
#[test]
fn the_key_of_rfc_8037_is_read() {
    let key =
        json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
    assert!(matches!(
        PublicKey::read(key.as_object().unwrap()),
        Ok(PublicKey::Ed25519(_))
    ));
}
