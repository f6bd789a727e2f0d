//! The consent to the newsletter.

use super::prelude::*;
use crate::accounts::marketing_consent;

#[derive(Deserialize, Serialize, ToSchema)]
pub(crate) struct NewsletterChoice {
    /// Whether the person agrees to the newsletter.
    consent: bool,
}

/// Stores the consent to the newsletter.
#[utoipa::path(put, path = "/marketing-consent",
    request_body = NewsletterChoice,
    responses((status = 200, description = "The choice is stored", body = NewsletterChoice)))]
pub(crate) async fn choose_marketing_consent(
    State(app): State<SharedApp>,
    client: Client,
    signed_in: SignedIn,
    JsonBody(choice): JsonBody<NewsletterChoice>,
) -> ApiResult<Json<NewsletterChoice>> {
    marketing_consent::set(&app, &client, &signed_in, choice.consent).await?;
    Ok(Json(choice))
}
