//! The configuration that the screens need: the region of the host, the languages, the limits.

use std::borrow::Cow;

use serde::Serialize;

use crate::accounts::sign_up::age_refusals::MAX_ATTEMPTS;
use crate::config::{Analytics, CommonPasswords, CompletionVariant, Consent, Links, MigrationZip};
use crate::http::prelude::*;

/// The value of `app` in `POST /login` for a sign-in that names no application.
const DEFAULT_APP: &str = "wiki";

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ClientConfig {
    region: ClientRegion,
    languages: Vec<&'static str>,
    default_language: &'static str,
    age: ClientAge,
    security: ClientSecurity,
    passkeys: ClientPasskeys,
    /// The path or URL of the site's start page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    site_home: Option<String>,
    /// The URL to open after a successful sign-in.
    pub signed_in_home: Cow<'static, str>,
    /// The name of the application or site that the sign-in is for, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signing_in_to: Option<String>,
    /// The value of `app` for `POST /login`, unless the URL of the page has a parameter `app`.
    pub app: Cow<'static, str>,
    /// The email address of the account that the application expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub login_hint: Option<String>,
}

#[derive(Serialize, utoipa::ToSchema)]
struct ClientRegion {
    id: String,
    brand: String,
    locale: String,
    timezone: String,
    environment: String,
    country_code: Option<String>,
    /// The identifier by which other services of the site know this service.
    auth_client_id: Option<String>,
    translation_source_language: Option<String>,
    analytics: Analytics,
    /// The consent manager. If absent, no consent manager is loaded.
    consent: Option<Consent>,
    migration_zip: MigrationZip,
    migration_form: CompletionVariant,
    /// The URL of a person's picture, which contains `{username}` or `{id}`. If absent, the site has no pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    avatar_images: Option<String>,
    links: Links,
}

impl ClientRegion {
    fn new(region: &Region) -> ClientRegion {
        let Region {
            id,
            brand,
            locale,
            timezone,
            environment,
            country_code,
            auth_client_id,
            translation_source_language,
            analytics,
            consent,
            migration_zip,
            migration_form,
            avatar_images,
            links,
            ..
        } = region.clone();
        ClientRegion {
            id,
            brand,
            locale,
            timezone,
            environment,
            country_code,
            auth_client_id,
            translation_source_language,
            analytics,
            consent,
            migration_zip,
            migration_form,
            avatar_images,
            links,
        }
    }
}

#[derive(Serialize, utoipa::ToSchema)]
struct ClientAge {
    registration: u32,
    migration: u32,
    attempts: u32,
}

#[derive(Serialize, utoipa::ToSchema)]
struct ClientSecurity {
    common_passwords: CommonPasswords,
    /// The number of days for which a device can be trusted, so that its sign-ins need no second-factor code. Zero if
    /// trust is not offered.
    second_factor_trust_days: u64,
    /// The number of days between the request to remove lost strong factors and their removal.
    second_factor_reset_days: u64,
    /// The number of days between the request for a deletion and the deletion.
    deletion_grace_days: u64,
}

#[derive(Serialize, utoipa::ToSchema)]
struct ClientPasskeys {
    /// Whether this site supports passkeys.
    enabled: bool,
    /// Whether the screens offer to add a passkey after a sign-in with a password.
    offer: bool,
}

impl ClientConfig {
    pub(crate) fn new(app: &App, region: &Region) -> ClientConfig {
        let age = &app.config.age;
        ClientConfig {
            region: ClientRegion::new(region),
            languages: Language::ALL.iter().map(|l| l.code()).collect(),
            default_language: region.language().code(),
            age: ClientAge {
                registration: age.registration,
                migration: age.migration,
                attempts: MAX_ATTEMPTS,
            },
            security: ClientSecurity {
                common_passwords: app.config.common_passwords(),
                second_factor_trust_days: app.config.security.second_factor_trust.days(),
                second_factor_reset_days: app.config.lifetimes.second_factor_reset.days(),
                deletion_grace_days: app.config.lifetimes.deletion_grace.days(),
            },
            passkeys: ClientPasskeys {
                enabled: app.config.has_passkeys_in(region),
                offer: true,
            },
            site_home: app.config.server.site_home.clone(),
            signed_in_home: "/".into(),
            signing_in_to: None,
            app: DEFAULT_APP.into(),
            login_hint: None,
        }
    }

    /// Replaces the form rules with those of the host's region. The API applies these rules, even if the page shows the
    /// brand of another region.
    pub(crate) fn with_form_rules_of(mut self, app: &App, host: &Region) -> ClientConfig {
        self.region.migration_zip = host.migration_zip;
        self.passkeys.enabled &= app.config.has_passkeys_in(host);
        self
    }
}

/// Returns the region of the host, the languages, and the limits that the screens need.
#[utoipa::path(get, path = "/config",
    responses((status = 200, description = "The configuration of the host", body = ClientConfig)))]
pub(crate) async fn config(State(app): State<SharedApp>, client: Client) -> Json<ClientConfig> {
    Json(ClientConfig::new(
        &app,
        app.config.region_by_id(&client.region),
    ))
}
