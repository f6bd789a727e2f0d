//! The authorization endpoint (OpenID Connect Core 1.0 section 3.1.2), which issues an authorization code for the
//! session of the browser.

use url::form_urlencoded;

use super::error::{OAuthCode, OAuthError, invalid_request};
use super::hint;
use super::parameters::Parameters;
use super::request::{self, AuthorizationRequest, InvalidRedirect, Prompt, ReturnAddress};
use crate::accounts::change::change_with_durability;
use crate::accounts::client::Client;
use crate::accounts::security_log::{Event, EventDetail};
use crate::accounts::session::{LockedRows, SignedIn};
use crate::accounts::sign_in::ticket::{
    self, Destination, SessionRequirements, TicketCookie, UnmetRequirement,
};
use crate::app::App;
use crate::config::OidcClient;
use crate::db::Durability;
use crate::domain::auth_method::Aal;
use crate::domain::secret::Secret;
use crate::domain::security_event::SecurityEvent;
use crate::error::{ApiError, ApiResult, ErrorCode};
use crate::rate_limit::{LimitName, Subject};
use crate::store::app_sessions::{self, ApplicationSession};
use crate::store::oidc_codes::{self, Code};
use crate::store::sessions;

/// The next step of the browser after an authorization request.
pub(crate) enum AuthorizationOutcome {
    /// A page that says that the authorization request is wrong.
    InvalidRequest(InvalidRedirect),
    /// A redirect to the application, with an authorization code or an error.
    ReturnToClient(String),
    /// A redirect to the page where the person can meet a requirement that the session does not meet.
    ProofRequired {
        shortfall: UnmetRequirement,
        ticket: String,
        cookie: TicketCookie,
    },
}

pub(crate) async fn authorize(
    app: &App,
    client: &Client,
    parameters: &Parameters,
) -> ApiResult<AuthorizationOutcome> {
    let from = [LimitName::AuthorizationFrom.of(Subject::Network(client.ip))];
    app.enforce_rate_limits(&from).await?;
    let address = match request::return_address(&app.config, parameters) {
        Ok(address) => address,
        Err(untrusted) => {
            let known = parameters.get("client_id");
            let known = known.and_then(|id| app.config.oidc_client(id));
            log_refusal(known, untrusted.reason());
            return Ok(AuthorizationOutcome::InvalidRequest(untrusted));
        }
    };
    match authorize_client(app, client, &address, parameters).await {
        Ok(outcome) => Ok(outcome),
        Err(AuthorizationError::ReturnedToClient(error)) => {
            log_error_response(address.client, &error);
            let (code, description) = (error.code.as_str(), error.description);
            let response = [("error", code), ("error_description", description)];
            let url = response_url(app, &address, &response);
            Ok(AuthorizationOutcome::ReturnToClient(url))
        }
        Err(AuthorizationError::Internal(error)) => Err(error),
    }
}

/// Logs why an authorization request was refused, because applications seldom show the reason. The log does not contain
/// an unknown client id, because anybody can choose that text.
fn log_refusal(client: Option<&OidcClient>, reason: &'static str) {
    let client = client.map(|client| client.id.as_str());
    tracing::warn!(target: "security", event = "authorization_refused", client, reason);
}

fn log_error_response(client: &OidcClient, error: &OAuthError) {
    match error.code {
        // Both errors are the usual response to `prompt=none`, by which applications look for a session.
        OAuthCode::LoginRequired | OAuthCode::InteractionRequired => {
            let (client, reason) = (&client.id, error.description);
            tracing::info!(target: "security", event = "authorization_refused", client, reason);
        }
        _ => log_refusal(Some(client), error.description),
    }
}

/// The error for an authorization request of a known client.
enum AuthorizationError {
    ReturnedToClient(OAuthError),
    /// An error that is not returned to the application, because a retry by the browser may succeed.
    Internal(ApiError),
}

impl From<OAuthError> for AuthorizationError {
    fn from(error: OAuthError) -> AuthorizationError {
        AuthorizationError::ReturnedToClient(error)
    }
}

impl From<ApiError> for AuthorizationError {
    fn from(error: ApiError) -> AuthorizationError {
        AuthorizationError::Internal(error)
    }
}

async fn authorize_client(
    app: &App,
    client: &Client,
    address: &ReturnAddress<'_>,
    parameters: &Parameters,
) -> Result<AuthorizationOutcome, AuthorizationError> {
    let request = request::check_request(address.client, parameters)?;
    let hinted_account = match request.id_token_hint {
        None => None,
        Some(token) => {
            let mut tx = app.store.read().await.map_err(ApiError::from)?;
            let hint = hint::verify(app, &mut tx, token)
                .await
                .map_err(ApiError::from)?;
            let why = "id_token_hint is no ID token of this provider";
            let hint = hint.ok_or_else(|| invalid_request(why))?;
            Some(hint.sub)
        }
    };
    let requirements = session_requirements(app, address.client, &request);
    let shortfall = match SignedIn::find_in_browser(app, client).await? {
        _ if request.prompt == Prompt::Create => UnmetRequirement::SignUp,
        None => UnmetRequirement::SignIn,
        Some(signed_in) => {
            let session = signed_in.session();
            let is_other = hinted_account.is_some_and(|account| account != session.account_id);
            let unmet = requirements.first_unmet(app, client, session).await;
            match unmet.map_err(ApiError::from)? {
                _ if is_other || request.prompt == Prompt::Login => UnmetRequirement::SignIn,
                Some(shortfall) => shortfall,
                None => {
                    let code =
                        issue_code(app, client, &signed_in, address, &request, requirements).await;
                    let code = code.map_err(session_ended_error)?;
                    let url = response_url(app, address, &[("code", code.expose())]);
                    return Ok(AuthorizationOutcome::ReturnToClient(url));
                }
            }
        }
    };
    if request.prompt == Prompt::None {
        return Err(prompt_none_error(shortfall, &requirements).into());
    }
    Ok(require_proof(
        app, client, address, parameters, requirements, shortfall,
    ))
}

