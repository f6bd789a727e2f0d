//! The claims about a person. They never include birthday, country, zip code and consent (contract 2 section 3).

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::issuance::has;
use crate::app::App;
use crate::config::Scope;
use crate::store::accounts::PublicDetails;

/// Returns the claims that the scope allows.
pub(super) fn of(app: &App, account: Uuid, person: &PublicDetails, scope: &str) -> Value {
    let mut claims = Map::new();
    claims.insert("sub".into(), json!(account));
    if has(scope, Scope::Profile) {
        let region = app.config.region_by_id(&person.region);
        let names = [
            ("given_name", &person.first_name),
            ("family_name", &person.last_name),
        ];
        for (claim, name) in names {
            if let Some(name) = name {
                claims.insert(claim.into(), json!(name));
            }
        }
        if let (Some(first), Some(last)) = (&person.first_name, &person.last_name) {
            claims.insert("name".into(), json!(format!("{first} {last}")));
        }
        claims.insert("preferred_username".into(), json!(person.username));
        claims.insert("locale".into(), json!(person.language));
        claims.insert("zoneinfo".into(), json!(region.timezone));
        let changed_at = person.created_at.max(person.email_changed_at);
        claims.insert("updated_at".into(), json!(changed_at / 1000));
    }
    if has(scope, Scope::Email) {
        claims.insert("email".into(), json!(person.email));
        claims.insert("email_verified".into(), json!(person.verified));
    }
    Value::Object(claims)
}
