//! Sessions: the one way to start one, the one way to know one, and the end.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use uuid::Uuid;

use super::caller::{self, Caller};
use super::cookies::Setter;
use crate::app::{App, Shared};
use crate::domain::secret::Secret;
use crate::error::{Code, Failure};
use crate::store::conflict::repeated;
use crate::store::sessions::{self, NewSession, Session};
use crate::store::{self, Tx};

/// Who somebody is: all that the API ever tells about an account.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Me {
    pub email: String,
    pub username: String,
}

/// Starts a session for a device of the account, and ends the one this browser had.
pub async fn start(
    app: &App,
    tx: &mut Tx,
    account: Uuid,
    device: Uuid,
    replaces: Option<&Secret>,
) -> store::Result<Secret> {
    if let Some(old) = replaces {
        sessions::end(tx, &old.hash()).await?;
    }
    let id = Secret::generate(&app.rng);
    let new = NewSession {
        hash: &id.hash(),
        account_id: account,
        device_id: device,
        now: app.clock.millis(),
        idle: app.config.lifetimes.session_idle.millis(),
        absolute: app.config.lifetimes.session_absolute.millis(),
    };
    sessions::insert(tx, &new).await?;
    Ok(id)
}

/// A request with a live session. Anything else is 401 `unauthenticated`.
pub struct SignedIn {
    pub id: Secret,
    pub session: Session,
}

impl FromRequestParts<Shared> for SignedIn {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Failure> {
        let id = caller::session(&parts.headers, &app.config).ok_or(Code::Unauthenticated)?;
        let now = app.clock.millis();
        let hash = id.hash();
        let session = sessions::live(&app.store, &hash, now).await?;
        let session = session.ok_or(Code::Unauthenticated)?;
        let step = (app.config.lifetimes.session_idle.millis() / 20).min(60_000);
        if now - session.last_used_at >= step {
            // Boxed: otherwise every request would carry what one a minute needs.
            Box::pin(keep_alive(app, &hash, &session, now)).await;
        }
        Ok(SignedIn { id, session })
    }
}

/// Moves the idle end; asked for at most about once a minute, so that reading stays reading. A database that
/// cannot write just now must not end a session that it can read.
async fn keep_alive(
    app: &App,
    hash: &crate::domain::secret::SecretHash,
    session: &Session,
    now: i64,
) {
    let idle = app.config.lifetimes.session_idle.millis();
    let until = now.saturating_add(idle).min(session.expires_at);
    let touched = repeated(&app.rng, || async {
        let mut tx = app.store.write_lightly().await?;
        sessions::touch(&mut tx, hash, now, until).await?;
        tx.commit().await
    });
    if let Err(error) = touched.await {
        tracing::warn!(%error, "a session could not be kept alive");
    }
}

/// Who is signed in.
#[utoipa::path(get, path = "/users/me", operation_id = "users_me", tag = "session",
    security(("session" = [])),
    responses((status = 200, description = "The holder of the session", body = Me)))]
pub async fn me(SignedIn { session, .. }: SignedIn) -> Json<Me> {
    Json(Me {
        email: session.email,
        username: session.username,
    })
}

/// Signs out: ends this session, signed in or not, and clears the cookie.
#[utoipa::path(post, path = "/logout", operation_id = "logout", tag = "session",
    responses((status = 204, description = "Nobody is signed in here now")))]
pub async fn logout(
    State(app): State<Shared>,
    caller: Caller,
) -> Result<impl IntoResponse, Failure> {
    if let Some(id) = &caller.session {
        let account = repeated(&app.rng, || async {
            let mut tx = app.store.write().await?;
            let account = sessions::end(&mut tx, &id.hash()).await?;
            tx.commit().await?;
            Ok::<_, Failure>(account)
        })
        .await?;
        if let Some(account) = account {
            tracing::info!(target: "security", event = "sign_out", %account, ip = %caller.ip);
        }
    }
    let mut headers: HeaderMap = Setter::new(&app.config).end_session().done();
    // Not "cookies": that would forget the enrolled device, and the next sign-in would need a mail.
    headers.insert("clear-site-data", HeaderValue::from_static("\"storage\""));
    Ok((StatusCode::NO_CONTENT, headers))
}
