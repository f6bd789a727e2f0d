//! RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0).

use url::form_urlencoded;

use super::hint::{self, IdTokenHint};
use super::parameters::Parameters;
use super::request;
use crate::accounts::client::Client;
use crate::accounts::session::{self, SignedIn};
use crate::app::App;
use crate::config::OidcClient;
use crate::error::ApiResult;
use crate::i18n::Language;
use crate::store::sessions;

/// The parameters that this endpoint evaluates, besides `ui_locales`. `logout_hint` (section 2) is ignored, because the
/// page always asks about the account that is signed in in this browser.
const PARAMETER_NAMES: [&str; 4] = [
    "id_token_hint", "client_id", "post_logout_redirect_uri", "state",
];

/// The next step of the browser after a logout request.
pub(crate) enum LogoutOutcome {
    /// The browser has no session any more. The browser is redirected to a registered URL, or to the sign-in page.
    SignedOut(String),
    /// A redirect to the page that asks for confirmation, signs out, and calls the logout endpoint again.
    ConfirmationRequired(String),
}

/// Signs this browser out immediately if `id_token_hint` names the browser's session. Otherwise the person confirms,
/// because any page could cause the logout request.
pub(crate) async fn logout(
    app: &App,
    client: &Client,
    parameters: &Parameters,
) -> ApiResult<LogoutOutcome> {
    let request = read_request(app, parameters).await?;
    let Some(signed_in) = SignedIn::find_in_browser(app, client).await? else {
        return Ok(LogoutOutcome::SignedOut(request.return_url()));
    };
    let account = signed_in.session().account_id;
    let mut tx = app.store.read().await?;
    let sid = sessions::find_sid(&mut tx, signed_in.key()).await?;
    drop(tx);
    let is_this_session = |hint: &IdTokenHint| Some(hint.sid) == sid && hint.sub == account;
    if !request.hint.as_ref().is_some_and(is_this_session) {
        return Ok(LogoutOutcome::ConfirmationRequired(
            request.confirmation_url(),
        ));
    }
    session::end(app, client).await?;
    Ok(LogoutOutcome::SignedOut(request.return_url()))
}

struct LogoutRequest<'a> {
    hint: Option<IdTokenHint>,
    /// The client that the hint or `client_id` names.
    client: Option<&'a OidcClient>,
    /// The URL to return to, which the client has registered.
    return_uri: Option<&'a str>,
    state: Option<&'a str>,
    /// The language of the page that confirms the sign-out.
    language: Option<Language>,
}

async fn read_request<'a>(
    app: &'a App,
    parameters: &'a Parameters,
) -> ApiResult<LogoutRequest<'a>> {
    let get = |name| {
        parameters
            .get(name)
            .filter(|_| parameters.check(&PARAMETER_NAMES).is_ok())
    };
    let named = get("client_id");
    let mut hint = None;
    if let Some(token) = get("id_token_hint") {
        let mut tx = app.store.read().await?;
        hint = hint::verify(app, &mut tx, token).await?;
        // An ID token of another client than `client_id` counts as absent.
        hint = hint.filter(|hint| named.is_none_or(|id| id == hint.aud));
    }
    let id = named.or(hint.as_ref().map(|hint| hint.aud.as_str()));
    let client = id.and_then(|id| app.config.oidc_client(id));
    let uri = get("post_logout_redirect_uri").filter(|uri| {
        let registered = client.map(|client| client.post_logout_redirect_uris.as_slice());
        registered.unwrap_or_default().iter().any(|own| own == uri)
    });
    if uri.is_none() && parameters.get("post_logout_redirect_uri").is_some() {
        log_refused_redirect(client);
    }
    Ok(LogoutRequest {
        client,
        return_uri: uri,
        state: get("state"),
        language: request::ui_language(parameters),
        hint,
    })
}

/// Logs that the browser will not return to the application, because the page after the sign-out does not show the
/// reason. The log contains neither the URL nor an unknown client id, because anybody can choose both.
fn log_refused_redirect(client: Option<&OidcClient>) {
    let reason = match client {
        Some(_) => "post_logout_redirect_uri is not registered",
        None => "the client is missing or unknown",
    };
    let client = client.map(|client| client.id.as_str());
    tracing::info!(target: "security", event = "logout_redirect_refused", client, reason);
}

impl LogoutRequest<'_> {
    /// Returns the URL to open after the sign-out: the client's URL, or the sign-in page with a note that the person is
    /// signed out.
    fn return_url(&self) -> String {
        let Some(uri) = self.return_uri else {
            return "/account/?signed_out=1".to_owned();
        };
        let Some(state) = self.state else {
            return uri.to_owned();
        };
        let separator = if uri.contains('?') { '&' } else { '?' };
        let mut query = form_urlencoded::Serializer::new(String::new());
        format!(
            "{uri}{separator}{}",
            query.append_pair("state", state).finish()
        )
    }

    /// Returns the URL of the page that confirms the sign-out. The client selects the brand of the page, and
    /// `ui_locales` selects its language. If the client has a URL to return to, the page calls this endpoint again
    /// after the sign-out.
    fn confirmation_url(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if let Some(client) = self.client {
            query.append_pair("client_id", &client.id);
        }
        if let Some(uri) = self.return_uri {
            query.append_pair("post_logout_redirect_uri", uri);
            if let Some(state) = self.state {
                query.append_pair("state", state);
            }
        }
        if let Some(language) = self.language {
            query.append_pair("ui_locales", language.code());
        }
        match query.finish().as_str() {
            "" => "/account/sign-out".to_owned(),
            query => format!("/account/sign-out?{query}"),
        }
    }
}
