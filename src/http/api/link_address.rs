//! The email address to which a link for setting a password was mailed, and the details from the older system.

use super::prelude::*;
use crate::accounts::migration::completion::{self, KnownDetails};
use crate::store::tokens::Purpose;

#[derive(Serialize, ToSchema)]
pub(crate) struct LinkAddress {
    email: String,
    /// The details from the older system, for a completion link only. Contains only details that the region's form
    /// asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<KnownDetails>,
}

/// Returns, for password managers, the email address to which the link of a reset or of a completion was mailed, and for
/// a completion the known details. The link stays valid.
#[utoipa::path(post, path = "/link-address",
    request_body = MailedToken,
    responses((status = 200, description = "The link is valid", body = LinkAddress)))]
pub(crate) async fn link_address(
    State(app): State<SharedApp>,
    client: Client,
    JsonBody(form): JsonBody<MailedToken>,
) -> ApiResult<Json<LinkAddress>> {
    let link = MailedLink::open(&app, &client, "link-address", form.token.expose()).await?;
    let (token, email) = link
        .find_mailed(&app, &client, &[Purpose::Reset, Purpose::Completion])
        .await?;
    let known = completion::find_known_details(&app, &client, &token).await?;
    Ok(Json(LinkAddress { email, known }))
}
