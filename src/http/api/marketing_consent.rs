//! The consent to the newsletter.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};

use crate::accounts::client::Client;
use crate::accounts::marketing_consent;
use crate::accounts::session::SignedIn;
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::extract::json_body::JsonBody;

#[derive(Debug, Deserialize, Serialize, utoipa::ToSchema)]
pub(crate) struct NewsletterChoice {
    /// Whether the person agrees to the newsletter.
    consent: bool,
}

errors! { CHOOSE_ERRORS: RateLimited }

/// Stores the consent to the newsletter.
#[utoipa::path(put, path = "/marketing-consent", operation_id = "choose_marketing_consent", tag = "settings",
    security(("session" = [])),
    request_body = NewsletterChoice,
    responses((status = 200, description = "The choice is stored", body = NewsletterChoice)))]
pub(crate) async fn store_consent(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    JsonBody(choice): JsonBody<NewsletterChoice>,
) -> Result<Json<NewsletterChoice>, ApiError> {
    marketing_consent::set(&app, &client, &signed_in, choice.consent).await?;
    Ok(Json(choice))
}
