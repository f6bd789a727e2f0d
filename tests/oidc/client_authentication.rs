//! Client authentication at the token endpoint, and its substitute for public clients, PKCE.

use axum::body::Body;

use super::{
    RelyingParty, TOKEN, assert_oauth_error, basic_auth, form_encoded, form_request,
    provider_with_signed_in, relying_party, request_token, site_with_provider, wiki,
};
use crate::support::Database;

// security: OP-9
on_both_databases!(a_client_authenticates_in_one_of_three_ways);
async fn a_client_authenticates_in_one_of_three_ways(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
    let wiki = wiki();
    let server = site.browser();
    let secret = super::SECRET;
    let sent = async |header: Option<String>, more: &[(&str, &str)], code: &str| {
        let redemption = wiki.token_form(code);
        let mut pairs: Vec<_> = redemption
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str()))
            .collect();
        pairs.extend(more);
        let mut request = form_request(TOKEN);
        if let Some(header) = header {
            request = request.header("authorization", header);
        }
        server.send_with(request, form_encoded(&pairs)).await
    };
    let code = wiki.code(&ada.browser).await;
    let both = [("client_id", "wiki"), ("client_secret", secret)];
    for (header, more, error) in [
        (None, &[][..], "invalid_client"),
        (None, &[("client_id", "wiki")], "invalid_client"),
        (
            None,
            &[("client_id", "wiki"), ("client_secret", "wrong")],
            "invalid_client",
        ),
        (
            None,
            &[("client_id", "stranger"), ("client_secret", secret)],
            "invalid_client",
        ),
        (
            None,
            &[("client_id", "avatar"), ("client_secret", secret)],
            "invalid_client",
        ),
        (Some(basic_auth("wiki", "wrong")), &[], "invalid_client"),
        (Some(basic_auth("wiki", "")), &[], "invalid_client"),
        (Some("Bearer x".to_owned()), &[], "invalid_client"),
        (Some(basic_auth("wiki", secret)), &both, "invalid_request"),
        (
            Some(basic_auth("wiki", secret)),
            &[("client_id", "vault")],
            "invalid_request",
        ),
    ] {
        let response = sent(header, more, &code).await;
        let status = if error == "invalid_client" { 401 } else { 400 };
        assert_oauth_error(&response, status, error);
        assert_eq!(response.header("www-authenticate").is_some(), status == 401);
    }
    assert_eq!(sent(None, &both, &code).await.status, 200);
    let code = wiki.code(&ada.browser).await;
    let named = [("client_id", "wiki")];
    assert_status!(sent(Some(basic_auth("wiki", secret)), &named, &code), 200);
    let avatar = relying_party("avatar", "https://avatar.example.org/cb");
    avatar.tokens(&site, &ada.browser).await;
    // An empty secret of a public client is none.
    let form = avatar.token_form(&avatar.code(&ada.browser).await);
    let mut pairs: Vec<_> = form.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    for (secret, status) in [("x", 401), ("", 200)] {
        let request = form_request(TOKEN).header("authorization", basic_auth("avatar", secret));
        let response = server.send_with(request, form_encoded(&pairs)).await;
        assert_eq!(response.status, status, "{secret}: {}", response.text());
    }
    let code = avatar.code(&ada.browser).await;
    pairs.retain(|(name, _)| *name != "code");
    pairs.extend([
        ("code", code.as_str()),
        ("client_id", "avatar"),
        ("client_secret", ""),
    ]);
    let in_body = server
        .send_with(form_request(TOKEN), form_encoded(&pairs))
        .await;
    assert_eq!(in_body.status, 200, "{}", in_body.text());
}

on_both_databases!(an_unreadable_body_is_refused_with_its_own_reason);
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
on_both_databases!(a_verifier_has_43_to_128_unreserved_characters);
async fn a_verifier_has_43_to_128_unreserved_characters(db: Database) {
    let (site, ada) = provider_with_signed_in(&db, "ada").await;
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
        let form = party.token_form(&party.code(&ada.browser).await);
        let response = request_token(&site, "wiki", &form).await;
        match is_accepted {
            true => assert_eq!(response.status, 200, "{verifier}"),
            false => assert_oauth_error(&response, 400, "invalid_grant"),
        }
    }
}
