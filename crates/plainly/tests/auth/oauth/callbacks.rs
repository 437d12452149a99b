//! The queries that a browser returns: row 11, and the parts of rows 13 and 14 beyond the listener.
//! The listener's own tests are beside its code.

use plainly::client::oauth::OAuthError;
use plainly_authorization::{Misbehaviour, Rules};

use super::support::World;
use super::support::assert_why;

/// Row 11: mix-up.
#[tokio::test]
async fn the_answer_of_another_authorization_server_is_not_used() {
    for query in [
        "code={code}&state={state}&iss=https://as.example",
        "code={code}&state={state}&iss={iss}/",
        "code={code}&state={state}&iss=",
        "code={code}&state={state}&iss={iss}&iss={iss}",
        "code={code}&state={state}&iss={iss}&iss=https://as.example",
        "error=access_denied&error_description=told&state={state}&iss=https://as.example",
    ] {
        for sends_issuer in [true, false] {
            let world = World::new(Rules {
                sends_issuer,
                ..Rules::default()
            })
            .await;
            world.issuer.set(Misbehaviour::Callback(query));
            let error = world.refused().await;
            assert_why!(&error, query, OAuthError::IssuerMismatch { .. });
            assert!(!format!("{error} {error:?}").contains("told"), "{error:?}");
            world.assert_no_token_request(query);
        }
    }
}

/// Row 11: missing issuer.
#[tokio::test]
async fn an_answer_that_does_not_name_its_server_is_not_used_where_all_do() {
    for query in [
        "code={code}&state={state}",
        "error=access_denied&error_description=told&state={state}",
    ] {
        let world = World::hostile(Misbehaviour::Callback(query)).await;
        let error = world.refused().await;
        assert_why!(&error, query, OAuthError::IssuerMissing { .. });
        assert!(!format!("{error} {error:?}").contains("told"), "{error:?}");
        world.assert_no_token_request(query);
    }
    // A callback without an issuer is accepted if the metadata declare that.
    let world = World::new(Rules {
        sends_issuer: false,
        ..Rules::default()
    })
    .await;
    world.connect().await;
}

/// Rows 13 and 14: a query that a listener accepts may still not answer this login.
#[tokio::test]
async fn the_answer_to_another_login_is_not_used() {
    for query in [
        "code={code}&iss={iss}",
        "code={code}&state=&iss={iss}",
        "code={code}&state=other&iss={iss}",
        "code={code}&state={state}&state={state}&iss={iss}",
        "code={code}&state={state}x&iss={iss}",
        "error=access_denied&error_description=told&state=other&iss={iss}",
        "state={state}&iss={iss}",
        "code=&state={state}&iss={iss}",
        "code={code}&code=other&state={state}&iss={iss}",
    ] {
        let world = World::hostile(Misbehaviour::Callback(query)).await;
        let error = world.refused().await;
        assert_why!(&error, query, OAuthError::Callback { .. });
        assert!(!format!("{error} {error:?}").contains("told"), "{error:?}");
        world.assert_no_token_request(query);
    }
}

/// Row 14: the code of another user's login fails, because it needs the other login's verifier.
#[tokio::test]
async fn a_code_that_was_slipped_in_gets_no_token() {
    let query = "code=slipped-in&state={state}&iss={iss}";
    let world = World::hostile(Misbehaviour::Callback(query)).await;
    let error = world.refused().await;
    assert_why!(&error, query, OAuthError::TokenRefused { error: Some(code), .. } if code == "invalid_grant");
    assert_eq!(world.issuer.record.count("/token"), 1);
    let sent = world.issuer.record.at("/token").remove(0);
    assert!(
        sent.parameter("code_verifier")
            .is_some_and(|it| it.len() == 43)
    );
    assert_eq!(world.person.visits(), 1);
}

#[tokio::test]
async fn a_person_who_says_no_is_believed() {
    let query = "error=access_denied&error_description=no+way&state={state}&iss={iss}";
    let world = World::hostile(Misbehaviour::Callback(query)).await;
    let error = world.refused().await;
    assert_why!(&error, query, OAuthError::Denied { .. });
    assert!(error.to_string().contains("no way"), "{error}");
    world.assert_no_token_request(query);
}
