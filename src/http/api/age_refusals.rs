//! The number of refusals for age in this browser, stored in its own cookie.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Serialize;

use crate::app::SharedApp;
use crate::auth::age_refusals::UnderageAttempts;
use crate::auth::client::Client;
use crate::http::cookies::CookieSetter;

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct AgeRefusals {
    /// Whether registration and completion refuse this browser for any birthday.
    blocked: bool,
}

/// Returns whether this browser was refused too often for its age.
#[utoipa::path(get, path = "/age-refusals", operation_id = "age_refusals", tag = "sign_up",
    responses((status = 200, description = "Read from the browser's own cookie", body = AgeRefusals)))]
pub(crate) async fn age_refusals(
    State(app): State<SharedApp>,
    client: Client,
) -> Json<AgeRefusals> {
    Json(AgeRefusals {
        blocked: UnderageAttempts::of(&app, &client).is_limit_reached(&app),
    })
}

/// Counts a refusal by the screen. The request contains no birthday; only the browser's own cookie stores the count.
#[utoipa::path(post, path = "/age-refusals", operation_id = "count_age_refusal", tag = "sign_up",
    responses((status = 204, description = "Counted in the browser's cookie")))]
pub(crate) async fn count_age_refusal(
    State(app): State<SharedApp>,
    client: Client,
) -> impl IntoResponse {
    tracing::info!(target: "security", event = "underage_refused");
    let count = UnderageAttempts::of(&app, &client).increment(&app);
    let cookies = CookieSetter::new(&app.config)
        .age_refusals(&count)
        .into_headers();
    (StatusCode::NO_CONTENT, cookies)
}
