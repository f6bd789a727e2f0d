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
use axum::http::request;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents,
    UnparsedPublicKey,
};
use sha2::{Digest, Sha256};
use url::Url;
use url::form_urlencoded;

use crate::events::logged_events;
use crate::prelude::*;
use crate::support::fixture::Fixture;

pub const ISSUER: &str = "http://localhost:8080/account";
pub const TOKEN: &str = "/account/oidc/token";
const AUTHORIZE: &str = "/account/oidc/authorize";
const USERINFO: &str = "/account/oidc/userinfo";
const REVOKE: &str = "/account/oidc/revoke";
const WITHOUT_CHALLENGE: &str = "code_challenge=&code_challenge_method=";
const SECRET: &str = "a-secret-of-the-wiki";
pub const CALLBACK: &str = "https://wiki.example.org/callback";

/// A client of the configuration; `more` are further lines of TOML.
fn client(id: &str, more: &str) -> OidcClient {
    let text = format!("id = '{id}'\nname = '{id} of ours'\n{more}\n");
    toml::from_str(&text).unwrap()
}

fn digest(secret: &str) -> String {
    let hash = Sha256::digest(secret);
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The settings of a provider: a confidential client, a public one, and one that needs a second factor.
pub fn enable_provider(config: &mut Config) {
    let secret = format!("secret_sha256 = '{}'", digest(SECRET));
    let confidential = format!("{secret}\nredirect_uris = ['{CALLBACK}']");
    let wiki = format!(
        "{confidential}\npkce = 'optional'\n\
         scopes = ['openid', 'profile', 'email', 'offline_access']\n\
         post_logout_redirect_uris = ['https://wiki.example.org/bye?from=us']"
    );
    let avatar = "redirect_uris = ['http://127.0.0.1/callback', 'https://avatar.example.org/cb']\n\
                  id_token_alg = 'ES256'";
    let vault = format!("{confidential}\naal = 2\nid_token_alg = 'EdDSA'\napp = 'safe'");
    config.oidc.enabled = true;
    config.oidc.clients = vec![
        client("wiki", &wiki),
        client("avatar", avatar),
        client("vault", &vault),
    ];
}

pub async fn site_with_provider(db: &Database) -> Site {
    db.allow_unread_mails();
    db.site_with(enable_provider).await
}

/// Starts a site with the OpenID Connect provider, and inserts a signed-in person.
pub async fn provider_with_signed_in(db: &Database, name: &str) -> (Site, Person) {
    let site = site_with_provider(db).await;
    let person = site.signed_in(name).await;
    (site, person)
}

/// A site with a provider, and a person who is signed in there.
struct Provider(Site, Person);

impl Fixture for Provider {
    async fn of(db: &Database) -> Provider {
        let site = site_with_provider(db).await;
        let ada = site.signed_in("ada").await;
        Provider(site, ada)
    }
}

/// An application in the middle of a sign-in: what it keeps between request and response.
pub struct RelyingParty {
    pub id: &'static str,
    pub redirect_uri: &'static str,
    verifier: String,
}

/// The confidential client.
pub fn wiki() -> RelyingParty {
    relying_party("wiki", CALLBACK)
}

/// The public client.
fn avatar() -> RelyingParty {
    relying_party("avatar", "https://avatar.example.org/cb")
}

/// The client that needs a second factor.
fn vault() -> RelyingParty {
    relying_party("vault", CALLBACK)
}

fn relying_party(id: &'static str, redirect_uri: &'static str) -> RelyingParty {
    RelyingParty {
        id,
        redirect_uri,
        verifier: Secret::generate(&Rng::System).expose().to_owned(),
    }
}

pub fn form_encoded(parameters: &[(impl AsRef<str>, impl AsRef<str>)]) -> String {
    let mut text = form_urlencoded::Serializer::new(String::new());
    text.extend_pairs(parameters).finish()
}

/// A form with other values of some parameters, given as a form too. An empty value removes a parameter.
fn with_changes(form: &str, changes: &str) -> String {
    let parse = |text: &str| -> Vec<(String, String)> {
        form_urlencoded::parse(text.as_bytes())
            .into_owned()
            .collect()
    };
    let (mut all, changes) = (parse(form), parse(changes));
    all.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    all.extend(changes.into_iter().filter(|(_, value)| !value.is_empty()));
    form_encoded(&all)
}

impl RelyingParty {
    fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier))
    }

    /// The address of an authorization request with these changes.
    pub fn request(&self, changes: &str) -> String {
        let all = form_encoded(&[
            ("client_id", self.id),
            ("redirect_uri", self.redirect_uri),
            ("response_type", "code"),
            ("scope", "openid profile email offline_access"),
            ("state", "a state & more"),
            ("nonce", "a-nonce"),
            ("code_challenge", &self.challenge()),
            ("code_challenge_method", "S256"),
        ]);
        format!("{AUTHORIZE}?{}", with_changes(&all, changes))
    }

    /// The target of the redirect that answers a request with these changes.
    async fn redirect(&self, browser: &Browser, changes: &str) -> Url {
        redirect_target(&browser.open(&self.request(changes)).await)
    }

    /// The ticket of a request that leads to one of our pages.
    async fn ticket(&self, browser: &Browser, changes: &str, page: &str) -> String {
        let url = self.redirect(browser, changes).await;
        assert_eq!(url.path(), page, "{changes}");
        query_value(&url, "continue").expect("a ticket")
    }

    /// The code that a signed-in browser brings back.
    pub async fn code(&self, browser: &Browser) -> String {
        self.code_with(browser, "").await
    }

    /// The code for a request with these changes.
    async fn code_with(&self, browser: &Browser, changes: &str) -> String {
        code_in(&self.redirect(browser, changes).await)
    }

    /// The form of the token request for a code.
    pub fn token_form(&self, code: &str) -> String {
        form_encoded(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", self.redirect_uri),
            ("code_verifier", &self.verifier),
        ])
    }

    /// The form of the token request for a new code.
    async fn new_form(&self, browser: &Browser) -> String {
        self.token_form(&self.code(browser).await)
    }

    /// Exchanges a code. Returns the response of the token endpoint.
    async fn redeem(&self, site: &Site, code: &str) -> Value {
        let response = assert_status!(request_token(site, self.id, &self.token_form(code)), 200);
        response.json()
    }

    /// Signs the browser in to the application. Returns the response of the token endpoint.
    pub async fn tokens(&self, site: &Site, browser: &Browser) -> Value {
        self.redeem(site, &self.code(browser).await).await
    }
}

