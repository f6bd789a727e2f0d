//! Checks an authorization request (OpenID Connect Core 1.0 section 3.1.2.1).

use crate::config::{Config, OidcClient, Pkce, Scope};
use crate::domain::auth_method::Aal;
use crate::domain::email::Email;
use crate::i18n::Language;
use crate::oidc::error::{OAuthCode, OAuthError, OAuthResult, invalid_request};
use crate::oidc::parameters::Parameters;

/// The reason why an authorization request gets an error page instead of a redirect, because the redirect URI may be an
/// attacker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InvalidRedirect {
    UnknownClient,
    WrongRedirectUri,
}

impl InvalidRedirect {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            InvalidRedirect::UnknownClient => "client_id is missing or unknown",
            InvalidRedirect::WrongRedirectUri => "redirect_uri is missing or not registered",
        }
    }
}

/// The redirect URI of the authorization response, which the client has registered.
pub(crate) struct ReturnAddress<'a> {
    pub client: &'a OidcClient,
    pub redirect_uri: &'a str,
    pub state: Option<&'a str>,
}

/// An authorization request with valid parameters.
pub(crate) struct AuthorizationRequest<'a> {
    pub nonce: Option<&'a str>,
    /// The PKCE challenge with the method S256.
    pub challenge: Option<&'a str>,
    /// The requested scopes that the client may request.
    pub scopes: Vec<Scope>,
    pub prompt: Prompt,
    /// The maximum age of the authentication, in seconds.
    pub max_age: Option<i64>,
    /// The authentication level that the client prefers. It is voluntary (OpenID Connect Core 1.0 section 3.1.2.1).
    pub preferred_aal: Aal,
    pub id_token_hint: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prompt {
    /// A screen is shown if the session does not meet the requirements.
    IfNeeded,
    /// No screen may be shown.
    None,
    /// The person must sign in again, even if there is a live session.
    Login,
    /// The person registers (OpenID Connect Initiating User Registration 1.0).
    Create,
}

impl Prompt {
    /// The permitted values of the parameter `prompt`.
    pub(crate) const VALUES: [&str; 5] = ["none", "login", "consent", "select_account", "create"];
}

/// The parameters that the authorization endpoint evaluates.
const PARAMETER_NAMES: [&str; 15] = [
    "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
    "code_challenge_method", "prompt", "max_age", "id_token_hint", "login_hint", "ui_locales",
    "acr_values", "request", "request_uri",
];

/// The maximum size of a nonce, which is stored with the authorization code.
const MAX_NONCE_BYTES: usize = 512;

/// Returns the email address of the account that the application expects. Returns `None` for a hint that is no email
/// address, because only an email address can be typed into the sign-in form.
pub(crate) fn login_hint(parameters: &Parameters) -> Option<Email> {
    Email::parse(parameters.get("login_hint")?).ok()
}

/// Returns the most preferred requested language that the screens have. `ui_locales` contains tags separated by spaces,
/// in order of preference. A repeated parameter counts as absent.
pub(crate) fn ui_language(parameters: &Parameters) -> Option<Language> {
    let tags = parameters.get("ui_locales");
    let tags = tags.filter(|_| !parameters.is_repeated("ui_locales"));
    let mut tags = tags?.split(' ');
    tags.find_map(Language::from_tag)
}

pub(crate) fn return_address<'a>(
    config: &'a Config,
    parameters: &'a Parameters,
) -> Result<ReturnAddress<'a>, InvalidRedirect> {
    let single = |name| {
        parameters
            .get(name)
            .filter(|_| !parameters.is_repeated(name))
    };
    let client = single("client_id").and_then(|id| config.oidc_client(id));
    let client = client.ok_or(InvalidRedirect::UnknownClient)?;
    let redirect_uri = single("redirect_uri").filter(|uri| client.has_redirect_uri(uri));
    Ok(ReturnAddress {
        client,
        redirect_uri: redirect_uri.ok_or(InvalidRedirect::WrongRedirectUri)?,
        state: single("state"),
    })
}

