//! The discovery document, and a check that each of its values works.

use account::testing::i18n::Language;

use super::{ISSUER, Provider, id_token, query_value, site_with_provider, userinfo, wiki};
use crate::prelude::*;

on_both_databases!(
    the_discovery_document_is_the_same_at_both_addresses,
    each_value_of_the_discovery_document_works
);
on_sqlite!(every_page_may_read_the_public_documents);

const PATH: &str = "/account/.well-known/openid-configuration";

async fn document(site: &Site) -> Value {
    let response = site.browser().open(PATH).await;
    response.assert_header("cache-control", "public, max-age=3600");
    response.assert_header("access-control-allow-origin", "*");
    response.json()
}

// security: OP-14
async fn the_discovery_document_is_the_same_at_both_addresses(db: Database) {
    let site = site_with_provider(&db).await;
    let found = document(&site).await;
    let other = "/.well-known/oauth-authorization-server/account";
    assert_eq!(site.browser().open(other).await.json(), found);
    assert_eq!(found["issuer"], ISSUER);
    let endpoints = found
        .members()
        .iter()
        .filter(|(name, _)| name.ends_with("_endpoint") || *name == "jwks_uri");
    let endpoints: Vec<_> = endpoints.map(|(_, url)| url.text()).collect();
    assert_eq!(endpoints.len(), 6);
    for endpoint in endpoints {
        let path = endpoint.strip_prefix("http://localhost:8080").unwrap();
        let response = site.browser().open(path).await;
        assert_ne!(response.status, 404, "{endpoint}");
    }
    let settings = format!("{ISSUER}/settings");
    assert_eq!(found["account_management_uri"], settings);
    assert_eq!(found.get("device_authorization_endpoint"), None);
    for off in [
        "claims_parameter", "request_parameter", "request_uri_parameter",
    ] {
        assert_eq!(found[format!("{off}_supported")], false);
    }
}

async fn every_page_may_read_the_public_documents(db: Database) {
    let site = site_with_provider(&db).await;
    let other = "/.well-known/oauth-authorization-server/account";
    for path in [PATH, other, "/account/oidc/jwks"] {
        let preflight = Request::options(path)
            .header("origin", "https://app.example")
            .header("access-control-request-method", "GET")
            .header("access-control-request-headers", "mcp-protocol-version");
        let response = site.browser().send(preflight).await;
        assert_eq!((response.status.as_u16(), response.text()), (204, ""));
        for (name, value) in [
            ("access-control-allow-origin", "*"),
            ("access-control-allow-methods", "GET, HEAD"),
            ("access-control-allow-headers", "*"),
        ] {
            assert_eq!(response.header(name), Some(value), "{path}");
        }
        let disabled = db.site().await.browser();
        let response = disabled.send(Request::options(path)).await;
        response.assert_status(404);
    }
}

// security: OP-14: each value is exercised; `values` fails for one that no line here names.
async fn each_value_of_the_discovery_document_works(Provider(site, ada): Provider) {
    let found = document(&site).await;
    let values = |name: &str, tried: &[&str]| {
        let tried: Vec<Value> = tried.iter().map(|value| json!(value)).collect();
        assert_eq!(found[name], json!(tried), "{name}");
    };
    let scopes = ["openid", "profile", "email", "offline_access"];
    values("scopes_supported", &scopes);
    for scope in scopes {
        let change = format!("scope=openid {scope}");
        wiki().code_with(&ada.browser, &change).await;
    }
    for (name, parameter, all) in [
        ("response_types_supported", "response_type", &["code"][..]),
        ("response_modes_supported", "response_mode", &["query"]),
        (
            "code_challenge_methods_supported",
            "code_challenge_method",
            &["S256"],
        ),
        ("acr_values_supported", "acr_values", &["aal1", "aal2"]),
        (
            "ui_locales_supported",
            "ui_locales",
            &Language::ALL.map(Language::code),
        ),
    ] {
        values(name, all);
        for one in all {
            let change = format!("{parameter}={one}");
            wiki().code_with(&ada.browser, &change).await;
        }
    }
    let prompts = ["none", "login", "consent", "select_account", "create"];
    values("prompt_values_supported", &prompts);
    site.advance("1s");
    for prompt in prompts {
        let is_answered = matches!(prompt, "none" | "consent");
        let change = format!("prompt={prompt}");
        let code = query_value(&wiki().redirect(&ada.browser, &change).await, "code");
        assert_eq!(code.is_some(), is_answered, "{prompt}");
    }
    // In token.rs and refresh.rs.
    values(
        "grant_types_supported",
        &["authorization_code", "refresh_token"],
    );
    let ways = ["client_secret_basic", "client_secret_post", "none"];
    values("token_endpoint_auth_methods_supported", &ways);
    values("revocation_endpoint_auth_methods_supported", &ways);
    values("subject_types_supported", &["public"]);
    // Each of the three clients has another; keys.rs and authorize.rs verify their tokens.
    values(
        "id_token_signing_alg_values_supported",
        &["RS256", "ES256", "EdDSA"],
    );
    assert_eq!(claims(&site, &ada.browser).await, found["claims_supported"]);
}

/// The claims of an ID token and of userinfo, for a person with names.
async fn claims(site: &Site, browser: &Browser) -> Value {
    let sql = "UPDATE accounts SET first_name = 'Ada', last_name = 'Lovelace'";
    site.execute(sql, &[]).await;
    let tokens = wiki().tokens(site, browser).await;
    let (_, id_token) = id_token(site, &tokens).await;
    let both = [id_token, userinfo(site, &tokens).await.json()];
    let found: std::collections::HashSet<String> = both
        .iter()
        .flat_map(|claims| claims.members().keys().cloned())
        .collect();
    let listed = document(site).await["claims_supported"].clone();
    let mut listed: Vec<String> = serde_json::from_value(listed).unwrap();
    assert_eq!(listed.len(), found.len(), "{found:?}");
    listed.retain(|name| found.contains(name));
    json!(listed)
}
