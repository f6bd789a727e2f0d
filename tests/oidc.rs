//! The OpenID Connect provider, as applications and browsers meet it.

mod authorize;
mod backchannel;
mod client_authentication;
mod configuration;
mod discovery;
mod keys;
mod killed;
mod levels;
mod limits;
mod logout;
mod program;
mod races;
mod reconfiguration;
mod refresh;
mod registration;
mod rotation;
mod screens;
mod speculative;
mod token;

use account::config::{Config, OidcClient};
use account::testing::domain::secret::Secret;
use account::testing::rng::Rng;
use axum::http::{Request, request};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use url::Url;
use url::form_urlencoded;

use crate::events::logged_events;
use crate::support::{Browser, Database, Person, Response, Site};

pub(crate) const ISSUER: &str = "http://localhost:8080/account";
pub(crate) const TOKEN: &str = "/account/oidc/token";
const SECRET: &str = "a-secret-of-the-wiki";
pub(crate) const CALLBACK: &str = "https://wiki.example.org/callback";

/// A client of the configuration; `more` are further lines of TOML.
fn client(id: &str, more: &str) -> OidcClient {
    let text = format!("id = '{id}'\nname = '{id} of ours'\n{more}\n");
    toml::from_str(&text).unwrap()
}

fn digest() -> String {
    let hash = Sha256::digest(SECRET);
    let hex = hash.iter().map(|byte| format!("{byte:02x}"));
    format!("secret_sha256 = '{}'", hex.collect::<String>())
}

/// The settings of a provider: a confidential client, a public one, and one that needs a second factor.
pub(crate) fn enable_provider(config: &mut Config) {
    let uri = format!("redirect_uris = ['{CALLBACK}']");
    let all = "scopes = ['openid', 'profile', 'email', 'offline_access']";
    let out = "post_logout_redirect_uris = ['https://wiki.example.org/bye?from=us']";
    let wiki = format!("{}\n{uri}\n{all}\n{out}\npkce = 'optional'", digest());
    let avatar = "redirect_uris = ['http://127.0.0.1/callback', 'https://avatar.example.org/cb']\n\
                  id_token_alg = 'ES256'";
    let vault = format!(
        "{}\n{uri}\naal = 2\nid_token_alg = 'EdDSA'\napp = 'safe'",
        digest()
    );
    config.oidc.enabled = true;
    config.oidc.clients = vec![
        client("wiki", &wiki),
        client("avatar", avatar),
        client("vault", &vault),
    ];
}

pub(crate) async fn site_with_provider(db: &Database) -> Site {
    db.allow_unread_mails();
    db.site_with(enable_provider).await
}

/// Starts a site with the OpenID Connect provider, and inserts a signed-in person.
pub(crate) async fn provider_with_signed_in(db: &Database, name: &str) -> (Site, Person) {
    let site = site_with_provider(db).await;
    let person = site.signed_in(name).await;
    (site, person)
}

/// An application in the middle of a sign-in: what it keeps between request and response.
pub(crate) struct RelyingParty {
    pub id: &'static str,
    pub redirect_uri: &'static str,
    verifier: String,
}

/// The confidential client.
pub(crate) fn wiki() -> RelyingParty {
    relying_party("wiki", CALLBACK)
}

fn relying_party(id: &'static str, redirect_uri: &'static str) -> RelyingParty {
    let verifier = Secret::generate(&Rng::System).expose().to_owned();
    RelyingParty {
        id,
        redirect_uri,
        verifier,
    }
}

pub(crate) fn form_encoded(parameters: &[(&str, &str)]) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(parameters).finish()
}

impl RelyingParty {
    fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier))
    }

    /// The address of an authorization request; `changes` replace parameters, an empty value removes one.
    pub(crate) fn request(&self, changes: &[(&str, &str)]) -> String {
        let challenge = self.challenge();
        let mut all = vec![
            ("client_id", self.id),
            ("redirect_uri", self.redirect_uri),
            ("response_type", "code"),
            ("scope", "openid profile email offline_access"),
            ("state", "a state & more"),
            ("nonce", "a-nonce"),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ];
        all.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
        all.extend(changes.iter().filter(|(_, value)| !value.is_empty()));
        format!("/account/oidc/authorize?{}", form_encoded(&all))
    }

    /// The target of the redirect that answers a request with these changes.
    async fn redirect(&self, browser: &Browser, changes: &[(&str, &str)]) -> Url {
        redirect_target(&browser.open(&self.request(changes)).await)
    }

    /// The code that a signed-in browser brings back.
    pub(crate) async fn code(&self, browser: &Browser) -> String {
        self.code_with(browser, &[]).await
    }

    /// The code for a request with these changes.
    async fn code_with(&self, browser: &Browser, changes: &[(&str, &str)]) -> String {
        let returned = self.redirect(browser, changes).await;
        query_value(&returned, "code").unwrap_or_else(|| panic!("no code: {returned}"))
    }

    /// The parameters of the token request for a code.
    pub(crate) fn token_form(&self, code: &str) -> Vec<(String, String)> {
        [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", self.redirect_uri),
            ("code_verifier", &self.verifier),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
    }

    /// Signs the browser in to the application. Returns the response of the token endpoint.
    pub(crate) async fn tokens(&self, site: &Site, browser: &Browser) -> Value {
        let code = self.code(browser).await;
        let response = assert_status!(request_token(site, self.id, &self.token_form(&code)), 200);
        response.json()
    }
}

/// The redirect target of a response of the authorization or end session endpoint.
#[track_caller]
pub(crate) fn redirect_target(response: &Response) -> Url {
    assert_eq!(response.status, 303, "{}", response.text());
    response.assert_header("cache-control", "no-store");
    let location = response.header("location").unwrap();
    let base = Url::parse("http://localhost:8080").unwrap();
    base.join(location).unwrap()
}

