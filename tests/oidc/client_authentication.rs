//! Client authentication at the token endpoint, and its substitute for public clients, PKCE.

use axum::body::Body;

use super::{
    Provider, RelyingParty, SECRET, TOKEN, assert_oauth_error, avatar, basic_auth, form_request,
    request_token, site_with_provider, wiki,
};
use crate::prelude::*;

on_both_databases!(
    a_client_authenticates_in_one_of_three_ways,
    a_verifier_has_43_to_128_unreserved_characters
);
on_sqlite!(an_unreadable_body_is_refused_with_its_own_reason);

// security: OP-9
async fn a_client_authenticates_in_one_of_three_ways(Provider(site, ada): Provider) {
    let wiki = wiki();
    let server = site.browser();
    let sent = async |id: Option<(&str, &str)>, form: &str| {
        let mut request = form_request(TOKEN);
        if let Some((id, secret)) = id {
            request = request.header("authorization", basic_auth(id, secret));
        }
        server.send_with(request, form.to_owned()).await
    };
    let form = wiki.new_form(&ada.browser).await;
    let both = format!("{form}&client_id=wiki&client_secret={SECRET}");
    let right = Some(("wiki", SECRET));
    for (id, form, status) in [
        (None, &form, 401),
        (None, &format!("{form}&client_id=wiki"), 401),
        (
            None,
            &format!("{form}&client_id=wiki&client_secret=wrong"),
            401,
        ),
        (None, &both.replace("=wiki", "=stranger"), 401),
        (None, &both.replace("=wiki", "=avatar"), 401),
        (Some(("wiki", "wrong")), &form, 401),
        (Some(("wiki", "")), &form, 401),
        (right, &both, 400),
        (right, &format!("{form}&client_id=vault"), 400),
    ] {
        let response = sent(id, form).await;
        let error = if status == 401 {
            "invalid_client"
        } else {
            "invalid_request"
        };
        assert_oauth_error(&response, status, error);
        assert_eq!(response.header("www-authenticate").is_some(), status == 401);
    }
    let bearer = form_request(TOKEN).header("authorization", "Bearer x");
    let response = server.send_with(bearer, form).await;
    assert_oauth_error(&response, 401, "invalid_client");
    assert!(response.header("www-authenticate").is_some());
    assert_status!(sent(None, &both), 200);
    let named = wiki.new_form(&ada.browser).await + "&client_id=wiki";
    assert_status!(sent(right, &named), 200);
    let avatar = avatar();
    avatar.tokens(&site, &ada.browser).await;
    // An empty secret of a public client is none.
    let form = avatar.new_form(&ada.browser).await;
    assert_status!(sent(Some(("avatar", "x")), &form), 401);
    assert_status!(sent(Some(("avatar", "")), &form), 200);
    let form = avatar.new_form(&ada.browser).await;
    let in_body = format!("{form}&client_id=avatar&client_secret=");
    assert_status!(sent(None, &in_body), 200);
}

async fn an_unreadable_body_is_refused_with_its_own_reason(db: Database) {
    let site = site_with_provider(&db).await;
    let server = site.browser();
    let broken = [Ok(vec![b'a'; 10]), Err(std::io::Error::other("reset"))];
    let broken = Body::from_stream(futures_util::stream::iter(broken));
    let large = Body::from(vec![b'a'; (16 << 10) + 1]);
    for (body, why) in [
        (broken, "the body is incomplete"),
        (large, "the body is too large"),
    ] {
        let response = server.send_with(form_request(TOKEN), body).await;
        assert_oauth_error(&response, 400, "invalid_request");
        assert_eq!(response.json()["error_description"], why);
    }
}

// security: OP-3
async fn a_verifier_has_43_to_128_unreserved_characters(Provider(site, ada): Provider) {
    let long = "v".repeat(42);
    for (verifier, is_accepted) in [
        (format!("{long}~"), true),
        ("-._~".repeat(32), true),
        (long.clone(), false),
        ("v".repeat(129), false),
        (format!("{long}+"), false),
        (format!("{long}/"), false),
        (format!("{long}="), false),
        (format!("{long} "), false),
        (format!("{long}ü"), false),
    ] {
        let party = RelyingParty {
            verifier: verifier.clone(),
            ..wiki()
        };
        let form = party.new_form(&ada.browser).await;
        let response = request_token(&site, "wiki", &form).await;
        match is_accepted {
            true => assert_eq!(response.status, 200, "{verifier}"),
            false => assert_oauth_error(&response, 400, "invalid_grant"),
        }
    }
}
