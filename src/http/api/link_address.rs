//! The email address to which a link for setting a password was mailed, and the details from the older system.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::bodies::MailedToken;
use crate::accounts::client::Client;
use crate::accounts::mailed_link::MailedLink;
use crate::accounts::migration::completion::{self, KnownDetails};
use crate::app::SharedApp;
use crate::error::ApiError;
use crate::http::extract::json_body::JsonBody;
use crate::store::tokens::Purpose;

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct LinkAddress {
    email: String,
    /// The details from the older system, for a completion link only. Contains only details that the region's form
    /// asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<KnownDetails>,
}

errors! { ERRORS: InvalidToken, RateLimited }

/// Returns, for password managers, the email address to which the link of a reset or of a completion was mailed, and for
/// a completion the known details. The link stays valid.
#[utoipa::path(post, path = "/link-address", operation_id = "link_address", tag = "password_reset",
    request_body = MailedToken,
    responses((status = 200, description = "The link is valid", body = LinkAddress)))]
pub(crate) async fn link_address(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> Result<Json<LinkAddress>, ApiError> {
    let link = MailedLink::open(&app, &client, "link-address", form.token.expose()).await?;
    let (token, email) = link
        .find_mailed(&app, &client, &[Purpose::Reset, Purpose::Completion])
        .await?;
    let known = completion::find_known_details(&app, &client, &token).await?;
    Ok(Json(LinkAddress { email, known }))
}
