//! A summary of the account's security.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use crate::accounts::security_state;
use crate::accounts::session::SignedIn;
use crate::app::SharedApp;
use crate::clock::rfc3339;
use crate::domain::auth_method::Aal;
use crate::error::ApiError;

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Security {
    /// The authentication level of this session, which is 2 with a passkey or a second factor.
    #[schema(value_type = u8)]
    aal: Aal,
    second_factor: bool,
    recovery_codes_left: i64,
    /// The time from which a requested reset of the second factor can be completed, RFC 3339. Null if no reset is
    /// requested.
    second_factor_reset_at: Option<String>,
    passkeys: i64,
    /// The time of the account's deletion, RFC 3339. Null if no deletion is requested, as for every live session.
    deletion_at: Option<String>,
    /// Whether the person agreed to the newsletter.
    marketing_consent: bool,
    /// The new email address of a pending change. Absent if no change is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending_email: Option<String>,
}

/// Returns the state of the account's security and of this session.
#[utoipa::path(get, path = "/security", operation_id = "security", tag = "settings",
    security(("session" = [])),
    responses((status = 200, description = "The current state", body = Security)))]
pub(crate) async fn security(
    State(app): State<SharedApp>,
    signed_in: SignedIn,
) -> Result<Json<Security>, ApiError> {
    let state = security_state::read(&app, &signed_in).await?;
    Ok(Json(Security {
        aal: state.aal,
        second_factor: state.second_factor,
        recovery_codes_left: state.recovery_codes_left,
        second_factor_reset_at: state.second_factor_reset_at.map(rfc3339),
        passkeys: state.passkeys,
        deletion_at: state.deletion_due_at.map(rfc3339),
        marketing_consent: state.marketing_consent,
        pending_email: state.pending_email,
    }))
}