pub(crate) fn check_request<'a>(
    client: &OidcClient,
    parameters: &'a Parameters,
) -> OAuthResult<AuthorizationRequest<'a>> {
    parameters.check(&PARAMETER_NAMES)?;
    if parameters.get("request").is_some() {
        let why = "request objects are not supported";
        return Err(OAuthError::new(OAuthCode::RequestNotSupported, why));
    }
    if parameters.get("request_uri").is_some() {
        let why = "request_uri is not supported";
        return Err(OAuthError::new(OAuthCode::RequestUriNotSupported, why));
    }
    match parameters.get("response_type") {
        Some("code") => {}
        Some(_) => {
            let why = "the only response_type is code";
            return Err(OAuthError::new(OAuthCode::UnsupportedResponseType, why));
        }
        None => return Err(invalid_request("response_type is missing")),
    }
    if parameters
        .get("response_mode")
        .is_some_and(|mode| mode != "query")
    {
        return Err(invalid_request("the only response_mode is query"));
    }
    let nonce = parameters.get("nonce");
    if nonce.is_some_and(|nonce| nonce.len() > MAX_NONCE_BYTES) {
        return Err(invalid_request("nonce is too long"));
    }
    let max_age = parameters
        .get("max_age")
        .map(|text| match text.parse::<u32>() {
            Ok(seconds) => Ok(i64::from(seconds)),
            Err(_) => Err(invalid_request("max_age must be a number of seconds")),
        });
    Ok(AuthorizationRequest {
        nonce,
        challenge: check_challenge(client, parameters)?,
        scopes: parse_scopes(client, parameters)?,
        prompt: parse_prompt(parameters)?,
        max_age: max_age.transpose()?,
        preferred_aal: preferred_level(parameters),
        id_token_hint: parameters.get("id_token_hint"),
    })
}

/// Returns the PKCE challenge (RFC 7636). Only S256 is accepted, because `plain` adds no protection to this flow (RFC
/// 9700 section 2.1.1).
fn check_challenge<'a>(
    client: &OidcClient,
    parameters: &'a Parameters,
) -> OAuthResult<Option<&'a str>> {
    let invalid = |why| Err(invalid_request(why));
    let method = parameters.get("code_challenge_method");
    let Some(challenge) = parameters.get("code_challenge") else {
        return match (method, client.pkce) {
            (Some(_), _) => invalid("code_challenge is missing"),
            (None, Pkce::Required) => invalid("PKCE is required: code_challenge is missing"),
            (None, Pkce::Optional) => Ok(None),
        };
    };
    let is_base64url = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if method != Some("S256") {
        return invalid("code_challenge_method must be S256");
    }
    if challenge.len() != 43 || !challenge.bytes().all(is_base64url) {
        return invalid("code_challenge must be the base64url of a SHA-256");
    }
    Ok(Some(challenge))
}

/// Returns the scopes. Unknown scopes are ignored (OpenID Connect Core 1.0 section 3.1.2.1), as are scopes that the
/// client does not list.
fn parse_scopes(client: &OidcClient, parameters: &Parameters) -> OAuthResult<Vec<Scope>> {
    let requested: Vec<&str> = parameters
        .get("scope")
        .unwrap_or_default()
        .split(' ')
        .collect();
    if !requested.contains(&Scope::Openid.as_str()) {
        return Err(OAuthError::new(
            OAuthCode::InvalidScope,
            "scope must contain openid",
        ));
    }
    let is_granted =
        |scope: &Scope| requested.contains(&scope.as_str()) && client.scopes.contains(scope);
    Ok(Scope::ALL.iter().copied().filter(is_granted).collect())
}

/// Returns the most preferred level of `acr_values`, which contains values separated by spaces, in order of preference.
/// Unknown values are ignored.
fn preferred_level(parameters: &Parameters) -> Aal {
    let mut values = parameters.get("acr_values").unwrap_or_default().split(' ');
    values.find_map(Aal::from_name).unwrap_or_default()
}

/// Parses `prompt`. `consent` has no effect, because the operator of the site also operates the applications.
/// `select_account` counts as `login`.
fn parse_prompt(parameters: &Parameters) -> OAuthResult<Prompt> {
    let invalid = |why| Err(invalid_request(why));
    let text = parameters.get("prompt").unwrap_or_default();
    let requested: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let has = |value| requested.contains(&value);
    if !requested.iter().all(|word| Prompt::VALUES.contains(word)) {
        return invalid("unknown value of prompt");
    }
    match requested.as_slice() {
        ["none"] => Ok(Prompt::None),
        ["create"] => Ok(Prompt::Create),
        _ if has("none") || has("create") => {
            invalid("prompt=none and prompt=create must be the only value")
        }
        _ if has("login") || has("select_account") => Ok(Prompt::Login),
        _ => Ok(Prompt::IfNeeded),
    }
}