/// Converts the error of `issue_code`, which may mean that the session has ended in the meantime.
fn session_ended_error(error: ApiError) -> AuthorizationError {
    match error.code {
        ErrorCode::Unauthenticated => no_session_error().into(),
        _ => error.into(),
    }
}

/// Returns the requirements for the session. `prompt=login` and `prompt=create` require a new sign-in.
fn session_requirements(
    app: &App,
    client: &OidcClient,
    request: &AuthorizationRequest<'_>,
) -> SessionRequirements {
    let now = app.clock.millis();
    let oldest = request
        .max_age
        .map(|seconds| now.saturating_sub(seconds * 1000));
    SessionRequirements {
        aal: client.aal,
        preferred_aal: request.preferred_aal,
        authenticated_since: match request.prompt {
            Prompt::Login | Prompt::Create => Some(now),
            Prompt::None | Prompt::IfNeeded => oldest,
        },
    }
}

fn no_session_error() -> OAuthError {
    OAuthError::new(OAuthCode::LoginRequired, "no matching session")
}

fn prompt_none_error(
    shortfall: UnmetRequirement,
    requirements: &SessionRequirements,
) -> OAuthError {
    match shortfall {
        UnmetRequirement::SignIn | UnmetRequirement::SignUp => no_session_error(),
        // Only an account that has a strong factor must meet a preferred level, so another proof suffices.
        UnmetRequirement::SecondFactor if requirements.aal == Aal::One => OAuthError::new(
            OAuthCode::LoginRequired,
            "the preferred level is not proved",
        ),
        UnmetRequirement::SecondFactor => {
            let why = "the session lacks a second factor";
            OAuthError::new(OAuthCode::InteractionRequired, why)
        }
    }
}

/// Returns a ticket that repeats the authorization request after the person has met the requirement. The ticket's
/// requirements replace `max_age` and `prompt`, which would require another proof. `prompt=none` is added, so that a
/// sign-in by another person than the hinted one leads to an error instead of another screen.
fn require_proof(
    app: &App,
    client: &Client,
    address: &ReturnAddress<'_>,
    parameters: &Parameters,
    requirements: SessionRequirements,
    shortfall: UnmetRequirement,
) -> AuthorizationOutcome {
    let mut replaced = vec!["prompt", "max_age", "continue"];
    if shortfall == UnmetRequirement::SignUp {
        // A new account is never the account that `id_token_hint` names.
        replaced.push("id_token_hint");
    }
    let mut continued = parameters.without(&replaced);
    continued.append_pair("prompt", "none");
    let request = ticket::AuthorizationRequest {
        name: address.client.name.clone(),
        region: address.client.region.clone(),
        parameters: continued.finish(),
    };
    let (ticket, cookie) =
        ticket::issue_bound(app, client, Destination::Authorize(request), requirements);
    AuthorizationOutcome::ProofRequired {
        shortfall,
        ticket,
        cookie,
    }
}

/// Inserts an authorization code that is bound to the session.
async fn issue_code(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    address: &ReturnAddress<'_>,
    request: &AuthorizationRequest<'_>,
    requirements: SessionRequirements,
) -> ApiResult<Secret> {
    change_with_durability(
        app,
        client,
        Durability::ProcessCrash,
        |mut change| async move {
            let LockedRows { account, session } = signed_in.lock(&mut change).await?;
            let (now, new_sid) = (change.now, change.new_id());
            let sid = sessions::sid_or_set(&mut change, &session, new_sid).await?;
            let app_session = ApplicationSession {
                sid,
                client_id: address.client.id.clone(),
                account_id: account.id,
                first_used_at: now,
                last_used_at: now,
            };
            if app_sessions::insert_if_new(&mut change, &app_session).await? {
                let event = Event::new(SecurityEvent::AppSignedIn, account.id);
                let event = event.detail(EventDetail::App(&address.client.name));
                change.record(event).await?;
            }
            let (aal, since) = (requirements.aal, requirements.authenticated_since);
            let proof = session.authenticated().answering(aal, since);
            let proof = proof.ok_or(ErrorCode::Unauthenticated)?;
            let code = Code {
                grant_id: change.new_id(),
                sid,
                client_id: address.client.id.clone(),
                redirect_uri: address.redirect_uri.to_owned(),
                challenge: request.challenge.map(str::to_owned),
                nonce: request.nonce.map(str::to_owned),
                scope: request
                    .scopes
                    .iter()
                    .map(|scope| scope.as_str())
                    .collect::<Vec<_>>()
                    .join(" "),
                auth_time: proof.at(),
                amr: proof.methods().amr_values().join(" "),
                acr: proof.level().as_str().to_owned(),
                expires_at: now.saturating_add(app.config.oidc.code.millis()),
                spent_at: None,
            };
            let secret = Secret::generate(&app.rng);
            oidc_codes::insert(&mut change, &secret.hash(), &code).await?;
            change.commit(secret).await
        },
    )
    .await
}

/// Returns the redirect URI with the parameters of the response. Every response names its issuer (RFC 9207), so that a
/// client of several providers cannot confuse their responses.
fn response_url(app: &App, address: &ReturnAddress<'_>, response: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(response);
    if let Some(state) = address.state {
        query.append_pair("state", state);
    }
    query.append_pair("iss", &app.config.issuer().unwrap_or_default());
    let uri = address.redirect_uri;
    let separator = if uri.contains('?') { '&' } else { '?' };
    format!("{uri}{separator}{}", query.finish())
}