/// Continues an authorization request with its ticket. Returns the place to which it leads.
async fn resume(browser: &Browser, ticket: &str) -> Url {
    let path = format!("{AUTHORIZE}?continue={ticket}");
    let next = redirect_target(&browser.open(&path).await);
    if next.path() != AUTHORIZE {
        return next;
    }
    let again = format!("{AUTHORIZE}?{}", next.query().unwrap());
    redirect_target(&browser.open(&again).await)
}

/// The redirect target of a response of the authorization or end session endpoint.
#[track_caller]
pub fn redirect_target(response: &Response) -> Url {
    response.assert_status(303);
    response.assert_header("cache-control", "no-store");
    let location = response.header("location").unwrap();
    let base = Url::parse("http://localhost:8080").unwrap();
    base.join(location).unwrap()
}

fn code_in(url: &Url) -> String {
    query_value(url, "code").unwrap_or_else(|| panic!("no code: {url}"))
}

pub fn query_value(url: &Url, name: &str) -> Option<String> {
    let mut pairs = url.query_pairs().filter(|(key, _)| key == name);
    pairs.next().map(|(_, value)| value.into_owned())
}

/// A form of an application without cookies, as its server sends it.
pub fn form_request(path: &str) -> request::Builder {
    Request::post(path).header("content-type", "application/x-www-form-urlencoded")
}

pub fn basic_auth(id: &str, secret: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
}

/// A request at the token endpoint, with the right authentication of the client.
pub async fn request_token(site: &Site, id: &str, form: &str) -> Response {
    post_as_client(&site.browser(), TOKEN, id, form).await
}

async fn post_as_client(server: &Browser, path: &str, id: &str, form: &str) -> Response {
    let request = form_request(path);
    match id {
        "avatar" => {
            let form = format!("client_id={id}&{form}");
            server.send_with(request, form).await
        }
        _ => {
            let request = request.header("authorization", basic_auth(id, SECRET));
            server.send_with(request, form.to_owned()).await
        }
    }
}

