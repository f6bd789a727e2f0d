//! A client of the provider: the authorization code flow with PKCE (OpenID Connect Core 1.0 section 3.1), userinfo, and
//! logout. All addresses come from the discovery document.

use std::collections::HashMap;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::RequestBuilder;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::ID;
use super::tokens::{self, ExpectedClaims};
use super::visits::Person;
use crate::causes::with_causes;
use crate::clock::Clock;
use crate::domain::secret::Secret;
use crate::rng::Rng;

/// The longest wait for an answer of the provider.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The reason why a sign-in failed, as the page shows it.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    #[error("{0}")]
    Refused(String),
    #[error("the provider cannot be reached ({0})")]
    Unreachable(String),
    #[error("the provider's answer has a wrong {0}")]
    Wrong(&'static str),
}

type Result<T> = std::result::Result<T, Problem>;

pub(super) struct Provider {
    issuer: String,
    /// The origin of the application.
    origin: String,
    secret: Secret,
    clock: Clock,
    http: reqwest::Client,
}

/// The values that the application stores between its request and the response.
pub(super) struct Pending {
    state: Secret,
    nonce: Secret,
    verifier: Secret,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: String,
    jwks_uri: String,
    end_session_endpoint: String,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: String,
}

#[derive(Deserialize)]
struct UserInfo {
    sub: String,
    preferred_username: String,
}

impl Provider {
    pub(super) fn new(
        issuer: String,
        origin: String,
        secret: Secret,
        clock: Clock,
    ) -> reqwest::Result<Provider> {
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(TIMEOUT)
            .build()?;
        Ok(Provider {
            issuer,
            origin,
            secret,
            clock,
            http,
        })
    }

    /// The account pages of the site.
    pub(super) fn account(&self) -> &str {
        &self.issuer
    }

    /// The site, as a source in a content security policy.
    pub(super) fn site(&self) -> String {
        let issuer = Url::parse(&self.issuer).ok();
        issuer.map_or_else(String::new, |url| url.origin().ascii_serialization())
    }

    fn callback(&self) -> String {
        format!("{}/callback", self.origin)
    }

    /// Returns the authorization URL of the provider.
    pub(super) async fn sign_in(&self, rng: &Rng) -> Result<(Url, Pending)> {
        let metadata = self.metadata().await?;
        let pending = Pending {
            state: Secret::generate(rng),
            nonce: Secret::generate(rng),
            // 43 characters of base64url, as RFC 7636 section 4.1 recommends.
            verifier: Secret::generate(rng),
        };
        let parameters = [
            ("response_type", "code"),
            ("client_id", ID),
            ("redirect_uri", &self.callback()),
            ("scope", "openid profile"),
            ("state", pending.state.expose()),
            ("nonce", pending.nonce.expose()),
            (
                "code_challenge",
                &URL_SAFE_NO_PAD.encode(pending.verifier.hash()),
            ),
            ("code_challenge_method", "S256"),
        ];
        let url = with_query(&metadata.authorization_endpoint, &parameters)?;
        Ok((url, pending))
    }

    /// Returns the person that the response of the provider signs in.
    pub(super) async fn finish(
        &self,
        pending: &Pending,
        response: &HashMap<String, String>,
    ) -> Result<Person> {
        let get = |name: &str| response.get(name).map(String::as_str);
        if get("state") != Some(pending.state.expose()) {
            return Err(Problem::Wrong("state"));
        }
        // RFC 9207: the response of another provider is not for this one.
        if get("iss") != Some(self.issuer.as_str()) {
            return Err(Problem::Wrong("issuer"));
        }
        let Some(code) = get("code") else {
            let error = get("error").unwrap_or("without a reason");
            return Err(Problem::Refused(format!(
                "the provider refuses it ({error})"
            )));
        };
        let metadata = self.metadata().await?;
        let tokens = self.exchange(&metadata, code, pending).await?;
        let keys: Value = self.fetch(self.http.get(metadata.jwks_uri)).await?;
        let nonce = pending.nonce.expose();
        let claims = tokens::verify_id_token(&keys, &tokens.id_token, nonce, &self.expected());
        let claims = claims.ok_or(Problem::Wrong("ID token"))?;
        let info = self.http.get(metadata.userinfo_endpoint);
        let info: UserInfo = self.fetch(info.bearer_auth(&tokens.access_token)).await?;
        // OpenID Connect Core 1.0 section 5.3.2.
        if info.sub != claims.sub {
            return Err(Problem::Wrong("sub"));
        }
        Ok(Person {
            name: info.preferred_username,
            id: claims.sub,
            sid: claims.sid,
            id_token: tokens.id_token,
        })
    }

    /// The address that signs the person out at the provider and leads back here.
    pub(super) async fn sign_out(&self, person: &Person) -> Result<Url> {
        let metadata = self.metadata().await?;
        let parameters = [
            ("id_token_hint", person.id_token.as_str()),
            (
                "post_logout_redirect_uri",
                &format!("{}/signed-out", self.origin),
            ),
        ];
        with_query(&metadata.end_session_endpoint, &parameters)
    }

    /// Returns the session that a logout token of the provider ends.
    pub(super) async fn ended_session(&self, logout_token: &str) -> Result<String> {
        let metadata = self.metadata().await?;
        let keys: Value = self.fetch(self.http.get(metadata.jwks_uri)).await?;
        let ended = tokens::verify_logout_token(&keys, logout_token, &self.expected());
        ended.ok_or(Problem::Wrong("logout token"))
    }

    fn expected(&self) -> ExpectedClaims<'_> {
        ExpectedClaims {
            issuer: &self.issuer,
            client_id: ID,
            now: self.clock.millis() / 1000,
        }
    }

    async fn metadata(&self) -> Result<Metadata> {
        let url = format!("{}/.well-known/openid-configuration", self.issuer);
        let metadata: Metadata = self.fetch(self.http.get(url)).await?;
        // OpenID Connect Discovery 1.0 section 4.3.
        match metadata.issuer == self.issuer {
            true => Ok(metadata),
            false => Err(Problem::Wrong("issuer")),
        }
    }

    async fn exchange(&self, metadata: &Metadata, code: &str, pending: &Pending) -> Result<Tokens> {
        let form = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("grant_type", "authorization_code"),
                ("code", code),
                ("redirect_uri", &self.callback()),
                ("code_verifier", pending.verifier.expose()),
            ])
            .finish();
        let request = self
            .http
            .post(&metadata.token_endpoint)
            .basic_auth(ID, Some(self.secret.expose()))
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        self.fetch(request.body(form)).await
    }

    async fn fetch<Answer: DeserializeOwned>(&self, request: RequestBuilder) -> Result<Answer> {
        let unreachable =
            |error: reqwest::Error| Problem::Unreachable(with_causes(&error.without_url()));
        let answer = request.send().await.map_err(unreachable)?;
        let status = answer.status();
        if !status.is_success() {
            let why = format!("the provider answers with status {}", status.as_u16());
            return Err(Problem::Refused(why));
        }
        let body = answer.bytes().await.map_err(unreachable)?;
        serde_json::from_slice(&body).map_err(|_| Problem::Wrong("body"))
    }
}

fn with_query(endpoint: &str, parameters: &[(&str, &str)]) -> Result<Url> {
    Url::parse_with_params(endpoint, parameters).map_err(|_| Problem::Wrong("address"))
}
