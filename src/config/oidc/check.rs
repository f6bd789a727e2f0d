//! Checks the settings of the OpenID provider. Each problem is one line with the client, the setting and the fix.

use std::collections::HashSet;

use super::{Config, OidcClient, Pkce, Scope};
use crate::config::host::parse_url;
use crate::config::is_loopback_name;
use crate::domain::visible_text;

pub(in crate::config) fn problems(config: &Config) -> Vec<String> {
    let mut found = lifetime_problems(config);
    let mut ids = HashSet::new();
    for client in &config.oidc.clients {
        if !ids.insert(&client.id) {
            found.push(format!(
                "oidc.clients.{}.id: two clients have this id; each needs its own",
                client.id
            ));
        }
        found.extend(client_problems(config, client));
    }
    found
}

fn lifetime_problems(config: &Config) -> Vec<String> {
    let oidc = &config.oidc;
    let mut found = Vec::new();
    for (key, duration) in [
        ("access_token", oidc.access_token),
        ("id_token", oidc.id_token),
        ("code", oidc.code),
        ("refresh_token", oidc.refresh_token),
        ("key_lifetime", oidc.key_lifetime),
    ] {
        if duration.millis() < 1000 {
            found.push(format!("oidc.{key}: must be at least 1s"));
        }
    }
    if oidc.key_prepublish >= oidc.key_lifetime {
        found.push("oidc.key_prepublish: must be shorter than oidc.key_lifetime".to_owned());
    }
    found
}

fn client_problems(config: &Config, client: &OidcClient) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |fine: bool, key: &str, problem: &str| {
        if !fine {
            found.push(format!("oidc.clients.{}.{key}: {problem}", client.id));
        }
    };
    check(
        is_client_id(&client.id),
        "id",
        "1 to 64 letters, digits, and . _ -",
    );
    check(
        is_display_name(&client.name),
        "name",
        "1 to 60 characters in one line",
    );
    check(
        !client.redirect_uris.is_empty(),
        "redirect_uris",
        "needs at least one address",
    );
    let address = "must be an https address, or http on this machine, without fragment, credentials and wildcards";
    let all = |uris: &[String]| uris.iter().all(|uri| is_allowed_url(uri));
    check(all(&client.redirect_uris), "redirect_uris", address);
    check(
        all(&client.post_logout_redirect_uris),
        "post_logout_redirect_uris",
        address,
    );
    let logout = client.backchannel_logout_uri.as_ref();
    check(
        logout.is_none_or(|uri| is_allowed_url(uri)),
        "backchannel_logout_uri",
        address,
    );
    check(
        client.scopes.contains(&Scope::Openid),
        "scopes",
        "must contain openid",
    );
    check(
        client.pkce == Pkce::Required || !client.is_public(),
        "pkce",
        "must be required for a public client (one without secret_sha256)",
    );
    let region = client.region.as_ref();
    check(
        region.is_none_or(|id| config.regions.iter().any(|region| region.id == *id)),
        "region",
        "there is no region with this id",
    );
    found
}

fn is_client_id(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=64).contains(&id.len()) && id.bytes().all(is_plain)
}

fn is_display_name(name: &str) -> bool {
    visible_text::parse_name(name, 60).is_some()
}

/// Returns whether this server may redirect a browser to the URL or send an HTTP request to it.
fn is_allowed_url(text: &str) -> bool {
    let Some(url) = parse_url(text) else {
        return false;
    };
    let is_safe = match url.scheme() {
        "https" => true,
        "http" => url.host_str().is_some_and(is_loopback_name),
        _ => false,
    };
    // Redirect URIs are compared byte for byte, so a wildcard would have no effect. The unparsed text is checked,
    // because the URL parser removes line breaks and spaces.
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    is_safe
        && is_plain
        && !url.path().contains('*')
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
}
