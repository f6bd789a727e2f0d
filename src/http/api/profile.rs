//! The details that a person has entered about themselves.

use super::prelude::*;
use crate::accounts::reauthentication::RecentSession;
use crate::store::accounts::{self, PersonalDetails};

#[derive(Serialize, ToSchema)]
pub(crate) struct Profile {
    first_name: Option<String>,
    last_name: Option<String>,
    /// ISO 3166-1 alpha-2 in lower case.
    country: Option<String>,
    zipcode: Option<String>,
    /// The birthday as YYYY-MM-DD.
    birthday: Option<String>,
}

impl From<PersonalDetails> for Profile {
    fn from(details: PersonalDetails) -> Profile {
        let present = |text: String| Some(text).filter(|text| !text.is_empty());
        Profile {
            first_name: details.first_name.and_then(present),
            last_name: details.last_name.and_then(present),
            country: present(details.country),
            zipcode: present(details.zipcode),
            birthday: present(details.birthday),
        }
    }
}

/// Returns the details that the person has entered about themselves. A detail that the account does not have is null.
#[utoipa::path(get, path = "/profile",
    responses((status = 200, description = "The details", body = Profile)))]
pub(crate) async fn profile(
    State(app): State<SharedApp>,
    recent: RecentSession,
) -> ApiResult<Json<Profile>> {
    let account = recent.signed_in_session().session().account_id;
    let mut tx = app.store.read().await?;
    let details = accounts::personal_details(&mut tx, account).await?;
    Ok(Json(details.ok_or(ErrorCode::Unauthenticated)?.into()))
}