pub(crate) fn query_value(url: &Url, name: &str) -> Option<String> {
    let mut pairs = url.query_pairs().filter(|(key, _)| key == name);
    pairs.next().map(|(_, value)| value.into_owned())
}

/// A form of an application without cookies, as its server sends it.
pub(crate) fn form_request(path: &str) -> request::Builder {
    Request::post(path).header("content-type", "application/x-www-form-urlencoded")
}

pub(crate) fn basic_auth(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// A request at the token endpoint, with the right authentication of the client.
pub(crate) async fn request_token(
    site: &Site,
    id: &str,
    parameters: &[(String, String)],
) -> Response {
    post_as_client(&site.browser(), TOKEN, id, parameters).await
}

pub(crate) async fn post_as_client(
    server: &Browser,
    path: &str,
    id: &str,
    parameters: &[(String, String)],
) -> Response {
    let mut pairs: Vec<_> = parameters
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let mut request = form_request(path);
    match id {
        "avatar" => pairs.push(("client_id", id)),
        _ => request = request.header("authorization", basic_auth(id, SECRET)),
    }
    server.send_with(request, form_encoded(&pairs)).await
}

pub(crate) fn refresh_parameters(token: &str) -> Vec<(String, String)> {
    [("grant_type", "refresh_token"), ("refresh_token", token)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

pub(crate) async fn refresh(site: &Site, token: &str) -> Response {
    request_token(site, "wiki", &refresh_parameters(token)).await
}

pub(crate) async fn userinfo(site: &Site, access_token: &str) -> Response {
    let request = Request::get("/account/oidc/userinfo")
        .header("authorization", format!("Bearer {access_token}"));
    site.browser().send(request).await
}

pub(crate) fn text_value(value: &Value, name: &str) -> String {
    let found = value[name].as_str();
    found
        .unwrap_or_else(|| panic!("no {name}: {value}"))
        .to_owned()
}

/// A refusal of OAuth with this code.
#[track_caller]
pub(crate) fn assert_oauth_error(response: &Response, status: u16, error: &str) {
    let returned = (response.status.as_u16(), response.json()["error"].clone());
    assert_eq!(returned, (status, error.into()), "{}", response.text());
    response.assert_header("cache-control", "no-store");
    let is_limited = matches!(status, 429 | 503);
    assert_eq!(response.header("retry-after").is_some(), is_limited);
}

/// The level, the client and the reason of each event with this name during the requests, and the whole log.
async fn logged_refusals(name: &str, requests: impl Future<Output = ()>) -> (Vec<Value>, String) {
    let logged = logged_events(requests).await;
    let refused = logged.iter().filter(|event| event["event"] == name);
    let refused = refused.map(|event| json!([event["level"], event["client"], event["reason"]]));
    (refused.collect(), json!(logged).to_string())
}

/// Asserts that a code or a refresh token in this form is refused.
async fn assert_invalid_grant(site: &Site, id: &str, form: &[(String, String)]) {
    let response = request_token(site, id, form).await;
    assert_oauth_error(&response, 400, "invalid_grant");
}

/// Asserts that the access token and the refresh token have ended.
async fn assert_tokens_ended(site: &Site, tokens: &Value) {
    let response = userinfo(site, &text_value(tokens, "access_token")).await;
    assert_oauth_error(&response, 401, "invalid_token");
    let response = refresh(site, &text_value(tokens, "refresh_token")).await;
    assert_oauth_error(&response, 400, "invalid_grant");
}

pub(crate) async fn fetch_jwks(site: &Site) -> Vec<Value> {
    let response = site.browser().open("/account/oidc/jwks").await;
    response.assert_header("cache-control", "public, max-age=3600");
    response.assert_header("access-control-allow-origin", "*");
    response.json()["keys"].as_array().unwrap().clone()
}

fn decode_base64url(value: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(value.as_str().unwrap()).unwrap()
}

/// Header and claims of the ID token, verified by the published keys.
async fn id_token(site: &Site, tokens: &Value) -> (Value, Value) {
    verify_token(&fetch_jwks(site).await, &text_value(tokens, "id_token")).unwrap()
}

/// The claims of a token, verified by one of these keys as a client does it, without the code of the provider.
pub(crate) fn verify_token(keys: &[Value], token: &str) -> Option<(Value, Value)> {
    let parts: Vec<_> = token.split('.').collect();
    let json = |part: &str| -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    let (header, claims) = (json(parts[0]), json(parts[1]));
    let key = keys.iter().find(|key| key["kid"] == header["kid"])?;
    assert_eq!(key["alg"], header["alg"]);
    let signed = format!("{}.{}", parts[0], parts[1]);
    let signature = URL_SAFE_NO_PAD.decode(parts[2]).unwrap();
    let is_right = match header["alg"].as_str().unwrap() {
        "RS256" => RsaPublicKeyComponents {
            n: decode_base64url(&key["n"]),
            e: decode_base64url(&key["e"]),
        }
        .verify(&RSA_PKCS1_2048_8192_SHA256, signed.as_bytes(), &signature)
        .is_ok(),
        "ES256" => {
            let point = [
                vec![4],
                decode_base64url(&key["x"]),
                decode_base64url(&key["y"]),
            ]
            .concat();
            let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
            key.verify(signed.as_bytes(), &signature).is_ok()
        }
        "EdDSA" => {
            let key = UnparsedPublicKey::new(&ED25519, decode_base64url(&key["x"]));
            key.verify(signed.as_bytes(), &signature).is_ok()
        }
        other => panic!("{other}"),
    };
    is_right.then_some((header, claims))
}