/// The form that exchanges the refresh token.
fn refresh_form(tokens: &Value) -> String {
    let token = text_value(tokens, "refresh_token");
    format!("grant_type=refresh_token&refresh_token={token}")
}

pub async fn refresh(site: &Site, tokens: &Value) -> Response {
    request_token(site, "wiki", &refresh_form(tokens)).await
}

/// The successors of the tokens.
async fn refreshed(site: &Site, tokens: &Value) -> Value {
    assert_status!(refresh(site, tokens), 200).json()
}

pub async fn userinfo(site: &Site, tokens: &Value) -> Response {
    let bearer = format!("Bearer {}", text_value(tokens, "access_token"));
    let request = Request::get(USERINFO).header("authorization", bearer);
    site.browser().send(request).await
}

pub fn text_value(value: &Value, name: &str) -> String {
    let found = value[name].as_str();
    found
        .unwrap_or_else(|| panic!("no {name}: {value}"))
        .to_owned()
}

/// A refusal of OAuth with this code.
#[track_caller]
pub fn assert_oauth_error(response: &Response, status: u16, error: &str) {
    let returned = (response.status.as_u16(), response.json()["error"].clone());
    assert_eq!(returned, (status, error.into()), "{}", response.text());
    response.assert_header("cache-control", "no-store");
    let is_limited = matches!(status, 429 | 503);
    assert_eq!(response.header("retry-after").is_some(), is_limited);
}

/// The level, the client and the reason of each event with this name during the requests, and the whole log.
async fn logged_refusals(name: &str, requests: impl Future<Output = ()>) -> (Value, String) {
    let logged = logged_events(requests).await;
    let refused = logged.iter().filter(|event| event["event"] == name);
    let refused = refused.map(|event| json!([event["level"], event["client"], event["reason"]]));
    (
        json!(refused.collect::<Vec<_>>()),
        json!(logged).to_string(),
    )
}

/// Asserts that a code or a refresh token in this form is refused.
async fn assert_invalid_grant(site: &Site, id: &str, form: &str) {
    let response = request_token(site, id, form).await;
    assert_oauth_error(&response, 400, "invalid_grant");
}

/// Asserts that the access token and the refresh token have ended.
async fn assert_tokens_ended(site: &Site, tokens: &Value) {
    assert_oauth_error(&userinfo(site, tokens).await, 401, "invalid_token");
    assert_oauth_error(&refresh(site, tokens).await, 400, "invalid_grant");
}

pub async fn fetch_jwks(site: &Site) -> Vec<Value> {
    let response = site.browser().open("/account/oidc/jwks").await;
    response.assert_header("cache-control", "public, max-age=3600");
    response.assert_header("access-control-allow-origin", "*");
    response.json()["keys"].list().clone()
}

/// Header and claims of the ID token, verified by the published keys.
async fn id_token(site: &Site, tokens: &Value) -> (Value, Value) {
    verify_token(&fetch_jwks(site).await, &text_value(tokens, "id_token")).unwrap()
}

/// The claims of a token, verified by one of these keys as a client does it, without the code of the provider.
pub fn verify_token(keys: &[Value], token: &str) -> Option<(Value, Value)> {
    let parts: Vec<_> = token.split('.').collect();
    let json = |part: &str| -> Value {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    let (header, claims) = (json(parts[0]), json(parts[1]));
    let key = keys.iter().find(|key| key["kid"] == header["kid"])?;
    let member = |name: &str| URL_SAFE_NO_PAD.decode(text_value(key, name)).unwrap();
    assert_eq!(key["alg"], header["alg"]);
    let signed = format!("{}.{}", parts[0], parts[1]);
    let signature = URL_SAFE_NO_PAD.decode(parts[2]).unwrap();
    let is_right = match header["alg"].text() {
        "RS256" => RsaPublicKeyComponents {
            n: member("n"),
            e: member("e"),
        }
        .verify(&RSA_PKCS1_2048_8192_SHA256, signed.as_bytes(), &signature)
        .is_ok(),
        "ES256" => {
            let point = [vec![4], member("x"), member("y")].concat();
            let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point);
            key.verify(signed.as_bytes(), &signature).is_ok()
        }
        "EdDSA" => {
            let key = UnparsedPublicKey::new(&ED25519, member("x"));
            key.verify(signed.as_bytes(), &signature).is_ok()
        }
        other => panic!("{other}"),
    };
    is_right.then_some((header, claims))
}
