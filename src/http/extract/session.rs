//! Extracts the session of an HTTP request.

use super::client;
use crate::accounts::reauthentication::{RecentSession, SessionAtRequiredLevel};
use crate::accounts::session::SignedIn;
use crate::http::prelude::*;

extractor!(SignedIn, ApiError, |parts, app| {
    find_session(parts, &app).await
});

extractor!(RecentSession, ApiError, |parts, app| {
    let signed_in = find_session(parts, &app).await?;
    RecentSession::check(&app, &client::client_of(parts, &app), signed_in).await
});

extractor!(SessionAtRequiredLevel, ApiError, |parts, app| {
    let signed_in = find_session(parts, &app).await?;
    SessionAtRequiredLevel::check(&app, &client::client_of(parts, &app), signed_in).await
});

async fn find_session(parts: &Parts, app: &SharedApp) -> ApiResult<SignedIn> {
    let id = client::session_id(&parts.headers, &app.config);
    SignedIn::find(app, &id.ok_or(ErrorCode::Unauthenticated)?).await
}
