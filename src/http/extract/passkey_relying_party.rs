//! The relying party of the host that an HTTP request was sent to.

use super::client::client_of;
use crate::config::RelyingParty;
use crate::error::{ApiError, ErrorCode};

/// Extracts the WebAuthn relying party of this site. If passkeys are off, the response is `not_found`.
pub(crate) struct PasskeyRelyingParty(pub RelyingParty);

extractor!(PasskeyRelyingParty, ApiError, |parts, app| {
    let party = client_of(parts, &app).relying_party(&app);
    Ok(PasskeyRelyingParty(party.ok_or(ErrorCode::NotFound)?))
});
