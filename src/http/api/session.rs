//! The session of the browser: its account, and sign-out.

use uuid::Uuid;

use super::prelude::*;
use crate::accounts::migration::MigratedAccount;
use crate::accounts::session;
use crate::accounts::session::browser_session::SignedInBrowser;
use crate::app::App;

/// The account of a session.
#[derive(Serialize, ToSchema)]
pub(crate) struct CurrentUser {
    /// The permanent id of the account: a UUIDv7 that never changes and is never assigned to another account.
    pub id: Uuid,
    pub email: String,
    pub username: String,
}

/// The account, as returned by calls that create or open an account.
#[derive(Serialize, ToSchema)]
pub(crate) struct Me {
    pub email: String,
    pub username: String,
}

impl From<MigratedAccount> for Me {
    fn from(migrated: MigratedAccount) -> Me {
        Me {
            email: migrated.email,
            username: migrated.username,
        }
    }
}

/// Returns the response to a sign-in: the account, and the cookies of the session and the device.
pub(crate) fn session_started(app: &App, browser: SignedInBrowser) -> impl IntoResponse + use<> {
    let cookies = CookieSetter::new(app)
        .set_session(&browser.session)
        .set_device(&browser.device);
    let user = CurrentUser {
        id: browser.id,
        email: browser.email,
        username: browser.username,
    };
    (cookies, Json(user))
}

/// Returns the account of the session.
#[utoipa::path(get, path = "/users/me",
    responses((status = 200, description = "The account of the session", body = CurrentUser)))]
pub(crate) async fn users_me(signed_in: SignedIn) -> Json<CurrentUser> {
    let session = signed_in.into_session();
    Json(CurrentUser {
        id: session.account_id,
        email: session.email,
        username: session.username,
    })
}

/// Ends this session and clears its cookie. Also succeeds if there is no session.
#[utoipa::path(post, path = "/logout",
    responses((status = 204, description = "The browser is signed out")))]
pub(crate) async fn logout(
    State(app): State<SharedApp>,
    client: Client,
) -> ApiResult<impl IntoResponse> {
    session::end(&app, &client).await?;
    let cookies = CookieSetter::new(&app).clear_session();
    // The header does not contain "cookies", because that value would delete the cookie of the enrolled device, and the
    // next sign-in would need approval by mail.
    let clear_site_data = [("clear-site-data", "\"storage\"")];
    Ok((StatusCode::NO_CONTENT, cookies, clear_site_data))
}
