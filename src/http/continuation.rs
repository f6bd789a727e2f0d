//! Continues a sign-in for an application or page, which a signed ticket in the URL names. This file makes the URLs
//! with the sign-in ticket, and compares the session with the requirements of the ticket.

use url::form_urlencoded;

use super::prelude::*;
use crate::accounts::session::SignedIn;
use crate::accounts::sign_in::ticket::{SessionRequirements, UnmetRequirement};

/// The path of the page that confirms a sign-out.
pub(crate) const SIGN_OUT_PATH: &str = "/account/sign-out";

/// Returns the URL that continues the sign-in of a ticket. The ticket needs no percent-encoding, because it consists of
/// base64url and a full stop.
pub(crate) fn resume_url(ticket: &str) -> String {
    format!("/account/oidc/authorize?continue={ticket}")
}

/// Returns the URL of the page where the person can meet the requirement, for example set up a second factor.
pub(crate) fn proof_url(shortfall: UnmetRequirement, ticket: &str) -> String {
    let page = match shortfall {
        UnmetRequirement::SignIn => "/account/",
        UnmetRequirement::SignUp => "/account/signup",
        UnmetRequirement::SecondFactor => "/account/settings/security/two-step",
    };
    format!("{page}?continue={ticket}")
}

/// Returns the ticket of the query parameter `continue`. A repeated parameter counts as absent, because parsers
/// disagree on which value counts.
pub(crate) fn ticket_from_query(uri: &Uri) -> Option<String> {
    let query = uri.query().unwrap_or_default();
    let mut found = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == "continue");
    match (found.next(), found.next()) {
        (Some((_, only)), None) => Some(only.into_owned()),
        _ => None,
    }
}

/// Finds the live session of the browser, and compares it with the requirements of a sign-in ticket. Returns the session
/// if it is sufficient, and otherwise the requirement that it does not meet.
pub(crate) async fn check_session(
    app: &App,
    client: &Client,
    requirements: &SessionRequirements,
) -> ApiResult<Result<SignedIn, UnmetRequirement>> {
    let Some(signed_in) = SignedIn::find_in_browser(app, client).await? else {
        return Ok(Err(UnmetRequirement::SignIn));
    };
    let session = signed_in.session();
    let unmet = requirements.first_unmet(app, client, session).await?;
    Ok(unmet.map_or(Ok(signed_in), Err))
}
