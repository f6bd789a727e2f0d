//! Lists the applications that a person is signed in to with the account, and signs the person out of them.

use serde::Serialize;

use crate::accounts::prelude::*;
use crate::accounts::security_log::EventDetail;
use crate::accounts::session::SignedIn;
use crate::clock::serialize_time;
use crate::outbox::backchannel_logout;
use crate::store::{app_sessions, oidc_grants};

/// An application that has signed the person in by OpenID Connect, in a session that has not ended.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ConnectedApp {
    pub client_id: String,
    pub name: String,
    /// The time of the first sign-in to the application, RFC 3339.
    #[serde(serialize_with = "serialize_time")]
    #[schema(value_type = String)]
    pub first_used_at: i64,
    /// The time when the application was last used, RFC 3339.
    #[serde(serialize_with = "serialize_time")]
    #[schema(value_type = String)]
    pub last_used_at: i64,
}

/// Returns the name of an application, or its client id if the application was removed from the configuration.
fn app_name(app: &App, client_id: &str) -> String {
    let client = app.config.oidc_client(client_id);
    client.map_or(client_id, |client| &client.name).to_owned()
}

/// Returns the applications that a session of the account is signed in to, ordered by name.
pub(crate) async fn list(app: &App, signed_in: &SignedIn) -> ApiResult<Vec<ConnectedApp>> {
    let mut tx = app.store.read().await?;
    let used = app_sessions::list_used(&mut tx, signed_in.session().account_id).await?;
    let apps = used.into_iter().map(|used| ConnectedApp {
        name: app_name(app, &used.client_id),
        client_id: used.client_id,
        first_used_at: used.first_used_at,
        last_used_at: used.last_used_at,
    });
    let mut apps: Vec<_> = apps.collect();
    apps.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(apps)
}

/// Signs the person out of one application in all sessions of the account. The sessions continue, so the application
/// can sign the person in again without a sign-in form. Returns 404 if no session is signed in to the application.
pub(crate) async fn sign_out(
    app: &App,
    client: &Client,
    signed_in: &SignedIn,
    client_id: &str,
) -> ApiResult {
    change(app, client, |mut change| async move {
        let account = signed_in.lock(&mut change).await?.account.id;
        let ended = app_sessions::end_by_client(&mut change, account, client_id).await?;
        if ended.is_empty() {
            return Err(ErrorCode::NotFound.into());
        }
        for session in &ended {
            oidc_grants::end_by_client(&mut change, session.sid, client_id).await?;
            backchannel_logout::queue(app, &mut change, session).await?;
        }
        let event = Event::new(SecurityEvent::AppSignedOut, account);
        let name = app_name(app, client_id);
        let event = event.detail(EventDetail::App(&name));
        change.record(event).await?;
        change.commit(()).await
    })
    .await
}
