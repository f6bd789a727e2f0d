//! The revocation endpoint (RFC 7009).

use super::token::authorization_header;
use crate::http::extract::form_body::FormBody;
use crate::http::prelude::*;
use crate::oidc::client_authentication::authenticate;
use crate::oidc::error::OAuthResult;
use crate::oidc::revocation;

pub(super) async fn revoke(
    State(app): State<SharedApp>,
    client: Client,
    headers: HeaderMap,
    FormBody(parameters): FormBody,
) -> OAuthResult<impl IntoResponse> {
    let header = authorization_header(&headers);
    let application = authenticate(&app, client.ip, header, &parameters).await?;
    revocation::revoke(&app, application, &parameters).await?;
    Ok(NO_STORE)
}
