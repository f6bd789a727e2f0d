//! The claims about a person, which never include birthday, country, zip code or consent.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::app::App;
use crate::config::Scope;
use crate::store::account_details::PublicDetails;

pub(super) fn claims_for_scope(
    app: &App,
    account: Uuid,
    details: &PublicDetails,
    scope: &str,
) -> Map<String, Value> {
    let mut claims = Map::new();
    claims.insert("sub".into(), json!(account));
    if Scope::Profile.is_in(scope) {
        let region = app.config.region_by_id(&details.region);
        let names = [
            ("given_name", &details.first_name),
            ("family_name", &details.last_name),
        ];
        for (claim, name) in names {
            if let Some(name) = name {
                claims.insert(claim.into(), json!(name));
            }
        }
        let known: Vec<&str> = names
            .iter()
            .filter_map(|(_, name)| name.as_deref())
            .collect();
        let full_name = match known.is_empty() {
            true => details.username.clone(),
            false => known.join(" "),
        };
        claims.insert("name".into(), json!(full_name));
        claims.insert("preferred_username".into(), json!(details.username));
        claims.insert("locale".into(), json!(details.language));
        claims.insert("zoneinfo".into(), json!(region.timezone));
        let changed_at = details
            .created_at
            .max(details.email_changed_at)
            .max(details.details_changed_at);
        claims.insert("updated_at".into(), json!(changed_at / 1000));
    }
    if Scope::Email.is_in(scope) {
        claims.insert("email".into(), json!(details.email));
        claims.insert("email_verified".into(), json!(details.verified));
    }
    claims
}
